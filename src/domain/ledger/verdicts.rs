//! Combines several judgments into one synthesis of counts and of the judges' own words.
//!
//! The majority decides, and judgments have equal weight. Without a majority, the synthesis says
//! so.

use std::fmt::Write as _;

use super::findings::is_other_motion;
use super::prose::{PLAN_CHANGES, without_block};
use super::synthesis::{ResultLine, Synthesis, VerdictWord};
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
    /// It decides on the motion of the debate.
    votes: bool,
}

impl Judge<'_> {
    /// The verdict of a judge who votes.
    fn vote(&self) -> Option<&VerdictWord> {
        self.read.word().filter(|_| self.votes)
    }

    /// `Judge 2 says depends, 60 %: Wait.`
    fn verdict(&self) -> String {
        let verdict = match self.read.word() {
            Some(_) if !self.votes => "decides on another motion".to_owned(),
            Some(verdict) => format!("says {}", verdict.word()),
            None => "gives no verdict".to_owned(),
        };
        let percent =
            self.read.confidence.map_or_else(String::new, |percent| format!(", {percent} %"));
        let recommendation = self.read.recommendation.as_deref().unwrap_or_default();
        format!("Judge {} {verdict}{percent}{}", self.number, after_colon(recommendation))
    }
}

/// Composes a synthesis from the judgments: their texts, each with the text whose block counts. Its
/// verdict, and its result of each claim, is that of more than half of the judges.
pub fn compose(claims: &[Id], judgments: &[(&str, &str)], among: &Alternatives) -> String {
    let mut all: Vec<Judge<'_>> = Vec::new();
    for (number, (text, block)) in (1..).zip(judgments) {
        let read = Synthesis::parse(block, among);
        let motion = read.motion.as_deref().zip(among.motion.as_deref());
        let votes = motion.is_none_or(|(motion, known)| !is_other_motion(motion, known));
        all.push(Judge { number, text, read, votes });
    }
    let judges: Vec<&Judge<'_>> = all.iter().collect();
    let verdict = majority(&judges.iter().map(|judge| judge.vote()).collect::<Vec<_>>());
    let agree: Vec<&Judge<'_>> =
        all.iter().filter(|judge| verdict.is_some() && judge.vote() == verdict).collect();
    let mut prose = String::new();
    dissents(verdict, claims, &judges, &mut prose);
    if agree.is_empty() {
        changes(&judges, &mut prose);
    }
    let block = block(verdict, claims, &agree, &judges, among);
    let end = format!("```anvil\n{block}```");
    let whole = |prose: &str| format!("{}\n\n{end}", prose.trim_end()).trim_start().to_owned();
    let expected = Synthesis::parse(&end, among);
    // The prose of the first judge. It is left out if it would change how the synthesis is read.
    let of_first = agree.first().map(|first| {
        let text = without_block(first.text);
        format!("The text is judge {}'s.\n\n{text}\n\n{prose}", first.number)
    });
    let composed = of_first.map(|prose| whole(&prose));
    composed
        .filter(|composed| Synthesis::parse(composed, among) == expected)
        .unwrap_or_else(|| whole(&prose))
}

/// The lines of the block.
fn block(
    verdict: Option<&VerdictWord>,
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
    let stated = || agree.iter().find_map(|judge| judge.read.motion.as_deref());
    line("motion", among.motion.as_deref().or_else(stated).unwrap_or_default());
    for (key, value) in claims.iter().filter_map(|id| of_claim(*id, judges)) {
        line(&key, &value);
    }
    for (key, value) in options(if agree.is_empty() { judges } else { agree }, among) {
        line(&key, &value);
    }
    let Some((verdict, first)) = verdict.zip(agree.first()) else {
        line("recommendation", "The judges differ, and no verdict has more than half of them.");
        line("verdict", "none");
        return out;
    };
    let words = |text: &Option<String>| clean(text.as_deref().unwrap_or_default(), MAX_WORDS);
    for change in &first.read.changes {
        let ids = change.claims.iter().map(Id::to_string).collect::<Vec<_>>().join(", ");
        line(&format!("change {} ({ids})", change.number), &change.text);
    }
    line("against", &words(&first.read.against));
    line("recommendation", &words(&first.read.recommendation));
    line("verdict", verdict.word());
    line("judges", &format!("{} of {}", agree.len(), judges.len()));
    let mut percents: Vec<u8> = agree.iter().filter_map(|judge| judge.read.confidence).collect();
    percents.sort_unstable();
    if let (Some(least), Some(most)) = (percents.first(), percents.last()) {
        let (low, high) = (percents[(percents.len() - 1) / 2], percents[percents.len() / 2]);
        line("confidence", &low.midpoint(high).to_string());
        line("confidence range", &format!("{least} to {most}"));
    }
    line("rests on", &carriers(claims, agree));
    line("depends on", &words(&first.read.depends_on));
    line("flips if", &words(&first.read.flips_if));
    line("unknown", &words(&first.read.unknown));
    out
}

/// The value that more than half of them share.
fn majority<T: Copy + PartialEq>(values: &[Option<T>]) -> Option<T> {
    let is_shared =
        |one: &&T| values.iter().flatten().filter(|other| other == one).count() * 2 > values.len();
    values.iter().flatten().find(is_shared).copied()
}

/// `: WORDS`, or nothing.
fn after_colon(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// The line about a claim, if more than half of the judges share its result.
fn of_claim(id: Id, judges: &[&Judge<'_>]) -> Option<(String, String)> {
    let result = shared(id, judges)?;
    let lines = judges.iter().filter_map(|judge| judge.read.line_on(id));
    let agree: Vec<&ResultLine> = lines.filter(|line| line.result == result).collect();
    let why = agree.iter().map(|line| line.why.as_str()).find(|why| !why.is_empty());
    let why = why.unwrap_or("no judge says why");
    // If all agree, the line of the judges has already given the count.
    let value = match agree.len() {
        count if count < judges.len() => format!("{count} of {} judges: {why}", judges.len()),
        _ => why.to_owned(),
    };
    Some((format!("{id} {}", result.word()), value))
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
    let place = |judge: &Judge<'_>, name: &String| {
        let places = &judge.read.ranking;
        places.iter().position(|place| place == name).unwrap_or(among.names.len())
    };
    let sum = |name: &String| judges.iter().map(|judge| place(judge, name)).sum::<usize>();
    let mut lines = Vec::new();
    if judges.iter().any(|judge| !judge.read.ranking.is_empty()) {
        let mut names: Vec<&String> = among.names.iter().collect();
        // Options with the same sum keep the first judge's order.
        names.sort_by_key(|name| (sum(name), place(judges[0], name)));
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
fn shared(id: Id, judges: &[&Judge<'_>]) -> Option<ClaimResult> {
    let on = |judge: &&Judge<'_>| judge.read.line_on(id).map(|line| line.result);
    majority(&judges.iter().map(on).collect::<Vec<_>>())
}

/// The verdicts and results that differ from the majority's, in each judge's words.
fn dissents(verdict: Option<&VerdictWord>, claims: &[Id], judges: &[&Judge<'_>], out: &mut String) {
    let differ = judges.iter().filter(|judge| verdict.is_none() || judge.vote() != verdict);
    let mut lines: Vec<String> = differ.map(|judge| judge.verdict()).collect();
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
