//! The options of a debate, a row each: name, values, key and bounds in the state file, default,
//! and what else is known of it.

use strum::VariantNames as _;

use super::values::{self, CheckedValue};
use super::{
    Boundary, FactCheck,
    OptionValue::{self, Text},
};
use crate::limits::{
    MAX_FOCUS_CHARS, MAX_JUDGES, MAX_MOTION_CHARS, MAX_NAME_CHARS, MAX_OUTPUT_CHARS,
    MAX_POSITION_CHARS, MAX_ROUNDS, MIN_JUDGES, MIN_ROUNDS,
};

/// Longest list of a debate's sources in the state file, in characters.
const MAX_SOURCE_CHARS: usize = 2_000;

/// Most characters of material: about 7,000 tokens, once.
pub const CONTEXT_BUDGET: usize = 24_000;

/// An option of a debate, in the order of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    Quick,
    Boundary,
    Review,
    Output,
    Replace,
    TakeOver,
}

/// The kind of value that a typed option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    YesOrNo,
    /// A whole number.
    Number,
    Text,
    /// Texts with commas between them.
    List,
    /// A text; the option may stand several times.
    Several,
}

/// Options that are one choice: a line or a file that sets one of them decides on all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneChoice {
    WhoArgues,
    Material,
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

struct OptionRow {
    option: DebateOption,
    name: &'static str,
    takes: Takes,
    read: fn(&str) -> CheckedValue<OptionValue>,
    /// The text after the name in an example; empty if the option stands alone.
    example: &'static str,
    /// Anvil's default. Empty: Anvil has no default.
    default: &'static str,
    choice: Option<OneChoice>,
    /// True for an option of one question, which no file of defaults sets.
    is_of_question: bool,
    /// Its values can be paths.
    takes_paths: bool,
    key: Option<(&'static str, Kept)>,
    /// The key of the user's own text for the named mode, persona or framework.
    text_key: Option<&'static str>,
    tool_help: Option<&'static str>,
}

impl OptionRow {
    const fn new(
        option: DebateOption,
        name: &'static str,
        takes: Takes,
        example: &'static str,
        read: fn(&str) -> CheckedValue<OptionValue>,
    ) -> Self {
        Self {
            option,
            name,
            takes,
            read,
            example,
            default: "",
            choice: None,
            is_of_question: false,
            takes_paths: false,
            key: None,
            text_key: None,
            tool_help: None,
        }
    }

    /// A flag that is off by default.
    const fn flag(option: DebateOption, name: &'static str) -> Self {
        Self::new(option, name, Takes::YesOrNo, "", |value| {
            values::flag(value).map(OptionValue::Flag)
        })
        .by_default("no")
    }

    /// A flag that is on by default.
    const fn flag_on(option: DebateOption, name: &'static str) -> Self {
        Self { example: "=no", default: "yes", ..Self::flag(option, name) }
    }

    const fn by_default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    const fn choosing(self, choice: OneChoice) -> Self {
        Self { choice: Some(choice), ..self }
    }

    const fn of_question(self) -> Self {
        Self { is_of_question: true, ..self }
    }

