//! The fields of a debate in the head of its file: names, order, ranges.
//!
//! Every value is read by serde, alone, by a type that has its bounds. An error names the key and
//! the expected value. [`read`] accepts all values or none; [`parse_lenient`] replaces invalid
//! values with those of another state of the debate.

use serde::Deserialize;

use super::frontmatter::{self, Frontmatter, Value};
use super::id::{MAX_ID_BYTES, is_safe_id, new_id};
use super::lines::{
    Day, FactCheckLine, Name, Text, Texts, Whole, Wrong, line, lines, missing, time, word, wrong,
};
use anvil_core::debate::{Debate, Ownership, Pending, PlainReason, Progress, Status, StopReason};
use anvil_core::limits::{
    MAX_CYCLES, MAX_FOCUS_CHARS, MAX_JUDGES, MAX_MOTION_CHARS, MAX_NAME_CHARS, MAX_OUTPUT_CHARS,
    MAX_OWN_CHARS, MAX_POSITION_CHARS, MAX_QUESTION_CHARS, MAX_RETRIES, MAX_ROUNDS,
    MAX_STEERING_CHARS, MAX_STEP, MIN_ROUNDS,
};
use anvil_core::options::{Mode, Named, Options};
use anvil_core::place::{DebateFormat, Place, Schedule, place_of};

/// The version of the format that this program writes. A newer format is read for status, and never
/// written.
pub(crate) const SCHEMA: i64 = 3;

/// Highest accepted cycle, and highest accepted count of continuations.
const MAX_COUNT: u32 = 1_000_000;

/// Longest list of a debate's sources, in characters.
const MAX_SOURCE_CHARS: usize = 2_000;

/// The keys of the voices' names, each for its modes.
const VOICES: [&str; 3] = ["stakeholders", "options", "personas"];

/// The lines of a debate's options, but for the names of its voices.
#[derive(Default, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OptionLines {
    mode: Option<Name<MAX_NAME_CHARS>>,
    mode_text: Option<Text<MAX_OWN_CHARS>>,
    max_rounds: Option<Rounds>,
    position: Option<Text<MAX_POSITION_CHARS>>,
    motion: Option<Text<MAX_MOTION_CHARS>>,
    persona_texts: Option<Texts<MAX_OWN_CHARS>>,
    focus: Option<Text<MAX_FOCUS_CHARS>>,
    framework: Option<Name<MAX_NAME_CHARS>>,
    framework_text: Option<Text<MAX_OWN_CHARS>>,
    research: Option<bool>,
    blind: Option<bool>,
    fact_check: Option<FactCheckLine>,
    interactive: Option<bool>,
    judges: Option<Whole<1, { MAX_JUDGES as u32 }>>,
    early_end: Option<bool>,
    questions: Option<bool>,
    quick: Option<bool>,
    context_source: Option<Text<MAX_SOURCE_CHARS>>,
    plan: Option<Text<MAX_SOURCE_CHARS>>,
    follow_up: Option<Text<MAX_SOURCE_CHARS>>,
    review: Option<Day>,
    house_rules: Option<Text<MAX_OWN_CHARS>>,
    output: Option<Text<MAX_OUTPUT_CHARS>>,
}

type Rounds = Whole<{ MIN_ROUNDS as u32 }, { MAX_ROUNDS as u32 }>;

/// The lines of a debate's progress and of its owner.
#[derive(Default, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ProgressLines {
    status_detail: Option<Text<2_000>>,
    step: Option<Whole<0, MAX_STEP>>,
    cycle: Option<Whole<1, MAX_CYCLES>>,
    retry_count: Option<Whole<0, { MAX_RETRIES as u32 }>>,
    judgments: Option<Whole<0, { MAX_JUDGES as u32 }>>,
    steering: Option<Text<MAX_STEERING_CHARS>>,
    synthesis_requested: Option<bool>,
    awaits_block: Option<bool>,
    form_retry: Option<bool>,
    pause_requested: Option<bool>,
    awaits_steering: Option<bool>,
    session_id: Option<Text<200>>,
    prompt_id: Option<Text<200>>,
    must_read: Option<bool>,
    apart: Option<bool>,
    continuations: Option<Whole<0, MAX_COUNT>>,
}

