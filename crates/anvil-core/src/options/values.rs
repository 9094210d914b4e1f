//! The values of options: a type for each, read as it is typed.

use super::error::OptionError;
use crate::id::Id;
use crate::journal::Review;
use crate::limits::{
    MAX_FOCUS_CHARS, MAX_JUDGES, MAX_MOTION_CHARS, MAX_NAME_CHARS, MAX_OPTIONS, MAX_OUTPUT_CHARS,
    MAX_POSITION_CHARS, MAX_ROUNDS, MAX_VOICES, MIN_JUDGES, MIN_ROUNDS,
};
use crate::question::{bare, motion::one_line, without_stop};
use anvil_text::clean;

/// Maximum length of a name, text or path without a limit of its own, in characters.
const MAX_VALUE_CHARS: usize = 1_000;

/// An error says what the option takes.
pub(crate) type CheckedValue<T> = Result<T, String>;

/// A value that an option does not take. clap's error has it as its source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Refused {
    /// What the option takes.
    pub why: String,
    /// An example, as it follows the option's name.
    pub example: &'static str,
}

impl Refused {
    pub fn new(why: impl Into<String>, example: &'static str) -> Self {
        Self { why: why.into(), example }
    }

    /// The error about a value of the argument with this name.
    pub fn of(self, name: &str, value: &str) -> OptionError {
        OptionError::Value { name: name.to_owned(), value: value.to_owned(), refused: self }
    }
}

/// The start of a value, for an error.
pub fn shorten(value: &str) -> String {
    match value.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// The type of an option's value.
pub trait OptionType: Clone + Send + Sync + 'static {
    /// An example, as it follows the option's name.
    const EXAMPLE: &'static str;

    /// Reads a value as it is typed.
    fn read(text: &str) -> CheckedValue<Self>;

    /// Reads the texts of a file. `None`: there are several, and the option takes one.
    fn read_all(texts: &[String]) -> Option<CheckedValue<Self>>;
}

type ReadAll<T> = fn(&[String]) -> Option<CheckedValue<T>>;

/// Declares the types of values: each with what it holds, how it is read, and an example. A type
/// that a file writes in another way has a second function for that.
macro_rules! option_types {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident($value:ty $(as $shape:ty)?) = $read:expr, $example:literal $(, $all:expr)?;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub $value);

        impl OptionType for $name {
            const EXAMPLE: &'static str = $example;

            fn read(text: &str) -> CheckedValue<Self> {
                let read: fn(&str) -> CheckedValue<$value> = $read;
                read(text).map(Self)
            }

            fn read_all(texts: &[String]) -> Option<CheckedValue<Self>> {
                $(
                    let read: ReadAll<$value> = $all;
                    return read(texts).map(|value| value.map(Self));
                )?
                #[allow(unreachable_code, reason = "most types have no function of their own")]
                match texts {
                    [text] => Some(Self::read(text)),
                    _ => None,
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = Refused;

            fn from_str(text: &str) -> Result<Self, Refused> {
                Self::read(text).map_err(|why| Refused::new(why, Self::EXAMPLE))
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <shape!($value $(as $shape)?) as schemars::JsonSchema>::json_schema(generator)
            }
        }
    )*};
}

/// The type that a schema shows.
#[cfg(feature = "schema")]
macro_rules! shape {
    ($value:ty) => {
        $value
    };
    ($value:ty as $shape:ty) => {
        $shape
    };
}

