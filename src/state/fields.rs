//! The fields of a debate in the head of its file: names, order, ranges.
//!
//! Every value is checked against its range, and a wrong one is named with what was expected. [`read`] believes all or
//! nothing; [`believe`] takes from another debate what can't be right here.

use jiff::Timestamp;
use jiff::civil::Date;

use super::frontmatter::{self, Head, Value, Word};
use super::id::{MAX_ID_BYTES, is_safe_id, new_id};
use crate::debate::{
    Boundary, Debate, FactCheck, Format, MAX_CYCLES, MAX_FOCUS_CHARS, MAX_JUDGES, MAX_NAME_CHARS, MAX_OUTPUT_CHARS,
    MAX_OWN_CHARS, MAX_POSITION_CHARS, MAX_QUESTION_CHARS, MAX_RETRIES, MAX_ROUNDS, MAX_STEERING_CHARS, MAX_STEP,
    MAX_VOICES, MIN_ROUNDS, Mode, Named, Options, Ownership, Pending, Phase, Progress, Schedule, Slot, Status,
};
use crate::error::Error;

/// The version of the format that this program writes. A newer one is read for status, and never written.
pub(super) const SCHEMA: i64 = 2;

/// Highest cycle and count of continuations that is believed.
const MAX_COUNT: u32 = 1_000_000;

/// Longest list of what a debate was made from.
const MAX_SOURCE_CHARS: usize = 2_000;

/// A value that can't be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    key: String,
    /// What can be right; `None`: the key is missing.
    expected: Option<String>,
}

impl From<Wrong> for Error {
    fn from(wrong: Wrong) -> Self {
        let Wrong { key, expected } = wrong;
        Self::failed(
            expected.map_or_else(
                || format!("the state file's `{key}` is missing"),
                |expected| format!("the state file's `{key}` can't be right: expected {expected}"),
            ),
            "repair that line by hand, or start anew with --replace, which archives the file as it is",
        )
    }
}

type Result<T> = std::result::Result<T, Wrong>;

