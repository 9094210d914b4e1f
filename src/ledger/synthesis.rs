//! What a synthesis says of the claims, and the lines in it that a program reads.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::Id;
use super::read::MAX_TEXT;
use super::verdict::{Verdict, fixed_lines};
use crate::text::clean;

/// What a synthesis says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Disposition {
    /// It stands.
    Survived,
    /// A part of it stands.
    Weakened,
    /// It does not stand.
    Fell,
}

impl Disposition {
    /// Every disposition, the best first.
    pub const ALL: [Self; 3] = [Self::Survived, Self::Weakened, Self::Fell];

    /// The word that the synthesis is asked for.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Survived => "survived",
            Self::Weakened => "weakened",
            Self::Fell => "fell",
        }
    }

    /// The disposition that a word means. Debates before 0.1.0 were asked for `conceded` where a side gave a claim up.
    fn meant(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "survived" | "survives" | "stands" => Self::Survived,
            "weakened" | "weakens" => Self::Weakened,
            "fell" | "falls" | "fallen" | "conceded" | "withdrawn" => Self::Fell,
            _ => return None,
        })
    }
}

/// What the decision comes to, in the words that a program can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum Call {
    /// Do it.
    #[serde(rename = "do")]
    Do,
    /// Leave it.
    #[serde(rename = "do not")]
    DoNot,
    /// It depends on what the recommendation names.
    #[serde(rename = "depends")]
    Depends,
}

impl Call {
    /// The word for it in the synthesis.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Do => "do",
            Self::DoNot => "do not",
            Self::Depends => "depends",
        }
    }

    /// Reads what follows `**Verdict:**`.
    pub(super) fn meant(text: &str) -> Option<Self> {
        // Nobody chose where the choices are copied.
        if text.contains('|') {
            return None;
        }
        let text = text.replace(['*', '_', '`'], "").replace('’', "'").to_lowercase();
        let mut words =
            text.split(|char: char| !char.is_alphanumeric() && char != '\'').filter(|word| !word.is_empty());
        match (words.next()?, words.next()) {
            ("do", Some("not")) | ("don't", _) => Some(Self::DoNot),
            ("do", Some("nothing" | "neither" | "or")) => None,
            ("do", _) => Some(Self::Do),
            ("depends", _) | ("it", Some("depends")) => Some(Self::Depends),
            _ => None,
        }
    }

    /// What the lines `**Verdict:**` of a synthesis say. `None` also where two of them differ.
    fn of(synthesis: &str) -> Option<Self> {
        let mut calls = fixed_lines(synthesis, "Verdict").into_iter().map(|line| Self::meant(&line));
        let first = calls.next()?;
        calls.all(|call| call == first).then_some(first).flatten()
    }
}

/// A line of the synthesis about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disposed {
    /// The claim.
    pub id: Id,
    /// What became of it.
    pub disposition: Disposition,
    /// Why, in a sentence. Empty where nothing is said.
    pub why: String,
}

/// A synthesis, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synthesis {
    /// Every line about a claim, in order. A claim that is in several is named in each.
    pub disposed: Vec<Disposed>,
    /// What the line `**Verdict:**` says. `None`: it is missing or says something else, or two such lines differ.
    pub call: Option<Call>,
    /// The claims in the line `**Rests on:**`. `None`: it is missing, or names neither a claim nor says "nothing".
    pub rests_on: Option<Vec<Id>>,
    /// The lines for a reader.
    pub verdict: Verdict,
}

/// Most lines about claims that are read.
const MAX_DISPOSED: usize = 2_000;

impl Synthesis {
    /// Reads a synthesis.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut disposed: Vec<Disposed> = Vec::new();
        let mut said = HashMap::new();
        let mut is_code = false;
        for line in text.lines() {
            if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
                is_code = !is_code;
            }
            let Some((ids, disposition, why)) = (!is_code).then(|| disposition(line)).flatten() else { continue };
            let is_item = line.trim_start().starts_with(['-', '*', '+', '|', '•']);
            for id in ids {
                // A sentence that says it again is prose.
                let is_prose = !is_item && said.get(&id) == Some(&disposition);
                if disposed.len() < MAX_DISPOSED && !is_prose {
                    said.insert(id, disposition);
                    disposed.push(Disposed { id, disposition, why: why.clone() });
                }
            }
        }
        Self {
            disposed,
            call: Call::of(text),
            rests_on: fixed_lines(text, "Rests on").first().and_then(|line| carriers(line)),
            verdict: Verdict::of(text),
        }
    }
}

impl Synthesis {
    /// The line about a claim. `None`: there is none, or two of them differ.
    #[must_use]
    pub fn line_on(&self, id: Id) -> Option<&Disposed> {
        let mut lines = self.disposed.iter().filter(|line| line.id == id);
        let first = lines.next()?;
        lines.all(|line| line.disposition == first.disposition).then_some(first)
    }
}

/// The words of a text that may be ids.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && char != '.').map(|word| word.trim_matches('.'))
}

