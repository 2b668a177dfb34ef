//! A plan view of a run as SVG: corridor, stand, and the ways of robots and payload.

use super::samples;
use crate::ports::TeamSample;
use crate::setup::Scenery;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use troupe_core::ledger::Record;
use troupe_core::route::Route;

/// Half the length of the carried bar as drawn, m.
const BAR_HALF_M: f64 = 0.65;

/// Lines of the robots, in team order.
const ROBOTS: [RGBColor; 4] =
    [RGBColor(31, 119, 180), RGBColor(214, 39, 40), RGBColor(44, 160, 44), RGBColor(148, 103, 189)];

/// Line of the payload's centre.
const PAYLOAD: RGBColor = RGBColor(230, 140, 20);

/// Width of the picture, pixels.
pub(crate) const WIDTH: u32 = 900;

/// Draws the path; SVG text.
///
/// # Errors
/// Words, when the backend cannot draw.
pub fn plot(records: &[Record]) -> Result<String, String> {
    let opening = records.iter().find(|r| r.event == "run");
    let part = |key: &str| opening.and_then(|r| r.data.get(key)).cloned().unwrap_or_default();
    let scenery: Scenery = serde_json::from_value(part("scenery")).unwrap_or_default();
    let route: Option<Route> = serde_json::from_value(part("route")).ok();
    let path: Vec<TeamSample> = records.iter().flat_map(|r| samples(&r.data)).collect();
    let [x, y] = ranges(&scenery, &path);
    let height = (f64::from(WIDTH) * (y.1 - y.0) / (x.1 - x.0)).clamp(200.0, 3000.0) as u32;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        draw(&area, &scenery, route.as_ref(), &path, x, y).map_err(|e| e.to_string())?;
        area.present().map_err(|e| e.to_string())?;
    }
    let robots = path.first().map_or(0, |s| s.robots.len());
    Ok(with_legend(&svg, robots))
}

/// Adds the names of the lines; the backend itself draws no text without a font.
fn with_legend(svg: &str, robots: usize) -> String {
    let lines = (0..robots).zip(ROBOTS.iter().cycle()).map(|(i, c)| (format!("robot {i}"), *c));
    let mut legend = String::new();
    for (row, (name, RGBColor(r, g, b))) in lines.chain([("payload".to_owned(), PAYLOAD)]).enumerate() {
        let y = 26 + 20 * row;
        legend.push_str(&format!(
            "<text x=\"20\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"15\" fill=\"#{r:02x}{g:02x}{b:02x}\">{name}</text>\n"
        ));
    }
    svg.replace("</svg>", &format!("{legend}</svg>"))
}

/// Shown ranges of x and y, m.
pub(crate) fn ranges(scenery: &Scenery, path: &[TeamSample]) -> [(f64, f64); 2] {
    let walls = scenery.walls.iter().flatten().copied();
    let ways = path.iter().flat_map(|s| s.robots.iter().chain([&s.payload])).map(|p| [p.x, p.y]);
    let (mut x, mut y) = ((f64::INFINITY, f64::NEG_INFINITY), (f64::INFINITY, f64::NEG_INFINITY));
    for [px, py] in walls.chain(ways).filter(|p| p.iter().all(|v| v.is_finite())) {
        x = (x.0.min(px), x.1.max(px));
        y = (y.0.min(py), y.1.max(py));
    }
    // Nothing to show, or all of it on one line, still makes a picture.
    [x, y].map(|(low, high)| if low < high { (low - 0.3, high + 0.3) } else { (-1.0, 1.0) })
}

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw(
    area: &Area<'_>,
    scenery: &Scenery,
    route: Option<&Route>,
    path: &[TeamSample],
    x: (f64, f64),
    y: (f64, f64),
) -> Result<(), Box<dyn std::error::Error>> {
    let plan = &ground(area, scenery, route, x, y)?;
    draw_run(plan, path)
}

/// A plan view in metres.
pub(crate) type Plan<'a> = DrawingArea<SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Draws walls, stand and gates.
pub(crate) fn ground<'a>(
    area: &Area<'a>,
    scenery: &Scenery,
    route: Option<&Route>,
    x: (f64, f64),
    y: (f64, f64),
) -> Result<Plan<'a>, Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let chart = ChartBuilder::on(area).margin(8).build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    let plan = chart.plotting_area().clone();
    let grey = RGBColor(90, 90, 90);
    for [a, b] in &scenery.walls {
        plan.draw(&PathElement::new(vec![(a[0], a[1]), (b[0], b[1])], grey.stroke_width(4)))?;
    }
    if let Some(stand) = &scenery.stand {
        let [cx, cy] = stand.position_m;
        let [hx, hy] = stand.half_extents_m;
        let (sin, cos) = stand.yaw_rad.sin_cos();
        let corner = |sx: f64, sy: f64| (cx + sx * hx * cos - sy * hy * sin, cy + sx * hx * sin + sy * hy * cos);
        let corners = vec![corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)];
        plan.draw(&Polygon::new(corners, RGBColor(200, 190, 170).filled()))?;
    }
    for segment in route.map(|r| r.segments.as_slice()).unwrap_or_default() {
        let gate = &segment.gate;
        let (sin, cos) = gate.heading_rad.sin_cos();
        let end = |side: f64| (gate.position[0] - side * gate.width_m * sin, gate.position[1] + side * gate.width_m * cos);
        plan.draw(&PathElement::new(vec![end(0.5), end(-0.5)], RGBColor(120, 180, 120).stroke_width(2)))?;
    }
    Ok(plan)
}

fn draw_run(plan: &Plan<'_>, path: &[TeamSample]) -> Result<(), Box<dyn std::error::Error>> {
    // The bar every two simulated seconds, pale under the lines.
    for sample in path.iter().step_by(10) {
        let (sin, cos) = sample.payload.yaw.sin_cos();
        let end = |side: f64| (sample.payload.x - side * BAR_HALF_M * sin, sample.payload.y + side * BAR_HALF_M * cos);
        plan.draw(&PathElement::new(vec![end(1.0), end(-1.0)], RGBColor(235, 200, 140).stroke_width(2)))?;
    }
    let robots = path.first().map_or(0, |s| s.robots.len());
    for (i, colour) in (0..robots).zip(ROBOTS.iter().cycle()) {
        let line: Vec<(f64, f64)> = path.iter().filter_map(|s| s.robots.get(i)).map(|p| (p.x, p.y)).collect();
        plan.draw(&PathElement::new(line, colour.stroke_width(2)))?;
    }
    let line: Vec<(f64, f64)> = path.iter().map(|s| (s.payload.x, s.payload.y)).collect();
    plan.draw(&PathElement::new(line, PAYLOAD.stroke_width(2)))?;
    Ok(())
}
