//! Refusals by code, and what must hold for any text.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use troupe_core::skill::Direction;

fn bounds() -> SkillBounds {
    SkillBounds {
        distance_m: [0.02, 0.5],
        yaw_rad: [0.008_7, 0.349_1],
        speed_mps: [0.2, 0.5],
        speed_rps: [0.1, 0.5],
        duration_s: [0.2, 3.0],
    }
}

fn codes(source: &str) -> Vec<String> {
    match check(source, &bounds()) {
        Ok(_) => vec![],
        Err(findings) => {
            assert!(!findings.is_empty(), "a refusal without a reason: {source:?}");
            findings.into_iter().map(|f| f.code).collect()
        }
    }
}

const VALID: [&str; 9] = [
    "walk(distance_m=0.25, direction=\"forward\", speed_mps=0.25)\nstop()",
    "walk(0.25, 'left', 0.25)\nstop()",
    "walk(0.25, speed_mps=0.25, direction='back'); stop()",
    "turn(yaw_rad=-0.25, speed_rps=0.25)\nstop()\n",
    "arc(distance_m=-0.21, yaw_rad=0.26, speed_mps=0.25)\nstop()",
    "hold(1)\nstop()",
    "lower_to_target()\nstop()",
    "release()\nstop()",
    "retreat(distance_m=.4)\nstop()",
];

#[test]
fn valid_policies_pass() {
    for source in VALID {
        assert!(codes(source).is_empty(), "{source}: {:?}", check(source, &bounds()));
    }
    let call = check(VALID[1], &bounds()).unwrap().call;
    assert_eq!(call, SkillCall::Walk { distance_m: 0.25, direction: Direction::Left, speed_mps: 0.25 });
}

/// CE-060, CE-061, CE-062.
#[test]
fn every_refusal_has_its_code() {
    let cases = [
        ("", "E_ACTION_COUNT"),
        ("# nothing", "E_NO_STOP"),
        ("walk(0.25, 'left'", "E_SYNTAX"),
        ("walk 0.25 then stop", "E_SYNTAX"),
        ("stop()", "E_ACTION_COUNT"),
        ("stop()\nstop()", "E_ACTION_COUNT"),
        ("hold(1)\nhold(1)\nstop()", "E_ACTION_COUNT"),
        ("stop()\nhold(1)", "E_NO_STOP"),
        ("hold(1)", "E_NO_STOP"),
        ("hold(1)\nstop(1)", "E_SCHEMA"),
        ("fly(1)\nstop()", "E_METHOD"),
        ("accept()\nstop()", "E_METHOD"),
        ("verifier.accept()\nstop()", "E_FORBIDDEN"),
        ("hold(1)\nrobot.stop()", "E_FORBIDDEN"),
        ("hold(1 + 1)\nstop()", "E_FORBIDDEN"),
        ("hold(--1)\nstop()", "E_FORBIDDEN"),
        ("hold(+1)\nstop()", "E_FORBIDDEN"),
        ("hold(True)\nstop()", "E_FORBIDDEN"),
        ("hold(*[1])\nstop()", "E_FORBIDDEN"),
        ("hold(**{'duration_s': 1})\nstop()", "E_FORBIDDEN"),
        ("hold(max(1, 2))\nstop()", "E_FORBIDDEN"),
        ("x = 1\nhold(1)\nstop()", "E_FORBIDDEN"),
        ("def f():\n  pass\nhold(1)\nstop()", "E_FORBIDDEN"),
        ("load('a', 'b')\nhold(1)\nstop()", "E_FORBIDDEN"),
        ("for i in [1]:\n  hold(1)\nstop()", "E_FORBIDDEN"),
        ("if True:\n  hold(1)\nstop()", "E_FORBIDDEN"),
        ("'''doc'''\nhold(1)\nstop()", "E_FORBIDDEN"),
        ("'doc'\nhold(1)\nstop()", "E_FORBIDDEN"),
        ("[hold(1) for i in x]\nstop()", "E_FORBIDDEN"),
        ("hold(1) if x else hold(2)\nstop()", "E_FORBIDDEN"),
        ("hold(f'{x}')\nstop()", "E_FORBIDDEN"),
        ("hold(lambda: 1)\nstop()", "E_FORBIDDEN"),
        ("hold(4)\nstop()", "E_BOUNDS"),
        ("hold(0)\nstop()", "E_BOUNDS"),
        ("walk(0.25, 'left', -0.25)\nstop()", "E_BOUNDS"),
        ("hold(99999999999999999999999999)\nstop()", "E_BOUNDS"),
        ("hold(1e999)\nstop()", "E_NUMERIC"),
        ("hold(nan)\nstop()", "E_NUMERIC"),
        ("hold(-inf)\nstop()", "E_FORBIDDEN"),
        ("hold(float('nan'))\nstop()", "E_FORBIDDEN"),
        ("hold('1')\nstop()", "E_SCHEMA"),
        ("hold()\nstop()", "E_SCHEMA"),
        ("hold(1, 2)\nstop()", "E_SCHEMA"),
        ("hold(time_s=1)\nstop()", "E_SCHEMA"),
        ("walk(0.25, 'up', 0.25)\nstop()", "E_SCHEMA"),
        ("walk(0.25, 1, 0.25)\nstop()", "E_SCHEMA"),
        ("release(1)\nstop()", "E_SCHEMA"),
    ];
    for (source, code) in cases {
        let got = codes(source);
        assert!(got.iter().any(|c| c == code), "{source:?}: wanted {code}, got {got:?}");
    }
}

