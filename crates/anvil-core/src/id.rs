//! The id of a claim: its seat and its number.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use unicode_normalization::UnicodeNormalization as _;

use crate::place::Seat;
use anvil_text::is_of_word;

/// The id of a claim: `A1`, `C12`, `S2.3`. Debates before 0.1.0 wrote `V2.3` for voices; an id
/// keeps its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    letter: Letter,
    /// The voice, counted from 1. 0 for the advocate and the critic.
    voice: u8,
    /// Counted from 1 through all rounds and cycles.
    number: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Letter {
    A,
    C,
    S,
    V,
}

impl Id {
    /// The seat that makes claims with such ids.
    pub fn seat(self) -> Seat {
        match self.letter {
            Letter::A => Seat::Advocate,
            Letter::C => Seat::Critic,
            Letter::S | Letter::V => Seat::Voice(self.voice),
        }
    }

    /// Counted from 1.
    pub fn number(self) -> u16 {
        self.number
    }

    /// Reads an id at the start of a text, and returns the text after it. Letters and digits may be
    /// those of other scripts that look the same. `None`: the word goes on.
    pub(crate) fn read(text: &str) -> Option<(Self, &str)> {
        // Most texts begin with a word.
        if let [b' '..=b'@' | b'[' | b'B' | b'D'..=b'R' | b'b' | b'd'..=b'r', ..] = text.as_bytes()
        {
            return None;
        }
        let letter = text.chars().next()?;
        let mut word = Letter::looks_like(letter)?.to_string();
        let end = letter.len_utf8()
            + text[letter.len_utf8()..]
                .find(|char| digit(char).is_none() && char != '.')
                .unwrap_or(text.len() - letter.len_utf8());
        let id = text[..end].trim_end_matches('.');
        word.extend(id[letter.len_utf8()..].chars().map(|char| digit(char).unwrap_or('.')));
        let after = &text[id.len()..];
        let goes_on = after.starts_with(is_of_word)
            || after.starts_with('.')
                && after[1..].starts_with(|char: char| char.is_ascii_lowercase());
        Some((word.parse().ok().filter(|_| !goes_on)?, after))
    }
}

impl Letter {
    /// The letter of an id that looks like this character.
    fn looks_like(char: char) -> Option<char> {
        Some(match char {
            'A' | 'a' | 'Ａ' | 'ａ' | 'А' | 'а' | 'Α' | 'Ꭺ' | 'ꓮ' => 'A',
            'C' | 'c' | 'Ｃ' | 'ｃ' | 'С' | 'с' | 'Ϲ' | 'ϲ' | 'Ⅽ' | 'ⅽ' | 'Ꮯ' | 'ꓚ' | 'Ⲥ' | 'ⲥ' => {
                'C'
            }
            'S' | 's' | 'Ｓ' | 'ｓ' | 'Ѕ' | 'ѕ' | 'Ꮪ' | 'ꓢ' | 'Տ' => 'S',
            'V' | 'v' | 'Ｖ' | 'ｖ' | 'Ѵ' | 'ѵ' | 'ν' | 'Ⅴ' | 'ⅴ' | 'Ꮩ' | 'ꓦ' => 'V',
            // Letters of mathematics: bold, italic, sans-serif.
            '\u{1D400}'..='\u{1D6A3}' => {
                let plain = std::iter::once(char).nfkc().next()?;
                plain.is_ascii().then(|| Self::looks_like(plain))??
            }
            _ => return None,
        })
    }
}

