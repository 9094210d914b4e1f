//! What several judgments come to: one synthesis, made of counts and of the judges' own words.
//!
//! Nothing is weighed here. What more than half of the judges say is what the synthesis says; where no such half is, it says that.

use std::fmt::Write as _;

use super::synthesis::{Call, Disposed, Synthesis};
use super::verdict::{after_percent, section, without_verdict};
use super::{Disposition, Id};
use crate::text::clean;

/// Most characters of a judge's words in one line.
const MAX_WORDS: usize = 1_000;

/// One judge.
struct Judge<'a> {
    /// Counted from 1.
    number: usize,
    text: &'a str,
    read: Synthesis,
}

impl Judge<'_> {
    /// `Judge 2 says depends, 60 %: Wait.`
    fn verdict(&self) -> String {
        let call = self.read.call.map_or_else(|| "gives no verdict".to_owned(), |call| format!("says {}", call.word()));
        let percent = self.read.verdict.percent().map_or_else(String::new, |percent| format!(", {percent} %"));
        format!("Judge {} {call}{percent}{}", self.number, told(&self.recommendation()))
    }

    fn recommendation(&self) -> String {
        clean(self.read.verdict.recommendation.as_deref().unwrap_or_default(), MAX_WORDS)
    }
}

/// Composes the synthesis of a debate with these claims out of its judgments, in the form that a synthesis is read in. It says of
/// a claim, and as its verdict, what more than half of the judges say.
#[must_use]
pub fn composed(claims: &[Id], judgments: &[&str]) -> String {
    let judges: Vec<Judge<'_>> =
        (1..).zip(judgments).map(|(number, text)| Judge { number, text, read: Synthesis::of(text) }).collect();
    let call = majority(&judges.iter().map(|judge| judge.read.call).collect::<Vec<_>>());
    let agree: Vec<&Judge<'_>> = judges.iter().filter(|judge| call.is_some() && judge.read.call == call).collect();
    let mut out = String::new();
    match (call, agree.first()) {
        (Some(call), Some(first)) => decided(call, claims, first, &agree, judges.len(), &mut out),
        _ => undecided(&judges, &mut out),
    }
    survived(claims, &judges, &mut out);
    dissents(call, claims, &judges, &mut out);
    // The rest of what the first of them wrote: where it would be read as anything of the above, it stands in its judgment alone.
    if let Some(rest) = agree.first().map(|first| rest_of(first.text)).filter(|rest| !rest.is_empty()) {
        let whole = format!("{out}\n{rest}\n");
        if Synthesis::of(&whole) == Synthesis::of(&out) {
            out = whole;
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// What more than half of them say.
fn majority<T: Copy + PartialEq>(said: &[Option<T>]) -> Option<T> {
    let is_shared = |one: &&T| said.iter().flatten().filter(|other| other == one).count() * 2 > said.len();
    said.iter().flatten().find(is_shared).copied()
}

/// `2 of 3 judges`
fn of(count: usize, all: usize) -> String {
    format!("{count} of {all} judges")
}

/// What is said after something, where there is something.
fn told(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// The fixed lines of a verdict that more than half of the judges share, in the words of the first of them.
fn decided(call: Call, claims: &[Id], first: &Judge<'_>, agree: &[&Judge<'_>], all: usize, out: &mut String) {
    let counted = of(agree.len(), all);
    let recommendation = match first.recommendation() {
        words if words.is_empty() => format!("{counted} say {}.", call.word()),
        words => format!("{counted}: {words}"),
    };
    let mut line = |label: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(out, "**{label}:** {text}\n");
        }
    };
    line("Recommendation", &recommendation);
    line("Verdict", &format!("{} ({counted})", call.word()));
    line("Rests on", &carriers(claims, agree));
    line("Confidence", &confidence(first, agree));
    let words = |text: &Option<String>| clean(text.as_deref().unwrap_or_default(), MAX_WORDS);
    line("Would flip if", &words(&first.read.verdict.would_flip_if));
    line("Still unknown", &words(&first.read.verdict.still_unknown));
    let _ = writeln!(out, "What is not counted here is in the words of judge {}.\n", first.number);
}

/// The claims that more than half of these judges rest on.
fn carriers(claims: &[Id], agree: &[&Judge<'_>]) -> String {
    let named = |judge: &Judge<'_>, id: Id| judge.read.rests_on.as_ref().is_some_and(|ids| ids.contains(&id));
    let mut ids: Vec<Id> = Vec::new();
    for &id in agree.iter().filter_map(|judge| judge.read.rests_on.as_ref()).flatten() {
        let is_shared = agree.iter().filter(|judge| named(judge, id)).count() * 2 > agree.len();
        if is_shared && claims.contains(&id) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    match ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "nothing that more than half of these judges name".to_owned(),
        ids => ids,
    }
}

/// The middle of their percentages and how far they are apart, and what the first of them derives its own from.
fn confidence(first: &Judge<'_>, agree: &[&Judge<'_>]) -> String {
    let mut percents: Vec<u8> = agree.iter().filter_map(|judge| judge.read.verdict.percent()).collect();
    percents.sort_unstable();
    let (Some(least), Some(most)) = (percents.first(), percents.last()) else { return String::new() };
    let (low, high) = (percents[(percents.len() - 1) / 2], percents[percents.len() / 2]);
    let middle = low.midpoint(high);
    let from = match percents.len() {
        1 => "1 judge".to_owned(),
        count => format!("{count} judges"),
    };
    let spread =
        if least == most { format!("from {from}") } else { format!("the median of {from} ({least} to {most} %)") };
    let stated = first.read.verdict.confidence.as_deref().unwrap_or_default();
    let why =
        if first.read.verdict.percent().is_some() { clean(after_percent(stated), MAX_WORDS) } else { String::new() };
    let why = if why.is_empty() { why } else { format!("; judge {}: {why}", first.number) };
    format!("{middle} %, {spread}{why}")
}

/// What the judges say where no half of them agrees.
fn undecided(judges: &[Judge<'_>], out: &mut String) {
    out.push_str("**Recommendation:** The judges differ, and no verdict has more than half of them.\n\n");
    let counts: Vec<String> = [Call::Do, Call::DoNot, Call::Depends]
        .into_iter()
        .filter_map(|call| {
            let count = judges.iter().filter(|judge| judge.read.call == Some(call)).count();
            (count > 0).then(|| format!("{count} for {}", call.word()))
        })
        .collect();
    let counts = told(&counts.join(", "));
    let _ = writeln!(out, "**Verdict:** none that more than half of {} judges share{counts}\n", judges.len());
    for judge in judges {
        let _ = writeln!(out, "- {}", judge.verdict());
    }
    out.push('\n');
}

/// A line for every claim.
fn survived(claims: &[Id], judges: &[Judge<'_>], out: &mut String) {
    if claims.is_empty() {
        return;
    }
    out.push_str("### What survived\n\n");
    for &id in claims {
        let said = || judges.iter().map(|judge| judge.read.line_on(id));
        if let Some(disposition) = shared(id, judges) {
            let agree = || said().flatten().filter(|line| line.disposition == disposition);
            let why = agree().map(|line| line.why.as_str()).find(|why| !why.is_empty()).unwrap_or_default();
            let counted = of(agree().count(), judges.len());
            let _ = writeln!(out, "- **{id}** {}: {counted}{}", disposition.word(), told(why));
        } else {
            let word = |line: Option<&Disposed>| line.map_or("nothing", |line| line.disposition.word());
            let each: Vec<String> = judges
                .iter()
                .zip(said())
                .map(|(judge, line)| format!("judge {} says {}", judge.number, word(line)))
                .collect();
            let _ = writeln!(out, "- **{id}**: the judges differ: {}", each.join(", "));
        }
    }
    out.push('\n');
}

/// What more than half of the judges say of a claim.
fn shared(id: Id, judges: &[Judge<'_>]) -> Option<Disposition> {
    let on = |judge: &Judge<'_>| judge.read.line_on(id).map(|line| line.disposition);
    majority(&judges.iter().map(on).collect::<Vec<_>>())
}

/// Each judge who differs from what is said above, on what, and in their words.
fn dissents(call: Option<Call>, claims: &[Id], judges: &[Judge<'_>], out: &mut String) {
    let mut lines = Vec::new();
    // Without a verdict each has had its line.
    if call.is_some() {
        lines.extend(judges.iter().filter(|judge| judge.read.call != call).map(Judge::verdict));
    }
    for &id in claims {
        let shared = shared(id, judges);
        for judge in judges {
            let line = judge.read.line_on(id).filter(|line| Some(line.disposition) != shared);
            lines.extend(
                line.map(|line| {
                    format!("Judge {} on {id}: {}{}", judge.number, line.disposition.word(), told(&line.why))
                }),
            );
        }
    }
    if lines.is_empty() {
        lines.push(format!("None: {} agree", of(judges.len(), judges.len())));
    }
    out.push_str("### Dissents\n\n");
    for line in lines {
        let _ = writeln!(out, "- {line}");
    }
}

/// A judgment without its fixed lines and its account of the claims.
fn rest_of(judgment: &str) -> String {
    let rest = without_verdict(judgment);
    section(&rest, "what survived").map_or(rest, |(_, rest)| rest).trim().to_owned()
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
    fn judgment(call: &str, confidence: &str, lines: &[&str]) -> String {
        let line = |line: &&str| format!("- **{}: because of {call}", line.replacen(' ', "** ", 1));
        let lines = lines.iter().map(line).collect::<Vec<_>>().join("\n") + "\n";
        format!(
            "**Recommendation:** We {call} it.\n\n**Verdict:** {call}\n\n**Rests on:** A1\n\n**Confidence:** {confidence}\n\n\
             **Would flip if:** {call} fails.\n\n**Still unknown:** x\n\n### What survived\n\n{lines}\n### What to do\n\n1. Start to {call}.\n"
        )
    }

    fn of_judgments(claims: &str, judgments: &[String]) -> (String, Synthesis) {
        let texts: Vec<&str> = judgments.iter().map(String::as_str).collect();
        let text = composed(&ids(claims), &texts);
        let read = Synthesis::of(&text);
        (text, read)
    }

    #[test]
    fn what_more_than_half_of_two_to_five_judges_say_is_the_verdict() {
        let (yes, no, it) = (Some(Call::Do), Some(Call::DoNot), Some(Call::Depends));
        for (calls, call, counted) in [
            (vec!["do", "do"], yes, "2 of 2 judges: We do it."),
            (vec!["do", "do not"], None, ""),
            (vec!["do not", "do", "do not"], no, "2 of 3 judges: We do not it."),
            (vec!["do", "do not", "depends"], None, ""),
            (vec!["do", "perhaps", "perhaps"], None, ""),
            (vec!["depends", "perhaps", "depends"], it, "2 of 3 judges: We depends it."),
            (vec!["do", "do", "do not", "do not"], None, ""),
            (vec!["do", "do", "perhaps", "perhaps"], None, ""),
            (vec!["do", "do not", "do", "do"], yes, "3 of 4 judges: We do it."),
            (vec!["do not", "do", "depends", "do", "do"], yes, "3 of 5 judges: We do it."),
            (vec!["do", "do", "do not", "do not", "depends"], None, ""),
        ] {
            let judgments: Vec<String> = calls.iter().map(|call| judgment(call, "70 %", &["A1 survived"])).collect();
            let (text, read) = of_judgments("A1", &judgments);
            assert_eq!(read.call, call, "{calls:?}\n{text}");
            if call.is_some() {
                assert_eq!(read.verdict.first_sentence(&text), counted, "{text}");
                let first = calls.iter().find(|word| Call::read(word) == call).unwrap();
                assert!(text.contains(&format!("1. Start to {first}.")), "{text}");
            } else {
                assert_eq!((read.rests_on, read.verdict.confidence), (None, None), "{text}");
                assert!(calls.iter().all(|call| text.contains(&format!(": We {call} it."))), "{text}");
                assert!(!text.contains("Start to"), "{text}");
            }
            let dissents = text.split_once("### Dissents").unwrap().1;
            for (at, call) in calls.iter().enumerate() {
                let differs = read.call.is_some() && Call::read(call) != read.call;
                assert_eq!(dissents.contains(&format!("Judge {} ", at + 1)), differs, "{text}");
            }
        }
    }

    #[test]
    fn the_confidence_is_the_median_of_those_who_agree_with_its_spread() {
        for (stated, line) in [
            (
                vec!["60 %, since A1 holds", "85 %", "40 %"],
                "60 %, the median of 3 judges (40 to 85 %); judge 1: since A1 holds",
            ),
            (vec!["60 %", "85 %"], "72 %, the median of 2 judges (60 to 85 %)"),
            (vec!["high", "80 %", "80 %"], "80 %, from 2 judges"),
            (vec!["high", "so-so", "55 %"], "55 %, from 1 judge"),
            (vec!["100 %", "100 %", "99 %", "98 %", "0 %"], "99 %, the median of 5 judges (0 to 100 %)"),
        ] {
            let judgments: Vec<String> = stated.iter().map(|stated| judgment("do", stated, &[])).collect();
            let (text, read) = of_judgments("A1", &judgments);
            assert_eq!(read.verdict.confidence.as_deref(), Some(line), "{text}");
            assert!(read.verdict.percent().is_some(), "{text}");
        }
        let (text, read) = of_judgments("A1", &["high", "low"].map(|stated| judgment("do", stated, &[])));
        assert_eq!(read.verdict.percent(), None, "{text}");
        // Who differs says how sure they are of what they say.
        let judgments = [("do", "70 %"), ("do", "75 %"), ("do not", "90 %")];
        let (text, _) = of_judgments("A1", &judgments.map(|(call, stated)| judgment(call, stated, &[])));
        assert!(text.contains("the median of 2 judges (70 to 75 %)"), "{text}");
        assert!(text.contains("- Judge 3 says do not, 90 %: We do not it."), "{text}");
    }

    #[test]
    fn a_claim_is_disposed_of_by_more_than_half_of_the_judges_or_not_at_all() {
        for (said, expected, line) in [
            (["A1 survived", "A1 survived", "A1 fell"], "survived", "- **A1** survived: 2 of 3 judges: because of do"),
            (
                ["A1 fell", "A1 survived", "A1 weakened"],
                "",
                "judge 1 says fell, judge 2 says survived, judge 3 says weakened",
            ),
            (["A2 fell", "A1 fell", "A1 fell"], "fell", "- **A1** fell: 2 of 3 judges"),
            (["A2 fell", "A2 fell", "A1 fell"], "", "judge 1 says nothing, judge 2 says nothing, judge 3 says fell"),
            (["A1 fell", "A1 fell", "A9 fell"], "fell", "- **A1** fell: 2 of 3 judges"),
        ] {
            let (text, read) = of_judgments("A1", &said.map(|line| judgment("do", "70 %", &[line])));
            let words: Vec<String> =
                read.disposed.iter().map(|line| format!("{} {}", line.id, line.disposition.word())).collect();
            let expected: Vec<String> = if expected.is_empty() { vec![] } else { vec![format!("A1 {expected}")] };
            assert_eq!(words, expected, "{text}");
            assert!(text.contains(line), "{text}");
            assert!(!text.contains("**A9**") && !text.contains("**A2**"), "nobody claimed it: {text}");
        }
        // A judge who says both has said neither.
        let both = judgment("do", "70 %", &["A1 survived", "A1 fell"]);
        let (text, read) = of_judgments("A1", &[both, judgment("do", "70 %", &["A1 fell"])]);
        assert_eq!(read.disposed, [], "{text}");
        assert!(text.contains("- Judge 2 on A1: fell: because of do\n"), "{text}");
    }

    #[test]
    fn what_it_rests_on_is_what_they_share_and_somebody_claimed() {
        let with = |ids: &str| judgment("do", "70 %", &[]).replace("**Rests on:** A1", &format!("**Rests on:** {ids}"));
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
    fn judges_who_agree_on_all_leave_no_dissent_and_free_prose_no_verdict() {
        let (text, _) = of_judgments("A1", &["do", "do"].map(|call| judgment(call, "70 %", &["A1 survived"])));
        assert!(text.contains("### Dissents\n\n- None: 2 of 2 judges agree\n"), "{text}");
        let (text, read) = of_judgments("", &["Yes.".to_owned(), String::new()]);
        assert_eq!((read.call, read.disposed.len(), read.verdict.rests_on), (None, 0, None));
        assert!(text.contains("- Judge 2 gives no verdict\n"), "{text}");
    }

    /// Pieces of judgments, and what would break a synthesis that they are copied into.
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn it_says_what_more_than_half_say_whatever_they_write(
            judgments in prop::collection::vec(
                prop::collection::vec((piece(), prop::sample::select(vec!["\n", "\n\n", " ", "\r\n"])), 0..14),
                2..=5,
            ),
        ) {
            let judgments: Vec<String> =
                judgments.iter().map(|pieces| pieces.iter().flat_map(|(piece, end)| [*piece, *end]).collect()).collect();
            let claims = ids("A1 C1");
            let (text, read) = of_judgments("A1 C1", &judgments);
            let each: Vec<Synthesis> = judgments.iter().map(|judgment| Synthesis::of(judgment)).collect();
            let call = majority(&each.iter().map(|judge| judge.call).collect::<Vec<_>>());
            prop_assert_eq!(read.call, call, "{}", text);
            let expected: Vec<(Id, Disposition)> = claims
                .iter()
                .filter_map(|id| {
                    let on = |judge: &Synthesis| judge.line_on(*id).map(|line| line.disposition);
                    Some((*id, majority(&each.iter().map(on).collect::<Vec<_>>())?))
                })
                .collect();
            let found: Vec<(Id, Disposition)> = read.disposed.iter().map(|line| (line.id, line.disposition)).collect();
            prop_assert_eq!(found, expected, "{}", text);
            let percents: Vec<u8> =
                each.iter().filter(|judge| call.is_some() && judge.call == call).filter_map(|judge| judge.verdict.percent()).collect();
            let percent = Verdict::of(&text).percent();
            prop_assert_eq!(percent.is_some(), !percents.is_empty(), "{}", text);
            prop_assert!(percent.is_none_or(|middle| percents.iter().min() <= Some(&middle) && Some(&middle) <= percents.iter().max()));
        }
    }
}
