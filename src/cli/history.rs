//! `anvil history` and `prune`: earlier debates.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use serde_json::{Value, json};

use super::error::InputError;
use super::{outcome, screen};
use anvil_command::HistoryOptions;
use anvil_engine::{Context, PastDebate, PastDebates, PrunePlan, history};
use anvil_messages::Door;
use anvil_store::Scope;
use anvil_text::error::{Error, Result};

pub(super) fn run(
    context: &Context<'_>,
    options: &HistoryOptions,
    as_json: bool,
    door: &Door,
) -> Result<()> {
    if let Some(noted) = options.outcome_note()? {
        let noted = history::record_outcome(context, None, &noted)?;
        if as_json {
            return super::print_json(&json!(noted));
        }
        return super::print(&anvil_messages::outcome_lines(&noted, screen::columns()));
    }
    match options {
        HistoryOptions { due: true, all, .. } => {
            outcome::due(context, Scope::of_history(*all), as_json, door)
        }
        HistoryOptions { text, all, .. } if text.is_empty() => {
            history(context, Scope::of_history(*all), as_json, door)
        }
        HistoryOptions { text, all, .. } => {
            search(context, &text.join(" "), Scope::of_history(*all), as_json)
        }
    }
}

fn history(context: &Context<'_>, scope: Scope, as_json: bool, door: &Door) -> Result<()> {
    let past = match history::past(context, None, scope) {
        Ok(past) => past,
        Err(error) => return nothing(error, as_json),
    };
    if !as_json {
        return super::print_styled(&anvil_messages::history(
            &past,
            usize::MAX,
            screen::screen(),
            door,
        ));
    }
    let unreadable = past
        .unreadable
        .iter()
        .map(|(file, why)| json!({ "file": file.display().to_string(), "unreadable": why }));
    let all: Vec<Value> =
        past.debates.iter().map(|row| to_json(&past, row)).chain(unreadable).collect();
    super::print_json(&all.into())
}

fn search(context: &Context<'_>, text: &str, scope: Scope, as_json: bool) -> Result<()> {
    let found = history::search(context, None, text, scope)?;
    for line in anvil_messages::unsearchable(&found) {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    if found.debates.is_empty() {
        return nothing(anvil_messages::not_found(text), as_json);
    }
    if !as_json {
        return super::print(&anvil_messages::search_lines(&found, usize::MAX, screen::columns()));
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

pub(super) fn prune(context: &Context<'_>, keep: usize, is_sure: bool, door: &Door) -> Result<()> {
    let prunable = history::prunable(context, keep)?;
    if prunable.debates.is_empty() {
        return Err(nothing_to_prune(&prunable, keep));
    }
    super::print(&anvil_messages::prune_plan(&prunable))?;
    if !is_sure && !is_confirmed(anvil_messages::PRUNE_QUESTION)? {
        return super::print(&anvil_messages::no_prune_line(keep, door));
    }
    let (files, bytes) = history::prune(context, &prunable)?;
    super::print(&anvil_messages::prune_line(files, bytes))
}

/// Without `is_sure`, lists the debates and removes none; never asks.
pub(super) fn prune_as_json(context: &Context<'_>, keep: usize, is_sure: bool) -> Result<()> {
    let prunable = history::prunable(context, keep)?;
    let is_empty = prunable.debates.is_empty();
    if is_sure && !is_empty {
        history::prune(context, &prunable)?;
    }
    super::print_json(&plan(&prunable, is_sure && !is_empty))?;
    if is_empty { Err(nothing_to_prune(&prunable, keep)) } else { Ok(()) }
}

fn nothing_to_prune(prunable: &PrunePlan, keep: usize) -> Error {
    InputError::NothingToPrune { left: prunable.stay, keep }.into()
}

/// Asks at a terminal; elsewhere the answer is no.
pub(super) fn is_confirmed(question: &str) -> Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Ok(false);
    }
    super::print(question)?;
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    Ok(read.is_ok() && answer.trim() == "yes")
}

fn plan(prunable: &PrunePlan, is_removed: bool) -> Value {
    let mut debates = Vec::new();
    for debate in &prunable.debates {
        let files: Vec<Value> = debate
            .files
            .iter()
            .map(|(path, bytes)| json!({ "path": path.display().to_string(), "bytes": bytes }))
            .collect();
        debates.push(json!({ "id": debate.id, "question": debate.question, "files": files }));
    }
    json!({
        "removed": is_removed,
        "stay": prunable.stay,
        "bytes": prunable.bytes(),
        "debates": debates,
    })
}

/// Returns the error, after an empty list for scripts.
fn nothing(error: Error, as_json: bool) -> Result<()> {
    if as_json {
        super::print("[]")?;
    }
    Err(error)
}

fn to_json(all: &PastDebates, past: &PastDebate) -> Value {
    let debate = &past.debate;
    let rechecked = all.rechecked.get(&debate.id);
    let mut value = json!({
        "number": past.number,
        "project": past.place.display().to_string(),
        "id": debate.id,
        "question": debate.question,
        "mode": debate.options.mode.word(),
        "status": debate.status().word(),
        "rounds": debate.options.max_rounds,
        "voices": debate.options.voices.iter().map(|voice| voice.name.as_str()).collect::<Vec<_>>(),
        "cycle": debate.cycle(),
        "started_at": debate.started_at().to_string(),
        "updated_at": debate.updated_at().to_string(),
        "file": past.file.display().to_string(),
        "report": past.report.as_ref().map(|path| path.display().to_string()),
        "rechecked": rechecked,
    });
    super::add_all(&mut value, &past.standing.clone().unwrap_or_default());
    if !past.undone.is_empty() {
        let undone = past.undone.iter().map(|undone| {
            let file = undone.file.display().to_string();
            let mut value = json!({ "number": undone.snapshot, "file": file });
            super::add_all(&mut value, &undone.standing);
            value
        });
        value["undone"] = undone.collect();
    }
    value
}
