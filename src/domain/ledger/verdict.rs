//! The verdict: the labelled lines of the synthesis, and its section on what to do.

use std::ops::Range;

use super::Id;
use super::lines::{FixedLabel, FixedLines, asides, own_lines};
use super::words::{first_sentence, strip_any};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

/// The labelled lines that the protocol requires. `None`: the line is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub recommendation: Option<String>,
    /// The text after `**Verdict:**`.
    pub text: Option<String>,
    /// The options, the best first.
    pub ranking: Option<String>,
    /// A percentage and its derivation.
    pub confidence: Option<String>,
    /// The claims that carry the verdict, and remarks on them.
    pub rests_on: Option<String>,
    /// The condition that would flip the recommendation.
    pub would_flip_if: Option<String>,
    /// The facts that no seat in the debate knew.
    pub still_unknown: Option<String>,
    /// The percentage, if all lines agree on it.
    percent: Option<u8>,
}

/// Why a program cannot use a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// No such line.
    Missing,
    /// Two such lines differ.
    Differ,
    /// The line has other text than the prompt requires.
    Holds(String),
}

impl Unread {
    /// Why a line is unreadable: its text, and whether that text by itself is readable.
    pub(super) fn from_line(line: Option<&str>, is_readable: bool) -> Self {
        match line {
            None => Self::Missing,
            Some(_) if is_readable => Self::Differ,
            Some(line) => Self::Holds(line.to_owned()),
        }
    }
}

impl Verdict {
    pub fn parse(synthesis: &str) -> Self {
        Self::of_lines(&FixedLines::parse(&own_lines(synthesis)))
    }

    pub(super) fn of_lines(lines: &FixedLines) -> Self {
        let find = |label| lines.first(label).map(str::to_owned);
        Self {
            recommendation: find(FixedLabel::Recommendation),
            text: find(FixedLabel::Verdict),
            ranking: find(FixedLabel::Ranking),
            confidence: find(FixedLabel::Confidence),
            rests_on: find(FixedLabel::RestsOn),
            would_flip_if: find(FixedLabel::WouldFlipIf),
            still_unknown: find(FixedLabel::StillUnknown),
            percent: lines.agreed(FixedLabel::Confidence, percent),
        }
    }

    /// The percentage of the confidence. `None`: unreadable, or two lines differ.
    pub fn percent(&self) -> Option<u8> {
        self.percent
    }

    /// Why the percentage is unreadable. `None`: it is readable.
    pub fn unread_percent(&self) -> Option<Unread> {
        let line = self.confidence.as_deref();
        self.percent.is_none().then(|| Unread::from_line(line, line.and_then(percent).is_some()))
    }

    /// The first sentence of the recommendation, or of the whole synthesis without one.
    pub fn first_sentence(&self, synthesis: &str) -> String {
        let first = || paragraphs(synthesis).into_iter().find(|text| !text.starts_with('#'));
        let text = self.recommendation.clone().or_else(first).unwrap_or_default().replace("**", "");
        first_sentence(&text).to_owned()
    }
}

/// Words that may precede a percentage.
const ABOUT: [&str; 6] = ["about ", "roughly ", "around ", "some ", "~", "≈"];

/// Words between a percentage and its reason that make it a limit or a range.
const LIMITS: [&str; 20] = [
    "or", "to", "most", "least", "max", "maximum", "min", "minimum", "up", "down", "above",
    "below", "over", "under", "more", "less", "higher", "lower", "between", "than",
];

