//! The prose of a synthesis line by line, and the lines with a label, such as `**Verdict:** do`.
//!
//! Lines that are quoted, fenced, indented as code, commented out or struck through are not the
//! synthesis' own words, and are not read.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::head::{begins_with_id, without_bullet};
use super::words::strip;

/// The labels that the protocol requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FixedLabel {
    Recommendation,
    Verdict,
    /// Only in a debate about options.
    Ranking,
    RestsOn,
    Confidence,
    WouldFlipIf,
    StillUnknown,
}

impl FixedLabel {
    pub(super) const ALL: [Self; 7] = [
        Self::Recommendation,
        Self::Verdict,
        Self::Ranking,
        Self::RestsOn,
        Self::Confidence,
        Self::WouldFlipIf,
        Self::StillUnknown,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Recommendation => "Recommendation",
            Self::Verdict => "Verdict",
            Self::Ranking => "Ranking",
            Self::RestsOn => "Rests on",
            Self::Confidence => "Confidence",
            Self::WouldFlipIf => "Would flip if",
            Self::StillUnknown => "Still unknown",
        }
    }

    /// The label at the start of a line, and the text after it.
    pub(super) fn read(line: &str) -> Option<(Self, String)> {
        Self::ALL.into_iter().find_map(|label| Some((label, labelled(line, label.word())?)))
    }
}

/// All labelled lines of a synthesis in order. Each is one line, together with its paragraph.
pub(super) struct FixedLines(Vec<(FixedLabel, String)>);

impl FixedLines {
    pub(super) fn parse(lines: &[Option<&str>]) -> Self {
        let mut found: Vec<(FixedLabel, String)> = Vec::new();
        // The label of the current paragraph.
        let mut open: Option<(FixedLabel, String)> = None;
        for (line, is_label) in labels(lines) {
            let text = line.trim();
            if let Some(label) = is_label {
                found.extend(open.replace((label, text.to_owned())));
            } else if ends_paragraph(text) {
                found.extend(open.take());
            } else if let Some((_, paragraph)) = &mut open {
                paragraph.push(' ');
                paragraph.push_str(text);
            }
        }
        found.extend(open);
        let value = |(label, paragraph): (FixedLabel, String)| {
            let paragraph = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
            labelled(&paragraph, label.word())
                .filter(|value| !value.is_empty())
                .map(|value| (label, value))
        };
        Self(found.into_iter().filter_map(value).collect())
    }

    pub(super) fn first(&self, label: FixedLabel) -> Option<&str> {
        self.all(label).next()
    }

    /// The value of all lines with this label. `None`: no line, an unreadable line, or two lines
    /// that differ.
    pub(super) fn agreed<T: PartialEq>(
        &self,
        label: FixedLabel,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let mut values = self.all(label).map(read);
        let first = values.next()??;
        values.all(|other| other.as_ref() == Some(&first)).then_some(first)
    }

    fn all(&self, label: FixedLabel) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(one, _)| *one == label).map(|(_, value)| value.as_str())
    }
}

/// For each line: true if it belongs to a label.
pub(super) fn fixed_paragraphs(lines: &[Option<&str>]) -> Vec<bool> {
    let mut is_fixed = false;
    let belongs = |(line, label): (&str, Option<FixedLabel>)| {
        is_fixed = label.is_some() || is_fixed && !ends_paragraph(line.trim());
        is_fixed
    };
    labels(lines).map(belongs).collect()
}

/// Each line, with its label if it has one.
fn labels<'a>(lines: &'a [Option<&'a str>]) -> impl Iterator<Item = (&'a str, Option<FixedLabel>)> {
    let mut begins_paragraph = true;
    lines.iter().map(move |line| {
        let line = line.unwrap_or_default();
        let label = FixedLabel::read(line.trim()).map(|(label, _)| label);
        // A wrapped line of prose may begin with a word and a colon: "the
        // verdict: none".
        let is_marked = |label: FixedLabel| {
            let text = without_bullet(line.trim());
            begins_paragraph || text.starts_with(['*', '_']) || text.starts_with(label.word())
        };
        let label = label.filter(|label| is_marked(*label));
        begins_paragraph = ends_paragraph(line.trim());
        (line, label)
    })
}

