//! Estimated state: measurements with errors and dropouts, filtered with a constant-velocity model (CE-154).
//!
//! Stands where motion capture or an on-board estimator stands with real robots. A body that is not seen
//! repeats its last entry, whose standard deviation grows. Torso tilt, mode and controller epoch come from
//! the robot itself, contacts from touch; they are not disturbed. A robot's tilt and the payload's tilt are
//! followed without lag, as a gyroscope allows.

use super::estimate::{Estimate, FilterGains, Spread};
use crate::TICK_S;
use crate::frames::{Pose, Twist, lowest_point, rotation, wrap};
use crate::noise::{Noise, Stream};
use crate::state::TeamState;
use nalgebra::{UnitQuaternion, Vector3};

/// Errors of one body at one tick; always drawn whole, so that no value shifts the ones after it.
struct Errors {
    position_m: [f64; 3],
    yaw_rad: f64,
    velocity_mps: [f64; 3],
    yaw_rate_radps: f64,
    tilt_rad: [f64; 2],
    /// Uniform; below the probability a dropout begins.
    dropout: f64,
}

/// Standard deviations of one kind of body.
#[derive(Clone, Copy, Debug)]
struct Sds {
    position_m: f64,
    yaw_rad: f64,
    velocity_mps: f64,
    yaw_rate_radps: f64,
    tilt_rad: f64,
}

impl Sds {
    fn of_robot(e: &Estimate) -> Self {
        Self {
            position_m: e.position_sd_m,
            yaw_rad: e.yaw_sd_rad,
            velocity_mps: e.velocity_sd_mps,
            yaw_rate_radps: e.yaw_rate_sd_radps,
            tilt_rad: 0.0,
        }
    }

    fn of_payload(e: &Estimate) -> Self {
        Self { position_m: e.payload_position_sd_m, tilt_rad: e.payload_tilt_sd_rad, ..Self::of_robot(e) }
    }

    fn draw(&self, noise: &mut Noise) -> Errors {
        let mut three = |sd: f64| [noise.normal(sd), noise.normal(sd), noise.normal(sd)];
        let (position_m, velocity_mps) = (three(self.position_m), three(self.velocity_mps));
        Errors {
            position_m,
            velocity_mps,
            yaw_rad: noise.normal(self.yaw_rad),
            yaw_rate_radps: noise.normal(self.yaw_rate_radps),
            tilt_rad: [noise.normal(self.tilt_rad), noise.normal(self.tilt_rad)],
            dropout: noise.unit(),
        }
    }
}

/// A value and its rate.
#[derive(Clone, Copy, Debug)]
struct Track {
    value: f64,
    rate: f64,
}

impl Track {
    fn predict(&mut self) {
        self.value += TICK_S * self.rate;
    }

    fn correct(&mut self, gains: FilterGains, value: f64, rate: f64) {
        self.value += gains.pose * (value - self.value);
        self.rate += gains.velocity * (rate - self.rate);
    }

    /// The same for an angle.
    fn correct_angle(&mut self, gains: FilterGains, angle_rad: f64, rate: f64) {
        self.correct(gains, self.value + wrap(angle_rad - self.value), rate);
        self.value = wrap(self.value);
    }
}

/// What is published of a body.
#[derive(Clone, Copy, Debug)]
struct Shown {
    pose: Pose,
    twist: Twist,
    torso_tilt_rad: f64,
}

/// One body under estimation.
#[derive(Clone, Debug)]
struct Body {
    sds: Sds,
    place: [Track; 3],
    yaw: Track,
    tilt_error_rad: [f64; 2],
    spread: Spread,
    /// Ticks that it will not be seen.
    unseen: u32,
    /// Ticks since it was last seen.
    age: u32,
    shown: Shown,
}

/// Ground truth of a body.
struct Truth {
    pose: Pose,
    twist: Twist,
    torso_tilt_rad: f64,
}

