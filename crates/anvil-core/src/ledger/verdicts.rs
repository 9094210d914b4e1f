//! Combines several judgments into one synthesis of counts and of the judges' own words.
//!
//! The majority decides, and judgments have equal weight. Without a majority, the synthesis says
//! so.

use std::fmt::Write as _;

use super::prose::{PLAN_CHANGES, TEXT_OF_JUDGE, without_block};
use super::synthesis::{ResultLine, Synthesis, VerdictWord};
use super::{ClaimResult, Id, Ledger, Standing};
use crate::question::{Alternatives, motion::is_other};
use crate::transcript::Entries;
use anvil_text::clean;

/// Most characters of a judge's words in one line.
const MAX_WORDS: usize = 1_000;

struct Judge<'a> {
    /// Counted from 1.
    number: usize,
    text: &'a str,
    read: Synthesis,
    standing: Standing,
}

impl Judge<'_> {
    /// True if both have the same valid verdict: the same word, on the same motion if it is about
    /// one.
    fn agrees(&self, other: &Self) -> bool {
        let Some((one, other)) = self.standing.verdict().zip(other.standing.verdict()) else {
            return false;
        };
        let is_on_motion = matches!(one.word, VerdictWord::Do | VerdictWord::DoNot);
        let mut motions = one.motion.iter().zip(&other.motion);
        one.word == other.word
            && !(is_on_motion && motions.any(|(one, other)| is_other(one, other)))
    }

    /// `Judge 2 says depends, 60%: Wait.`
    fn verdict(&self) -> String {
        match &self.standing {
            Standing::Valid(verdict) => {
                let percent = verdict.confidence;
                let percent = percent.map_or_else(String::new, |percent| format!(", {percent}%"));
                let recommendation = verdict.recommendation.as_deref().unwrap_or_default();
                let word = verdict.word.word();
                format!("Judge {} says {word}{percent}{}", self.number, after_colon(recommendation))
            }
            other => {
                let reason = other.void_reason().unwrap_or_default();
                format!("Judge {} has no valid verdict{}", self.number, after_colon(reason))
            }
        }
    }
}

/// Composes a synthesis from the judgments after the last reply. The verdict, and the result of
/// each claim, is that of more than half of the judges; a judge without a valid verdict has no vote.
pub fn compose(entries: &Entries, among: &Alternatives) -> String {
    let claims: Vec<Id> =
        Ledger::of_entries(entries, among).claims.iter().map(|claim| claim.id).collect();
    let mut all: Vec<Judge<'_>> = Vec::new();
    for (number, judgment) in (1..).zip(entries.judgments()) {
        let text = judgment.text.as_str();
        let repeat = entries.repeat_of(judgment);
        let read = Synthesis::with_repeat(text, repeat, false, among);
        let standing = Ledger::of_judgment(entries, (text, repeat), among).standing();
        all.push(Judge { number, text, read, standing });
    }
    compose_of(&claims, &all, among)
}

