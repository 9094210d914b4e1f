//! Agents and their attempts, for the user.

use std::fmt::Write as _;

use super::{USUAL_COLUMNS, indented};
use crate::domain::debate::Debate;
use crate::engine::ShownAttempt;
use crate::seats::{Effort, Isolation, KnownAgent, OwnAgent, Profile};
use crate::storage::{Attempt, Attempts};
use crate::text::{self, clean, duration, fit, group, table};

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
pub fn agents(rows: &[AgentRow], own: &[OwnAgent], columns: usize) -> String {
    let row = |agent: &AgentRow| {
        let version = agent
            .version
            .as_deref()
            .filter(|version| !version.is_empty())
            .map_or("here".to_owned(), |version| clean(version, 24));
        let login = match agent.is_logged_in {
            Some(true) => "logged in, ",
            Some(false) => "NOT logged in, ",
            None => "",
        };
        (
            agent.profile.name.to_owned(),
            version,
            format!("{login}{}", isolation(agent.profile.isolation)),
        )
    };
    let (installed, missing): (Vec<_>, Vec<_>) =
        rows.iter().partition(|agent| agent.place.is_some());
    let yours =
        |agent: &OwnAgent| (clean(&agent.name, 40), "yours".to_owned(), clean(&agent.base, 200));
    let all: Vec<(String, String, String)> =
        installed.into_iter().map(row).chain(own.iter().map(yours)).collect();
    let width = |of: fn(&(String, String, String)) -> &String| {
        all.iter().map(|row| text::columns(of(row))).max().unwrap_or(0)
    };
    let (first, second) = (width(|row| &row.0), width(|row| &row.1));
    let line = |(name, version, known): &(String, String, String)| {
        fit(&format!("  {name:<first$}  {version:<second$}  {known}"), columns)
    };
    let mut lines: Vec<String> = all.iter().map(line).collect();
    if !missing.is_empty() {
        let names = missing.iter().map(|agent| agent.profile.name).collect::<Vec<_>>().join(", ");
        lines.extend(indented(&format!("Not here: {names}."), columns));
    }
    lines.push(String::new());
    for line in [
        "cmd:\"COMMAND LINE\" runs a program of your own: the prompt on its standard input, the \
         reply on its output.",
        "script:FILE reads replies from a file. A model goes after a colon: claude:opus, \
         llm:MODEL.",
        "`anvil agents --json` says more of each.",
    ] {
        lines.extend(indented(line, columns));
    }
    lines.join("\n")
}

/// `isolated`, or what the program can do.
fn isolation(isolation: Isolation) -> String {
    let open: Vec<&str> = [
        ("tools", isolation.without_tools),
        ("saving", isolation.saves_nothing),
        ("reading your instructions", isolation.reads_no_files),
    ]
    .into_iter()
    .filter(|(_, known)| !matches!(known, KnownAgent::Measured | KnownAgent::Documented))
    .map(|(what, _)| what)
    .collect();
    match open.join(", ").as_str() {
        "" => "isolated".to_owned(),
        open => format!("not kept from {open}"),
    }
}

/// The output of `anvil attempts`, sorted by number.
pub fn attempts(debate: &Debate, attempts: &Attempts) -> String {
    let Some(last) = attempts.all.last() else {
        return format!("Anvil: no program was asked anything for {}", debate.label());
    };
    let width = last.started.attempt.to_string().len();
    let row = |attempt: &Attempt| {
        let started = &attempt.started;
        let slot = format!("{:>width$}  {}", started.attempt, clean(&started.slot, 40));
        [slot, clean(&started.agent, 40), became(attempt)]
    };
    let rows: Vec<[String; 3]> = attempts.all.iter().map(row).collect();
    let total = Effort::from_attempts(attempts).map(|effort| effort.line()).unwrap_or_default();
    format!(
        "Anvil: {}\n{}\n  {total}\n  `anvil attempts --show N` prints what attempt N was shown \
         and what came back.",
        debate.label(),
        table(&rows, USUAL_COLUMNS)
    )
}

/// The result of an attempt: `231 words in 4 s`, `the program failed after 2 s: …`.
fn became(attempt: &Attempt) -> String {
    let Some(ended) = &attempt.ended else {
        return "running, or lost: `anvil run --resume` finds out".to_owned();
    };
    let took = duration(ended.duration_ms.div_ceil(1_000));
    let tokens = ended.tokens.map(|tokens| format!(", {} tokens", group(tokens as usize)));
    let tokens = tokens.unwrap_or_default();
    let mut left = match ended.left_behind.saturating_sub(ended.still_running) {
        0 => String::new(),
        1 => ", 1 process that it left behind was ended".to_owned(),
        count => format!(", {count} processes that it left behind were ended"),
    };
    if ended.still_running > 0 {
        let _ = write!(left, ", {} of its processes could not be ended", ended.still_running);
    }
    let message = match ended.message.as_str() {
        "" => String::new(),
        message => format!(": {}", clean(message, 200)),
    };
    match ended.error {
        None => format!("{} words in {took}{tokens}{left}", group(ended.words)),
        Some(kind) => format!("{} after {took}{tokens}{left}{message}", kind.label()),
    }
}

/// The output of `anvil attempts --show N`: the prompt and the output, word for word.
pub fn shown_attempt(shown: &ShownAttempt) -> String {
    let started = &shown.attempt.started;
    let (slot, agent) = (clean(&started.slot, 40), clean(&started.agent, 40));
    let (attempt, prompt) = (started.attempt, shown.prompt.trim_end());
    let mut out = format!("── Shown in attempt {attempt} · {slot} · {agent} ──\n\n{prompt}");
    let _ = write!(out, "\n\n── Came back · {} ──", became(&shown.attempt));
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
    use crate::seats::PROFILES;

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
            let shown = agents(&rows, &[], width);
            let lines: Vec<&str> = shown.lines().collect();
            assert!(
                lines[0].starts_with("  claude  2.1.330 (Claude Code)  NOT logged in, "),
                "{shown}"
            );
            assert!(lines[1].starts_with("  Not here: ") && lines[1].contains("codex"), "{shown}");
            assert!(lines.iter().all(|line| text::columns(line) <= width), "{shown}");
        }
    }
}
