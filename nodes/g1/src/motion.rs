//! Reference trajectories of the walking skills: where the base should be at a time, in the plane.

use troupe_core::frames::Planar;
use troupe_core::skill::SkillCall;

/// A straight, turning or circular motion with a ramped speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    call: SkillCall,
    profile: Profile,
}

/// Reference at one time, in the base frame at the motion's start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Where the base should be.
    pub pose: Planar,
    /// How fast it should move there: m/s, m/s, rad/s in the frame of `pose`.
    pub velocity: [f64; 3],
}

impl Motion {
    /// The motion of a walking skill; `None` for the others. `ramp_s` and `retreat_speed_mps` come from the
    /// settings, the rest from the call.
    #[must_use]
    pub fn of(call: &SkillCall, ramp_s: f64, retreat_speed_mps: f64) -> Option<Self> {
        let at_full_speed_s = match *call {
            SkillCall::Walk { distance_m, speed_mps, .. } => distance_m / speed_mps,
            SkillCall::Turn { yaw_rad, speed_rps } => yaw_rad.abs() / speed_rps,
            SkillCall::Arc { distance_m, speed_mps, .. } | SkillCall::ArcAside { distance_m, speed_mps, .. } => {
                distance_m.abs() / speed_mps
            }
            SkillCall::Retreat { distance_m } => distance_m / retreat_speed_mps,
            _ => return None,
        };
        Some(Self { call: *call, profile: Profile { at_full_speed_s, ramp_s } })
    }

    /// s from start to rest. Depends only on distance / speed, so a turn and an arc of equal quotients end together.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.profile.duration_s()
    }

    /// The reference `time_s` after the start.
    #[must_use]
    pub fn at(&self, time_s: f64) -> Sample {
        let (share, rate) = self.profile.at(time_s);
        let part = |whole: f64| whole * share;
        let (pose, velocity) = match self.call {
            SkillCall::Arc { distance_m, yaw_rad, speed_mps } => {
                let so_far = SkillCall::Arc { distance_m: part(distance_m), yaw_rad: part(yaw_rad), speed_mps };
                (so_far.intended(), [distance_m * rate, 0.0, yaw_rad * rate])
            }
            SkillCall::ArcAside { distance_m, direction, yaw_rad, speed_mps } => {
                let (distance_so_far, yaw_so_far) = (part(distance_m), part(yaw_rad));
                let so_far =
                    SkillCall::ArcAside { distance_m: distance_so_far, direction, yaw_rad: yaw_so_far, speed_mps };
                let [ux, uy] = direction.unit();
                (so_far.intended(), [ux * distance_m * rate, uy * distance_m * rate, yaw_rad * rate])
            }
            _ => {
                let end = self.call.intended();
                let pose = Planar { x: part(end.x), y: part(end.y), yaw: part(end.yaw) };
                (pose, [end.x * rate, end.y * rate, end.yaw * rate])
            }
        };
        Sample { pose, velocity }
    }

    /// Where the motion ends, in the base frame at its start.
    #[must_use]
    pub fn end(&self) -> Planar {
        self.call.intended()
    }
}

/// Speed that ramps up, stays and ramps down; short motions never reach full speed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Profile {
    at_full_speed_s: f64,
    ramp_s: f64,
}

impl Profile {
    /// s of one ramp as far as it is used.
    fn ramp_used_s(&self) -> f64 {
        self.ramp_s.min((self.at_full_speed_s * self.ramp_s).sqrt())
    }

    fn duration_s(&self) -> f64 {
        let ramp = self.ramp_used_s();
        let cruise = if ramp < self.ramp_s { 0.0 } else { self.at_full_speed_s - ramp };
        2.0 * ramp + cruise
    }