/// True for the key of an option.
pub(super) fn is_of_options(key: &str) -> bool {
    let mut head = Frontmatter::from([(key.to_owned(), Value::Empty)]);
    VOICES.contains(&key) || lines::<OptionLines>(&mut head).is_ok() && head.is_empty()
}

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
        ("mode", built_in.unwrap_or_else(|| text(options.mode.word()))),
        ("phase", Value::Word(debate.phase())),
        ("round", number(debate.place().number().into())),
        ("max_rounds", number(options.max_rounds.into())),
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

/// The options that a debate may have. Every field is named: the compiler asks about a new one.
fn option_lines(options: &Options) -> Vec<OptionalLine> {
    let Options {
        mode,
        mode_text,
        voices,
        // The head always has it.
        max_rounds: _,
        position,
        motion,
        focus,
        framework,
        research,
        blind,
        fact_check,
        interactive,
        judges,
        early_end,
        questions,
        quick,
        context_source,
        plan,
        follow_up,
        review,
        house_rules,
        output,
    } = options;
    let names = (!voices.is_empty())
        .then(|| Value::List(voices.iter().map(|voice| text(&voice.name)).collect()));
    let has_texts = voices.iter().any(|voice| voice.text.is_some());
    let texts = has_texts.then(|| {
        let texts = voices.iter().map(|voice| text(voice.text.as_deref().unwrap_or_default()));
        Value::List(texts.collect())
    });
    let framework = framework.as_ref();
    let framework_text = framework.and_then(|framework| framework.text.as_deref());
    vec![
        ("position", optional_text(position.as_deref())),
        ("motion", optional_text(motion.as_deref())),
        ("mode_text", optional_text(mode_text.as_deref())),
        (voices_key(mode), names),
        ("persona_texts", texts),
        ("focus", optional_text(focus.as_deref())),
        ("framework", framework.map(|framework| text(&framework.name))),
        ("framework_text", optional_text(framework_text)),
        ("research", flag(*research)),
        ("blind", flag(*blind)),
        ("fact_check", fact_check.map(|check| Value::Word(check.word()))),
        ("interactive", flag(*interactive)),
        ("judges", (*judges > 1).then(|| number((*judges).into()))),
        ("early_end", off(*early_end)),
        ("questions", off(*questions)),
        ("quick", flag(*quick)),
        ("context_source", optional_text(context_source.as_deref())),
        ("plan", optional_text(plan.as_deref())),
        ("follow_up", optional_text(follow_up.as_deref())),
        ("review", review.map(|day| Value::Text(day.to_string()))),
        ("house_rules", optional_text(house_rules.as_deref())),
        ("output", optional_text(output.as_deref())),
    ]
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

/// The key of the voices' names.
fn voices_key(mode: &Mode) -> &'static str {
    match mode {
        Mode::Stakeholders => VOICES[0],
        Mode::Options => VOICES[1],
        _ => VOICES[2],
    }
}

/// A flag is in the head only if it is set.
fn flag(set: bool) -> Option<Value> {
    set.then_some(Value::Flag(true))
}

/// A flag that is on by default is in the head only if it is off.
fn off(set: bool) -> Option<Value> {
    (!set).then_some(Value::Flag(false))
}

