//! What a synthesis is asked for once more: the claims that it has not accounted for.

use super::{Claim, Fault, Id, Ledger, Unread};

/// Where a synthesis does not account for every claim exactly once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shortfall {
    /// Claims without a line.
    pub left_out: Vec<Id>,
    /// Ids of claims that nobody made.
    pub invented: Vec<Id>,
    /// Claims that it disposes of twice, or that survive although their own side gave them up or the fact-check contradicts them.
    pub contradictory: Vec<Id>,
    /// It has no line `**Verdict:**` that can be read.
    pub lacks_call: bool,
    /// It has no line `**Rests on:**` that names claims or says "nothing".
    pub lacks_carriers: bool,
}

impl Shortfall {
    /// True where nothing is missing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Ledger {
    /// Where the last synthesis does not account for every claim. Where nobody made a claim that can be read, it owes no more than
    /// that its verdict can be.
    #[must_use]
    pub fn shortfall(&self) -> Shortfall {
        let mut shortfall = Shortfall::default();
        let Some(synthesis) = &self.synthesis else { return shortfall };
        if self.claims.is_empty() {
            shortfall.lacks_call = synthesis.unread_call().is_some_and(|why| why != Unread::Missing);
            return shortfall;
        }
        let is_left_out = |claim: &&Claim| claim.disposition.is_none();
        shortfall.left_out = self.claims.iter().filter(is_left_out).map(|claim| claim.id).collect();
        for finding in &self.findings {
            let (list, id) = match &finding.fault {
                Fault::Invented { id } | Fault::RestsOnUnknown { id } => (&mut shortfall.invented, *id),
                Fault::DisposedTwice { id }
                | Fault::SurvivedThoughGivenUp { id }
                | Fault::SurvivedThoughContradicted { id } => (&mut shortfall.contradictory, *id),
                Fault::NoCall => {
                    shortfall.lacks_call = true;
                    continue;
                }
                Fault::NoCarriers => {
                    shortfall.lacks_carriers = true;
                    continue;
                }
                Fault::ReusedId { .. }
                | Fault::UnknownClaim { .. }
                | Fault::QuoteNotFound { .. }
                | Fault::GrantWithoutReason { .. }
                | Fault::GrantRepeatsReason { .. }
                | Fault::Untouched { .. }
                | Fault::LeftOut { .. }
                | Fault::NoReason { .. }
                | Fault::FellUnattacked { .. }
                | Fault::RestsOnFallen { .. }
                | Fault::Overconfident { .. }
                | Fault::LabelDiffers { .. } => continue,
            };
            if !list.contains(&id) {
                list.push(id);
            }
        }
        shortfall
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spoken;
    use super::*;
    use crate::debate::{Phase, Slot};

    fn shortfall(synthesis: &str) -> Shortfall {
        let said = [
            (Phase::Advocate, "**A1. One.** x\n\n**A2. Two.** y"),
            (Phase::Critic, "**C1. No.** z\n**Attacks A1:** \"One\" fails."),
            (Phase::Synthesizer, synthesis),
        ];
        let slot = |phase| Slot { phase, round: 1 };
        Ledger::of(said.map(|(phase, text)| Spoken { slot: slot(phase), cycle: 1, text })).shortfall()
    }

    #[test]
    fn each_thing_that_a_synthesis_lacks_is_named() {
        let whole = "**Verdict:** do\n**Rests on:** A2\n- **A1** fell: C1\n- **A2** survived: x\n- **C1** survived: y";
        assert!(shortfall(whole).is_nothing());
        let ids = |ids: &[Id]| ids.iter().map(Id::to_string).collect::<Vec<_>>().join(" ");
        for (from, to, expected) in [
            ("- **A1** fell: C1\n", "", ["A1", "", ""]),
            ("**A1** fell", "**A9** fell", ["A1", "A9", ""]),
            ("on:** A2", "on:** A7, A2", ["", "A7", ""]),
            ("- **A1** fell", "- **C1** fell: x\n- **A1** fell", ["", "", "C1"]),
        ] {
            let found = shortfall(&whole.replace(from, to));
            assert_eq!([&found.left_out, &found.invented, &found.contradictory].map(|list| ids(list)), expected);
            assert!(!found.lacks_call && !found.lacks_carriers);
        }
        let found = shortfall(&whole.replace("**Verdict:** do\n", ""));
        assert!(found.lacks_call && !found.lacks_carriers && found.left_out.is_empty());
        assert!(shortfall(&whole.replace("**Rests on:** A2", "")).lacks_carriers);
    }

    #[test]
    fn free_prose_owes_no_account() {
        let slot = |phase| Slot { phase, round: 1 };
        let said = [(Phase::Advocate, "Yes."), (Phase::Critic, "No."), (Phase::Synthesizer, "Perhaps. A1 fell.")];
        let ledger = Ledger::of(said.map(|(phase, text)| Spoken { slot: slot(phase), cycle: 1, text }));
        assert!(ledger.shortfall().is_nothing());
    }

    #[test]
    fn a_verdict_that_cannot_be_read_is_asked_for_where_nobody_numbered_a_claim() {
        let slot = |phase| Slot { phase, round: 1 };
        for (verdict, lacks) in [("do", false), ("do / do not", true), ("do\n\n**Verdict:** do not", true)] {
            let text = format!("**Verdict:** {verdict}");
            let said = [(Phase::Advocate, "Yes."), (Phase::Critic, "No."), (Phase::Synthesizer, text.as_str())];
            let ledger = Ledger::of(said.map(|(phase, text)| Spoken { slot: slot(phase), cycle: 1, text }));
            assert_eq!(ledger.shortfall(), Shortfall { lacks_call: lacks, ..Shortfall::default() }, "{verdict}");
        }
    }
}
