//! The values of options, read as they are typed.

use crate::id::Id;
use crate::journal::Review;
use crate::limits::{
    MAX_JUDGES, MAX_MOTION_CHARS, MAX_NAME_CHARS, MAX_OPTIONS, MAX_OUTPUT_CHARS, MAX_ROUNDS,
    MAX_VOICES, MIN_JUDGES, MIN_ROUNDS,
};
use crate::options::Boundary;
use crate::question::{bare, motion::one_line, without_stop};
use anvil_text::clean;

/// Maximum length of a name, text or path without a limit of its own, in characters.
const MAX_VALUE_CHARS: usize = 1_000;

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    Flag(bool),
    Number(u32),
    Text(String),
    Texts(Vec<String>),
    Boundary(Boundary),
    Review(Review),
}

impl From<bool> for OptionValue {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<u8> for OptionValue {
    fn from(number: u8) -> Self {
        Self::Number(number.into())
    }
}

impl From<String> for OptionValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// An error says what the option takes.
pub(crate) type CheckedValue<T> = std::result::Result<T, String>;

pub fn rounds(value: &str) -> CheckedValue<u8> {
    let number = value.parse().ok().filter(|number| (MIN_ROUNDS..=MAX_ROUNDS).contains(number));
    number.ok_or_else(|| format!("takes a whole number from {MIN_ROUNDS} to {MAX_ROUNDS}"))
}

/// Also takes 1, which cancels a default.
pub(crate) fn judges(value: &str) -> CheckedValue<u8> {
    let number = value.parse().ok().filter(|number| (1..=MAX_JUDGES).contains(number));
    number.ok_or_else(|| format!("takes a whole number from {MIN_JUDGES} to {MAX_JUDGES}"))
}

pub fn text(value: &str, most: usize) -> CheckedValue<String> {
    match value.trim().chars().count() {
        count if (1..=most).contains(&count) => Ok(value.trim().to_owned()),
        _ => Err(format!("takes 1 to {most} characters")),
    }
}

/// A name, a path or a description.
pub(crate) fn name(value: &str) -> CheckedValue<String> {
    if value.contains('\0') {
        Err("can't contain NUL".to_owned())
    } else {
        text(value, MAX_VALUE_CHARS)
    }
}

/// A file, or nothing: the plan of the session.
pub(crate) fn plan(value: &str) -> CheckedValue<String> {
    if value.is_empty() { Ok(String::new()) } else { name(value) }
}

/// One line; a final full stop goes.
pub fn motion(value: &str) -> CheckedValue<String> {
    one_line(value)
        .filter(|_| !value.trim().contains('\n'))
        .ok_or_else(|| format!("takes one line of 1 to {MAX_MOTION_CHARS} characters"))
}

pub(crate) fn revision(value: &str) -> CheckedValue<String> {
    if value.starts_with('-')
        || value.chars().any(char::is_control)
        || value.chars().count() > MAX_VALUE_CHARS
    {
        return Err("takes a revision that git knows".to_owned());
    }
    Ok(value.to_owned())
}

pub(crate) fn stakeholders(value: &str) -> CheckedValue<Vec<String>> {
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
pub(crate) fn options(value: &str) -> CheckedValue<Vec<String>> {
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

pub(crate) fn pull_request(value: &str) -> CheckedValue<u32> {
    let number = value.trim_start_matches('#').parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "takes the number of a pull request".to_owned())
}

pub fn flag(value: &str) -> CheckedValue<bool> {
    match value {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("takes yes or no".to_owned()),
    }
}

pub(crate) fn boundary(value: &str) -> CheckedValue<Boundary> {
    Boundary::from_word(value).ok_or_else(|| "takes round or synthesis".to_owned())
}

pub fn review(value: &str) -> CheckedValue<Review> {
    Review::parse(value)
        .ok_or_else(|| "takes a day such as 2027-01-15, or a number of days such as 30d".to_owned())
}

pub(crate) fn output(value: &str) -> CheckedValue<String> {
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
            assert_eq!(options(typed), Ok(names.iter().map(|name| (*name).to_owned()).collect()));
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
            let error = options(typed).unwrap_err();
            assert!(error.contains(why), "{typed}: {error}");
        }
    }
}
