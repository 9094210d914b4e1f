//! The options and requests of a user, as values: no command line is known here. Pure.

pub(crate) mod choice;
pub(crate) mod claims;
pub(crate) mod debate;
pub(crate) mod error;
pub(crate) mod kept;
pub(crate) mod layer;
pub(crate) mod mode;
pub(crate) mod outcome_note;
pub(crate) mod seats;
pub(crate) mod steering;
pub(crate) mod values;

pub use choice::{Choice, goes_on};
pub use claims::{ClaimsOptions, STATES};
pub use debate::{
    CONTEXT_BUDGET, DebateOptions, LeaderOptions, OwnOptions, PlanOptions, ProgramOptions,
    ProjectOptions, QuestionOptions, SessionPlan, UserOptions, WhoArgues, Wishes,
};
pub use error::OptionError;
pub use kept::{FactCheck, Options};
pub use layer::{DefaultsOwner, Field, Layer, Origin, Over, Set, is_yes};
pub use mode::{Mode, Named};
pub use outcome_note::OutcomeNote;
pub use seats::{ISOLATED, Isolation, OWN_AGENT, SeatOptions, is_seat_key};
pub use steering::{Statement, Steering};
pub use values::{
    AgentName, Alternatives, EarlierResult, Focus, FrameworkName, Judges, MaterialPath, ModeName,
    Motion, OptionType, OutputPath, PlanFile, Position, PullRequest, Refused, ReviewTime, Revision,
    Rounds, Stakeholders, VoiceAgent, Who, YesOrNo, motion, shorten, text, whole,
};
