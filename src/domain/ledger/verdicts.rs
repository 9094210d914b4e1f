//! Combines several judgments into one synthesis of counts and of the judges' own words.
//!
//! The majority decides, and judgments have equal weight. Without a majority, the synthesis says
//! so.

use std::fmt::Write as _;

use super::changes::PLAN_CHANGES;
use super::ranking::OptionLine;
use super::synthesis::{ResultLine, Synthesis, VerdictWord};
use super::verdict::{after_percent, section, without_verdict};
use super::{ClaimResult, Id};
use crate::domain::debate::Alternatives;
use crate::text::clean;

/// Most characters of a judge's words in one line.
const MAX_WORDS: usize = 1_000;

struct Judge<'a> {
    /// Counted from 1.
    number: usize,
    text: &'a str,
    read: Synthesis,
}

impl Judge<'_> {
    /// `Judge 2 says depends, 60 %: Wait.`
    fn verdict(&self) -> String {
        let verdict = self.read.word.as_ref().map_or_else(
            || "gives no verdict".to_owned(),
            |verdict| format!("says {}", verdict.word()),
        );
        let percent = self
            .read
            .verdict
            .percent()
            .map_or_else(String::new, |percent| format!(", {percent} %"));
        format!("Judge {} {verdict}{percent}{}", self.number, after_colon(&self.recommendation()))
    }

    fn recommendation(&self) -> String {
        clean(self.read.verdict.recommendation.as_deref().unwrap_or_default(), MAX_WORDS)
    }
}