impl Body {
    fn first(sds: Sds, truth: &Truth, noise: &mut Noise) -> Self {
        let errors = sds.draw(noise);
        let mut place = [Track { value: 0.0, rate: 0.0 }; 3];
        let values = truth.pose.position.iter().zip(errors.position_m);
        let rates = truth.twist.linear.iter().zip(errors.velocity_mps);
        for (track, ((value, error), (rate, rate_error))) in place.iter_mut().zip(values.zip(rates)) {
            *track = Track { value: value + error, rate: rate + rate_error };
        }
        let yaw = Track {
            value: wrap(truth.pose.yaw() + errors.yaw_rad),
            rate: truth.twist.angular[2] + errors.yaw_rate_radps,
        };
        let spread = Spread::new(sds.position_m, sds.velocity_mps);
        let shown = Shown { pose: truth.pose, twist: truth.twist, torso_tilt_rad: truth.torso_tilt_rad };
        let mut body = Self { sds, place, yaw, tilt_error_rad: errors.tilt_rad, spread, unseen: 0, age: 0, shown };
        body.show(truth);
        body
    }

    fn observe(&mut self, config: &Estimate, truth: &Truth, noise: &mut Noise) {
        let (gains, errors) = (config.filter, self.sds.draw(noise));
        if self.unseen == 0 && errors.dropout < config.dropout.probability {
            self.unseen = config.dropout.burst_ticks;
        }
        self.place.iter_mut().chain([&mut self.yaw]).for_each(Track::predict);
        if self.unseen > 0 {
            self.unseen -= 1;
            self.age += 1;
            self.spread.predicted();
            return;
        }
        self.age = 0;
        self.spread.measured(gains, self.sds.position_m, self.sds.velocity_mps);
        let values = truth.pose.position.iter().zip(errors.position_m);
        let rates = truth.twist.linear.iter().zip(errors.velocity_mps);
        for (track, ((value, error), (rate, rate_error))) in self.place.iter_mut().zip(values.zip(rates)) {
            track.correct(gains, value + error, rate + rate_error);
        }
        let turn_rate = truth.twist.angular[2] + errors.yaw_rate_radps;
        self.yaw.correct_angle(gains, truth.pose.yaw() + errors.yaw_rad, turn_rate);
        for (left, error) in self.tilt_error_rad.iter_mut().zip(errors.tilt_rad) {
            *left += gains.pose * (error - *left);
        }
        self.show(truth);
    }

    /// Makes the present estimate what is published.
    fn show(&mut self, truth: &Truth) {
        let [x, y, z] = self.place;
        let [tilt_x, tilt_y] = self.tilt_error_rad;
        let error = Vector3::new(tilt_x, tilt_y, wrap(self.yaw.value - truth.pose.yaw()));
        let turned = UnitQuaternion::from_scaled_axis(error) * rotation(truth.pose.orientation);
        let [roll_rate, pitch_rate, _] = truth.twist.angular;
        self.shown = Shown {
            pose: Pose {
                position: [x.value, y.value, z.value],
                orientation: [turned.i, turned.j, turned.k, turned.w],
            },
            twist: Twist { linear: [x.rate, y.rate, z.rate], angular: [roll_rate, pitch_rate, self.yaw.rate] },
            torso_tilt_rad: truth.torso_tilt_rad,
        };
    }

    /// Standard deviation of a published coordinate, m: what the filter leaves, and the way that a body
    /// with the estimated speed went since it was last seen.
    fn std_m(&self) -> f64 {
        let [vx, vy, vz] = self.shown.twist.linear;
        let gone_m = (vx * vx + vy * vy + vz * vz).sqrt() * f64::from(self.age) * TICK_S;
        self.spread.value().hypot(gone_m)
    }
}

/// Estimates of all bodies. A clone goes on exactly as the original does, so that a stored one repeats.
#[derive(Clone, Debug)]
pub struct Estimator {
    config: Estimate,
    noise: Noise,
    robots: Vec<Body>,
    payloads: Vec<Body>,
}