/// The percentage of a confidence such as `72 %, because …`. Only the text before the first comma
/// or `because` is read. `None`: it has a second figure, a range or a limit.
pub(super) fn percent(confidence: &str) -> Option<u8> {
    let text = confidence.trim_start_matches(['*', '_', ' ']);
    let about = strip_any(text, &ABOUT).map(|text| text.trim_start_matches(['*', '_', ' ']));
    let (percent, after) = leading_percent(about.unwrap_or(text))?;
    let after =
        after.trim_start_matches(|char: char| matches!(char, '*' | '_') || char.is_whitespace());
    let after = &after[..after.find(',').unwrap_or(after.len())];
    if !after.is_empty()
        && !after.starts_with(['.', '!', ';', ':', '–', '—', '-', '\u{2212}', '('])
        && !is_because(after)
    {
        return None;
    }
    let words = after.split(|char: char| !char.is_alphanumeric() && char != '.' && char != '%');
    let mut words = words.map(|word| word.trim_matches('.')).take_while(|word| !is_because(word));
    let is_other = |word: &str| {
        word.contains(char::is_numeric) && word.parse::<Id>().is_err()
            || word.contains('%')
            || LIMITS.iter().any(|limit| word.eq_ignore_ascii_case(limit))
    };
    (!words.any(is_other)).then_some(percent)
}

fn is_because(text: &str) -> bool {
    let word = text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    word.eq_ignore_ascii_case("because")
}

/// The percentage at the start of a text, and the text after it.
fn leading_percent(text: &str) -> Option<(u8, &str)> {
    let (number, after) =
        text.split_at(text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len()));
    let after = after.trim_start_matches(['*', '_', ' ', '\u{A0}', '\u{202F}']);
    let after = strip_any(after, &["%", "percent", "per cent"])?;
    number.parse().ok().filter(|percent| *percent <= 100).map(|percent| (percent, after))
}

/// The text after the number: `72 %, because A2 survived` -> `because A2 survived`. The whole text
/// if it does not begin with a number.
pub fn after_percent(confidence: &str) -> &str {
    let confidence = confidence.trim();
    let (bold, text) =
        confidence.strip_prefix("**").map_or((false, confidence), |text| (true, text));
    let Some((_, after)) = leading_percent(text) else { return confidence };
    let after = if bold { after.strip_prefix("**") } else { Some(after) };
    after.map_or(confidence, |after| after.trim_start_matches([',', ';', ':', '.', '—', '–', ' ']))
}

/// The section `### What to do`, and the synthesis without it. `None`: missing or empty.
pub fn what_to_do(synthesis: &str) -> Option<(String, String)> {
    section(synthesis, "what to do")
}

/// The section of this name, and the synthesis without it. `None`: missing or empty.
pub(super) fn section(synthesis: &str, name: &str) -> Option<(String, String)> {
    // Headings at the top level: level, range, text.
    let mut headings: Vec<(HeadingLevel, Range<usize>, String)> = Vec::new();
    let (mut depth, mut is_in_heading) = (0_usize, false);
    for (event, place) in Parser::new_ext(synthesis, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                headings.push((level, place, String::new()));
                (depth, is_in_heading) = (1, true);
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => {
                depth -= 1;
                is_in_heading &= depth > 0;
            }
            Event::Text(text) | Event::Code(text) if is_in_heading => {
                headings.iter_mut().next_back()?.2.push_str(&text);
            }
            _ => {}
        }
    }
    let is_it = |title: &str| title.trim_matches([' ', ':', '.']).eq_ignore_ascii_case(name);
    let at = headings.iter().position(|(_, _, title)| is_it(title))?;
    let (level, heading, _) = &headings[at];
    let next = headings[at + 1..].iter().find(|(other, ..)| other <= level);
    let end = next.map_or(synthesis.len(), |(_, place, _)| place.start);
    let steps = synthesis[heading.end..end].trim_matches('\n').trim_end();
    let remaining = format!("{}\n\n{}", synthesis[..heading.start].trim_end(), &synthesis[end..]);
    (!steps.trim().is_empty()).then(|| (steps.to_owned(), remaining.trim_matches('\n').to_owned()))
}

