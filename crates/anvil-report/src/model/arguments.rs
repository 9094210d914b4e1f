//! The claims of a debate in a report: the seat of each, its ground and its result.

use serde::Serialize;

use super::part::ReportPart;
use crate::checked;
use anvil_core::ledger::{Check, Citation, ClaimResult, ClaimStatus, Finding, Ground, Id, Ledger};
use anvil_core::transcript::Author;

/// Most claims that are shown one by one; a long debate has some dozens.
const MAX_CLAIMS: usize = 1_000;

#[derive(Clone, Debug, Serialize)]
pub struct Argument {
    pub id: Id,
    pub cycle: u32,
    pub round: u8,
    /// `advocate`, `critic`, or the name of a voice.
    pub by: String,
    /// The author of its reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// The index of its section.
    pub section: usize,
    #[serde(rename = "sentence")]
    pub claim: String,
    pub ground: Ground,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
    #[serde(skip)]
    pub reasons: String,
    pub status: ClaimStatus,
    /// The result in the last synthesis; `None`: no synthesis was written since.
    pub result: Option<ClaimResult>,
    pub why: Option<String>,
    /// False: it survived, and no seat that may answer had a reply after it.
    pub answered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// For an objection to a document: it has an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<bool>,
    /// What became of it, in a word.
    #[serde(skip)]
    pub outcome: &'static str,
    /// The moves on it, in words.
    #[serde(skip)]
    pub happened: String,
}

impl Argument {
    /// Its ground, and what was checked of that.
    pub(crate) fn ground_and_check(&self) -> String {
        checked::ground_and_check(&self.ground, self.citation.as_ref(), self.check.as_ref())
    }
}

/// A finding with its sentence.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FindingInWords {
    #[serde(flatten)]
    finding: Finding,
    text: String,
}

/// The claims, in the order in which they were made.
pub(crate) fn arguments(ledger: &Ledger, parts: &[ReportPart]) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for claim in ledger.claims.iter().take(MAX_CLAIMS) {
        let Some(part) = parts.get(claim.section) else { continue };
        arguments.push(Argument {
            id: claim.id,
            cycle: claim.cycle,
            round: claim.round,
            by: part.voice.as_deref().unwrap_or(part.phase).to_owned(),
            author: part.author.clone(),
            section: claim.section,
            claim: claim.sentence.clone(),
            ground: claim.ground.clone(),
            citation: claim.citation.clone(),
            reasons: claim.reasons.clone(),
            status: claim.status,
            answered: claim.answered,
            resolved: claim.resolved,
            outcome: claim.outcome(),
            result: claim.result,
            why: Some(claim.why.clone()).filter(|why| !why.is_empty()),
            check: claim.check.clone(),
            happened: checked::moves_line(ledger, claim),
        });
    }
    arguments
}

/// `place` names a reply.
pub(crate) fn findings(ledger: &Ledger, place: impl Fn(usize) -> String) -> Vec<FindingInWords> {
    checked::shown_findings(&ledger.findings)
        .map(|finding| FindingInWords {
            text: checked::finding(finding, &place),
            finding: finding.clone(),
        })
        .collect()
}
