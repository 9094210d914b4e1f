//! Corrections of a reply that its seat has to write again because of its form.

use super::standing::first_ids;
use anvil_core::ledger::{Correction, Fault, Id, Ledger};
use anvil_text::utf16_len;

/// Longest list of the claims that a block left out, in UTF-16 units. Claude forgets a claim again
/// if the list does not name it. Three quarters of 90 claims fit.
const MAX_LEFT_OUT: usize = 400;

/// Names the changes that can't be made, in at most `limit` UTF-16 units.
pub(super) fn unmade(border: &str, faults: &[String], limit: usize) -> String {
    let mut text = format!("{border} not every change can be made:");
    let end = " Write the whole reply anew, with all of its changes.";
    for fault in faults {
        // Without the nearest text if there is no room for it.
        let parts = [Some(fault.as_str()), fault.split("; ").next()];
        let sentences = parts.into_iter().flatten().map(|fault| format!(" {fault}."));
        let fits =
            |sentence: &String| utf16_len(&text) + utf16_len(sentence) + utf16_len(end) <= limit;
        if let Some(sentence) = sentences.into_iter().find(fits) {
            text.push_str(&sentence);
        }
    }
    text + end
}

/// The faults of the last synthesis' block, in phrases, in at most `limit` UTF-16 units.
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

/// A phrase for each fault. The claims that are left out share one.
fn phrases(faults: &[&Fault]) -> Vec<String> {
    let mut phrases = Vec::new();
    let mut left_out: Vec<Id> = Vec::new();
    for correction in faults.iter().filter_map(|fault| fault.row("").asks) {
        match correction {
            Correction::Block(phrase) => phrases.push(phrase),
            Correction::Claim(id) => left_out.push(id),
        }
    }
    if !left_out.is_empty() {
        let ids = first_ids(&left_out, MAX_LEFT_OUT);
        let verb = if ids.contains(' ') { "are" } else { "is" };
        phrases.push(format!("{ids} {verb} missing"));
    }
    phrases
}
