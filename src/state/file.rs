//! The state file as a whole: text to debate and transcript, and back.
//!
//! Every value is checked here against its range, and a wrong one is named with what was expected. Keys that a person
//! added survive a rewrite.

use jiff::Timestamp;

use super::frontmatter::{self, Head, MAX_HEAD_BYTES, Value, Word};
use super::store::MAX_STATE_BYTES;
use crate::debate::{
    Debate, MAX_OUTPUT_CHARS, MAX_POSITION_CHARS, MAX_QUESTION_CHARS, MAX_RETRIES, MAX_ROUNDS, MIN_ROUNDS, Mode, Phase,
    Place, Status,
};
use crate::error::{Error, Result};

/// The version of the format that this program writes. A newer one is refused, never rewritten.
const SCHEMA: i64 = 2;

/// Highest step, cycle and count of continuations that is believed.
const MAX_COUNT: u32 = 1_000_000;

/// A debate with its transcript, as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateFile {
    /// Where the debate stands.
    pub debate: Debate,
    /// The Markdown below the head: the question and every section.
    pub body: String,
    /// Keys of the head that are not Anvil's.
    extra: Head,
}

impl StateFile {
    /// A new file: a debate and its opened transcript.
    #[must_use]
    pub fn new(debate: Debate) -> Self {
        let body = crate::transcript::open(&debate.question);
        Self { debate, body, extra: Head::new() }
    }

    /// Reads a state file. An error names the first value that can't be right; nothing is guessed.
    pub fn parse(text: &str) -> Result<Self> {
        let (head, body) = frontmatter::split(text).ok_or_else(no_head)?;
        let (debate, extra) = debate(frontmatter::read(head)?)?;
        Ok(Self { debate, body: body.to_owned(), extra })
    }

    /// Reads the debate from the beginning of a state file, without its transcript.
    pub fn parse_head(start: &str) -> Result<Debate> {
        let (head, _) = frontmatter::split(start).ok_or_else(no_head)?;
        Ok(debate(frontmatter::read(head)?)?.0)
    }

    /// The file's text. A state that could not be read back is refused.
    pub fn render(&self) -> Result<String> {
        let mut text = self.head();
        let head = text.len();
        text.push_str(&self.body);
        if head <= MAX_HEAD_BYTES && text.len() as u64 <= MAX_STATE_BYTES {
            return Ok(text);
        }
        Err(Error::failed(
            format!(
                "the debate would have {} bytes, {head} of them frontmatter: more than can be read back",
                text.len()
            ),
            "nothing was changed; /anvil:cancel archives the debate as it is",
        ))
    }

    fn head(&self) -> String {
        let mut out = String::with_capacity(self.body.len() + self.debate.question.len() + 1024);
        out.push_str("---\n");
        for (key, value) in keys(&self.debate) {
            frontmatter::write(&mut out, key, &value);
        }
        for (key, value) in &self.extra {
            frontmatter::write(&mut out, key, value);
        }
        out.push_str("---\n");
        out
    }

    /// The line of the file, counted from 1, at which a round begins.
    #[must_use]
    pub fn line_of_round(&self, round: u8) -> Option<usize> {
        let head_lines = self.head().lines().count();
        crate::transcript::line_of_round(&self.body, round).map(|line| head_lines + line + 1)
    }
}

fn no_head() -> Error {
    Error::failed(
        "the state file does not begin with a closed frontmatter block",
        "repair the lines between the two --- by hand, or start anew with --replace, which archives the file as it is",
    )
}

/// The head's lines in their order.
fn keys(debate: &Debate) -> Vec<(&'static str, Value)> {
    let text = |text: &str| Value::Text(text.to_owned());
    let number = |number: u32| Value::Number(i64::from(number));
    let mut keys = vec![
        ("active", Value::Flag(debate.is_active())),
        ("question", text(&debate.question)),
        ("mode", Value::Word(Word(debate.mode.word()))),
        ("phase", Value::Word(Word(debate.place.phase.word()))),
        ("round", number(debate.place.round.into())),
        ("max_rounds", number(debate.max_rounds.into())),
        ("started_at", Value::Text(format!("{:.0}", debate.started_at))),
        ("schema", Value::Number(SCHEMA)),
        ("id", text(&debate.id)),
        ("status", Value::Word(Word(debate.status.word()))),
        ("status_detail", text(&debate.status_detail)),
        ("session_id", text(debate.session_id.as_deref().unwrap_or_default())),
        ("step", number(debate.step)),
        ("cycle", number(debate.cycle)),
        ("retry_count", number(debate.retry_count.into())),
        ("updated_at", Value::Text(format!("{:.3}", debate.updated_at))),
        ("continuations", number(debate.continuations)),
    ];
    let optional = [("prompt_id", &debate.prompt_id), ("position", &debate.position), ("output", &debate.output)];
    for (key, value) in optional {
        if let Some(value) = value {
            keys.push((key, text(value)));
        }
    }
    if debate.pausing {
        keys.push(("pausing", Value::Flag(true)));
    }
    keys
}