fn compose_of(claims: &[Id], all: &[Judge<'_>], among: &Alternatives) -> String {
    let judges: Vec<&Judge<'_>> = all.iter().collect();
    // A vote is the first judge with the same verdict.
    let vote = |judge: &Judge<'_>| all.iter().position(|first| first.agrees(judge));
    let votes: Vec<Option<usize>> = all.iter().map(vote).collect();
    let winner = majority(&votes);
    let is_of_winner = |vote: Option<usize>| winner.is_some() && vote == winner;
    let (agree, differ): (Vec<_>, Vec<_>) =
        all.iter().zip(votes).partition(|(_, vote)| is_of_winner(*vote));
    let [agree, differ] =
        [agree, differ].map(|part| part.into_iter().map(|(judge, _)| judge).collect::<Vec<_>>());
    let mut prose = String::new();
    dissents(&differ, claims, &judges, &mut prose);
    if agree.is_empty() {
        changes(&judges, &mut prose);
    }
    let block = block(claims, &agree, &judges, among);
    let end = format!("```anvil\n{block}```");
    // The prose of the first judge is left out if it would change how the synthesis is read.
    if let Some(first) = agree.first() {
        let text = without_block(first.text);
        let prose = format!("{TEXT_OF_JUDGE}{}'s.\n\n{text}\n\n{prose}", first.number);
        let composed = with_end(&prose, &end);
        if Synthesis::parse(&composed, among) == Synthesis::parse(&end, among) {
            return composed;
        }
    }
    with_end(&prose, &end)
}

fn with_end(prose: &str, end: &str) -> String {
    format!("{}\n\n{end}", prose.trim_end()).trim_start().to_owned()
}

/// The lines of the block.
fn block(
    claims: &[Id],
    agree: &[&Judge<'_>],
    judges: &[&Judge<'_>],
    among: &Alternatives,
) -> String {
    let mut out = String::new();
    let mut line = |key: &str, value: &str| {
        // `1. NAME` has no colon.
        let colon = if key.ends_with('.') { "" } else { ":" };
        if !value.is_empty() {
            let _ = writeln!(out, "{key}{colon} {value}");
        }
    };
    let motion = among
        .motion
        .as_deref()
        .or_else(|| agree.iter().find_map(|judge| judge.read.motion.as_deref()));
    line("motion", motion.unwrap_or_default());
    for (key, value) in claims.iter().filter_map(|id| of_claim(*id, judges)) {
        line(&key, &value);
    }
    for (key, value) in options(if agree.is_empty() { judges } else { agree }, among) {
        line(&key, &value);
    }
    let first = agree.first().and_then(|first| Some((first.standing.verdict()?, first)));
    let Some((verdict, first)) = first else {
        line("recommendation", "The judges differ, and no verdict has more than half of them.");
        line("verdict", "none");
        return out;
    };
    for change in &first.read.changes {
        let ids = change.claims.iter().map(Id::to_string).collect::<Vec<_>>().join(", ");
        line(&format!("change {} ({ids})", change.number), &change.text);
    }
    line("against", &words(first.read.against.as_deref()));
    line("recommendation", &words(first.read.recommendation.as_deref()));
    line("verdict", verdict.word.word());
    line("judges", &format!("{} of {}", agree.len(), judges.len()));
    let mut percents: Vec<u8> = agree.iter().filter_map(|judge| judge.read.confidence).collect();
    percents.sort_unstable();
    if let (Some(least), Some(most)) = (percents.first(), percents.last()) {
        let low = percents[(percents.len() - 1) / 2];
        let high = percents[percents.len() / 2];
        line("confidence", &low.midpoint(high).to_string());
        line("confidence range", &format!("{least} to {most}"));
    }
    line("rests on", &carriers(claims, agree));
    line("depends on", &words(first.read.depends_on.as_deref()));
    line("flips if", &words(first.read.flips_if.as_deref()));
    line("unknown", &words(first.read.unknown.as_deref()));
    out
}

/// A judge's words in one line.
fn words(text: Option<&str>) -> String {
    clean(text.unwrap_or_default(), MAX_WORDS)
}

/// The value that more than half of them share.
fn majority<T: Copy + PartialEq>(values: &[Option<T>]) -> Option<T> {
    values.iter().flatten().copied().find(|value| {
        let votes = values.iter().flatten().filter(|other| *other == value).count();
        votes * 2 > values.len()
    })
}

/// `: WORDS`, or nothing.
fn after_colon(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// The line about a claim, if more than half of the judges share its result.
fn of_claim(id: Id, judges: &[&Judge<'_>]) -> Option<(String, String)> {
    let result = majority_result(id, judges)?;
    let agree: Vec<&ResultLine> = judges
        .iter()
        .filter_map(|judge| judge.read.line_on(id))
        .filter(|line| line.result == result)
        .collect();
    let why = agree
        .iter()
        .map(|line| line.why.as_str())
        .find(|why| !why.is_empty())
        .unwrap_or("no judge says why");
    // If all agree, the line of the judges has already given the count.
    let value = match agree.len() {
        count if count < judges.len() => format!("{count} of {} judges: {why}", judges.len()),
        _ => why.to_owned(),
    };
    Some((format!("{id} {}", result.word()), value))
}

/// The claims that more than half of these judges rest on.
fn carriers(claims: &[Id], agree: &[&Judge<'_>]) -> String {
    let lists: Vec<&Vec<Id>> =
        agree.iter().filter_map(|judge| judge.read.rests_on.as_ref()).collect();
    let mut ids: Vec<Id> = Vec::new();
    for &id in lists.iter().copied().flatten() {
        let votes = lists.iter().filter(|list| list.contains(&id)).count();
        let is_shared = votes * 2 > agree.len();
        if is_shared && claims.contains(&id) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    match ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ") {
        ids if ids.is_empty() => "nothing".to_owned(),
        ids => ids,
    }
}

/// The ranking by the sum of these judges' places, and the first judge's line about each option. An
/// option without a place counts as the last.
fn options(judges: &[&Judge<'_>], among: &Alternatives) -> Vec<(String, String)> {
    if !among.are_typed {
        return Vec::new();
    }
    let mut lines = Vec::new();
    if judges.iter().any(|judge| !judge.read.ranking.is_empty()) {
        let mut names: Vec<&String> = among.names.iter().collect();
        // Options with the same sum keep the first judge's order.
        names.sort_by_key(|name| {
            let places: Vec<usize> = judges
                .iter()
                .map(|judge| {
                    let mut ranking = judge.read.ranking.iter();
                    ranking.position(|ranked| ranked == *name).unwrap_or(among.names.len())
                })
                .collect();
            (places.iter().sum::<usize>(), places[0])
        });
        lines.extend((1_u8..).zip(names).map(|(at, name)| (format!("{at}."), name.clone())));
    }
    for (at, name) in (1_u8..).zip(&among.names) {
        let mut of_judges = judges.iter().flat_map(|judge| &judge.read.options);
        if let Some(line) = of_judges.find(|line| line.name == *name) {
            lines.push((format!("option {at}"), line.text.clone()));
        }
    }
    lines
}

/// The changes that each judge wants, without a majority.
fn changes(judges: &[&Judge<'_>], out: &mut String) {
    let items = judges.iter().flat_map(|judge| {
        judge.read.changes.iter().map(|change| (judge.number, change.text.as_str()))
    });
    let lines: Vec<String> = (1..)
        .zip(items)
        .map(|(at, (judge, text))| format!("{at}. Judge {judge}: {text}"))
        .collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "\n### {PLAN_CHANGES}\n\n{}", lines.join("\n"));
    }
}

/// The result that more than half of the judges share.
fn majority_result(id: Id, judges: &[&Judge<'_>]) -> Option<ClaimResult> {
    let results: Vec<Option<ClaimResult>> =
        judges.iter().map(|judge| judge.read.line_on(id).map(|line| line.result)).collect();
    majority(&results)
}

/// The verdicts and results that differ from the majority's, in each judge's words.
fn dissents(differ: &[&Judge<'_>], claims: &[Id], judges: &[&Judge<'_>], out: &mut String) {
    let mut lines: Vec<String> = differ.iter().map(|judge| judge.verdict()).collect();
    for &id in claims {
        let shared = majority_result(id, judges);
        for judge in judges {
            let line = judge.read.line_on(id).filter(|line| Some(line.result) != shared);
            lines.extend(line.map(|line| {
                let result = line.result.word();
                let why = after_colon(&line.why);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::super::synthesis::LineFault;
    use super::*;
    use crate::place::{Place, Seat};
    use crate::transcript::{self, NoteKind};

    fn ids(text: &str) -> Vec<Id> {
        text.split_whitespace().map(|id| id.parse().unwrap()).collect()
    }

    /// A judgment with this verdict and these further lines.
    fn judgment(verdict: &str, lines: &str) -> String {
        judgment_on("act", verdict, lines)
    }

    fn judgment_on(motion: &str, verdict: &str, lines: &str) -> String {
        format!(
            "### What to do\n\n1. Start to {verdict}.\n\n```anvil\nmotion: {motion}\nagainst: {verdict} costs\n\
             recommendation: We {verdict} it.\nverdict: {verdict}\n{lines}\n\
             flips if: {verdict} fails\nunknown: x\n```"
        )
    }

    fn composed(claims: &str, judgments: &[String], among: &Alternatives) -> (String, Synthesis) {
        let at = jiff::Timestamp::UNIX_EPOCH;
        let mut body = transcript::open("Why?");
        for (seat, letter) in [(Seat::Advocate, 'A'), (Seat::Critic, 'C')] {
            let own = ids(claims).into_iter().filter(|id| id.to_string().starts_with(letter));
            let text: Vec<String> = own.map(|id| format!("**{id}. One.** x")).collect();
            let text = text.join("\n\n");
            transcript::append(
                &mut body,
                Place { seat, round: 1 },
                None,
                at,
                &format!("So.\n\n{text}"),
            );
        }
        for judgment in judgments {
            transcript::append_note(&mut body, NoteKind::Judgment, at, judgment);
        }
        let text = compose(&transcript::parse(&body), among);
        let read = Synthesis::parse(&text, among);
        assert!(read.faults.is_empty(), "{:?}\n{text}", read.faults);
        (text, read)
    }

    fn of_judgments(claims: &str, judgments: &[String]) -> (String, Synthesis) {
        composed(claims, judgments, &Alternatives::default())
    }

    #[test]
    fn the_majority_of_two_to_five_judges_is_the_verdict() {
        use VerdictWord::{Depends, Do, DoNot};
        for (words, verdict, count) in [
            (&["do", "do"][..], Some(Do), 2),
            (&["do", "do not"], None, 0),
            (&["do not", "do", "do not"], Some(DoNot), 2),
            (&["do", "do not", "depends"], None, 0),
            (&["do", "perhaps", "perhaps"], None, 0),
            (&["depends", "perhaps", "depends"], Some(Depends), 2),
            (&["do", "do", "do not", "do not"], None, 0),
            (&["do", "do", "perhaps", "perhaps"], None, 0),
            (&["do", "do not", "do", "do"], Some(Do), 3),
            (&["do not", "do", "depends", "do", "do"], Some(Do), 3),
            (&["do", "do", "do not", "do not", "depends"], None, 0),
            (&["none", "none", "do"], None, 0),
        ] {
            let judgments: Vec<String> =
                words.iter().map(|verdict| judgment(verdict, "rests on: A1")).collect();
            let (text, read) = of_judgments("A1", &judgments);
            assert_eq!(read.word(), verdict.as_ref(), "{words:?}\n{text}");
            let all = u8::try_from(words.len()).unwrap();
            assert_eq!(read.judges, verdict.as_ref().map(|_| (count, all)), "{text}");
            if let Some(verdict) = &verdict {
                let word = verdict.word();
                assert_eq!(read.recommendation, Some(format!("We {word} it.")), "{text}");
                assert_eq!(read.flips_if, Some(format!("{word} fails")), "{text}");
                assert!(text.contains(&format!("1. Start to {word}.")), "{text}");
            } else {
                assert_eq!(read.verdict, Err(super::super::NoVerdict::NoMajority), "{text}");
                assert_eq!((&read.rests_on, read.confidence), (&None, None), "{text}");
                assert!(!text.contains("Start to"), "{text}");
            }
            let dissents = text.split_once("### Dissents").map_or("", |(_, after)| after);
            for (at, word) in words.iter().enumerate() {
                let differs = verdict.as_ref().is_none_or(|verdict| verdict.word() != *word);
                let is_told =
                    dissents.lines().any(|line| line.starts_with(&format!("- Judge {} ", at + 1)));
                assert_eq!(is_told, differs, "{word}\n{text}");
            }
        }
    }

    #[test]
    fn the_confidence_is_the_median_and_the_range_of_the_majority() {
        for (figures, confidence, range) in [
            (&["60", "85", "40"][..], Some(60), Some((40, 85))),
            (&["60", "85"], Some(72), Some((60, 85))),
            (&["high", "80", "80 %"], Some(80), Some((80, 80))),
            (&["high", "so-so", "55"], Some(55), Some((55, 55))),
            (&["100", "100", "99", "98", "0"], Some(99), Some((0, 100))),
            (&["high", "low"], None, None),
        ] {
            let all: Vec<String> = figures
                .iter()
                .map(|figure| judgment("do", &format!("confidence: {figure}")))
                .collect();
            let (text, read) = of_judgments("A1", &all);
            assert_eq!((read.confidence, read.confidence_range), (confidence, range), "{text}");
        }
        let [one, two, other] = [("do", 70), ("do", 75), ("do not", 90)]
            .map(|(verdict, percent)| judgment(verdict, &format!("confidence: {percent}")));
        let (text, read) = of_judgments("A1", &[one, two, other]);
        assert_eq!(read.confidence_range, Some((70, 75)), "a dissent does not count");
        assert!(text.contains("- Judge 3 says do not, 90%: We do not it."), "{text}");
    }

    #[test]
    fn a_result_needs_more_than_half_of_the_judges() {
        for (lines, expected) in [
            (["A1 survived: x", "A1 survived: y", "A1 fell: z"], "A1 survived: 2 of 3 judges: x"),
            (["A1 fell: x", "A1 survived: x", "A1 weakened: x"], ""),
            (["A2 fell: x", "A1 fell: y", "A1 fell: z"], "A1 fell: 2 of 3 judges: y"),
            (["A2 fell: x", "A2 fell: x", "A1 fell: x"], ""),
            (["A1 fell:", "A1 fell: y", "A9 fell: x"], "A1 fell: 2 of 3 judges: y"),
            (["A1 fell:", "A1 fell:", "A1 fell:"], "A1 fell: no judge says why"),
            (["A1 fell: x"; 3], "A1 fell: x"),
            // A judge with both results counts for neither.
            (["A1 fell: x\nA1 survived: x", "A1 fell: x", ""], ""),
        ] {
            let (text, read) = of_judgments("A1", &lines.map(|line| judgment("do", line)));
            let line =
                |line: &ResultLine| format!("{} {}: {}", line.id, line.result.word(), line.why);
            assert_eq!(read.results.iter().map(line).collect::<String>(), expected, "{text}");
            assert!(!text.contains("A9 fell") && !text.contains("A2 fell"), "nobody claimed it");
            let is_shared = !expected.is_empty();
            for (at, own) in lines.iter().enumerate() {
                let differs = own.starts_with("A1")
                    && own.lines().count() == 1
                    && !(is_shared && expected.starts_with(&own[..7]));
                let told = format!("- Judge {} on A1: ", at + 1);
                assert_eq!(text.contains(&told), differs, "{own}\n{text}");
            }
        }
    }

    #[test]
    fn the_verdict_rests_on_existing_claims_named_by_the_majority() {
        for (carriers, expected) in [
            (["A1, C1", "C1", "A9, C1"], "C1"),
            (["A1", "C1", "nothing"], ""),
            (["A1, C1", "A1, C1", "A1"], "A1 C1"),
        ] {
            let all = carriers.map(|ids| judgment("do", &format!("rests on: {ids}")));
            let (text, read) = of_judgments("A1 C1", &all);
            assert_eq!(read.rests_on, Some(ids(expected)), "{text}");
        }
    }

    #[test]
    fn a_judgment_on_another_motion_gives_no_vote() {
        let known =
            Alternatives { motion: Some("Move the cache".to_owned()), ..Alternatives::default() };
        let on = |motion: &str, verdict: &str| judgment_on(motion, verdict, "");
        for (judgments, verdict) in [
            ([on("move  the CACHE", "do"), on("Move the cache", "do")], Some(VerdictWord::Do)),
            ([on("Keep the cache", "do"), on("Move the cache", "do")], None),
            ([on("Keep the cache", "do"), on("Keep the cache", "do")], None),
            ([judgment("do", ""), on("Move the cache", "do")], None),
        ] {
            let (text, read) = composed("", &judgments, &known);
            assert_eq!(read.word(), verdict.as_ref(), "{text}");
            assert_eq!(read.motion.as_deref(), Some("Move the cache"), "{text}");
            let is_told = text.contains("- Judge 1 has no valid verdict: ");
            assert_eq!(is_told, verdict.is_none(), "{text}");
        }
        // Nobody knows the motion: those who share it are counted.
        let keep = on("Keep the cache", "do");
        for (others, expected) in [
            (vec![on("Move the cache", "do")], None),
            (vec![on("keep the cache.", "do")], Some(((2, 2), "Keep the cache"))),
            (vec![on("Move the cache", "do"), keep.clone()], Some(((2, 3), "Keep the cache"))),
            (vec![on("act", "depends"), on("stay", "depends")], Some(((2, 3), "act"))),
        ] {
            let judgments: Vec<String> = [keep.clone()].into_iter().chain(others).collect();
            let (text, read) = of_judgments("", &judgments);
            assert_eq!(read.judges.zip(read.motion.as_deref()), expected, "{text}");
        }
    }

    #[test]
    fn judges_agree_on_an_option_and_their_places_make_the_ranking() {
        let names = ["Redis", "PostgreSQL", "nothing new"].map(str::to_owned).to_vec();
        let typed = Alternatives { names, are_typed: true, ..Alternatives::default() };
        let of = |ranking: &str| {
            let names: Vec<&str> = ranking.split(", ").collect();
            let places = (1..).zip(&names).map(|(at, name)| format!("{at}. {name}\n"));
            let lines =
                places.collect::<String>() + "option 1: S1.1\noption 2: S2.1\noption 3: S3.1";
            judgment(names[0], &lines)
        };
        let same = ["PostgreSQL, Redis, nothing new"; 3];
        for (rankings, word, places) in [
            (same, Some("PostgreSQL"), same[0]),
            (
                [
                    "Redis, nothing new, PostgreSQL",
                    "PostgreSQL, nothing new, Redis",
                    "Redis, PostgreSQL, nothing new",
                ],
                Some("Redis"),
                // Only of those who share the verdict.
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
            (["Redis", "Redis", "PostgreSQL"], Some("Redis"), "Redis, PostgreSQL, nothing new"),
        ] {
            let (text, read) = composed("", &rankings.map(of), &typed);
            assert_eq!(read.word().map(VerdictWord::word), word, "{text}");
            assert_eq!(read.ranking.join(", "), places, "{text}");
            assert_eq!(read.options.len(), 3, "{text}");
        }
    }

    #[test]
    fn changes_to_a_plan_are_the_first_judges_or_everybodys() {
        let with = |verdict: &str, change: &str| {
            judgment(verdict, &format!("change 1 (A1, C2): {change}"))
        };
        let plan = &Alternatives { has_plan: true, ..Alternatives::default() };
        let of_judgments = |claims: &str, judgments: &[String]| composed(claims, judgments, plan);
        let (text, read) =
            of_judgments("A1", &[with("do not", "x"), with("do", "y"), with("do", "z")]);
        let [change] = read.changes.as_slice() else { panic!("{text}") };
        assert_eq!((change.number, &change.claims, change.text.as_str()), (1, &ids("A1 C2"), "y"));
        let (text, read) = of_judgments("A1", &[with("do not", "x"), with("do", "y")]);
        assert!(read.changes.is_empty(), "{text}");
        let changes = format!("### {PLAN_CHANGES}\n\n1. Judge 1: x\n2. Judge 2: y\n");
        assert!(text.contains(&changes), "{text}");
        let (_, read) = of_judgments("A1", &[judgment("do", "change 1: x"), judgment("do", "")]);
        assert_eq!(read.changes[0].claims, [], "it names no claim");
    }

    #[test]
    fn a_block_that_was_asked_for_again_counts_and_the_prose_is_the_first_one() {
        let at = jiff::Timestamp::UNIX_EPOCH;
        let mut body = transcript::open("Why?");
        transcript::append(&mut body, Place::FIRST, None, at, "**A1. One.** x");
        for _ in 0..2 {
            let first = judgment("perhaps", "");
            transcript::append_note(&mut body, NoteKind::Judgment, at, &first);
            let again = "```anvil\nmotion: act\nverdict: do not\n```";
            transcript::append_note(&mut body, NoteKind::VerdictBlock, at, again);
        }
        let text = compose(&transcript::parse(&body), &Alternatives::default());
        let read = Synthesis::parse(&text, &Alternatives::default());
        assert_eq!(read.word(), Some(&VerdictWord::DoNot), "{text}");
        assert!(
            text.starts_with("The text is judge 1's.\n\n### What to do\n\n1. Start to perhaps.")
        );
        assert!(!text.contains("Dissents") && !text.contains("verdict: perhaps"), "{text}");
    }

    /// Parts of judgments, and text that could break the composed synthesis.
    const PIECES: [&str; 30] = [
        "verdict: do",
        "verdict: do not",
        "verdict: depends",
        "verdict: none",
        "confidence: 50",
        "confidence: 90 %",
        "rests on: A1, C1",
        "rests on: nothing",
        "A1 survived: x",
        "A1 fell: verdict: do",
        "C1 weakened: ```",
        "A9 fell: x",
        "against: ```anvil",
        "recommendation: - A1 fell: x",
        "flips if: ~~~",
        "unknown: <!--",
        "judges: 3 of 3",
        "change 1 (A1): ```",
        "x",
        "  verdict: do not",
        "```",
        "```anvil",
        "~~~anvil",
        "~~~",
        "<!--",
        "<div>",
        "> q",
        "- ",
        "\u{2028}verdict: do",
        "",
    ];

    fn judge() -> impl Strategy<Value = String> {
        let lines =
            || prop::collection::vec(select(&PIECES[..]), 0..6).prop_map(|lines| lines.join("\n"));
        let gap = select(vec!["\n", "\n\n", "\r\n"]);
        (lines(), lines(), lines(), gap, select(vec!["```anvil", "````anvil", "~~~anvil", ""]))
            .prop_map(|(before, inside, after, gap, opens)| {
                let closes = opens.trim_end_matches("anvil");
                format!("{before}{gap}{opens}\n{inside}\n{closes}{gap}{after}")
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// No prose of a judge changes how the synthesis is read.
        #[test]
        fn the_majority_decides_for_any_judgments(judgments in prop::collection::vec(judge(), 2..=5)) {
            let known = Alternatives { motion: Some("act".to_owned()), ..Alternatives::default() };
            let on_motion = |one: String| one.replace("anvil\n", "anvil\nmotion: act\n");
            let judgments: Vec<String> = judgments.into_iter().map(on_motion).collect();
            let (text, read) = composed("A1 C1", &judgments, &known);
            let parse = |judgment: &String| Synthesis::with_repeat(judgment, None, false, &known);
            let each: Vec<Synthesis> = judgments.iter().map(parse).collect();
            let vote = |judge: &Synthesis| {
                let is_stray = |fault: &LineFault| matches!(fault, LineFault::Unknown { is_stray, .. } if *is_stray);
                let is_void = judge.motion.is_none() || judge.faults.iter().any(is_stray);
                judge.word().filter(|_| !is_void).cloned()
            };
            let votes: Vec<Option<VerdictWord>> = each.iter().map(vote).collect();
            let verdict = majority(&votes.iter().map(Option::as_ref).collect::<Vec<_>>());
            prop_assert_eq!(read.word(), verdict, "{}", text);
            let expected: Vec<(Id, ClaimResult)> = ids("A1 C1")
                .into_iter()
                .filter_map(|id| {
                    let on = |judge: &Synthesis| judge.line_on(id).map(|line| line.result);
                    Some((id, majority(&each.iter().map(on).collect::<Vec<_>>())?))
                })
                .collect();
            let found: Vec<(Id, ClaimResult)> =
                read.results.iter().map(|line| (line.id, line.result)).collect();
            prop_assert_eq!(found, expected, "{}", text);
            let agree = each.iter().zip(&votes).filter(|(_, vote)| verdict.is_some() && vote.as_ref() == verdict);
            let percents: Vec<u8> = agree.filter_map(|(judge, _)| judge.confidence).collect();
            let range = percents.iter().min().copied().zip(percents.iter().max().copied());
            prop_assert_eq!(read.confidence_range, range, "{}", text);
            let is_between = |percent| range.is_some_and(|(least, most)| (least..=most).contains(&percent));
            prop_assert_eq!(read.confidence.is_some(), range.is_some());
            prop_assert!(read.confidence.is_none_or(is_between));
            prop_assert!(text.matches("The text is judge").count() <= usize::from(verdict.is_some()));
        }
    }
}
