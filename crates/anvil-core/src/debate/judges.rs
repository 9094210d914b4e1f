//! Several judges instead of one synthesizer: how many, and which is next.

use super::Debate;
use crate::limits::MIN_JUDGES;
use crate::place::Seat;

impl Debate {
    /// The number of judges that each write a judgment. 1: one seat writes the whole synthesis, as
    /// in a conversation, where a judge would have read the others.
    pub fn judges(&self) -> u8 {
        let shares_a_context = self.ownership.session_id.is_some() && !self.ownership.isolated;
        if self.options.judges < MIN_JUDGES || shares_a_context {
            return 1;
        }
        // The user may have lowered the number in the file.
        self.options.judges.max(self.saved_judgments() + 1)
    }

    /// The judgments that are saved with their blocks.
    fn saved_judgments(&self) -> u8 {
        self.progress.judgments.saturating_sub(self.progress.awaits_block.into())
    }

    /// The next judge, counted from 1. `None`: the next reply is not a judgment.
    pub fn judge(&self) -> Option<u8> {
        let is_turn =
            self.progress.place.seat == Seat::Synthesizer && self.progress.status.is_unfinished();
        (is_turn && self.judges() > 1).then(|| self.saved_judgments() + 1)
    }

    /// True if only the last block is still to come.
    pub fn awaits_last_block(&self) -> bool {
        self.progress.awaits_block && self.judge().is_none_or(|judge| judge >= self.judges())
    }

    /// Replies still to come in the full schedule, the next one included.
    pub fn replies_left(&self) -> u32 {
        let judged = if self.judge().is_some() { self.saved_judgments() } else { 0 };
        self.schedule().phases_left(self.progress.place) + u32::from(self.judges() - 1 - judged)
    }

    /// The next reply, as its records name it: `critic, round 2`, `synthesis`, `judge 2`.
    pub fn place_name(&self) -> String {
        self.next_place().to_string()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::limits::MAX_JUDGES;
    use crate::place::Place;

    #[test]
    fn judges_are_counted_only_in_isolated_contexts() {
        let now = Timestamp::UNIX_EPOCH;
        for judges in 1..=MAX_JUDGES {
            let mut debate = Debate::new("id".into(), "Q".into(), 1, now);
            debate.options.judges = judges;
            let all = 2 + u32::from(judges);
            assert_eq!(
                (debate.judge(), debate.count_phases(), debate.replies_left()),
                (None, (0, all), all)
            );
            debate.claim("session", None, now);
            assert_eq!(
                (debate.judges(), debate.count_phases()),
                (1, (0, 3)),
                "a conversation has one synthesis"
            );
            debate.isolate_seats();
            debate.move_to(Place { seat: Seat::Synthesizer, round: 1 });
            let mut steps = vec![debate.progress.step];
            for judge in 1..=judges {
                let named =
                    if judges == 1 { "synthesis".to_owned() } else { format!("judge {judge}") };
                let label =
                    if judges == 1 { named.clone() } else { format!("{named} of {judges}") };
                assert_eq!((debate.place_name(), debate.place_label()), (named, label));
                assert_eq!(debate.count_phases(), (1 + u32::from(judge), all));
                if judge < judges {
                    debate.count_judgment();
                    steps.push(debate.progress.step);
                }
            }
            assert!(steps.is_sorted_by(|one, next| one < next), "{steps:?}");
            debate.complete(now);
            assert_eq!(
                (debate.judge(), debate.count_phases(), debate.progress.judgments),
                (None, (all, all), 0)
            );
        }
    }

    #[test]
    fn nobody_writes_after_the_last_block() {
        let mut debate = Debate::new("id".into(), "Q".into(), 1, Timestamp::UNIX_EPOCH);
        debate.set_place(Place { seat: Seat::Synthesizer, round: 1 });
        assert!(!debate.awaits_last_block());
        debate.await_block();
        assert!(debate.awaits_last_block());
        debate.options.judges = 2;
        for (judgments, is_last) in [(1, false), (2, true)] {
            debate.set_judgments(judgments);
            assert_eq!((debate.judge(), debate.awaits_last_block()), (Some(judgments), is_last));
        }
    }

    #[test]
    fn one_judge_is_requested_after_the_number_is_lowered() {
        let mut debate = Debate::new("id".into(), "Q".into(), 1, Timestamp::UNIX_EPOCH);
        debate.options.judges = 2;
        debate.set_place(Place { seat: Seat::Synthesizer, round: 1 });
        debate.set_judgments(u8::MAX);
        assert_eq!((debate.judge(), debate.judges(), debate.replies_left()), (Some(6), 6, 1));
    }
}
