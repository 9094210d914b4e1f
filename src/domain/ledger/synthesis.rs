//! Reads the synthesis: its results of claims, and the lines that a program reads.

use std::collections::{HashMap, HashSet};

use serde::{Serialize, Serializer};

use super::Id;
use super::changes::PlanChanges;
use super::head::without_bullet;
use super::id::{any_ids_in, ids_in};
use super::lines::{FixedLabel, FixedLines, ends_paragraph, fixed_paragraphs, own_lines, unmarked};
use super::ranking::{OptionFaults, Ranking};
use super::read::MAX_TEXT;
use super::verdict::{Unread, Verdict};
use crate::domain::debate::Alternatives;
use crate::text::clean;

/// The result of a claim by the synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClaimResult {
    /// The claim stands.
    Survived,
    /// The claim stands in part.
    Weakened,
    /// The claim does not stand.
    Fell,
    /// The synthesis has no line on it.
    LeftOut,
}

impl ClaimResult {
    /// All of them, the best first.
    pub const ALL: [Self; 4] = [Self::Survived, Self::Weakened, Self::Fell, Self::LeftOut];

    /// The word for it. The prompt requests the first three.
    pub fn word(self) -> &'static str {
        match self {
            Self::Survived => "survived",
            Self::Weakened => "weakened",
            Self::Fell => "fell",
            Self::LeftOut => "left out",
        }
    }

    /// Reads a word. Debates before 0.1.0 wrote `conceded` for a claim that its side gave up.
    fn meant(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "survived" | "survives" | "stands" => Self::Survived,
            "weakened" | "weakens" => Self::Weakened,
            "fell" | "falls" | "fallen" | "conceded" | "withdrawn" => Self::Fell,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerdictWord {
    Do,
    DoNot,
    /// The verdict depends on a condition in the recommendation.
    Depends,
    /// An option of the debate, by its name.
    Option(String),
}

impl Serialize for VerdictWord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl VerdictWord {
    /// The word in the synthesis.
    pub fn word(&self) -> &str {
        match self {
            Self::Do => "do",
            Self::DoNot => "do not",
            Self::Depends => "depends",
            Self::Option(name) => name,
        }
    }

    /// The verdict as a heading: a word in capitals, an option as its user writes it.
    pub(crate) fn heading(&self) -> String {
        match self {
            Self::Option(name) => clean(name, MAX_HEADING),
            word => word.word().to_uppercase(),
        }
    }

    /// Reads the text after `**Verdict:**`: one of the three words, or the name of an option.
    /// Emphasis, case, a final full stop and the count of judges are ignored; any other text makes
    /// it unreadable. If the user typed the options, do and do not are other text too.
    pub(super) fn read(text: &str, among: &Alternatives) -> Option<Self> {
        if text.len() > MAX_VERDICT {
            return None;
        }
        let word = |text: &str| {
            let text = unmarked(text)?;
            let word = without_count(text.strip_suffix('.').unwrap_or(&text));
            let is_it = |known: &Self| word.eq_ignore_ascii_case(known.word());
            [Self::Do, Self::DoNot, Self::Depends].into_iter().find(is_it)
        };
        let option = || among.named(without_count(text.strip_suffix('.').unwrap_or(text)));
        word(text)
            .filter(|word| !among.are_typed || *word == Self::Depends)
            .or_else(|| option().map(|name| Self::Option(name.to_owned())))
    }
}

/// Longest name of an option in a heading, in characters.
const MAX_HEADING: usize = 40;

/// Longest readable line `**Verdict:**`, in bytes: the longest name, in four bytes a character, and
/// the count of judges.
const MAX_VERDICT: usize = 300;

/// `do (2 of 3 judges)` without the brackets, if the count is more than half.
fn without_count(text: &str) -> &str {
    let counted = || {
        let (word, counts) = text.strip_suffix(" judges)")?.rsplit_once(" (")?;
        let (count, all) = counts.split_once(" of ")?;
        let number =
            |text: &str| text.parse::<u8>().ok().filter(|number| number.to_string() == text);
        let (count, all) = (number(count)?, number(all)?);
        (count <= all && u16::from(count) * 2 > u16::from(all)).then_some(word)
    };
    counted().unwrap_or(text)
}

/// A line of the synthesis about one claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultLine {
    pub id: Id,
    pub result: ClaimResult,
    /// In a sentence. Empty if no reason is given.
    pub why: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synthesis {
    /// All lines about claims, in order. A line about several claims counts once for each.
    pub results: Vec<ResultLine>,
    /// `None`: the line `**Verdict:**` is missing, unreadable, or has a second version that
    /// differs.
    pub word: Option<VerdictWord>,
    /// The ranking, and the lines about the options.
    pub ranking: Ranking,
    /// The claims in the line `**Rests on:**`. `None`: missing, unreadable, or two lines that
    /// differ.
    pub rests_on: Option<Vec<Id>>,
    /// The labelled lines as text.
    pub verdict: Verdict,
    /// What it wants changed in the plan that was argued about.
    pub plan_changes: Option<PlanChanges>,
    /// Claims that its prose names, outside of labelled lines and lines about claims.
    pub(super) named: HashSet<Id>,
}

/// Most lines about claims that are read.
const MAX_RESULTS: usize = 2_000;

impl Synthesis {
    /// Reads a synthesis. `among`: the options that its verdict can name.
    pub fn parse(text: &str, among: &Alternatives) -> Self {
        let lines = own_lines(text);
        let fixed = FixedLines::parse(&lines);
        let (results, named) = account(&lines, text);
        Self {
            results,
            word: fixed.agreed(FixedLabel::Verdict, |text| VerdictWord::read(text, among)),
            ranking: Ranking::read(&lines, fixed.first(FixedLabel::Ranking), among),
            rests_on: fixed.agreed(FixedLabel::RestsOn, rested_on),
            verdict: Verdict::of_lines(&fixed),
            plan_changes: PlanChanges::read(text),
            named,
        }
    }

    /// The line about a claim. `None`: no line, or two that differ.
    pub fn line_on(&self, id: Id) -> Option<&ResultLine> {
        let mut lines = self.results.iter().filter(|line| line.id == id);
        let first = lines.next()?;
        lines.all(|line| line.result == first.result).then_some(first)
    }

    /// What is wrong with the ranking and the lines about the options.
    pub(super) fn option_faults(&self, among: &Alternatives) -> OptionFaults {
        let chosen = match &self.word {
            Some(VerdictWord::Option(name)) => Some(name.as_str()),
            _ => None,
        };
        self.ranking.faults(chosen, among)
    }

    /// Why the verdict is unreadable. `None`: it is readable.
    pub fn unread_verdict(&self, among: &Alternatives) -> Option<Unread> {
        let line = self.verdict.text.as_deref();
        let is_readable = || line.and_then(|line| VerdictWord::read(line, among)).is_some();
        self.word.is_none().then(|| Unread::from_line(line, is_readable()))
    }

    /// True if no line names what carries the verdict, or two lines differ. A line in prose counts,
    /// although it is not read.
    pub(super) fn lacks_rests_on(&self) -> bool {
        let line = self.verdict.rests_on.as_deref();
        let says_so = |line: &str| rested_on(line).is_none() && ids_in(line).next().is_some();
        self.rests_on.is_none() && !line.is_some_and(says_so)
    }
}

/// Words before the list in `**Rests on:**`, which are skipped.
const LEADS: [&str; 8] = ["the", "claim", "claims", "mainly", "mostly", "chiefly", "only", "both"];

/// The claims listed in `**Rests on:**`, each once, up to the first other text. `None`: the line
/// has no such list and no word "nothing". Prose is not read: it may name a claim that carries
/// nothing.
fn rested_on(line: &str) -> Option<Vec<Id>> {
    let is_dress = |char: char| char.is_whitespace() || matches!(char, '*' | '_' | '`');
    let word = |text: &str| text.find(|char: char| !char.is_alphanumeric()).unwrap_or(text.len());
    let mut remaining = line.trim_start_matches(is_dress);
    if ["nothing", "none"]
        .iter()
        .any(|none| remaining[..word(remaining)].eq_ignore_ascii_case(none))
    {
        return ids_in(line).next().is_none().then(Vec::new);
    }
    while LEADS.iter().any(|lead| remaining[..word(remaining)].eq_ignore_ascii_case(lead)) {
        remaining = remaining[word(remaining)..].trim_start_matches(is_dress);
    }
    let mut seen = HashSet::new();
    let mut ids = Vec::new();
    while let Some((id, after)) = Id::read(remaining) {
        ids.extend(seen.insert(id).then_some(id));
        remaining = after.trim_start_matches(is_dress);
        // A remark on one claim: `A1 (the cost), C3 (the risk)`.
        if let Some((inside, after)) =
            remaining.strip_prefix('(').and_then(|remaining| remaining.split_once(')'))
            && !inside.contains('(')
        {
            remaining = after.trim_start_matches(is_dress);
        }
        let next = remaining.trim_start_matches(|char: char| {
            is_dress(char) || matches!(char, ',' | ';' | '&' | '/' | '+')
        });
        let next = next.strip_prefix("and ").map_or(next, |next| next.trim_start_matches(is_dress));
        if next.len() == remaining.len() || Id::read(next).is_none() {
            break;
        }
        remaining = next;
    }
    let is_end =
        remaining.is_empty() || remaining.starts_with([',', ';', '.', ':', '(', '–', '—', '-']);
    (is_end && !ids.is_empty()).then_some(ids)
}

/// The result of each claim, and the claims that are named elsewhere. A line of prose that begins
/// with a claim counts only without a list item or table row on that claim. A second item counts
/// only below the same heading: a plan or a dissent may repeat the claim.
fn account(lines: &[Option<&str>], text: &str) -> (Vec<ResultLine>, HashSet<Id>) {
    let mut items: Vec<(usize, ResultLine)> = Vec::new();
    let mut prose: Vec<(usize, ResultLine)> = Vec::new();
    let mut named = HashSet::new();
    let mut listed: HashMap<Id, usize> = HashMap::new();
    let mut heading = 0;
    let fixed = fixed_paragraphs(lines);
    for (at, (own, line)) in lines.iter().zip(text.lines()).enumerate() {
        if fixed[at] {
            continue;
        }
        let read = own.and_then(result);
        let is_item = is_item(line);
        if !is_item || read.is_none() {
            named.extend(any_ids_in(line));
        }
        heading += usize::from(own.is_some_and(is_heading));
        let Some((ids, result, why)) = read else { continue };
        let why = if why.is_empty() { below(lines, at) } else { why };
        for id in ids.into_iter().take(MAX_RESULTS.saturating_sub(items.len() + prose.len())) {
            let line = ResultLine { id, result, why: why.clone() };
            if !is_item {
                prose.push((at, line));
            } else if *listed.entry(id).or_insert(heading) == heading {
                items.push((at, line));
            }
        }
    }
    prose.retain(|(at, one)| *listed.entry(one.id).or_insert(lines.len() + at) == lines.len() + at);
    items.extend(prose);
    items.sort_by_key(|(at, _)| *at);
    (items.into_iter().map(|(_, one)| one).collect(), named)
}

/// A heading, or a line in bold.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('#')
        || line.starts_with("**")
            && line.trim_end_matches(':').ends_with("**")
            && Id::read(&line[2..]).is_none()
}

