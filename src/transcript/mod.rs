//! The transcript: sections to Markdown and back. Pure.
//!
//! Invariant: for every reply, `append` then `parse` gives back exactly the sections and their texts, in order. A reply is
//! stored as a block quote, one prefix before every line, so nothing in it can open, close or forge a section: headings
//! at depth 0 are ours alone. This room never knows the frontmatter, prompts or files.

mod headings;

use std::borrow::Cow;

use jiff::Timestamp;

use headings::{Heading, headings, lines_of_headings, round_heading};

use crate::debate::{Phase, Place};

/// What stood in a reply's place: the text and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Whose reply, in which round. The synthesis carries the last round before it.
    pub place: Place,
    /// When it was filed, if its mark says so.
    pub at: Option<Timestamp>,
    /// The reply, without its quote prefixes.
    pub text: String,
    /// The byte of the transcript at which it begins, the heading of its round included where it opens one.
    pub begins: usize,
}

impl Section {
    /// Words of the reply, as white space divides them.
    #[must_use]
    pub fn words(&self) -> usize {
        count_words(&self.text)
    }
}

/// Words of a text, as white space divides them.
#[must_use]
pub fn count_words(text: &str) -> usize {
    if !text.is_ascii() {
        return text.split_whitespace().count();
    }
    // The same, several times as fast.
    let (mut words, mut between) = (0, true);
    for byte in text.bytes() {
        let is_space = matches!(byte, b' ' | b'\t'..=b'\r');
        words += usize::from(between && !is_space);
        between = is_space;
    }
    words
}

