//! A* over payload position and quarter-turn heading. Poses stay exact; the grid only tells which of them
//! count as the same.

use super::team::{Team, Turn};
use super::{PlanError, PlannerConfig, Task};
use crate::frames::{Planar, wrap};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::FRAC_PI_2;

/// A way straight ahead, then a turn or the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leg {
    /// m.
    pub length_m: f64,
    /// None after the last one.
    pub turn: Option<Turn>,
}

/// Cell, quarter turns from the start, and whether a turn led here: a way may not end with one.
type Key = (i64, i64, u8, bool);

struct Node {
    pose: Planar,
    cost_m: f64,
    from: Option<(Key, Option<Turn>)>,
}

/// Poses of a turn that are checked.
const TURN_CHECKS: u32 = 9;

/// The target's frame: centre and heading on arrival.
fn goal(task: &Task) -> Planar {
    let [x, y, _] = task.target.position;
    Planar { x, y, yaw: task.target.heading_rad }
}

/// The cheapest way as legs, the last one ending at the target.
pub(super) fn legs(task: &Task, team: &Team, config: &PlannerConfig) -> Result<Vec<Leg>, PlanError> {
    let goal = goal(task);
    let quarters = wrap(goal.yaw - task.payload.yaw) / FRAC_PI_2;
    if (quarters - quarters.round()).abs() > 1e-3 {
        return Err(PlanError::Heading { target_rad: goal.yaw, start_rad: task.payload.yaw });
    }
    if !team.fits(task.payload, &task.walls, config.clearance_m) {
        return Err(PlanError::Start { clearance_m: config.clearance_m });
    }
    let (nodes, last) = explore(task, team, config, goal)?;
    let mut legs = legs_of(&nodes, last, config);
    let end = follow(task.payload, team, &legs);
    settle(&mut legs, task.payload, goal, end);
    if legs.last().is_none_or(|l| l.length_m <= 0.0) {
        return Err(PlanError::NoApproach);
    }
    Ok(legs)
}

/// Where legs lead.
fn follow(start: Planar, team: &Team, legs: &[Leg]) -> Planar {
    legs.iter().fold(start, |pose, leg| {
        let ahead = pose.compose(Planar { x: leg.length_m, ..Planar::default() });
        leg.turn.map_or(ahead, |turn| team.turned(ahead, turn, 1.0))
    })
}

fn explore(task: &Task, team: &Team, config: &PlannerConfig, goal: Planar) -> Result<(BTreeMap<Key, Node>, Key), PlanError> {
    let start = task.payload;
    let key = |pose: Planar, heading: u8, turned: bool| -> Key {
        ((pose.x / config.cell_m).round() as i64, (pose.y / config.cell_m).round() as i64, heading, turned)
    };
    let area = Area::of(task);
    // Distances are not negative, so their bits order as they do.
    let rank = |cost_m: f64, pose: Planar| (cost_m + pose.distance(&goal)).to_bits();
    let mut nodes: BTreeMap<Key, Node> = BTreeMap::new();
    let mut open: BTreeSet<(u64, Key)> = BTreeSet::new();
    let mut closed: BTreeSet<Key> = BTreeSet::new();
    let first = key(start, 0, false);
    nodes.insert(first, Node { pose: start, cost_m: 0.0, from: None });
    open.insert((rank(0.0, start), first));
    while let Some((_, here)) = open.pop_first() {
        if !closed.insert(here) {
            continue;
        }
        let Some((pose, cost_m)) = nodes.get(&here).map(|n| (n.pose, n.cost_m)) else { continue };
        if !here.3 && arrived(goal, pose, config.cell_m) {
            return Ok((nodes, here));
        }
        for (next, turn) in moves(task, team, config, pose) {
            let heading = match turn {
                None => here.2,
                Some(Turn::Left) => (here.2 + 1) % 4,
                Some(Turn::Right) => (here.2 + 3) % 4,
            };
            let there = key(next, heading, turn.is_some());
            let cost_m = cost_m + pose.distance(&next) + if turn.is_some() { config.turn_cost_m } else { 0.0 };
            let better = nodes.get(&there).is_none_or(|n| cost_m < n.cost_m);
            if !area.holds(next) || closed.contains(&there) || !better {
                continue;
            }
            nodes.insert(there, Node { pose: next, cost_m, from: Some((here, turn)) });
            open.insert((rank(cost_m, next), there));
        }
    }
    Err(PlanError::NoWay { clearance_m: config.clearance_m, visited: closed.len() })
}

