//! The ledger for users of the library: the contents of `docs/ledger.md` in few small types.

use crate::domain::debate::Seat;
use crate::domain::ledger::{
    self, ClaimResult, ClaimStatus, Ground, Id, MoveKind, NoVerdict, VerdictWord,
};
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
    /// The verdict of the last synthesis. `None`: no synthesis, or its block has none.
    pub verdict: Option<VerdictWord>,
    /// Why the last synthesis has no verdict, in a sentence without its full stop.
    pub no_verdict: Option<String>,
    /// The action that do and do not are about, as the last synthesis states it.
    pub motion: Option<String>,
    /// What to do, in one sentence.
    pub recommendation: Option<String>,
    /// In per cent, 0 to 100: of a hundred decisions argued like this one, in how many would this
    /// verdict prove right?
    pub confidence_percent: Option<u8>,
    /// The ids of the claims that carry the verdict.
    pub rests_on: Vec<String>,
    /// The strongest ground left against the verdict.
    pub against: Option<String>,
    /// The observation that decides, with the verdict `depends`.
    pub depends_on: Option<String>,
    /// The observation that would turn the verdict.
    pub flips_if: Option<String>,
    /// What nobody in the debate knew.
    pub unknown: Option<String>,
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
    /// False: the synthesis lets it survive, and no seat that may answer had a reply after it.
    pub answered: bool,
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
        let stated = ledger.last_synthesis().cloned();
        let verdict = stated.as_ref().map(|stated| stated.verdict.clone());
        let stated = stated.unwrap_or_default();
        Self {
            no_verdict: verdict
                .as_ref()
                .and_then(|verdict| verdict.as_ref().err())
                .map(NoVerdict::to_string),
            verdict: verdict.and_then(Result::ok),
            motion: stated.motion,
            recommendation: stated.recommendation,
            confidence_percent: stated.confidence,
            rests_on: stated.rests_on.as_deref().map(names).unwrap_or_default(),
            against: stated.against,
            depends_on: stated.depends_on,
            flips_if: stated.flips_if,
            unknown: stated.unknown,
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
        answered: claim.answered,
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
