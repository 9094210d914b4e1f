//! The state file as a whole: text to debate and transcript, and back.
//!
//! Keys that the user added survive a rewrite. `recover` handles a file that Anvil would not have
//! written.

pub mod carry;
pub(crate) mod error;
pub mod fields;
pub mod frontmatter;
pub mod id;
pub(crate) mod lines;
pub mod read;
pub mod yaml;

pub use carry::CarriedKeys;
pub use frontmatter::description;
pub use id::{RunId, new_id};
pub use read::MAX_STATE_BYTES;
pub use read::read_file;

use std::path::Path;

use anvil_core::debate::{Debate, Status};
use anvil_core::limits::MAX_JUDGES;
use anvil_core::place::{Place, Schedule, Seat, may_be_ended_at, may_wait_at};
use anvil_core::transcript::{self};
use anvil_text::error::{Error, Result};
pub(crate) use error::FileError;
use fields::SCHEMA;
use frontmatter::{Frontmatter, MAX_HEAD_BYTES};

/// A debate with its transcript, as the file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateFile {
    pub debate: Debate,
    /// The Markdown below the head: the question and every section.
    pub body: String,
    /// Keys of the head that are not Anvil's.
    pub(crate) extra: Frontmatter,
    /// The newer format of the file: such a file is read, and never written.
    pub(crate) newer_schema: Option<i64>,
}

impl StateFile {
    /// A new file: a debate and its opened transcript.
    pub fn new(debate: Debate) -> Self {
        let body = transcript::open(&debate.question);
        Self { debate, body, extra: Frontmatter::new(), newer_schema: None }
    }

    /// Reads a state file. An error names the first invalid value; nothing is guessed.
    pub fn parse(text: &str) -> Result<Self> {
        let (head, body) = frontmatter::split(text).ok_or(FileError::NoHead)?;
        check_headings(body.as_bytes())?;
        Ok(Self { body: body.to_owned(), ..Self::parse_head(head)? })
    }

    /// Reads a head with both its fences; the body stays empty. An error names the first invalid
    /// value.
    pub(crate) fn parse_head(head: &str) -> Result<Self> {
        let head = frontmatter::read(head)?;
        let other = fields::other_schema(&head);
        if let Some(schema) = other.filter(|schema| *schema < SCHEMA) {
            return Err(FileError::Schema(schema).into());
        }
        let (debate, extra) = fields::read(head).map_err(|wrong| match other {
            Some(schema) => Error::from(FileError::Schema(schema)),
            None => wrong.into(),
        })?;
        Ok(Self { debate, body: String::new(), extra, newer_schema: other })
    }

    /// Reads the state in a file. A missing file is an error.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = read_file(path)?.ok_or(FileError::Gone)?;
        let text = String::from_utf8(bytes).map_err(|_| FileError::NotUtf8)?;
        Self::parse(&text)
    }

    /// True if head and transcript look as Anvil writes them and agree; cheap. The caller looks
    /// more closely at any other file.
    pub fn is_orderly(&self) -> bool {
        self.agrees(may_wait_at)
    }

    /// Like [`Self::is_orderly`], without a snapshot: accepts the file's word that its argument
    /// was ended.
    pub fn is_orderly_by_itself(&self) -> bool {
        self.agrees(|place, furthest, schedule| {
            may_wait_at(place, furthest, schedule) || may_be_ended_at(place, furthest)
        })
    }

    fn agrees(&self, may_wait_at: fn(Place, Option<Place>, Schedule) -> bool) -> bool {
        let debate = &self.debate;
        let Some(reach) = transcript::reach_of_orderly(&self.body, debate.schedule()) else {
            return false;
        };
        let furthest = reach.last;
        let has_synthesis = furthest.is_some_and(|furthest| furthest.seat == Seat::Synthesizer);
        let fits = match debate.status() {
            Status::Completed => has_synthesis,
            Status::Cancelled => true,
            Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => {
                let place = debate.place();
                let waits = if has_synthesis {
                    // An argument that was ended early has its synthesis in the round after the
                    // last one argued.
                    debate.awaits_block() && place.seat == Seat::Synthesizer && !reach.has_block
                } else {
                    may_wait_at(place, furthest, debate.schedule())
                        && (!debate.awaits_block() || reach.judgments > 0 && !reach.has_block)
                };
                waits && place.number() <= debate.options.max_rounds
            }
        };
        let titled = transcript::question(&self.body);
        let judgments = reach.judgments.min(MAX_JUDGES.into());
        fits && judgments == usize::from(debate.judgments())
            && reach.cycle == debate.cycle()
            && titled.is_some_and(|titled| {
                titled == debate.question || titled == transcript::normalise(&debate.question)
            })
            && self.body.ends_with('\n')
            && memchr::memchr2(b'\r', 0, self.body.as_bytes()).is_none()
    }

    /// True for a file of a newer Anvil, which is shown and never written.
    pub fn is_newer(&self) -> bool {
        self.newer_schema.is_some()
    }

    pub(crate) fn check_writable(&self) -> Result<()> {
        self.newer_schema.map_or(Ok(()), |schema| Err(FileError::Schema(schema).into()))
    }

    /// The file's text. An error for a state that could not be read back.
    pub fn render(&self) -> Result<String> {
        Ok(self.render_head()? + &self.body)
    }

    /// The file's head; the body follows it.
    pub(crate) fn render_head(&self) -> Result<String> {
        let head = self.head();
        let whole = head.len() + self.body.len();
        if head.len() <= MAX_HEAD_BYTES && whole as u64 <= MAX_STATE_BYTES {
            return Ok(head);
        }
        Err(FileError::TooLong { whole, head: head.len() }.into())
    }

    fn head(&self) -> String {
        let mut out = String::with_capacity(self.debate.question.len() + 1024);
        out.push_str("---\n");
        for (key, value) in fields::keys(&self.debate) {
            frontmatter::write(&mut out, key, &value);
        }
        for (key, value) in &self.extra {
            frontmatter::write(&mut out, key, value);
        }
        out.push_str("---\n");
        out
    }

    /// The line of the title, counted from 1.
    pub fn line_of_title(&self) -> usize {
        self.head().lines().count() + 1
    }

    /// The lines of the material that was gathered before the first round: the first one, counted
    /// from 1, and how many.
    pub fn lines_of_material(&self) -> Option<(usize, usize)> {
        let (first, count) = transcript::lines_of_material(&self.body)?;
        Some((self.line_of_title() + first, count))
    }

    /// The line at which the argument begins, counted from 1.
    pub fn line_of_first_round(&self) -> Option<usize> {
        transcript::line_of_first_round(&self.body).map(|line| self.line_of_title() + line)
    }

    /// The line at which a round of the last cycle begins, counted from 1.
    pub fn line_of_round(&self, round: u8) -> Option<usize> {
        transcript::line_of_round(&self.body, round).map(|line| self.line_of_title() + line)
    }
}