/// Composes a synthesis from the judgments, in the usual form of a synthesis. Its verdict, and its
/// result of each claim, is that of more than half of the judges.
pub fn compose(claims: &[Id], judgments: &[&str], among: &Alternatives) -> String {
    let all: Vec<Judge<'_>> = (1..)
        .zip(judgments)
        .map(|(number, text)| Judge { number, text, read: Synthesis::parse(text, among) })
        .collect();
    let judges: Vec<&Judge<'_>> = all.iter().collect();
    let verdict =
        majority(&judges.iter().map(|judge| judge.read.word.as_ref()).collect::<Vec<_>>());
    let agree: Vec<&Judge<'_>> = all
        .iter()
        .filter(|judge| verdict.is_some() && judge.read.word.as_ref() == verdict)
        .collect();
    let mut out = String::new();
    match (verdict, agree.first()) {
        (Some(verdict), Some(first)) => {
            decided(verdict, claims, first, &agree, judges.len(), &mut out);
        }
        _ => undecided(&judges, &mut out),
    }
    options(if agree.is_empty() { &judges } else { &agree }, among, &mut out);
    survived(claims, &judges, &mut out);
    dissents(verdict, claims, &judges, &mut out);
    // The remaining text of the first judge. It is left out if it would change how the synthesis is
    // read.
    let remaining = agree.first().map(|first| {
        let text = rest_of(first.text);
        section(&text, PLAN_CHANGES).map_or(text, |(_, text)| text)
    });
    if let Some(remaining) = remaining.filter(|remaining| !remaining.is_empty()) {
        let whole = format!("{out}\n{remaining}\n");
        if Synthesis::parse(&whole, among) == Synthesis::parse(&out, among) {
            out = whole;
        }
    }
    let changes = changes(&agree, &judges);
    if !changes.is_empty() {
        let whole = format!("{}\n\n### {PLAN_CHANGES}\n\n{changes}", out.trim_end());
        let before = Synthesis::parse(&out, among);
        let Synthesis { plan_changes, named, .. } = before.clone();
        // Only its list and the claims that its prose names may be new.
        if (Synthesis { plan_changes, named, ..Synthesis::parse(&whole, among) }) == before {
            out = whole;
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// What to change in a plan: the list of the majority's first judge, word for word; without a
/// majority the items of all judges.
fn changes(agree: &[&Judge<'_>], judges: &[&Judge<'_>]) -> String {
    let list = |judge: &&Judge<'_>| judge.read.plan_changes.clone();
    if !agree.is_empty() {
        return agree.iter().find_map(list).map_or_else(String::new, |list| list.text);
    }
    let items = judges.iter().flat_map(|judge| {
        let items = list(judge).map(|list| list.items).unwrap_or_default();
        items.into_iter().map(|item| (judge.number, clean(&item.text, MAX_WORDS)))
    });
    let numbered = (1..).zip(items);
    let lines: Vec<String> =
        numbered.map(|(at, (judge, text))| format!("{at}. Judge {judge}: {text}")).collect();
    match lines.join("\n") {
        none if none.is_empty() => judges.iter().find_map(list).map_or(none, |list| list.text),
        lines => lines,
    }
}

/// The value that more than half of them share.
fn majority<T: Copy + PartialEq>(values: &[Option<T>]) -> Option<T> {
    let is_shared =
        |one: &&T| values.iter().flatten().filter(|other| other == one).count() * 2 > values.len();
    values.iter().flatten().find(is_shared).copied()
}

/// `2 of 3 judges`
fn share_of_judges(count: usize, all: usize) -> String {
    format!("{count} of {all} judges")
}

/// `: WORDS`, or nothing.
fn after_colon(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// The labelled lines of a majority's verdict, in the words of its first judge.
fn decided(
    verdict: &VerdictWord,
    claims: &[Id],
    first: &Judge<'_>,
    agree: &[&Judge<'_>],
    all: usize,
    out: &mut String,
) {
    let counted = share_of_judges(agree.len(), all);
    let recommendation = match first.recommendation() {
        words if words.is_empty() => format!("{counted} say {}.", verdict.word()),
        words => format!("{counted}: {words}"),
    };
    let mut line = |label: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(out, "**{label}:** {text}\n");
        }
    };
    line("Recommendation", &recommendation);
    line("Verdict", &format!("{} ({counted})", verdict.word()));
    line("Rests on", &carriers(claims, agree));
    line("Confidence", &confidence(first, agree));
    let words = |text: &Option<String>| clean(text.as_deref().unwrap_or_default(), MAX_WORDS);
    line("Would flip if", &words(&first.read.verdict.would_flip_if));
    line("Still unknown", &words(&first.read.verdict.still_unknown));
    let _ = writeln!(out, "The rest is judge {}'s text.\n", first.number);
}

/// The claims that more than half of these judges rest on.
fn carriers(claims: &[Id], agree: &[&Judge<'_>]) -> String {
    let named = |judge: &Judge<'_>, id: Id| {
        judge.read.rests_on.as_ref().is_some_and(|ids| ids.contains(&id))
    };
    let mut ids: Vec<Id> = Vec::new();
    for &id in agree.iter().filter_map(|judge| judge.read.rests_on.as_ref()).flatten() {
        let is_shared = agree.iter().filter(|judge| named(judge, id)).count() * 2 > agree.len();
        if is_shared && claims.contains(&id) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    match ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ") {
        ids if ids.is_empty() => "nothing that more than half of these judges name".to_owned(),
        ids => ids,
    }
}

/// The median and the spread of their percentages, and the derivation of the first judge.
fn confidence(first: &Judge<'_>, agree: &[&Judge<'_>]) -> String {
    let mut percents: Vec<u8> =
        agree.iter().filter_map(|judge| judge.read.verdict.percent()).collect();
    percents.sort_unstable();
    let (Some(least), Some(most)) = (percents.first(), percents.last()) else {
        return String::new();
    };
    let (low, high) = (percents[(percents.len() - 1) / 2], percents[percents.len() / 2]);
    let middle = low.midpoint(high);
    let from = match percents.len() {
        1 => "1 judge".to_owned(),
        count => format!("{count} judges"),
    };
    let spread = if least == most {
        format!("from {from}")
    } else {
        format!("the median of {from} ({least} to {most} %)")
    };
    let stated = first.read.verdict.confidence.as_deref().unwrap_or_default();
    let why = if first.read.verdict.percent().is_some() {
        clean(after_percent(stated), MAX_WORDS)
    } else {
        String::new()
    };
    let why = if why.is_empty() { why } else { format!("; judge {}: {why}", first.number) };
    format!("{middle} %, {spread}{why}")
}

/// The ranking by the sum of these judges' places, and the first judge's line about each option. An
/// option without a place counts as the last.
fn options(judges: &[&Judge<'_>], among: &Alternatives, out: &mut String) {
    let place = |judge: &Judge<'_>, name: &String| {
        let places = &judge.read.ranking.places;
        places.iter().position(|place| place == name).unwrap_or(among.names.len())
    };
    let sum = |name: &String| judges.iter().map(|judge| place(judge, name)).sum::<usize>();
    let is_ranked = |judge: &&Judge<'_>| !judge.read.ranking.places.is_empty();
    let ranking = judges.iter().filter(|judge| is_ranked(judge)).count();
    if ranking > 0 {
        let mut names: Vec<&String> = among.names.iter().collect();
        // Options with the same sum keep the first judge's order.
        names.sort_by_key(|name| (sum(name), place(judges[0], name)));
        let names = names.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let by = if ranking == 1 { "1 judge".to_owned() } else { format!("{ranking} judges") };
        let _ = writeln!(out, "**Ranking:** {names} (by the places of {by})\n");
    }
    let lines: Vec<&OptionLine> = among
        .names
        .iter()
        .filter_map(|name| {
            let lines = judges.iter().flat_map(|judge| &judge.read.ranking.lines);
            lines.clone().find(|line| line.name == *name)
        })
        .collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "### {OPTIONS}\n");
        for OptionLine { name, text } in lines {
            let _ = writeln!(out, "- **{name}:** {text}");
        }
        out.push('\n');
    }
}

