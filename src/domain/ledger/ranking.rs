//! The options in a synthesis: their ranking, and a line for each.

use serde::Serialize;

use super::head::without_bullet;
use super::words::strip;
use crate::domain::debate::{Alternatives, MAX_OPTIONS, bare};
use crate::text::clean;

/// Longest text of a line about an option, in characters.
const MAX_LINE: usize = 1_000;

/// A line of the synthesis about one option: `- **Redis:** for it A2, against it C1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OptionLine {
    pub name: String,
    pub text: String,
}

/// Empty unless the user typed options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranking {
    /// The options that the line `**Ranking:**` names, the best first.
    pub places: Vec<String>,
    /// Other names in that line.
    pub unknown: Vec<String>,
    /// The first line about each option.
    pub lines: Vec<OptionLine>,
}

/// What is wrong with a ranking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionFaults {
    /// Names in the ranking that are no option.
    pub unknown: Vec<String>,
    /// Options without a place in the ranking, or without a line.
    pub left_out: Vec<String>,
    /// The first place, if the verdict is another option.
    pub other_first: Option<String>,
}

impl Ranking {
    pub(super) fn read(
        lines: &[Option<&str>],
        ranking: Option<&str>,
        among: &Alternatives,
    ) -> Self {
        let mut read = Self::default();
        if !among.are_typed {
            return read;
        }
        // More names than this are no ranking of the options.
        let named = |name: &str| among.named(name).or_else(|| among.named(without_number(name)));
        let ranked = ranking.unwrap_or_default();
        // A name may end with brackets itself.
        let last = ranked.rsplit([',', '>']).next().unwrap_or_default().trim();
        let ranked = if named(last).is_some() { ranked } else { without_remark(ranked) };
        for name in ranked.split([',', '>']).take(2 * MAX_OPTIONS).map(str::trim) {
            match named(name) {
                Some(name) if !read.places.iter().any(|place| place == name) => {
                    read.places.push(name.to_owned());
                }
                None if !bare(name).is_empty() => read.unknown.push(clean(name, 60)),
                Some(_) | None => {}
            }
        }
        for line in lines.iter().flatten() {
            let Some((name, text)) = on_option(line.trim(), among) else { continue };
            if !read.lines.iter().any(|line| line.name == name) {
                read.lines.push(OptionLine { name: name.to_owned(), text: clean(text, MAX_LINE) });
            }
        }
        read
    }

    /// Empty if the user typed no options.
    /// `chosen`: the option that is the verdict.
    pub(super) fn faults(&self, chosen: Option<&str>, among: &Alternatives) -> OptionFaults {
        if !among.are_typed {
            return OptionFaults::default();
        }
        let has = |name: &String| {
            self.places.contains(name) && self.lines.iter().any(|line| line.name == *name)
        };
        let left_out = among.names.iter().filter(|name| !has(name)).cloned().collect();
        let first = self.places.first();
        let is_other = |first: &&String| chosen.is_some_and(|name| name != *first);
        OptionFaults {
            unknown: self.unknown.clone(),
            left_out,
            other_first: first.filter(is_other).cloned(),
        }
    }
}

/// `Redis, Kafka (by the sum of places)` without the remark.
fn without_remark(ranking: &str) -> &str {
    let remark = ranking.strip_suffix(')').and_then(|ranking| ranking.rsplit_once(" ("));
    remark.map_or(ranking, |(ranking, _)| ranking)
}

/// `2. Redis` without the number.
fn without_number(name: &str) -> &str {
    let after = name
        .trim_start_matches(['*', '_', ' '])
        .trim_start_matches(|char: char| char.is_ascii_digit());
    after.strip_prefix(['.', ')']).map_or(name, str::trim_start)
}

