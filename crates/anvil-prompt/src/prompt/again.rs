//! What is wrong in a reply that is asked for again because of its form.

use super::standing::listed;
use super::{cut, utf16_len};
use anvil_core::ledger::{Fault, Id, Ledger};

/// Longest list of the claims that a block left out, in UTF-16 units. Claude forgets a claim again
/// if the list does not name it. Three quarters of 90 claims fit.
const MAX_LEFT_OUT: usize = 400;

/// Longest list of other ids, in UTF-16 units.
const MAX_IDS: usize = 90;

/// Longest name or line that is quoted, in UTF-16 units.
const MAX_NAME: usize = 60;

/// Names the changes that can't be made, in at most `limit` UTF-16 units.
pub(super) fn unmade(border: &str, faults: &[String], limit: usize) -> String {
    let mut text = format!("{border} not every change can be made:");
    let end = " Write the whole reply anew, with all of its changes.";
    for fault in faults {
        let sentence = format!(" {fault}.");
        if utf16_len(&text) + utf16_len(&sentence) + utf16_len(end) <= limit {
            text.push_str(&sentence);
        }
    }
    text + end
}

/// What is wrong with the block of the last synthesis, in phrases, in at most `limit` UTF-16 units.
pub fn wrong_in_block(ledger: &Ledger, limit: usize) -> String {
    let mut text = String::new();
    for phrase in phrases(&ledger.faults_of_block()) {
        let gap = if text.is_empty() { "" } else { "; " };
        if utf16_len(&text) + utf16_len(gap) + utf16_len(&phrase) <= limit {
            text = text + gap + &phrase;
        }
    }
    text
}

const GIVEN_UP: &str = "did not survive: given up, or contradicted by the fact-check";

/// A phrase for each fault. The claims with the same fault share one.
fn phrases(faults: &[&Fault]) -> Vec<String> {
    let ids = |of: &dyn Fn(&Fault) -> Option<Id>, limit| {
        let mut ids: Vec<Id> = Vec::new();
        for id in faults.iter().filter_map(|fault| of(fault)) {
            // A line on it and a verdict that rests on it are one thing to mend.
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        listed(&ids, limit)
    };
    let lists = [
        (ids(&left_out, MAX_LEFT_OUT), ["is missing", "are missing"]),
        (ids(&twice, MAX_IDS), ["stands there twice", "stand there twice"]),
        (ids(&without_reason, MAX_IDS), ["has no reason", "have no reason"]),
        (ids(&given_up, MAX_IDS), [GIVEN_UP; 2]),
        (ids(&invented, MAX_IDS), ["is no claim of this debate", "are no claims of this debate"]),
    ];
    let lists = lists.into_iter().filter(|(ids, _)| !ids.is_empty());
    let lists = lists
        .map(|(ids, [one, many])| format!("{ids} {}", if ids.contains(' ') { many } else { one }));
    faults.iter().filter_map(|fault| phrase(fault)).chain(lists).collect()
}

fn left_out(fault: &Fault) -> Option<Id> {
    if let Fault::LeftOut { id } = fault { Some(*id) } else { None }
}

fn twice(fault: &Fault) -> Option<Id> {
    if let Fault::ListedTwice { id } = fault { Some(*id) } else { None }
}

fn without_reason(fault: &Fault) -> Option<Id> {
    if let Fault::NoReason { id } = fault { Some(*id) } else { None }
}

fn given_up(fault: &Fault) -> Option<Id> {
    match fault {
        Fault::SurvivedThoughGivenUp { id } | Fault::SurvivedThoughContradicted { id } => Some(*id),
        _ => None,
    }
}

fn invented(fault: &Fault) -> Option<Id> {
    match fault {
        Fault::Invented { id } | Fault::RestsOnUnknown { id } => Some(*id),
        _ => None,
    }
}

/// The phrase for a fault of a line or of an option.
fn phrase(fault: &Fault) -> Option<String> {
    let short = |text: &str| cut(text, MAX_NAME).to_owned();
    Some(match fault {
        Fault::NoBlock { why } => format!("there is {}", why.words()),
        Fault::NoVerdict => "\"verdict\" is missing, or has other words".to_owned(),
        Fault::LineMissing { key } => format!("\"{key}\" is missing"),
        Fault::LineUnreadable { key } if key == "confidence" => {
            "\"confidence\" is no whole number".to_owned()
        }
        Fault::LineUnreadable { key } => format!("\"{key}\" can't be read"),
        Fault::LineTwice { key } => format!("\"{key}\" stands there twice"),
        Fault::LineRefused { key } => format!("\"{key}\" has no place there"),
        Fault::UnknownLine { line } => format!("\"{}\" is no line of it", short(line)),
        Fault::OtherMotion { .. } => "\"motion\" is another one".to_owned(),
        Fault::RestsOnMany { .. } => "\"rests on\" names more than four".to_owned(),
        Fault::UnknownOption { name } => format!("\"{}\" is no option", short(name)),
        Fault::OptionLeftOut { name } => {
            format!("\"{}\" has no place, or no line \"option\"", short(name))
        }
        Fault::OtherFirst { .. } => "the verdict is not the first place".to_owned(),
        Fault::ChangeWithoutClaim { item } => format!("\"change {item}\" names no claim"),
        _ => return None,
    })
}
