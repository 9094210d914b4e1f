//! What a synthesis says of the claims, and the lines in it that a program reads.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::Id;
use super::head::without_bullet;
use super::lines::{FixedLabel, FixedLines, ends_paragraph, fixed_paragraphs, own_lines, unmarked};
use super::read::MAX_TEXT;
use super::verdict::{Unread, Verdict};
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

    /// Reads what follows `**Verdict:**`: one of the three words. Emphasis, case, a full stop at the end and the count of judges are
    /// passed over, and with anything else nobody can tell what is meant.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_CALL {
            return None;
        }
        let text = unmarked(text)?;
        let word = without_count(text.strip_suffix('.').unwrap_or(&text));
        [Self::Do, Self::DoNot, Self::Depends].into_iter().find(|call| word.eq_ignore_ascii_case(call.word()))
    }
}

/// Longest line `**Verdict:**` that is looked at, in bytes.
const MAX_CALL: usize = 200;

/// `do (2 of 3 judges)` without what is in brackets, where those are more than half.
fn without_count(text: &str) -> &str {
    let counted = || {
        let (word, counts) = text.strip_suffix(" judges)")?.split_once(" (")?;
        let (count, all) = counts.split_once(" of ")?;
        let number = |text: &str| text.parse::<u8>().ok().filter(|number| number.to_string() == text);
        let (count, all) = (number(count)?, number(all)?);
        (count <= all && u16::from(count) * 2 > u16::from(all)).then_some(word)
    };
    counted().unwrap_or(text)
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
    /// What the line `**Verdict:**` says. `None`: it is missing or holds something else, or two such lines differ.
    pub call: Option<Call>,
    /// The claims in the line `**Rests on:**`. `None`: it is missing or can't be read, or two such lines differ.
    pub rests_on: Option<Vec<Id>>,
    /// The lines for a reader.
    pub verdict: Verdict,
    /// The claims that it names in prose that is neither a labelled line nor a line about a claim.
    pub(super) named: HashSet<Id>,
}

/// Most lines about claims that are read.
const MAX_DISPOSED: usize = 2_000;

impl Synthesis {
    /// Reads a synthesis.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let lines = own_lines(text);
        let fixed = FixedLines::of(&lines);
        let (disposed, named) = account(&lines, text);
        Self {
            disposed,
            call: fixed.agreed(FixedLabel::Verdict, Call::read),
            rests_on: fixed.agreed(FixedLabel::RestsOn, carriers),
            verdict: Verdict::of_lines(&fixed),
            named,
        }
    }

    /// The line about a claim. `None`: there is none, or two of them differ.
    #[must_use]
    pub fn line_on(&self, id: Id) -> Option<&Disposed> {
        let mut lines = self.disposed.iter().filter(|line| line.id == id);
        let first = lines.next()?;
        lines.all(|line| line.disposition == first.disposition).then_some(first)
    }

    /// Why there is no verdict. `None`: there is one.
    #[must_use]
    pub fn unread_call(&self) -> Option<Unread> {
        let line = self.verdict.call.as_deref();
        self.call.is_none().then(|| Unread::of(line, line.and_then(Call::read).is_some()))
    }

    /// True where no line says what carries the verdict, or two of them differ. One that says it in a sentence is not read.
    pub(super) fn lacks_carriers(&self) -> bool {
        let line = self.verdict.rests_on.as_deref();
        let says_so = |line: &str| carriers(line).is_none() && ids_in(line).next().is_some();
        self.rests_on.is_none() && !line.is_some_and(says_so)
    }
}

/// The words of a text that may be ids.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && char != '.').map(|word| word.trim_matches('.'))
}

/// Words before the claims of a line `**Rests on:**` that change nothing.
const LEADS: [&str; 8] = ["the", "claim", "claims", "mainly", "mostly", "chiefly", "only", "both"];

