//! Corrections of a reply that its seat has to write again because of its form.

use std::collections::BTreeMap;

use super::standing::listed;
use anvil_core::ledger::{ClaimCorrection, Correction, Fault, Id, Ledger, Severity};
use anvil_text::utf16_len;

/// Longest list of the claims that a block left out, in UTF-16 units. Claude forgets a claim again
/// if the list does not name it. Three quarters of 90 claims fit.
const MAX_LEFT_OUT: usize = 400;

/// Longest list of other ids, in UTF-16 units.
const MAX_IDS: usize = 90;

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

/// A phrase for each fault. The claims with the same fault share one.
fn phrases(faults: &[&Fault]) -> Vec<String> {
    let mut phrases = Vec::new();
    let mut claims: BTreeMap<ClaimCorrection, Vec<Id>> = BTreeMap::new();
    for row in faults.iter().map(|fault| fault.row("")) {
        match (row.severity, row.about) {
            (Severity::Asks(Correction::Block(phrase)), _) => phrases.push(phrase),
            (Severity::Asks(Correction::Claim(wrong)), Some(id)) => {
                let ids = claims.entry(wrong).or_default();
                // A line on a claim and a verdict that rests on that claim are one correction.
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            _ => {}
        }
    }
    phrases.extend(claims.into_iter().map(|(wrong, ids)| phrase_of_claims(wrong, &ids)));
    phrases
}

/// `A1, C2 are missing`.
fn phrase_of_claims(wrong: ClaimCorrection, ids: &[Id]) -> String {
    const GIVEN_UP: &str = "did not survive: given up, or contradicted by the fact-check";
    let limit = if wrong == ClaimCorrection::Missing { MAX_LEFT_OUT } else { MAX_IDS };
    let ids = listed(ids, limit);
    let [one, many] = match wrong {
        ClaimCorrection::Missing => ["is missing", "are missing"],
        ClaimCorrection::Twice => ["stands there twice", "stand there twice"],
        ClaimCorrection::WithoutReason => ["has no reason", "have no reason"],
        ClaimCorrection::GivenUp => [GIVEN_UP; 2],
        ClaimCorrection::Invented => ["is no claim of this debate", "are no claims of this debate"],
    };
    format!("{ids} {}", if ids.contains(' ') { many } else { one })
}
