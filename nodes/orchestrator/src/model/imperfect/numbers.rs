//! Wrong numbers: the same calls longer, reversed, nearly unchanged, or equal for all robots.

use super::draw::Draw;
use troupe_core::relation::{Argument, Comparison, Relation};
use troupe_core::skill::{Direction, SkillBounds, SkillCall};

/// Largest change of a near-duplicate, m and rad: some lie below what can be carried out (CE-030), none matters.
const NEAR: [(Argument, f64); 2] = [(Argument::DistanceM, 0.02), (Argument::YawRad, 0.0175)];

/// Arguments by which a robot moves.
pub(super) fn amounts(call: &SkillCall) -> Vec<(Argument, f64)> {
    call.arguments().into_iter().filter_map(|(name, value)| Some((Argument::from_name(name)?, value))).collect()
}

fn with(call: &SkillCall, change: impl Fn(Argument, f64) -> f64) -> SkillCall {
    let changed = call.arguments().into_iter().map(|(name, value)| {
        (name.to_owned(), Argument::from_name(name).map_or(value, |argument| change(argument, value)))
    });
    let changed: Vec<(String, f64)> = changed.collect();
    SkillCall::from_parts(call.name(), call.direction().map_or("", |d| d.name()), &changed).unwrap_or(*call)
}

/// All amounts times `factor`.
pub(super) fn scaled(calls: &[SkillCall], factor: f64) -> Vec<SkillCall> {
    calls.iter().map(|call| with(call, |_, value| value * factor)).collect()
}

/// A policy's text has four decimals; at a bound itself rounding may step over it.
const INSIDE: f64 = 0.999;

/// How much longer the calls could be and still be legal; `None` when nothing moves.
pub(super) fn room(calls: &[SkillCall], bounds: &SkillBounds) -> Option<f64> {
    let all = calls.iter().flat_map(amounts).filter(|(_, value)| value.abs() > 1e-6);
    let factors = all.filter_map(|(argument, value)| Some(bounds.of(argument.name())?[1] / value.abs()));
    factors.min_by(f64::total_cmp).map(|factor| INSIDE * factor)
}

/// How much longer the calls of an example are, by their largest ratio; `None` when they cannot be compared.
pub(super) fn ratio(example: &[SkillCall], calls: &[SkillCall]) -> Option<f64> {
    let largest = |calls: &[SkillCall], wanted: Argument| {
        let values = calls.iter().flat_map(amounts).filter(|(argument, _)| *argument == wanted).map(|(_, v)| v.abs());
        values.max_by(f64::total_cmp).filter(|v| *v > 1e-6)
    };
    let ratios = Argument::ALL.iter().filter_map(|a| Some(largest(example, *a)? / largest(calls, *a)?));
    ratios.max_by(f64::total_cmp)
}

/// Walks the other way, turns the other way.
pub(super) fn reversed(call: &SkillCall) -> SkillCall {
    match *call {
        SkillCall::Walk { distance_m, direction, speed_mps } => {
            let direction = match direction {
                Direction::Forward => Direction::Back,
                Direction::Back => Direction::Forward,
                Direction::Left => Direction::Right,
                Direction::Right => Direction::Left,
            };
            SkillCall::Walk { distance_m, direction, speed_mps }
        }
        other => with(&other, |argument, value| if argument == Argument::YawRad { -value } else { value }),
    }
}

/// Nearly the same numbers, the same change for every robot, inside the bounds.
pub(super) fn nearly(calls: &[SkillCall], bounds: &SkillBounds, draw: &Draw) -> Vec<SkillCall> {
    let share = draw.of("amount of near_duplicate");
    let change = |argument: Argument, value: f64| {
        let most = NEAR.iter().find(|(a, _)| *a == argument).map_or(0.0, |(_, most)| *most);
        let [low, high] = bounds.of(argument.name()).unwrap_or([0.0, f64::MAX]);
        let smaller = (value.abs() - share * most).max((1.02 * low).min(high));
        // At the lower bound the change goes the other way.
        let magnitude = if (smaller - value.abs()).abs() < 1e-9 { value.abs() + share * most } else { smaller };
        magnitude.min(high).copysign(value)
    };
    calls.iter().map(|call| with(call, change)).collect()
}

/// The first robot's amount for all, where the relations demand different ones; a turn beside a hold becomes
/// two equal turns. `None` when there is nothing to make equal.
pub(super) fn equal(calls: &[SkillCall], relations: &[Relation]) -> Option<Vec<SkillCall>> {
    let turn = calls.iter().find(|call| matches!(call, SkillCall::Turn { .. }));
    if let (Some(turn), true) = (turn, calls.iter().any(|call| matches!(call, SkillCall::Hold { .. }))) {
        return Some(vec![*turn; calls.len()]);
    }
    let demanded: Vec<Argument> =
        relations.iter().filter(|r| r.comparison == Comparison::Different).map(|r| r.argument).collect();
    let first = amounts(calls.first()?);
    let equalised: Vec<SkillCall> = calls
        .iter()
        .map(|call| {
            with(call, |argument, value| {
                let same = first.iter().find(|(a, _)| *a == argument && demanded.contains(a));
                same.map_or(value, |(_, amount)| *amount)
            })
        })
        .collect();
    (equalised != calls).then_some(equalised)
}