option_types! {
    YesOrNo(bool) = flag, "=yes";
    Rounds(u8) = |value| whole(value, MIN_ROUNDS, MAX_ROUNDS), " 3";
    Judges(u8) = judges, " 3";
    ModeName(String) = name, " philosopher";
    FrameworkName(String) = name, " adr";
    Position(String) = |value| text(value, MAX_POSITION_CHARS), " \"wait a year\"";
    Motion(String) = motion, " \"move the cache to Redis\"";
    Focus(String) = |value| text(value, MAX_FOCUS_CHARS), " security";
    Stakeholders(Vec<String>) = stakeholders, " \"engineering, sales, legal\"",
        |texts| Some(stakeholders(&texts.join(", ")));
    Alternatives(Vec<String>) = alternatives, " \"Redis, PostgreSQL, nothing new\"",
        |texts| Some(alternatives(&texts.join(", ")));
    /// A persona: its name, its file or a description.
    Who(String) = name, " sre-on-call";
    /// A file, a folder or a pattern.
    MaterialPath(String) = name, " src/";
    /// A revision, empty for what is not committed. `None`: no changes.
    Revision(Option<String> as String) =
        |value| revision(value).map(Some), " main", revision_in_file;
    PullRequest(u32) = pull_request, " 12";
    /// A file. Empty: the plan of the session.
    PlanFile(String) = plan, "=plan.md";
    /// A file, or a debate.
    EarlierResult(String) = name, " docs/decision.md";
    ReviewTime(Review as String) = review, " 30d";
    OutputPath(String) = output, " docs/decision.md";
    /// An agent, or several with commas: the next takes the seat of one that fails.
    AgentName(String) = |text| Ok(text.to_owned()), " codex", |texts| Some(Ok(texts.join(", ")));
    /// The name of a voice, and its agent.
    VoiceAgent((String, String) as String) = voice, " \"sales=codex\"";
}

/// A whole number within these bounds.
pub fn whole<T>(value: &str, least: T, most: T) -> CheckedValue<T>
where
    T: std::str::FromStr + PartialOrd + Copy + std::fmt::Display,
{
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("takes a whole number from {least} to {most}"))
}

/// `true` is the option without a value.
fn revision_in_file(texts: &[String]) -> Option<CheckedValue<Option<String>>> {
    match texts {
        [yes] if yes == "true" => Some(Ok(Some(String::new()))),
        [no] if no == "false" => Some(Ok(None)),
        [text] => Some(revision(text).map(Some)),
        _ => None,
    }
}

/// Also takes 1, which cancels a default.
fn judges(value: &str) -> CheckedValue<u8> {
    whole(value, 1, MAX_JUDGES)
        .map_err(|_| format!("takes a whole number from {MIN_JUDGES} to {MAX_JUDGES}"))
}

pub fn text(value: &str, most: usize) -> CheckedValue<String> {
    match value.trim().chars().count() {
        count if (1..=most).contains(&count) => Ok(value.trim().to_owned()),
        _ => Err(format!("takes 1 to {most} characters")),
    }
}

/// A name, a path or a description.
fn name(value: &str) -> CheckedValue<String> {
    if value.contains('\0') {
        Err("can't contain NUL".to_owned())
    } else {
        text(value, MAX_VALUE_CHARS)
    }
}

/// A file, or nothing: the plan of the session.
fn plan(value: &str) -> CheckedValue<String> {
    if value.is_empty() { Ok(String::new()) } else { name(value) }
}

/// One line; a final full stop goes.
pub fn motion(value: &str) -> CheckedValue<String> {
    one_line(value)
        .filter(|_| !value.trim().contains('\n'))
        .ok_or_else(|| format!("takes one line of 1 to {MAX_MOTION_CHARS} characters"))
}

fn revision(value: &str) -> CheckedValue<String> {
    if value.starts_with('-')
        || value.chars().any(char::is_control)
        || value.chars().count() > MAX_VALUE_CHARS
    {
        return Err("takes a revision that git knows".to_owned());
    }
    Ok(value.to_owned())
}

fn stakeholders(value: &str) -> CheckedValue<Vec<String>> {
    let names: Vec<String> = value
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    // The count is checked first, because the next check compares each name with all others.
    if !(2..=MAX_VOICES).contains(&names.len()) {
        return Err(format!("takes 2 to {MAX_VOICES} names with commas between them"));
    }
    if names.iter().enumerate().any(|(at, name)| names[..at].contains(name)) {
        return Err("takes every name once".to_owned());
    }
    Ok(names)
}