/// The text in the form in which it can be stored and given back exactly: LF line ends, no NUL.
#[must_use]
pub fn normalise(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\r', 0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' => {
                chars.next_if_eq(&'\n');
                out.push('\n');
            }
            '\0' => out.push('\u{FFFD}'),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

/// A new transcript: the question as its title, and below it word for word where a title cannot hold it.
#[must_use]
pub fn open(question: &str) -> String {
    let question = normalise(question);
    let mut body = String::from("# ");
    if is_title(&question) {
        body.push_str(&question);
    } else {
        body.push_str(&fold(&question));
        body.push_str("\n\n");
        quote(&question, &mut body);
        body.pop();
    }
    body.push('\n');
    body
}

/// The question that a transcript was opened with; `None` when its title is gone.
#[must_use]
pub fn question(body: &str) -> Option<String> {
    let mut lines = body.lines().skip_while(|line| line.trim().is_empty());
    let title = lines.next()?.strip_prefix("# ")?;
    let below: Vec<&str> = lines.skip_while(|line| line.is_empty()).take_while(|line| line.starts_with('>')).collect();
    let below = unquote(&below);
    // Another quote below a title is a person's own.
    Some(if fold(&below) == fold(title) && !below.is_empty() { below } else { title.to_owned() })
}

/// Files a reply: its heading, its mark, its text as a block quote. Gives back its words.
pub fn append(body: &mut String, place: Place, at: Timestamp, text: &str) -> usize {
    let text = normalise(text);
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    body.reserve(text.len() + 2 * lines + 160);
    if !body.ends_with('\n') {
        body.push('\n');
    }
    body.push('\n');
    match place.phase {
        Phase::Advocate => {
            body.push_str(&round_heading(place.round));
            body.push_str("\n\n### Advocate\n");
        }
        Phase::Critic => {
            if round_at_end(body) != Some(place.round) {
                body.push_str(&round_heading(place.round));
                body.push_str("\n\n");
            }
            body.push_str("### Critic\n");
        }
        Phase::Synthesizer => body.push_str("## Synthesis\n"),
    }
    let words = count_words(&text);
    let mark = format!("<!-- anvil {{\"at\":\"{at:.0}\",\"words\":{words}}} -->\n");
    body.push_str(&mark);
    quote(&text, body);
    words
}

/// All sections, in order. Headings that are not ours divide sections and are otherwise left alone.
#[must_use]
pub fn parse(body: &str) -> Vec<Section> {
    let headings = headings(body);
    let mut round = 0;
    let mut opened = None;
    let mut sections = Vec::new();
    for (index, found) in headings.iter().enumerate() {
        let phase = match found.heading {
            Heading::Round(number) => {
                round = number;
                opened = Some(found.start);
                continue;
            }
            Heading::Reply(phase) => phase,
            Heading::Foreign => continue,
        };
        let stop = headings.get(index + 1).map_or(body.len(), |next| next.start);
        let (at, text) = content(&body[found.end..stop]);
        let begins = opened.take().unwrap_or(found.start);
        sections.push(Section { place: Place { phase, round: round.max(1) }, at, text, begins });
    }
    sections
}

/// The place furthest on in the debate whose section stands here, if the transcript looks as [`append`] leaves it: every
/// heading is ours and in its order. `None`: look closer with [`parse`]. A hundred times cheaper than that.
#[must_use]
pub fn furthest_of_orderly(body: &str) -> Option<Option<Place>> {
    if !body.starts_with("# ") {
        return None;
    }
    let mut round = 0;
    let mut last: Option<Place> = None;
    for found in lines_of_headings(body).skip(1) {
        let phase = match found.heading {
            Heading::Round(number) if number > round && last.is_none_or(|last| last.phase == Phase::Critic) => {
                round = number;
                continue;
            }
            Heading::Reply(phase) => phase,
            Heading::Round(_) | Heading::Foreign => return None,
        };
        let orderly = match (phase, last) {
            (Phase::Advocate, None) => round > 0,
            (Phase::Advocate, Some(last)) => last.phase == Phase::Critic && round > last.round,
            (Phase::Critic, Some(last)) => last.phase == Phase::Advocate && round == last.round,
            (Phase::Synthesizer, Some(last)) => last.phase != Phase::Synthesizer,
            (Phase::Critic | Phase::Synthesizer, None) => false,
        };
        if !orderly {
            return None;
        }
        last = Some(Place { phase, round });
    }
    Some(last)
}

/// The same transcript under another question.
#[must_use]
pub fn retitle(body: &str, question: &str) -> String {
    let blank = |line: &str| line.trim().is_empty();
    let mut rest = skip(body, usize::MAX, blank);
    if rest.starts_with("# ") {
        rest = skip(skip(rest, 1, |_| true), usize::MAX, blank);
        rest = skip(skip(rest, usize::MAX, |line| line.starts_with('>')), usize::MAX, blank);
    }
    let gap = if rest.is_empty() { "" } else { "\n" };
    format!("{}{gap}{rest}", open(question))
}

/// What follows at most `most` lines that are `unwanted`.
fn skip(text: &str, most: usize, unwanted: impl Fn(&str) -> bool) -> &str {
    let skipped = text.split_inclusive('\n').take(most).take_while(|line| unwanted(line)).map(str::len).sum();
    &text[skipped..]
}

/// True when the transcript ends with a section that is exactly this text.
#[must_use]
pub fn ends_with(body: &str, text: &str) -> bool {
    let mut quoted = String::with_capacity(text.len() + text.len() / 16 + 16);
    quote(text, &mut quoted);
    let body = body.trim_end_matches('\n');
    let before = body.strip_suffix(quoted.trim_end_matches('\n'));
    before.and_then(|before| before.lines().next_back()).is_some_and(is_mark)
}

/// The text of the section that ends the transcript, found from the end without parsing the rest.
#[must_use]
pub fn last_text(body: &str) -> Option<String> {
    let body = body.trim_end_matches('\n');
    let mut start = body.len();
    while start > 0 {
        let line_start = body[..start].rfind('\n').map_or(0, |at| at + 1);
        if !body[line_start..start].starts_with('>') {
            break;
        }
        if line_start == 0 {
            start = 0;
            break;
        }
        start = line_start - 1;
    }
    let quoted: Vec<&str> = body[start..].trim_start_matches('\n').lines().collect();
    let ours = body[..start].lines().next_back().is_some_and(is_mark);
    (ours && !quoted.is_empty()).then(|| unquote(&quoted))
}

/// The line of the transcript, counted from 0, at which a round begins.
#[must_use]
pub fn line_of_round(body: &str, round: u8) -> Option<usize> {
    let heading = round_heading(round);
    body.lines().position(|line| line == heading)
}

/// The round whose heading stands last; a quoted one is not at the beginning of its line.
fn round_at_end(body: &str) -> Option<u8> {
    let (_, behind) = body.rsplit_once("\n## Round ")?;
    behind.lines().next()?.trim_end().parse().ok()
}

/// Takes a section's mark and its quote prefixes off. Lines that are not quoted were written by hand: they stay as they are.
fn content(raw: &str) -> (Option<Timestamp>, String) {
    let mut lines: Vec<&str> = raw.lines().collect();
    let blank = |line: &&str| line.trim().is_empty();
    lines.drain(..lines.iter().take_while(|line| blank(line)).count());
    let mut at = None;
    if lines.first().is_some_and(|line| is_mark(line)) {
        at = mark_time(lines.remove(0));
    }
    lines.drain(..lines.iter().take_while(|line| blank(line)).count());
    lines.truncate(lines.len() - lines.iter().rev().take_while(|line| blank(line)).count());
    let is_quoted = lines.first().is_some_and(|line| line.starts_with('>'));
    (at, if is_quoted { unquote(&lines) } else { lines.join("\n") })
}

fn is_mark(line: &str) -> bool {
    line.starts_with("<!-- anvil ") && line.trim_end().ends_with("-->")
}

fn mark_time(line: &str) -> Option<Timestamp> {
    let json = line.trim_end().strip_prefix("<!-- anvil ")?.strip_suffix("-->")?;
    let mark: serde_json::Value = serde_json::from_str(json.trim()).ok()?;
    mark.get("at")?.as_str()?.parse().ok()
}

/// Appends a text as a block quote.
pub fn quote(text: &str, out: &mut String) {
    for line in text.split('\n') {
        out.push('>');
        if !line.is_empty() {
            out.push(' ');
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn unquote(lines: &[&str]) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(line.strip_prefix("> ").or_else(|| line.strip_prefix('>')).unwrap_or(line));
    }
    text
}

/// A title holds one line without white space at its ends.
fn is_title(question: &str) -> bool {
    !question.contains('\n') && question.trim() == question
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn place(phase: Phase, round: u8) -> Place {
        Place { phase, round }
    }

    /// The places of a debate of this many rounds.
    fn places(rounds: u8) -> Vec<Place> {
        let argued = (1..=rounds).flat_map(|round| [place(Phase::Advocate, round), place(Phase::Critic, round)]);
        argued.chain([place(Phase::Synthesizer, rounds)]).collect()
    }

    /// Pieces of text that break documents: everything that opens, closes or forges a block in some parser.
    fn piece() -> impl Strategy<Value = String> {
        let hostile = prop::sample::select(vec![
            "```",
            "~~~",
            "````rust",
            "<!--",
            "-->",
            "<script>",
            "</script>",
            "<pre>",
            "<style>",
            "<textarea>",
            "<?",
            "<!x",
            "<![CDATA[",
            "]]>",
            "---",
            "===",
            "# H1",
            "## Round 2",
            "## Round 999",
            "### Advocate",
            "### Critic",
            "## Synthesis",
            "> ",
            ">",
            "> > #",
            "<!-- anvil {\"at\":\"x\"} -->",
            "[a]: http://x",
            "[^1]: note",
            "- ",
            "1. ",
            "    ",
            "\t",
            "\n",
            "\n\n",
            "\r",
            "\r\n",
            "\0",
            "| a | b |",
            "|---|---|",
            "\\",
            "&#10;",
            "<div>",
            "</div>",
            "***",
            "$$",
            ":::",
            "\u{2028}",
            "\u{85}",
            "\u{FEFF}",
            " ",
            "",
        ]);
        prop_oneof![4 => hostile.prop_map(str::to_owned), 1 => any::<String>()]
    }

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec((piece(), prop::sample::select(vec!["", "\n", " ", "\n\n"])), 0..12)
            .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, end)| [piece, end.to_owned()]).collect())
    }

    fn file(question: &str, texts: &[String]) -> (String, Vec<Place>) {
        let places = places((texts.len() as u8 - 1) / 2);
        let mut body = open(question);
        for (place, text) in places.iter().zip(texts) {
            append(&mut body, *place, AT, text);
        }
        (body, places)
    }

    /// Headings at depth 0 as another parser sees them.
    fn second_opinion(body: &str) -> Vec<String> {
        use comrak::nodes::NodeValue;
        let arena = comrak::Arena::new();
        let root = comrak::parse_document(&arena, body, &comrak::Options::default());
        let lines: Vec<&str> = body.lines().collect();
        let headings = root.children().filter_map(|node| {
            let data = node.data.borrow();
            matches!(data.value, NodeValue::Heading(_)).then(|| lines[data.sourcepos.start.line - 1].to_owned())
        });
        headings.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn what_is_appended_is_parsed_back_exactly(
            question in text(),
            texts in (1..=3_usize).prop_flat_map(|rounds| prop::collection::vec(text(), 2 * rounds + 1)),
        ) {
            let (body, places) = file(&question, &texts);
            let sections = parse(&body);
            let expected: Vec<(Place, String)> = places.into_iter().zip(texts.iter().map(|text| normalise(text).into_owned())).collect();
            let found: Vec<(Place, String)> = sections.iter().map(|section| (section.place, section.text.clone())).collect();
            prop_assert_eq!(&found, &expected);
            prop_assert!(sections.iter().all(|section| section.at == Some(AT)));
            prop_assert_eq!(last_text(&body), expected.last().map(|last| last.1.clone()));
        }

        #[test]
        fn another_parser_sees_the_same_headings(question in text(), texts in prop::collection::vec(text(), 3)) {
            prop_assume!(!question.trim().is_empty());
            let (body, _) = file(&question, &texts);
            let headings = second_opinion(&body);
            prop_assert_eq!(&headings[1..], ["## Round 1", "### Advocate", "### Critic", "## Synthesis"]);
            prop_assert!(headings[0].starts_with("# "));
        }

        #[test]
        fn the_question_is_read_back_from_the_transcript(asked in text()) {
            let asked = asked.trim().to_owned();
            prop_assume!(!asked.is_empty());
            let (body, _) = file(&asked, &["A".into(), "C".into(), "S".into()]);
            prop_assert_eq!(question(&open(&asked)), Some(normalise(&asked).into_owned()));
            prop_assert_eq!(question(&body), Some(normalise(&asked).into_owned()));
        }

        #[test]
        fn words_are_what_white_space_divides(text in "[ -~\\s\\x00-\\x1f]{0,40}") {
            prop_assert_eq!(count_words(&text), text.split_whitespace().count());
        }

        #[test]
        fn any_text_at_all_is_parsed(body in text()) {
            let _ = (parse(&body), last_text(&body), question(&body));
        }
    }

    #[test]
    fn a_transcript_looks_like_this() {
        let mut body = open("Should we?");
        append(&mut body, place(Phase::Advocate, 1), AT, "A1. Yes.\n\n## Not a section");
        append(&mut body, place(Phase::Critic, 1), AT, "C1. No.");
        append(&mut body, place(Phase::Synthesizer, 1), AT, "Maybe.");
        assert_eq!(
            body,
            "# Should we?\n\n## Round 1\n\n### Advocate\n<!-- anvil {\"at\":\"1970-01-01T00:00:00Z\",\"words\":6} -->\n\
             > A1. Yes.\n>\n> ## Not a section\n\n### Critic\n<!-- anvil {\"at\":\"1970-01-01T00:00:00Z\",\"words\":2} -->\n> C1. No.\n\n\
             ## Synthesis\n<!-- anvil {\"at\":\"1970-01-01T00:00:00Z\",\"words\":1} -->\n> Maybe.\n"
        );
        assert_eq!(line_of_round(&body, 1), Some(2));
        assert_eq!(line_of_round(&body, 2), None);
    }

    #[test]
    fn a_question_of_several_lines_stands_below_its_title() {
        assert_eq!(open("One\ntwo"), "# One two\n\n> One\n> two\n");
    }

    #[test]
    fn what_a_person_wrote_by_hand_is_taken_as_it_stands() {
        let body = "# Q\n\n## Round 1\n\n### Advocate\n\nBy hand.\n\nTwo paragraphs.\n\n## Notes\n\nMine.\n\n### Critic\n> Quoted\n>without a space\n";
        let sections = parse(body);
        assert_eq!(sections.len(), 2);
        assert_eq!(sections[0].text, "By hand.\n\nTwo paragraphs.");
        assert_eq!(sections[0].at, None);
        assert_eq!(sections[1].text, "Quoted\nwithout a space");
        assert_eq!(last_text(body), None);
    }
}
