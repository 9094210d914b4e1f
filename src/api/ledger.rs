//! The ledger for users of the library: the contents of `docs/ledger.md` in few small types.
use anvil_core::ledger::{self, Claim, Id, Move, NoVerdict, VerdictWord};
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
    /// The verdict of the last synthesis. `None`: no synthesis, or its block has none.
    pub verdict: Option<VerdictWord>,
    /// Why the last synthesis has no verdict, in a sentence without its full stop.
    pub no_verdict: Option<String>,
    /// The action that do and do not are about, as the last synthesis states it.
    pub motion: Option<String>,
    /// The recommendation, in one sentence.
    pub recommendation: Option<String>,
    /// In per cent, 0 to 100: of a hundred decisions argued like this one, in how many would this
    /// verdict prove right?
    pub confidence_percent: Option<u8>,
    /// The claims that carry the verdict.
    pub rests_on: Vec<Id>,
    /// The strongest ground left against the verdict.
    pub against: Option<String>,
    /// The observation that decides, with the verdict `depends`.
    pub depends_on: Option<String>,
    /// The observation that would turn the verdict.
    pub flips_if: Option<String>,
    /// The facts that no seat of the debate knew.
    pub unknown: Option<String>,
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
        let places = anvil_engine::places(&entries, state.debate.progress.cycle);
        let ledger = ledger::Ledger::of_entries(&entries, &state.debate.alternatives());
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
            rests_on: stated.rests_on.unwrap_or_default(),
            against: stated.against,
            depends_on: stated.depends_on,
            flips_if: stated.flips_if,
            unknown: stated.unknown,
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
