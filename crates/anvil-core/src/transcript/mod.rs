//! The transcript: sections to Markdown and back. Pure.
//!
//! Invariant: `parse` returns exactly the entries that were appended, with their texts, in order. A
//! reply is stored as a block quote, with a prefix before every line. So its text cannot open,
//! close or forge a section: headings at depth 0 are Anvil's alone. It knows no frontmatter,
//! prompts or files.

pub(crate) mod author;
pub(crate) mod headings;
pub(crate) mod kind;
pub(crate) mod reach;
pub(crate) mod read;
pub(crate) mod skipped;

pub use author::{Author, ShortName};
pub use headings::{MAX_HEADINGS, has_too_many_headings};
pub use kind::NoteKind;
pub use reach::{
    Reach, begins_cycle, line_of_first_round, line_of_round, lines_of_material, reach_of_orderly,
    words_marked,
};
pub use read::{ends_with, last_text, parse};
pub use skipped::skipped_places;

use std::borrow::Cow;

use jiff::Timestamp;

use headings::{cycle_heading, last_line, round_heading, voice_heading};
use read::unquote;

use crate::place::{Place, Schedule, Seat, VoiceTask};
use crate::question::motion;

/// Begins the result of an earlier debate; its id and a colon follow.
pub const PRIOR_DEBATE: &str = "The debate ";

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A reply at this place. The synthesis has the number of the last round before it.
    Reply(Place),
    /// A section that is not a reply.
    Note(NoteKind),
    /// The debate was opened again. The text is the user's message.
    Cycle,
}

/// A section under one of Anvil's headings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub what: EntryKind,
    /// The cycle that it belongs to or opens; 1 before the debate was first opened again.
    pub cycle: u32,
    /// The speaker, if voices take turns.
    pub voice: Option<String>,
    /// The task of the voice.
    pub task: Option<VoiceTask>,
    /// When it was saved, if its mark has the time.
    pub at: Option<Timestamp>,
    /// `None`: its mark names no author.
    pub author: Option<Author>,
    /// Its beginning could not be read when it was saved.
    pub beginning_missing: bool,
    /// Without the quote prefixes.
    pub text: String,
    /// The first byte in the transcript, including the heading of a round that it opens.
    pub begins: usize,
}

impl Entry {
    /// The place of a reply; `None` for other entries.
    pub fn place(&self) -> Option<Place> {
        if let EntryKind::Reply(place) = self.what { Some(place) } else { None }
    }

    /// The same entry with each of its texts changed.
    #[must_use]
    pub fn with_texts(&self, change: &dyn Fn(&str) -> String) -> Self {
        let Self { what, cycle, task, at, beginning_missing, begins, voice, author, text } = self;
        Self {
            what: *what,
            cycle: *cycle,
            task: *task,
            at: *at,
            beginning_missing: *beginning_missing,
            begins: *begins,
            voice: voice.as_deref().map(change),
            author: author.as_ref().map(|author| author.map(change)),
            text: change(text),
        }
    }

    /// True for a reply at a place of this schedule. A voice of another one may have its number.
    pub fn is_of(&self, schedule: Schedule) -> bool {
        self.place().is_some_and(|place| schedule.has(place) && schedule.task(place) == self.task)
    }

    /// Words of the text, separated by white space.
    pub fn words(&self) -> usize {
        count_words(&self.text)
    }

    /// A whole section that was just written.
    pub fn new(what: EntryKind, at: Timestamp, text: impl Into<String>) -> Self {
        Self {
            what,
            cycle: 1,
            voice: None,
            task: None,
            at: Some(at),
            author: None,
            beginning_missing: false,
            text: text.into(),
            begins: 0,
        }
    }

    /// The heading of a reply.
    fn reply_heading(&self, body: &str, last: &mut LastRound, place: Place) -> String {
        match place.seat {
            Seat::Advocate | Seat::Critic => {
                let side = if place.seat == Seat::Advocate { "Advocate" } else { "Critic" };
                if last.at_end(body) == Some(place.round) {
                    format!("### {side}")
                } else {
                    format!("{}\n\n### {side}", round_heading(place.round))
                }
            }
            Seat::Synthesizer | Seat::Judge(_) => "## Synthesis".to_owned(),
            Seat::Voice(voice) => {
                let usual = if place.is_attack() { VoiceTask::Attack } else { VoiceTask::Persona };
                let heading = voice_heading(self.task.unwrap_or(usual), voice);
                heading + &title_of_voice(self.voice.as_deref())
            }
        }
    }