/// The head's lines in their order.
pub(super) fn keys(debate: &Debate) -> Vec<(&'static str, Value)> {
    let text = |text: &str| Value::Text(text.to_owned());
    let number = |number: u32| Value::Number(i64::from(number));
    let mut keys = vec![
        ("active", Value::Flag(debate.is_active())),
        ("question", text(&debate.question)),
        (
            "mode",
            debate
                .options
                .mode
                .built_in_word()
                .map_or_else(|| text(debate.options.mode.word()), |word| Value::Word(Word(word))),
        ),
        ("phase", Value::Word(Word(debate.progress.slot.phase.word()))),
        ("round", number(debate.progress.slot.round.into())),
        ("max_rounds", number(debate.options.max_rounds.into())),
        ("started_at", Value::Text(format!("{:.0}", debate.progress.started_at))),
        ("schema", Value::Number(SCHEMA)),
        ("id", text(&debate.id)),
        ("status", Value::Word(Word(debate.progress.status.word()))),
        ("status_detail", text(&debate.progress.status_detail)),
        ("session_id", text(debate.ownership.session_id.as_deref().unwrap_or_default())),
        ("step", number(debate.progress.step)),
        ("cycle", number(debate.progress.cycle)),
        ("retry_count", number(debate.progress.retry_count.into())),
        ("updated_at", Value::Text(format!("{:.3}", debate.progress.updated_at))),
        ("continuations", number(debate.ownership.continuations)),
        // It stands there whether it is set or not: it is set together with a cue that names lines of this file.
        ("must_read", Value::Flag(debate.ownership.must_read)),
    ];
    let names = (!debate.options.voices.is_empty())
        .then(|| Value::List(debate.options.voices.iter().map(|voice| text(&voice.name)).collect()));
    let has_texts = debate.options.voices.iter().any(|voice| voice.text.is_some());
    let texts = has_texts.then(|| {
        let own = |voice: &Named| text(voice.text.as_deref().unwrap_or_default());
        Value::List(debate.options.voices.iter().map(own).collect())
    });
    let framework = debate.options.framework.as_ref();
    let optional = [
        ("prompt_id", debate.ownership.prompt_id.as_deref().map(text)),
        ("position", debate.options.position.as_deref().map(text)),
        ("mode_text", debate.options.mode_text.as_deref().map(text)),
        (if debate.options.mode == Mode::Stakeholders { "stakeholders" } else { "personas" }, names),
        ("persona_texts", texts),
        ("focus", debate.options.focus.as_deref().map(text)),
        ("framework", framework.map(|framework| text(&framework.name))),
        ("framework_text", framework.and_then(|framework| framework.text.as_deref()).map(text)),
        ("research", flag(debate.options.research)),
        ("blind", flag(debate.options.blind)),
        ("fact_check", debate.options.fact_check.map(|check| Value::Word(Word(check.word())))),
        ("interactive", flag(debate.options.interactive)),
        ("judges", (debate.options.judges > 1).then(|| number(debate.options.judges.into()))),
        ("early_end", (!debate.options.early_end).then_some(Value::Flag(false))),
        ("boundary", debate.options.boundary.map(|boundary| Value::Word(Word(boundary.word())))),
        ("context_source", debate.options.context_source.as_deref().map(text)),
        ("follow_up", debate.options.follow_up.as_deref().map(text)),
        ("versus", debate.options.versus.as_deref().map(text)),
        ("review", debate.options.review.map(|day| Value::Text(day.to_string()))),
        ("house_rules", debate.options.house_rules.as_deref().map(text)),
        ("output", debate.options.output.as_deref().map(text)),
        ("steering", debate.progress.steering.as_deref().map(text)),
        ("awaits_steering", flag(debate.awaits_direction())),
        ("synthesis_requested", flag(debate.progress.synthesis_requested)),
        ("form_retry", flag(debate.progress.form_retry)),
        ("judgments", (debate.progress.judgments > 0).then(|| number(debate.progress.judgments.into()))),
        ("apart", flag(debate.ownership.apart)),
        ("pause_requested", flag(debate.pause_requested())),
    ];
    keys.extend(optional.into_iter().filter_map(|(key, value)| Some((key, value?))));
    keys
}

/// A flag stands in the head only where it is set.
fn flag(set: bool) -> Option<Value> {
    set.then_some(Value::Flag(true))
}

