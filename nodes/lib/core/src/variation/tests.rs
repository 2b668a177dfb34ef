use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<Variation, ConfigError> {
    Variation::load(Path::new("variations/some.yaml"), Ok(text.to_owned()))
}

const ESTIMATE: &str = "estimate:
  position_sd_m: 0.01
  yaw_sd_rad: 0.01
  payload_position_sd_m: 0.01
  payload_tilt_sd_rad: 0.02
  velocity_sd_mps: 0.05
  yaw_rate_sd_radps: 0.05
  dropout: { probability: 0.02, burst_ticks: 5 }
  filter: { pose: 0.2, velocity: 0.2 }
";

#[test]
fn an_empty_mapping_is_nominal_and_a_file_names_itself() {
    let variation = read("route: supplied\n").unwrap();
    assert!(variation.is_nominal() && Variation::nominal().is_nominal());
    assert_eq!(variation.name, "some");
    assert!(!read("friction: 0.8\n").unwrap().is_nominal());
    assert!(!read(ESTIMATE).unwrap().is_nominal());
}

#[test]
fn faults_name_file_key_value_and_what_is_allowed() {
    for (text, parts) in [
        ("frction: 0.4\n", vec!["frction", "friction"]),
        ("friction: 9\n", vec!["friction", "9", "0.05 to 3"]),
        ("payload_mass_kg: [1.0, 0.3]\n", vec!["payload_mass_kg", "[1, 0.3]", "lower end first"]),
        ("payload_mass_kg: [1.0]\n", vec!["payload_mass_kg", "range [low, high]"]),
        ("payload_mass_kg: heavy\n", vec!["payload_mass_kg", "heavy", "a number"]),
        ("command_delay_s: 0.5\n", vec!["command_delay_s", "0.5", "0 to 0.06"]),
        ("command_delay_s: .nan\n", vec!["command_delay_s", "NaN"]),
        ("route: planned\n", vec!["planner", "route: planned"]),
        ("route: guessed\n", vec!["route", "guessed", "supplied"]),
    ] {
        let error = read(text).unwrap_err().to_string();
        for part in parts.into_iter().chain(["variations/some.yaml"]) {
            assert!(error.contains(part), "{error} lacks {part}");
        }
    }
    let error = read(&ESTIMATE.replace("probability: 0.02", "probability: 2")).unwrap_err().to_string();
    assert!(error.contains("estimate.dropout.probability") && error.contains("0 to 0.5"), "{error}");
}

/// CE-153.
#[test]
fn delays_are_whole_physics_steps() {
    let drawn = read("command_delay_s: 0.02\n").unwrap().draw(3, 0.005);
    assert_eq!((drawn.command_delay_steps, drawn.command_delay_s), (4, 0.02));
    let drawn = read("command_delay_s: 0.0114\n").unwrap().draw(3, 0.005);
    assert_eq!(drawn.command_delay_steps, 2);
    assert_eq!(Variation::nominal().draw(3, 0.005), Drawn::default());
}

#[test]
fn a_range_changes_no_other_draw() {
    let both = read("friction: [0.4, 1.2]\npayload_mass_kg: [0.3, 1.0]\n").unwrap().draw(5, 0.005);
    let one = read("payload_mass_kg: [0.3, 1.0]\n").unwrap().draw(5, 0.005);
    assert_eq!(both.payload_mass_kg, one.payload_mass_kg);
    assert_eq!(one.friction, None);
    assert_eq!(read("friction: 0.4\n").unwrap().draw(9, 0.005).friction, Some(0.4));
}

#[test]
fn the_filter_leaves_less_than_was_measured() {
    let estimate = read(ESTIMATE).unwrap().estimate.unwrap();
    let std = estimate.std();
    assert!(std.position_m > 0.0 && std.position_m < 0.5 * estimate.position_sd_m, "{std:?}");
    assert!((std.velocity_mps - 0.05 / 3.0).abs() < 1e-12);
    let raw = Estimate { filter: FilterGains { pose: 1.0, velocity: 1.0 }, ..estimate };
    assert!((raw.std().position_m - 0.01).abs() < 1e-12);
}

proptest! {
    /// CE-153.
    #[test]
    fn draws_stay_in_their_range_and_repeat(seed in any::<u64>(), low in 0.05..1.0f64, width in 0.0..1.0f64) {
        let span = Span { low, high: low + width };
        let variation = Variation { friction: Some(span), command_delay_s: Some(Span { low: 0.0, high: 0.06 }), ..Variation::nominal() };
        let drawn = variation.draw(seed, 0.005);
        let friction = drawn.friction.unwrap();
        prop_assert!(friction >= span.low && friction <= span.high);
        prop_assert!(drawn.command_delay_steps <= 12);
        prop_assert_eq!(drawn, variation.draw(seed, 0.005));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        let _ = read(&text);
    }
}
