//! Ways of the payload in one condition, seen from above: successes over the rest.

use super::StudyError;
use super::load::Loaded;
use crate::ports::TeamSample;
use crate::report::plot::{Area, WIDTH, ground, ranges};
use plotters::prelude::*;
use troupe_core::frames::Planar;

const REACHED: RGBColor = RGBColor(44, 130, 60);
const MISSED: RGBColor = RGBColor(214, 100, 60);

/// Draws the ways; SVG text.
pub(crate) fn paths(runs: &[&Loaded]) -> Result<String, StudyError> {
    let failed = |reason: String| StudyError::Write { what: "paths".into(), reason };
    let first = runs.first().ok_or_else(|| failed("no runs".into()))?;
    let points = runs.iter().flat_map(|r| r.payload.iter().flatten());
    let samples: Vec<TeamSample> = points
        .map(|[x, y]| TeamSample {
            tick: 0,
            robots: Vec::new(),
            payload: Planar { x: *x, y: *y, yaw: 0.0 },
            payload_tilt_rad: 0.0,
        })
        .collect();
    let [x, y] = ranges(&first.scenery, &samples);
    let height = (f64::from(WIDTH) * (y.1 - y.0) / (x.1 - x.0)).clamp(200.0, 3000.0) as u32;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        draw(&area, runs, first, x, y).map_err(|e| failed(e.to_string()))?;
    }
    let reached = runs.iter().filter(|r| r.facts.success()).count();
    let legend = format!(
        "<text x=\"20\" y=\"26\" font-family=\"sans-serif\" font-size=\"15\" fill=\"#2c823c\">endpoint reached: {reached}</text>\n\
         <text x=\"20\" y=\"46\" font-family=\"sans-serif\" font-size=\"15\" fill=\"#d6643c\">not reached: {}</text>\n",
        runs.len() - reached
    );
    Ok(svg.replace("</svg>", &format!("{legend}</svg>")))
}

fn draw(
    area: &Area<'_>,
    runs: &[&Loaded],
    first: &Loaded,
    x: (f64, f64),
    y: (f64, f64),
) -> Result<(), Box<dyn std::error::Error>> {
    let plan = ground(area, &first.scenery, first.route.as_ref(), x, y)?;
    for success in [false, true] {
        let colour = if success { REACHED } else { MISSED };
        for run in runs.iter().filter(|r| r.facts.success() == success) {
            for line in &run.payload {
                let points: Vec<(f64, f64)> = line.iter().map(|[x, y]| (*x, *y)).collect();
                plan.draw(&PathElement::new(points, colour.stroke_width(1)))?;
            }
        }
    }
    area.present()?;
    Ok(())
}
