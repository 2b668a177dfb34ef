//! Corridors drawn from a number (CE-008).

use super::body::Body;
use super::draws::Draws;
use super::lay::{Corridor, Narrowing, Straight, Turn};
use super::route::MilestoneConfig;
use crate::config::{ConfigError, in_range, load};
use crate::frames::Planar;
use serde::Deserialize;
use std::path::Path;

/// Lengths of straights, m; each a range.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LengthConfig {
    /// From the payload's start to the first crossing of centre lines.
    pub first_m: [f64; 2],
    /// Between two crossings.
    pub middle_m: [f64; 2],
    /// From the last crossing to the target.
    pub last_m: [f64; 2],
}

/// Narrow parts.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NarrowingConfig {
    /// Share of corridors that have one.
    pub share: f64,
    /// Between inner faces, m; never above the width of its straight.
    pub width_m: [f64; 2],
    /// Of the full narrowness, m.
    pub length_m: [f64; 2],
    /// Of each slope, m.
    pub taper_m: f64,
    /// From the slopes to the start, to a corner's walls or to the target, m.
    pub margin_m: f64,
}

/// Walls beyond the route's ends.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachConfig {
    /// Behind the payload's start, m.
    pub behind_m: f64,
    /// Beyond the target, m.
    pub beyond_m: f64,
}

/// Room that every corridor leaves.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClearanceConfig {
    /// Circle around a robot, m.
    pub robot_radius_m: f64,
    /// Between team or payload and the walls on a route travelled without error, m.
    pub least_m: f64,
}

/// `config/worlds/sampler.yaml`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplerConfig {
    /// World that gives everything but walls, stand, cameras' places and route.
    pub base: String,
    /// Turns of a corridor; one list is drawn.
    pub shapes: Vec<Vec<Turn>>,
    /// Of a straight, between inner faces, m.
    pub width_m: [f64; 2],
    /// Of straights.
    pub lengths: LengthConfig,
    /// Narrow parts.
    pub narrowing: NarrowingConfig,
    /// Walls beyond the route.
    pub reach: ReachConfig,
    /// Of the route.
    pub milestones: MilestoneConfig,
    /// Room that is left.
    pub clearance: ClearanceConfig,
}

impl SamplerConfig {
    /// Parses and checks what was read from the file.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(file: &Path, text: std::io::Result<String>) -> Result<Self, ConfigError> {
        let config: Self = load(file, text)?;
        let (l, n, m) = (&config.lengths, &config.narrowing, &config.milestones);
        for (key, [low, high], least, most) in [
            ("width_m", config.width_m, 1.8, 2.6),
            ("lengths.first_m", l.first_m, 0.5, 20.0),
            ("lengths.middle_m", l.middle_m, 0.5, 20.0),
            ("lengths.last_m", l.last_m, 0.5, 20.0),
            ("narrowing.width_m", n.width_m, 1.8, 2.6),
            ("narrowing.length_m", n.length_m, 0.1, 20.0),
        ] {
            in_range(file, &format!("{key}[0]"), low, least, most)?;
            in_range(file, &format!("{key}[1]"), high, low, most)?;
        }
        for (key, value, low, high) in [
            ("narrowing.share", n.share, 0.0, 1.0),
            ("narrowing.taper_m", n.taper_m, 0.05, 5.0),
            ("narrowing.margin_m", n.margin_m, 0.0, 5.0),
            ("reach.behind_m", config.reach.behind_m, 0.5, 10.0),
            ("reach.beyond_m", config.reach.beyond_m, 0.5, 10.0),
            ("milestones.every_m", m.every_m, 0.2, 20.0),
            ("milestones.early_m", m.early_m, 0.0, 0.2),
            ("milestones.width_m", m.width_m, 0.1, 2.6),
            ("milestones.target_width_m", m.target_width_m, 0.1, 2.6),
            ("milestones.heading_tolerance_rad", m.heading_tolerance_rad, 0.05, 1.0),
            ("clearance.robot_radius_m", config.clearance.robot_radius_m, 0.1, 0.6),
            ("clearance.least_m", config.clearance.least_m, 0.0, 1.0),
            ("shapes", config.shapes.len() as f64, 1.0, 100.0),
        ] {
            in_range(file, key, value, low, high)?;
        }
        Ok(config)
    }

    /// The corridor of a number, from the payload's `start`.
    #[must_use]
    pub fn corridor(&self, number: u64, start: Planar, body: &Body) -> Corridor {
        let draws = Draws::new(number);
        let turns = draws.one_of("shape", &self.shapes).cloned().unwrap_or_default();
        let count = turns.len() + 1;
        let straights = (0..count).map(|i| {
            let range = match i {
                0 => self.lengths.first_m,
                _ if i + 1 == count => self.lengths.last_m,
                _ => self.lengths.middle_m,
            };
            let length_m = draws.between(&format!("length_{i}"), range);
            Straight { length_m, width_m: draws.between(&format!("width_{i}"), self.width_m), narrowing: None }
        });
        let mut corridor = Corridor {
            start,
            straights: straights.collect(),
            turns,
            behind_m: self.reach.behind_m,
            beyond_m: self.reach.beyond_m,
        };
        if draws.unit("narrowing") < self.narrowing.share {
            self.narrow(&mut corridor, draws, body);
        }
        corridor
    }

    /// Narrows one of the straights that are long enough.
    fn narrow(&self, corridor: &mut Corridor, draws: Draws, body: &Body) {
        let n = &self.narrowing;
        let shortest_m = n.length_m[0] + 2.0 * n.taper_m;
        let rooms: Vec<(usize, [f64; 2])> = (0..corridor.straights.len())
            .filter_map(|i| Some((i, self.free(corridor, i, body)?)))
            .filter(|(_, [from, to])| to - from >= shortest_m)
            .collect();
        let Some(&(index, [from, to])) = draws.one_of("narrowing_straight", &rooms) else { return };
        let Some(straight) = corridor.straights.get_mut(index) else { return };
        let longest_m = n.length_m[1].min(to - from - 2.0 * n.taper_m).max(n.length_m[0]);
        let length_m = draws.between("narrowing_length", [n.length_m[0], longest_m]);
        let begin_m = draws.between("narrowing_begin", [from + n.taper_m, to - n.taper_m - length_m]);
        let width_m = draws.between("narrowing_width", n.width_m).min(straight.width_m);
        straight.narrowing = Some(Narrowing { along_m: [begin_m, begin_m + length_m], width_m, taper_m: n.taper_m });
    }

    /// Part of a straight where a narrowing may lie, along it, m.
    fn free(&self, corridor: &Corridor, index: usize, body: &Body) -> Option<[f64; 2]> {
        let straight = corridor.straights.get(index)?;
        let half = |i: usize| corridor.straights.get(i).map(|s| 0.5 * s.width_m);
        // Before the start stand the robots; beyond the target nothing passes.
        let before = index.checked_sub(1).and_then(half).unwrap_or(body.half_extents_m[0]);
        let after = half(index + 1).unwrap_or(body.half_extents_m[0]);
        Some([before + self.narrowing.margin_m, straight.length_m - after - self.narrowing.margin_m])
    }
}