/// True for a list item and a table row.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('|') || without_bullet(line).len() < line.len() && !line.starts_with('#')
}

/// The reason in the lines below an item: more indented lines, and the remaining paragraph.
fn below(lines: &[Option<&str>], item: usize) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let line = |at: usize| lines.get(at).copied().flatten();
    let own = indent(line(item).unwrap_or_default());
    let at =
        if line(item + 1).is_some_and(|line| line.trim().is_empty()) { item + 2 } else { item + 1 };
    let next = line(at).filter(|line| !line.trim().is_empty());
    let belongs =
        |line: &&str| indent(line) > own + 1 || at == item + 1 && !ends_paragraph(line.trim());
    let reason = next.filter(belongs).map(|line| without_bullet(line.trim()));
    clean(reason.unwrap_or_default(), MAX_TEXT)
}

/// A line such as `- **A1** survived: why`, for one or several ids, or a row of a table. The
/// result's word has to end there: a claim that "survived only in part" or "stands or falls with
/// C2" has not survived.
fn result(line: &str) -> Option<(Vec<Id>, ClaimResult, String)> {
    let dress = |char: char| char.is_whitespace() || matches!(char, '*' | '_' | '`' | ':' | '|');
    let line = line.trim();
    let mut remaining = without_bullet(line).trim_start_matches(dress);
    let is_plain = !is_item(line) && !line.starts_with(['*', '_']);
    let mut ids = Vec::new();
    loop {
        if let Some((id, after)) = Id::read(remaining) {
            ids.push(id);
            remaining = after;
        } else if let Some(after) = remaining.strip_prefix("and ").filter(|_| !ids.is_empty()) {
            remaining = after;
        } else {
            break;
        }
        remaining = remaining
            .trim_start_matches(|char: char| dress(char) || matches!(char, ',' | '&' | '/'));
    }
    remaining = remaining.trim_start_matches(['—', '–', '-', '.']).trim_start_matches(dress);
    let end = remaining.find(|char: char| !char.is_alphanumeric()).unwrap_or(remaining.len());
    let result = ClaimResult::meant(&remaining[..end]).filter(|_| !ids.is_empty())?;
    let after = remaining[end..].trim_start_matches(['*', '_', '`']);
    let text = after.trim_start();
    let begins = &line[..line.len() - remaining.len()];
    let is_mark = text.starts_with([':', '—', '–'])
        || text.starts_with("- ") && text.len() < after.len()
        || text.starts_with([',', ';', '.', '(']) && begins.contains([':', '—', '–']);
    let is_end =
        text.is_empty() || text.starts_with([',', ';', '.', '(', '|']) || goes_on_with_reason(text);
    if !is_mark && (is_plain || !is_end) {
        return None;
    }
    let why = text.trim_start_matches(|char: char| {
        dress(char) || matches!(char, ',' | ';' | '.' | '—' | '–' | '-')
    });
    let why = why.trim_end().trim_end_matches('|').trim_end();
    // The reason is that its own side gave it up.
    let is_why =
        ["conceded", "withdrawn"].iter().any(|word| remaining[..end].eq_ignore_ascii_case(word));
    let why = if why.is_empty() && is_why { &remaining[..end] } else { why };
    Some((ids, result, clean(why, MAX_TEXT)))
}

