//! Reads the ledgers of a study, several at a time, and keeps what figures and pictures need.

use super::layout::{Place, scan};
use super::{StudyError, file_error};
use crate::files::{LEDGER, write_summaries};
use crate::report::facts::facts;
use crate::report::samples;
use crate::setup::Scenery;
use serde_json::Value;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use troupe_coordination::metrics::RunFacts;
use troupe_core::ledger::{Record, read};
use troupe_core::route::Route;
use troupe_core::variation::NOMINAL;

/// One run of a study.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Where it lies.
    pub place: Place,
    /// Title of its method; empty when the ledger holds none.
    pub title: String,
    /// What it counts for.
    pub facts: RunFacts,
    /// Walls and stand.
    pub scenery: Scenery,
    /// Route, if the ledger holds one.
    pub route: Option<Route>,
    /// Way of the payload's centre in the plane, world frame, m; a new line after each restoration.
    pub payload: Vec<Vec<[f64; 2]>>,
}

/// Reads every run below `study` with `jobs` threads and writes each one's own summaries anew. Ledgers that
/// were cut before their first event are left out and named in the second list.
///
/// # Errors
/// [`StudyError`], the first in order of places.
pub fn load(study: &Path, jobs: usize) -> Result<(Vec<Loaded>, Vec<Place>), StudyError> {
    let places = scan(study).map_err(file_error(study))?;
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<Option<Loaded>, StudyError>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, places.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(place) = places.get(index) else { break };
                    let loaded = load_one(study, place);
                    if let Ok(mut done) = done.lock() {
                        done.push((index, loaded));
                    }
                }
            });
        }
    });
    let lost = |_| StudyError::Write { what: "study".into(), reason: "a reading thread ended early".into() };
    let mut done = done.into_inner().map_err(lost)?;
    done.sort_by_key(|(index, _)| *index);
    let (mut runs, mut empty) = (Vec::new(), Vec::new());
    for (index, loaded) in done {
        match loaded? {
            Some(run) => runs.push(run),
            None => empty.extend(places.get(index).cloned()),
        }
    }
    Ok((runs, empty))
}

fn load_one(study: &Path, place: &Place) -> Result<Option<Loaded>, StudyError> {
    let folder = place.folder(study);
    let file = folder.join(LEDGER);
    let open = File::open(&file).map_err(file_error(&file))?;
    let (records, _) = read(BufReader::new(open)).map_err(|error| StudyError::Ledger { file: file.clone(), error })?;
    if records.is_empty() {
        return Ok(None);
    }
    let facts = facts(&records)
        .map_err(|e| StudyError::File { file: file.clone(), reason: e.to_string() })?;
    place.check(&facts).map_err(|error| StudyError::Place { file, error })?;
    write_summaries(&folder, &records)
        .map_err(|e| StudyError::File { file: folder, reason: e.to_string() })?;
    let opening = records.iter().find(|r| r.event == "run");
    let part = |key: &str| opening.and_then(|r| r.data.get(key)).cloned().unwrap_or_default();
    Ok(Some(Loaded {
        place: place.clone(),
        title: title(&part("method"), &part("bank"), &part("variation")),
        facts,
        scenery: serde_json::from_value(part("scenery")).unwrap_or_default(),
        route: serde_json::from_value(part("route")).ok(),
        payload: payload(&records),
    }))
}

/// Title of the method, and the bank that it started from or the variation that it ran under.
fn title(method: &Value, bank: &Value, variation: &Value) -> String {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (title, bank, identity) = (text(method, "title"), text(bank, "name"), text(bank, "identity"));
    let varied = text(variation, "name");
    match identity.get(..8) {
        _ if !title.is_empty() && !varied.is_empty() && varied != NOMINAL => format!("{title}, variation {varied}"),
        Some(start) if !title.is_empty() => format!("{title}, bank {bank} ({start})"),
        _ => title,
    }
}

fn payload(records: &[Record]) -> Vec<Vec<[f64; 2]>> {
    let mut lines = vec![Vec::new()];
    for record in records {
        if record.event == "restore" {
            lines.push(Vec::new());
        }
        let points = samples(&record.data).into_iter().map(|s| [s.payload.x, s.payload.y]);
        if let Some(line) = lines.last_mut() {
            line.extend(points.filter(|p| p.iter().all(|v| v.is_finite())));
        }
    }
    lines.retain(|l| l.len() > 1);
    lines
}
