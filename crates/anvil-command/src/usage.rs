//! Converts clap's errors into Anvil's form: one line and a hint.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use anvil_core::options;
use anvil_core::options::DebateOption;
use anvil_text::error::Error;
use anvil_text::{Hint, clean};

/// Explains an error in the arguments. `listing` names the available options; `hint` follows the
/// hint for an unknown option.
pub fn usage_error(error: &clap::Error, listing: impl Into<Hint>, hint: &str) -> Error {
    let listing = listing.into();
    let argument = context(error, ContextKind::InvalidArg).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => Error::usage(
            format!("unknown option {}", clean(&argument, 60)),
            followed(nearest(error, ContextKind::SuggestedArg), listing, hint),
        ),
        ErrorKind::UnknownArgument => {
            Error::usage(format!("{argument:?} is not expected here"), listing)
        }
        ErrorKind::InvalidSubcommand => Error::usage(
            format!(
                "unknown command {}",
                clean(&context(error, ContextKind::InvalidSubcommand).unwrap_or_default(), 60)
            ),
            followed(nearest(error, ContextKind::SuggestedSubcommand), listing, ""),
        ),
        ErrorKind::InvalidValue => invalid_value(error, &argument),
        ErrorKind::WrongNumberOfValues | ErrorKind::TooFewValues => {
            let name = name_of(&argument);
            with_example(format!("{name} takes two values"), name)
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = if argument.is_empty() { "an argument" } else { &argument };
            let is_switch = missing.starts_with("--") && !missing.contains(['<', '[']);
            if is_switch {
                return Error::usage(format!("{missing} is missing"), "that option needs it");
            }
            with_example(format!("{missing} is missing"), name_of(missing))
        }
        ErrorKind::ValueValidation => refused_value(error, name_of(&argument)),
        ErrorKind::ArgumentConflict => {
            match context(error, ContextKind::PriorArg).filter(|other| *other != argument) {
                Some(other) => Error::usage(
                    format!("{argument} and {other} don't go together"),
                    "remove one of them",
                ),
                None => Error::usage(
                    format!("{} was given more than once", name_of(&argument)),
                    "write it once",
                ),
            }
        }
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Error::usage(first.trim_start_matches("error: "), listing)
        }
    }
}

/// clap's suggestion, if it has one.
fn nearest(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        // clap puts the nearest one last.
        Some(ContextValue::Strings(texts)) => texts.last().cloned(),
        _ => context(error, kind),
    }
}

/// The suggestion, or the `listing` without one; and another hint after it.
fn followed(suggested: Option<String>, listing: Hint, then: &str) -> Hint {
    let first = suggested.map(|nearest| format!("did you mean {nearest}?"));
    match (first, then.chars().next()) {
        (None, None) => listing,
        (None, Some(_)) => listing.then(format!("; {then}")),
        (Some(first), None) => first.into(),
        (Some(first), Some(letter)) => {
            format!("{first} {}{}", letter.to_uppercase(), &then[letter.len_utf8()..]).into()
        }
    }
}

/// An error about an argument, with an example of it.
fn with_example(message: String, name: &str) -> Error {
    Error::usage(message, format!("for example {}", example(name)))
}

/// The first text of one kind in clap's error.
fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    }
}

/// Handles a missing value, and a value that is not in the list.
fn invalid_value(error: &clap::Error, argument: &str) -> Error {
    match context(error, ContextKind::InvalidValue).filter(|value| !value.is_empty()) {
        Some(value) => {
            let known = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(texts)) => texts.join(", "),
                _ => String::new(),
            };
            Error::usage(
                format!("{:?} is not expected here", options::shorten(&value)),
                format!("choose from {known}"),
            )
        }
        None => Error::usage(
            format!("{argument} needs a value"),
            "write it after the option, in quotes if it has spaces",
        ),
    }
}

/// Handles a value that its parser refuses.
fn refused_value(error: &clap::Error, name: &str) -> Error {
    let value = context(error, ContextKind::InvalidValue).unwrap_or_default();
    let why = match std::error::Error::source(error) {
        Some(why) if why.is::<std::num::ParseIntError>() => "takes a whole number".to_owned(),
        why => why.map(ToString::to_string).unwrap_or_default(),
    };
    // clap: `0 is not in 1..=16`.
    let bounds = why.split_once(" is not in ").and_then(|(_, range)| range.split_once(".."));
    let why = bounds.map_or(why.clone(), |(least, most)| match most.trim_start_matches('=') {
        "" | "18446744073709551615" => format!("takes a whole number from {least}"),
        most => format!("takes a whole number from {least} to {most}"),
    });
    options::refused_value(name, &why, &value, &example(name))
}

/// The name of an argument in clap's description: `--rounds <N>`, `--blind[=<yes|no>]`, `<N>`,
/// `[N]`.
fn name_of(argument: &str) -> &str {
    argument.trim_start_matches('[').split([' ', '[', ']', '=']).next().unwrap_or_default()
}

fn example(name: &str) -> String {
    if let Some(option) = name.strip_prefix("--").and_then(DebateOption::named) {
        return option.example();
    }
    let example = match name {
        "<N>" | "N" | "<NUMBER>" => "3",
        "<SHELL>" => "bash",
        "--keep" => "--keep 20",
        "--outcome" => "--outcome right",
        "--pull" => "--pull 12",
        "--issue" => "--issue 12",
        "--publish" => "--publish 12",
        "--repo" => "--repo octo/hello",
        "--note" => "--note \"it paid for itself in a month\"",
        "--fail-on" => "--fail-on do-not",
        "--by" => "--by critic",
        "--state" => "--state open",
        "--to" => "--to 3",
        "--max-cost" => "--max-cost 2.50",
        "--max-tokens" => "--max-tokens 200000",
        "--max-time" => "--max-time 30m",
        "--max-reply" => "--max-reply 5m",
        "--jobs" => "--jobs 4",
        "--as" => "--as critic, or --any",
        "--agent" => "--agent codex",
        "--drop" => "--drop critic-1",
        _ => "a word, in quotes if it has spaces",
    };
    example.to_owned()
}