fn robots(truth: &TeamState) -> impl Iterator<Item = Truth> {
    truth.robots.iter().map(|r| Truth { pose: r.base, twist: r.twist, torso_tilt_rad: r.torso_tilt_rad })
}

fn payloads(truth: &TeamState) -> impl Iterator<Item = Truth> {
    truth.payloads.iter().map(|p| Truth { pose: p.pose, twist: p.twist, torso_tilt_rad: 0.0 })
}

impl Estimator {
    /// The first estimate of an episode: one measurement of every body.
    #[must_use]
    pub fn new(config: Estimate, seed: u64, truth: &TeamState) -> Self {
        let noise = Noise::new(seed, Stream::Estimate);
        let mut estimator = Self { config, noise, robots: Vec::new(), payloads: Vec::new() };
        estimator.restart(truth);
        estimator
    }

    /// Forgets what was estimated: for bodies that were put elsewhere.
    pub fn restart(&mut self, truth: &TeamState) {
        let (noise, sds) = (&mut self.noise, Sds::of_robot(&self.config));
        self.robots = robots(truth).map(|t| Body::first(sds, &t, noise)).collect();
        self.restart_payloads(truth);
    }

    /// The same for payloads alone.
    pub fn restart_payloads(&mut self, truth: &TeamState) {
        let (noise, sds) = (&mut self.noise, Sds::of_payload(&self.config));
        self.payloads = payloads(truth).map(|t| Body::first(sds, &t, noise)).collect();
    }

    /// Takes in the truth of the next control tick.
    pub fn observe(&mut self, truth: &TeamState) {
        for (body, truth) in self.robots.iter_mut().zip(robots(truth)) {
            body.observe(&self.config, &truth, &mut self.noise);
        }
        for (body, truth) in self.payloads.iter_mut().zip(payloads(truth)) {
            body.observe(&self.config, &truth, &mut self.noise);
        }
    }

    /// Puts the estimates in the place of the truth.
    pub fn apply(&self, state: &mut TeamState) {
        for (robot, body) in state.robots.iter_mut().zip(&self.robots) {
            robot.base = body.shown.pose;
            robot.twist = body.shown.twist;
            robot.torso_tilt_rad = body.shown.torso_tilt_rad;
            robot.privileged = false;
            robot.pose_std_m = body.std_m();
        }
        for (payload, body) in state.payloads.iter_mut().zip(&self.payloads) {
            payload.pose = body.shown.pose;
            payload.twist = body.shown.twist;
            payload.tilt_rad = payload.pose.tilt();
            payload.z_min_m = lowest_point(&payload.pose, payload.half_extents_m);
        }
    }