/// Whatever passes is one allowed action and then one explicit stop.
#[test]
fn ce_025_a_policy_is_one_action_and_one_stop() {
    for source in VALID {
        let statements: Vec<&str> = source.split(['\n', ';']).map(str::trim).filter(|l| !l.is_empty()).collect();
        assert_eq!((statements.len(), statements[1]), (2, "stop()"), "{source}");
        assert_ne!(check(source, &bounds()).unwrap().call, SkillCall::Stop);
        let [action, stop] = [statements[0], statements[1]];
        for (other, code) in [
            (action.to_owned(), "E_NO_STOP"),
            (stop.to_owned(), "E_ACTION_COUNT"),
            (format!("{stop}\n{action}"), "E_NO_STOP"),
            (format!("{action}\n{action}\n{stop}"), "E_ACTION_COUNT"),
        ] {
            assert!(codes(&other).iter().any(|c| c == code), "{other}: {:?}", codes(&other));
        }
    }
}

#[test]
fn repeated_argument_is_refused() {
    let got = codes("hold(1, duration_s=1)\nstop()");
    assert!(got == ["E_SCHEMA"] || got == ["E_SYNTAX"], "{got:?}");
}

#[test]
fn messages_name_field_value_and_allowed() {
    let message = |source| check(source, &bounds()).unwrap_err().remove(0).message;
    let text = message("walk(0.6, 'left', 0.25)\nstop()");
    assert!(text.contains("distance_m") && text.contains("0.6") && text.contains("0.02 to 0.5"), "{text}");
    assert!(message("fly()\nstop()").contains("walk"));
    assert!(message("hold(time_s=1)\nstop()").contains("duration_s"));
}

/// Text that would exhaust the parser's stack never reaches it.
#[test]
fn depth_and_length_are_refused_first() {
    for unit in ["(", "[", "{", "-", "not ", "lambda: ", "x.", "x[", "1+", "if x:\n ", "f(", "~", "x if x else ", "'#'("] {
        for n in [40, 10_000, 1_000_000] {
            let text = unit.repeat(n);
            assert!(!codes(&text).is_empty());
            assert!(!codes(&format!("hold({text}1)\nstop()")).is_empty());
        }
    }
}