/// True for a line that starts a new block: blank, a rule, an item, a heading, a row, a label or a
/// claim.
pub(super) fn ends_paragraph(line: &str) -> bool {
    let is_rule = line.chars().all(|char| matches!(char, '-' | '=' | '*' | '_' | ' '));
    let is_block = line.starts_with(['#', '|']) || without_bullet(line).len() < line.len();
    let is_bold_id = || line.starts_with("**") && begins_with_id(line).is_some();
    is_rule || is_block || is_bold_id() || is_label(line)
}

/// True for a line that begins with any label in bold: `**Dissent:** …`.
fn is_label(line: &str) -> bool {
    let bold = line.strip_prefix("**").and_then(|line| line.split_once("**"));
    bold.is_some_and(|(bold, after)| bold.ends_with(':') || after.starts_with(':'))
}

/// The text after `**Label:**` (or `**Label**:`, or `Label:`) at the start of a line. It may be
/// empty.
fn labelled(line: &str, label: &str) -> Option<String> {
    let line = without_bullet(line);
    let remaining = line.trim_start_matches(['*', '_']);
    let (before, value) = strip(remaining, label)?.split_once(':')?;
    if !before.trim_start_matches(['*', '_', ' ']).is_empty() {
        return None;
    }
    // The bold of the label may end inside the value.
    let is_bold = line.starts_with("**") && !before.contains("**") && !value.starts_with("**");
    let value = if is_bold { value.replacen("**", "", 1) } else { value.to_owned() };
    Some(value.trim_start_matches(['*', '_']).trim().to_owned())
}

/// The lines of a text in order; `None` for each line outside its own prose.
pub(super) fn own_lines(text: &str) -> Vec<Option<&str>> {
    let asides = asides(text);
    let mut aside = 0;
    let mut begins = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        // The indentation of code is outside the code's range.
        let at = begins + line.len() - line.trim_start().len();
        begins += line.len();
        while asides.get(aside).is_some_and(|place| place.end <= at) {
            aside += 1;
        }
        let is_aside =
            !line.trim().is_empty() && asides.get(aside).is_some_and(|place| place.start <= at);
        lines.push((!is_aside).then(|| line.trim_end_matches(['\n', '\r'])));
    }
    lines
}

/// The ranges of a text that are not its own prose, in order and without overlaps.
pub(super) fn asides(text: &str) -> Vec<Range<usize>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let parser = Parser::new_ext(text, options);
    // A definition of a link shows nothing.
    let definitions = parser.reference_definitions().iter().map(|(_, of)| of.span.clone());
    let mut found: Vec<Range<usize>> = Vec::new();
    let definitions: Vec<Range<usize>> = definitions.collect();
    for (event, place) in parser.into_offset_iter() {
        // The title of a link and the text of a picture are not shown as lines.
        let is_link = matches!(event, Event::Start(Tag::Link { .. } | Tag::Image { .. }));
        let is_aside = is_link && text[place.clone()].contains('\n')
            || matches!(
                event,
                Event::Start(
                    Tag::BlockQuote(_) | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Strikethrough
                ) | Event::Code(_)
                    | Event::Html(_)
                    | Event::InlineHtml(_)
            );
        if is_aside && found.last().is_none_or(|last| last.end < place.end) {
            found.push(place);
        }
    }
    if !definitions.is_empty() {
        found.extend(definitions);
        found.sort_by_key(|place| place.start);
        found.dedup_by(|later, earlier| {
            let is_within = later.start < earlier.end;
            earlier.end = if is_within { earlier.end.max(later.end) } else { earlier.end };
            is_within
        });
    }
    found
}