/// Believes the head, key by key; what is left over belongs to the person.
fn debate(head: Head) -> Result<(Debate, Head)> {
    let mut head = Reader(head);
    if let Some(schema) = head.number("schema", 0, i64::MAX)?
        && schema > SCHEMA
    {
        return Err(Error::failed(
            format!("the state file has schema {schema}; this Anvil knows {SCHEMA}"),
            "a newer Anvil wrote it: upgrade this one; the file is left untouched",
        ));
    }
    let active = head.flag("active")?.unwrap_or(false);
    let question = head.text("question", MAX_QUESTION_CHARS)?.ok_or_else(|| missing("question"))?;
    let mode = head.word("mode", Mode::from_word, "analyst")?.unwrap_or(Mode::Analyst);
    let phase =
        head.word("phase", Phase::from_word, "advocate, critic or synthesizer")?.ok_or_else(|| missing("phase"))?;
    let round = head.number("round", MIN_ROUNDS, MAX_ROUNDS)?.ok_or_else(|| missing("round"))?;
    let max_rounds = head.number("max_rounds", MIN_ROUNDS, MAX_ROUNDS)?.ok_or_else(|| missing("max_rounds"))?;
    let started_at = head.time("started_at")?.ok_or_else(|| missing("started_at"))?;
    let id = head.text("id", 100)?.unwrap_or_else(|| new_id(&question, started_at, ""));
    if !is_safe_id(&id) {
        return Err(wrong("id", "lower-case letters, digits and hyphens"));
    }
    let status = head
        .word("status", Status::from_word, "not_started, in_progress, paused, completed, failed or cancelled")?
        .unwrap_or(if active { Status::Paused } else { Status::Completed });
    let debate = Debate {
        id,
        question,
        position: head.text("position", MAX_POSITION_CHARS)?,
        mode,
        place: Place { phase, round },
        max_rounds,
        // `active: false` is the old and the obvious way to switch a debate off by hand.
        status: if status == Status::InProgress && !active { Status::Paused } else { status },
        status_detail: head.text("status_detail", 2_000)?.unwrap_or_default(),
        session_id: head.text("session_id", 200)?,
        prompt_id: head.text("prompt_id", 200)?,
        pausing: head.flag("pausing")?.unwrap_or(false),
        step: head.number("step", 0, MAX_COUNT)?.unwrap_or(1),
        cycle: head.number("cycle", 1, MAX_COUNT)?.unwrap_or(1),
        retry_count: head.number("retry_count", 0, MAX_RETRIES)?.unwrap_or(0),
        continuations: head.number("continuations", 0, MAX_COUNT)?.unwrap_or(0),
        output: head.text("output", MAX_OUTPUT_CHARS)?,
        started_at,
        updated_at: head.time("updated_at")?.unwrap_or(started_at),
    };
    Ok((debate, head.0))
}

/// Takes typed values out of a head. An empty text counts as absent.
struct Reader(Head);

impl Reader {
    fn flag(&mut self, key: &str) -> Result<Option<bool>> {
        match self.0.remove(key) {
            None | Some(Value::Empty(())) => Ok(None),
            Some(Value::Flag(flag)) => Ok(Some(flag)),
            Some(_) => Err(wrong(key, "true or false")),
        }
    }

    fn number<T>(&mut self, key: &str, least: T, most: T) -> Result<Option<T>>
    where
        T: TryFrom<i64> + PartialOrd + Copy + std::fmt::Display,
    {
        let number = match self.0.remove(key) {
            None | Some(Value::Empty(())) => return Ok(None),
            Some(Value::Number(number)) => T::try_from(number).ok(),
            Some(_) => None,
        };
        let number = number.filter(|number| (least..=most).contains(number));
        number.map(Some).ok_or_else(|| wrong(key, &format!("a whole number from {least} to {most}")))
    }

    fn text(&mut self, key: &str, most_chars: usize) -> Result<Option<String>> {
        let text = match self.0.remove(key) {
            None | Some(Value::Empty(())) => return Ok(None),
            Some(Value::Text(text)) => text,
            Some(Value::Word(Word(word))) => word.to_owned(),
            Some(Value::Flag(flag)) => flag.to_string(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::List(_)) => return Err(wrong(key, "a text")),
        };
        if text.len() > most_chars && text.chars().count() > most_chars {
            return Err(wrong(key, &format!("a text of at most {most_chars} characters")));
        }
        Ok((!text.is_empty()).then_some(text))
    }

    fn word<T>(&mut self, key: &str, read: fn(&str) -> Option<T>, words: &str) -> Result<Option<T>> {
        match self.text(key, 100)? {
            None => Ok(None),
            Some(word) => read(&word).map(Some).ok_or_else(|| wrong(key, words)),
        }
    }

