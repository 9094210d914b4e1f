//! The errors about a typed line: one line and a hint each. clap's are read from their kind and
//! their context values.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use anvil_core::limits::{MAX_QUESTION_CHARS, MAX_STEERING_CHARS};
use anvil_core::options::{Refused, shorten};
use anvil_text::error::{Error, Failure, Kind};
use anvil_text::{Hint, Verb, clean, hint};

/// Arguments that a command does not take.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("unknown option {option}")]
    UnknownOption { option: String, hint: Hint },
    #[error("unknown command {command}")]
    UnknownCommand { command: String, hint: Hint },
    #[error("{word:?} is not expected here")]
    Unexpected { word: String, hint: Hint },
    #[error("{value:?} is not expected here")]
    NotAChoice { value: String, choices: String },
    #[error("{0} needs a value")]
    NoValue(String),
    #[error("{0} takes no value")]
    TakesNoValue(String),
    #[error("{0} is missing")]
    Missing(String),
    #[error("an argument is missing")]
    ArgumentMissing { hint: Hint },
    #[error("{name} can't be {value:?}")]
    WrongValue { name: String, value: String, hint: Hint },
    #[error("{0} was given more than once")]
    Repeated(String),
    #[error("{0} and {1} don't go together")]
    Conflict(String, String),
    /// A kind of clap's errors that no command here has.
    #[error("{kind}")]
    Other { kind: ErrorKind, hint: Hint },

    #[error("the line is too long for this command")]
    LineTooLong,
    #[error("the question is missing")]
    NoQuestion,
    #[error("the question has {0} characters, more than {MAX_QUESTION_CHARS}")]
    QuestionTooLong(usize),
    #[error("{flag} {word}: is \"{word}\" its value, or does the question begin with it?")]
    Unclear { flag: String, word: String },
    #[error("{} begins with a long dash", clean(.word, 40))]
    LongDash { word: String, option: String },
    #[error("--{0} is inside the question")]
    InQuestion(String),

    #[error("the direction is missing")]
    NoDirection,
    #[error("the text has {0} characters, more than {MAX_STEERING_CHARS}")]
    TextTooLong(usize),
    #[error("the {what} is missing")]
    NoText { what: &'static str, hint: &'static str },
    #[error("{0} is inside the direction")]
    InDirection(String),
    #[error("--motion {0}")]
    Motion(String),
    #[error("N takes a whole number, 1 or more, not \"{}\"", clean(.0, 40))]
    Phases(String),
    #[error("name one debate by one word")]
    TwoDebates,
    #[error("there is no issue named")]
    NoIssue,
    #[error("more than one issue is named")]
    TwoIssues,
    #[error("{0} is for programs in the seats, but here Claude fills them")]
    NoPrograms(String),
}

/// How a word that looks like an option stays in a question.
const KEEP: &str = "to keep it as part of the question, write -- before the question";

impl Failure for CommandError {
    fn kind(&self) -> Kind {
        Kind::Usage
    }

    fn hint(&self) -> Hint {
        match self {
            Self::UnknownOption { hint, .. }
            | Self::UnknownCommand { hint, .. }
            | Self::Unexpected { hint, .. }
            | Self::ArgumentMissing { hint }
            | Self::WrongValue { hint, .. }
            | Self::Other { hint, .. } => hint.clone(),
            Self::NotAChoice { choices, .. } => format!("choose from {choices}").into(),
            Self::NoValue(_) => "write it after the option, in quotes if it has spaces".into(),
            Self::TakesNoValue(name) => format!("write {name} alone").into(),
            Self::Missing(words) => format!("add {words}").into(),
            Self::Repeated(_) => "write it once".into(),
            Self::Conflict(..) => "remove one of them".into(),
            Self::LineTooLong => "type it with nothing after it".into(),
            Self::NoQuestion => "write it after the command: Should we …?".into(),
            Self::QuestionTooLong(_) => {
                "put the material into a file, and name it: --context FILE".into()
            }
            Self::Unclear { flag, word } => {
                format!("write {flag}={word}, or put {flag} after the question").into()
            }
            Self::LongDash { option, .. } => {
                format!("write --{option}, with two hyphens; {KEEP}").into()
            }
            Self::InQuestion(_) => format!("put options before or after it; {KEEP}").into(),
            Self::NoDirection => "write it after the command: look at the cost of leaving".into(),
            Self::TextTooLong(_) => {
                "put the material into a file of the project and name the file".into()
            }
            Self::NoText { hint, .. } => (*hint).into(),
            Self::InDirection(_) => {
                hint!["write the options before the text: ", Verb::Steer.with("--take-over TEXT")]
            }
            Self::Motion(_) => "name the action alone".into(),
            Self::Phases(_) => "for example 3".into(),
            Self::TwoDebates => "write its number in the history, or its id".into(),
            Self::NoIssue => "name it: --issue 12, or --pr 12".into(),
            Self::TwoIssues => "a debate is in one issue or pull request".into(),
            Self::NoPrograms(name) => format!("add --isolated, or leave {name} out").into(),
        }
    }
}

