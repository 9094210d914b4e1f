//! The claims of a debate as a report tells them: who made each, what it stands on, and what became of it.

use serde::Serialize;

use super::checked;
use super::part::Part;
use crate::ledger::{Check, Claim, Disposition, Finding, Ground, Id, Label, Ledger, Status};

/// Most claims of a debate that are shown one by one; a long one has some dozens.
const MAX_CLAIMS: usize = 1_000;

/// A claim.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Argument {
    pub(super) id: Id,
    pub(super) cycle: u32,
    /// The round in which it was made.
    pub(super) round: u8,
    /// `advocate`, `critic`, or the name of a voice.
    pub(super) by: String,
    /// The section it stands in.
    pub(super) section: usize,
    #[serde(rename = "sentence")]
    pub(super) claim: String,
    pub(super) ground: Ground,
    pub(super) status: Status,
    pub(super) label: Label,
    /// What the last synthesis says; `None`: it says nothing.
    pub(super) disposition: Option<Disposition>,
    pub(super) why: Option<String>,
    /// What a fact-checker found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) check: Option<Check>,
    /// The moves on it, in words.
    #[serde(skip)]
    pub(super) happened: String,
}

/// What is wrong, with its sentence.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Told {
    #[serde(flatten)]
    finding: Finding,
    text: String,
}

/// Every claim, in the order in which they were made.
pub(super) fn arguments(ledger: &Ledger, parts: &[Part]) -> Vec<Argument> {
    let argument = |claim: &Claim| {
        let part = parts.get(claim.section)?;
        Some(Argument {
            id: claim.id,
            cycle: claim.cycle,
            round: claim.round,
            by: part.voice.as_deref().unwrap_or(part.phase).to_owned(),
            section: claim.section,
            claim: claim.sentence.clone(),
            ground: claim.ground.clone(),
            status: claim.status,
            label: claim.label,
            disposition: claim.disposition,
            why: Some(claim.why.clone()).filter(|why| !why.is_empty()),
            check: claim.check.clone(),
            happened: checked::happened(ledger, claim),
        })
    };
    ledger.claims.iter().take(MAX_CLAIMS).filter_map(argument).collect()
}

/// Every finding. `place` names a reply.
pub(super) fn findings(ledger: &Ledger, place: impl Fn(usize) -> String) -> Vec<Told> {
    let in_words = |finding: &Finding| Told { text: checked::finding(finding, &place), finding: finding.clone() };
    ledger.findings.iter().map(in_words).collect()
}
