//! The options that a debate keeps.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

use super::{Mode, Named};
use crate::limits::DEFAULT_ROUNDS;

/// Where a fact-checker looks: in files or on the web. Never in both, so it can send no file to the
/// web.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum FactCheck {
    Files,
    Web,
}

impl FactCheck {
    /// The word for it in the state file.
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}

/// The options of a debate. Only the number of rounds changes later.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Options {
    /// The critic opens without seeing the case.
    pub blind: bool,
    /// Both sides look for sources.
    pub research: bool,
    /// The debate stops after each round for the user.
    pub interactive: bool,
    /// The argument ends when a round brings nothing new and leaves nothing open.
    pub early_end: bool,
    /// A seat may ask the user.
    pub questions: bool,
    /// Replies are short.
    pub quick: bool,
    /// The user's stance, at most [`MAX_POSITION_CHARS`](crate::limits::MAX_POSITION_CHARS) characters.
    pub position: Option<String>,
    /// The action that is argued about, at most [`MAX_MOTION_CHARS`](crate::limits::MAX_MOTION_CHARS)
    /// characters on one line: [`Debate::motion`](crate::debate::Debate::motion).
    pub motion: Option<String>,
    pub mode: Mode,
    /// The user's text for the mode.
    pub mode_text: Option<String>,
    /// Stakeholders, or personas. Up to two personas take the seats; more take turns. At most
    /// [`MAX_VOICES`](crate::limits::MAX_VOICES).
    pub voices: Vec<Named>,
    /// The name of a focus, or the user's own words.
    pub focus: Option<String>,
    /// The form of the synthesis.
    pub framework: Option<Named>,
    /// After each round a fact-checker checks the new claims that are marked as evidence.
    pub fact_check: Option<FactCheck>,
    /// The sources of the context, for the user.
    pub context_source: Option<String>,
    /// The plan that is argued about, as the user named it.
    pub plan: Option<String>,
    /// The earlier result that this debate builds on, as the user named it.
    pub follow_up: Option<String>,
    /// The user's rules for every seat.
    pub house_rules: Option<String>,
    /// Rounds before the synthesis, [`MIN_ROUNDS`](crate::limits::MIN_ROUNDS) to
    /// [`MAX_ROUNDS`](crate::limits::MAX_ROUNDS).
    pub max_rounds: u8,
    /// Independent judgments that make up the synthesis, at most [`MAX_JUDGES`](crate::limits::MAX_JUDGES).
    /// 1: one seat writes it.
    pub judges: u8,
    /// When the user wants to review the recommendation.
    pub review: Option<Date>,
    /// The path of the report as the user gave it: relative to the project, or absolute.
    pub output: Option<String>,
}

impl Options {
    /// Sets the fact-check. One on the web turns off research: only the fact-checker has the web.
    pub fn take_fact_check(&mut self, check: Option<FactCheck>) {
        self.fact_check = check;
        self.research &= check.is_none();
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            blind: false,
            research: false,
            interactive: false,
            early_end: true,
            questions: true,
            quick: false,
            position: None,
            motion: None,
            mode: Mode::Analyst,
            mode_text: None,
            voices: Vec::new(),
            focus: None,
            framework: None,
            fact_check: None,
            context_source: None,
            plan: None,
            follow_up: None,
            house_rules: None,
            max_rounds: DEFAULT_ROUNDS,
            judges: 1,
            review: None,
            output: None,
        }
    }
}