    /// Appends the entry to a transcript: heading, mark, and text as a block quote. Returns its
    /// words. Does nothing if its mark has no time.
    pub fn append_to(&self, body: &mut String) -> usize {
        self.append_after(body, &mut LastRound::default())
    }

    /// Like [`Self::append_to`], for one of many entries: `last` belongs to this transcript.
    pub fn append_after(&self, body: &mut String, last: &mut LastRound) -> usize {
        let Some(at) = self.at else { return 0 };
        if !body.ends_with('\n') {
            body.push('\n');
        }
        let heading = match self.what {
            EntryKind::Reply(place) => self.reply_heading(body, last, place),
            EntryKind::Note(kind) => kind.heading().to_owned(),
            EntryKind::Cycle => cycle_heading(self.cycle),
        };
        let text = normalise(&self.text);
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
        body.reserve(text.len() + 2 * lines + heading.len() + 200);
        let words = count_words(&text);
        let missing = if self.beginning_missing { ",\"beginning_missing\":true" } else { "" };
        let author = self.author.as_ref().and_then(|author| serde_json::to_string(author).ok());
        let author = author.map(|author| format!(",\"author\":{author}")).unwrap_or_default();
        let mark = format!(
            "\n{heading}\n<!-- anvil {{\"at\":\"{at:.0}\",\"words\":{words}{missing}{author}}} -->\n"
        );
        body.push_str(&mark);
        quote(&text, body);
        words
    }
}

/// All entries of a transcript, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries(pub Vec<Entry>);

impl Entries {
    /// Removes the attacks of options on each other in this cycle: each attacks without a look at
    /// the others.
    pub fn hide_attacks(&mut self, cycle: u32) {
        self.0.retain(|entry| entry.cycle != cycle || !entry.place().is_some_and(Place::is_attack));
    }

    /// The motion that an opening states, the first one that does.
    pub fn motion(&self) -> Option<String> {
        self.replies()
            .filter(|(place, reply)| {
                reply.cycle == 1 && place.number() == 1 && place.seat != Seat::Synthesizer
            })
            .find_map(|(_, reply)| motion::of_reply(&reply.text))
    }

    /// The replies and their places.
    pub fn replies(&self) -> impl DoubleEndedIterator<Item = (Place, &Entry)> + Clone {
        self.0.iter().filter_map(|entry| Some((entry.place()?, entry)))
    }

    /// The sections that are not replies.
    pub fn notes(&self) -> impl DoubleEndedIterator<Item = (NoteKind, &Entry)> + Clone {
        self.0.iter().filter_map(|entry| {
            if let EntryKind::Note(kind) = entry.what { Some((kind, entry)) } else { None }
        })
    }

    /// The id of the debate that this one follows, if it follows one and not a file.
    pub fn prior_debate(&self) -> Option<&str> {
        let (_, note) = self.notes().find(|(kind, _)| *kind == NoteKind::PriorAnalysis)?;
        note.text.strip_prefix(PRIOR_DEBATE)?.split_once(':').map(|(id, _)| id)
    }

    /// The openings of later cycles.
    pub fn cycles(&self) -> impl DoubleEndedIterator<Item = &Entry> + Clone {
        self.0.iter().filter(|entry| entry.what == EntryKind::Cycle)
    }

    /// The last cycle, and the user's message that opened it.
    pub fn last_cycle(&self) -> (u32, &str) {
        self.cycles().next_back().map_or((1, ""), |opening| (opening.cycle, &opening.text))
    }

    /// The places of this schedule that have a reply in a cycle.
    pub fn places_in(&self, cycle: u32, of: Schedule) -> impl Iterator<Item = Place> + Clone {
        self.replies()
            .filter(move |(_, reply)| reply.cycle == cycle && reply.is_of(of))
            .map(|(place, _)| place)
    }

    pub fn synthesis(&self) -> Option<&Entry> {
        self.replies().rfind(|(place, _)| place.seat == Seat::Synthesizer).map(|(_, reply)| reply)
    }