/// Believes the head, key by key; what is left over belongs to the user.
pub(super) fn read(head: Head) -> Result<(Debate, Head)> {
    let mut head = Reader(head);
    head.number("schema", 0, i64::MAX)?;
    let active = head.flag("active")?.unwrap_or(false);
    let question = head.text("question", MAX_QUESTION_CHARS)?.ok_or_else(|| missing("question"))?;
    let mode_text = head.text("mode_text", MAX_OWN_CHARS)?;
    let mode = head.name("mode")?.map_or(Mode::Analyst, |name| Mode::named(&name));
    if matches!(mode, Mode::Custom(_)) && mode_text.is_none() {
        return Err(wrong("mode", "analyst, philosopher, devils-advocate, stakeholders, or a name with its mode_text"));
    }
    let voices = voices(&mut head, &mode)?;
    let framework = head.name("framework")?;
    let framework_text = head.text("framework_text", MAX_OWN_CHARS)?;
    let format = Format::of(&mode, voices.len());
    let phase = phase(&mut head, format)?;
    let round = head.number("round", MIN_ROUNDS, MAX_ROUNDS)?.ok_or_else(|| missing("round"))?;
    let max_rounds = head.number("max_rounds", MIN_ROUNDS, MAX_ROUNDS)?.ok_or_else(|| missing("max_rounds"))?;
    let started_at = head.time("started_at")?.ok_or_else(|| missing("started_at"))?;
    let id = head.text("id", MAX_ID_BYTES)?.unwrap_or_else(|| new_id(&question, started_at, ""));
    if !is_safe_id(&id) {
        return Err(wrong("id", "lower-case letters, digits and hyphens"));
    }
    let status = head
        .word("status", Status::from_word, "not_started, in_progress, paused, completed, failed or cancelled")?
        .unwrap_or(if active { Status::Paused } else { Status::Completed });
    let voices_count = u8::try_from(voices.len()).unwrap_or(MAX_ROUNDS);
    let options = Options {
        position: head.text("position", MAX_POSITION_CHARS)?,
        mode,
        mode_text,
        voices,
        focus: head.text("focus", MAX_FOCUS_CHARS)?,
        framework: framework.map(|name| Named { name, text: framework_text }),
        research: head.flag("research")?.unwrap_or(false),
        blind: head.flag("blind")?.unwrap_or(false),
        fact_check: head.word("fact_check", FactCheck::from_word, "files or web")?,
        interactive: head.flag("interactive")?.unwrap_or(false),
        early_end: head.flag("early_end")?.unwrap_or(true),
        boundary: head.word("boundary", Boundary::from_word, "round or synthesis")?,
        context_source: head.text("context_source", MAX_SOURCE_CHARS)?,
        follow_up: head.text("follow_up", MAX_SOURCE_CHARS)?,
        versus: head.text("versus", MAX_SOURCE_CHARS)?,
        house_rules: head.text("house_rules", MAX_OWN_CHARS)?,
        // Where voices take turns, there are as many as there are voices.
        max_rounds: if format == Format::Seats { max_rounds } else { voices_count },
        judges: head.number("judges", 1, MAX_JUDGES)?.unwrap_or(1),
        review: head.day("review")?,
        output: head.text("output", MAX_OUTPUT_CHARS)?,
    };
    let progress = Progress {
        // `active: false` is the old and the obvious way to switch a debate off by hand.
        status: if status == Status::InProgress && !active { Status::Paused } else { status },
        status_detail: head.text("status_detail", 2_000)?.unwrap_or_default(),
        slot: Slot { phase, round },
        step: head.number("step", 0, MAX_STEP)?.unwrap_or(1),
        cycle: head.number("cycle", 1, MAX_CYCLES)?.unwrap_or(1),
        retry_count: head.number("retry_count", 0, MAX_RETRIES)?.unwrap_or(0),
        judgments: head.number("judgments", 0, MAX_JUDGES)?.unwrap_or(0),
        steering: head.text("steering", MAX_STEERING_CHARS)?,
        synthesis_requested: head.renamed_flag("synthesis_requested", &["ending"])?,
        form_retry: head.renamed_flag("form_retry", &["headings_retry", "reshaping"])?,
        started_at,
        updated_at: head.time("updated_at")?.unwrap_or(started_at),
    };
    let pauses = head.renamed_flag("pause_requested", &["pausing"])?;
    let awaits = head.flag("awaits_steering")?.unwrap_or(false);
    let ownership = Ownership {
        session_id: head.text("session_id", 200)?,
        prompt_id: head.text("prompt_id", 200)?,
        pending: match progress.status {
            Status::InProgress if pauses => Pending::Pause,
            Status::InProgress => Pending::Nothing,
            _ if awaits => Pending::Direction,
            _ => Pending::Nothing,
        },
        must_read: head.flag("must_read")?.unwrap_or(false),
        apart: head.flag("apart")?.unwrap_or(false),
        continuations: head.number("continuations", 0, MAX_COUNT)?.unwrap_or(0),
    };
    let debate = Debate { id, question, options, progress, ownership };
    Ok((debate, head.0))
}

/// A phase of such a debate.
fn phase(head: &mut Reader, format: Format) -> Result<Phase> {
    let words = match format {
        Format::Seats => "advocate, critic or synthesizer",
        Format::Stakeholders => "stakeholder or synthesizer",
        Format::Personas => "persona or synthesizer",
    };
    let phase = head.word("phase", Phase::from_word, words)?.ok_or_else(|| missing("phase"))?;
    let schedule = Schedule { format, ..Schedule::seats(MAX_ROUNDS) };
    if schedule.has(phase) { Ok(phase) } else { Err(wrong("phase", words)) }
}

