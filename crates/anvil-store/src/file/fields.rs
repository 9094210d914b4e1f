//! The fields of a debate in the head of its file: names, order, ranges.
//!
//! Every value is checked against its range. An error names the key and the expected value.
//! [`read`] accepts all values or none; [`parse_lenient`] replaces invalid values with those of
//! another state of the debate.

use jiff::Timestamp;

use super::frontmatter::{self, Frontmatter, Value};
use super::id::{MAX_ID_BYTES, is_safe_id, new_id};
use super::reader::{HeadReader, Wrong, missing, wrong};
use anvil_core::debate::{Debate, Ownership, Pending, PlainReason, Progress, Status, StopReason};
use anvil_core::limits::{
    MAX_CYCLES, MAX_JUDGES, MAX_NAME_CHARS, MAX_OWN_CHARS, MAX_QUESTION_CHARS, MAX_RETRIES,
    MAX_ROUNDS, MAX_STEERING_CHARS, MAX_STEP, MAX_VOICES, MIN_ROUNDS,
};
use anvil_core::options::{Boundary, DebateOption, FactCheck, Flags, Kept, Mode, Named, Options};
use anvil_core::place::{DebateFormat, Place, Schedule, place_of};

/// The version of the format that this program writes. A newer format is read for status, and never
/// written.
pub(crate) const SCHEMA: i64 = 3;

/// Highest accepted cycle, and highest accepted count of continuations.
const MAX_COUNT: u32 = 1_000_000;

/// The key of the house rules: the user's text for every role.
pub(super) const HOUSE_RULES: &str = "house_rules";

