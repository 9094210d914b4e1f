//! `anvil status`: the state of the debate, for people or as JSON.

use anvil_core::debate::{Debate, Status, StopReason};
use anvil_core::ledger::{Ledger, Standing};
use anvil_core::transcript::ShortName;
use anvil_engine::{Context, Look, ReplyState, Writer, session};
use anvil_messages::Door;
use anvil_store::RecoveredLine;
use anvil_text::error::Result;
use serde_json::{Value, json};

pub(super) fn run(context: &Context<'_>, as_json: bool, door: &Door) -> Result<()> {
    let look = session::look(context, None)?;
    if as_json {
        super::print_json(&json(&look))
    } else {
        super::print_styled(&anvil_messages::status(&look, door, super::screen::screen()))
    }
}

pub(super) fn json(look: &Look) -> Value {
    let debate = &look.debate;
    let (done, total) = debate.count_phases();
    let ledger = Ledger::of_entries(&look.entries, &debate.alternatives());
    let is_completed = debate.status() == Status::Completed;
    let standing = if is_completed {
        ledger.standing()
    } else {
        Standing::Argued { motion: debate.motion().map(str::to_owned) }
    };
    let next = debate.next_place().id(debate.cycle());
    let is_unfinished = debate.status().is_unfinished();
    let mut value = json!({
        "id": debate.id,
        "question": debate.question,
        "mode": debate.options.mode.word(),
        "status": debate.status().word(),
        "status_detail": debate.stop_reason().map(StopReason::render),
        "step": debate.step(),
        "task": is_unfinished.then_some(&next),
        "sub_step": is_unfinished.then(|| sub_step(look)),
        "retry_count": debate.retry_count(),
        "phase": debate.phase(),
        "round": debate.place().number(),
        "max_rounds": debate.options.max_rounds,
        "cycle": debate.cycle(),
        "voices": debate.options.voices.iter().map(|voice| voice.name.as_str()).collect::<Vec<_>>(),
        "awaits_steering": debate.awaits_direction(),
        "skipped": look.skipped,
        "recovered": look.recovered.iter().map(RecoveredLine::line).collect::<Vec<_>>(),
        "phases_done": done,
        "phases_total": total,
        "words": look.words,
        "counts": ledger.counts(),
        "asked": questions(debate, &ledger),
        "tokens": look.effort.as_ref().and_then(|effort| effort.tokens),
        "session_id": debate.session_id(),
        "owner": look.owner.as_ref().map(|owner| json!({
            "session_id": owner.session_id,
            "is_running": owner.is_running,
            "since": owner.since.map(|since| since.to_string()),
        })),
        "effort": look.effort,
        "claimed": look
            .claims
            .iter()
            .map(|(task, holder)| json!({ "task": task, "name": holder.name }))
            .collect::<Vec<_>>(),
        "started_at": debate.started_at().to_string(),
        "updated_at": debate.updated_at().to_string(),
        "state_file": look.project.state_file().display().to_string(),
        "report": look.report.as_ref().map(|path| path.display().to_string()),
        "issue_behind": look.behind.as_ref().map(|behind| {
            json!({ "issue": behind.number().parse::<u32>().ok(), "why": behind.why })
        }),
    });
    super::add_all(&mut value, &standing);
    value
}

/// The questions back to the user, with their answers.
fn questions(debate: &Debate, ledger: &Ledger) -> Vec<Value> {
    ledger
        .questions(debate)
        .iter()
        .map(|question| {
            json!({
                "question": question.question,
                "answer": question.answer(),
                "is_open": question.is_open(),
            })
        })
        .collect()
}

/// The state of the next reply: the number of the try, what becomes of it, and who writes it or why
/// nobody does.
fn sub_step(look: &Look) -> Value {
    let detail = match &look.next.state {
        ReplyState::Written { writer: Writer::Conversation, .. } => Some("Claude Code".to_owned()),
        ReplyState::Written { writer: Writer::Run(agent), .. } => Some(match agent {
            Some(agent) => ShortName::new(agent).as_str().to_owned(),
            None => "anvil run".to_owned(),
        }),
        ReplyState::Written { writer: Writer::Holder(name), .. } => Some(name.clone()),
        ReplyState::Interrupted { why, .. } => Some(why.clone()),
        _ => look.debate.stop_reason().map(ToString::to_string),
    };
    json!({ "phase": look.next.tries, "name": look.next.word(), "detail": detail })
}
