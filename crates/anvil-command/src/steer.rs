//! The options of `steer`: a direction, another number of rounds, or the synthesis.

use clap::{Args, Command};

use super::split::KnownOptions;
use super::{TakeOver, steering};
use crate::errors::CommandError;
use anvil_core::options::{self, Rounds, Statement, Steering};
use anvil_text::error::Result;

/// The options of `steer`; they stand before its text.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct SteerOptions {
    /// Total number of rounds, 1 to 10
    #[arg(long, value_name = "N", conflicts_with_all = ["synthesize", "note", "answer", "motion"])]
    pub rounds: Option<Rounds>,
    /// End the argument: the synthesis is next
    #[arg(long)]
    pub synthesize: bool,
    /// Save TEXT as a fact that you found, with its place; the debate does not continue
    #[arg(long, conflicts_with = "synthesize")]
    pub note: bool,
    /// Answer the oldest question that the debate has asked you; the debate does not continue
    #[arg(long, conflicts_with_all = ["synthesize", "note"])]
    pub answer: bool,
    /// Correct the motion: TEXT is the action that FOR and "do" mean
    #[arg(long, conflicts_with_all = ["synthesize", "note", "answer"])]
    pub motion: bool,
    /// The flag that includes another session's debate.
    #[command(flatten)]
    pub owner: TakeOver,
    /// The direction for the next phase
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    pub text: Vec<String>,
}

impl SteerOptions {
    /// Fails if the request is empty, or if an option is inside the direction.
    pub fn steering(&self) -> Result<Steering> {
        let text = self.text.join(" ");
        let is_alone = self.rounds.is_some() || self.synthesize;
        let is_empty = super::is_blank(&text);
        if self.note && is_empty {
            let hint = "write it after --note, with its place: it keeps 7 days (ops.md:3)";
            return Err(CommandError::NoText { what: "fact", hint }.into());
        }
        if self.answer && is_empty {
            let hint = "write it after --answer";
            return Err(CommandError::NoText { what: "answer", hint }.into());
        }
        if self.motion && is_empty {
            let hint = "write it after --motion";
            return Err(CommandError::NoText { what: "motion", hint }.into());
        }
        let direction = if is_alone && is_empty { None } else { Some(steering(&text)?) };
        let misplaced = direction.as_deref().and_then(option_in);
        if let Some(option) = misplaced {
            return Err(CommandError::InDirection(option).into());
        }
        let rounds = self.rounds.as_ref().map(|rounds| rounds.0);
        Ok(Steering { rounds, direction, synthesize: self.synthesize })
    }

    /// The text, if an option says that it directs nothing.
    pub fn statement(&self) -> Result<Option<Statement>> {
        if !(self.note || self.answer || self.motion) {
            return Ok(None);
        }
        let text = self.steering()?.direction.unwrap_or_default();
        if self.note {
            return Ok(Some(Statement::Fact(text)));
        }
        if self.answer {
            return Ok(Some(Statement::Answer(text)));
        }
        let motion = options::motion(&text).map_err(CommandError::Motion)?;
        Ok(Some(Statement::Motion(motion)))
    }
}

/// The first option of `steer` that stands in a direction.
fn option_in(direction: &str) -> Option<String> {
    let mut words = direction.split_whitespace().filter_map(|word| word.strip_prefix("--"));
    let first = words.next()?;
    let command = SteerOptions::augment_args(Command::new("steer"));
    let known = KnownOptions::of_command(&command);
    std::iter::once(first)
        .chain(words)
        .map(|word| word.split('=').next().unwrap_or(word))
        .find(|name| known.has(name))
        .map(|name| format!("--{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Typed};

    fn typed(line: &str) -> Result<Steering> {
        match Typed::parse("steer", line) {
            Some(Ok(Typed::Action(Action::Steer { options }))) => options.steering(),
            Some(Err(error)) => Err(error),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_statement_directs_nothing() {
        let statement = |line: &str| match Typed::parse("steer", line) {
            Some(Ok(Typed::Action(Action::Steer { options }))) => options.statement(),
            other => panic!("{line}: {other:?}"),
        };
        let text = || "move the cache".to_owned();
        assert_eq!(statement("move the cache").unwrap(), None);
        for (line, meant) in [
            ("--motion move the cache.", Statement::Motion(text())),
            ("--answer move the cache", Statement::Answer(text())),
            ("--note move the cache", Statement::Fact(text())),
        ] {
            assert_eq!(statement(line).unwrap(), Some(meant), "{line}");
        }
        for wrong in ["x".repeat(201), "\u{200b}…".to_owned(), "move\nit".to_owned()] {
            let error = statement(&format!("--motion {wrong}")).unwrap_err().to_string();
            assert!(error.contains("--motion takes one line of 1 to 200 characters"), "{error}");
        }
    }

    #[test]
    fn a_direction_is_verbatim_and_follows_the_options() {
        let steering = |rounds, direction: &str, synthesize| Steering {
            rounds,
            direction: Some(direction.to_owned()).filter(|text| !text.is_empty()),
            synthesize,
        };
        for (line, meant) in [
            ("look at  \"the cost\"", steering(None, "look at  \"the cost\"", false)),
            ("--rounds 4", steering(Some(4), "", false)),
            ("--rounds=4 look -- at it", steering(Some(4), "look -- at it", false)),
            ("--synthesize", steering(None, "", true)),
            ("--answer two people", steering(None, "two people", false)),
            ("--note src/a.rs retries", steering(None, "src/a.rs retries", false)),
            ("--take-over --synthesize weigh --the cost", steering(None, "weigh --the cost", true)),
        ] {
            assert_eq!(typed(line).unwrap(), meant, "{line}");
        }
        for (line, expected) in [
            ("", "the direction is missing"),
            ("\u{200b}\u{2063}", "the direction is missing"),
            ("--note \u{200b}", "the fact is missing"),
            ("--answer \u{200b}", "the answer is missing"),
            ("--rounds", "a value"),
            ("--rounds 11", "1 to 10"),
            ("--rounds 2 --synthesize", "don't go together"),
            ("--note --rounds 2 it retries", "don't go together"),
            ("--note", "the fact is missing"),
            ("--answer ", "the answer is missing"),
            ("--motion", "the motion is missing"),
            ("--motion --rounds 2 wait", "don't go together"),
            ("look at it --motion wait", "--motion is inside the direction"),
            ("--answer --note both", "don't go together"),
            ("look at the cost --rounds 2", "--rounds is inside the direction"),
            ("look --synthesize", "--synthesize is inside the direction"),
        ] {
            let error = typed(line).unwrap_err().to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
