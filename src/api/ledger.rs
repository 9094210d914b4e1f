//! The ledger of a debate, for whoever calls the library: what `docs/ledger.md` describes, in types that are few and small.

use crate::debate::Seat;
use crate::engine;
use crate::ledger::{self, Call, Disposition, Ground, Id, MoveKind, Status};
use crate::report;
use crate::state::StateFile;
use crate::transcript;

/// Every claim of a debate, every move on it, and what can be said of them without a model.
///
/// It is read from the replies alone, and never says who is right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ledger {
    /// Every claim, in the order in which they were made.
    pub claims: Vec<Claim>,
    /// Every move, in order. A move on two claims is two.
    pub moves: Vec<Move>,
    /// What does not hold, in the order of the replies.
    pub findings: Vec<Finding>,
    /// What the last synthesis says in its line `Verdict:`.
    pub call: Option<Call>,
    /// The recommendation of the last synthesis, in a sentence.
    pub recommendation: Option<String>,
    /// Its confidence in per cent.
    pub confidence: Option<u8>,
    /// The claims that carry it, by their ids.
    pub rests_on: Vec<String>,
}

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// Its id, which no other claim of the debate has: `A1`, `C2`, `S3.1`.
    pub id: String,
    /// Who made it.
    pub seat: Seat,
    /// The round in which it was made.
    pub round: u8,
    /// The claim.
    pub sentence: String,
    /// What it stands on, as its own side marks it.
    pub ground: Ground,
    /// Where it stands by the moves alone.
    pub status: Status,
    /// What the last synthesis says of it.
    pub disposition: Option<Disposition>,
    /// Why, in the words of the synthesis.
    pub why: String,
}

/// What a reply does to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Move {
    /// What it does.
    pub kind: MoveKind,
    /// The claim, by its id.
    pub target: String,
    /// The claim that makes the move, where one does.
    pub by: Option<String>,
    /// Who makes it.
    pub seat: Seat,
    /// The round.
    pub round: u8,
    /// The words that it quotes.
    pub quote: Option<String>,
    /// Those words stand in a reply of the claim's side.
    pub quote_found: Option<bool>,
    /// What else it says.
    pub reason: String,
}

/// Something that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The claim that it is about, by its id.
    pub claim: Option<String>,
    /// What it is, in a sentence.
    pub text: String,
}

impl Ledger {
    pub(super) fn of(state: &StateFile) -> Self {
        let entries = transcript::parse(&state.body);
        let places = engine::places(&entries, state.debate.progress.cycle);
        let ledger = ledger::Ledger::of_entries(&entries);
        let place = |section: usize| places.get(section).cloned().unwrap_or_default();
        let synthesis = ledger.last_synthesis();
        let verdict = synthesis.map(|synthesis| &synthesis.verdict);
        Self {
            call: synthesis.and_then(|synthesis| synthesis.call),
            recommendation: verdict.and_then(|verdict| verdict.recommendation.clone()),
            confidence: verdict.and_then(ledger::Verdict::percent),
            rests_on: synthesis.and_then(|synthesis| synthesis.rests_on.as_deref()).map(names).unwrap_or_default(),
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
        disposition: claim.disposition,
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