    const fn with_paths(self) -> Self {
        Self { takes_paths: true, ..self }
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

#[rustfmt::skip]
static ROWS: [OptionRow; 27] = {
    use DebateOption as O;
    use OptionRow as Row;
    use OneChoice::{Material, WhoArgues};
    use OptionValue::{Number, Texts};
    use Takes::{List, Several};
    let name = |value: &str| values::name(value).map(Text);
    let names = |value: &str| Ok(Texts(vec![values::name(value)?]));
    [
        Row::new(O::Rounds, "rounds", Takes::Number, " 3", |v| Ok(values::rounds(v)?.into()))
            .by_default("2").kept("max_rounds", Kept::Number(MIN_ROUNDS, MAX_ROUNDS))
            .offered("Rounds of advocate and critic, 1 to 10 (2)"),
        Row::new(O::Mode, "mode", Takes::Text, " philosopher", name)
            .by_default("analyst").choosing(WhoArgues)
            .kept("mode", Kept::Text(MAX_NAME_CHARS)).with_text("mode_text")
            .offered("analyst, philosopher, devils-advocate or stakeholders"),
        Row::new(O::Position, "position", Takes::Text, " \"wait a year\"",
            |v| values::text(v, MAX_POSITION_CHARS).map(Text))
            .kept("position", Kept::Text(MAX_POSITION_CHARS)).offered("The user's position now"),
        Row::new(O::Motion, "motion", Takes::Text, " \"move the cache to Redis\"",
            |v| values::motion(v).map(Text))
            .of_question().kept("motion", Kept::Text(MAX_MOTION_CHARS))
            .offered("The action that FOR and do mean"),
        Row::new(O::Stakeholders, "stakeholders", List, " \"engineering, sales, legal\"",
            |v| values::stakeholders(v).map(Texts))
            .choosing(WhoArgues)
            .kept("stakeholders", Kept::Voices(2)).offered("Who speaks in turn"),
        Row::new(O::Persona, "persona", Several, " sre-on-call", names)
            .choosing(WhoArgues).with_paths()
            .kept("personas", Kept::Voices(0)).with_text("persona_texts")
            .offered("Who argues, by name or description"),
        Row::new(O::Options, "options", List, " \"Redis, PostgreSQL, nothing new\"",
            |v| values::options(v).map(Texts))
            .choosing(WhoArgues).of_question().kept("options", Kept::Voices(2))
            .offered("2 to 6 options to choose from"),
        Row::flag(O::Blind, "blind").kept("blind", Kept::Flag(true))
            .offered("The critic opens without seeing the case"),
        Row::flag(O::FactCheck, "fact-check").kept("fact_check", Kept::Word(FactCheck::VARIANTS)),
        Row::new(O::Focus, "focus", Takes::Text, " security",
            |v| values::text(v, MAX_FOCUS_CHARS).map(Text))
            .kept("focus", Kept::Text(MAX_FOCUS_CHARS)).offered("What to look at"),
        Row::new(O::Framework, "framework", Takes::Text, " adr", name)
            .kept("framework", Kept::Text(MAX_NAME_CHARS)).with_text("framework_text")
            .offered("Form of the synthesis: adr, pre-mortem, red-team, rfc, \
                      risks, decision-matrix or one-pager"),
        Row::new(O::Judges, "judges", Takes::Number, " 3", |v| Ok(values::judges(v)?.into()))
            .by_default("1").kept("judges", Kept::Number(MIN_JUDGES, MAX_JUDGES)),
        Row::flag(O::Research, "research").kept("research", Kept::Flag(true))
            .offered("Both sides look for sources"),
        Row::new(O::Context, "context", Several, " src/", names)
            .choosing(Material).with_paths().kept("context_source", Kept::Text(MAX_SOURCE_CHARS))
            .offered("Material: files, folders or patterns within the project"),
        Row::new(O::Diff, "diff", Takes::Text, " main", |v| values::revision(v).map(Text))
            .choosing(Material),
        Row::new(O::Pr, "pr", Takes::Number, " 12", |v| values::pull_request(v).map(Number))
            .choosing(Material),
        Row::new(O::Plan, "plan", Takes::Text, "=plan.md", |v| values::plan(v).map(Text))
            .of_question().kept("plan", Kept::Text(MAX_SOURCE_CHARS)),
        Row::new(O::FollowUp, "follow-up", Takes::Text, " docs/decision.md", name)
            .with_paths().kept("follow_up", Kept::Text(MAX_SOURCE_CHARS))
            .offered("An earlier debate's id to build on"),
        Row::flag(O::Interactive, "interactive").kept("interactive", Kept::Flag(true)),
        Row::flag_on(O::EarlyEnd, "early-end").kept("early_end", Kept::Flag(false))
            .offered("End when nothing is open (true)"),
        Row::flag_on(O::Questions, "questions").kept("questions", Kept::Flag(false))
            .offered("A seat may ask the user what nobody else knows (true)"),
        Row::flag(O::Quick, "quick").kept("quick", Kept::Flag(true))
            .offered("One round, and replies of at most 150 words"),
        Row::new(O::Boundary, "boundary", Takes::Text, " round",
            |v| values::boundary(v).map(OptionValue::Boundary))
            .kept("boundary", Kept::Word(Boundary::VARIANTS)),
        Row::new(O::Review, "review", Takes::Text, " 30d",
            |v| values::review(v).map(OptionValue::Review))
            .kept("review", Kept::Day).offered("When to review the decision: 30d or a day"),
        Row::new(O::Output, "output", Takes::Text, " docs/decision.md",
            |v| values::output(v).map(Text))
            .kept("output", Kept::Text(MAX_OUTPUT_CHARS)),
        Row::flag(O::Replace, "replace"),
        Row::flag(O::TakeOver, "take-over"),
    ]
};

impl DebateOption {
    /// Every option, in the order of the help.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.option)
    }

    fn row(self) -> &'static OptionRow {
        &ROWS[self as usize]
    }

