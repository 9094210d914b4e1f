//! Several judges instead of one synthesizer: who is next, and how many there are.

use super::{Debate, MIN_JUDGES, Phase};

impl Debate {
    /// How many judges make the synthesis, each for itself. 1: it is written as a whole, as in a conversation, where a judge would
    /// have read the others.
    #[must_use]
    pub fn judges(&self) -> u8 {
        let shares_a_context = self.ownership.session_id.is_some() && !self.ownership.apart;
        if self.options.judges < MIN_JUDGES || shares_a_context {
            return 1;
        }
        // The user may have lowered the number in the file.
        self.options.judges.max(self.progress.judgments + 1)
    }

    /// Which judge is next, counted from 1. `None`: it is no judge's turn.
    #[must_use]
    pub fn judge(&self) -> Option<u8> {
        let is_turn = self.progress.slot.phase == Phase::Synthesizer && self.progress.status.is_unfinished();
        (is_turn && self.judges() > 1).then(|| self.progress.judgments + 1)
    }

    /// Replies still to come, its own place's included, when it runs its full schedule.
    #[must_use]
    pub fn replies_left(&self) -> u32 {
        let judged = if self.judge().is_some() { self.progress.judgments } else { 0 };
        self.schedule().phases_left(self.progress.slot) + u32::from(self.judges() - 1 - judged)
    }

    /// The reply that is next, as records of it call it: `critic, round 2`, `synthesis`, `judge 2`.
    #[must_use]
    pub fn slot_name(&self) -> String {
        self.judge().map_or_else(|| self.progress.slot.to_string(), |judge| format!("judge {judge}"))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::debate::{MAX_JUDGES, Slot};

    #[test]
    fn judges_are_counted_where_each_has_a_context_of_its_own() {
        let now = Timestamp::UNIX_EPOCH;
        for judges in 1..=MAX_JUDGES {
            let mut debate = Debate::new("id".into(), "Q".into(), 1, now);
            debate.options.judges = judges;
            let all = 2 + u32::from(judges);
            assert_eq!((debate.judge(), debate.progress(), debate.replies_left()), (None, (0, all), all));
            debate.claim("session", None, now);
            assert_eq!((debate.judges(), debate.progress()), (1, (0, 3)), "a conversation has one synthesis");
            debate.fill_apart();
            debate.move_to(Slot { phase: Phase::Synthesizer, round: 1 });
            let mut steps = vec![debate.progress.step];
            for judge in 1..=judges {
                let named = if judges == 1 { "synthesis".to_owned() } else { format!("judge {judge}") };
                let label = if judges == 1 { named.clone() } else { format!("{named} of {judges}") };
                assert_eq!((debate.slot_name(), debate.slot_label()), (named, label));
                assert_eq!(debate.progress(), (1 + u32::from(judge), all));
                if judge < judges {
                    debate.count_judgment();
                    steps.push(debate.progress.step);
                }
            }
            assert!(steps.is_sorted_by(|one, next| one < next), "{steps:?}");
            debate.complete(now);
            assert_eq!((debate.judge(), debate.progress(), debate.progress.judgments), (None, (all, all), 0));
        }
    }

    #[test]
    fn a_number_that_was_lowered_asks_for_one_more_and_no_less() {
        let mut debate = Debate::new("id".into(), "Q".into(), 1, Timestamp::UNIX_EPOCH);
        debate.options.judges = 2;
        debate.stand_at(Slot { phase: Phase::Synthesizer, round: 1 });
        debate.follow_judgments(u8::MAX);
        assert_eq!((debate.judge(), debate.judges(), debate.replies_left()), (Some(6), 6, 1));
    }
}
