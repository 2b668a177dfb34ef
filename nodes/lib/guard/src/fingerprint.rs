//! Identity of what would be executed at a checkpoint (CE-030).

use crate::normal::normalised;
use serde::Serialize;
use troupe_core::identity::{IdentityError, identity};
use troupe_core::skill::SkillCall;

#[derive(Serialize)]
struct Executed<'a> {
    checkpoint_id: &'a str,
    /// Robot and normalised policy, in team order.
    policies: Vec<(&'a str, String)>,
}

/// 64 hex digits of checkpoint, robots and normalised calls in team order.
///
/// # Errors
/// When the record cannot be written as JSON.
pub fn fingerprint(checkpoint_id: &str, robots: &[String], calls: &[SkillCall]) -> Result<String, IdentityError> {
    let policies = robots.iter().map(String::as_str).zip(calls.iter().map(normalised)).collect();
    identity(&Executed { checkpoint_id, policies })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoint_robot_and_call_count() {
        let robots = ["a".to_owned(), "b".to_owned()];
        let hold = |duration_s| SkillCall::Hold { duration_s };
        let base = fingerprint("c0", &robots, &[hold(1.0), hold(2.0)]).unwrap();
        assert_eq!(base, fingerprint("c0", &robots, &[hold(1.001), hold(2.0)]).unwrap());
        assert_ne!(base, fingerprint("c1", &robots, &[hold(1.0), hold(2.0)]).unwrap());
        assert_ne!(base, fingerprint("c0", &robots, &[hold(2.0), hold(1.0)]).unwrap());
    }
}