/// The section of a synthesis with a line for each option.
const OPTIONS: &str = "Options";

/// The judges' verdicts, without a majority.
fn undecided(judges: &[&Judge<'_>], out: &mut String) {
    out.push_str(
        "**Recommendation:** The judges differ, and no verdict has more than half of them.\n\n",
    );
    // The words in their order, then the options in that of the judges.
    let mut words = vec![VerdictWord::Do, VerdictWord::DoNot, VerdictWord::Depends];
    for word in judges.iter().filter_map(|judge| judge.read.word.as_ref()) {
        if !words.contains(word) {
            words.push(word.clone());
        }
    }
    let count = |word: &VerdictWord| {
        let count = judges.iter().filter(|judge| judge.read.word.as_ref() == Some(word)).count();
        (count > 0).then(|| format!("{count} for {}", word.word()))
    };
    let counts: Vec<String> = words.iter().filter_map(count).collect();
    let (all, counts) = (judges.len(), after_colon(&counts.join(", ")));
    let _ = writeln!(out, "**Verdict:** none that more than half of {all} judges share{counts}\n");
    for judge in judges {
        let _ = writeln!(out, "- {}", judge.verdict());
    }
    out.push('\n');
}

/// A line for every claim.
fn survived(claims: &[Id], judges: &[&Judge<'_>], out: &mut String) {
    if claims.is_empty() {
        return;
    }
    out.push_str("### What survived\n\n");
    for &id in claims {
        let lines = || judges.iter().map(|judge| judge.read.line_on(id));
        if let Some(result) = shared(id, judges) {
            let agree = || lines().flatten().filter(|line| line.result == result);
            let why = agree()
                .map(|line| line.why.as_str())
                .find(|why| !why.is_empty())
                .unwrap_or_default();
            // If all agree, the verdict has already given the count.
            let counted = Some(agree().count())
                .filter(|count| *count < judges.len())
                .map(|count| share_of_judges(count, judges.len()));
            let counted = counted.map_or_else(String::new, |counted| after_colon(&counted));
            let _ = writeln!(out, "- **{id}** {}{counted}{}", result.word(), after_colon(why));
        } else {
            let word =
                |line: Option<&ResultLine>| line.map_or("nothing", |line| line.result.word());
            let each: Vec<String> = judges
                .iter()
                .zip(lines())
                .map(|(judge, line)| format!("judge {} says {}", judge.number, word(line)))
                .collect();
            let _ = writeln!(out, "- **{id}**: the judges differ: {}", each.join(", "));
        }
    }
    out.push('\n');
}

/// The result that more than half of the judges share.
fn shared(id: Id, judges: &[&Judge<'_>]) -> Option<ClaimResult> {
    let on = |judge: &&Judge<'_>| judge.read.line_on(id).map(|line| line.result);
    majority(&judges.iter().map(on).collect::<Vec<_>>())
}

/// The verdicts and results that differ from the majority's, in each judge's words.
fn dissents(verdict: Option<&VerdictWord>, claims: &[Id], judges: &[&Judge<'_>], out: &mut String) {
    let mut lines = Vec::new();
    // Without a majority, each judge already has a line.
    if verdict.is_some() {
        lines.extend(
            judges
                .iter()
                .filter(|judge| judge.read.word.as_ref() != verdict)
                .map(|judge| judge.verdict()),
        );
    }
    for &id in claims {
        let shared = shared(id, judges);
        for judge in judges {
            let line = judge.read.line_on(id).filter(|line| Some(line.result) != shared);
            lines.extend(line.map(|line| {
                let (result, why) = (line.result.word(), after_colon(&line.why));
                format!("Judge {} on {id}: {result}{why}", judge.number)
            }));
        }
    }
    if lines.is_empty() {
        return;
    }
    out.push_str("### Dissents\n\n");
    for line in lines {
        let _ = writeln!(out, "- {line}");
    }
}

/// A synthesis without its labelled lines, its results of claims and its lines about options.
pub fn rest_of(synthesis: &str) -> String {
    let remaining = without_verdict(synthesis);
    ["what survived", OPTIONS]
        .iter()
        .fold(remaining, |text, name| section(&text, name).map_or(text, |(_, text)| text))
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::verdict::Verdict;
    use super::*;

    fn ids(text: &str) -> Vec<Id> {
        text.split_whitespace().map(|id| id.parse().unwrap()).collect()
    }

    /// A judgment with this verdict, this confidence and these lines on claims: `A1 fell`.
    fn judgment(verdict: &str, confidence: &str, lines: &[&str]) -> String {
        let line =
            |line: &&str| format!("- **{}: because of {verdict}", line.replacen(' ', "** ", 1));
        let lines = lines.iter().map(line).collect::<Vec<_>>().join("\n") + "\n";
        format!(
            "**Recommendation:** We {verdict} it.\n\n**Verdict:** {verdict}\n\n**Rests on:** A1\n\n\
             **Confidence:** {confidence}\n\n\
             **Would flip if:** {verdict} fails.\n\n\
             **Still unknown:** x\n\n### What survived\n\n{lines}\n\
             ### What to do\n\n1. Start to {verdict}.\n"
        )
    }

    fn of_judgments(claims: &str, judgments: &[String]) -> (String, Synthesis) {
        let texts: Vec<&str> = judgments.iter().map(String::as_str).collect();
        let text = compose(&ids(claims), &texts, &Alternatives::default());
        let read = Synthesis::parse(&text, &Alternatives::default());
        (text, read)
    }

    #[test]
    fn the_majority_of_two_to_five_judges_is_the_verdict() {
        let (yes, no, it) =
            (Some(VerdictWord::Do), Some(VerdictWord::DoNot), Some(VerdictWord::Depends));
        for (words, verdict, counted) in [
            (vec!["do", "do"], &yes, "2 of 2 judges: We do it."),
            (vec!["do", "do not"], &None, ""),
            (vec!["do not", "do", "do not"], &no, "2 of 3 judges: We do not it."),
            (vec!["do", "do not", "depends"], &None, ""),
            (vec!["do", "perhaps", "perhaps"], &None, ""),
            (vec!["depends", "perhaps", "depends"], &it, "2 of 3 judges: We depends it."),
            (vec!["do", "do", "do not", "do not"], &None, ""),
            (vec!["do", "do", "perhaps", "perhaps"], &None, ""),
            (vec!["do", "do not", "do", "do"], &yes, "3 of 4 judges: We do it."),
            (vec!["do not", "do", "depends", "do", "do"], &yes, "3 of 5 judges: We do it."),
            (vec!["do", "do", "do not", "do not", "depends"], &None, ""),
        ] {
            let judgments: Vec<String> =
                words.iter().map(|verdict| judgment(verdict, "70 %", &["A1 survived"])).collect();
            let (text, read) = of_judgments("A1", &judgments);
            assert_eq!(&read.word, verdict, "{words:?}\n{text}");
            if verdict.is_some() {
                assert_eq!(read.verdict.first_sentence(&text), counted, "{text}");
                let first = words
                    .iter()
                    .find(|word| VerdictWord::read(word, &Alternatives::default()) == *verdict)
                    .unwrap();
                assert!(text.contains(&format!("1. Start to {first}.")), "{text}");
            } else {
                assert_eq!((read.rests_on, read.verdict.confidence), (None, None), "{text}");
                assert!(
                    words.iter().all(|verdict| text.contains(&format!(": We {verdict} it."))),
                    "{text}"
                );
                assert!(!text.contains("Start to"), "{text}");
            }
            let dissents = text.split_once("### Dissents").map_or("", |(_, after)| after);
            for (at, verdict) in words.iter().enumerate() {
                let differs = read.word.is_some()
                    && VerdictWord::read(verdict, &Alternatives::default()) != read.word;
                assert_eq!(dissents.contains(&format!("Judge {} ", at + 1)), differs, "{text}");
            }
        }
    }

    #[test]
    fn the_confidence_is_the_median_and_spread_of_the_majority() {
        for (stated, line) in [
            (
                vec!["60 %, since A1 holds", "85 %", "40 %"],
                "60 %, the median of 3 judges (40 to 85 %); judge 1: since A1 holds",
            ),
            (vec!["60 %", "85 %"], "72 %, the median of 2 judges (60 to 85 %)"),
            (vec!["high", "80 %", "80 %"], "80 %, from 2 judges"),
            (vec!["high", "so-so", "55 %"], "55 %, from 1 judge"),
            (
                vec!["100 %", "100 %", "99 %", "98 %", "0 %"],
                "99 %, the median of 5 judges (0 to 100 %)",
            ),
        ] {
            let judgments: Vec<String> =
                stated.iter().map(|stated| judgment("do", stated, &[])).collect();
            let (text, read) = of_judgments("A1", &judgments);
            assert_eq!(read.verdict.confidence.as_deref(), Some(line), "{text}");
            assert!(read.verdict.percent().is_some(), "{text}");
        }
        let (text, read) =
            of_judgments("A1", &["high", "low"].map(|stated| judgment("do", stated, &[])));
        assert_eq!(read.verdict.percent(), None, "{text}");
        // The confidence of a dissenting judge goes to the dissents.
        let judgments = [("do", "70 %"), ("do", "75 %"), ("do not", "90 %")];
        let (text, _) =
            of_judgments("A1", &judgments.map(|(verdict, stated)| judgment(verdict, stated, &[])));
        assert!(text.contains("the median of 2 judges (70 to 75 %)"), "{text}");
        assert!(text.contains("- Judge 3 says do not, 90 %: We do not it."), "{text}");
    }

    #[test]
    fn a_result_needs_more_than_half_of_the_judges() {
        for (lines, expected, line) in [
            (
                ["A1 survived", "A1 survived", "A1 fell"],
                "survived",
                "- **A1** survived: 2 of 3 judges: because of do",
            ),
            (
                ["A1 fell", "A1 survived", "A1 weakened"],
                "",
                "judge 1 says fell, judge 2 says survived, judge 3 says weakened",
            ),
            (["A2 fell", "A1 fell", "A1 fell"], "fell", "- **A1** fell: 2 of 3 judges"),
            (
                ["A2 fell", "A2 fell", "A1 fell"],
                "",
                "judge 1 says nothing, judge 2 says nothing, judge 3 says fell",
            ),
            (["A1 fell", "A1 fell", "A9 fell"], "fell", "- **A1** fell: 2 of 3 judges"),
        ] {
            let (text, read) =
                of_judgments("A1", &lines.map(|line| judgment("do", "70 %", &[line])));
            let words: Vec<String> = read
                .results
                .iter()
                .map(|line| format!("{} {}", line.id, line.result.word()))
                .collect();
            let expected: Vec<String> =
                if expected.is_empty() { vec![] } else { vec![format!("A1 {expected}")] };
            assert_eq!(words, expected, "{text}");
            assert!(text.contains(line), "{text}");
            assert!(
                !text.contains("**A9**") && !text.contains("**A2**"),
                "nobody claimed it: {text}"
            );
        }
        // A judge with both results counts for neither.
        let both = judgment("do", "70 %", &["A1 survived", "A1 fell"]);
        let (text, read) = of_judgments("A1", &[both, judgment("do", "70 %", &["A1 fell"])]);
        assert_eq!(read.results, [], "{text}");
        assert!(text.contains("- Judge 2 on A1: fell: because of do\n"), "{text}");
    }

    #[test]
    fn the_verdict_rests_on_existing_claims_named_by_the_majority() {
        let with = |ids: &str| {
            judgment("do", "70 %", &[]).replace("**Rests on:** A1", &format!("**Rests on:** {ids}"))
        };
        for (carriers, expected) in [
            (["A1, C1", "C1", "A9, C1"], "C1"),
            (["A9", "A9", "A9"], ""),
            (["A1", "C1", "nothing"], ""),
            (["A1, C1", "A1, C1", "A1"], "A1 C1"),
        ] {
            let (text, read) = of_judgments("A1 C1", &carriers.map(with));
            assert_eq!(read.rests_on, Some(ids(expected)), "{text}");
        }
    }

    #[test]
    fn full_agreement_has_no_dissents_and_free_prose_no_verdict() {
        let (text, _) = of_judgments(
            "A1",
            &["do", "do"].map(|verdict| judgment(verdict, "70 %", &["A1 survived"])),
        );
        assert!(
            text.contains("- **A1** survived: because of do\n") && !text.contains("Dissents"),
            "{text}"
        );
        let (text, read) = of_judgments("", &["Yes.".to_owned(), String::new()]);
        assert_eq!((read.word, read.results.len(), read.verdict.rests_on), (None, 0, None));
        assert!(text.ends_with("- Judge 2 gives no verdict"), "{text}");
    }

    /// Parts of judgments, and text that could break the composed synthesis.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "**Verdict:** do",
            "**Verdict:** do not",
            "Verdict: depends",
            "**Recommendation:** x **Verdict:** do not",
            "**Recommendation:** - **A1** fell: x",
            "**Confidence:** 50 %, - **A1** fell",
            "**Confidence:** ``` 90 %",
            "**Rests on:** A1, C1",
            "**Rests on:** nothing",
            "**Would flip if:** ```",
            "**Still unknown:** ~~~",
            "- **A1** survived: x",
            "- **A1** fell: **Verdict:** do",
            "- **C1** weakened",
            "| C1 | survived | ``` |",
            "A9 fell",
            "```",
            "~~~",
            "### What survived",
            "### What to do",
            "### Verdict: do not",
            "# Dissents",
            "> q",
            "<!--",
            "\u{2028}**Verdict:** do",
            "",
        ])
    }

    const GAPS: [&str; 4] = ["\n", "\n\n", " ", "\r\n"];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn the_majority_decides_for_any_judgments(
            judgments in prop::collection::vec(
                prop::collection::vec((piece(), prop::sample::select(GAPS.to_vec())), 0..14),
                2..=5,
            ),
        ) {
            let joined = |pieces: &Vec<(&str, &str)>| {
                pieces.iter().flat_map(|(piece, gap)| [*piece, *gap]).collect::<String>()
            };
            let judgments: Vec<String> = judgments.iter().map(joined).collect();
            let claims = ids("A1 C1");
            let (text, read) = of_judgments("A1 C1", &judgments);
            let each: Vec<Synthesis> =
                judgments.iter().map(|judgment| Synthesis::parse(judgment, &Alternatives::default())).collect();
            let verdict = majority(&each.iter().map(|judge| judge.word.as_ref()).collect::<Vec<_>>());
            prop_assert_eq!(read.word.as_ref(), verdict, "{}", text);
            let expected: Vec<(Id, ClaimResult)> = claims
                .iter()
                .filter_map(|id| {
                    let on = |judge: &Synthesis| judge.line_on(*id).map(|line| line.result);
                    Some((*id, majority(&each.iter().map(on).collect::<Vec<_>>())?))
                })
                .collect();
            let found: Vec<(Id, ClaimResult)> =
                read.results.iter().map(|line| (line.id, line.result)).collect();
            prop_assert_eq!(found, expected, "{}", text);
            let agree = each.iter().filter(|judge| verdict.is_some() && judge.word.as_ref() == verdict);
            let percents: Vec<u8> = agree.filter_map(|judge| judge.verdict.percent()).collect();
            let percent = Verdict::parse(&text).percent();
            prop_assert_eq!(percent.is_some(), !percents.is_empty(), "{}", text);
            let (least, most) = (percents.iter().min(), percents.iter().max());
            let is_between = |middle| least <= Some(&middle) && Some(&middle) <= most;
            prop_assert!(percent.is_none_or(is_between));
        }
    }
}