/// White space and comments that change nothing.
fn dressed(source: &str, seed: &[u8]) -> String {
    let mut out = String::new();
    let mut choice = seed.iter().cycle().copied();
    let mut next = |n: u8| choice.next().map_or(0, |b| b % n);
    let lines: Vec<&str> = source.lines().collect();
    for line in lines {
        for _ in 0..next(3) {
            out.push_str(["# (((( \"quoted' \\ é\n", "\n", "   \n"][usize::from(next(3))]);
        }
        for c in line.chars() {
            if matches!(c, '(' | ')' | ',' | '=') && next(2) == 0 {
                out.push(' ');
            }
            out.push(c);
            if matches!(c, '(' | ',' | '=') && next(2) == 0 {
                out.push_str(["  ", "\t", "\n  ", " # why\n"][usize::from(next(4))]);
            }
        }
        out.push_str(["\n", "  # note\n", "\r\n"][usize::from(next(3))]);
    }
    out
}

fn mutate(source: &str, edits: &[(u16, u8, u8)]) -> String {
    const WORDS: [&str; 24] = [
        "(", ")", "stop()", "\n", "walk", ".", "=", ",", "-", "nan", "1e999", "\"", "'", "#", "verifier", "lambda x: x", "[", "]",
        "import os", "\\", "\u{0}", "é", "  ", "distance_m",
    ];
    let mut text: Vec<char> = source.chars().collect();
    for (at, kind, pick) in edits {
        let at = usize::from(*at) % (text.len() + 1);
        let word = WORDS[usize::from(*pick) % WORDS.len()];
        match kind % 4 {
            0 if at < text.len() => drop(text.remove(at)),
            1 => drop(text.splice(at..at, word.chars())),
            2 if at < text.len() => text[at] = char::from(*pick),
            _ => text.truncate(at.max(1)),
        }
    }
    text.into_iter().collect()
}

fn typed(findings: &[Finding]) -> bool {
    let known: BTreeSet<&str> = Code::ALL.iter().map(|c| c.text()).collect();
    !findings.is_empty() && findings.iter().all(|f| known.contains(f.code.as_str()) && !f.message.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn mutated_texts_are_refused_with_a_type_or_are_valid(
        base in 0..VALID.len(),
        edits in prop::collection::vec(any::<(u16, u8, u8)>(), 1..6),
    ) {
        let text = mutate(VALID[base], &edits);
        match check(&text, &bounds()) {
            Ok(parsed) => prop_assert_eq!(bounds().check(&parsed.call), Ok(())),
            Err(findings) => prop_assert!(typed(&findings), "{:?}", findings),
        }
    }

    #[test]
    fn any_text_is_refused_with_a_type(text in "\\PC{0,300}") {
        if let Err(findings) = check(&text, &bounds()) {
            prop_assert!(typed(&findings));
        }
    }

    #[test]
    fn any_bytes_of_code_are_refused_with_a_type(text in "[a-z(){}\\[\\]:.,='\"#\\-+*0-9 \\n]{0,256}") {
        if let Err(findings) = check(&text, &bounds()) {
            prop_assert!(typed(&findings));
        }
    }

    /// CE-030.
    #[test]
    fn white_space_and_comments_change_nothing(base in 0..VALID.len(), seed in prop::collection::vec(any::<u8>(), 1..40)) {
        let plain = check(VALID[base], &bounds()).unwrap();
        let text = dressed(VALID[base], &seed);
        match check(&text, &bounds()) {
            Ok(parsed) => {
                prop_assert_eq!(&parsed, &plain);
                let robots = ["a".to_owned()];
                prop_assert_eq!(fingerprint("c", &robots, &[parsed.call]).unwrap(), fingerprint("c", &robots, &[plain.call]).unwrap());
            }
            Err(findings) => prop_assert!(false, "{:?}: {:?}", text, findings),
        }
    }
}
