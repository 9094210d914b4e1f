//! Lines of a head, read by serde, each alone: an error names the key and the expected value.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error as _, Expected,
    IntoDeserializer as _, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use super::error::OR_REPLACE;
use super::frontmatter::{Frontmatter, Value};
use anvil_core::limits::MAX_VOICES;
use anvil_core::options::FactCheck;
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

impl serde::de::Error for Wrong {
    fn custom<T: fmt::Display>(expected: T) -> Self {
        wrong("", &expected.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(expected)
    }
}

pub(super) fn wrong(key: &str, expected: &str) -> Wrong {
    Wrong { key: key.to_owned(), expected: Some(expected.to_owned()) }
}

pub(super) fn missing(key: &str) -> Wrong {
    Wrong { key: key.to_owned(), expected: None }
}

/// Takes the lines that are fields of `T` out of a head.
pub(super) fn lines<T: DeserializeOwned>(head: &mut Frontmatter) -> Result<T, Wrong> {
    T::deserialize(Lines(head))
}

/// Takes one line out of a head. `None`: the key is missing or has no value.
pub(super) fn line<T: DeserializeOwned>(
    head: &mut Frontmatter,
    key: &str,
) -> Result<Option<T>, Wrong> {
    let Some(value) = head.remove(key) else { return Ok(None) };
    Option::deserialize(LineValue(value)).map_err(|wrong| Wrong { key: key.to_owned(), ..wrong })
}

/// Takes a word that `read` accepts.
pub(super) fn word<T>(
    head: &mut Frontmatter,
    key: &str,
    read: impl Fn(&str) -> Option<T>,
    expected: &str,
) -> Result<Option<T>, Wrong> {
    let Some(Text(word)) = line::<Text<100>>(head, key)? else { return Ok(None) };
    read(&word).map(Some).ok_or_else(|| wrong(key, expected))
}

pub(super) fn time(head: &mut Frontmatter, key: &str) -> Result<Option<Timestamp>, Wrong> {
    word(head, key, |time| time.parse().ok(), "a time such as 2026-11-21T01:55:41Z")
}

/// A text of at most this many characters.
#[derive(Clone, Debug)]
pub(super) struct Text<const MAX: usize>(pub String);

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.len() > MAX && text.chars().count() > MAX {
            return Err(D::Error::custom(format!("a text of at most {MAX} characters")));
        }
        Ok(Self(text))
    }
}

/// A name of one line, of at most this many characters.
#[derive(Clone, Debug)]
pub(super) struct Name<const MAX: usize>(pub String);

impl<'de, const MAX: usize> Deserialize<'de> for Name<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(name) = Text::<MAX>::deserialize(deserializer)?;
        if name.chars().any(char::is_control) {
            return Err(D::Error::custom("a name of one line"));
        }
        Ok(Self(name))
    }
}

/// At most [`MAX_VOICES`] texts, each of at most this many characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts<const MAX: usize>(pub Vec<String>);

impl<'de, const MAX: usize> Deserialize<'de> for Texts<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<const MAX: usize>;

        impl<'de, const MAX: usize> Visitor<'de> for List<MAX> {
            type Value = Texts<MAX>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "a list of at most {MAX_VOICES} texts of at most {MAX} characters")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
                let refused = || A::Error::invalid_value(Unexpected::Seq, &self);
                let mut texts = Vec::new();
                while let Some(Text(text)) =
                    all.next_element::<Text<MAX>>().map_err(|_| refused())?
                {
                    if texts.len() == MAX_VOICES {
                        return Err(refused());
                    }
                    texts.push(text);
                }
                Ok(Texts(texts))
            }
        }

        deserializer.deserialize_seq(List::<MAX>)
    }
}

/// A whole number within these bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole<const LEAST: u32, const MOST: u32>(pub u32);

