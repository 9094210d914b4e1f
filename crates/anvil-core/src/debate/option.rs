//! The options of a debate, each declared once: its name, its values, its key and bounds in the
//! state file, and its default.

use super::{
    Boundary, DEFAULT_ROUNDS, FactCheck, MAX_FOCUS_CHARS, MAX_JUDGES, MAX_MOTION_CHARS,
    MAX_NAME_CHARS, MAX_OUTPUT_CHARS, MAX_POSITION_CHARS, MAX_ROUNDS, MIN_JUDGES, MIN_ROUNDS,
};

/// Longest list of a debate's sources in the state file, in characters.
const MAX_SOURCE_CHARS: usize = 2_000;

/// Most characters of material: about 7,000 tokens, once.
pub const CONTEXT_BUDGET: usize = 24_000;

/// An option of a debate, in the order of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebateOption {
    Rounds,
    Mode,
    Position,
    Motion,
    Stakeholders,
    Persona,
    Options,
    Blind,
    FactCheck,
    Focus,
    Framework,
    Judges,
    Research,
    Context,
    Diff,
    Pr,
    Plan,
    FollowUp,
    Interactive,
    EarlyEnd,
    Questions,
    Boundary,
    Review,
    Output,
    Replace,
    TakeOver,
}

/// The kind of value that a typed option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Yes or no.
    YesOrNo,
    /// A whole number.
    Number,
    /// A text.
    Text,
    /// Several texts.
    Texts,
}

/// The value under an option's key in the state file, with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A flag. The file has it only with this value.
    Flag(bool),
    /// A whole number from the first to the second.
    Number(u8, u8),
    /// A text of at most this many characters.
    Text(usize),
    /// Names of voices, at least this many.
    Voices(usize),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A day.
    Day,
}

/// The facts about an option.
struct Declaration {
    option: DebateOption,
    name: &'static str,
    takes: Takes,
    /// The text after the name in an example; empty if the option stands alone.
    example: &'static str,
    key: Option<(&'static str, Kept)>,
    /// The key of the user's own text for the named mode, persona or framework.
    text_key: Option<&'static str>,
    tool_help: Option<&'static str>,
}

impl Declaration {
    const fn new(
        option: DebateOption,
        name: &'static str,
        takes: Takes,
        example: &'static str,
    ) -> Self {
        Self { option, name, takes, example, key: None, text_key: None, tool_help: None }
    }

    const fn kept(self, key: &'static str, kept: Kept) -> Self {
        Self { key: Some((key, kept)), ..self }
    }

    const fn with_text(self, key: &'static str) -> Self {
        Self { text_key: Some(key), ..self }
    }

    const fn offered(self, help: &'static str) -> Self {
        Self { tool_help: Some(help), ..self }
    }
}

static DECLARATIONS: [Declaration; 26] = {
    use DebateOption as O;
    use Declaration as D;
    use Takes::{Number, Text, Texts, YesOrNo};
    [
        D::new(O::Rounds, "rounds", Number, " 3")
            .kept("max_rounds", Kept::Number(MIN_ROUNDS, MAX_ROUNDS))
            .offered("Rounds of advocate and critic, 1 to 10 (2)"),
        D::new(O::Mode, "mode", Text, " philosopher")
            .kept("mode", Kept::Text(MAX_NAME_CHARS))
            .with_text("mode_text")
            .offered("analyst, philosopher, devils-advocate or stakeholders"),
        D::new(O::Position, "position", Text, " \"wait a year\"")
            .kept("position", Kept::Text(MAX_POSITION_CHARS))
            .offered("Where the user stands now"),
        D::new(O::Motion, "motion", Text, " \"move the cache to Redis\"")
            .kept("motion", Kept::Text(MAX_MOTION_CHARS))
            .offered("The action that FOR and do mean"),
        D::new(O::Stakeholders, "stakeholders", Texts, " \"engineering, sales, legal\"")
            .kept("stakeholders", Kept::Voices(2))
            .offered("Who speaks in turn"),
        D::new(O::Persona, "persona", Texts, " sre-on-call")
            .kept("personas", Kept::Voices(0))
            .with_text("persona_texts")
            .offered("Who argues, by name or description"),
        D::new(O::Options, "options", Texts, " \"Redis, PostgreSQL, nothing new\"")
            .kept("options", Kept::Voices(2))
            .offered("2 to 6 options to choose from"),
        D::new(O::Blind, "blind", YesOrNo, "")
            .kept("blind", Kept::Flag(true))
            .offered("The critic opens before there is a case"),
        D::new(O::FactCheck, "fact-check", YesOrNo, "")
            .kept("fact_check", Kept::Word(&FactCheck::WORDS)),
        D::new(O::Focus, "focus", Text, " security")
            .kept("focus", Kept::Text(MAX_FOCUS_CHARS))
            .offered("What to look at"),
        D::new(O::Framework, "framework", Text, " adr")
            .kept("framework", Kept::Text(MAX_NAME_CHARS))
            .with_text("framework_text")
            .offered(
                "Form of the synthesis: adr, pre-mortem, red-team, rfc, \
                     risks, decision-matrix or one-pager",
            ),
        D::new(O::Judges, "judges", Number, " 3")
            .kept("judges", Kept::Number(MIN_JUDGES, MAX_JUDGES)),
        D::new(O::Research, "research", YesOrNo, "")
            .kept("research", Kept::Flag(true))
            .offered("Both sides look for sources"),
        D::new(O::Context, "context", Texts, " src/")
            .kept("context_source", Kept::Text(MAX_SOURCE_CHARS))
            .offered("Material: files, folders or patterns within the project"),
        D::new(O::Diff, "diff", Text, " main"),
        D::new(O::Pr, "pr", Number, " 12"),
        D::new(O::Plan, "plan", Text, "=plan.md").kept("plan", Kept::Text(MAX_SOURCE_CHARS)),
        D::new(O::FollowUp, "follow-up", Text, " docs/decision.md")
            .kept("follow_up", Kept::Text(MAX_SOURCE_CHARS))
            .offered("An earlier debate's id to build on"),
        D::new(O::Interactive, "interactive", YesOrNo, "").kept("interactive", Kept::Flag(true)),
        D::new(O::EarlyEnd, "early-end", YesOrNo, "=no")
            .kept("early_end", Kept::Flag(false))
            .offered("End when nothing is open (true)"),
        D::new(O::Questions, "questions", YesOrNo, "=no")
            .kept("questions", Kept::Flag(false))
            .offered("A seat may ask the user what nobody else knows (true)"),
        D::new(O::Boundary, "boundary", Text, " round")
            .kept("boundary", Kept::Word(&Boundary::WORDS)),
        D::new(O::Review, "review", Text, " 30d")
            .kept("review", Kept::Day)
            .offered("When to review the decision: 30d or a day"),
        D::new(O::Output, "output", Text, " docs/decision.md")
            .kept("output", Kept::Text(MAX_OUTPUT_CHARS)),
        D::new(O::Replace, "replace", YesOrNo, ""),
        D::new(O::TakeOver, "take-over", YesOrNo, ""),
    ]
};

impl DebateOption {
    /// Every option, in the order of the help.
    pub fn all() -> impl Iterator<Item = Self> {
        DECLARATIONS.iter().map(|declaration| declaration.option)
    }

