//! clap's errors in our own form: one line and a hint.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::Error;

/// Says what is wrong with arguments. `listing` tells which options there are; `hint` goes after the hint for an unknown
/// one.
#[must_use]
pub fn usage_error(error: &clap::Error, listing: &str, hint: &str) -> Error {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    };
    // The nearest one stands last.
    let suggested = |kind| match error.get(kind) {
        Some(ContextValue::Strings(texts)) => texts.last().cloned(),
        _ => context(kind),
    };
    let nearest =
        |kind| suggested(kind).map_or_else(|| listing.to_owned(), |nearest| format!("did you mean {nearest}?"));
    let argument = context(ContextKind::InvalidArg).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            Error::usage(format!("unknown option {argument}"), format!("{}{hint}", nearest(ContextKind::SuggestedArg)))
        }
        ErrorKind::UnknownArgument => Error::usage(format!("{argument:?} is not expected here"), listing),
        ErrorKind::InvalidSubcommand => Error::usage(
            format!("unknown command {}", context(ContextKind::InvalidSubcommand).unwrap_or_default()),
            nearest(ContextKind::SuggestedSubcommand),
        ),
        ErrorKind::InvalidValue => match context(ContextKind::InvalidValue).filter(|value| !value.is_empty()) {
            Some(value) => {
                let known = match error.get(ContextKind::ValidValue) {
                    Some(ContextValue::Strings(texts)) => texts.join(", "),
                    _ => String::new(),
                };
                Error::usage(format!("{:?} is not expected here", shorten(&value)), format!("there are {known}"))
            }
            None => Error::usage(
                format!("{argument} needs a value"),
                "write it after the option, in quotes if it has spaces",
            ),
        },
        ErrorKind::WrongNumberOfValues | ErrorKind::TooFewValues => {
            let name = name_of(&argument);
            Error::usage(format!("{name} takes two values"), format!("for example {}", example(name)))
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = if argument.is_empty() { "an argument" } else { &argument };
            Error::usage(format!("{missing} is missing"), format!("for example {}", example(name_of(missing))))
        }
        ErrorKind::ValueValidation => {
            let value = context(ContextKind::InvalidValue).unwrap_or_default();
            let why = match std::error::Error::source(error) {
                Some(why) if why.is::<std::num::ParseIntError>() => "takes a whole number".to_owned(),
                why => why.map(ToString::to_string).unwrap_or_default(),
            };
            let name = name_of(&argument);
            Error::usage(format!("{name} {why}, not {:?}", shorten(&value)), format!("for example {}", example(name)))
        }
        ErrorKind::ArgumentConflict => match context(ContextKind::PriorArg).filter(|other| *other != argument) {
            Some(other) => Error::usage(format!("{argument} and {other} don't go together"), "leave one of them out"),
            None => Error::usage(format!("{} was given more than once", name_of(&argument)), "write it once"),
        },
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Error::usage(first.trim_start_matches("error: "), listing)
        }
    }
}

/// The name of an argument as clap describes it: `--rounds <N>`, `--blind[=<yes|no>]`, `<N>`, `[N]`.
fn name_of(argument: &str) -> &str {
    argument.trim_start_matches('[').split([' ', '[', ']', '=']).next().unwrap_or_default()
}

fn shorten(value: &str) -> String {
    if value.chars().count() <= 40 { value.to_owned() } else { value.chars().take(40).chain(['…']).collect() }
}

fn example(name: &str) -> &'static str {
    match name {
        "--rounds" => "--rounds 3",
        "<N>" | "N" | "<NUMBER>" => "3",
        "--judges" => "--judges 3",
        "--keep" => "--keep 20",
        "<SHELL>" => "bash",
        "--position" => "--position \"wait a year\"",
        "--mode" => "--mode philosopher",
        "--stakeholders" => "--stakeholders \"engineering, sales, legal\"",
        "--persona" => "--persona sre-on-call",
        "--focus" => "--focus security",
        "--framework" => "--framework adr",
        "--context" => "--context src/",
        "--diff" => "--diff main",
        "--pr" => "--pr 12",
        "--issue" => "--issue 12",
        "--repo" => "--repo octo/hello",
        "--forge" => "--forge gitea",
        "--context-budget" => "--context-budget 24000",
        "--follow-up" => "--follow-up docs/decision.md",
        "--versus" => "--versus a.md b.md",
        "--review" => "--review 30d",
        "--note" => "--note \"it paid for itself in a month\"",
        "--boundary" => "--boundary round",
        "--early-end" => "--early-end=no",
        "--blind" | "--fact-check" | "--research" | "--interactive" | "--replace" => {
            "the option alone, which means yes"
        }
        "--by" => "--by critic",
        "--as" => "--as critic, or --any",
        "--agent" => "--agent codex; `anvil agents` lists them",
        "--drop" => "--drop critic-1",
        "--output" => "--output docs/decision.md",
        _ => "a word, in quotes if it has spaces",
    }
}
