//! `anvil agents`, `anvil attempts` and `anvil brief`: who could hold a seat here, what was asked of them, and in which words.

use std::io::{self, IsTerminal as _, Write as _};

use serde_json::{Value, json};

use crate::command::NamedSlot;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::messages;
use crate::run::{self, Listed};
use crate::seats::OwnAgent;
use crate::state::Attempts;
use crate::world::World;

pub(super) fn agents(world: &World, as_json: bool) -> Result<()> {
    let (listed, own) = run::list(world)?;
    if as_json {
        let all: Vec<Value> = listed.iter().map(to_json).chain(own.iter().map(own_to_json)).collect();
        return super::print_json(&json!(all));
    }
    let rows: Vec<messages::AgentRow<'_>> = listed
        .iter()
        .map(|agent| messages::AgentRow {
            profile: &agent.profile,
            place: agent.place.as_deref(),
            version: agent.version.as_deref(),
            is_logged_in: agent.is_logged_in,
        })
        .collect();
    super::print(&messages::agents(&rows, &own))
}

fn to_json(agent: &Listed) -> Value {
    let Listed { profile, place, version, is_logged_in } = agent;
    json!({
        "name": profile.name,
        "program": profile.program,
        "place": place,
        "version": version,
        "logged_in": is_logged_in,
        "tried": profile.is_tried,
        "isolation": {
            "without_tools": profile.isolation.without_tools.word(),
            "saves_nothing": profile.isolation.saves_nothing.word(),
            "reads_no_files": profile.isolation.reads_no_files.word(),
            "but": profile.isolation.but,
        },
    })
}

fn own_to_json(agent: &OwnAgent) -> Value {
    json!({ "name": agent.name, "stands_on": agent.base })
}

pub(super) fn attempts(engine: &Engine<'_>, id: Option<&str>, as_json: bool) -> Result<()> {
    let (debate, attempts) = engine.attempts(id)?;
    if as_json {
        return super::print_json(&all_to_json(&debate.id, &attempts));
    }
    super::print(&messages::attempts(&debate, &attempts))
}

/// The prompt as it was given; on a terminal without what would control it.
pub(super) fn brief(engine: &Engine<'_>, words: &[String]) -> Result<()> {
    let (slot, id) = NamedSlot::read(words)?;
    let Some(slot) = slot else {
        let (debate, attempts) = engine.attempts(id.as_deref())?;
        return super::print(&messages::briefs(&debate, &attempts));
    };
    let prompt = engine.shown_to(&slot, id.as_deref())?;
    if io::stdout().is_terminal() {
        return super::print(prompt.trim_end());
    }
    match io::stdout().lock().write_all(prompt.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io(&error, "standard output can't be written to"))
        }
        _ => Ok(()),
    }
}

fn all_to_json(id: &str, attempts: &Attempts) -> Value {
    let all: Vec<Value> =
        attempts.all.iter().map(|attempt| json!({ "started": attempt.started, "ended": attempt.ended })).collect();
    json!({ "id": id, "attempts": all, "seats": attempts.seats(), "total": attempts.total() })
}