impl<const LEAST: u32, const MOST: u32> Whole<LEAST, MOST> {
    /// The number as one byte, which the bounds fit.
    pub(super) fn byte(self) -> u8 {
        u8::try_from(self.0).unwrap_or(u8::MAX)
    }
}

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Whole<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer).ok().and_then(|number| number.try_into().ok());
        number
            .filter(|number| (LEAST..=MOST).contains(number))
            .map(Self)
            .ok_or_else(|| D::Error::custom(format!("a whole number from {LEAST} to {MOST}")))
    }
}

/// Declares the types of lines that are one of some words.
macro_rules! word_lines {
    ($($name:ident($value:ty) = $read:expr, $expected:literal, $schema:tt;)*) => {$(
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name(pub $value);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = String::deserialize(deserializer)?;
                let read: fn(&str) -> Option<$value> = $read;
                read(&word).map(Self).ok_or_else(|| D::Error::custom($expected))
            }
        }

        #[cfg(test)]
        schema!([] $name, $schema);
    )*};
}

/// The schema of a type of lines.
#[cfg(test)]
macro_rules! schema {
    ([$($generic:tt)*] $name:ty, $schema:tt) => {
        impl<$($generic)*> schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

word_lines! {
    FactCheckLine(FactCheck) = FactCheck::from_word, "files or web", { "enum": ["files", "web"] };
    Day(Date) = |day| day.parse().ok(), "a day such as 2027-01-15", {
        "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
    };
}

#[cfg(test)]
schema!([const MAX: usize] Text<MAX>, { "type": "string", "maxLength": MAX });
#[cfg(test)]
schema!([const MAX: usize] Name<MAX>, { "type": "string", "maxLength": MAX });
#[cfg(test)]
schema!([const MAX: usize] Texts<MAX>, {
    "type": "array", "maxItems": MAX_VOICES, "items": { "type": "string", "maxLength": MAX }
});
#[cfg(test)]
schema!([const LEAST: u32, const MOST: u32] Whole<LEAST, MOST>, {
    "type": "integer", "minimum": LEAST, "maximum": MOST
});

/// The lines of a struct.
struct Lines<'a>(&'a mut Frontmatter);

impl<'de> Deserializer<'de> for Lines<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        Err(Wrong::custom(&visitor as &dyn Expected))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let taken = fields.iter().filter_map(|key| Some((*key, self.0.remove(*key)?)));
        visitor.visit_map(LineAccess { lines: taken.collect::<Vec<_>>().into_iter(), next: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct LineAccess {
    lines: std::vec::IntoIter<(&'static str, Value)>,
    next: Option<(&'static str, Value)>,
}

impl<'de> MapAccess<'de> for LineAccess {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Wrong> {
        self.next = self.lines.next();
        let Some((key, _)) = self.next else { return Ok(None) };
        let key: StrDeserializer<'_, Wrong> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let (key, value) = self.next.take().unwrap_or(("", Value::Empty));
        seed.deserialize(LineValue(value)).map_err(|wrong| Wrong { key: key.to_owned(), ..wrong })
    }
}

/// The value of a line.
struct LineValue(Value);

impl<'de> Deserializer<'de> for LineValue {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Flag(flag) => visitor.visit_bool(flag),
            Value::Number(number) => visitor.visit_i64(number),
            Value::Text(text) => visitor.visit_string(text),
            Value::Word(word) => visitor.visit_str(word),
            Value::List(list) => {
                visitor.visit_seq(SeqDeserializer::new(list.into_iter().map(LineValue)))
            }
            Value::Empty => visitor.visit_unit(),
        }
    }

    /// An empty text counts as absent.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match &self.0 {
            Value::Empty => visitor.visit_none(),
            Value::Text(text) if text.is_empty() => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Flag(flag) => visitor.visit_bool(flag),
            _ => Err(Wrong::custom("true or false")),
        }
    }

    /// YAML reads some texts as another value.
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Text(text) => visitor.visit_string(text),
            Value::Word(word) => visitor.visit_str(word),
            Value::Flag(flag) => visitor.visit_string(flag.to_string()),
            Value::Number(number) => visitor.visit_string(number.to_string()),
            Value::List(_) | Value::Empty => Err(Wrong::custom("a text")),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl serde::de::IntoDeserializer<'_, Wrong> for LineValue {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
