//! A debate that programs argue for a session of Claude Code: what its user is told.

use std::fmt::Write as _;

use super::error::ended;
use super::run::about;
use crate::debate::{Debate, Phase, Status};
use crate::engine::{Conclusion, News};
use crate::seats::RunEvent;
use crate::text::{clean, group};

/// What one reply takes, in seconds: 400 words of a large model, with its start.
const SECONDS_A_REPLY: u64 = 35;

/// Most claims of a conclusion that Claude is given, and characters of each.
const MOST_CLAIMS: usize = 12;
const MOST_CHARS: usize = 160;

/// The session was woken for what its user knows already.
pub const NEWS_IS_KNOWN: &str = "Anvil: nothing is new. /anvil:status shows the debate.";

/// `Anvil: 7 independent replies are being written (claude x 7, about 4 minutes). /anvil:status follows them.`
#[must_use]
pub fn being_written(event: &RunEvent, detached: bool) -> String {
    let RunEvent::Plan { seats, replies, about_tokens, shared_family, limits, .. } = event else {
        return String::new();
    };
    let who = match seats.split_first() {
        Some((first, rest)) if rest.iter().all(|seat| seat.agent == first.agent) => {
            format!("{} x {replies}", clean(&first.agent, 60))
        }
        _ => {
            seats.iter().map(|seat| format!("{} {}", seat.seat, clean(&seat.agent, 60))).collect::<Vec<_>>().join(", ")
        }
    };
    let minutes = (u64::from(*replies) * SECONDS_A_REPLY).div_ceil(60);
    let time = if minutes == 1 { "about a minute".to_owned() } else { format!("about {minutes} minutes") };
    let tokens = match *about_tokens {
        0 => String::new(),
        tokens => format!(", about {} tokens", group(about(tokens) as usize)),
    };
    let limits: String = limits.iter().flat_map(|limit| ["; ", limit.as_str()]).collect();
    let what = if *replies == 1 { "1 independent reply is" } else { &format!("{replies} independent replies are") };
    let mut text = format!("Anvil: {what} being written ({who}, {time}{tokens}{limits}). /anvil:status follows them.");
    if detached {
        text.push_str(" They go on when Claude Code ends.");
    }
    if let Some(family) = shared_family.as_deref().filter(|family| *family != "script") {
        let _ = write!(
            text,
            "\nBoth sides are of one family ({}): another one, such as --critic codex, argues more independently.",
            clean(family, 60)
        );
    }
    text
}

/// They are being written already.
#[must_use]
pub fn written_already(debate: &Debate) -> String {
    format!(
        "Anvil: {} is being written. /anvil:status follows it; /anvil:resume --isolated=no goes on in the conversation.",
        debate.slot_label()
    )
}

/// `Anvil: critic, round 1 of 3 (advocate filed, 221 words). Waiting for codex; the debate goes on by itself.`
#[must_use]
pub fn waits_for(filed: &str, agent: &str, goes_on_by_itself: bool) -> String {
    let filed = if filed.is_empty() { "Anvil: ".to_owned() } else { format!("{} ", ended(filed)) };
    let next = if goes_on_by_itself {
        "The debate goes on by itself."
    } else {
        "Type /anvil:resume when it is done; /anvil:status says so."
    };
    format!("{filed}Waiting for {}. {next}", clean(agent, 60))
}

/// What is new, in a line.
#[must_use]
pub fn news(news: &News) -> String {
    match news {
        News::Round(debate) => {
            let slot = debate.progress.slot;
            let over = if slot.phase == Phase::Synthesizer { slot.round } else { slot.round.saturating_sub(1) };
            format!(
                "Anvil: round {over} of {} is argued; {} is next. /anvil:steer TEXT gives it a direction.",
                debate.options.max_rounds.max(over),
                debate.slot_label()
            )
        }
        News::Rests(debate) => {
            let state = if debate.progress.status == Status::Failed { "failed at" } else { "paused before" };
            let why = ended(&clean(&debate.progress.status_detail, 300));
            let how = if debate.progress.status == Status::Failed {
                "/anvil:resume --agent AGENT gives the seats to another one."
            } else {
                "Type /anvil:resume to go on."
            };
            format!("Anvil: {state} {}: {why} {how}", debate.slot_label())
        }
        News::IsDead(debate) => format!(
            "Anvil: what wrote {} has ended. Nothing that was received is lost: type /anvil:resume to go on.",
            debate.slot_label()
        ),
        News::Completed { conclusion, .. } => {
            let Conclusion { verdict, confidence, contradicted, survived, claims, report, effort, tokens, .. } =
                &**conclusion;
            let mut text = format!("Anvil: complete. {}", ended(&clean(verdict, 240)));
            if let Some(confidence) = confidence {
                let _ = write!(text, "\nConfidence: {}", clean(confidence, 160));
            }
            if let Some(contradicted) = contradicted {
                let _ = write!(text, "\n{}", clean(contradicted, 400));
            }
            let _ = write!(text, "\n{} of {claims} claims survived.", survived.len());
            if let Some(report) = report {
                let _ = write!(text, " Report: {}", clean(report, 400));
            }
            if let Some(effort) = effort {
                let seats = tokens.iter().map(|(seat, tokens)| format!("{seat} {}", group(*tokens as usize)));
                let seats = seats.collect::<Vec<_>>().join(", ");
                let seats = if seats.is_empty() { seats } else { format!(" (tokens: {seats})") };
                let _ = write!(text, "\nIt took {}{seats}.", effort.line());
            }
            text
        }
    }
}

/// The same for Claude, so that the user can ask about it: bounded, and without the replies.
#[must_use]
pub fn conclusion(conclusion: &Conclusion) -> String {
    let Conclusion { question, verdict, confidence, contradicted, survived, claims, report, .. } = conclusion;
    let mut text = format!("Question: {}\nRecommendation: {}", clean(question, 300), clean(verdict, 400));
    if let Some(confidence) = confidence {
        let _ = write!(text, "\nConfidence: {}", clean(confidence, 300));
    }
    if let Some(contradicted) = contradicted {
        let _ = write!(text, "\n{}", clean(contradicted, 400));
    }
    let _ = write!(text, "\nClaims that survived ({} of {claims}):", survived.len());
    for claim in survived.iter().take(MOST_CLAIMS) {
        let _ = write!(text, "\n- {} {}", claim.id, clean(&claim.sentence, MOST_CHARS));
    }
    if survived.len() > MOST_CLAIMS {
        let _ = write!(text, "\n- and {} more", survived.len() - MOST_CLAIMS);
    }
    if let Some(report) = report {
        let _ = write!(text, "\nThe whole report: {}", clean(report, 400));
    }
    text
}
