//! Whether the words that decisions rest on are still there. It says "changed", never "refuted".

use std::fmt::Write as _;

use super::Door;
use super::past::ending;
use anvil_core::ledger::RestedClaim;
use anvil_engine::{Recheck, RecheckedDecision, WordsNow};
use anvil_text::{Verb, clean, fit, number_of, wrap};

/// Longest name of a file, in characters.
const MAX_PATH: usize = 200;

/// The output of `anvil recheck`: each decision that was named; without names, each one that
/// lacks some of its words.
pub fn recheck(recheck: &Recheck, columns: usize, door: &Door) -> String {
    let mut out = wrap(&format!("Anvil: {}", summary(recheck)), columns).join("\n");
    for one in &recheck.decisions {
        if recheck.are_named || one.changed_count() > 0 || one.is_unknown() {
            let _ = write!(out, "\n\n{}", wrap(&sentence(one), columns).join("\n"));
            let question = clean(&one.decision.question, 2 * columns);
            let _ = write!(out, "\n  {}", fit(&question, columns.saturating_sub(2)));
            for words in one.changed_words() {
                let words = fit(&clean(words, 2 * columns), columns.saturating_sub(9));
                let _ = write!(out, "\n  it was: {words}");
            }
        }
    }
    for (file, why) in &recheck.unreadable {
        let _ = write!(out, "\n\n{}: {}", clean(file, MAX_PATH), clean(why, 200));
    }
    let mut changed = recheck.decisions.iter().filter(|one| one.changed_count() > 0);
    if let Some(first) = changed.next() {
        let anew = match &first.file {
            Some(_) => door.command(Verb::Start.with("QUESTION --follow-up FILE")),
            None => door.command(Verb::Again.with("TEXT")),
        };
        let next = format!("That makes no decision wrong. {anew} argues it once more.");
        let _ = write!(out, "\n\n{}", wrap(&next, columns).join("\n"));
    }
    out
}

fn summary(recheck: &Recheck) -> String {
    let resting = recheck.decisions.iter().filter(|one| one.has_words()).count();
    let changed = recheck.decisions.iter().filter(|one| one.changed_count() > 0).count();
    let unknown = recheck.decisions.iter().filter(|one| one.is_unknown()).count();
    let mut summary = match (resting, changed) {
        (0, _) => "no decision rests on words of a file.".to_owned(),
        (_, 0) if recheck.is_sound() => {
            let decisions = number_of(resting, "decision was", "decisions were");
            format!("{decisions} checked: all words are still there.")
        }
        (_, 0) => {
            let decisions = number_of(resting, "decision was", "decisions were");
            format!("{decisions} checked: of {unknown} not all words are known.")
        }
        _ => {
            let rest = number_of(resting, "decision rests", "decisions rest");
            format!("{changed} of {rest} on words that have changed.")
        }
    };
    for (count, one, many) in [
        (recheck.without_record, "file has no record of Anvil", "files have no record of Anvil"),
        (recheck.fallen, "record no longer stands", "records no longer stand"),
    ] {
        if count > 0 {
            let _ = write!(summary, " {}.", number_of(count, one, many));
        }
    }
    summary
}

/// `Decision 7 rests on A1 (its words changed: src/a.rs:41, last commit 3f2a) and C4 (unchanged).`
fn sentence(one: &RecheckedDecision) -> String {
    let number = one.decision.number.map(|number| number.to_string());
    let name = number.unwrap_or_else(|| ending(&one.decision.id).to_owned());
    let file = one.file.as_ref().map(|file| format!(" ({})", clean(file, MAX_PATH)));
    let claims: Vec<String> =
        one.claims().map(|(claim, now)| format!("{} ({})", claim.id, state(claim, now))).collect();
    let claims = match claims.as_slice() {
        [] => "no claim".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    format!("Decision {}{} rests on {claims}.", clean(&name, 100), file.unwrap_or_default())
}

fn state(claim: &RestedClaim, now: Option<&WordsNow>) -> String {
    let Some((words, now)) = claim.words.as_ref().zip(now) else {
        return match &claim.file {
            Some(file) => format!("it cites {}, but no words seen there", clean(file, MAX_PATH)),
            None => "it cites no file".to_owned(),
        };
    };
    let line = words.line.map(|line| format!(":{line}")).unwrap_or_default();
    let cited = clean(&words.path, MAX_PATH);
    match now {
        WordsNow::Unchanged { .. } => "unchanged".to_owned(),
        WordsNow::Moved { path, line } => format!("moved to {}:{line}", clean(path, MAX_PATH)),
        WordsNow::Unknown { why, .. } => format!("not known: {cited}, {}", clean(why, MAX_PATH)),
        WordsNow::Changed { commit, .. } => {
            let commit = commit.as_ref().map(|commit| format!(", last commit {commit}"));
            format!("its words changed: {cited}{line}{}", commit.unwrap_or_default())
        }
    }
}

/// A line at the start of a session: the count of the last recheck.
pub fn changed_words_line(decisions: usize, door: &Door) -> String {
    let rested = number_of(decisions, "decision rested", "decisions rested");
    let recheck = door.command(Verb::Recheck);
    format!(
        "Anvil: at the last recheck {rested} on changed words. {recheck} in a shell names them."
    )
}
