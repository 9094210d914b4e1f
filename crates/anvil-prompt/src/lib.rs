//! The seats of a debate: the prompt of each, the agent that fills it, and its answer.
//!
//! A conversation in Claude Code fills all seats at once and gets a protocol and cues. A program
//! that fills one seat knows only its prompt, so the prompt has everything: rules, question,
//! material, claims, and the replies of the other seats. The crate is pure, except that [`library`]
//! reads texts of the user and of the project. The texts themselves are in `prompts/`, outside of
//! `src/`.

pub mod agents;
pub mod library;
pub mod prompt;

pub use agents::{
    Agent, AgentAnswer, Budget, Candidates, Estimate, Failure, Figures, FoundAttempt, Isolation,
    NextReply, OutputFormat, OwnAgent, PROFILES, Plan, Printed, Profile, Repeat, Retry, RunEvent,
    SYSTEM, SYSTEM_FILE, SeatPlan, Seated, Spent, Step, TimeLimits, answer, brief_api_error,
    checker, heads, is_script, kind_of_api_error, parse, parse_list, step, words_so_far,
};
pub use prompt::{PromptParts, check_prompt, prompt, sheet};

/// UTF-8 bytes that count as one token. English has more bytes in a token, code and other scripts
/// fewer.
pub const BYTES_PER_TOKEN: usize = 3;

/// Estimates the tokens of a text, too many rather than too few.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}