/// Refuses a transcript with more headings than are read.
pub(super) fn check_headings(body: &[u8]) -> Result<()> {
    if !transcript::has_too_many_headings(body) {
        return Ok(());
    }
    Err(FileError::TooManyHeadings.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::debate::{Ownership, Progress, StopReason};
    use anvil_core::limits::{
        MAX_CYCLES, MAX_OUTPUT_CHARS, MAX_POSITION_CHARS, MAX_QUESTION_CHARS, MAX_VOICES,
    };
    use anvil_core::options::{FactCheck, Mode, Named, Options};
    use anvil_core::transcript::MAX_HEADINGS;
    use jiff::Timestamp;
    use proptest::prelude::*;

    fn state(question: &str) -> StateFile {
        StateFile::new(Debate::new(
            "2026-11-21-why-0000".into(),
            question.into(),
            3,
            Timestamp::UNIX_EPOCH,
        ))
    }

    proptest! {
        #[test]
        fn a_state_round_trips(
            question in ".{1,300}",
            position in prop::option::of(".{1,100}"),
            output in prop::option::of("[^\\x00]{1,100}"),
            detail in any::<String>(),
            round in 1..=10_u8,
            step in 0..1_000_u32,
            pausing: bool,
        ) {
            let mut state = state(&question);
            let Debate { id, question, options, .. } = state.debate;
            let options = Options { position, output, ..options };
            let detail: String = detail.chars().take(2_000).collect();
            let progress = Progress {
                stop_reason: StopReason::parse(&detail),
                place: Place { round, ..Place::FIRST },
                step,
                status: Status::InProgress,
                ..Progress::new(Timestamp::UNIX_EPOCH)
            };
            state.debate = Debate::of_parts(id, question, options, progress, Ownership::default());
            if pausing {
                state.debate.request_pause();
            }
            let text = state.render().unwrap();
            prop_assert_eq!(StateFile::parse(&text).expect("it was just written"), state.clone());
            let (head, _) = frontmatter::split(&text).expect("it was just written");
            let head = StateFile::parse_head(head).expect("it was just written");
            prop_assert_eq!(head.debate, state.debate);
        }

        #[test]
        fn options_round_trip(
            names in prop::collection::vec("[^\\p{C}]{1,60}", 0..=MAX_VOICES),
            texts in prop::collection::vec(prop::option::of("(?s).{1,200}"), MAX_VOICES),
            mode in 0..6_usize,
            text in "(?s).{1,200}",
            steering in prop::option::of("(?s).{1,200}"),
            flags in any::<u8>(),
            cycle in 1..=MAX_CYCLES,
        ) {
            let is_name = |name: &&String| !name.trim().is_empty();
            let voice = |(name, text): (&String, &Option<String>)| {
                Named { name: name.clone(), text: text.clone() }
            };
            let mut state = state("Why?");
            let debate = &mut state.debate;
            debate.options.voices = names.iter().filter(is_name).zip(&texts).map(voice).collect();
            let custom = || Mode::Custom("socratic \"x\": y".into());
            debate.options.mode = Mode::ALL.get(mode).cloned().unwrap_or_else(custom);
            if matches!(debate.options.mode, Mode::Stakeholders | Mode::Options) {
                let count = debate.options.voices.len().max(2);
                let legal = Named { name: "legal".into(), text: None };
                debate.options.voices.resize(count, legal);
            }
            let has = |bit: u8| flags & (1 << bit) != 0;
            let is_custom = matches!(debate.options.mode, Mode::Custom(_));
            let is_of_question = matches!(debate.options.mode, Mode::Options | Mode::Revise);
            let has_text = is_custom || has(0) && !is_of_question;
            debate.options.mode_text = has_text.then(|| text.clone());
            let adr = || Named { name: "adr".into(), text: has(2).then(|| text.clone()) };
            debate.options.framework = has(1).then(adr);
            debate.options.focus = has(3).then(|| text.clone());
            debate.options.house_rules = has(4).then(|| text.clone());
            debate.options.research = has(5);
            debate.options.blind = has(6);
            debate.options.interactive = has(7);
            debate.options.fact_check = has(6).then_some(FactCheck::Web);
            if has(0) {
                debate.await_direction();
            }
            if has(1) {
                debate.request_synthesis();
            }
            debate.set_retries(0, has(2));
            debate.options.early_end = has(4);
            debate.options.questions = has(5);
            debate.options.judges = 1 + flags % MAX_JUDGES;
            debate.set_judgments(flags % (MAX_JUDGES + 1));
            debate.options.context_source = steering.clone();
            debate.options.plan = has(2).then(|| text.clone());
            debate.options.follow_up = Some(text);
            debate.set_awaits_block(has(7));
            if let Some(steering) = steering {
                debate.steer(steering);
            }
            debate.set_cycle(cycle);
            debate.options.max_rounds = debate.schedule().max_rounds;
            debate.set_place(debate.schedule().first());
            let text = state.render().unwrap();
            prop_assert_eq!(StateFile::parse(&text).expect("it was just written"), state);
        }
    }

    #[test]
    fn a_debate_with_more_headings_than_are_read_is_refused() {
        let mut state = state("Why?");
        state.body += &"\n### Advocate\n".repeat(MAX_HEADINGS);
        let error = StateFile::parse(&state.render().unwrap()).unwrap_err();
        assert!(error.to_string().contains("more than 5000 headings"), "{error}");
        state.body.truncate(state.body.rfind("\n###").unwrap());
        assert_eq!(StateFile::parse(&state.render().unwrap()).unwrap(), state);
    }

    #[test]
    fn the_longest_question_fits_into_the_head() {
        let question = "\u{1FFFE}".repeat(MAX_QUESTION_CHARS);
        let mut state = state(&question);
        state.debate.options.position = Some("\u{1FFFE}".repeat(MAX_POSITION_CHARS));
        state.debate.options.output = Some("\u{1FFFE}".repeat(MAX_OUTPUT_CHARS));

        assert_eq!(StateFile::parse(&state.render().unwrap()).unwrap(), state);
    }

    #[test]
    fn a_debate_has_at_most_32_mib() {
        let mut state = state("Why?");
        let head = state.render().unwrap().len() - state.body.len();
        state.body = "x".repeat(32 * 1024 * 1024 - head);
        assert_eq!(state.render().unwrap().len(), 33_554_432);
        state.body.push('x');
        let error = state.render().unwrap_err().to_string();
        assert!(error.contains("would have 33554433 bytes"), "{error}");
    }

    #[test]
    fn a_name_that_is_not_safe_in_a_path_is_refused() {
        let text = state("Why?").render().unwrap();
        for id in ["../x", "a/b", "", "A", ".hidden", "-x", "a b"] {
            let text = text.replace("2026-11-21-why-0000", id);
            assert_eq!(StateFile::parse(&text).is_err(), !id.is_empty(), "{id}");
        }
    }

    #[test]
    fn inactive_means_paused_and_an_earlier_schema_is_not_read() {
        let mut state = state("Why?");
        state.debate.take_up();
        let text = state.render().unwrap();
        let paused = text.replace("active: true", "active: false");
        assert_eq!(StateFile::parse(&paused).unwrap().debate.status(), Status::Paused);
        let earlier = StateFile::parse(&text.replace("schema: 3", "schema: 2")).unwrap_err();
        assert!(earlier.to_string().contains("has schema 2"), "{earlier}");
        let hint = earlier.hint().plain();
        assert!(hint.starts_with("an earlier Anvil wrote it"), "{hint}");
        let newer = StateFile::parse(&text.replace("schema: 3", "schema: 4")).unwrap();
        let hint = newer.check_writable().unwrap_err().hint().plain();
        assert!(hint.starts_with("a newer Anvil wrote it"), "{hint}");
    }
}
