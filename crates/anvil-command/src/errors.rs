//! An error of clap as one of Anvil's: one line and a hint.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use anvil_core::options::{Refused, shorten};
use anvil_text::error::Error;
use anvil_text::{Hint, clean};

/// Explains an error in the arguments. `listing` names the available options; `hint` follows the
/// hint for an unknown option.
pub fn usage_error(error: &clap::Error, listing: impl Into<Hint>, hint: &str) -> Error {
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
    let name = name_of(argument);
    let value = text(ContextKind::InvalidValue);
    match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => Error::usage(
            format!("unknown option {}", clean(argument, 60)),
            followed(nearest(ContextKind::SuggestedArg), listing, hint),
        ),
        ErrorKind::UnknownArgument => {
            Error::usage(format!("{argument:?} is not expected here"), listing)
        }
        ErrorKind::InvalidSubcommand => Error::usage(
            format!("unknown command {}", clean(text(ContextKind::InvalidSubcommand), 60)),
            followed(nearest(ContextKind::SuggestedSubcommand), listing, ""),
        ),
        ErrorKind::InvalidValue if value.is_empty() => Error::usage(
            format!("{argument} needs a value"),
            "write it after the option, in quotes if it has spaces",
        ),
        ErrorKind::InvalidValue => Error::usage(
            format!("{:?} is not expected here", shorten(value)),
            format!("choose from {}", texts(ContextKind::ValidValue).join(", ")),
        ),
        ErrorKind::TooManyValues => {
            Error::usage(format!("{name} takes no value"), format!("write {name} alone"))
        }
        ErrorKind::MissingRequiredArgument if argument.is_empty() => {
            Error::usage("an argument is missing", listing)
        }
        ErrorKind::MissingRequiredArgument => {
            let words = words_of(argument);
            Error::usage(format!("{words} is missing"), format!("add {words}"))
        }
        ErrorKind::ValueValidation => {
            let source = std::error::Error::source(error);
            match source.and_then(<dyn std::error::Error>::downcast_ref::<Refused>) {
                Some(refused) => refused.error(name, value),
                None => Error::usage(format!("{name} can't be {:?}", shorten(value)), listing),
            }
        }
        ErrorKind::ArgumentConflict => match text(ContextKind::PriorArg) {
            prior if prior.is_empty() || prior == argument => {
                Error::usage(format!("{name} was given more than once"), "write it once")
            }
            prior => Error::usage(
                format!("{argument} and {prior} don't go together"),
                "remove one of them",
            ),
        },
        kind => Error::usage(kind.to_string(), listing),
    }
}

/// The suggestion, or the `listing` without one; and another hint after it.
fn followed(suggested: Option<String>, listing: Hint, then: &str) -> Hint {
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
