//! What became of the arguments: each by its number, as the synthesis says it. Nothing is made up for one it passes over.

use std::collections::HashSet;

use serde::Serialize;

use crate::reply::is_number;
use crate::text;

/// What a synthesis says of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Disposition {
    /// It stands.
    Survived,
    /// A part of it stands.
    Weakened,
    /// It does not stand.
    Fell,
    /// Its own side gave it up.
    Conceded,
}

impl Disposition {
    /// Every disposition, the best first.
    pub const ALL: [Self; 4] = [Self::Survived, Self::Weakened, Self::Fell, Self::Conceded];

    /// The word that the synthesis is asked for.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Survived => "survived",
            Self::Weakened => "weakened",
            Self::Fell => "fell",
            Self::Conceded => "conceded",
        }
    }

    /// A mark that tells it apart without colours.
    pub(super) fn mark(disposition: Option<Self>) -> &'static str {
        match disposition {
            Some(Self::Survived) => "✓",
            Some(Self::Weakened) => "~",
            Some(Self::Fell) => "✕",
            Some(Self::Conceded) => "↩",
            None => "?",
        }
    }

    /// What the page's style calls it.
    pub(super) fn class(disposition: Option<Self>) -> &'static str {
        disposition.map_or("untold", Self::word)
    }

    /// The word for a reader; that the synthesis did not say it is one.
    pub(super) fn told(disposition: Option<Self>) -> &'static str {
        disposition.map_or("not told", Self::word)
    }
}

/// A line of the synthesis about an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) number: String,
    pub(super) disposition: Disposition,
    pub(super) why: String,
}

/// Most arguments that one synthesis speaks of.
const MAX_TOLD: usize = 1_000;

/// Longest ground that is taken from a line, in characters.
const MAX_WHY: usize = 1_000;

/// Every line such as `- **A1** survived: why`, also one for several numbers. The first line about a number counts.
pub(super) fn dispositions(synthesis: &str) -> Vec<Told> {
    let mut told: Vec<Told> = Vec::new();
    let mut known = HashSet::new();
    for line in synthesis.lines() {
        let Some((numbers, disposition, why)) = fate_of(line) else { continue };
        for number in numbers {
            if known.len() < MAX_TOLD && known.insert(number.clone()) {
                told.push(Told { number, disposition, why: why.clone() });
            }
        }
    }
    told
}

fn fate_of(line: &str) -> Option<(Vec<String>, Disposition, String)> {
    let dress = |char: char| char.is_whitespace() || matches!(char, '*' | '_' | '`' | ':' | '|');
    let mut rest = line.trim_start().trim_start_matches(['-', '*', '+', '|']).trim_start_matches(dress);
    let mut numbers = Vec::new();
    loop {
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '.').unwrap_or(rest.len());
        let word = rest[..end].trim_end_matches('.');
        if is_number(word) {
            numbers.push(word.to_owned());
        } else if numbers.is_empty() || word != "and" {
            break;
        }
        rest = rest[end..].trim_start_matches(|char: char| dress(char) || matches!(char, ',' | '&'));
    }
    rest = rest.trim_start_matches(['—', '–', '-']).trim_start_matches(dress);
    let end = rest.find(|char: char| !char.is_alphanumeric()).unwrap_or(rest.len());
    let disposition =
        Disposition::ALL.into_iter().find(|disposition| rest[..end].eq_ignore_ascii_case(disposition.word()))?;
    let why = rest[end..].trim_start_matches(|char: char| dress(char) || matches!(char, ',' | ';' | '.' | '—' | '–'));
    let why = why.trim_end().trim_end_matches('|');
    (!numbers.is_empty()).then(|| (numbers, disposition, text::clean(why, MAX_WHY)))
}

/// The sentence that a reply sets after a number, in bold: `**A1. One claim.** Its ground.`
pub(super) fn claim(reply: &str, number: &str) -> String {
    let claims = reply.lines().filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("**"));
    let mut of_number = claims.filter_map(|line| line.strip_prefix(number)).filter(|rest| {
        let goes_on = rest.strip_prefix('.').unwrap_or(rest);
        !goes_on.starts_with(|char: char| char.is_ascii_alphanumeric())
    });
    let Some(rest) = of_number.next() else { return String::new() };
    let bold = rest.split_once("**").map_or(rest, |(bold, after)| {
        // `**A1.** One claim.`: what is bold is the number alone.
        if bold.trim_matches(['.', ':', ' ']).is_empty() { after } else { bold }
    });
    text::clean(bold.trim_start_matches(['.', ':', ' ', '—', '–']), MAX_WHY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Option<(String, Disposition, String)> {
        let mut told = dispositions(line);
        (told.len() == 1).then(|| told.remove(0)).map(|told| (told.number, told.disposition, told.why))
    }

    #[test]
    fn a_fate_is_read_in_the_form_that_was_asked_for_and_in_those_that_come_instead() {
        for line in [
            "- **A1** survived: it holds",
            "* **A1** Survived: it holds",
            "**A1 survived**: it holds",
            "- **A1:** survived, it holds",
            "- A1 — survived — it holds",
            "| A1 | survived | it holds |",
            "  - **A1**: *survived*. it holds",
        ] {
            assert_eq!(one(line), Some(("A1".into(), Disposition::Survived, "it holds".into())), "{line}");
        }
        assert_eq!(one("- **V2.3** fell"), Some(("V2.3".into(), Disposition::Fell, String::new())));
        let told = dispositions("- **A1, A2** and **C3** conceded: all\n- **A1** fell: too late");
        let numbers: Vec<_> = told.iter().map(|told| (told.number.as_str(), told.disposition)).collect();
        assert_eq!(
            numbers,
            [("A1", Disposition::Conceded), ("A2", Disposition::Conceded), ("C3", Disposition::Conceded)]
        );
    }

    #[test]
    fn a_fate_is_never_made_up() {
        for line in [
            "- **A1** has not survived",
            "- **A1** did well",
            "A1",
            "- **A1** survivedish",
            "B1 survived",
            "It survived",
            "- survived: A1",
            "",
            "- **A1** is weakened",
        ] {
            assert_eq!(dispositions(line), [], "{line}");
        }
    }

    #[test]
    fn a_claim_is_the_sentence_after_its_number() {
        let reply = "Intro.\n\n**A1. One claim.** Ground.\n**A10. Ten.** x\n**A2.** Its claim.\n- **V1.2. Voice.** y\n**A3: open";
        for (number, said) in [
            ("A1", "One claim."),
            ("A10", "Ten."),
            ("A2", "Its claim."),
            ("V1.2", "Voice."),
            ("A3", "open"),
            ("A4", ""),
        ] {
            assert_eq!(claim(reply, number), said);
        }
        assert_eq!(claim("**V1.10. Ten.**", "V1.1"), "");
    }
}
