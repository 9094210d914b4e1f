//! The last synthesis where something was argued after it: what it says of the claims stands until there is another one.

use super::{Claim, Ledger, Synthesis};

/// A synthesis after which something was argued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The cycle that it ended.
    pub cycle: u32,
    /// What it says.
    pub synthesis: Synthesis,
    /// The reply that it is, counted from 0 through the debate.
    pub(super) section: usize,
}

impl Ledger {
    /// The last synthesis, also where something was argued after it.
    #[must_use]
    pub fn last_synthesis(&self) -> Option<&Synthesis> {
        self.synthesis.as_ref().or(self.earlier.as_ref().map(|earlier| &earlier.synthesis))
    }

    /// True where the last synthesis was written after this claim was made, and so owes it a line.
    #[must_use]
    pub fn was_judged(&self, claim: &Claim) -> bool {
        self.synthesis.is_some() || self.earlier.as_ref().is_some_and(|earlier| claim.section < earlier.section)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spoken;
    use super::*;
    use crate::debate::{Phase, Slot};
    use crate::ledger::Disposition;

    fn ledger(replies: &[(Phase, u32, &str)]) -> Ledger {
        let spoken = |&(phase, cycle, text)| Spoken { slot: Slot { phase, round: 1 }, cycle, text };
        Ledger::of(replies.iter().map(spoken))
    }

    #[test]
    fn what_a_synthesis_says_stands_until_there_is_another_one() {
        use Phase::{Advocate, Critic, Synthesizer};
        let replies = [
            (Advocate, 1, "**A1. One.** x\n\n**A2. Two.** y"),
            (
                Synthesizer,
                1,
                "**Verdict:** do\n\n- **A1** fell: no\n- **A3** survived: not made yet\n- **A1** survived: x",
            ),
            (Advocate, 2, "**A3. Three.** z"),
            (Critic, 2, "**C1. Four.** z"),
            (Synthesizer, 2, "- **A2** survived: y"),
        ];
        let said = |ledger: &Ledger| -> Vec<Option<Disposition>> {
            ledger.claims.iter().map(|claim| claim.disposition).collect()
        };
        let first = ledger(&replies[..2]);
        assert!(first.earlier.is_none() && first.synthesis == first.last_synthesis().cloned());

        for argued in [3, 4] {
            let ledger = ledger(&replies[..argued]);
            assert_eq!(said(&ledger)[..3], [Some(Disposition::Fell), None, None], "a claim of cycle 2 waits");
            let judged: Vec<bool> = ledger.claims.iter().map(|claim| ledger.was_judged(claim)).collect();
            assert_eq!(judged[..3], [true, true, false]);
            assert_eq!((ledger.claims[0].why.as_str(), ledger.synthesis.is_none()), ("no", true));
            assert_eq!(ledger.earlier.as_ref().map(|earlier| earlier.cycle), Some(1));
            assert_eq!(ledger.last_synthesis(), first.synthesis.as_ref());
            assert!(ledger.shortfall().is_nothing() && ledger.claims.len() == argued);
        }

        let second = ledger(&replies);
        assert_eq!(said(&second), [None, Some(Disposition::Survived), None, None], "only the last one counts");
        assert!(second.earlier.is_none() && second.shortfall().left_out.len() == 3, "it owes a line to every claim");
    }
}