/// The claims in the line `**Rests on:**`, each once. `None` where it names none, and does not say that there is none.
fn carriers(line: &str) -> Option<Vec<Id>> {
    let mut seen = HashSet::new();
    let ids: Vec<Id> = words(line).filter_map(|word| word.parse().ok()).filter(|id| seen.insert(*id)).collect();
    let says_none =
        || words(line).any(|word| word.eq_ignore_ascii_case("nothing") || word.eq_ignore_ascii_case("none"));
    (!ids.is_empty() || says_none()).then_some(ids)
}

/// The ids in a text of prose. Case counts there: "a1" may be a road.
pub(super) fn ids_in(text: &str) -> impl Iterator<Item = Id> {
    words(text).filter_map(|word| word.parse().ok().filter(|id: &Id| id.to_string() == word))
}

/// A line such as `- **A1** survived: why`, also one for several ids, and a row of a table.
fn disposition(line: &str) -> Option<(Vec<Id>, Disposition, String)> {
    let dress = |char: char| char.is_whitespace() || matches!(char, '*' | '_' | '`' | ':' | '|');
    let mut rest = line.trim_start().trim_start_matches(['-', '*', '+', '|']).trim_start_matches(dress);
    let mut ids = Vec::new();
    loop {
        if let Some((id, after)) = Id::read(rest) {
            ids.push(id);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("and").filter(|_| !ids.is_empty()) {
            rest = after;
        } else {
            break;
        }
        rest = rest.trim_start_matches(|char: char| dress(char) || matches!(char, ',' | '&' | '/'));
    }
    rest = rest.trim_start_matches(['—', '–', '-', '.']).trim_start_matches(dress);
    let end = rest.find(|char: char| !char.is_alphanumeric()).unwrap_or(rest.len());
    let disposition = Disposition::meant(&rest[..end]).filter(|_| !ids.is_empty())?;
    let why =
        rest[end..].trim_start_matches(|char: char| dress(char) || matches!(char, ',' | ';' | '.' | '—' | '–' | '-'));
    Some((ids, disposition, clean(why.trim_end().trim_end_matches('|'), MAX_TEXT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Option<(String, Disposition, String)> {
        let mut disposed = Synthesis::of(line).disposed;
        (disposed.len() == 1).then(|| disposed.remove(0)).map(|one| (one.id.to_string(), one.disposition, one.why))
    }

    #[test]
    fn a_disposition_is_read_in_the_form_that_was_asked_for_and_in_those_that_come_instead() {
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
        assert_eq!(one("- **S2.3** fell"), Some(("S2.3".into(), Disposition::Fell, String::new())));
        let read =
            Synthesis::of("- **A1, A2** and **C3** conceded: all\n- **A1** fell: again\n```\n- **A9** fell\n```");
        let ids: Vec<String> = read.disposed.iter().map(|one| one.id.to_string()).collect();
        assert_eq!(ids, ["A1", "A2", "C3", "A1"]);
    }

    #[test]
    fn a_sentence_that_says_it_again_is_no_second_line() {
        let said = |second: &str| Synthesis::of(&format!("- **A1** survived: it holds\n\n{second}")).disposed.len();
        assert_eq!(said("A1 survived because nobody answered it."), 1);
        assert_eq!(said("A1 fell, in truth."), 2);
        assert_eq!(said("- **A1** survived: again"), 2);
    }

    #[test]
    fn a_disposition_is_never_made_up() {
        for line in [
            "- **A1** has not survived",
            "- **A1** did well",
            "A1",
            "- **A1** survivedish",
            "B1 survived",
            "It survived",
            "",
            "- **A1** is weakened",
        ] {
            assert_eq!(Synthesis::of(line).disposed, [], "{line}");
        }
    }

    #[test]
    fn the_fixed_lines_are_read_as_a_program_needs_them() {
        for (line, call) in [
            ("**Verdict:** do", Some(Call::Do)),
            ("**Verdict:** Do not.", Some(Call::DoNot)),
            ("**Verdict: don’t**", Some(Call::DoNot)),
            ("**Verdict:** *depends* on the load", Some(Call::Depends)),
            ("**Verdict:** do | do not | depends", None),
            ("**Verdict:** document it", None),
            ("**Verdict:** do **not** split it", Some(Call::DoNot)),
            ("**Verdict: do** not", Some(Call::DoNot)),
            ("**Verdict:** do _not_ do it", Some(Call::DoNot)),
            ("**Verdict:** do nothing", None),
            ("**Verdict:** do or do not", None),
            ("**Verdict:** do\n\n**Verdict:** Do it.", Some(Call::Do)),
            ("**Verdict:** do\n\n**Verdict:** do not", None),
            ("Nothing", None),
        ] {
            assert_eq!(Synthesis::of(line).call, call, "{line}");
        }
        let rests = |line| Synthesis::of(line).rests_on.map(|ids| ids.iter().map(Id::to_string).collect::<Vec<_>>());
        assert_eq!(rests("**Rests on:** A1, C3 and S1.2."), Some(vec!["A1".into(), "C3".into(), "S1.2".into()]));
        assert_eq!(rests("**Rests on:** a2"), Some(vec!["A2".into()]));
        assert_eq!(rests("**Rests on:** nothing"), Some(Vec::new()));
        assert_eq!(rests("**Rests on:** the audit"), None);
        assert_eq!(rests("No"), None);
    }
}