/// The claims that the line `**Rests on:**` lists, each once, up to what it says of them. `None` where it does not begin with such a
/// list, and does not say that there is none: in a sentence a claim may be named because it carries nothing.
fn carriers(line: &str) -> Option<Vec<Id>> {
    let is_dress = |char: char| char.is_whitespace() || matches!(char, '*' | '_' | '`');
    let word = |text: &str| text.find(|char: char| !char.is_alphanumeric()).unwrap_or(text.len());
    let mut rest = line.trim_start_matches(is_dress);
    if ["nothing", "none"].iter().any(|none| rest[..word(rest)].eq_ignore_ascii_case(none)) {
        return ids_in(line).next().is_none().then(Vec::new);
    }
    while LEADS.iter().any(|lead| rest[..word(rest)].eq_ignore_ascii_case(lead)) {
        rest = rest[word(rest)..].trim_start_matches(is_dress);
    }
    let mut seen = HashSet::new();
    let mut ids = Vec::new();
    while let Some((id, after)) = Id::read(rest) {
        ids.extend(seen.insert(id).then_some(id));
        rest = after.trim_start_matches(is_dress);
        // What is said of one claim: `A1 (the cost), C3 (the risk)`.
        if let Some((inside, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'))
            && !inside.contains('(')
        {
            rest = after.trim_start_matches(is_dress);
        }
        let next = rest.trim_start_matches(|char: char| is_dress(char) || matches!(char, ',' | ';' | '&' | '/' | '+'));
        let next = next.strip_prefix("and ").map_or(next, |next| next.trim_start_matches(is_dress));
        if next.len() == rest.len() || Id::read(next).is_none() {
            break;
        }
        rest = next;
    }
    let is_end = rest.is_empty() || rest.starts_with([',', ';', '.', ':', '(', '–', '—', '-']);
    (is_end && !ids.is_empty()).then_some(ids)
}

/// Whatever may be an id in a text, in either case.
pub(super) fn any_ids_in(text: &str) -> impl Iterator<Item = Id> {
    words(text).filter_map(|word| word.parse().ok())
}

/// The ids in a text of prose. Case counts there: "a1" may be a road.
pub(super) fn ids_in(text: &str) -> impl Iterator<Item = Id> {
    words(text).filter_map(|word| word.parse().ok().filter(|id: &Id| id.to_string() == word))
}

/// What a synthesis says of each claim, and the claims that it names elsewhere. A line of prose that begins with a claim counts where
/// no item of a list or table is on that claim, and a second item where it stands below the same heading: a plan or a dissent may
/// say it again.
fn account(lines: &[Option<&str>], text: &str) -> (Vec<Disposed>, HashSet<Id>) {
    let mut items: Vec<(usize, Disposed)> = Vec::new();
    let mut prose: Vec<(usize, Disposed)> = Vec::new();
    let mut named = HashSet::new();
    let mut listed: HashMap<Id, usize> = HashMap::new();
    let mut heading = 0;
    let fixed = fixed_paragraphs(lines);
    for (at, (own, line)) in lines.iter().zip(text.lines()).enumerate() {
        if fixed[at] {
            continue;
        }
        let read = own.and_then(disposition);
        let is_item = is_item(line);
        if !is_item || read.is_none() {
            named.extend(any_ids_in(line));
        }
        heading += usize::from(own.is_some_and(is_heading));
        let Some((ids, disposition, why)) = read else { continue };
        let why = if why.is_empty() { below(lines, at) } else { why };
        for id in ids.into_iter().take(MAX_DISPOSED.saturating_sub(items.len() + prose.len())) {
            let disposed = Disposed { id, disposition, why: why.clone() };
            if !is_item {
                prose.push((at, disposed));
            } else if *listed.entry(id).or_insert(heading) == heading {
                items.push((at, disposed));
            }
        }
    }
    prose.retain(|(at, one)| *listed.entry(one.id).or_insert(lines.len() + at) == lines.len() + at);
    items.extend(prose);
    items.sort_by_key(|(at, _)| *at);
    (items.into_iter().map(|(_, one)| one).collect(), named)
}

/// A heading, also one in bold alone.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('#')
        || line.starts_with("**") && line.trim_end_matches(':').ends_with("**") && Id::read(&line[2..]).is_none()
}

/// True for an item of a list and a row of a table.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('|') || without_bullet(line).len() < line.len() && !line.starts_with('#')
}

/// What the lines below an item say of it: those that are indented more, and what goes on with its paragraph.
fn below(lines: &[Option<&str>], item: usize) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let line = |at: usize| lines.get(at).copied().flatten();
    let own = indent(line(item).unwrap_or_default());
    let at = if line(item + 1).is_some_and(|line| line.trim().is_empty()) { item + 2 } else { item + 1 };
    let next = line(at).filter(|line| !line.trim().is_empty());
    let belongs = |line: &&str| indent(line) > own + 1 || at == item + 1 && !ends_paragraph(line.trim());
    let said = next.filter(belongs).map(|line| without_bullet(line.trim()));
    clean(said.unwrap_or_default(), MAX_TEXT)
}