/// A synthesis without its labelled lines, which the verdict already shows. A line stays if its
/// block has more than prose.
pub fn without_verdict(synthesis: &str) -> String {
    let mut missing = FixedLabel::ALL.to_vec();
    let mut out = String::with_capacity(synthesis.len());
    let asides = asides(synthesis);
    let mut was_taken = true;
    let mut blocks = blocks(synthesis).peekable();
    let mut end: Option<usize> = None;
    while let Some((gap, block)) = blocks.next() {
        let begins = end.map_or(0, |end| end + gap.len());
        end = Some(begins + block.len());
        let at = begins + block.len() - block.trim_start().len();
        let aside = asides.partition_point(|place| place.end <= at);
        let is_own = asides.get(aside).is_none_or(|place| place.start > at);
        let label =
            FixedLabel::read(block.lines().next().unwrap_or_default().trim()).filter(|_| is_own);
        let label = label.and_then(|(label, _)| missing.iter().position(|one| *one == label));
        let label = label.map(|at| missing.remove(at));
        let is_prose = block.lines().skip(1).all(|line| line.starts_with(char::is_alphabetic));
        let begins_list = block.starts_with(['-', '#']) || block.starts_with("* ");
        // An indented block belongs to the one before it.
        let goes_on = blocks
            .peek()
            .is_some_and(|(_, next)| next.trim_start_matches('\n').starts_with([' ', '\t']));
        let is_taken = label.is_some() && is_prose && !begins_list && !goes_on;
        if !is_taken {
            out.push_str(if was_taken { "\n\n" } else { gap });
            out.push_str(block);
        }
        was_taken = is_taken;
    }
    out.trim_matches('\n').to_owned()
}

/// The blocks of [`paragraphs`] unchanged, each with the separator before it.
fn blocks(text: &str) -> impl Iterator<Item = (&'static str, &str)> {
    text.split("\n\n").flat_map(|paragraph| {
        let mut remaining = Some(("\n\n", paragraph));
        std::iter::from_fn(move || {
            let (gap, text) = remaining.take()?;
            let end = text.find("\n**").unwrap_or(text.len());
            remaining = text.get(end + 1..).map(|after| ("\n", after));
            Some((gap, &text[..end]))
        })
    })
}

