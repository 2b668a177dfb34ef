//! Walls as the two boundaries of a segment: walls that meet form a line; the nearest line on each side,
//! moved to the faces that the segment sees.

use super::Wall;
use super::geometry::{between, distance, nearest};
use crate::route::Segment;

/// Points of walls that meet, in order, with half the walls' thickness.
struct Chain {
    points: Vec<[f64; 2]>,
    half_m: f64,
}

/// All walls of a world.
pub(super) struct Boundaries {
    chains: Vec<Chain>,
}

impl Boundaries {
    pub(super) fn of(walls: &[Wall]) -> Self {
        let mut chains: Vec<Chain> = Vec::new();
        let mut rest: Vec<Wall> = walls.to_vec();
        while !rest.is_empty() {
            let first = rest.remove(0);
            let mut chain = Chain { points: first.line.to_vec(), half_m: 0.5 * first.thickness_m };
            while let Some(index) = rest.iter().position(|w| chain.joins(w)) {
                let wall = rest.remove(index);
                chain.take(&wall);
            }
            chains.push(chain);
        }
        Self { chains }
    }

    /// Boundaries to the left and to the right; empty where there is no wall.
    pub(super) fn beside(&self, segment: &Segment) -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
        let middle = between(segment.start, segment.end, 0.5);
        let mut best: [Option<(f64, &Chain)>; 2] = [None, None];
        for chain in &self.chains {
            let point = chain.nearest(middle);
            let gap = distance(point, middle);
            let [left, right] = &mut best;
            let side = if segment.across_m(point) > 0.0 { left } else { right };
            if side.is_none_or(|(least, _)| gap < least) {
                *side = Some((gap, chain));
            }
        }
        let [left, right] = best.map(|b| b.map(|(_, chain)| chain.faces(middle)).unwrap_or_default());
        (left, right)
    }
}

/// A line through a point along a unit vector.
type Line = ([f64; 2], [f64; 2]);

impl Chain {
    /// Ends within a wall's thickness meet.
    fn meets(&self, a: [f64; 2], b: [f64; 2]) -> bool {
        distance(a, b) <= 2.0 * self.half_m + 1e-6
    }

    fn joins(&self, wall: &Wall) -> bool {
        let ends = [self.points.first(), self.points.last()];
        ends.into_iter().flatten().any(|end| wall.line.iter().any(|p| self.meets(*p, *end)))
    }

    fn take(&mut self, wall: &Wall) {
        let [a, b] = wall.line;
        if let Some(last) = self.points.last().copied() {
            if self.meets(last, a) {
                return self.points.push(b);
            }
            if self.meets(last, b) {
                return self.points.push(a);
            }
        }
        if let Some(first) = self.points.first().copied() {
            self.points.insert(0, if self.meets(first, b) { a } else { b });
        }
    }

    fn nearest(&self, p: [f64; 2]) -> [f64; 2] {
        let points = self.points.windows(2).filter_map(|w| if let [a, b] = w { Some(nearest(*a, *b, p)) } else { None });
        points.min_by(|a, b| distance(*a, p).total_cmp(&distance(*b, p))).unwrap_or(p)
    }

    /// The chain moved by half a thickness toward `viewer`.
    fn faces(&self, viewer: [f64; 2]) -> Vec<[f64; 2]> {
        let lines: Vec<Line> = self
            .points
            .windows(2)
            .filter_map(|w| if let [a, b] = w { Some(self.face(*a, *b, viewer)) } else { None })
            .collect();
        let on = |line: Option<&Line>, point: Option<&[f64; 2]>| Some(project(*line?, *point?));
        let joints = lines.windows(2).filter_map(|w| if let [a, b] = w { Some(meeting(*a, *b)) } else { None });
        let first = on(lines.first(), self.points.first());
        let last = on(lines.last(), self.points.last());
        first.into_iter().chain(joints).chain(last).collect()
    }

    fn face(&self, a: [f64; 2], b: [f64; 2], viewer: [f64; 2]) -> Line {
        let length = distance(a, b).max(1e-9);
        let along = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
        let normal = [-along[1], along[0]];
        let side = (viewer[0] - a[0]) * normal[0] + (viewer[1] - a[1]) * normal[1];
        let shift = self.half_m * if side < 0.0 { -1.0 } else { 1.0 };
        ([a[0] + shift * normal[0], a[1] + shift * normal[1]], along)
    }
}

fn project((origin, along): Line, point: [f64; 2]) -> [f64; 2] {
    let way = (point[0] - origin[0]) * along[0] + (point[1] - origin[1]) * along[1];
    [origin[0] + way * along[0], origin[1] + way * along[1]]
}

/// Where two lines cross; the origin of the second when they are parallel.
fn meeting((p, u): Line, (q, v): Line) -> [f64; 2] {
    let across = u[0] * v[1] - u[1] * v[0];
    if across.abs() < 1e-9 {
        return q;
    }
    let way = ((q[0] - p[0]) * v[1] - (q[1] - p[1]) * v[0]) / across;
    [p[0] + way * u[0], p[1] + way * u[1]]
}
