//! Directions of a walk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Direction of a walk in the robot's base frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// +x.
    Forward,
    /// −x.
    Back,
    /// +y.
    Left,
    /// −y.
    Right,
}

impl Direction {
    /// Name as in policies and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Back => "back",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// The direction of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Forward, Self::Back, Self::Left, Self::Right].into_iter().find(|d| d.name() == name)
    }

    /// The direction that lies nearest to a vector in the base frame; forward for the zero vector.
    #[must_use]
    pub fn nearest(x: f64, y: f64) -> Self {
        match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
            (true, true, _) => Self::Forward,
            (true, false, _) => Self::Back,
            (false, _, true) => Self::Left,
            (false, _, false) => Self::Right,
        }
    }

    /// This direction turned counter-clockwise by an angle, to the nearest quarter turn.
    #[must_use]
    pub fn turned(self, angle_rad: f64) -> Self {
        let order = [Self::Forward, Self::Left, Self::Back, Self::Right];
        let quarters = (angle_rad / std::f64::consts::FRAC_PI_2).round().rem_euclid(4.0) as usize;
        let own = order.iter().position(|d| *d == self).unwrap_or_default();
        order.get((own + quarters) % 4).copied().unwrap_or(self)
    }

    /// Unit vector in the base frame.
    #[must_use]
    pub fn unit(self) -> [f64; 2] {
        match self {
            Self::Forward => [1.0, 0.0],
            Self::Back => [-1.0, 0.0],
            Self::Left => [0.0, 1.0],
            Self::Right => [0.0, -1.0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Direction::{self, Back, Forward, Left, Right};
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn quarter_turns_and_the_nearest_direction() {
        for direction in [Forward, Back, Left, Right] {
            let [x, y] = direction.unit();
            assert_eq!(Direction::nearest(3.0 * x + 0.1, 3.0 * y - 0.1), direction);
            assert_eq!(direction.turned(FRAC_PI_2 + 0.1), Direction::nearest(-y, x));
            assert_eq!(direction.turned(-PI), direction.turned(PI));
            assert_eq!(direction.turned(-FRAC_PI_2).turned(FRAC_PI_2), direction);
        }
        assert_eq!((Forward.turned(PI), Left.turned(PI), Left.turned(0.0)), (Back, Right, Left));
    }
}