/// Paragraphs with their lines joined. A line that begins in bold starts a new one.
fn paragraphs(text: &str) -> Vec<String> {
    let folded = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace("\n**", "\n\n**");
    text.split("\n\n").map(folded).filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNTHESIS: &str = "**Recommendation:** Keep the monolith for a year.\n\
        Then measure again.\n\n\
        **Confidence:** 72 %, because A2 survived.\n\n\
        **Would flip if:** deploys wait over 40 min. on most days.\n\n\
        **Still unknown:** the cost of on-call.\n\n### What survived\n\n- **A1** fell: no ground.\n";

    #[test]
    fn the_labelled_lines_are_found() {
        let verdict = Verdict::parse(SYNTHESIS);
        assert_eq!(
            verdict.recommendation.as_deref(),
            Some("Keep the monolith for a year. Then measure again.")
        );
        assert_eq!(verdict.confidence.as_deref(), Some("72 %, because A2 survived."));
        assert_eq!(
            verdict.would_flip_if.as_deref(),
            Some("deploys wait over 40 min. on most days.")
        );
        assert_eq!(verdict.still_unknown.as_deref(), Some("the cost of on-call."));
        assert_eq!(verdict.first_sentence(SYNTHESIS), "Keep the monolith for a year.");
    }

    #[test]
    fn a_confidence_counts_only_if_it_begins_with_a_number() {
        for (text, number) in [
            ("72 %, because A2 survived", Some(72)),
            ("**80%** because", Some(80)),
            ("about 60 percent", Some(60)),
            ("~5%", Some(5)),
            ("100 %", Some(100)),
            ("0 %", Some(0)),
            ("101 %", None),
            ("60-70 %", None),
            ("60 to 70 %", None),
            ("60 % to 70 %", None),
            ("60%–70%", None),
            ("60 % – a guess", Some(60)),
            ("high, 90 %", None),
            ("7 of 10", None),
            ("70", None),
            ("99999999999 %", None),
            ("", None),
            ("%", None),
        ] {
            assert_eq!(percent(text), number, "{text}");
        }
    }

    #[test]
    fn the_derivation_is_the_text_after_the_percentage() {
        for (text, after) in [
            ("72 %, because A2 survived.", "because A2 survived."),
            ("**80%** because *so*", "because *so*"),
            ("60 percent: one guess", "one guess"),
            ("**80 %, in bold.**", "**80 %, in bold.**"),
            ("about 60 %, as C1 holds", "about 60 %, as C1 holds"),
            ("high, 90 %", "high, 90 %"),
            ("72 %", ""),
        ] {
            assert_eq!(after_percent(text), after, "{text}");
        }
    }

    #[test]
    fn the_what_to_do_section_is_found_by_its_heading() {
        let found = |text: &str| what_to_do(text).map(|(steps, _)| steps);
        let text = "**Recommendation:** x\n\n### What to do\n\n1. One.\n\n   ```\n   # not a \
            heading\n   ```\n2. Two.\n\n#### Later\n\nThree.\n\n### Rest\n\nEnd.";
        let (steps, remaining) = what_to_do(text).expect("steps");
        assert!(steps.starts_with("1. One.") && steps.ends_with("#### Later\n\nThree."), "{steps}");
        assert_eq!(remaining, "**Recommendation:** x\n\n### Rest\n\nEnd.");
        assert_eq!(found("## **What to do:**\nWait.\n").as_deref(), Some("Wait."));
        assert_eq!(found("What to do\n---\n    code\n").as_deref(), Some("    code"));
        for text in [
            "",
            "What to do: wait.",
            "### What to do\n\n",
            "### What to do\n### Next\nx",
            "> ### What to do\n> x",
            "```\n### What to do\nx\n```",
            "### What to do about C4\nx",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn without_verdict_removes_only_the_labelled_lines() {
        assert_eq!(without_verdict(SYNTHESIS), "### What survived\n\n- **A1** fell: no ground.");
        let free = "# Outcome\n\nVersion 2.0 wins.\n**A1** fell.";
        assert_eq!(without_verdict(free), free);
        let list = "**Recommendation:** Do\n- this\n- that\n\n**Confidence:** 7 %";
        assert_eq!(without_verdict(list), "**Recommendation:** Do\n- this\n- that");
        let code = "```\n\nRecommendation: x\n\n```\n\n**Confidence:** 7 %";
        assert!(
            without_verdict(code).contains("Recommendation: x\n\n```"),
            "{}",
            without_verdict(code)
        );
    }

    #[test]
    fn small_format_changes_are_accepted() {
        for form in [
            "**Recommendation**: Do it",
            "**Recommendation: Do it**",
            "**Recommendation: Do** it",
            "Recommendation: Do it",
            "## Recommendation: Do it",
            "- **recommendation:** Do it",
        ] {
            assert_eq!(Verdict::parse(form).recommendation.as_deref(), Some("Do it"), "{form}");
        }
    }

    #[test]
    fn a_sentence_ends_where_a_reader_sees_its_end() {
        for (text, sentence) in [
            ("Keep it, i.e. do not split it. Then wait.", "Keep it, i.e. do not split it."),
            ("Use e.g. Postgres 16. It is there.", "Use e.g. Postgres 16."),
            ("Move to v2.0 now! Really.", "Move to v2.0 now!"),
            ("No mark at all", "No mark at all"),
        ] {
            let synthesis = format!("**Recommendation:** {text}\n**Confidence:** 70 %");
            assert_eq!(Verdict::parse(&synthesis).first_sentence(&synthesis), sentence);
        }
    }

    #[test]
    fn a_missing_line_is_not_invented() {
        let free = "# Outcome\n\nVersion 2.0 wins. Not by much.";
        assert_eq!(Verdict::parse(free), Verdict::default());
        assert_eq!(Verdict::parse(free).first_sentence(free), "Version 2.0 wins.");
        assert_eq!(Verdict::default().first_sentence(""), "");
    }
}
