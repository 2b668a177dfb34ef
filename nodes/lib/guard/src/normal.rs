//! Canonical text of a call: what makes two policies the same (CE-030).

use troupe_core::skill::SkillCall;

/// Metres, and metres or seconds per unit, that actuation can tell apart.
const STEP_M: f64 = 0.01;
/// Degrees that actuation can tell apart.
const STEP_DEG: f64 = 0.5;

/// The call with sorted argument names and numbers as whole multiples of the actuation resolution,
/// then `stop()`.
#[must_use]
pub fn normalised(call: &SkillCall) -> String {
    let mut arguments: Vec<String> =
        call.arguments().into_iter().map(|(name, value)| format!("{name}={}", steps(name, value))).collect();
    arguments.extend(call.direction().map(|d| format!("direction={}", d.name())));
    arguments.sort_unstable();
    format!("{}({})\nstop()", call.name(), arguments.join(","))
}

/// Number of resolution steps of a value: 0.5° for yaw, 0.01 of the unit for all else.
fn steps(argument: &str, value: f64) -> i64 {
    let steps = if argument == "yaw_rad" { value.to_degrees() / STEP_DEG } else { value / STEP_M };
    steps.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use troupe_core::skill::Direction;

    /// CE-030.
    #[test]
    fn numbers_are_told_apart_only_at_the_actuation_resolution() {
        let walk = |distance_m: f64| normalised(&SkillCall::Walk { distance_m, direction: Direction::Left, speed_mps: 0.25 });
        assert_eq!(walk(0.25), "walk(direction=left,distance_m=25,speed_mps=25)\nstop()");
        assert_eq!(walk(0.25), walk(0.2549));
        assert_ne!(walk(0.25), walk(0.2551));
        let turn = |deg: f64| normalised(&SkillCall::Turn { yaw_rad: deg.to_radians(), speed_rps: 0.2 });
        assert_eq!(turn(10.0), turn(10.24));
        assert_ne!(turn(10.0), turn(10.26));
        assert_ne!(turn(10.0), turn(-10.0));
    }
}
