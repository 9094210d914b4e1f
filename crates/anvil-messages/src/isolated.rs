//! A debate that programs argue for a session of Claude Code, for the session's user.

use std::fmt::Write as _;

use super::Door;
use super::Screen;
use super::error::with_full_stop;
use super::run::{agents_of, one_family};
use super::turns::{completion_lines, time};
use anvil_core::debate::{Debate, Status};
use anvil_core::ledger::{Claim, ClaimResult, PLAN_CHANGES};
use anvil_core::place::Seat;
use anvil_engine::{Completed, News};
use anvil_prompt::RunEvent;
use anvil_prompt::prompt;
use anvil_text::utf16_len;
use anvil_text::{clean, number_of};

/// Most claims of a conclusion for Claude, and the longest text of each, in characters.
const MOST_CLAIMS: usize = 12;
const MOST_CHARS: usize = 160;

/// Longest conclusion, in UTF-16 units: the words around it have less than 900.
const MAX_CONCLUSION: usize = 8_600;

/// A background command woke the session for news that its user knows already.
pub const NEWS_IS_KNOWN: &str = "Anvil: nothing new. /anvil:status shows the debate.";

/// `Anvil: 7 independent replies are being written (claude x 7; about 6 min; …). /anvil:status
/// follows them.`
pub fn writing_line(event: &RunEvent, detached: bool) -> String {
    let RunEvent::Plan { seats, estimate, suggested, limits, .. } = event else {
        return String::new();
    };
    let replies = estimate.replies;
    let each = seats.iter().map(|seat| format!("{} {}", seat.seat, agents_of(seat)));
    let agents = match seats.split_first() {
        Some((first, others)) if others.iter().all(|seat| agents_of(seat) == agents_of(first)) => {
            format!("{} x {replies}", agents_of(first))
        }
        _ => each.collect::<Vec<_>>().join(", "),
    };
    let limits: String = limits.iter().flat_map(|limit| ["; ", limit.as_str()]).collect();
    let subject = number_of(replies as usize, "independent reply is", "independent replies are");
    let time = time(*estimate).map_or_else(String::new, |time| format!("; {time}"));
    let mut text = format!(
        "Anvil: {subject} being written ({agents}{time}{limits}). /anvil:status \
         follows them."
    );
    if detached {
        text.push_str(" They continue after Claude Code ends.");
    }
    text.extend(suggested.as_deref().map(one_family));
    text
}

/// Programs are already writing the replies.
pub fn still_writing_line(debate: &Debate) -> String {
    format!(
        "Anvil: {} is being written. /anvil:status follows it; /anvil:resume --isolated=no \
         continues in the conversation.",
        debate.place_label()
    )
}

/// The news on one line.
pub fn news(news: &News, door: &Door) -> String {
    match news {
        News::Round(debate) => {
            let place = debate.place();
            let is_argued = place.seat == Seat::Synthesizer;
            let over = if is_argued { place.number() } else { place.number().saturating_sub(1) };
            format!(
                "Anvil: round {over} of {} is complete; {} is next. /anvil:steer TEXT gives it a \
                 direction.",
                debate.options.max_rounds.max(over),
                debate.place_label()
            )
        }
        News::Paused(debate) => {
            let (state, how) = match debate.status() {
                Status::Failed => {
                    ("stopped at", "/anvil:resume --agent AGENT gives the seats to another agent.")
                }
                _ => ("paused before", "/anvil:resume continues."),
            };
            let why = with_full_stop(&clean(&debate.why_stopped(), 300));
            format!("Anvil {state} {}: {why} {how}", debate.place_label())
        }
        News::IsDead(debate) => format!(
            "Anvil: the program that was writing {} has ended. No received reply is lost: type \
             /anvil:resume to continue.",
            debate.place_label()
        ),
        News::Completed { conclusion, .. } => completion_lines(conclusion, door, Screen::default()),
    }
}

/// The result for Claude, so that the user can ask about it: limited in length, without the
/// replies. What to change in a plan comes last, word for word as far as it fits.
pub fn conclusion(completed: &Completed) -> String {
    let Completed { question, standing, ledger, .. } = completed;
    let mut text = format!("Question: {}", clean(question, 300));
    if let Some(motion) = standing.motion() {
        let _ = write!(text, "\nMotion: {}", clean(motion, 300));
    }
    let _ = write!(text, "\nVerdict: {}", clean(&standing.headline(), 600));
    if let Some(lead) = standing.verdict().and_then(|verdict| verdict.recommendation.as_ref()) {
        let _ = write!(text, "\nRecommendation: {}", clean(lead, 400));
    }
    for caution in standing.cautions() {
        let _ = write!(text, "\nCaution: {}", clean(caution, 200));
    }
    if let Some(contradicted) = anvil_report::contradiction(ledger) {
        let _ = write!(text, "\n{}", clean(&contradicted, 400));
    }
    let survived: Vec<&Claim> =
        ledger.claims.iter().filter(|claim| claim.result == Some(ClaimResult::Survived)).collect();
    let _ = write!(text, "\nClaims that survived ({} of {}):", survived.len(), ledger.claims.len());
    for claim in survived.iter().take(MOST_CLAIMS) {
        let _ = write!(text, "\n- {} {}", claim.id, clean(&claim.sentence, MOST_CHARS));
    }
    if survived.len() > MOST_CLAIMS {
        let _ = write!(text, "\n- and {} more", survived.len() - MOST_CLAIMS);
    }
    if let Ok(report) = &completed.report {
        let report = clean(&completed.project.display(report), 400);
        let _ = write!(text, "\nThe whole report: {report}");
    }
    if let Some(changes) = &completed.plan_changes {
        let _ = write!(text, "\n{PLAN_CHANGES}, word for word:\n\n");
        let room = MAX_CONCLUSION.saturating_sub(utf16_len(&text));
        text.push_str(&prompt::quoted_lines(changes, room));
    }
    text
}