/// A line such as `- **A1** survived: why`, also one for several ids, and a row of a table. The word has to end there: a claim that
/// "survived only in part" or "stands or falls with C2" has not survived.
fn disposition(line: &str) -> Option<(Vec<Id>, Disposition, String)> {
    let dress = |char: char| char.is_whitespace() || matches!(char, '*' | '_' | '`' | ':' | '|');
    let line = line.trim();
    let mut rest = without_bullet(line).trim_start_matches(dress);
    let is_plain = !is_item(line) && !line.starts_with(['*', '_']);
    let mut ids = Vec::new();
    loop {
        if let Some((id, after)) = Id::read(rest) {
            ids.push(id);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("and ").filter(|_| !ids.is_empty()) {
            rest = after;
        } else {
            break;
        }
        rest = rest.trim_start_matches(|char: char| dress(char) || matches!(char, ',' | '&' | '/'));
    }
    rest = rest.trim_start_matches(['—', '–', '-', '.']).trim_start_matches(dress);
    let end = rest.find(|char: char| !char.is_alphanumeric()).unwrap_or(rest.len());
    let disposition = Disposition::meant(&rest[..end]).filter(|_| !ids.is_empty())?;
    let after = rest[end..].trim_start_matches(['*', '_', '`']);
    let text = after.trim_start();
    let begins = &line[..line.len() - rest.len()];
    let is_mark = text.starts_with([':', '—', '–'])
        || text.starts_with("- ") && text.len() < after.len()
        || text.starts_with([',', ';', '.', '(']) && begins.contains([':', '—', '–']);
    let is_end = text.is_empty() || text.starts_with([',', ';', '.', '(', '|']) || goes_on_with_reason(text);
    if !is_mark && (is_plain || !is_end) {
        return None;
    }
    let why = text.trim_start_matches(|char: char| dress(char) || matches!(char, ',' | ';' | '.' | '—' | '–' | '-'));
    let why = why.trim_end().trim_end_matches('|').trim_end();
    // That its side gave it up is why.
    let is_why = ["conceded", "withdrawn"].iter().any(|word| rest[..end].eq_ignore_ascii_case(word));
    Some((ids, disposition, clean(if why.is_empty() && is_why { &rest[..end] } else { why }, MAX_TEXT)))
}

/// `because it holds`, `by C1`, `to C1`: what brought a claim to that.
fn goes_on_with_reason(text: &str) -> bool {
    let (word, after) = text.split_once(' ').unwrap_or((text, ""));
    match word {
        "because" | "since" => true,
        "by" | "to" => Id::read(after.trim_start_matches(['*', '_', '`'])).is_some(),
        _ => false,
    }
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
        for prose in [
            "A1 survived because nobody answered it.",
            "A1 fell, in truth.",
            "**A1** fell at first, and was repaired.",
            "A1 fell: so it looked.",
            "> - **A1** fell: no",
            "```\n- **A1** fell: no\n```",
            "<!--\n- **A1** fell: no\n-->",
            "### What to do\n\n1. A1 survived, so begin there.",
            "**Dissent**\n\n- A1 fell, one could say.",
        ] {
            assert_eq!(said(prose), 1, "{prose}");
        }
        for second in ["- **A1** survived: again", "- **A1** fell: again", "- A1 — fell — again"] {
            assert_eq!(said(second), 2, "{second}");
        }
        let read = Synthesis::of("A1 fell at first.\n\nA1 fell: so it looked.\n\n- **A1** survived: it holds");
        assert_eq!(read.disposed.len(), 1);
        assert_eq!(read.disposed[0].disposition, Disposition::Survived);
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
            "- **A1** survived only in part: it holds",
            "- **A1** stands or falls with C2",
            "- **A1** fell short of proof but survived",
            "- **A1** fell outside the scope: C2",
            "- **A1** (partly) survived: it holds",
            "- **A1** survived? No.",
            "- **A1** fell-ish: no",
            "A1 fell, and with it the case.",
            "A1 survived.",
            "A1 falls to pieces",
        ] {
            assert_eq!(Synthesis::of(line).disposed, [], "{line}");
        }
    }

    #[test]
    fn the_fixed_lines_are_read_as_a_program_needs_them() {
        for (line, call) in [
            ("**Verdict:** do", Some(Call::Do)),
            ("**Verdict:** Do not.", Some(Call::DoNot)),
            ("**Verdict: depends**", Some(Call::Depends)),
            ("**Verdict: do** not", Some(Call::DoNot)),
            ("**Verdict:** do\n\n**Verdict:** *Do.*", Some(Call::Do)),
            ("**Verdict:** do\n\n**Verdict:** do not", None),
            ("**Verdict:** do\n\n**Verdict:** do it", None),
            ("Nothing", None),
        ] {
            assert_eq!(Synthesis::of(line).call, call, "{line}");
        }
        let rests =
            |line: &str| Synthesis::of(line).rests_on.map(|ids| ids.iter().map(Id::to_string).collect::<Vec<_>>());
        assert_eq!(rests("**Rests on:** A1, C3 and S1.2."), Some(vec!["A1".into(), "C3".into(), "S1.2".into()]));
        assert_eq!(rests("**Rests on:** a2"), Some(vec!["A2".into()]));
        assert_eq!(rests("**Rests on:** nothing"), Some(Vec::new()));
        for (line, ids) in [
            ("A1 (the cost), C3 (the risk)", Some("A1 C3")),
            ("A1 and C3, but not A2, which fell", Some("A1 C3")),
            ("C1 (A2 fell with it)", Some("C1")),
            ("C1; A2 is out", None),
            ("the claims **A1** and `C3`.", Some("A1 C3")),
            ("A1, C3 (the claims that carry it)", Some("A1 C3")),
            ("C1 – A2 fell to it", Some("C1")),
            ("C1, because A1 fell", Some("C1")),
            ("not A1 but C3", None),
            ("A1's failure", None),
            ("the fall of A1", None),
            ("A1 having fallen, C3", None),
            ("nothing but A1", None),
            ("nothing that more than half of these judges name", Some("")),
            ("the audit", None),
            ("A1\n\n**Rests on:** A1.", Some("A1")),
            ("A1\n\n**Rests on:** C1", None),
        ] {
            let expected = ids.map(|ids| ids.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(rests(&format!("**Rests on:** {line}")), expected, "{line}");
        }
        assert_eq!(rests("No"), None);
    }
}
