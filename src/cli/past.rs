//! `anvil history`, `show`, `search`, `open` and `archive prune`: earlier debates.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use serde_json::{Value, json};

use super::{browser, screen};
use crate::engine::{Engine, PastDebate, PrunePlan, View};
use crate::error::{Error, Result};
use crate::messages;
use crate::text;
use crate::world::World;

pub(super) fn history(engine: &Engine<'_>, as_json: bool) -> Result<()> {
    let past = match engine.past(None) {
        Ok(past) => past,
        Err(error) => return nothing(error, as_json),
    };
    if !as_json {
        return super::print(&messages::history(&past, usize::MAX, screen::columns()));
    }
    let unreadable =
        past.unreadable.iter().map(|(file, why)| json!({ "file": file.display().to_string(), "unreadable": why }));
    super::print_json(&past.debates.iter().map(to_json).chain(unreadable).collect::<Vec<_>>().into())
}

pub(super) fn show(world: &World, engine: &Engine<'_>, id: Option<&str>, is_full: bool, as_json: bool) -> Result<()> {
    let view = match (as_json, is_full) {
        (true, _) => View::Json,
        (false, true) => View::Whole { columns: screen::known_columns() },
        (false, false) => View::Summary { columns: screen::columns() },
    };
    let text = engine.show(id, view)?;
    if !as_json {
        screen::page(world, &text::without_controls(&text));
    }
    super::print(text.trim_end())
}

pub(super) fn search(engine: &Engine<'_>, text: &str, as_json: bool) -> Result<()> {
    let found = engine.search(text)?;
    for line in messages::unsearchable(&found) {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    if found.debates.is_empty() {
        return nothing(messages::not_found(text), as_json);
    }
    if !as_json {
        return super::print(&messages::found(&found, screen::columns()));
    }
    let hits = found.debates.iter().flat_map(|(past, hits)| {
        hits.iter().map(|hit| {
            json!({
                "id": past.debate.id,
                "question": past.debate.question,
                "place": hit.place,
                "count": hit.count,
                "excerpt": hit.excerpt,
                "file": past.file.display().to_string(),
            })
        })
    });
    super::print_json(&hits.collect::<Vec<_>>().into())
}

pub(super) fn open(engine: &Engine<'_>, id: Option<&str>) -> Result<()> {
    let page = engine.page(id)?;
    super::print(&page.display().to_string())?;
    browser::open(&page);
    Ok(())
}

pub(super) fn prune(engine: &Engine<'_>, keep: usize, is_sure: bool, as_json: bool) -> Result<()> {
    let prunable = engine.prunable(keep)?;
    if prunable.debates.is_empty() {
        let left = prunable.stay;
        let error = Error::nothing(
            format!("nothing is removed: the archive holds {left} finished debates, and {keep} stay"),
            "`anvil history` lists them",
        );
        return if as_json { nothing_pruned(&prunable, &error) } else { Err(error) };
    }
    if as_json {
        if is_sure {
            engine.prune(&prunable)?;
        }
        return super::print_json(&plan(&prunable, is_sure));
    }
    super::print(&messages::prune_plan(&prunable))?;
    if !is_sure && !is_confirmed()? {
        return super::print(&messages::not_pruned(keep));
    }
    let (files, bytes) = engine.prune(&prunable)?;
    super::print(&messages::pruned(files, bytes))
}

/// Asks at a terminal; elsewhere the answer is no.
fn is_confirmed() -> Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Ok(false);
    }
    super::print(messages::PRUNE_QUESTION)?;
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    Ok(read.is_ok() && answer.trim() == "yes")
}

fn plan(prunable: &PrunePlan, is_removed: bool) -> Value {
    let files = |files: &[(std::path::PathBuf, u64)]| -> Vec<Value> {
        files.iter().map(|(path, bytes)| json!({ "path": path.display().to_string(), "bytes": bytes })).collect()
    };
    let debates: Vec<Value> = prunable
        .debates
        .iter()
        .map(|one| json!({ "id": one.id, "question": one.question, "files": files(&one.files) }))
        .collect();
    json!({ "removed": is_removed, "stay": prunable.stay, "bytes": prunable.bytes(), "debates": debates })
}

fn nothing_pruned(prunable: &PrunePlan, error: &Error) -> Result<()> {
    super::print_json(&plan(prunable, false))?;
    Err(error.clone())
}

/// The error; for a script the empty list before it.
fn nothing(error: Error, as_json: bool) -> Result<()> {
    if as_json {
        super::print("[]")?;
    }
    Err(error)
}

fn to_json(past: &PastDebate) -> Value {
    let debate = &past.debate;
    json!({
        "number": past.number,
        "id": debate.id,
        "question": debate.question,
        "mode": debate.options.mode.word(),
        "status": debate.progress.status.word(),
        "rounds": debate.options.max_rounds,
        "voices": debate.options.voices.iter().map(|voice| voice.name.as_str()).collect::<Vec<_>>(),
        "cycle": debate.progress.cycle,
        "started_at": debate.progress.started_at.to_string(),
        "updated_at": debate.progress.updated_at.to_string(),
        "verdict": past.verdict,
        "confidence": past.confidence,
        "confidence_percent": past.percent,
        "file": past.file.display().to_string(),
        "report": past.report.as_ref().map(|path| path.display().to_string()),
    })
}
