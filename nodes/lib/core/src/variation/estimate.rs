//! Errors of estimated state, and the filter that lowers them (CE-154).

use crate::TICK_S;
use crate::config::{ConfigError, in_range};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// When a body is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dropout {
    /// Chance that a dropout of a body begins at a tick.
    pub probability: f64,
    /// Ticks that it lasts.
    pub burst_ticks: u32,
}

/// Shares of the difference between measurement and prediction that a constant-velocity filter takes over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterGains {
    /// Of positions and angles; 1 takes measurements as they are.
    pub pose: f64,
    /// Of velocities and turn rates; 1 takes measurements as they are.
    pub velocity: f64,
}

/// How state is measured each tick: independent normal errors, dropouts, a filter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Of each coordinate of a robot's base, m.
    pub position_sd_m: f64,
    /// Of the heading of robots and payload, rad.
    pub yaw_sd_rad: f64,
    /// Of each coordinate of the payload's centre, m.
    pub payload_position_sd_m: f64,
    /// Of the payload's tilt about each horizontal axis, rad.
    pub payload_tilt_sd_rad: f64,
    /// Of each component of a velocity, m/s.
    pub velocity_sd_mps: f64,
    /// Of turn rates about the vertical, rad/s.
    pub yaw_rate_sd_radps: f64,
    /// Dropouts of each body on its own.
    pub dropout: Dropout,
    /// The filter.
    pub filter: FilterGains,
}

/// Standard deviations of filtered state once the filter has settled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimateStd {
    /// Coordinate of a robot, m.
    pub position_m: f64,
    /// Coordinate of the payload, m.
    pub payload_position_m: f64,
    /// Heading, rad.
    pub yaw_rad: f64,
    /// Payload tilt about one axis, rad.
    pub payload_tilt_rad: f64,
    /// Component of a velocity, m/s.
    pub velocity_mps: f64,
}

impl Estimate {
    pub(super) fn check(&self, file: &Path) -> Result<(), ConfigError> {
        for (key, value, low, high) in [
            ("position_sd_m", self.position_sd_m, 0.0, 0.5),
            ("yaw_sd_rad", self.yaw_sd_rad, 0.0, 0.5),
            ("payload_position_sd_m", self.payload_position_sd_m, 0.0, 0.5),
            ("payload_tilt_sd_rad", self.payload_tilt_sd_rad, 0.0, 0.5),
            ("velocity_sd_mps", self.velocity_sd_mps, 0.0, 2.0),
            ("yaw_rate_sd_radps", self.yaw_rate_sd_radps, 0.0, 5.0),
            ("dropout.probability", self.dropout.probability, 0.0, 0.5),
            ("dropout.burst_ticks", f64::from(self.dropout.burst_ticks), 1.0, 50.0),
            ("filter.pose", self.filter.pose, 0.01, 1.0),
            ("filter.velocity", self.filter.velocity, 0.01, 1.0),
        ] {
            in_range(file, &format!("estimate.{key}"), value, low, high)?;
        }
        Ok(())
    }

    /// What the filter leaves of the errors while every tick is measured.
    #[must_use]
    pub fn std(&self) -> EstimateStd {
        let left = |gain: f64| (gain / (2.0 - gain)).sqrt();
        let (pose, velocity) = (self.filter.pose, self.filter.velocity);
        let with_rate = |sd: f64, rate_sd: f64| {
            let mut spread = Spread::new(sd, rate_sd);
            // Long enough for the smallest allowed gain.
            for _ in 0..1000 {
                spread.measured(self.filter, sd, rate_sd);
            }
            spread.value()
        };
        EstimateStd {
            position_m: with_rate(self.position_sd_m, self.velocity_sd_mps),
            payload_position_m: with_rate(self.payload_position_sd_m, self.velocity_sd_mps),
            yaw_rad: with_rate(self.yaw_sd_rad, self.yaw_rate_sd_radps),
            payload_tilt_rad: self.payload_tilt_sd_rad * left(pose),
            velocity_mps: self.velocity_sd_mps * left(velocity),
        }
    }
}

/// Covariance of the errors of a value and its rate under the filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    value: f64,
    cross: f64,
    rate: f64,
}

impl Spread {
    /// Of a first measurement with these standard deviations.
    #[must_use]
    pub fn new(sd: f64, rate_sd: f64) -> Self {
        Self { value: sd * sd, cross: 0.0, rate: rate_sd * rate_sd }
    }

    /// One tick without a measurement.
    pub fn predicted(&mut self) {
        self.value += TICK_S * (2.0 * self.cross + TICK_S * self.rate);
        self.cross += TICK_S * self.rate;
    }

    /// One tick with a measurement.
    pub fn measured(&mut self, gains: FilterGains, sd: f64, rate_sd: f64) {
        self.predicted();
        let (kept, kept_rate) = (1.0 - gains.pose, 1.0 - gains.velocity);
        self.value = kept * kept * self.value + (gains.pose * sd).powi(2);
        self.cross *= kept * kept_rate;
        self.rate = kept_rate * kept_rate * self.rate + (gains.velocity * rate_sd).powi(2);
    }

    /// Standard deviation of the value.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value.max(0.0).sqrt()
    }
}
