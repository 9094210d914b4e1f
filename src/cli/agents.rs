//! `anvil agents` and `anvil attempts`: the programs that can fill a seat on this machine, and
//! their attempts in a debate.

use anvil_engine::{Context, programs};
use anvil_messages::{AgentRow, Door};
use anvil_prompt::OwnAgent;
use anvil_store::{Attempt, Attempts};
use anvil_system::world::World;
use anvil_text::error::Result;
use serde_json::{Value, json};

pub(super) fn agents(world: &World, as_json: bool, door: &Door) -> Result<()> {
    let (listed, own) = anvil_run::list(world)?;
    if as_json {
        let mut all: Vec<Value> = listed.iter().map(to_json).collect();
        for OwnAgent { name, base, .. } in &own {
            all.push(json!({ "name": name, "stands_on": base }));
        }
        return super::print_json(&json!(all));
    }
    super::print(&anvil_messages::agents(&listed, &own, super::screen::columns(), door))
}

fn to_json(agent: &AgentRow) -> Value {
    let AgentRow { profile, place, version, is_logged_in } = agent;
    json!({
        "name": profile.name,
        "program": profile.program,
        "place": place,
        "version": version,
        "logged_in": is_logged_in,
        "isolation": {
            "without_tools": profile.isolation.without_tools,
            "saves_nothing": profile.isolation.saves_nothing,
            "reads_no_files": profile.isolation.reads_no_files,
            "but": profile.isolation.caveat,
        },
    })
}

pub(super) fn attempts(
    context: &Context<'_>,
    id: Option<&str>,
    show: Option<u32>,
    as_json: bool,
    door: &Door,
) -> Result<()> {
    if let Some(number) = show {
        let shown = programs::shown_attempt(context, id, number)?;
        if as_json {
            return super::print_json(&json!({
                "started": shown.attempt.started,
                "ended": shown.attempt.ended,
                "prompt": shown.prompt,
                "reply": shown.reply,
                "printed": shown.printed,
            }));
        }
        return super::print(&anvil_messages::shown_attempt(&shown, door));
    }
    let (debate, attempts) = programs::attempts(context, id)?;
    if as_json {
        return super::print_json(&all_to_json(&debate.id, &attempts));
    }
    super::print(&anvil_messages::attempts(&debate, &attempts, super::screen::screen(), door))
}

/// The lines of each attempt.
fn lines(attempts: &[Attempt]) -> Vec<Value> {
    attempts.iter().map(|one| json!({ "started": one.started, "ended": one.ended })).collect()
}

fn all_to_json(id: &str, attempts: &Attempts) -> Value {
    json!({
        "id": id,
        "attempts": lines(&attempts.all),
        "claims": lines(&attempts.claims),
        "turns": attempts.turns,
        "seats": attempts.seats,
        "total": attempts.total(),
    })
}
