//! Milestones over transactions: the mean of each method's runs in one world with one provider.

use super::StudyError;
use super::load::Loaded;
use plotters::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use troupe_coordination::metrics::pauc::curve;

/// Colours of methods, the reference first.
pub(crate) const COLOURS: [RGBColor; 9] = [
    RGBColor(20, 20, 20),
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    RGBColor(255, 127, 14),
    RGBColor(148, 103, 189),
    RGBColor(140, 86, 75),
    RGBColor(227, 119, 194),
    RGBColor(127, 127, 127),
];

const SIZE: (u32, u32) = (900, 520);
/// Left, top, right and bottom of the plot itself, pixels.
const FRAME: [u32; 4] = [56, 16, 20, 48];

/// Draws the curves; SVG text.
pub(crate) fn curves(runs: &[&Loaded], reference: &str) -> Result<String, StudyError> {
    let mut methods: BTreeMap<(bool, &str), Vec<&Loaded>> = BTreeMap::new();
    for run in runs {
        methods.entry((run.place.method != reference, run.place.method.as_str())).or_default().push(run);
    }
    let horizon = runs.iter().map(|r| r.facts.horizon_report).max().unwrap_or_default().max(1);
    let total = runs.iter().map(|r| r.facts.milestones_total).max().unwrap_or_default().max(1);
    let lines: Vec<(String, Vec<(f64, f64)>)> = methods
        .iter()
        .map(|((_, method), runs)| (format!("{method} (n = {})", runs.len()), mean(runs, horizon)))
        .collect();
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        draw(&area, &lines, horizon, total)
            .map_err(|e| StudyError::Write { what: "progress curves".into(), reason: e.to_string() })?;
    }
    Ok(labelled(&svg, &lines, horizon, total))
}

/// Mean curve as steps.
fn mean(runs: &[&Loaded], horizon: u32) -> Vec<(f64, f64)> {
    let mut sums = vec![0.0; horizon as usize + 1];
    for run in runs {
        for (sum, n) in sums.iter_mut().zip(curve(&run.facts.certified_at, horizon)) {
            *sum += f64::from(n);
        }
    }
    let n = runs.len().max(1) as f64;
    let at = |i: usize, value: f64| [(i as f64, value / n), (i as f64 + 1.0, value / n)];
    let mut steps: Vec<(f64, f64)> = sums.iter().enumerate().flat_map(|(i, sum)| at(i, *sum)).collect();
    steps.pop();
    steps
}

fn draw(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    lines: &[(String, Vec<(f64, f64)>)],
    horizon: u32,
    total: u32,
) -> Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let [left, top, right, bottom] = FRAME;
    let chart = ChartBuilder::on(area)
        .margin_left(left)
        .margin_top(top)
        .margin_right(right)
        .margin_bottom(bottom)
        .build_cartesian_2d(0.0..f64::from(horizon), 0.0..f64::from(total))?;
    let plot = chart.plotting_area();
    let pale = RGBColor(225, 225, 225);
    for x in ticks(horizon) {
        plot.draw(&PathElement::new(vec![(f64::from(x), 0.0), (f64::from(x), f64::from(total))], pale))?;
    }
    for y in 0..=total {
        plot.draw(&PathElement::new(vec![(0.0, f64::from(y)), (f64::from(horizon), f64::from(y))], pale))?;
    }
    for ((_, line), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        plot.draw(&PathElement::new(line.clone(), colour.stroke_width(2)))?;
    }
    area.present()?;
    Ok(())
}

fn ticks(horizon: u32) -> impl Iterator<Item = u32> {
    let step = (horizon / 8).max(1);
    (0..=horizon).step_by(step as usize)
}

/// Adds the text; the backend itself draws none without a font.
fn labelled(svg: &str, lines: &[(String, Vec<(f64, f64)>)], horizon: u32, total: u32) -> String {
    let [left, top, right, bottom] = FRAME;
    let (wide, high) = (f64::from(SIZE.0 - left - right), f64::from(SIZE.1 - top - bottom));
    let mut out = String::new();
    let mut text = |x: f64, y: f64, anchor: &str, colour: RGBColor, words: &str| {
        let RGBColor(r, g, b) = colour;
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"{anchor}\" font-family=\"sans-serif\" font-size=\"14\" fill=\"#{r:02x}{g:02x}{b:02x}\">{words}</text>"
        );
    };
    let foot = f64::from(SIZE.1 - bottom);
    for x in ticks(horizon) {
        text(f64::from(left) + wide * f64::from(x) / f64::from(horizon), foot + 18.0, "middle", BLACK, &x.to_string());
    }
    for y in 0..=total {
        let place = foot - high * f64::from(y) / f64::from(total) + 5.0;
        text(f64::from(left) - 8.0, place, "end", BLACK, &y.to_string());
    }
    text(f64::from(left) + wide / 2.0, foot + 38.0, "middle", BLACK, "charged transactions (vertical: milestones, mean)");
    for (row, ((name, _), colour)) in lines.iter().zip(COLOURS.iter().cycle()).enumerate() {
        text(f64::from(left) + 12.0, f64::from(top) + 20.0 + 18.0 * row as f64, "start", *colour, name);
    }
    svg.replace("</svg>", &format!("{out}</svg>"))
}
