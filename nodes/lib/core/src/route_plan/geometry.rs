//! Distances between segments in the plane.

/// Point `a` + `t` of the way to `b`.
pub(super) fn between(a: [f64; 2], b: [f64; 2], t: f64) -> [f64; 2] {
    [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
}

/// The point of segment `a`–`b` that is nearest to `p`.
pub(super) fn nearest(a: [f64; 2], b: [f64; 2], p: [f64; 2]) -> [f64; 2] {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length2 = dx * dx + dy * dy;
    let t = if length2 > 0.0 { (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length2).clamp(0.0, 1.0) } else { 0.0 };
    between(a, b, t)
}

pub(super) fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Twice the signed area of a triangle.
fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Distance between two segments; 0 where they cross.
pub(super) fn segment_gap(p: [[f64; 2]; 2], q: [[f64; 2]; 2]) -> f64 {
    let ([a, b], [c, d]) = (p, q);
    if cross(a, b, c) * cross(a, b, d) < 0.0 && cross(c, d, a) * cross(c, d, b) < 0.0 {
        return 0.0;
    }
    let ends = [(a, q), (b, q), (c, p), (d, p)];
    ends.into_iter().map(|(point, [from, to])| distance(point, nearest(from, to, point))).fold(f64::INFINITY, f64::min)
}