/// The option that an item or a bold label begins with, and the text after it. The longest name
/// counts: `Redis` and `Redis: cluster` are two options.
fn on_option<'a>(line: &'a str, among: &'a Alternatives) -> Option<(&'a str, &'a str)> {
    let dress = |char: char| matches!(char, '*' | '_' | '`' | '|' | ' ');
    let item = without_bullet(line);
    if item.len() == line.len() && !line.starts_with(['*', '|']) {
        return None;
    }
    let item = item.trim_start_matches(dress);
    let after = |name: &'a String| {
        let after = strip(item, name)?;
        let text = after.trim_start_matches(dress);
        let is_dressed = text.len() < after.len();
        let end = text.strip_prefix([':', '—', '–', '-']).or(is_dressed.then_some(text))?;
        Some((name.as_str(), end.trim_start_matches(dress).trim_end_matches([' ', '|'])))
    };
    let named = among.names.iter().filter_map(after).max_by_key(|(name, _)| name.len());
    named.filter(|(_, text)| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Synthesis, VerdictWord, compose};
    use super::*;

    fn three() -> Alternatives {
        let names = ["Redis", "PostgreSQL", "nothing new"].map(str::to_owned).to_vec();
        Alternatives { names, are_typed: true }
    }

    const LINES: &str = "### Options\n\n- **Redis:** S1.1; S2.1 weighs against it\n\
        - **PostgreSQL**: S2.1\n| nothing new | S3.1 |\n";

    fn faults(synthesis: &str) -> [String; 3] {
        let read = Synthesis::parse(synthesis, &three());
        let found = read.option_faults(&three());
        let other = found.other_first.unwrap_or_default();
        [found.unknown.join(", "), found.left_out.join(", "), other]
    }

    #[test]
    fn a_verdict_is_an_option_or_depends_whole_and_alone() {
        let two = Alternatives::in_question("Redis or PostgreSQL?");
        let option = |name: &str| Some(VerdictWord::Option(name.to_owned()));
        for (line, typed, in_question) in [
            ("Redis", option("Redis"), option("Redis")),
            ("**postgresql**.", option("PostgreSQL"), option("PostgreSQL")),
            ("redis (2 of 3 judges)", option("Redis"), option("Redis")),
            ("redis (1 of 3 judges)", None, None),
            ("Nothing new", option("nothing new"), None),
            ("depends", Some(VerdictWord::Depends), Some(VerdictWord::Depends)),
            ("do", None, Some(VerdictWord::Do)),
            ("do not", None, Some(VerdictWord::DoNot)),
            ("Redis, for now", None, None),
            ("not Redis", None, None),
            ("~~Redis~~", None, None),
            ("<b>Redis</b>", None, None),
            ("Redis or PostgreSQL", None, None),
            ("MySQL", None, None),
            ("", None, None),
        ] {
            let text = format!("**Verdict:** {line}");
            assert_eq!(Synthesis::parse(&text, &three()).word, typed, "{line}");
            assert_eq!(Synthesis::parse(&text, &two).word, in_question, "{line}");
            let none = Synthesis::parse(&text, &Alternatives::default()).word;
            assert_eq!(none, in_question.filter(|word| !matches!(word, VerdictWord::Option(_))));
        }
    }

    #[test]
    fn the_faults_of_a_ranking_by_a_truth_table() {
        for (verdict, ranking, expected) in [
            ("PostgreSQL", "PostgreSQL, nothing new, Redis", ["", "", ""]),
            ("depends", "Redis > **nothing new** > postgresql.", ["", "", ""]),
            ("Redis", "1. Redis, 2. PostgreSQL, 3. nothing new", ["", "", ""]),
            ("Redis", "Redis, PostgreSQL, nothing new (by the places of 2 judges)", ["", "", ""]),
            ("Redis", "PostgreSQL, Redis, nothing new", ["", "", "PostgreSQL"]),
            ("Redis", "Redis, PostgreSQL", ["", "nothing new", ""]),
            ("Redis", "Redis, MySQL, PostgreSQL, nothing new", ["MySQL", "", ""]),
            ("Redis", "", ["", "Redis, PostgreSQL, nothing new", ""]),
            ("no", "PostgreSQL, nothing new, Redis", ["", "", ""]),
        ] {
            let text = format!("**Verdict:** {verdict}\n\n**Ranking:** {ranking}\n\n{LINES}");
            assert_eq!(faults(&text), expected, "{ranking}");
        }
        let text = "**Verdict:** Redis\n\n**Ranking:** Redis, PostgreSQL, nothing new\n\n";
        let lines = LINES.replace("PostgreSQL", "MySQL");
        assert_eq!(faults(&format!("{text}{lines}")), ["", "PostgreSQL", ""]);
        let read = Synthesis::parse(&format!("{text}{LINES}"), &three()).ranking;
        let lines: Vec<_> = read.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(lines, ["S1.1; S2.1 weighs against it", "S2.1", "S3.1"]);
        let untyped = Alternatives { are_typed: false, ..three() };
        assert_eq!(Synthesis::parse(text, &untyped).ranking, Ranking::default());
    }

    #[test]
    fn the_longest_name_of_an_option_counts() {
        let names = ["Redis", "Redis Cluster", "Redis: one node"].map(str::to_owned).to_vec();
        let among = Alternatives { names, are_typed: true };
        let text =
            "- **Redis Cluster:** a\n- **Redis: one node** — b\n- Redis: c\n- **Redis is** d";
        let lines = Synthesis::parse(text, &among).ranking.lines;
        let lines: Vec<_> =
            lines.iter().map(|line| (line.name.as_str(), line.text.as_str())).collect();
        assert_eq!(lines, [("Redis Cluster", "a"), ("Redis: one node", "b"), ("Redis", "c")]);
    }

    #[test]
    fn judges_agree_on_a_verdict_and_their_places_make_the_ranking() {
        let judgment = |ranking: &str| {
            let verdict = ranking.split(", ").next().unwrap_or_default();
            format!(
                "**Recommendation:** {verdict}.\n\n**Verdict:** {verdict}\n\n**Ranking:** \
                 {ranking}\n\n**Rests on:** nothing\n\n{LINES}\n### What to do\n\nWait.\n"
            )
        };
        for (rankings, word, places) in [
            (
                ["PostgreSQL, Redis, nothing new"; 3],
                Some("PostgreSQL"),
                "PostgreSQL, Redis, nothing new",
            ),
            (
                [
                    "Redis, nothing new, PostgreSQL",
                    "PostgreSQL, nothing new, Redis",
                    "Redis, PostgreSQL, nothing new",
                ],
                Some("Redis"),
                "Redis, nothing new, PostgreSQL",
            ),
            (
                [
                    "Redis, PostgreSQL, nothing new",
                    "PostgreSQL, Redis, nothing new",
                    "nothing new, PostgreSQL, Redis",
                ],
                None,
                "PostgreSQL, Redis, nothing new",
            ),
        ] {
            let texts = rankings.map(judgment);
            let text = compose(&[], &texts.each_ref().map(String::as_str), &three());
            let read = Synthesis::parse(&text, &three());
            assert_eq!(read.word.as_ref().map(VerdictWord::word), word, "{text}");
            assert_eq!(read.ranking.places.join(", "), places, "{text}");
            assert_eq!(read.ranking.lines.len(), 3, "{text}");
            let found = read.option_faults(&three());
            assert_eq!(found, OptionFaults::default(), "{text}");
            assert_eq!(text.matches("### Options").count(), 1, "{text}");
            assert_eq!(text.contains("### What to do"), word.is_some(), "{text}");
            assert_eq!(text.contains("1 for Redis, 1 for PostgreSQL"), word.is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_option_is_ranked_or_left_out(ranking in "[A-Za-z,> .*(1-9)]{0,80}") {
            let text = format!("**Verdict:** Redis\n\n**Ranking:** {ranking}\n\n{LINES}");
            let read = Synthesis::parse(&text, &three());
            let found = read.option_faults(&three());
            prop_assert_eq!(read.ranking.places.len() + found.left_out.len(), 3, "{}", ranking);
            let first = read.ranking.places.first().filter(|first| *first != "Redis");
            prop_assert_eq!(found.other_first.as_ref(), first);
        }
    }
}
