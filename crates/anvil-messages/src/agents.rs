//! Agents and their attempts, for the user.

use std::fmt::Write as _;

use jiff::Timestamp;

use super::{Door, Screen, indent};
use anvil_core::attempt::{FailureKind, Slot, TurnLine, by_kind};
use anvil_core::debate::Debate;
use anvil_core::place::Seat;
use anvil_core::reply::Usage;
use anvil_engine::ShownAttempt;
use anvil_prompt::{Isolation, OwnAgent, Profile};
use anvil_store::{Attempt, Attempts, StartedLine};
use anvil_text::{Verb, clean, duration, fit, group, hint, table, words};

/// A known agent.
#[derive(Clone, Debug)]
pub struct AgentRow {
    pub profile: Profile,
    /// The path of the program. `None`: it is not on this machine.
    pub place: Option<String>,
    /// The version that the program prints.
    pub version: Option<String>,
    /// `None` if the program can't say without a request to its service.
    pub is_logged_in: Option<bool>,
}

/// The output of `anvil agents`: a line for each installed program, and one line for the others.
pub fn agents(rows: &[AgentRow], own: &[OwnAgent], columns: usize, door: &Door) -> String {
    let (installed, missing): (Vec<_>, Vec<_>) =
        rows.iter().partition(|agent| agent.place.is_some());
    let mut all: Vec<[String; 3]> = installed.into_iter().map(installed_row).collect();
    for OwnAgent { name, base, .. } in own {
        all.push([clean(name, 40), "yours".to_owned(), clean(base, 200)]);
    }
    let [first, second] = [0, 1]
        .map(|column| all.iter().map(|row| anvil_text::columns(&row[column])).max().unwrap_or(0));
    let mut lines = Vec::new();
    for [name, version, known] in &all {
        lines.push(fit(&format!("  {name:<first$}  {version:<second$}  {known}"), columns));
    }
    if !missing.is_empty() {
        let names = missing.iter().map(|agent| agent.profile.name).collect::<Vec<_>>().join(", ");
        lines.extend(indent(&format!("Not here: {names}."), columns));
    }
    lines.push(String::new());
    for line in [
        "cmd:\"COMMAND LINE\" runs a program of your own: the prompt on its standard input, the \
         reply on its output.",
        "script:FILE reads replies from a file. A model goes after a colon: claude:opus.",
        &door.text(hint![Verb::Agents.with("--json"), " shows more about each."]),
    ] {
        lines.extend(indent(line, columns));
    }
    lines.join("\n")
}

/// An installed agent: its name, its version, and what is known of it.
fn installed_row(agent: &AgentRow) -> [String; 3] {
    let version = match agent.version.as_deref() {
        None | Some("") => "here".to_owned(),
        Some(version) => clean(version, 24),
    };
    let login = match agent.is_logged_in {
        Some(true) => "logged in, ",
        Some(false) => "NOT logged in, ",
        None => "",
    };
    let notes = format!("{login}{}", isolation(agent.profile.isolation));
    [agent.profile.name.to_owned(), version, notes]
}

/// `isolated`, or what the program can do.
fn isolation(isolation: Isolation) -> String {
    let open: Vec<&str> = [
        ("using tools", isolation.without_tools),
        ("saving", isolation.saves_nothing),
        ("reading your instructions", isolation.reads_no_files),
    ]
    .into_iter()
    .filter(|(_, is_prevented)| !is_prevented)
    .map(|(what, _)| what)
    .collect();
    match open.join(", ").as_str() {
        "" => "isolated".to_owned(),
        open => format!("not prevented: {open}"),
    }
}

/// The output of `anvil attempts`, in the order of their beginnings. The turn of a conversation has
/// no number.
pub fn attempts(debate: &Debate, attempts: &Attempts, screen: Screen, door: &Door) -> String {
    let numbered: Vec<&Attempt> = attempts.all.iter().chain(&attempts.claims).collect();
    let last = numbered.iter().map(|attempt| attempt.started.attempt).max();
    if last.is_none() && attempts.turns.is_empty() {
        return format!("Anvil: no reply was asked for in {}", debate.label());
    }
    let width = last.map_or(1, |last| last.to_string().len());
    // The other columns need about so much.
    let name = screen.width().saturating_sub(40).clamp(12, 40);
    let mut rows: Vec<(Timestamp, [String; 3])> = Vec::new();
    for attempt in numbered {
        let StartedLine { attempt: number, slot, origin, at, .. } = &attempt.started;
        let label = format!("{number:>width$}  {}", slot_label(debate, *slot));
        rows.push((*at, [label, clean(&origin.agent, name), became(attempt, door)]));
    }
    for turn in &attempts.turns {
        let label = format!("{:>width$}  {}", "-", slot_label(debate, turn.slot));
        rows.push((turn.asked, [label, clean(TurnLine::AGENT, name), turned_out(turn)]));
    }
    rows.sort_by_key(|(began, _)| *began);
    let rows: Vec<[String; 3]> = rows.into_iter().map(|(_, row)| row).collect();
    let show = door.text(hint![
        "\n  ",
        Verb::Attempts.with("--show N"),
        " prints the prompt and the answer of attempt N."
    ]);
    let effort = attempts.effort().map(|all| indent(&all.line(), screen.width()).join("\n"));
    format!(
        "Anvil: {}\n{}{}{}",
        debate.label(),
        table(&rows, screen.width()),
        effort.map_or_else(String::new, |lines| format!("\n{lines}")),
        last.map_or("", |_| &show)
    )
}