/// `because it holds`, `by C1`, `to C1`: the reason for a result.
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

    fn one(line: &str) -> Option<(String, ClaimResult, String)> {
        let mut results = Synthesis::parse(line, &Alternatives::default()).results;
        (results.len() == 1)
            .then(|| results.remove(0))
            .map(|one| (one.id.to_string(), one.result, one.why))
    }

    #[test]
    fn a_result_is_read_in_the_requested_form_and_in_others() {
        for line in [
            "- **A1** survived: it holds",
            "* **A1** Survived: it holds",
            "**A1 survived**: it holds",
            "- **A1:** survived, it holds",
            "- A1 — survived — it holds",
            "| A1 | survived | it holds |",
            "  - **A1**: *survived*. it holds",
        ] {
            assert_eq!(
                one(line),
                Some(("A1".into(), ClaimResult::Survived, "it holds".into())),
                "{line}"
            );
        }
        assert_eq!(one("- **S2.3** fell"), Some(("S2.3".into(), ClaimResult::Fell, String::new())));
        let read = Synthesis::parse(
            "- **A1, A2** and **C3** conceded: all\n- **A1** fell: again\n```\n- **A9** fell\n```",
            &Alternatives::default(),
        );
        let ids: Vec<String> = read.results.iter().map(|one| one.id.to_string()).collect();
        assert_eq!(ids, ["A1", "A2", "C3", "A1"]);
    }

    #[test]
    fn a_repeated_result_does_not_count_twice() {
        let count = |second: &str| {
            Synthesis::parse(
                &format!("- **A1** survived: it holds\n\n{second}"),
                &Alternatives::default(),
            )
            .results
            .len()
        };
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
            assert_eq!(count(prose), 1, "{prose}");
        }
        for second in ["- **A1** survived: again", "- **A1** fell: again", "- A1 — fell — again"]
        {
            assert_eq!(count(second), 2, "{second}");
        }
        let read = Synthesis::parse(
            "A1 fell at first.\n\nA1 fell: so it looked.\n\n- **A1** survived: it holds",
            &Alternatives::default(),
        );
        assert_eq!(read.results.len(), 1);
        assert_eq!(read.results[0].result, ClaimResult::Survived);
    }

    #[test]
    fn a_result_is_never_invented() {
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
            assert_eq!(Synthesis::parse(line, &Alternatives::default()).results, [], "{line}");
        }
    }

    #[test]
    fn the_labelled_lines_are_parsed() {
        for (line, word) in [
            ("**Verdict:** do", Some(VerdictWord::Do)),
            ("**Verdict:** Do not.", Some(VerdictWord::DoNot)),
            ("**Verdict: depends**", Some(VerdictWord::Depends)),
            ("**Verdict: do** not", Some(VerdictWord::DoNot)),
            ("**Verdict:** do\n\n**Verdict:** *Do.*", Some(VerdictWord::Do)),
            ("**Verdict:** do\n\n**Verdict:** do not", None),
            ("**Verdict:** do\n\n**Verdict:** do it", None),
            ("Nothing", None),
        ] {
            assert_eq!(Synthesis::parse(line, &Alternatives::default()).word, word, "{line}");
        }
        let rests = |line: &str| {
            Synthesis::parse(line, &Alternatives::default())
                .rests_on
                .map(|ids| ids.iter().map(Id::to_string).collect::<Vec<_>>())
        };
        assert_eq!(
            rests("**Rests on:** A1, C3 and S1.2."),
            Some(vec!["A1".into(), "C3".into(), "S1.2".into()])
        );
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
            let expected =
                ids.map(|ids| ids.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(rests(&format!("**Rests on:** {line}")), expected, "{line}");
        }
        assert_eq!(rests("No"), None);
    }
}