/// The ASCII digit that looks like this character.
fn digit(char: char) -> Option<char> {
    match char {
        '0'..='9' => Some(char),
        '０'..='９' => char::from_digit(u32::from(char) - u32::from('０'), 10),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnId;

/// A number of one to three digits, above 0.
fn number(digits: &str) -> Result<u16, NotAnId> {
    let is_number =
        (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && *number > 0).ok_or(NotAnId)
}

impl FromStr for Id {
    type Err = NotAnId;

    /// In either case; up to three digits for a number and for a voice.
    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let (letter, remaining) = text.split_at_checked(1).ok_or(NotAnId)?;
        let letter = match letter {
            "A" | "a" => Letter::A,
            "C" | "c" => Letter::C,
            "S" | "s" => Letter::S,
            "V" | "v" => Letter::V,
            _ => return Err(NotAnId),
        };
        let (voice, remaining) = match letter {
            Letter::A | Letter::C => (0, remaining),
            Letter::S | Letter::V => {
                let (voice, remaining) = remaining.split_once('.').ok_or(NotAnId)?;
                (u8::try_from(number(voice)?).map_err(|_| NotAnId)?, remaining)
            }
        };
        Ok(Self { letter, voice, number: number(remaining)? })
    }
}

impl fmt::Display for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.letter {
            Letter::A => write!(out, "A{}", self.number),
            Letter::C => write!(out, "C{}", self.number),
            Letter::S => write!(out, "S{}.{}", self.voice, self.number),
            Letter::V => write!(out, "V{}.{}", self.voice, self.number),
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Id {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| serde::de::Error::custom("no id"))
    }
}

/// Words that may be ids.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !is_of_word(char) && char != '.').map(|word| word.trim_matches('.'))
}

/// All words that may be ids, in any case.
pub(crate) fn any_ids_in(text: &str) -> impl Iterator<Item = Id> {
    words(text)
        .filter_map(|word| Some(Id::read(word)?).filter(|(_, after)| after.is_empty()))
        .map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_round_trips() {
        for id in ["A1", "C12", "S2.3", "V1.10", "A999"] {
            assert_eq!(id.parse::<Id>().unwrap().to_string(), id);
            assert_eq!(id.to_lowercase().parse::<Id>().unwrap().to_string(), id);
        }
        assert_eq!("S2.3".parse::<Id>().unwrap().seat(), Seat::Voice(2));
        for text in [
            "", "A", "A0", "A1000", "B1", "S1", "S1.", "S.1", "S0.1", "S256.1", "A1.2", "A 1",
            "A1x", "Ａ1", "A١",
        ] {
            assert_eq!(text.parse::<Id>(), Err(NotAnId), "{text}");
        }
    }

    #[test]
    fn an_id_ends_at_a_word_boundary() {
        let read = |text| Id::read(text).map(|(id, remaining)| (id.to_string(), remaining));
        assert_eq!(read("A1. One."), Some(("A1".into(), ". One.")));
        assert_eq!(read("S1.2. One."), Some(("S1.2".into(), ". One.")));
        assert_eq!(read("C3"), Some(("C3".into(), "")));
        assert_eq!(read("A1é"), None);
        assert_eq!(read("A1st"), None);
        assert_eq!(read("A1は弱い"), Some(("A1".into(), "は弱い")));
        assert_eq!(read("A1.One"), Some(("A1".into(), ".One")));
        assert_eq!(read("A1.rs"), None);
        assert_eq!(read("A1.5"), None);
        assert_eq!(read("S1.2.3"), None);
        assert_eq!(any_ids_in("A1と c2、S1.3。は").count(), 3);
    }

    #[test]
    fn a_letter_that_looks_the_same_is_the_letter() {
        for (text, id) in [
            ("А1", "A1"),
            ("Α12", "A12"),
            ("Ａ１", "A1"),
            ("С2", "C2"),
            ("ѕ1.2", "S1.2"),
            ("𝐂3", "C3"),
        ] {
            assert_eq!(Id::read(text).map(|(id, _)| id.to_string()).as_deref(), Some(id), "{text}");
            assert_eq!(any_ids_in(text).count(), 1, "{text}");
            assert_eq!(text.parse::<Id>(), Err(NotAnId), "the block and options are exact: {text}");
        }
        for text in ["В1", "A١", "Æ1", "Ⓐ1", "𝐁3"] {
            assert_eq!(Id::read(text), None, "{text}");
        }
    }
}
