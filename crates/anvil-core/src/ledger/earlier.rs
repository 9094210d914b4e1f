//! The last synthesis of a debate that is argued again. Its results stand until the next synthesis.

use super::{Ledger, Standing, Synthesis};

/// A synthesis with later replies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The cycle that it ended.
    pub cycle: u32,
    pub synthesis: Synthesis,
    /// What the debate had come to then.
    pub standing: Standing,
}

impl Ledger {
    /// The last synthesis, whether or not replies follow it.
    pub fn last_synthesis(&self) -> Option<&Synthesis> {
        self.synthesis.as_ref().or(self.earlier.as_ref().map(|earlier| &earlier.synthesis))
    }
}

#[cfg(test)]
mod tests {
    use super::super::LedgerReply;
    use super::*;
    use crate::ledger::{ClaimResult, Fault};
    use crate::place::{Place, Seat};
    use crate::question::Alternatives;

    fn ledger(replies: &[(Seat, u32, &str)]) -> Ledger {
        let spoken = |&(seat, cycle, text)| LedgerReply::new(Place { seat, round: 1 }, cycle, text);
        Ledger::from_replies(replies.iter().map(spoken), &Alternatives::default())
    }

    #[test]
    fn results_stand_until_the_next_synthesis() {
        use Seat::{Advocate, Critic, Synthesizer};
        let first = "```anvil\nA1 fell: no\nA3 survived: not made yet\nverdict: do\n```";
        let replies = [
            (Advocate, 1, "**A1. One.** x\n\n**A2. Two.** y"),
            (Synthesizer, 1, first),
            (Advocate, 2, "**A3. Three.** z"),
            (Critic, 2, "**C1. Four.** z"),
            (Synthesizer, 2, "```anvil\nA2 survived: y\n```"),
        ];
        let results = |ledger: &Ledger| -> Vec<Option<ClaimResult>> {
            ledger.claims.iter().map(|claim| claim.result).collect()
        };
        let first = ledger(&replies[..2]);
        assert!(first.earlier.is_none() && first.synthesis == first.last_synthesis().cloned());

        for argued in [3, 4] {
            let ledger = ledger(&replies[..argued]);
            assert_eq!(
                results(&ledger)[..3],
                [Some(ClaimResult::Fell), Some(ClaimResult::LeftOut), None],
                "no synthesis has seen a claim of cycle 2"
            );
            assert_eq!((ledger.claims[0].why.as_str(), ledger.synthesis.is_none()), ("no", true));
            assert_eq!(ledger.earlier.as_ref().map(|earlier| earlier.cycle), Some(1));
            assert_eq!(ledger.last_synthesis(), first.synthesis.as_ref());
            assert!(ledger.faults_of_block().is_empty(), "it is asked for nothing");
            assert_eq!(ledger.claims.len(), argued);
        }

        let second = ledger(&replies);
        let left_out = Some(ClaimResult::LeftOut);
        assert_eq!(
            results(&second),
            [left_out, Some(ClaimResult::Survived), left_out, left_out],
            "only the last one counts"
        );
        assert!(
            second.earlier.is_none() && second.synthesis.is_some(),
            "the second one stands for itself"
        );
        let left_out = |fault: &&&Fault| matches!(fault, Fault::LeftOut { .. });
        assert_eq!(
            second.faults_of_block().iter().filter(left_out).count(),
            3,
            "it owes a line to every claim"
        );
    }
}
