//! Typed values of a head. Each is checked against its range; an error names the key and the
//! expected value.

use jiff::Timestamp;
use jiff::civil::Date;

use super::error::OR_REPLACE;
use super::frontmatter::{Frontmatter, Value};
use anvil_core::options::{DebateOption, Kept};
use anvil_text::Hint;
use anvil_text::error::Failure;

/// An invalid or missing value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state file's `{key}` is {}", fault(.expected.as_deref()))]
pub struct Wrong {
    pub(crate) key: String,
    /// The expected value; `None`: the key is missing.
    pub(crate) expected: Option<String>,
}

fn fault(expected: Option<&str>) -> String {
    let invalid = |expected| format!("invalid: expected {expected}");
    expected.map_or_else(|| "missing".to_owned(), invalid)
}

impl Failure for Wrong {
    fn hint(&self) -> Hint {
        format!("repair that line by hand, {OR_REPLACE}").into()
    }
}

pub(super) fn wrong(key: &str, expected: &str) -> Wrong {
    Wrong { key: key.to_owned(), expected: Some(expected.to_owned()) }
}

pub(super) fn missing(key: &str) -> Wrong {
    Wrong { key: key.to_owned(), expected: None }
}

/// Takes typed values out of a head. An empty text counts as absent.
pub(crate) struct HeadReader(pub Frontmatter);

impl HeadReader {
    /// `None`: the key is missing or has no value.
    fn take(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key).filter(|value| *value != Value::Empty)
    }

    pub(crate) fn flag(&mut self, key: &str) -> Result<Option<bool>, Wrong> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Flag(flag)) => Ok(Some(flag)),
            Some(_) => Err(wrong(key, "true or false")),
        }
    }

    pub(crate) fn number<T>(&mut self, key: &str, least: T, most: T) -> Result<Option<T>, Wrong>
    where
        T: TryFrom<i64> + PartialOrd + Copy + std::fmt::Display,
    {
        let number = match self.take(key) {
            None => return Ok(None),
            Some(Value::Number(number)) => T::try_from(number).ok(),
            Some(_) => None,
        };
        match number.filter(|number| (least..=most).contains(number)) {
            None => Err(wrong(key, &format!("a whole number from {least} to {most}"))),
            within => Ok(within),
        }
    }

    pub(crate) fn text(&mut self, key: &str, most_chars: usize) -> Result<Option<String>, Wrong> {
        let text = match self.take(key) {
            None => return Ok(None),
            Some(Value::Text(text)) => text,
            Some(Value::Word(word)) => word.to_owned(),
            Some(Value::Flag(flag)) => flag.to_string(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::List(_) | Value::Empty) => return Err(wrong(key, "a text")),
        };
        if text.len() > most_chars && text.chars().count() > most_chars {
            return Err(wrong(key, &format!("a text of at most {most_chars} characters")));
        }
        Ok((!text.is_empty()).then_some(text))
    }

    /// A name of one line.
    pub(crate) fn name(&mut self, option: DebateOption) -> Result<Option<String>, Wrong> {
        match self.option_text(option)? {
            Some(name) if name.chars().any(char::is_control) => {
                Err(wrong(option.key(), "a name of one line"))
            }
            name => Ok(name),
        }
    }

    /// An option that is a text, with its bound.
    pub(crate) fn option_text(&mut self, option: DebateOption) -> Result<Option<String>, Wrong> {
        let Some((key, Kept::Text(most))) = option.kept() else { return Ok(None) };
        self.text(key, most)
    }

    /// An option that is a number, with its bounds.
    pub(crate) fn option_number(&mut self, option: DebateOption) -> Result<Option<u8>, Wrong> {
        let Some((key, Kept::Number(least, most))) = option.kept() else { return Ok(None) };
        self.number(key, least, most)
    }

    /// An option that is one of its words.
    pub(crate) fn option_word<T>(
        &mut self,
        option: DebateOption,
        read: fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Wrong> {
        let Some((key, Kept::Word(words))) = option.kept() else { return Ok(None) };
        self.word(key, read, &words.join(" or "))
    }

    pub(crate) fn texts(
        &mut self,
        key: &str,
        most: usize,
        most_chars: usize,
    ) -> Result<Vec<String>, Wrong> {
        let expected = format!("a list of at most {most} texts of at most {most_chars} characters");
        let list = match self.take(key) {
            None => return Ok(Vec::new()),
            Some(Value::Text(text)) if text.is_empty() => return Ok(Vec::new()),
            Some(Value::List(list)) => list,
            Some(_) => return Err(wrong(key, &expected)),
        };
        if list.len() > most {
            return Err(wrong(key, &expected));
        }
        list.into_iter()
            .map(|value| match value {
                Value::Text(text) => Some(text),
                Value::Number(number) => Some(number.to_string()),
                Value::Flag(flag) => Some(flag.to_string()),
                Value::List(_) | Value::Empty | Value::Word(_) => None,
            })
            .map(|text| text.filter(|text| text.chars().count() <= most_chars))
            .collect::<Option<_>>()
            .ok_or_else(|| wrong(key, &expected))
    }

    /// A text that `read` accepts.
    pub(crate) fn word<T>(
        &mut self,
        key: &str,
        read: impl Fn(&str) -> Option<T>,
        expected: &str,
    ) -> Result<Option<T>, Wrong> {
        let Some(word) = self.text(key, 100)? else { return Ok(None) };
        read(&word).map(Some).ok_or_else(|| wrong(key, expected))
    }

    pub(crate) fn day(&mut self, key: &str) -> Result<Option<Date>, Wrong> {
        self.word(key, |day| day.parse().ok(), "a day such as 2027-01-15")
    }

    pub(crate) fn time(&mut self, key: &str) -> Result<Option<Timestamp>, Wrong> {
        self.word(key, |time| time.parse().ok(), "a time such as 2026-11-21T01:55:41Z")
    }
}