/// The stakeholders or personas of a debate.
fn voices(head: &mut Reader, mode: &Mode) -> Result<Vec<Named>> {
    let key = if *mode == Mode::Stakeholders { "stakeholders" } else { "personas" };
    let names = head.texts(key, MAX_VOICES, MAX_NAME_CHARS)?;
    let texts = head.texts("persona_texts", MAX_VOICES, MAX_OWN_CHARS)?;
    if *mode == Mode::Stakeholders && names.len() < 2 {
        return Err(wrong(key, "a list of 2 or more names"));
    }
    if names.iter().any(|name| name.trim().is_empty() || name.chars().any(char::is_control)) {
        return Err(wrong(key, "a list of names of one line each"));
    }
    let own = |index: usize| texts.get(index).filter(|text: &&String| !text.is_empty()).cloned();
    Ok(names.into_iter().enumerate().map(|(index, name)| Named { name, text: own(index) }).collect())
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

    /// A flag that had another name in earlier files.
    fn renamed_flag(&mut self, key: &str, earlier: &[&str]) -> Result<bool> {
        let mut set = self.flag(key)?;
        for name in earlier {
            let value = self.flag(name)?;
            set = set.or(value);
        }
        Ok(set.unwrap_or(false))
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

    /// A name of one line.
    fn name(&mut self, key: &str) -> Result<Option<String>> {
        let name = self.text(key, MAX_NAME_CHARS)?;
        let is_line = |name: &String| !name.chars().any(char::is_control);
        if name.as_ref().is_none_or(is_line) { Ok(name) } else { Err(wrong(key, "a name of one line")) }
    }

    fn texts(&mut self, key: &str, most: usize, most_chars: usize) -> Result<Vec<String>> {
        let expected = || wrong(key, &format!("a list of at most {most} texts of at most {most_chars} characters"));
        let list = match self.0.remove(key) {
            None | Some(Value::Empty(())) => return Ok(Vec::new()),
            Some(Value::Text(text)) if text.is_empty() => return Ok(Vec::new()),
            Some(Value::List(list)) => list,
            Some(_) => return Err(expected()),
        };
        let text = |value| match value {
            Value::Text(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Flag(flag) => Some(flag.to_string()),
            Value::List(_) | Value::Empty(()) | Value::Word(_) => None,
        };
        let texts: Option<Vec<String>> = list.into_iter().map(text).collect();
        let fits =
            |texts: &Vec<String>| texts.len() <= most && texts.iter().all(|text| text.chars().count() <= most_chars);
        texts.filter(fits).ok_or_else(expected)
    }

    fn word<T>(&mut self, key: &str, read: fn(&str) -> Option<T>, words: &str) -> Result<Option<T>> {
        match self.text(key, 100)? {
            None => Ok(None),
            Some(word) => read(&word).map(Some).ok_or_else(|| wrong(key, words)),
        }
    }

    fn day(&mut self, key: &str) -> Result<Option<Date>> {
        match self.text(key, 100)? {
            None => Ok(None),
            Some(day) => day.parse().map(Some).map_err(|_| wrong(key, "a day such as 2027-01-15")),
        }
    }

    fn time(&mut self, key: &str) -> Result<Option<Timestamp>> {
        match self.text(key, 100)? {
            None => Ok(None),
            Some(time) => time.parse().map(Some).map_err(|_| wrong(key, "a time such as 2026-11-21T01:55:41Z")),
        }
    }
}

/// The version of the format that a head is written in, where that is newer than ours.
pub(super) fn newer_schema(head: &Head) -> Option<i64> {
    match head.get("schema") {
        Some(Value::Number(schema)) if *schema > SCHEMA => Some(*schema),
        _ => None,
    }
}

/// Believes the head as far as it can be right, and takes the rest from `other`, of the same debate; says of each such value
/// what it is now.
pub(super) fn parse_lenient(mut head: Head, other: &Debate) -> (Debate, Head, Vec<String>) {
    let others: Head = keys(other).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let mut said = Vec::new();
    let mut repaired = Vec::new();
    // Each pass repairs one value, and the other debate's are right.
    for _ in 0..=others.len() {
        let Err(Wrong { key, expected }) = read(head.clone()) else { break };
        if repaired.contains(&key) {
            // It is right by itself, and does not go with who speaks.
            for who in ["mode", "mode_text", "stakeholders", "personas", "persona_texts"] {
                head.remove(who);
                head.extend(others.get_key_value(who).map(|(key, value)| (key.clone(), value.clone())));
            }
            said.pop();
            said.push("who speaks does not go with the phase that waits; it is as before".to_owned());
            continue;
        }
        repaired.push(key.clone());
        let mut now = String::new();
        let told = (key == "active" && is_in_progress(&head)).then_some(&Value::Flag(true));
        if let Some(value) = told.or(others.get(&key)) {
            frontmatter::write_value(&mut now, value);
            head.insert(key.clone(), value.clone());
        } else {
            now.push_str("gone");
            head.remove(&key);
        }
        said.push(expected.map_or_else(
            || format!("`{key}` was missing; it is now {now:.60}"),
            |expected| format!("`{key}` must be {expected}; it is now {now:.60}"),
        ));
    }
    match read(head) {
        Ok((debate, extra)) => (debate, extra, said),
        Err(_) => (other.clone(), Head::new(), said),
    }
}

/// Where `active` was lost, `status` tells the same.
pub(super) fn follow_status(head: &mut Head) {
    if is_in_progress(head) && !matches!(head.get("active"), Some(Value::Flag(_))) {
        head.insert("active".to_owned(), Value::Flag(true));
    }
}

fn is_in_progress(head: &Head) -> bool {
    matches!(head.get("status"), Some(Value::Text(status)) if status == Status::InProgress.word())
}

fn wrong(key: &str, expected: &str) -> Wrong {
    Wrong { key: key.to_owned(), expected: Some(expected.to_owned()) }
}

fn missing(key: &str) -> Wrong {
    Wrong { key: key.to_owned(), expected: None }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::state) fn debate() -> Debate {
        Debate::new("2026-11-21-why-0000".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH)
    }

    /// A debate in which every key is set.
    pub(in crate::state) fn full() -> Debate {
        let now = Timestamp::from_second(100).unwrap();
        let mut debate = debate();
        let named = |name: &str| Named { name: name.into(), text: Some("text".into()) };
        let text = || Some("text".to_owned());
        let options = &mut debate.options;
        (options.position, options.mode_text, options.focus, options.house_rules) = (text(), text(), text(), text());
        (options.context_source, options.follow_up, options.versus, options.output) = (text(), text(), text(), text());
        (options.voices, options.framework) = (vec![named("one")], Some(named("adr")));
        (options.research, options.blind, options.interactive, options.early_end) = (true, true, true, false);
        (options.boundary, options.fact_check, options.judges) = (Some(Boundary::Round), Some(FactCheck::Files), 3);
        options.review = Some(Date::constant(2027, 1, 15));
        debate.claim("session", Some("turn"), now);
        debate.steer("the cost".into());
        debate.request_synthesis();
        debate.follow_judgments(2);
        debate.fill_apart();
        debate.retry_for_form();
        debate.request_pause();
        debate
    }

    #[test]
    fn flags_are_read_under_the_names_of_earlier_files() {
        let head = |debate: &Debate| -> Head {
            keys(debate).into_iter().map(|(key, value)| (key.to_owned(), as_read(value))).collect()
        };
        let debate = full();
        for form_retry in ["headings_retry", "reshaping"] {
            let mut earlier = head(&debate);
            for (new, old) in
                [("synthesis_requested", "ending"), ("form_retry", form_retry), ("pause_requested", "pausing")]
            {
                let value = earlier.remove(new).expect(new);
                earlier.insert(old.to_owned(), value);
            }
            assert_eq!(read(earlier).unwrap(), (debate.clone(), Head::new()));
        }
    }

    fn as_read(value: Value) -> Value {
        if let Value::Word(Word(word)) = value { Value::Text(word.to_owned()) } else { value }
    }
}
