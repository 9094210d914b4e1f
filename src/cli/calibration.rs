//! `anvil calibration`: how often a confidence was right; and the list of projects for it, `anvil config calibration-list`.

use clap::ValueEnum;
use serde_json::{Value, json};

use super::browser;
use crate::engine::{Calibrated, Engine, ListChange};
use crate::error::Result;
use crate::messages;
use crate::report;

/// What becomes of the list.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Change {
    /// Keep a list from now on
    On,
    /// Keep none, and forget what is in it
    Off,
    /// Empty it, and go on
    Empty,
}

pub(super) fn run(engine: &Engine<'_>, as_json: bool, as_page: bool, is_across: bool) -> Result<()> {
    let calibrated = engine.calibration(None, is_across)?;
    if as_json {
        super::print_json(&to_json(&calibrated))?;
    }
    if calibrated.calibration.counted == 0 {
        return Err(messages::nothing_to_calibrate(&calibrated));
    }
    if as_page {
        let page = report::calibration(&calibrated.calibration, &messages::calibration_summary(&calibrated));
        let page = engine.new_page("calibration", &page)?;
        super::print(&page.display().to_string())?;
        browser::open(&page);
        return Ok(());
    }
    if as_json { Ok(()) } else { super::print(&messages::calibration(&calibrated, messages::USUAL_COLUMNS)) }
}

pub(super) fn list(engine: &Engine<'_>, change: Option<Change>) -> Result<()> {
    let change = change.map(|change| match change {
        Change::On => ListChange::On,
        Change::Off => ListChange::Off,
        Change::Empty => ListChange::Empty,
    });
    super::print(&messages::calibration_list(engine.calibration_list(change)?.as_deref()))
}

/// Percentages with one digit after the point, scores with four: more is not known.
fn to_json(Calibrated { calibration, projects, unreadable }: &Calibrated) -> Value {
    let percent = |share: f64| (share * 10.0).round() / 10.0;
    let score = |score: f64| (score * 10_000.0).round() / 10_000.0;
    let bands: Vec<Value> = calibration
        .bands
        .iter()
        .map(|band| {
            let [share, low, high] = band.was.map(percent);
            json!({
                "from": band.from, "to": band.to, "cases": band.count, "right": band.right,
                "said": percent(band.said), "share": share, "low": low, "high": high,
            })
        })
        .collect();
    let brier = calibration.brier.map(|brier| {
        let [low, high] = brier.interval.map_or([None; 2], |interval| interval.map(|end| Some(score(end))));
        json!({ "score": score(brier.score), "low": low, "high": high })
    });
    let unreadable: Vec<Value> =
        unreadable.iter().map(|(root, why)| json!({ "project": root.display().to_string(), "why": why })).collect();
    json!({
        "cases": calibration.counted,
        "left_out": calibration.left_out,
        "says_little": calibration.is_of_few(),
        "bands": bands,
        "brier": brier,
        "projects": projects,
        "not_counted": unreadable,
    })
}