/// The name of a slot; a voice has its own name.
fn slot_label(debate: &Debate, slot: Slot) -> String {
    debate
        .schedule()
        .places()
        .filter(|place| matches!(place.seat, Seat::Voice(_)))
        .find(|voice| slot == (*voice).into())
        .map_or_else(|| slot.to_string(), |voice| debate.label_of(voice))
}

/// The result of a turn: `231 words in 4 s, 1,204 tokens in, 310 out`, `interrupted after 2 s`.
fn turned_out(turn: &TurnLine) -> String {
    let words = words(turn.words);
    let (came, time) = match turn.error {
        None => (words.as_str(), "in"),
        Some(FailureKind::Interrupted) => ("interrupted", "after"),
        Some(FailureKind::Empty | FailureKind::Misshapen) => ("not usable", "after"),
        Some(kind) => (kind.label(), "after"),
    };
    let took = turn.duration_ms.map(|took| format!(" {time} {}", duration(took.div_ceil(1_000))));
    let tokens = tokens(turn.usage, None);
    let why = own_words(&turn.message);
    format!("{came}{}{tokens}{why}", took.unwrap_or_default())
}

/// `, 1,204 tokens in, 310 out`; empty if they are unknown.
fn tokens(usage: Option<Usage>, sum: Option<u64>) -> String {
    let sum = sum.map(|sum| format!("{} tokens", group(sum as usize)));
    let tokens = usage.map(|usage| by_kind(usage, "")).or(sum);
    tokens.map_or_else(String::new, |tokens| format!(", {tokens}"))
}

/// `: its own words`; empty without any.
fn own_words(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {}", clean(message, 200)) }
}

/// The result of an attempt: `231 words in 4 s`, `the program failed after 2 s: …`.
fn became(attempt: &Attempt, door: &Door) -> String {
    let Some(ended) = &attempt.ended else {
        return match attempt.claim() {
            Some(_) if attempt.is_dead() => "its process ended".to_owned(),
            Some(_) => "claimed".to_owned(),
            None if attempt.started.process.is_alive() => "running".to_owned(),
            None => door.text(hint!["its run ended: ", Verb::Run.with("--resume"), " goes on"]),
        };
    };
    let took = duration(ended.exit.duration_ms.div_ceil(1_000));
    let tokens = tokens(ended.usage, ended.tokens);
    let mut left = match ended.left.left_behind.saturating_sub(ended.left.still_running) {
        0 => String::new(),
        1 => ", 1 process that it left behind was ended".to_owned(),
        count => format!(", {count} processes that it left behind were ended"),
    };
    if ended.left.still_running > 0 {
        let _ = write!(left, ", {} of its processes could not be ended", ended.left.still_running);
    }
    let message = own_words(&ended.message);
    match ended.error {
        None => format!("{} in {took}{tokens}{left}", words(ended.words)),
        Some(kind) => format!("{} after {took}{tokens}{left}{message}", kind.label()),
    }
}

/// The output of `anvil attempts --show N`: the prompt and the output, word for word.
pub fn shown_attempt(shown: &ShownAttempt, door: &Door) -> String {
    let started = &shown.attempt.started;
    let slot = started.slot;
    let agent = clean(&started.origin.agent, 40);
    let attempt = started.attempt;
    let prompt = shown.prompt.trim_end();
    let mut out = format!("── Prompt of attempt {attempt} · {slot} · {agent} ──\n\n{prompt}");
    let _ = write!(out, "\n\n── Answer · {} ──", became(&shown.attempt, door));
    let printed = shown.printed.iter().flatten();
    for text in shown.reply.iter().chain(printed).map(|text| text.trim_end()) {
        if !text.is_empty() {
            let _ = write!(out, "\n\n{text}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_prompt::PROFILES;

    #[test]
    fn each_installed_program_has_a_line_and_the_others_share_one() {
        let row = |profile: &'static Profile| AgentRow {
            profile: *profile,
            place: (profile.name == "claude").then(|| "/bin/claude".to_owned()),
            version: Some("2.1.330 (Claude Code)".to_owned()),
            is_logged_in: Some(false),
        };
        let rows: Vec<AgentRow> = PROFILES.iter().map(row).collect();
        for width in [80, 110, 160] {
            let shown = agents(&rows, &[], width, &Door::default());
            let lines: Vec<&str> = shown.lines().collect();
            assert!(
                lines[0].starts_with("  claude  2.1.330 (Claude Code)  NOT logged in, "),
                "{shown}"
            );
            assert!(lines[1].starts_with("  Not here: ") && lines[1].contains("codex"), "{shown}");
            assert!(lines.iter().all(|line| anvil_text::columns(line) <= width), "{shown}");
        }
    }
}
