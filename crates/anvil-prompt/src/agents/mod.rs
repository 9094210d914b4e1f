//! The agents: the program that fills a seat, and its output. Pure: `anvil-run` starts the
//! programs.

pub mod agent;
pub mod answer;
pub mod budget;
pub mod claude;
pub mod codex;
pub mod event;
mod gemini;
pub mod heads;
mod opencode;
mod own_words;
pub mod plan;
pub mod printed;
pub(crate) mod profiles;
mod thinking;
mod values;

pub use agent::{Agent, OwnAgent, TimeLimits, checker, is_script, parse, parse_list};
pub use answer::{answer, words_so_far};
pub use budget::{Budget, NextReply, Repeat, Spent, Step, step};
pub use claude::{brief_api_error, kind_of_api_error};
pub use event::{FoundAttempt, RunEvent, SeatPlan};
pub use heads::heads;
pub use plan::{Candidates, Estimate, Plan, Seated};
pub use printed::{AgentAnswer, Failure, Figures, OutputFormat, Printed, Retry};
pub use profiles::{Isolation, PROFILES, Profile, SYSTEM, SYSTEM_FILE};