    fn declaration(self) -> &'static Declaration {
        &DECLARATIONS[self as usize]
    }

    /// Those that a defaults file may set. `--take-over` and the options of one question are not
    /// among them: they hold for one typed line.
    pub fn with_default() -> impl Iterator<Item = Self> {
        Self::all().filter(|option| *option != Self::TakeOver && !option.is_of_question())
    }

    /// The option with a name. As a JSON key a name has underscores.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|option| option.name() == name)
    }

    /// The option with this key in the state file, or with this key of a text.
    pub fn with_key(key: &str) -> Option<Self> {
        Self::all().find(|option| {
            option.kept().is_some_and(|(own, _)| own == key)
                || option.declaration().text_key == Some(key)
        })
    }

    /// The name without its hyphens, as in a defaults file.
    pub fn name(self) -> &'static str {
        self.declaration().name
    }

    /// The name with its hyphens.
    pub fn flag(self) -> String {
        format!("--{}", self.name())
    }

    pub fn takes(self) -> Takes {
        self.declaration().takes
    }

    /// The key in the state file, and the value under it.
    pub fn kept(self) -> Option<(&'static str, Kept)> {
        self.declaration().key
    }

    /// The key in the state file, or the name if the option has no key.
    pub fn key(self) -> &'static str {
        self.kept().map_or(self.name(), |(key, _)| key)
    }

    /// The key of the user's own text; without one, the key of the option.
    pub fn text_key(self) -> &'static str {
        self.declaration().text_key.unwrap_or(self.key())
    }

    /// An example, as the user types it.
    pub fn example(self) -> String {
        let Declaration { name, example, .. } = self.declaration();
        if example.is_empty() {
            "the option alone, which means yes".to_owned()
        } else {
            format!("--{name}{example}")
        }
    }

    /// The help in the MCP server. `None`: only the user, or the leader of the debate, sets the
    /// option.
    pub fn tool_help(self) -> Option<&'static str> {
        self.declaration().tool_help
    }

    /// True if it holds for one question: no file of defaults sets it.
    pub fn is_of_question(self) -> bool {
        matches!(self, Self::Options | Self::Plan | Self::Motion)
    }

    /// True if it may stand several times, each time with one more value.
    pub(crate) fn is_repeatable(self) -> bool {
        matches!(self, Self::Persona | Self::Context)
    }

    /// True if its values can be paths.
    pub fn takes_paths(self) -> bool {
        matches!(self, Self::Context | Self::Persona | Self::FollowUp)
    }

    /// Anvil's default. Empty: Anvil has no default.
    pub fn built_in(self) -> String {
        match self {
            Self::Rounds => DEFAULT_ROUNDS.to_string(),
            Self::Mode => super::Mode::Analyst.word().to_owned(),
            Self::Judges => "1".to_owned(),
            Self::EarlyEnd | Self::Questions => "yes".to_owned(),
            _ if self.takes() == Takes::YesOrNo => "no".to_owned(),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_declaration_matches_its_option() {
        for (at, option) in DebateOption::all().enumerate() {
            assert_eq!((option as usize, DebateOption::named(option.name())), (at, Some(option)));
        }
    }
}