    /// The entries up to the last synthesis, with the notes right below it.
    pub(crate) fn until_synthesis(&self) -> Self {
        let last = self.synthesis().and_then(|last| self.position(last)).map_or(0, |at| at + 1);
        let is_note = |entry: &&Entry| matches!(entry.what, EntryKind::Note(_));
        let notes = self.0[last..].iter().take_while(is_note).count();
        Self(self.0[..last + notes].to_vec())
    }

    /// The index of one of these entries.
    fn position(&self, entry: &Entry) -> Option<usize> {
        self.0.binary_search_by_key(&entry.begins, |other| other.begins).ok()
    }

    /// The corrected block: the note right below this synthesis or judgment.
    pub fn repeat_of(&self, entry: &Entry) -> Option<&str> {
        let after = &self.0[self.position(entry)? + 1..];
        let mut notes = after.iter().take_while(|other| match other.what {
            EntryKind::Note(kind) => kind != NoteKind::Judgment,
            EntryKind::Reply(_) | EntryKind::Cycle => false,
        });
        let repeat = notes.find(|other| other.what == EntryKind::Note(NoteKind::VerdictBlock))?;
        Some(&repeat.text)
    }

    /// True for a synthesis that combines judgments.
    pub(crate) fn is_of_judges(&self, synthesis: &Entry) -> bool {
        self.position(synthesis).is_some_and(|at| self.judgments_before(at).next().is_some())
    }

    /// The judgments after the last reply, which no synthesis combines yet.
    pub fn judgments(&self) -> impl Iterator<Item = &Entry> {
        self.judgments_before(self.0.len())
    }

    /// The judgments between this entry and the last reply before it.
    pub fn judgments_before(&self, at: usize) -> impl Iterator<Item = &Entry> {
        let before = &self.0[..at];
        let after =
            before.iter().rposition(|entry| entry.place().is_some()).map_or(0, |last| last + 1);
        before[after..].iter().filter(|entry| entry.what == EntryKind::Note(NoteKind::Judgment))
    }

    /// The original texts: the replies, and the judgments before each synthesis.
    pub fn originals(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().filter(|entry| {
            matches!(entry.what, EntryKind::Reply(_) | EntryKind::Note(NoteKind::Judgment))
        })
    }

    /// Words of all replies.
    pub fn words(&self) -> usize {
        self.replies().map(|(_, reply)| reply.words()).sum()
    }
}

/// 1 for white space in ASCII, without a branch.
const IS_SPACE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = matches!(byte as u8, b' ' | b'\t'..=b'\r') as u8;
        byte += 1;
    }
    table
};

/// Words of a text, separated by white space.
pub fn count_words(text: &str) -> usize {
    if !text.is_ascii() {
        return text.split_whitespace().count();
    }
    // Equal to the count by characters, but several times as fast.
    let mut words = 0;
    let mut before = 1;
    for &byte in text.as_bytes() {
        let is_space = IS_SPACE[usize::from(byte)];
        words += usize::from(before & !is_space);
        before = is_space;
    }
    words
}

/// The text in a form that can be stored and read back exactly: LF line ends, no NUL.
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

