//! The client's cap on continuations, and how a debate stays below it.
//!
//! Measured on 2.1.200 and 2.1.329: Stop hooks may continue a turn 8 times in a row; the
//! ninth ends it, and no hook runs. Any tool call sets the count back to zero. So a cue near the
//! cap asks for one small Read, and at the cap the debate pauses itself before the client ends the
//! turn.

/// Continuations in a row that the client allows, unless `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` is set.
pub const DEFAULT_CAP: u32 = 8;

/// Number of continuations before the cap that ask for a tool call: one, and one more for a model
/// that forgot.
const ASKS_BEFORE_CAP: u32 = 2;

/// The decision about one more continuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// Go on.
    GoOn {
        /// Continuations since the last tool call, this one included.
        count: u32,
        /// Ask for a tool call, so that the client's count starts again.
        ask_for_tool: bool,
    },
    /// The client would end the turn: pause.
    AtCap,
}

/// Decides on one more continuation. `count` were made since the last tool call before this reply;
/// `used_tool`: this reply made a tool call; `replies_left` are still to come.
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

    /// Runs a debate of `replies` replies. `follows`: the model makes each requested tool call.
    fn run(replies: u32, cap: u32, follows: bool) -> (bool, u32, u32) {
        let mut count = 0;
        let mut used_tool = false;
        let mut reads = 0;
        let mut worst = 0;
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
    fn a_model_that_makes_the_tool_calls_finishes_every_debate() {
        for replies in 3..=21 {
            for cap in 1..=30 {
                let (finished, _, worst) = run(replies, cap, true);
                assert!(finished, "{replies} replies, cap {cap}");
                assert!(worst <= cap);
            }
        }
    }

    #[test]
    fn reads_are_requested_only_if_the_cap_would_be_reached() {
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
