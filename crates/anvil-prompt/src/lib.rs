//! The seats of a debate: the prompt of each, the agent that fills it, and its answer.
//!
//! A conversation in Claude Code fills all seats at once and gets a protocol and cues. A program
//! that fills one seat knows only its prompt, so the prompt has everything: rules, question,
//! material, claims, and the replies of the other seats. The crate is pure, except that [`library`]
//! reads texts of the user and of the project. The texts themselves are in `prompts/`, outside of
//! `src/`.
//!
//! * [`agents`]: the agents. [`agent`](mod@agents::agent) parses AGENT,
//!   [`profiles`](mod@agents::profiles) has the known programs, [`plan`](mod@agents::plan) assigns
//!   agents to seats, [`budget`](mod@agents::budget) decides whether a reply still fits.
//!   [`answer`](mod@agents::answer) reads the output of a program, with
//!   [`printed`](mod@agents::printed) for all of them, and [`claude`](mod@agents::claude) and
//!   [`codex`](mod@agents::codex) for their own forms. [`event`](mod@agents::event) has the events
//!   of a run as data, [`heads`](mod@agents::heads) shortens a reply to its claims and moves.
//! * [`prompt`](mod@prompt): the prompts, with bounded lengths. For a conversation:
//!   [`protocol`](mod@prompt::protocol) and [`cue`](mod@prompt::cue). For a program:
//!   [`shown`](mod@prompt::shown), with [`replies`](mod@prompt::replies) of the other seats, and
//!   [`fact_check`](mod@prompt::fact_check). For a person: [`sheet`](mod@prompt::sheet). Parts of
//!   all of them: [`texts`](mod@prompt::texts) chooses from `prompts/`,
//!   [`standing`](mod@prompt::standing) names open claims, [`again`](mod@prompt::again) the faults
//!   of a reply, [`block`](mod@prompt::block) is the form of a synthesis' end,
//!   [`numbers`](mod@prompt::numbers) that of claims, [`headings`](mod@prompt::headings) checks
//!   those of a framework.
//! * [`library`]: texts that a debate can use. [`built_in`](mod@library::built_in) ones are
//!   embedded, [`user_files`](mod@library::user_files) ones are the user's files,
//!   [`parts`](mod@library::parts) divides a text into roles and headings.

pub mod agents;
pub mod library;
#[cfg(all(test, target_os = "linux"))]
mod linear;
pub mod prompt;

pub use agents::{
    Agent, AgentAnswer, Budget, Candidates, Estimate, Evidence, Failure, Figures, FoundAttempt,
    Isolation, NextReply, OutputFormat, OwnAgent, PROFILES, Plan, Printed, Profile, PromptInput,
    Repeat, Retry, RunEvent, SYSTEM, SeatPlan, Seated, Spent, Step, TimeLimits, answer,
    brief_api_error, checker, heads, is_script, kind_of_api_error, parse, parse_list, step,
    words_so_far,
};
pub use prompt::{PromptParts, check_prompt, prompt, sheet};

/// UTF-8 bytes that count as one token. English has more bytes in a token, code and other scripts
/// fewer.
pub const BYTES_PER_TOKEN: usize = 3;

/// Estimates the tokens of a text, too many rather than too few.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}