/// Two to six options. A verdict and a ranking name them, so no name is a word of a verdict or the
/// number of a claim.
fn alternatives(value: &str) -> CheckedValue<Vec<String>> {
    let names: Vec<String> = value.split(',').map(|name| clean(name, usize::MAX)).collect();
    let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
    if !(2..=MAX_OPTIONS).contains(&names.len()) {
        return Err(format!("takes 2 to {MAX_OPTIONS} options with commas between them"));
    }
    for (at, name) in names.iter().enumerate() {
        let folded = named_as(name);
        if name.chars().count() > MAX_NAME_CHARS {
            return Err(format!("takes options of at most {MAX_NAME_CHARS} characters"));
        }
        if !folded.contains(char::is_alphanumeric) || folded.contains('>') {
            return Err("takes options with a letter or a digit, and without \">\"".to_owned());
        }
        if ["do", "do not", "don't", "depends", "none"].contains(&folded.as_str())
            || folded.parse::<Id>().is_ok()
        {
            return Err(format!("can't have an option called {name}"));
        }
        if names[..at].iter().any(|other| named_as(other) == folded) {
            return Err("takes every option once".to_owned());
        }
    }
    Ok(names)
}

/// A name as a verdict can say it: one final full stop is ignored there.
fn named_as(name: &str) -> String {
    bare(without_stop(name))
}

fn pull_request(value: &str) -> CheckedValue<u32> {
    let number = value.trim_start_matches('#').parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "takes the number of a pull request".to_owned())
}

fn flag(value: &str) -> CheckedValue<bool> {
    match value {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("takes yes or no".to_owned()),
    }
}

fn review(value: &str) -> CheckedValue<Review> {
    Review::parse(value)
        .ok_or_else(|| "takes a day such as 2027-01-15, or a number of days such as 30d".to_owned())
}

fn voice(text: &str) -> CheckedValue<(String, String)> {
    let (name, agent) = text.split_once('=').unwrap_or_default();
    match (name.trim(), agent.trim()) {
        ("", _) | (_, "") => Err("takes NAME=AGENT".to_owned()),
        (name, agent) => Ok((name.to_owned(), agent.to_owned())),
    }
}

fn output(value: &str) -> CheckedValue<String> {
    if value.trim().is_empty() || value.contains('\0') || value.chars().count() > MAX_OUTPUT_CHARS {
        return Err(format!("takes a path of at most {MAX_OUTPUT_CHARS} characters"));
    }
    Ok(value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_two_to_six_names_that_a_verdict_can_hold() {
        for (typed, names) in [
            ("Redis, PostgreSQL", vec!["Redis", "PostgreSQL"]),
            (" a ,, b,c , ", vec!["a", "b", "c"]),
            ("one\n two,three\u{7}", vec!["one two", "three"]),
            ("1, 2, 3, 4, 5, 6", vec!["1", "2", "3", "4", "5", "6"]),
            ("nothing new, do it", vec!["nothing new", "do it"]),
        ] {
            assert_eq!(
                alternatives(typed),
                Ok(names.iter().map(|name| (*name).to_owned()).collect())
            );
        }
        let long = format!("a, {}", "x".repeat(MAX_NAME_CHARS + 1));
        for (typed, why) in [
            ("Redis", "2 to 6"),
            ("", "2 to 6"),
            ("1, 2, 3, 4, 5, 6, 7", "2 to 6"),
            ("Redis, redis", "once"),
            ("Redis, Redis.", "once"),
            ("Cafe\u{301} au lait, CAFÉ  au lait", "once"),
            ("Redis, do", "called do"),
            ("Redis, Do Not.", "called"),
            ("Redis, DEPENDS", "called"),
            ("Redis, depends\u{3002}", "called"),
            ("Redis, none", "called"),
            ("Redis, A1.", "called"),
            ("Redis, S2.1", "called"),
            ("Redis, **", "letter"),
            ("Redis, a > b", "letter"),
            (&long, "60 characters"),
        ] {
            let error = alternatives(typed).unwrap_err();
            assert!(error.contains(why), "{typed}: {error}");
        }
    }
}
