//! The ledger for users of the library: the contents of `docs/ledger.md` in few small types.
use anvil_core::ledger::{self, Claim, Id, Move, Standing};
use anvil_core::transcript;
use anvil_store::StateFile;

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
    /// What the debate came to: a valid verdict with its cautions, or why there is none.
    pub standing: Standing,
}

/// A fault in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The claim that it concerns.
    pub claim: Option<Id>,
    /// A sentence that describes it.
    pub text: String,
}

impl Ledger {
    pub(crate) fn from_state(state: &StateFile) -> Self {
        let entries = transcript::parse(&state.body);
        let places = anvil_engine::places(&entries, state.debate.cycle());
        let ledger = ledger::Ledger::of_entries(&entries, &state.debate.alternatives());
        Self {
            standing: ledger.standing(),
            findings: ledger
                .findings
                .iter()
                .map(|finding| Finding {
                    claim: finding.about(),
                    text: anvil_report::finding(finding, |section: usize| {
                        places.get(section).cloned().unwrap_or_default()
                    }),
                })
                .collect(),
            claims: ledger.claims,
            moves: ledger.moves,
        }
    }
}