/// Explains an error in the arguments. `listing` names the available options; `then` follows the
/// hint for an unknown option.
pub fn usage_error(error: &clap::Error, listing: impl Into<Hint>, then: &str) -> Error {
    let listing = listing.into();
    let texts = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => std::slice::from_ref(text),
        Some(ContextValue::Strings(texts)) => texts,
        _ => &[],
    };
    let text = |kind| texts(kind).first().map_or("", String::as_str);
    // clap puts the nearest one last.
    let nearest = |kind| texts(kind).last().map(|nearest| format!("did you mean {nearest}?"));
    let argument = text(ContextKind::InvalidArg);
    let name = name_of(argument).to_owned();
    let value = text(ContextKind::InvalidValue);
    let wrong = match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => CommandError::UnknownOption {
            option: clean(argument, 60),
            hint: compose_hint(nearest(ContextKind::SuggestedArg), listing, then),
        },
        ErrorKind::UnknownArgument => {
            CommandError::Unexpected { word: argument.to_owned(), hint: listing }
        }
        ErrorKind::InvalidSubcommand => CommandError::UnknownCommand {
            command: clean(text(ContextKind::InvalidSubcommand), 60),
            hint: compose_hint(nearest(ContextKind::SuggestedSubcommand), listing, ""),
        },
        ErrorKind::InvalidValue if value.is_empty() => CommandError::NoValue(argument.to_owned()),
        ErrorKind::InvalidValue => CommandError::NotAChoice {
            value: shorten(value),
            choices: texts(ContextKind::ValidValue).join(", "),
        },
        ErrorKind::TooManyValues => CommandError::TakesNoValue(name),
        ErrorKind::MissingRequiredArgument if argument.is_empty() => {
            CommandError::ArgumentMissing { hint: listing }
        }
        ErrorKind::MissingRequiredArgument => CommandError::Missing(words_of(argument)),
        ErrorKind::ValueValidation => {
            let source = std::error::Error::source(error);
            match source.and_then(<dyn std::error::Error>::downcast_ref::<Refused>) {
                Some(refused) => return refused.clone().of(&name, value).into(),
                None => CommandError::WrongValue { name, value: shorten(value), hint: listing },
            }
        }
        ErrorKind::ArgumentConflict => match text(ContextKind::PriorArg) {
            prior if prior.is_empty() || prior == argument => CommandError::Repeated(name),
            prior => CommandError::Conflict(argument.to_owned(), prior.to_owned()),
        },
        kind => CommandError::Other { kind, hint: listing },
    };
    wrong.into()
}

/// The suggestion, or the `listing` without one; and another hint after it.
fn compose_hint(suggested: Option<String>, listing: Hint, then: &str) -> Hint {
    match (suggested, then.chars().next()) {
        (None, None) => listing,
        (None, Some(_)) => listing.then(format!("; {then}")),
        (Some(first), None) => first.into(),
        (Some(first), Some(letter)) => {
            format!("{first} {}{}", letter.to_uppercase(), &then[letter.len_utf8()..]).into()
        }
    }
}

/// An argument as the user types it, from clap's description: `<--publish <N>|--pull <N>>` is
/// `--publish N or --pull N`, and `--purge[=<WHAT>]` is `--purge`.
fn words_of(argument: &str) -> String {
    let words = argument.split('[').next().unwrap_or_default();
    words.replace(['<', '>'], "").replace('|', " or ")
}

/// The name of an argument in clap's description: `--rounds <N>`, `--blind[=<yes|no>]`, `<N>`,
/// `[N]`.
fn name_of(argument: &str) -> &str {
    argument.trim_start_matches('[').split([' ', '[', ']', '=']).next().unwrap_or_default()
}