/// True if a line has a label "Verdict" where no program reads one: in a table, behind brackets or
/// a box, or with another colon.
pub fn has_odd_verdict(text: &str) -> bool {
    let is_odd = |line: &str| {
        let line = line.to_lowercase();
        let labels = ["**verdict:", "**verdict\u{ff1a}", "**verdict**:"];
        labels.iter().any(|label| line.contains(label))
            && FixedLabel::read(line.trim()).is_none_or(|(label, _)| label != FixedLabel::Verdict)
    };
    own_lines(text).into_iter().flatten().any(is_odd)
}

/// A text on one line without emphasis. `None`: it has other Markdown.
pub(super) fn unmarked(text: &str) -> Option<String> {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown = String::with_capacity(text.len());
    for event in Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Paragraph | Tag::Emphasis | Tag::Strong) | Event::End(_) => {}
            Event::Text(text) => shown.push_str(&text),
            Event::SoftBreak => shown.push(' '),
            _ => return None,
        }
    }
    // An entity or an escape differs from the text that it shows.
    (folded(&shown) == folded(&text.replace(['*', '_'], ""))).then(|| folded(&shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_code_comments_and_struck_out_lines_are_not_read() {
        for aside in [
            "> x",
            "> x\nx",
            "- > x\n  > x",
            "```\nx\n```",
            "~~~\n\nx\n~~~",
            "    x",
            "\tx",
            "<!--\nx\n-->",
            "<!-- a\n\nx -->",
            "a <!--\nx\n-->",
            "a `b\nx\nc`",
            "a ~~b\nx\nc~~",
            "<div>\nx\n</div>",
        ] {
            let text = format!("{}\n\nEnd.", aside.replace('x', "**Verdict:** do"));
            let lines = own_lines(&text);
            assert!(
                FixedLines::parse(&lines).first(FixedLabel::Verdict).is_none(),
                "{text}\n{lines:?}"
            );
            assert_eq!(lines.last(), Some(&Some("End.")), "{text}");
        }
    }

    #[test]
    fn a_label_begins_a_line_and_its_value_ends_with_the_paragraph() {
        for (text, value) in [
            ("**Verdict:** do\n**Rests on:** A1", "do"),
            ("**Verdict:** do\n**not** now", "do **not** now"),
            ("**Verdict:** do\nnot", "do not"),
            ("**Verdict:**\ndo", "do"),
            ("**Verdict:** do\n- a list", "do"),
            ("**Verdict:** do\n---\nMore.", "do"),
            ("**Verdict:** do\n**A1** fell", "do"),
            ("**Verdict:** do\n**Dissent:** none", "do"),
            ("Recommendation: Wait.\nVerdict: do", "do"),
            ("- **Recommendation:** Wait.\n- **Verdict:** do", "do"),
            ("## Verdict: do", "do"),
            ("**Verdict: do** not", "do not"),
            ("1. **Verdict**: do", "do"),
        ] {
            let lines = own_lines(text);
            assert_eq!(FixedLines::parse(&lines).first(FixedLabel::Verdict), Some(value), "{text}");
        }
        for text in [
            "We come to the\nverdict: do",
            "The Verdict: do",
            "**Verdict:**",
            "Verdict do",
            "**Verdict (mine):** do",
        ] {
            assert_eq!(
                FixedLines::parse(&own_lines(text)).first(FixedLabel::Verdict),
                None,
                "{text}"
            );
        }
    }

    #[test]
    fn only_emphasis_is_removed() {
        for text in ["do not", "*do* **not**", "do _not_", "***do** not*", " do\u{a0}not "] {
            assert_eq!(unmarked(text).as_deref(), Some("do not"), "{text}");
        }
        for text in [
            "do&#32;not",
            "do <b>not</b>",
            "`do not`",
            "[do not](x)",
            "~~do~~ not",
            "do\\ not",
            "- do not",
            "do\\* not",
        ] {
            assert_ne!(unmarked(text).as_deref(), Some("do not"), "{text}");
        }
    }
}