type HeadLine = (&'static str, Value);
type OptionalLine = (&'static str, Option<Value>);

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn optional_text(value: Option<&str>) -> Option<Value> {
    value.map(text)
}

fn number(number: u32) -> Value {
    Value::Number(i64::from(number))
}

/// The head's lines in their order.
pub fn keys(debate: &Debate) -> Vec<HeadLine> {
    let mut keys = required_lines(debate);
    let optional = std::iter::once(("prompt_id", optional_text(debate.prompt_id())))
        .chain(option_lines(&debate.options))
        .chain(progress_lines(debate));
    keys.extend(optional.filter_map(|(key, value)| Some((key, value?))));
    keys
}

/// The lines that every head has.
fn required_lines(debate: &Debate) -> Vec<HeadLine> {
    let options = &debate.options;
    let reason = debate.stop_reason().map(StopReason::render).unwrap_or_default();
    let built_in = options.mode.built_in_word().map(Value::Word);
    vec![
        ("active", Value::Flag(debate.is_active())),
        ("question", text(&debate.question)),
        (DebateOption::Mode.key(), built_in.unwrap_or_else(|| text(options.mode.word()))),
        ("phase", Value::Word(debate.phase())),
        ("round", number(debate.place().number().into())),
        (DebateOption::Rounds.key(), number(options.max_rounds.into())),
        ("started_at", Value::Text(format!("{:.0}", debate.started_at()))),
        ("schema", Value::Number(SCHEMA)),
        ("id", text(&debate.id)),
        ("status", Value::Word(debate.status().word())),
        ("status_detail", Value::Text(reason)),
        ("session_id", text(debate.session_id().unwrap_or_default())),
        ("step", number(debate.step())),
        ("cycle", number(debate.cycle())),
        ("retry_count", number(debate.retry_count().into())),
        ("updated_at", Value::Text(format!("{:.3}", debate.updated_at()))),
        ("continuations", number(debate.continuations())),
        // Always present: the flag is set together with a cue that names lines of this file.
        ("must_read", Value::Flag(debate.must_read())),
    ]
}

/// The options that a debate may have.
fn option_lines(options: &Options) -> Vec<OptionalLine> {
    use DebateOption as O;
    let voices = &options.voices;
    let names = (!voices.is_empty())
        .then(|| Value::List(voices.iter().map(|voice| text(&voice.name)).collect()));
    let has_texts = voices.iter().any(|voice| voice.text.is_some());
    let texts = has_texts.then(|| {
        let texts = voices.iter().map(|voice| text(voice.text.as_deref().unwrap_or_default()));
        Value::List(texts.collect())
    });
    let framework = options.framework.as_ref();
    let framework_text = framework.and_then(|framework| framework.text.as_deref());
    vec![
        (O::Position.key(), optional_text(options.position.as_deref())),
        (O::Motion.key(), optional_text(options.motion.as_deref())),
        (O::Mode.text_key(), optional_text(options.mode_text.as_deref())),
        (voices_option(&options.mode).key(), names),
        (O::Persona.text_key(), texts),
        (O::Focus.key(), optional_text(options.focus.as_deref())),
        (O::Framework.key(), framework.map(|framework| text(&framework.name))),
        (O::Framework.text_key(), optional_text(framework_text)),
        flag_line(options, O::Research),
        flag_line(options, O::Blind),
        (O::FactCheck.key(), options.fact_check.map(|check| Value::Word(check.word()))),
        flag_line(options, O::Interactive),
        (O::Judges.key(), (options.judges > 1).then(|| number(options.judges.into()))),
        flag_line(options, O::EarlyEnd),
        flag_line(options, O::Questions),
        flag_line(options, O::Quick),
        (O::Boundary.key(), options.boundary.map(|boundary| Value::Word(boundary.word()))),
        (O::Context.key(), optional_text(options.context_source.as_deref())),
        (O::Plan.key(), optional_text(options.plan.as_deref())),
        (O::FollowUp.key(), optional_text(options.follow_up.as_deref())),
        (O::Review.key(), options.review.map(|day| Value::Text(day.to_string()))),
        (HOUSE_RULES, optional_text(options.house_rules.as_deref())),
        (O::Output.key(), optional_text(options.output.as_deref())),
    ]
}

/// A flag among the options is in the head only if it differs from its default.
fn flag_line(options: &Options, option: DebateOption) -> OptionalLine {
    let set = options.is(option);
    let is_kept = matches!(option.kept(), Some((_, Kept::Flag(kept))) if set == kept);
    (option.key(), is_kept.then_some(Value::Flag(set)))
}

/// The optional lines about progress and pending requests.
fn progress_lines(debate: &Debate) -> Vec<OptionalLine> {
    let judgments = (debate.judgments() > 0).then(|| number(debate.judgments().into()));
    vec![
        ("steering", optional_text(debate.steering())),
        ("awaits_steering", flag(debate.awaits_direction())),
        ("synthesis_requested", flag(debate.synthesis_requested())),
        ("form_retry", flag(debate.form_retry())),
        ("awaits_block", flag(debate.awaits_block())),
        ("judgments", judgments),
        ("apart", flag(debate.is_isolated())),
        ("pause_requested", flag(debate.pause_requested())),
    ]
}

/// The option that names the voices.
fn voices_option(mode: &Mode) -> DebateOption {
    match mode {
        Mode::Stakeholders => DebateOption::Stakeholders,
        Mode::Options => DebateOption::Options,
        _ => DebateOption::Persona,
    }
}

/// A flag is in the head only if it is set.
fn flag(set: bool) -> Option<Value> {
    set.then_some(Value::Flag(true))
}

/// Reads the head, key by key. Returns the remaining keys, which belong to the user.
pub fn read(head: Frontmatter) -> Result<(Debate, Frontmatter), Wrong> {
    let mut head = HeadReader(head);
    head.number("schema", SCHEMA, i64::MAX)?;
    let active = head.flag("active")?.unwrap_or(false);
    let question = head.text("question", MAX_QUESTION_CHARS)?.ok_or_else(|| missing("question"))?;
    let (mode, mode_text) = mode(&mut head)?;
    let voices = voices(&mut head, &mode)?;
    let framework = head.name(DebateOption::Framework)?;
    let framework_text = head.text(DebateOption::Framework.text_key(), MAX_OWN_CHARS)?;
    let framework = framework.map(|name| Named { name, text: framework_text });
    let format = mode.format(voices.len());
    let place = place(&mut head, format)?;
    let max_rounds = head
        .option_number(DebateOption::Rounds)?
        .ok_or_else(|| missing(DebateOption::Rounds.key()))?;
    let started_at = head.time("started_at")?.ok_or_else(|| missing("started_at"))?;
    let id = head.text("id", MAX_ID_BYTES)?.unwrap_or_else(|| new_id(&question, started_at, ""));
    if !is_safe_id(&id) {
        return Err(wrong("id", "lower-case letters, digits and hyphens"));
    }
    let written_status = head.word(
        "status",
        Status::from_word,
        "not_started, in_progress, paused, completed, failed or cancelled",
    )?;
    let status = written_status.unwrap_or(if active { Status::Paused } else { Status::Completed });
    // If voices take turns, there is one round for each voice.
    let voices_count = u8::try_from(voices.len()).unwrap_or(MAX_ROUNDS);
    let max_rounds = if format == DebateFormat::Seats { max_rounds } else { voices_count };
    let options = Options { mode, mode_text, voices, framework, max_rounds, ..options(&mut head)? };
    let mut progress = progress(&mut head, status, place, started_at)?;
    let mut ownership = ownership(&mut head, status)?;
    if written_status.is_none() && status == Status::Paused {
        progress.stop_reason = Some(PlainReason::WrittenByHand.into());
    } else if is_stopped_by_hand(&progress, ownership.pending, active) {
        stop_by_hand(&mut progress, &mut ownership);
    }
    Ok((Debate::of_parts(id, question, options, progress, ownership), head.0))
}

/// True for a debate that its user has stopped in an editor: a running one is active, and Anvil
/// pauses none without a reason.
fn is_stopped_by_hand(progress: &Progress, pending: Pending, active: bool) -> bool {
    match progress.status {
        Status::InProgress => !active,
        Status::Paused => active || progress.stop_reason.is_none() && pending != Pending::Direction,
        Status::NotStarted | Status::Completed | Status::Failed | Status::Cancelled => false,
    }
}

/// Pauses a debate that its user has stopped in an editor. A session that owns it may be writing a
/// reply, which is saved first.
fn stop_by_hand(progress: &mut Progress, ownership: &mut Ownership) {
    let is_owned = ownership.session_id.is_some() && !ownership.isolated;
    (progress.status, ownership.pending) = if is_owned {
        (Status::InProgress, Pending::Pause)
    } else {
        (Status::Paused, Pending::Nothing)
    };
    progress.stop_reason = Some(PlainReason::StoppedInFile.into());
}

/// The mode and its text. A custom mode without a text is an error.
fn mode(head: &mut HeadReader) -> Result<(Mode, Option<String>), Wrong> {
    let text = head.text(DebateOption::Mode.text_key(), MAX_OWN_CHARS)?;
    let mode = head
        .name(DebateOption::Mode)?
        .map_or(Mode::Analyst, |name| Mode::parse(&name, text.is_some()));
    if matches!(mode, Mode::Custom(_)) && text.is_none() {
        return Err(wrong(
            DebateOption::Mode.key(),
            "analyst, philosopher, devils-advocate, stakeholders, options, revise, or a name with \
             its mode_text",
        ));
    }
    Ok((mode, text))
}

/// All options except the mode, the voices and the rounds.
fn options(head: &mut HeadReader) -> Result<Options, Wrong> {
    use DebateOption as O;
    let mut flags = Flags::default();
    for option in DebateOption::flags() {
        if let Some(value) = head.flag(option.key())? {
            flags.set(option, value);
        }
    }
    Ok(Options {
        flags,
        position: head.option_text(O::Position)?,
        motion: head.option_text(O::Motion)?,
        focus: head.option_text(O::Focus)?,
        fact_check: head.option_word(O::FactCheck, FactCheck::from_word)?,
        boundary: head.option_word(O::Boundary, Boundary::from_word)?,
        context_source: head.option_text(O::Context)?,
        plan: head.option_text(O::Plan)?,
        follow_up: head.option_text(O::FollowUp)?,
        house_rules: head.text(HOUSE_RULES, MAX_OWN_CHARS)?,
        // By default one judge writes the whole synthesis.
        judges: head.number(O::Judges.key(), 1, MAX_JUDGES)?.unwrap_or(1),
        review: head.day(O::Review.key())?,
        output: head.option_text(O::Output)?,
        ..Options::default()
    })
}

fn progress(
    head: &mut HeadReader,
    status: Status,
    place: Place,
    started_at: Timestamp,
) -> Result<Progress, Wrong> {
    Ok(Progress {
        status,
        stop_reason: head.text("status_detail", 2_000)?.and_then(|text| StopReason::parse(&text)),
        place,
        step: head.number("step", 0, MAX_STEP)?.unwrap_or(1),
        cycle: head.number("cycle", 1, MAX_CYCLES)?.unwrap_or(1),
        retry_count: head.number("retry_count", 0, MAX_RETRIES)?.unwrap_or(0),
        judgments: head.number("judgments", 0, MAX_JUDGES)?.unwrap_or(0),
        steering: head.text("steering", MAX_STEERING_CHARS)?,
        synthesis_requested: head.flag("synthesis_requested")?.unwrap_or_default(),
        awaits_block: head.flag("awaits_block")?.unwrap_or_default(),
        form_retry: head.flag("form_retry")?.unwrap_or_default(),
        started_at,
        updated_at: head.time("updated_at")?.unwrap_or(started_at),
    })
}

fn ownership(head: &mut HeadReader, status: Status) -> Result<Ownership, Wrong> {
    let pauses = head.flag("pause_requested")?.unwrap_or_default();
    let awaits = head.flag("awaits_steering")?.unwrap_or(false);
    Ok(Ownership {
        session_id: head.text("session_id", 200)?,
        prompt_id: head.text("prompt_id", 200)?,
        pending: match status {
            Status::InProgress if pauses => Pending::Pause,
            Status::InProgress => Pending::Nothing,
            _ if awaits => Pending::Direction,
            _ => Pending::Nothing,
        },
        must_read: head.flag("must_read")?.unwrap_or(false),
        isolated: head.flag("apart")?.unwrap_or(false),
        continuations: head.number("continuations", 0, MAX_COUNT)?.unwrap_or(0),
    })
}

/// A place of a debate in this format.
fn place(head: &mut HeadReader, format: DebateFormat) -> Result<Place, Wrong> {
    let words = match format {
        DebateFormat::Seats => "advocate, critic or synthesizer",
        DebateFormat::Stakeholders => "stakeholder or synthesizer",
        DebateFormat::Personas => "persona or synthesizer",
        DebateFormat::Options => "option, attack or synthesizer",
    };
    let schedule = Schedule { format, ..Schedule::seats(MAX_ROUNDS) };
    let (first, task) = head
        .word(
            "phase",
            |word| {
                place_of(word, 1)
                    .filter(|(place, task)| schedule.has(*place) && schedule.task(*place) == *task)
            },
            words,
        )?
        .ok_or_else(|| missing("phase"))?;
    let number = head.number("round", MIN_ROUNDS, MAX_ROUNDS)?.ok_or_else(|| missing("round"))?;
    Ok(task.map_or(Place { round: number, ..first }, |task| task.place(number)))
}

/// The stakeholders or personas of a debate.
fn voices(head: &mut HeadReader, mode: &Mode) -> Result<Vec<Named>, Wrong> {
    let key = voices_option(mode).key();
    let names = head.texts(key, MAX_VOICES, MAX_NAME_CHARS)?;
    let texts = head.texts(DebateOption::Persona.text_key(), MAX_VOICES, MAX_OWN_CHARS)?;
    if matches!(mode, Mode::Stakeholders | Mode::Options) && names.len() < 2 {
        return Err(wrong(key, "a list of 2 or more names"));
    }
    if names.iter().any(|name| name.trim().is_empty() || name.chars().any(char::is_control)) {
        return Err(wrong(key, "a list of names of one line each"));
    }
    let texts = texts.into_iter().map(Some).chain(std::iter::repeat(None));
    Ok(names
        .into_iter()
        .zip(texts)
        .map(|(name, text)| Named { name, text: text.filter(|text| !text.is_empty()) })
        .collect())
}

/// The format version of a head, if it is not this program's.
pub(crate) fn other_schema(head: &Frontmatter) -> Option<i64> {
    match head.get("schema") {
        Some(Value::Number(schema)) if *schema != SCHEMA => Some(*schema),
        _ => None,
    }
}

/// Reads the valid values of a head, and takes the others from `other`, a state of the same debate.
/// Returns a sentence for each replaced value.
pub(crate) fn parse_lenient(
    mut head: Frontmatter,
    other: &Debate,
) -> (Debate, Frontmatter, Vec<String>) {
    let others: Frontmatter =
        keys(other).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let mut repairs = Vec::new();
    let mut repaired = Vec::new();
    // Each pass repairs one value. The values of `other` are valid.
    for _ in 0..=others.len() {
        let Err(Wrong { key, expected }) = read(head.clone()) else { break };
        if repaired.contains(&key) {
            // The value is valid, but does not match the mode and the voices: these are replaced
            // together.
            let mode = DebateOption::Mode;
            let persona = DebateOption::Persona;
            let stakeholders = DebateOption::Stakeholders.key();
            let keys =
                [mode.key(), mode.text_key(), stakeholders, persona.key(), persona.text_key()];
            for key in keys {
                head.remove(key);
                head.extend(others.get(key).map(|value| (key.to_owned(), value.clone())));
            }
            repairs.pop();
            repairs.push(
                "the list of speakers does not fit the next phase; it is as before".to_owned(),
            );
            continue;
        }
        repaired.push(key.clone());
        let mut new_value = String::new();
        // A debate in progress is active.
        let is_in_progress = matches!(
            head.get("status"),
            Some(Value::Text(status)) if status == Status::InProgress.word()
        );
        let active = (key == "active" && is_in_progress).then_some(&Value::Flag(true));
        if let Some(value) = active.or(others.get(&key)) {
            frontmatter::write_value(&mut new_value, value);
            head.insert(key.clone(), value.clone());
        } else {
            new_value.push_str("gone");
            head.remove(&key);
        }
        repairs.push(expected.map_or_else(
            || format!("`{key}` was missing; it is now {new_value:.60}"),
            |expected| format!("`{key}` must be {expected}; it is now {new_value:.60}"),
        ));
    }
    match read(head) {
        Ok((debate, extra)) => (debate, extra, repairs),
        Err(_) => (other.clone(), Frontmatter::new(), repairs),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub(crate) fn debate() -> Debate {
        Debate::new("2026-11-21-why-0000".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH)
    }

    /// A debate in which every key is set.
    pub(crate) fn full() -> Debate {
        let now = Timestamp::from_second(100).unwrap();
        let mut debate = debate();
        let named = |name: &str| Named { name: name.into(), text: Some("text".into()) };
        let text = || Some("text".to_owned());
        let options = &mut debate.options;
        (options.position, options.mode_text, options.focus, options.house_rules) =
            (text(), text(), text(), text());
        (options.context_source, options.follow_up, options.output) = (text(), text(), text());
        (options.voices, options.framework) = (vec![named("one")], Some(named("adr")));
        options.motion = text();
        for option in DebateOption::flags() {
            options.set(option, !options.is(option));
        }
        (options.boundary, options.fact_check, options.judges) =
            (Some(Boundary::Round), Some(FactCheck::Files), 3);
        options.review = Some(jiff::civil::Date::constant(2027, 1, 15));
        debate.claim("session", Some("turn"), now);
        debate.steer("the cost".into());
        debate.request_synthesis();
        debate.set_judgments(2);
        debate.isolate_seats();
        debate.retry_for_form();
        debate.request_pause();
        debate
    }
}