    /// Those that a defaults file may set. `--take-over` and the options of one question are not
    /// among them: they hold for one typed line.
    pub fn with_default() -> impl Iterator<Item = Self> {
        Self::all().filter(|option| *option != Self::TakeOver && !option.is_of_question())
    }

    /// The flags that a debate keeps.
    pub fn flags() -> impl Iterator<Item = Self> {
        Self::all().filter(|option| matches!(option.kept(), Some((_, Kept::Flag(_)))))
    }

    /// The option with a name. As a JSON key a name has underscores.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|option| option.name() == name)
    }

    /// The option with this key in the state file, or with this key of a text.
    pub fn with_key(key: &str) -> Option<Self> {
        Self::all().find(|option| {
            option.kept().is_some_and(|(own, _)| own == key) || option.row().text_key == Some(key)
        })
    }

    /// The value of a typed text. An error says what the option takes.
    pub(crate) fn read(self, value: &str) -> CheckedValue<OptionValue> {
        (self.row().read)(value)
    }

    /// The name without its hyphens, as in a defaults file.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The name with its hyphens.
    pub fn flag(self) -> String {
        format!("--{}", self.name())
    }

    pub fn takes(self) -> Takes {
        self.row().takes
    }

    /// The key in the state file, and the value under it.
    pub fn kept(self) -> Option<(&'static str, Kept)> {
        self.row().key
    }

    /// The key in the state file, or the name if the option has no key.
    pub fn key(self) -> &'static str {
        self.kept().map_or(self.name(), |(key, _)| key)
    }

    /// The key of the user's own text; without one, the key of the option.
    pub fn text_key(self) -> &'static str {
        self.row().text_key.unwrap_or(self.key())
    }

    /// An example, as the user types it.
    pub fn example(self) -> String {
        let OptionRow { name, example, .. } = self.row();
        if example.is_empty() {
            "the option alone, which means yes".to_owned()
        } else {
            format!("--{name}{example}")
        }
    }

    /// The help in the MCP server. `None`: only the user, or the leader of the debate, sets the
    /// option.
    pub fn tool_help(self) -> Option<&'static str> {
        self.row().tool_help
    }

    /// True if it holds for one question: no file of defaults sets it.
    pub fn is_of_question(self) -> bool {
        self.row().is_of_question
    }

    /// True if it may stand several times, each time with one more value.
    pub(crate) fn is_repeatable(self) -> bool {
        self.takes() == Takes::Several
    }

    /// True if its values can be paths.
    pub fn takes_paths(self) -> bool {
        self.row().takes_paths
    }

    /// The choice that it is a part of.
    pub fn choice(self) -> Option<OneChoice> {
        self.row().choice
    }

    /// Anvil's default. Empty: Anvil has no default.
    pub fn default_value(self) -> &'static str {
        self.row().default
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_matches_its_option() {
        for (at, option) in DebateOption::all().enumerate() {
            assert_eq!((option as usize, DebateOption::named(option.name())), (at, Some(option)));
            let default = option.default_value();
            assert!(default.is_empty() || option.read(default).is_ok(), "{default}");
        }
        assert_eq!(DebateOption::Rounds.default_value(), crate::limits::DEFAULT_ROUNDS.to_string());
        for option in DebateOption::flags() {
            let Some((_, Kept::Flag(kept))) = option.kept() else { unreachable!() };
            assert_ne!(option.read(option.default_value()), Ok(OptionValue::Flag(kept)));
        }
    }
}