    /// Share of the whole done at `time_s`, and its rate in 1/s.
    fn at(&self, time_s: f64) -> (f64, f64) {
        let (whole, duration, ramp) = (self.at_full_speed_s, self.duration_s(), self.ramp_used_s());
        if whole <= 0.0 || time_s >= duration {
            return (1.0, 0.0);
        }
        let time_s = time_s.max(0.0);
        let left = duration - time_s;
        let (done, speed) = if time_s < ramp {
            (0.5 * time_s * time_s / self.ramp_s, time_s / self.ramp_s)
        } else if left < ramp {
            (whole - 0.5 * left * left / self.ramp_s, left / self.ramp_s)
        } else {
            let before = if ramp > 0.0 { 0.5 * ramp * ramp / self.ramp_s } else { 0.0 };
            let peak = if self.ramp_s > 0.0 { ramp / self.ramp_s } else { 1.0 };
            (before + peak * (time_s - ramp), peak)
        };
        (done / whole, speed / whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use troupe_core::skill::Direction;

    #[test]
    fn without_a_ramp_the_speed_is_constant() {
        let walk = SkillCall::Walk { distance_m: 0.25, direction: Direction::Back, speed_mps: 0.25 };
        let motion = Motion::of(&walk, 0.0, 0.2).unwrap();
        assert!((motion.duration_s() - 1.0).abs() < 1e-12);
        let half = motion.at(0.5);
        assert!((half.pose.x + 0.125).abs() < 1e-12 && (half.velocity[0] + 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_turn_and_an_arc_of_equal_quotients_end_together() {
        let turn = Motion::of(&SkillCall::Turn { yaw_rad: -0.3, speed_rps: 0.25 }, 1.5, 0.2).unwrap();
        let arc = SkillCall::Arc { distance_m: 0.24, yaw_rad: -0.3, speed_mps: 0.2 };
        let arc = Motion::of(&arc, 1.5, 0.2).unwrap();
        assert!((turn.duration_s() - arc.duration_s()).abs() < 1e-12);
    }

    #[test]
    fn only_walking_skills_move() {
        for call in [SkillCall::Stop, SkillCall::Hold { duration_s: 1.0 }, SkillCall::InitSupport] {
            assert_eq!(Motion::of(&call, 1.5, 0.2), None);
        }
        let retreat = Motion::of(&SkillCall::Retreat { distance_m: 0.4 }, 1.5, 0.2).unwrap();
        assert!((retreat.at(99.0).pose.x + 0.4).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn velocity_is_the_derivative_and_never_above_the_asked_speed(
            distance in 0.02f64..0.5, yaw in -0.35f64..0.35, speed in 0.2f64..0.5, ramp in 0.0f64..2.0, share in 0.0f64..1.0,
        ) {
            let call = SkillCall::Arc { distance_m: distance, yaw_rad: yaw, speed_mps: speed };
            let aside = SkillCall::ArcAside { distance_m: distance, direction: Direction::Left, yaw_rad: yaw, speed_mps: speed };
            let motion = Motion::of(&call, ramp, 0.2).unwrap();
            // Sideways it is the same motion turned by a quarter.
            let (a, b) = (motion.at(share), Motion::of(&aside, ramp, 0.2).unwrap().at(share));
            prop_assert!((a.pose.x - b.pose.y).abs() + (a.pose.y + b.pose.x).abs() < 1e-12 && a.velocity[0] == b.velocity[1]);
            let t = share * motion.duration_s();
            let (now, next) = (motion.at(t), motion.at(t + 1e-6));
            prop_assert!(now.velocity[0] <= speed + 1e-9);
            let moved = now.pose.inverse_of(next.pose);
            if ramp > 0.01 {
                prop_assert!((moved.x / 1e-6 - now.velocity[0]).abs() < 1e-3);
                prop_assert!((moved.yaw / 1e-6 - now.velocity[2]).abs() < 1e-3);
            }
            let end = motion.at(motion.duration_s() + 0.02);
            prop_assert!(end.pose.distance(&motion.end()) < 1e-9 && end.velocity == [0.0; 3]);
        }
    }
}
