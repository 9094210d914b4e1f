//! What was asked for when a debate was started.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Boundary, DEFAULT_ROUNDS, Mode, Named};

/// Where a fact-checker looks: never in both, so that no file can be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactCheck {
    /// In the files of the project.
    Files,
    /// On the web.
    Web,
}

impl FactCheck {
    /// The word for it in the state file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Web => "web",
        }
    }

    /// The other way.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Files, Self::Web].into_iter().find(|one| one.word() == word)
    }
}

/// The options of a debate. They stay as they are, but for the number of rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Options {
    /// The stance of the user; at most [`MAX_POSITION_CHARS`](super::MAX_POSITION_CHARS) characters.
    pub position: Option<String>,
    /// How the debate is argued.
    pub mode: Mode,
    /// The user's own text for the mode.
    pub mode_text: Option<String>,
    /// Stakeholders, or personas: up to two hold the seats, more take turns. At most [`MAX_VOICES`](super::MAX_VOICES).
    pub voices: Vec<Named>,
    /// What the argument looks at: the name of a focus, or the user's own words.
    pub focus: Option<String>,
    /// What shapes the synthesis.
    pub framework: Option<Named>,
    /// Both seats look for sources.
    pub research: bool,
    /// The critic opens before there is a case to be seen.
    pub blind: bool,
    /// After each round somebody checks its claims that are marked as evidence.
    pub fact_check: Option<FactCheck>,
    /// After each round the user steers the next one.
    pub interactive: bool,
    /// A round that brings no new claim and leaves nothing open is the last one.
    pub early_end: bool,
    /// Where the debate stops by itself for a fresh conversation.
    pub boundary: Option<Boundary>,
    /// What the context was gathered from, for the user.
    pub context_source: Option<String>,
    /// The earlier result that this debate builds on, as the user named it.
    pub follow_up: Option<String>,
    /// The two results that are argued against each other, as the user named them.
    pub versus: Option<String>,
    /// What the user wants in every role.
    pub house_rules: Option<String>,
    /// Rounds to argue before the synthesis, [`MIN_ROUNDS`](super::MIN_ROUNDS) to [`MAX_ROUNDS`](super::MAX_ROUNDS).
    pub max_rounds: u8,
    /// Independent judgments that the synthesis is made of, at most [`MAX_JUDGES`](super::MAX_JUDGES). 1: it is written as a whole.
    pub judges: u8,
    /// When the user wants to see what became of the recommendation.
    pub review: Option<Date>,
    /// Where the report goes, as the user asked for it: relative to the project, or absolute.
    pub output: Option<String>,
}

impl Options {
    /// Facts are checked like that. Who checks them has the web where it is wanted, and the seats have none.
    pub fn take_fact_check(&mut self, check: Option<FactCheck>) {
        self.fact_check = check;
        self.research &= check.is_none();
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            position: None,
            mode: Mode::Analyst,
            mode_text: None,
            voices: Vec::new(),
            focus: None,
            framework: None,
            research: false,
            blind: false,
            fact_check: None,
            interactive: false,
            early_end: true,
            boundary: None,
            context_source: None,
            follow_up: None,
            versus: None,
            house_rules: None,
            max_rounds: DEFAULT_ROUNDS,
            judges: 1,
            review: None,
            output: None,
        }
    }
}
