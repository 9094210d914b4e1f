//! The client's cap on continuations, and how a debate lives with it.
//!
//! Measured on clients 2.0.30 to 2.1.329: a turn may be continued by Stop hooks 8 times in a row; the ninth ends it, and
//! no hook is told. Any tool call sets the count back to zero. So near the cap a cue asks for one small Read, and at the
//! cap the debate pauses itself, before the client cuts it off without a word.

/// Continuations in a row that the client allows unless `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` says otherwise.
pub const DEFAULT_CAP: u32 = 8;

/// How many of the last allowed continuations ask for a tool call: one, and one more for a model that forgot.
const ASKS_BEFORE_CAP: u32 = 2;

/// Whether the turn can be continued once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// Go on. `count` continuations will have been handed out since the last tool call.
    GoOn {
        /// The new count.
        count: u32,
        /// Ask for a tool call, so that the client starts counting anew.
        ask_for_tool: bool,
    },
    /// The client would end the turn: pause instead.
    AtCap,
}

/// Decides on one more continuation. `count` were handed out since the last tool call before this reply, `used_tool`
/// says whether this reply made one, `replies_left` is how many replies are still to come.
#[must_use]
pub fn continuation(count: u32, used_tool: bool, replies_left: u32, cap: u32) -> Continuation {
    let count = if used_tool { 0 } else { count };
    if count >= cap {
        return Continuation::AtCap;
    }
    let count = count + 1;
    let more_needed = replies_left.saturating_sub(1);
    let ask_for_tool = count + more_needed > cap && count + ASKS_BEFORE_CAP > cap;
    Continuation::GoOn { count, ask_for_tool }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a debate of `replies` replies; the model follows a request for a tool call or never does.
    fn run(replies: u32, cap: u32, follows: bool) -> (bool, u32, u32) {
        let (mut count, mut used_tool, mut reads, mut worst) = (0, false, 0, 0);
        for left in (1..replies).rev() {
            match continuation(count, used_tool, left, cap) {
                Continuation::AtCap => return (false, reads, worst),
                Continuation::GoOn { count: next, ask_for_tool } => {
                    worst = worst.max(next);
                    count = next;
                    used_tool = ask_for_tool && follows;
                    reads += u32::from(used_tool);
                }
            }
        }
        (true, reads, worst)
    }

    #[test]
    fn a_three_round_debate_needs_no_read_at_all() {
        assert_eq!(run(7, DEFAULT_CAP, true), (true, 0, 6));
    }

    #[test]
    fn a_model_that_follows_finishes_any_debate_below_any_cap() {
        for replies in 3..=21 {
            for cap in 1..=30 {
                let (finished, _, worst) = run(replies, cap, true);
                assert!(finished, "{replies} replies, cap {cap}");
                assert!(worst <= cap);
            }
        }
    }

    #[test]
    fn reads_are_asked_for_only_where_the_cap_would_be_hit() {
        assert_eq!(run(11, DEFAULT_CAP, true), (true, 1, 7));
        assert_eq!(run(21, DEFAULT_CAP, true).1, 2);
        assert_eq!(run(21, 100, true).1, 0);
    }

    #[test]
    fn a_model_without_tools_is_paused_before_the_client_cuts_it_off() {
        assert_eq!(run(9, DEFAULT_CAP, false), (true, 0, 8));
        let (finished, _, worst) = run(11, DEFAULT_CAP, false);
        assert!(!finished);
        assert_eq!(worst, DEFAULT_CAP);
    }
}