    /// Everything that decides how it goes on, as bytes for a content identity.
    #[must_use]
    pub fn digest_bytes(&self) -> Vec<u8> {
        format!("{:?}{:?}{}", self.robots, self.payloads, self.noise.position()).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{Gate, RouteReference};
    use crate::state::{PayloadState, RobotMode, RobotState};
    use crate::variation::Dropout;

    fn config(probability: f64) -> Estimate {
        Estimate {
            position_sd_m: 0.02,
            yaw_sd_rad: 0.02,
            payload_position_sd_m: 0.01,
            payload_tilt_sd_rad: 0.02,
            velocity_sd_mps: 0.05,
            yaw_rate_sd_radps: 0.05,
            dropout: Dropout { probability, burst_ticks: 5 },
            filter: FilterGains { pose: 0.2, velocity: 0.2 },
        }
    }

    /// A robot that walks at 0.25 m/s and a payload at rest.
    fn truth(tick: u64) -> TeamState {
        let x = 0.25 * tick as f64 * TICK_S;
        TeamState {
            tick,
            stamp_s: tick as f64 * TICK_S,
            context_epoch: 0,
            robots: vec![RobotState {
                robot: "g1_0".into(),
                kind: "g1".into(),
                base: Pose::upright([x, 0.4, 0.78], 3.1),
                twist: Twist { linear: [0.25, 0.0, 0.0], angular: [0.0; 3] },
                torso_tilt_rad: 0.05,
                mode: RobotMode::Moving,
                controller_epoch: 2,
                privileged: true,
                pose_std_m: 0.0,
            }],
            payloads: vec![PayloadState {
                name: "payload".into(),
                pose: Pose::upright([0.1, 0.0, 0.9], 0.0),
                twist: Twist::default(),
                half_extents_m: [0.05, 0.65, 0.015],
                z_min_m: 0.885,
                tilt_rad: 0.0,
                mass_kg: 0.5,
                held: false,
            }],
            contacts: vec![],
            route: RouteReference {
                segment_id: "a".into(),
                direction: [1.0, 0.0],
                local_target: [1.0, 0.0],
                left_boundary: vec![],
                right_boundary: vec![],
                gate: Gate { position: [1.0, 0.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.2 },
            },
        }
    }

    fn published(estimator: &Estimator, tick: u64) -> TeamState {
        let mut state = truth(tick);
        estimator.apply(&mut state);
        state
    }

    /// CE-154.
    #[test]
    fn errors_are_as_small_as_the_filter_promises() {
        let mut estimator = Estimator::new(config(0.0), 3, &truth(0));
        let (mut sum, mut yaw_sum) = (0.0, 0.0);
        for tick in 1..=5000 {
            estimator.observe(&truth(tick));
            let (seen, true_base) = (published(&estimator, tick), truth(tick).robots[0].base);
            sum += (seen.robots[0].base.position[0] - true_base.position[0]).powi(2);
            yaw_sum += wrap(seen.robots[0].base.yaw() - true_base.yaw()).powi(2);
            assert!(seen.is_finite() && !seen.robots[0].privileged);
        }
        let promised = config(0.0).std();
        let (rms, yaw_rms) = ((sum / 5000.0_f64).sqrt(), (yaw_sum / 5000.0_f64).sqrt());
        assert!((rms / promised.position_m - 1.0).abs() < 0.1, "{rms} {promised:?}");
        assert!((yaw_rms / promised.yaw_rad - 1.0).abs() < 0.1, "{yaw_rms} {promised:?}");
        assert!((published(&estimator, 5000).robots[0].pose_std_m / promised.position_m - 1.0).abs() < 1e-6);
        assert!(published(&estimator, 5000).payloads[0].tilt_rad > 0.0);
    }

    #[test]
    fn a_dropout_repeats_the_last_entry_and_says_how_uncertain_it_is() {
        let mut estimator = Estimator::new(config(0.05), 1, &truth(0));
        let mut last = published(&estimator, 0);
        let mut repeated = 0;
        for tick in 1..=1000 {
            estimator.observe(&truth(tick));
            let now = published(&estimator, tick);
            if now.robots[0].base == last.robots[0].base {
                repeated += 1;
                assert!(now.robots[0].pose_std_m > last.robots[0].pose_std_m);
            }
            assert_eq!(now.robots[0].controller_epoch, 2);
            last = now;
        }
        // 0.05 a tick when seen, 5 ticks each: a share of 0.2.
        assert!((120..300).contains(&repeated), "{repeated}");
    }

    #[test]
    fn a_clone_goes_on_with_the_same_bits_and_a_seed_decides() {
        let mut first = Estimator::new(config(0.05), 7, &truth(0));
        (1..50).for_each(|tick| first.observe(&truth(tick)));
        let mut second = first.clone();
        for tick in 50..150 {
            first.observe(&truth(tick));
            second.observe(&truth(tick));
            assert_eq!(published(&first, tick), published(&second, tick));
        }
        assert_eq!(first.digest_bytes(), second.digest_bytes());
        let other = Estimator::new(config(0.05), 8, &truth(0));
        assert_ne!(published(&other, 0), published(&Estimator::new(config(0.05), 7, &truth(0)), 0));
    }
}
