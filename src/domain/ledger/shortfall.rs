//! The missing parts of the synthesis: the reasons to request it once more.

use super::ranking::OptionFaults;
use super::{Claim, ClaimResult, Fault, Id, Ledger, Unread};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shortfall {
    /// Claims without a line.
    pub left_out: Vec<Id>,
    /// Ids without a claim.
    pub invented: Vec<Id>,
    /// Claims that it lists twice, or that survive although their own side gave them up or the
    /// fact-check contradicts them.
    pub contradictory: Vec<Id>,
    /// No readable line `**Verdict:**`.
    pub lacks_verdict: bool,
    /// No line `**Rests on:**` that names claims or says "nothing".
    pub lacks_rests_on: bool,
    /// What is wrong with the ranking and the lines about the options.
    pub options: OptionFaults,
}

impl Shortfall {
    /// True if nothing is missing.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Ledger {
    /// The missing parts of the last synthesis. In a debate without readable claims it only needs a
    /// readable verdict.
    pub fn shortfall(&self) -> Shortfall {
        let mut shortfall = Shortfall::default();
        let Some(synthesis) = &self.synthesis else { return shortfall };
        shortfall.options = synthesis.option_faults(&self.among);
        if self.claims.is_empty() {
            shortfall.lacks_verdict =
                synthesis.unread_verdict(&self.among).is_some_and(|why| why != Unread::Missing);
            return shortfall;
        }
        let is_left_out = |claim: &&Claim| claim.result == Some(ClaimResult::LeftOut);
        shortfall.left_out = self.claims.iter().filter(is_left_out).map(|claim| claim.id).collect();
        let add = |list: &mut Vec<Id>, id| {
            if !list.contains(&id) {
                list.push(id);
            }
        };
        for finding in &self.findings {
            match finding.fault {
                Fault::Invented { id } | Fault::RestsOnUnknown { id } => {
                    add(&mut shortfall.invented, id);
                }
                Fault::ListedTwice { id }
                | Fault::SurvivedThoughGivenUp { id }
                | Fault::SurvivedThoughContradicted { id } => add(&mut shortfall.contradictory, id),
                Fault::NoVerdict => shortfall.lacks_verdict = true,
                Fault::NoRestsOn => shortfall.lacks_rests_on = true,
                Fault::ReusedId { .. }
                | Fault::UnknownClaim { .. }
                | Fault::QuoteNotFound { .. }
                | Fault::GrantWithoutReason { .. }
                | Fault::GrantRepeatsReason { .. }
                | Fault::Unanswered { .. }
                | Fault::LeftOut { .. }
                | Fault::NoReason { .. }
                | Fault::FellUnattacked { .. }
                | Fault::RestsOnFallen { .. }
                | Fault::Overconfident { .. }
                | Fault::UnknownOption { .. }
                | Fault::OptionLeftOut { .. }
                | Fault::OtherFirst { .. }
                | Fault::NotAllRead
                | Fault::ChangeWithoutClaim { .. }
                | Fault::LabelDiffers { .. } => {}
            }
        }
        shortfall
    }
}

#[cfg(test)]
mod tests {
    use super::super::Spoken;
    use super::*;
    use crate::domain::debate::{Alternatives, Phase, Slot};

    fn shortfall(synthesis: &str) -> Shortfall {
        let replies = [
            (Phase::Advocate, "**A1. One.** x\n\n**A2. Two.** y"),
            (Phase::Critic, "**C1. No.** z\n**Attacks A1:** \"One\" fails."),
            (Phase::Synthesizer, synthesis),
        ];
        let slot = |phase| Slot { phase, round: 1 };
        Ledger::from_replies(
            replies.map(|(phase, text)| Spoken { slot: slot(phase), cycle: 1, text }),
            &Alternatives::default(),
        )
        .shortfall()
    }

    #[test]
    fn every_missing_part_of_a_synthesis_is_named() {
        let whole = "**Verdict:** do\n**Rests on:** A2\n- **A1** fell: C1\n- **A2** survived: x\n\
            - **C1** survived: y";
        assert!(shortfall(whole).is_nothing());
        let ids = |ids: &[Id]| ids.iter().map(Id::to_string).collect::<Vec<_>>().join(" ");
        for (from, to, expected) in [
            ("- **A1** fell: C1\n", "", ["A1", "", ""]),
            ("**A1** fell", "**A9** fell", ["A1", "A9", ""]),
            ("on:** A2", "on:** A7, A2", ["", "A7", ""]),
            ("- **A1** fell", "- **C1** fell: x\n- **A1** fell", ["", "", "C1"]),
        ] {
            let found = shortfall(&whole.replace(from, to));
            assert_eq!(
                [&found.left_out, &found.invented, &found.contradictory].map(|list| ids(list)),
                expected
            );
            assert!(!found.lacks_verdict && !found.lacks_rests_on);
        }
        let found = shortfall(&whole.replace("**Verdict:** do\n", ""));
        assert!(found.lacks_verdict && !found.lacks_rests_on && found.left_out.is_empty());
        assert!(shortfall(&whole.replace("**Rests on:** A2", "")).lacks_rests_on);
    }

    #[test]
    fn a_free_prose_synthesis_needs_no_claim_results() {
        let slot = |phase| Slot { phase, round: 1 };
        let replies = [
            (Phase::Advocate, "Yes."),
            (Phase::Critic, "No."),
            (Phase::Synthesizer, "Perhaps. A1 fell."),
        ];
        let ledger = Ledger::from_replies(
            replies.map(|(phase, text)| Spoken { slot: slot(phase), cycle: 1, text }),
            &Alternatives::default(),
        );
        assert!(ledger.shortfall().is_nothing());
    }

    #[test]
    fn an_unreadable_verdict_is_requested_again_without_numbered_claims() {
        let slot = |phase| Slot { phase, round: 1 };
        for (verdict, lacks) in
            [("do", false), ("do / do not", true), ("do\n\n**Verdict:** do not", true)]
        {
            let text = format!("**Verdict:** {verdict}");
            let replies = [
                (Phase::Advocate, "Yes."),
                (Phase::Critic, "No."),
                (Phase::Synthesizer, text.as_str()),
            ];
            let ledger = Ledger::from_replies(
                replies.map(|(phase, text)| Spoken { slot: slot(phase), cycle: 1, text }),
                &Alternatives::default(),
            );
            assert_eq!(
                ledger.shortfall(),
                Shortfall { lacks_verdict: lacks, ..Shortfall::default() },
                "{verdict}"
            );
        }
    }
}