/// A new transcript with the question as its title. A question of several lines, or with white
/// space at its ends, follows word for word.
pub fn open(question: &str) -> String {
    let question = normalise(question);
    let mut body = String::from("# ");
    if !question.contains('\n') && question.trim() == question {
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

/// The question of a transcript; `None` if its title is gone.
pub fn question(body: &str) -> Option<String> {
    let from_title = skip_blank(body);
    let title = from_title.lines().next()?.strip_prefix("# ")?;
    let below = skip_blank(skip(from_title, 1, |_| true));
    let after = skip(below, usize::MAX, |line| line.starts_with('>'));
    let below = unquote(&below[..below.len() - after.len()]);
    // Any other quote below the title is the user's own.
    Some(if fold(&below) == fold(title) && !below.is_empty() { below } else { title.to_owned() })
}

/// Appends a whole reply of an unknown author. Returns its words.
pub fn append(
    body: &mut String,
    place: Place,
    voice: Option<&str>,
    at: Timestamp,
    text: &str,
) -> usize {
    let voice = voice.map(str::to_owned);
    Entry { voice, ..Entry::new(EntryKind::Reply(place), at, text) }.append_to(body)
}

/// Appends a section that is not a reply. Returns its words.
pub fn append_note(body: &mut String, kind: NoteKind, at: Timestamp, text: &str) -> usize {
    Entry::new(EntryKind::Note(kind), at, text).append_to(body)
}

/// Opens the debate again; `why` is the user's message, possibly empty.
pub fn append_cycle(body: &mut String, cycle: u32, at: Timestamp, why: &str) {
    Entry { cycle, ..Entry::new(EntryKind::Cycle, at, why) }.append_to(body);
}

/// The name of a voice in its heading: one line without the closing sequence of a heading.
fn title_of_voice(voice: Option<&str>) -> String {
    match fold(voice.unwrap_or_default()) {
        name if name.is_empty() => "(no name)".to_owned(),
        name => name,
    }
}

/// The transcript with each of its texts changed. A text ends before the next section, so no change
/// reaches a heading of Anvil from the words above it.
pub fn with_texts(body: &str, change: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(body.len());
    let mut from = 0;
    for begins in parse(body).0.iter().map(|entry| entry.begins).chain([body.len()]) {
        let (piece, gap) = body[from..begins].split_at(body[from..begins].trim_end().len());
        out.push_str(&change(piece));
        out.push_str(gap);
        from = begins;
    }
    out
}

/// The transcript with another question.
pub fn retitle(body: &str, question: &str) -> String {
    let mut remaining = skip_blank(body);
    if remaining.starts_with("# ") {
        let title =
            remaining.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
        remaining = skip_blank(skip(remaining, 1, |_| true));
        let after = skip(remaining, usize::MAX, |line| line.starts_with('>'));
        let quoted = &remaining[..remaining.len() - after.len()];
        // Any other quote below the title is the user's own.
        if fold(&unquote(quoted)) == fold(title) {
            remaining = skip_blank(after);
        }
    }
    let gap = if remaining.is_empty() { "" } else { "\n" };
    format!("{}{gap}{remaining}", open(question))
}

/// The text after at most `most` lines that are `unwanted`.
fn skip(text: &str, most: usize, unwanted: impl Fn(&str) -> bool) -> &str {
    let skipped =
        text.split_inclusive('\n').take(most).take_while(|line| unwanted(line)).map(str::len).sum();
    &text[skipped..]
}

fn skip_blank(text: &str) -> &str {
    skip(text, usize::MAX, |line| line.trim().is_empty())
}

/// The round of the last round heading of a transcript that only grows. Each byte is searched once.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastRound {
    searched: usize,
    round: Option<u8>,
}

impl LastRound {
    /// The round at the end of a transcript with a complete last line. A quoted heading does not
    /// begin its line.
    fn at_end(&mut self, body: &str) -> Option<u8> {
        let new = &body[self.searched..];
        if let Some(at) = last_line(new, "## ") {
            let line = new[at + 3..].lines().next().unwrap_or_default().trim_end();
            self.round = line.strip_prefix("Round ").and_then(|number| number.parse().ok());
        }
        self.searched = body.rfind('\n').unwrap_or_default();
        self.round
    }
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

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{DebateFormat, Schedule};
    use proptest::prelude::*;
    use strum::VariantArray as _;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn place(seat: Seat, round: u8) -> Place {
        Place { seat, round }
    }

    /// Text that breaks documents: it opens, closes or forges a block in some parser.
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
            "### Fact Check",
            "### Judgment",
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
            .prop_map(|pieces| {
                pieces.into_iter().flat_map(|(piece, end)| [piece, end.to_owned()]).collect()
            })
    }

    /// Adds the note with the block that was asked for once more.
    fn add_block(body: &mut String, text: &str) -> String {
        let text = normalise(text).into_owned();
        append_note(body, NoteKind::VerdictBlock, AT, &text);
        text
    }

    /// A section after which the next one follows.
    fn section() -> impl Strategy<Value = EntryKind> {
        use NoteKind::{EvidenceCheck, FactCheck, Judgment, Steering, VerdictBlock};
        use Seat::{Advocate, Critic, Synthesizer};
        let places = [(Advocate, 1), (Critic, 1), (Advocate, 2), (Critic, 2), (Synthesizer, 2)];
        let reply = prop::sample::select(places.to_vec())
            .prop_map(|(phase, round)| EntryKind::Reply(place(phase, round)));
        let kinds = [Judgment, VerdictBlock, Steering, FactCheck, EvidenceCheck];
        let note = prop::sample::select(kinds.to_vec()).prop_map(EntryKind::Note);
        prop_oneof![4 => reply, 4 => note, 1 => Just(EntryKind::Cycle)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// What the headings alone say is what the whole transcript says, or nothing.
        #[test]
        fn sections_in_any_order_reach_as_far_as_they_are_read(
            begun in 0..5_usize,
            sections in prop::collection::vec(section(), 0..6),
        ) {
            let schedule = Schedule::seats(2);
            let begun = schedule.places().take(begun).map(EntryKind::Reply);
            let mut body = open("Why?");
            let mut cycle = 1;
            for what in begun.chain(sections) {
                cycle += u32::from(what == EntryKind::Cycle);
                Entry { cycle, ..Entry::new(what, AT, "x") }.append_to(&mut body);
                let Some(reach) = reach_of_orderly(&body, schedule) else { break };
                let entries = parse(&body);
                let last = entries.originals().last().filter(|last| last.cycle == cycle);
                let read = Reach {
                    cycle: entries.last_cycle().0,
                    last: entries.places_in(cycle, schedule).last(),
                    judgments: entries.judgments().count(),
                    has_block: last.is_some_and(|last| entries.repeat_of(last).is_some()),
                };
                prop_assert_eq!(reach, read, "{}", body);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn appended_entries_are_parsed_back_exactly_and_in_order(
            question in text(),
            (material, cycles, blind, format, judges) in
                (0..16_u8, 1..=3_u32, any::<bool>(), 0..4_u8, 0..4_usize),
            texts in prop::collection::vec(text(), 24),
            steered in prop::collection::vec(any::<bool>(), 24),
        ) {
            let formats =
                [DebateFormat::Seats, DebateFormat::Stakeholders, DebateFormat::Personas,
                    DebateFormat::Options];
            let format = formats[usize::from(format)];
            let blind = blind && format == DebateFormat::Seats;
            let schedule = Schedule { format, max_rounds: 2, blind };
            let mut texts = texts.iter().cycle().map(|text| normalise(text).into_owned());
            let mut text = move || texts.next().unwrap_or_default();
            let mut body = open(&question);
            let mut appended = Vec::new();
            for (bit, &kind) in NoteKind::VARIANTS.iter().take(4).enumerate() {
                if material & (1 << bit) != 0 {
                    let text = text();
                    append_note(&mut body, kind, AT, &text);
                    appended.push((1, EntryKind::Note(kind), text));
                }
            }
            let mut steered = steered.into_iter().cycle();
            for cycle in 1..=cycles {
                if cycle > 1 {
                    let why = text();
                    append_cycle(&mut body, cycle, AT, &why);
                    let entries = parse(&body);
                    prop_assert_eq!(entries.last_cycle(), (cycle, why.as_str()));
                    appended.push((cycle, EntryKind::Cycle, why));
                }
                for place in schedule.places() {
                    if steered.next() == Some(true) {
                        let text = text();
                        let is_first = place.number() == 1;
                        let kind = if is_first { NoteKind::Steering } else { NoteKind::FactCheck };
                        append_note(&mut body, kind, AT, &text);
                        appended.push((cycle, EntryKind::Note(kind), text));
                    }
                    if place.seat == Seat::Synthesizer {
                        for judge in 1..=judges {
                            let text = text();
                            append_note(&mut body, NoteKind::Judgment, AT, &text);
                            appended.push((cycle, EntryKind::Note(NoteKind::Judgment), text.clone()));
                            prop_assert_eq!(parse(&body).judgments().count(), judge);
                            let mut reach =
                                Reach { cycle, last: None, judgments: judge, has_block: false };
                            reach.last = parse(&body).places_in(cycle, schedule).last();
                            let is_orderly = body.starts_with("# ");
                            let expected = is_orderly.then_some(reach);
                            prop_assert_eq!(reach_of_orderly(&body, schedule), expected, "{}", body);
                            if steered.next() == Some(true) {
                                let text = add_block(&mut body, &text);
                                appended.push((cycle, EntryKind::Note(NoteKind::VerdictBlock), text));
                                let expected =
                                    is_orderly.then_some(Reach { has_block: true, ..reach });
                                prop_assert_eq!(reach_of_orderly(&body, schedule), expected);
                            }
                        }
                    }
                    let text = text();
                    let entry = Entry {
                        voice: Some("A # name: > <!-- x -->".to_owned()),
                        task: schedule.task(place),
                        author: Some(Author::new(&text, Some(&text), None).instead_of(&text)),
                        ..Entry::new(EntryKind::Reply(place), AT, text.as_str())
                    };
                    entry.append_to(&mut body);
                    let read = parse(&body).0.pop().unwrap();
                    prop_assert_eq!(read.author, entry.author);
                    appended.push((cycle, EntryKind::Reply(place), text.clone()));
                    prop_assert_eq!(last_text(&body), Some(text.clone()));
                    prop_assert!(ends_with(&body, &text));
                    if body.starts_with("# ") {
                        let last = Some(place);
                        let reach = Some(Reach { cycle, last, judgments: 0, has_block: false });
                        prop_assert_eq!(reach_of_orderly(&body, schedule), reach, "{}", body);
                    }
                    if place.seat == Seat::Synthesizer && steered.next() == Some(true) {
                        let synthesis = text;
                        let text = add_block(&mut body, &synthesis.chars().rev().collect::<String>());
                        appended.push((cycle, EntryKind::Note(NoteKind::VerdictBlock), text.clone()));
                        prop_assert!(ends_with(&body, &synthesis), "{}", body);
                        let entries = parse(&body);
                        let last = entries.synthesis().unwrap();
                        prop_assert_eq!(entries.repeat_of(last), Some(text.as_str()));
                        let reach = reach_of_orderly(&body, schedule);
                        prop_assert!(
                            reach.is_some_and(|reach| reach.has_block) == body.starts_with("# ")
                        );
                    }
                }
            }
            let entries = parse(&body);
            prop_assert!(entries.0.iter().all(|entry| entry.at == Some(AT)));
            let mut again = open(&question);
            for entry in &entries.0 {
                entry.append_to(&mut again);
            }
            prop_assert_eq!(again, body);
            let parts = |entry: Entry| (entry.cycle, entry.what, entry.text);
            let found: Vec<_> = entries.0.into_iter().map(parts).collect();
            prop_assert_eq!(found, appended);
        }

        #[test]
        fn white_space_separates_words(text in "[ -~\\s\\x00-\\x1f]{0,40}") {
            prop_assert_eq!(count_words(&text), text.split_whitespace().count());
        }
    }

    #[test]
    fn a_block_belongs_to_the_judgment_or_synthesis_right_above_it() {
        const SYNTHESIS: EntryKind = EntryKind::Reply(Place { seat: Seat::Synthesizer, round: 1 });
        const ADVOCATE: EntryKind = EntryKind::Reply(Place { seat: Seat::Advocate, round: 1 });
        const JUDGMENT: EntryKind = EntryKind::Note(NoteKind::Judgment);
        const BLOCK: EntryKind = EntryKind::Note(NoteKind::VerdictBlock);
        const STEERING: EntryKind = EntryKind::Note(NoteKind::Steering);
        // The block of each synthesis and judgment; then: are the judgments combined?
        for (sections, repeats, judged) in [
            (&[ADVOCATE, SYNTHESIS][..], &[None][..], false),
            (&[SYNTHESIS, BLOCK], &[Some("1")], false),
            (&[SYNTHESIS, STEERING, BLOCK], &[Some("2")], false),
            (&[SYNTHESIS, BLOCK, BLOCK], &[Some("1")], false),
            (&[SYNTHESIS, EntryKind::Cycle, BLOCK], &[None], false),
            (&[SYNTHESIS, ADVOCATE, BLOCK], &[None], false),
            (&[JUDGMENT, BLOCK, JUDGMENT, SYNTHESIS], &[Some("1"), None, None], true),
            (&[JUDGMENT, JUDGMENT, BLOCK, SYNTHESIS, BLOCK], &[None, Some("2"), Some("4")], true),
            (&[JUDGMENT, ADVOCATE, SYNTHESIS], &[None, None], false),
        ] {
            let mut body = open("Why?");
            for (at, what) in sections.iter().enumerate() {
                Entry { cycle: 2, ..Entry::new(*what, AT, at.to_string()) }.append_to(&mut body);
            }
            let entries = parse(&body);
            let decide = || entries.originals().filter(|entry| entry.what != ADVOCATE);
            let found: Vec<_> = decide().map(|entry| entries.repeat_of(entry)).collect();
            assert_eq!(found, repeats, "{sections:?}");
            let synthesis = entries.synthesis();
            assert_eq!(synthesis.is_some_and(|last| entries.is_of_judges(last)), judged);
        }
    }

    #[test]
    fn a_transcript_looks_like_this() {
        let mut body = open("Should we?");
        append(&mut body, place(Seat::Advocate, 1), None, AT, "A1. Yes.\n\n## Not a section");
        append(&mut body, place(Seat::Critic, 1), None, AT, "C1. No.");
        append(&mut body, place(Seat::Synthesizer, 1), None, AT, "Maybe.");
        assert_eq!(
            body,
            "# Should we?\n\n## Round 1\n\n### Advocate\n\
             <!-- anvil {\"at\":\"1970-01-01T00:00:00Z\",\"words\":6} -->\n\
             > A1. Yes.\n>\n> ## Not a section\n\n### Critic\n\
             <!-- anvil {\"at\":\"1970-01-01T00:00:00Z\",\"words\":2} -->\n> C1. No.\n\n\
             ## Synthesis\n<!-- anvil {\"at\":\"1970-01-01T00:00:00Z\",\"words\":1} -->\n> Maybe.\n"
        );
        assert_eq!(line_of_round(&body, 1), Some(2));
        assert_eq!(line_of_round(&body, 2), None);
    }

    #[test]
    fn a_reply_without_its_beginning_is_marked_and_counted() {
        let mut body = open("Should we?");
        append(&mut body, place(Seat::Advocate, 1), None, AT, "A1. Yes.");
        let what = EntryKind::Reply(place(Seat::Critic, 1));
        Entry { beginning_missing: true, ..Entry::new(what, AT, "C2. No, never.") }
            .append_to(&mut body);
        assert!(body.ends_with(
            "### Critic\n\
                <!-- anvil {\"at\":\"1970-01-01T00:00:00Z\",\
                \"words\":3,\"beginning_missing\":true} -->\n\
                > C2. No, never.\n"
        ));
        let entries = parse(&body);
        assert_eq!(
            entries.0.iter().map(|entry| entry.beginning_missing).collect::<Vec<_>>(),
            [false, true]
        );
        assert_eq!((entries.0[1].at, entries.0[1].text.as_str()), (Some(AT), "C2. No, never."));
        assert_eq!(words_marked(&body), 5);
        assert!(ends_with(&body, "C2. No, never."));
        let mut again = open("Should we?");
        for entry in entries.0 {
            entry.append_to(&mut again);
        }
        assert_eq!(again, body);
    }

    #[test]
    fn a_question_of_several_lines_is_below_its_title() {
        assert_eq!(open("One\ntwo"), "# One two\n\n> One\n> two\n");
    }

    #[test]
    fn handwritten_sections_are_read_unchanged() {
        let body = "# Q\n\n## Round 1\n\n### Advocate\n\nBy hand.\n\nTwo paragraphs.\n\n## \
            Notes\n\nMine.\n\n### Critic\n> Quoted\n>without a space\n";
        let sections = parse(body).0;
        assert_eq!(sections.len(), 2);
        assert_eq!(sections[0].text, "By hand.\n\nTwo paragraphs.");
        assert_eq!(sections[0].at, None);
        assert_eq!(sections[1].text, "Quoted\nwithout a space");
        assert_eq!(last_text(body), None);
    }

    #[test]
    fn a_voice_of_another_kind_of_debate_fills_no_place() {
        let heading = |name: &str| format!("## {name} 2: X\n<!-- anvil {{}} -->\n> Text.\n\n");
        let names = ["Stakeholder", "Persona", "Option", "Attack by option"];
        let entries = parse(&format!("# Q\n\n{}", names.map(heading).concat()));
        assert_eq!(entries.replies().count(), 4);
        let places = |format| {
            let schedule = Schedule { format, ..Schedule::seats(3) };
            entries.places_in(1, schedule).collect::<Vec<_>>()
        };
        assert_eq!(places(DebateFormat::Seats), []);
        assert_eq!(places(DebateFormat::Stakeholders), [Place::case(2)]);
        assert_eq!(places(DebateFormat::Personas), [Place::case(2)]);
        assert_eq!(places(DebateFormat::Options), [Place::case(2), Place::attack(2)]);
    }
}
