//! A corridor's centre line, its boundaries and its walls.

use crate::frames::Planar;
use serde::Deserialize;
use std::f64::consts::FRAC_PI_2;

/// A right-angled turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// Counter-clockwise.
    Left,
    /// Clockwise.
    Right,
}

impl Turn {
    /// 1 to the left, −1 to the right.
    #[must_use]
    pub fn sign(self) -> f64 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }
}

/// A side of the corridor, seen along the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Positive y.
    Left,
    /// Negative y.
    Right,
}

impl Side {
    fn sign(self) -> f64 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }
}

/// A narrow part of a straight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Narrowing {
    /// Where its full narrowness begins and ends, along the straight, m.
    pub along_m: [f64; 2],
    /// Between inner faces, m.
    pub width_m: f64,
    /// Length of the slope before and after it, m.
    pub taper_m: f64,
}

/// A straight from one crossing of centre lines to the next; the first begins at the payload's start and
/// the last ends at the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Straight {
    /// m.
    pub length_m: f64,
    /// Between inner faces, m.
    pub width_m: f64,
    /// A narrow part.
    pub narrowing: Option<Narrowing>,
}

/// Straights with a turn between each two.
#[derive(Clone, Debug, PartialEq)]
pub struct Corridor {
    /// Payload's centre and the team's heading at the start, world frame.
    pub start: Planar,
    /// In order; at least one.
    pub straights: Vec<Straight>,
    /// One fewer than straights.
    pub turns: Vec<Turn>,
    /// Walls behind the start, m.
    pub behind_m: f64,
    /// Walls beyond the target, m.
    pub beyond_m: f64,
}

impl Corridor {
    /// Frame of each straight: origin at its start, x along it.
    #[must_use]
    pub fn frames(&self) -> Vec<Planar> {
        let mut at = self.start;
        let mut frames = vec![at];
        for (straight, turn) in self.straights.iter().zip(&self.turns) {
            at = at.compose(Planar { x: straight.length_m, y: 0.0, yaw: turn.sign() * FRAC_PI_2 });
            frames.push(at);
        }
        frames
    }

    /// Inner face of one side of a straight, world frame, m; `outward_m` moves it outward.
    #[must_use]
    pub fn boundary(&self, index: usize, side: Side, outward_m: f64) -> Vec<[f64; 2]> {
        let (Some(frame), Some(straight)) = (self.frames().get(index).copied(), self.straights.get(index)) else {
            return Vec::new();
        };
        let half = |width_m: f64| 0.5 * width_m + outward_m;
        let before = index.checked_sub(1).and_then(|i| Some((self.turns.get(i)?.sign(), half(self.straights.get(i)?.width_m))));
        let after = self.turns.get(index).zip(self.straights.get(index + 1)).map(|(t, s)| (t.sign(), half(s.width_m)));
        // A corner's inner face ends before the crossing, its outer face behind it.
        let from = before.map_or(-self.behind_m, |(turn, half)| turn * side.sign() * half);
        let to = after.map_or(straight.length_m + self.beyond_m, |(turn, half)| straight.length_m - turn * side.sign() * half);
        let wide = half(straight.width_m);
        let mut points = vec![[from, wide]];
        if let Some(n) = &straight.narrowing {
            let [a, b] = n.along_m;
            points.extend([[a - n.taper_m, wide], [a, half(n.width_m)], [b, half(n.width_m)], [b + n.taper_m, wide]]);
        }
        points.push([to, wide]);
        points.into_iter().map(|[x, y]| placed(frame, x, side.sign() * y)).collect()
    }

    /// Middle lines of all walls, world frame, m; their inner faces are the boundaries.
    #[must_use]
    pub fn walls(&self, thickness_m: f64) -> Vec<[[f64; 2]; 2]> {
        let mut walls: Vec<[[f64; 2]; 2]> = Vec::new();
        for side in [Side::Left, Side::Right] {
            for index in 0..self.straights.len() {
                let line = self.boundary(index, side, 0.5 * thickness_m);
                walls.extend(line.windows(2).filter_map(|pair| if let [a, b] = pair { Some([*a, *b]) } else { None }));
            }
        }
        walls
    }

    /// Where the payload shall lie, with the team's heading on arrival, world frame.
    #[must_use]
    pub fn target(&self) -> Planar {
        let last = self.frames().last().copied().unwrap_or(self.start);
        let length_m = self.straights.last().map_or(0.0, |s| s.length_m);
        last.compose(Planar { x: length_m, y: 0.0, yaw: 0.0 })
    }
}

/// A point of a frame in the world, to the micrometre.
pub(super) fn placed(frame: Planar, x: f64, y: f64) -> [f64; 2] {
    let point = frame.compose(Planar { x, y, yaw: 0.0 });
    [crate::identity::round6(point.x), crate::identity::round6(point.y)]
}