/// Within half a cell of the target, with its heading.
fn arrived(goal: Planar, pose: Planar, cell_m: f64) -> bool {
    let off = goal.inverse_of(pose);
    let near = 0.5 * cell_m + 1e-9;
    off.x.abs() <= near && off.y.abs() <= near && off.yaw.abs() < 1e-3
}

/// One cell ahead, and both quarter turns, where the team fits.
fn moves(task: &Task, team: &Team, config: &PlannerConfig, pose: Planar) -> Vec<(Planar, Option<Turn>)> {
    let fits = |p: Planar| team.fits(p, &task.walls, config.clearance_m);
    let mut moves = Vec::new();
    let ahead = pose.compose(Planar { x: config.cell_m, ..Planar::default() });
    if fits(ahead) {
        moves.push((ahead, None));
    }
    for turn in [Turn::Left, Turn::Right] {
        let swept = |i: u32| team.turned(pose, turn, f64::from(i) / f64::from(TURN_CHECKS));
        if (1..=TURN_CHECKS).all(|i| fits(swept(i))) {
            moves.push((team.turned(pose, turn, 1.0), Some(turn)));
        }
    }
    moves
}

/// Where it is worth looking: walls, start and target with room to turn.
struct Area {
    low: [f64; 2],
    high: [f64; 2],
}

impl Area {
    fn of(task: &Task) -> Self {
        const ROOM_M: f64 = 2.0;
        let [tx, ty, _] = task.target.position;
        let ends = [[task.payload.x, task.payload.y], [tx, ty]];
        let points = task.walls.iter().flat_map(|w| w.line).chain(ends);
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in points {
            for ((low, high), value) in low.iter_mut().zip(&mut high).zip(point) {
                *low = low.min(value - ROOM_M);
                *high = high.max(value + ROOM_M);
            }
        }
        Self { low, high }
    }

    fn holds(&self, pose: Planar) -> bool {
        let [lx, ly] = self.low;
        let [hx, hy] = self.high;
        (lx..=hx).contains(&pose.x) && (ly..=hy).contains(&pose.y)
    }
}

fn legs_of(nodes: &BTreeMap<Key, Node>, last: Key, config: &PlannerConfig) -> Vec<Leg> {
    let mut turns = Vec::new();
    let mut at = last;
    while let Some((from, turn)) = nodes.get(&at).and_then(|n| n.from) {
        turns.push(turn);
        at = from;
    }
    let mut legs = Vec::new();
    let mut cells = 0_u32;
    for turn in turns.into_iter().rev() {
        match turn {
            None => cells += 1,
            Some(_) => {
                legs.push(Leg { length_m: f64::from(cells) * config.cell_m, turn });
                cells = 0;
            }
        }
    }
    legs.push(Leg { length_m: f64::from(cells) * config.cell_m, turn: None });
    legs
}

/// Lengthens or shortens legs by less than a cell, so that the way ends at the target: the last leg along
/// the arrival, the last one that is square to it across.
fn settle(legs: &mut [Leg], start: Planar, goal: Planar, end: Planar) {
    let off = goal.inverse_of(end);
    let mut yaw = start.yaw;
    let sides: Vec<f64> = legs
        .iter()
        .map(|leg| {
            let side = wrap(yaw - goal.yaw).sin().round();
            yaw += leg.turn.map_or(0.0, Turn::yaw_rad);
            side
        })
        .collect();
    if let Some(leg) = legs.last_mut() {
        leg.length_m -= off.x;
    }
    let square = legs.iter_mut().zip(sides).rev().find(|(leg, side)| *side != 0.0 && leg.length_m > off.y.abs());
    if let Some((leg, side)) = square {
        leg.length_m -= side * off.y;
    }
}
