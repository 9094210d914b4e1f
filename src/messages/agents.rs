//! The programs that could hold a seat, and what was asked of them.

use super::USUAL_COLUMNS;
use crate::debate::Debate;
use crate::seats::{Effort, OwnAgent, Profile};
use crate::state::Attempts;
use crate::text::{clean, duration, group, table};

/// A program, as it is listed.
#[derive(Clone, Copy, Debug)]
pub struct AgentRow<'a> {
    /// What is known of it.
    pub profile: &'a Profile,
    /// Where it lies.
    pub place: Option<&'a str>,
    /// What it says of its version.
    pub version: Option<&'a str>,
    /// Whether it is logged in.
    pub is_logged_in: Option<bool>,
}

/// What `anvil agents` shows.
#[must_use]
pub fn agents(rows: &[AgentRow<'_>], own: &[OwnAgent]) -> String {
    let row = |agent: &AgentRow<'_>| {
        let here = match (agent.place, agent.version) {
            (None, _) => "not here".to_owned(),
            (Some(_), Some(version)) if !version.is_empty() => clean(version, 24),
            (Some(_), _) => "here".to_owned(),
        };
        let login = match agent.is_logged_in {
            Some(true) => "logged in; ",
            Some(false) => "not logged in; ",
            None => "",
        };
        let isolation = agent.profile.isolation;
        let known = [
            ("tools off", isolation.without_tools),
            ("nothing saved", isolation.saves_nothing),
            ("reads no project files", isolation.reads_no_files),
        ]
        .map(|(what, known)| format!("{what}: {}", known.word()));
        let but = if isolation.but.is_empty() { String::new() } else { format!("; {}", isolation.but) };
        [agent.profile.name.to_owned(), here, format!("{login}{}{but}", known.join(", "))]
    };
    let mut all: Vec<[String; 3]> = rows.iter().map(row).collect();
    all.extend(own.iter().map(|agent| [clean(&agent.name, 40), "yours".to_owned(), clean(&agent.base, 200)]));
    format!(
        "{}\n\n  cmd:\"COMMAND LINE\" runs a program of your own: the prompt on its standard input, the reply on its output.\n  script:FILE reads replies from a file. A model goes after a colon: claude:opus, llm:MODEL.",
        table(&all, USUAL_COLUMNS)
    )
}

/// What `anvil attempts` shows.
#[must_use]
pub fn attempts(debate: &Debate, attempts: &Attempts) -> String {
    if attempts.all.is_empty() {
        return format!("Anvil: no program was asked anything for {}", debate.label());
    }
    let rows: Vec<[String; 3]> = attempts
        .all
        .iter()
        .map(|attempt| {
            let started = &attempt.started;
            let outcome = match &attempt.ended {
                None => "running, or lost: `anvil run --resume` finds out".to_owned(),
                Some(ended) => {
                    let took = duration(ended.duration_ms.div_ceil(1_000));
                    let tokens = ended.tokens.map(|tokens| format!(", {} tokens", group(tokens as usize)));
                    let tokens = tokens.unwrap_or_default();
                    let left = match ended.left_behind.saturating_sub(ended.still_running) {
                        0 => String::new(),
                        1 => ", 1 process that it left behind was ended".to_owned(),
                        count => format!(", {count} processes that it left behind were ended"),
                    };
                    let left = match ended.still_running {
                        0 => left,
                        count => format!("{left}, {count} of its processes could not be ended"),
                    };
                    match ended.error {
                        None => format!("{} words in {took}{tokens}{left}", group(ended.words)),
                        Some(kind) if ended.message.is_empty() => {
                            format!("{} after {took}{tokens}{left}", kind.label())
                        }
                        Some(kind) => {
                            format!("{} after {took}{tokens}{left}: {}", kind.label(), clean(&ended.message, 200))
                        }
                    }
                }
            };
            [format!("{} {}", started.attempt, started.slot), clean(&started.agent, 40), outcome]
        })
        .collect();
    let total = Effort::of(attempts).map(|effort| effort.line()).unwrap_or_default();
    format!("Anvil: {}\n{}\n  {}", debate.label(), table(&rows, USUAL_COLUMNS), total)
}

/// What `anvil brief` lists: every slot that a program was asked for, with the newest attempt at it.
#[must_use]
pub fn briefs(debate: &Debate, attempts: &Attempts) -> String {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for started in attempts.all.iter().map(|attempt| &attempt.started) {
        rows.retain(|[slot, ..]| *slot != started.slot);
        rows.push([started.slot.clone(), format!("attempt {}", started.attempt), clean(&started.agent, 40)]);
    }
    if rows.is_empty() {
        return format!("Anvil: no program was asked anything for {}", debate.label());
    }
    let hint = "`anvil brief SLOT`, such as `anvil brief critic 1`, prints what it was shown.";
    format!("Anvil: {}\n{}\n  {hint}", debate.label(), table(&rows, USUAL_COLUMNS))
}