/// Reads the head, key by key. Returns the remaining keys, which belong to the user.
pub fn read(mut head: Frontmatter) -> Result<(Debate, Frontmatter), Wrong> {
    line::<Whole<{ SCHEMA as u32 }, { u32::MAX }>>(&mut head, "schema")?;
    let active = line(&mut head, "active")?.unwrap_or(false);
    let question = line::<Text<MAX_QUESTION_CHARS>>(&mut head, "question")?;
    let Text(question) = question.ok_or_else(|| missing("question"))?;
    let options = lines::<OptionLines>(&mut head)?;
    let (mode, mode_text) = mode(options.mode, options.mode_text)?;
    let voices = voices(&mut head, &mode, options.persona_texts.unwrap_or_default())?;
    let format = mode.format(voices.len());
    let place = place(&mut head, format)?;
    let max_rounds = options.max_rounds.ok_or_else(|| missing("max_rounds"))?.byte();
    let started_at = time(&mut head, "started_at")?.ok_or_else(|| missing("started_at"))?;
    let id = line::<Text<MAX_ID_BYTES>>(&mut head, "id")?;
    let id = id.map_or_else(|| new_id(&question, started_at, ""), |Text(id)| id);
    if !is_safe_id(&id) {
        return Err(wrong("id", "lower-case letters, digits and hyphens"));
    }
    let written_status = word(
        &mut head,
        "status",
        Status::from_word,
        "not_started, in_progress, paused, completed, failed or cancelled",
    )?;
    let status = written_status.unwrap_or(if active { Status::Paused } else { Status::Completed });
    // If voices take turns, there is one round for each voice.
    let voices_count = u8::try_from(voices.len()).unwrap_or(MAX_ROUNDS);
    let max_rounds = if format == DebateFormat::Seats { max_rounds } else { voices_count };
    let default = Options::default();
    let framework_text = options.framework_text.map(|Text(text)| text);
    let options = Options {
        mode,
        mode_text,
        voices,
        max_rounds,
        framework: options.framework.map(|Name(name)| Named { name, text: framework_text }),
        blind: options.blind.unwrap_or(default.blind),
        research: options.research.unwrap_or(default.research),
        interactive: options.interactive.unwrap_or(default.interactive),
        early_end: options.early_end.unwrap_or(default.early_end),
        questions: options.questions.unwrap_or(default.questions),
        quick: options.quick.unwrap_or(default.quick),
        judges: options.judges.map_or(default.judges, Whole::byte),
        position: options.position.map(|Text(text)| text),
        motion: options.motion.map(|Text(text)| text),
        focus: options.focus.map(|Text(text)| text),
        fact_check: options.fact_check.map(|check| check.0),
        context_source: options.context_source.map(|Text(text)| text),
        plan: options.plan.map(|Text(text)| text),
        follow_up: options.follow_up.map(|Text(text)| text),
        house_rules: options.house_rules.map(|Text(text)| text),
        review: options.review.map(|day| day.0),
        output: options.output.map(|Text(text)| text),
    };
    let updated_at = time(&mut head, "updated_at")?.unwrap_or(started_at);
    let lines = lines::<ProgressLines>(&mut head)?;
    let mut ownership = Ownership {
        session_id: lines.session_id.map(|Text(id)| id),
        prompt_id: lines.prompt_id.map(|Text(id)| id),
        pending: match status {
            Status::InProgress if lines.pause_requested == Some(true) => Pending::Pause,
            Status::InProgress => Pending::Nothing,
            _ if lines.awaits_steering == Some(true) => Pending::Direction,
            _ => Pending::Nothing,
        },
        must_read: lines.must_read.unwrap_or_default(),
        isolated: lines.apart.unwrap_or_default(),
        continuations: lines.continuations.map_or(0, |count| count.0),
    };
    let mut progress = Progress {
        status,
        stop_reason: lines.status_detail.and_then(|Text(text)| StopReason::parse(&text)),
        place,
        step: lines.step.map_or(1, |step| step.0),
        cycle: lines.cycle.map_or(1, |cycle| cycle.0),
        retry_count: lines.retry_count.map_or(0, Whole::byte),
        judgments: lines.judgments.map_or(0, Whole::byte),
        steering: lines.steering.map(|Text(text)| text),
        synthesis_requested: lines.synthesis_requested.unwrap_or_default(),
        awaits_block: lines.awaits_block.unwrap_or_default(),
        form_retry: lines.form_retry.unwrap_or_default(),
        started_at,
        updated_at,
    };
    if written_status.is_none() && status == Status::Paused {
        progress.stop_reason = Some(PlainReason::WrittenByHand.into());
    } else if is_stopped_by_hand(&progress, ownership.pending, active) {
        stop_by_hand(&mut progress, &mut ownership);
    }
    Ok((Debate::of_parts(id, question, options, progress, ownership), head))
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
fn mode(
    name: Option<Name<MAX_NAME_CHARS>>,
    text: Option<Text<MAX_OWN_CHARS>>,
) -> Result<(Mode, Option<String>), Wrong> {
    let text = text.map(|Text(text)| text);
    let mode = name.map_or(Mode::Analyst, |Name(name)| Mode::parse(&name, text.is_some()));
    if matches!(mode, Mode::Custom(_)) && text.is_none() {
        return Err(wrong(
            "mode",
            "analyst, philosopher, devils-advocate, stakeholders, options, revise, or a name with \
             its mode_text",
        ));
    }
    Ok((mode, text))
}

/// A place of a debate in this format.
fn place(head: &mut Frontmatter, format: DebateFormat) -> Result<Place, Wrong> {
    let words = match format {
        DebateFormat::Seats => "advocate, critic or synthesizer",
        DebateFormat::Stakeholders => "stakeholder or synthesizer",
        DebateFormat::Personas => "persona or synthesizer",
        DebateFormat::Options => "option, attack or synthesizer",
    };
    let schedule = Schedule { format, ..Schedule::seats(MAX_ROUNDS) };
    let read = |word: &str| {
        place_of(word, 1)
            .filter(|(place, task)| schedule.has(*place) && schedule.task(*place) == *task)
    };
    let (first, task) = word(head, "phase", read, words)?.ok_or_else(|| missing("phase"))?;
    let number = line::<Rounds>(head, "round")?.ok_or_else(|| missing("round"))?.byte();
    Ok(task.map_or(Place { round: number, ..first }, |task| task.place(number)))
}

/// The stakeholders or personas of a debate.
fn voices(
    head: &mut Frontmatter,
    mode: &Mode,
    Texts(texts): Texts<MAX_OWN_CHARS>,
) -> Result<Vec<Named>, Wrong> {
    let key = voices_key(mode);
    let Texts(names) = line::<Texts<MAX_NAME_CHARS>>(head, key)?.unwrap_or_default();
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
            let keys = ["mode", "mode_text", "stakeholders", "personas", "persona_texts"];
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
    use jiff::Timestamp;
    use serde_json::Value as Json;

    use super::*;
    use anvil_core::limits::MAX_VOICES;
    use anvil_core::options::FactCheck;

    /// The schema of the state file has every line that is read, with its bounds.
    #[test]
    fn the_schema_has_the_bounds_of_every_line() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/state-file.schema.json");
        let schema: Json = serde_json::from_str(&fs_err::read_to_string(path).unwrap()).unwrap();
        let of_types = [
            schemars::schema_for!(OptionLines).to_value(),
            schemars::schema_for!(ProgressLines).to_value(),
        ];
        for (key, bounds) in of_types.iter().flat_map(|of| of["properties"].as_object().unwrap()) {
            let known = &schema["properties"][key];
            let bounds = without_null(bounds.clone());
            for (name, bound) in bounds.as_object().unwrap() {
                assert_eq!(&known[name], bound, "{key}: {known}, but {bounds} is read");
            }
        }
        let names = without_null(schemars::schema_for!(Option<Texts<MAX_NAME_CHARS>>).to_value());
        for key in VOICES {
            assert_eq!(schema["properties"][key]["items"], names["items"], "{key}");
            assert_eq!(schema["properties"][key]["maxItems"], names["maxItems"], "{key}");
        }
    }

    /// The schema of a value that a line may lack.
    fn without_null(mut schema: Json) -> Json {
        let schema = schema.as_object_mut().unwrap();
        for noise in ["default", "$schema", "title"] {
            schema.remove(noise);
        }
        if let Some(Json::Array(of_values)) = schema.remove("anyOf") {
            return of_values[0].clone();
        }
        if let Some(Json::Array(types)) = schema.get("type") {
            let one = types[0].clone();
            schema.insert("type".to_owned(), one);
        }
        if let Some(Json::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
        Json::Object(schema.clone())
    }

    #[test]
    fn only_a_session_that_owns_the_debate_saves_its_reply_before_a_stop_by_hand() {
        let waits = (Status::InProgress, true);
        let stopped = (Status::Paused, false);
        for (session, apart, expected) in [
            ("one", false, waits),
            ("one", true, stopped),
            ("", false, stopped),
            ("", true, stopped),
        ] {
            let mut running = debate();
            running.take_up();
            let mut head: Frontmatter =
                keys(&running).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            head.insert("active".to_owned(), Value::Flag(false));
            head.insert("session_id".to_owned(), text(session));
            head.insert("apart".to_owned(), Value::Flag(apart));
            let (read, _) = read(head).unwrap();
            let found = (read.status(), read.pause_requested());
            assert_eq!(found, expected, "{session:?}, apart: {apart}");
            assert_eq!(read.stop_reason(), Some(&PlainReason::StoppedInFile.into()));
        }
    }

    /// A head with another value for a key.
    fn head_with(key: &str, value: Value) -> Frontmatter {
        let mut head: Frontmatter =
            keys(&debate()).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        if key == "personas" {
            head.insert("phase".to_owned(), text("persona"));
        }
        head.insert(key.to_owned(), value);
        head
    }

    fn read_with(key: &str, value: Value) -> Result<Debate, Wrong> {
        read(head_with(key, value)).map(|(debate, _)| debate)
    }

    #[test]
    fn a_value_of_another_form_is_named_with_its_bounds() {
        let list = |count: usize, name: &str| Value::List(vec![text(name); count]);
        let names = read_with("personas", list(MAX_VOICES, "one")).unwrap().options.voices;
        assert_eq!(names.len(), MAX_VOICES);
        for (key, value, most) in [
            ("personas", text("one"), MAX_NAME_CHARS),
            ("personas", list(MAX_VOICES + 1, "one"), MAX_NAME_CHARS),
            ("personas", list(1, &"x".repeat(MAX_NAME_CHARS + 1)), MAX_NAME_CHARS),
            ("persona_texts", list(MAX_VOICES + 1, "text"), MAX_OWN_CHARS),
        ] {
            let expected =
                format!("a list of at most {MAX_VOICES} texts of at most {most} characters");
            let error = read_with(key, value).unwrap_err();
            let said = format!("the state file's `{key}` is invalid: expected {expected}");
            assert_eq!(error.to_string(), said);
        }
        for name in [" ", "a\u{7}b"] {
            let error = read_with("personas", list(1, name)).unwrap_err();
            assert_eq!(error, wrong("personas", "a list of names of one line each"));
        }
        for other in ["critic", "stakeholder"] {
            let mut head = head_with("personas", list(3, "one"));
            head.insert("phase".to_owned(), text(other));
            let error = read(head).unwrap_err();
            assert_eq!(error, wrong("phase", "persona or synthesizer"), "{other}");
        }
        let error = read_with("max_rounds", Value::Empty).unwrap_err();
        assert_eq!(error.to_string(), "the state file's `max_rounds` is missing");
    }

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
        (options.blind, options.research, options.interactive) = (true, true, true);
        (options.early_end, options.questions, options.quick) = (false, false, true);
        (options.fact_check, options.judges) = (Some(FactCheck::Files), 3);
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
