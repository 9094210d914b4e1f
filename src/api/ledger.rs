//! The ledger for users of the library: the contents of `docs/ledger.md` in few small types.

use crate::domain::debate::Seat;
use crate::domain::ledger::{self, ClaimResult, ClaimStatus, Ground, Id, MoveKind, VerdictWord};
use crate::domain::transcript;
use crate::storage::StateFile;
use crate::{engine, report};

/// Every claim of a debate, every move on it, and the faults that a program can find.
///
/// The replies alone decide its content. It never says who is right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ledger {
    /// Every claim, in the order of the replies.
    pub claims: Vec<Claim>,
    /// Every move, in the order of the replies. A move on two claims counts twice.
    pub moves: Vec<Move>,
    /// Faults, in the order of the replies.
    pub findings: Vec<Finding>,
    /// The verdict of the last synthesis, if it has a line `Verdict:`.
    pub verdict: Option<Verdict>,
    /// The recommendation of the last synthesis, one sentence.
    pub recommendation: Option<String>,
    /// The confidence of the last synthesis, in per cent.
    pub confidence: Option<u8>,
    /// The ids of the claims that carry the verdict.
    pub rests_on: Vec<String>,
}

/// A verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// `None`: the line holds something other than one of these words, or two lines differ.
    pub word: Option<VerdictWord>,
    /// The line, verbatim.
    pub text: String,
}

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// The id, unique in the debate: `A1`, `C2`, `S3.1`.
    pub id: String,
    /// The seat that made it.
    pub seat: Seat,
    /// The round in which it was made.
    pub round: u8,
    /// The claim's sentence.
    pub sentence: String,
    /// The basis that its own seat gives for it.
    pub ground: Ground,
    /// The status that follows from the moves alone.
    pub status: ClaimStatus,
    /// The result in the last synthesis.
    pub result: Option<ClaimResult>,
    /// The reason that the synthesis gives.
    pub why: String,
}

/// An action of a reply on a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Move {
    /// The kind of the move.
    pub kind: MoveKind,
    /// The id of the claim that it changes.
    pub target: String,
    /// The id of the claim that makes it, if any.
    pub by: Option<String>,
    /// The seat that makes it.
    pub seat: Seat,
    /// The round of the reply.
    pub round: u8,
    /// The quoted words.
    pub quote: Option<String>,
    /// True if the claim's seat has written the quoted words. `None`: there is no quote, or its
    /// origin is unknown.
    pub quote_found: Option<bool>,
    /// The text after the quote.
    pub reason: String,
}

/// A fault in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The id of the claim that it concerns.
    pub claim: Option<String>,
    /// A sentence that describes it.
    pub text: String,
}

impl Ledger {
    pub(super) fn from_state(state: &StateFile) -> Self {
        let entries = transcript::parse(&state.body);
        let places = engine::places(&entries, state.debate.progress.cycle);
        let ledger = ledger::Ledger::of_entries(&entries, &state.debate.alternatives());
        let place = |section: usize| places.get(section).cloned().unwrap_or_default();
        let synthesis = ledger.last_synthesis();
        let verdict = synthesis.map(|synthesis| &synthesis.verdict);
        Self {
            verdict: synthesis.and_then(|synthesis| {
                synthesis
                    .verdict
                    .text
                    .clone()
                    .map(|text| Verdict { word: synthesis.word.clone(), text })
            }),
            recommendation: verdict.and_then(|verdict| verdict.recommendation.clone()),
            confidence: verdict.and_then(ledger::Verdict::percent),
            rests_on: synthesis
                .and_then(|synthesis| synthesis.rests_on.as_deref())
                .map(names)
                .unwrap_or_default(),
            findings: ledger
                .findings
                .iter()
                .map(|finding| Finding {
                    claim: report::about(finding).map(|id| id.to_string()),
                    text: report::finding(finding, place),
                })
                .collect(),
            claims: ledger.claims.into_iter().map(claim).collect(),
            moves: ledger.moves.into_iter().map(made).collect(),
        }
    }
}

fn names(ids: &[Id]) -> Vec<String> {
    ids.iter().map(Id::to_string).collect()
}

fn claim(claim: ledger::Claim) -> Claim {
    Claim {
        id: claim.id.to_string(),
        seat: claim.id.seat(),
        round: claim.round,
        sentence: claim.sentence,
        ground: claim.ground,
        status: claim.status,
        result: claim.result,
        why: claim.why,
    }
}

fn made(made: ledger::Move) -> Move {
    Move {
        kind: made.kind,
        target: made.target.to_string(),
        by: made.by.map(|by| by.to_string()),
        seat: made.seat,
        round: made.round,
        quote: made.quote,
        quote_found: made.quote_found,
        reason: made.reason,
    }
}