    fn time(&mut self, key: &str) -> Result<Option<Timestamp>> {
        match self.text(key, 100)? {
            None => Ok(None),
            Some(time) => time.parse().map(Some).map_err(|_| wrong(key, "a time such as 2026-11-21T01:55:41Z")),
        }
    }
}

fn wrong(key: &str, expected: &str) -> Error {
    Error::failed(
        format!("the state file's `{key}` can't be right: expected {expected}"),
        "repair that line by hand, or start anew with --replace, which archives the file as it is",
    )
}

fn missing(key: &str) -> Error {
    wrong(key, "it, and it is missing")
}

/// True for a name that is safe as a file name everywhere.
fn is_safe_id(id: &str) -> bool {
    let first = id.bytes().next();
    first.is_some_and(|byte| byte.is_ascii_alphanumeric())
        && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Names a debate: its day, the first words of its question, four digits that tell two of a kind apart.
#[must_use]
pub fn new_id(question: &str, now: Timestamp, salt: &str) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut slug = String::new();
    for word in question.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(4) {
        if slug.len() + word.len() > 32 {
            break;
        }
        slug.push_str(&word.to_ascii_lowercase());
        slug.push('-');
    }
    let mut hasher = DefaultHasher::new();
    (question, now.as_nanosecond(), salt).hash(&mut hasher);
    format!("{}-{slug}{:04x}", now.strftime("%Y-%m-%d"), hasher.finish() & 0xFFFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn state(question: &str) -> StateFile {
        StateFile::new(Debate::new("2026-11-21-why-0000".into(), question.into(), 3, Timestamp::UNIX_EPOCH))
    }

    proptest! {
        #[test]
        fn a_state_is_read_back_as_it_was_written(
            question in ".{1,300}",
            position in prop::option::of(".{1,100}"),
            output in prop::option::of("[^\\x00]{1,100}"),
            detail in any::<String>(),
            round in 1..=10_u8,
            step in 0..1_000_u32,
            pausing: bool,
        ) {
            let mut state = state(&question);
            state.debate.position = position;
            state.debate.output = output;
            state.debate.status_detail = detail.chars().take(2_000).collect();
            state.debate.place.round = round;
            state.debate.step = step;
            state.debate.pausing = pausing;
            state.debate.status = Status::InProgress;
            let text = state.render().unwrap();
            prop_assert_eq!(StateFile::parse(&text).expect("it was just written"), state.clone());
            prop_assert_eq!(StateFile::parse_head(&text).expect("it was just written"), state.debate);
        }

        #[test]
        fn any_text_is_a_state_or_an_error(text in any::<String>()) {
            let _ = StateFile::parse(&text);
            let _ = StateFile::parse(&format!("---\n{text}\n---\n"));
        }
    }

    #[test]
    fn the_longest_question_fits_into_the_head() {
        let question = "\u{1FFFE}".repeat(MAX_QUESTION_CHARS);
        let mut state = state(&question);
        state.debate.position = Some("\u{1FFFE}".repeat(MAX_POSITION_CHARS));
        state.debate.output = Some("\u{1FFFE}".repeat(MAX_OUTPUT_CHARS));

        assert_eq!(StateFile::parse(&state.render().unwrap()).unwrap(), state);
    }

    #[test]
    fn a_name_is_made_of_the_day_and_the_first_words() {
        let now: Timestamp = "2026-11-21T01:55:41Z".parse().unwrap();
        let id = new_id("Should we, really, move to microservices?", now, "");
        assert!(
            id.starts_with("2026-11-21-should-we-really-move-")
                && id.len() == "2026-11-21-should-we-really-move-".len() + 4,
            "{id}"
        );
        for question in ["", "😀", "../../etc", &"x".repeat(100)] {
            assert!(is_safe_id(&new_id(question, now, "")), "{question}");
        }
        assert_ne!(new_id("Q", now, "one"), new_id("Q", now, "two"));
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
    fn a_file_of_before_is_read_and_switched_off_by_hand_means_paused() {
        let old = "---\nactive: true\nquestion: Why not?\nmode: analyst\nphase: critic\nround: 2\nmax_rounds: 3\nstarted_at: \"2026-11-21T01:55:41Z\"\n---\n# Why not?\n";
        let debate = StateFile::parse(old).unwrap().debate;
        assert_eq!(
            (debate.status, debate.session_id, debate.place),
            (Status::Paused, None, Place { phase: Phase::Critic, round: 2 })
        );
        let mut state = state("Why?");
        state.debate.status = Status::InProgress;
        let text = state.render().unwrap().replace("active: true", "active: false");
        assert_eq!(StateFile::parse(&text).unwrap().debate.status, Status::Paused);
    }
}
