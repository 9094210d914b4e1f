//! Debates of the shell Anvil 2.1, which Anvil was before it was this program: its file becomes ours, and nothing in it is lost.
//!
//! Its head has no `schema`, says lists as one text each and the place in words of its own; its body has no title and quotes
//! nothing. Pure: a head and a body in its form become a head and a body in ours, and whatever can't be taken over is said.

mod body;
mod headings;

use jiff::Timestamp;

use super::fields::SCHEMA;
use super::frontmatter::{Head, Value};
use super::new_id;
use crate::debate::{
    Course, Format, MAX_FOCUS_CHARS, MAX_NAME_CHARS, MAX_OUTPUT_CHARS, MAX_OWN_CHARS, MAX_POSITION_CHARS,
    MAX_QUESTION_CHARS, MAX_ROUNDS, MAX_VOICES, Mode, Phase, Place, Status, waits_at,
};
use crate::transcript;

/// What is said of such a file.
const SAID: &str = "it is a debate of the shell Anvil 2.1, taken over";

/// Why the debate waits.
const DETAIL: &str = "it was begun in the shell Anvil";

/// The frameworks that it has; ours have the same names.
const FRAMEWORKS: [&str; 5] = ["adr", "pre-mortem", "red-team", "rfc", "risks"];

/// Its phase between two rounds, in which a person steers.
const PAUSE: &str = "interactive-pause";

/// Longest of what a debate was made from.
const MAX_SOURCE_CHARS: usize = 2_000;

/// A file in our form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Converted {
    pub(super) head: Head,
    pub(super) body: String,
    /// What was done, in sentences without full stops.
    pub(super) said: Vec<String>,
}

/// True for a head that the shell Anvil has written: without a schema, and with keys that nothing else writes without one.
pub(super) fn is_shell(head: &Head) -> bool {
    let has = |key: &str| head.contains_key(key);
    !has("schema")
        && !has("id")
        && has("phase")
        && has("max_rounds")
        && (has("stakeholder_index") || has("research") || has("versus") || text(head, "phase") == PAUSE)
}

/// Its head in our keys, as far as the head alone tells.
pub(super) fn convert_head(head: Head) -> Head {
    let mut said = Vec::new();
    let mode = mode(&head, &mut said);
    let voices = voices(&head, &mode, &[], &mut said);
    let pointer = Pointer::of(&head, Format::of(&mode, voices.len()));
    keys(head, &mode, voices, pointer.waits, &mut said)
}

/// The whole file.
pub(super) fn convert(head: Head, whole: &str) -> Converted {
    let mut said = vec![SAID.to_owned()];
    let whole = transcript::normalise(whole);
    let mode = mode(&head, &mut said);
    let has_personas = !text(&head, "personas").is_empty();
    let (blocks, rest) = if has_personas { body::persona_blocks(&whole) } else { (Vec::new(), &*whole) };
    let voices = voices(&head, &mode, &blocks, &mut said);
    let pointer = Pointer::of(&head, Format::of(&mode, voices.len()));
    let given = body::Given {
        follows: !text(&head, "follow_up").is_empty(),
        versus: head.get("versus") == Some(&Value::Flag(true)),
    };
    let parts = body::divide(rest, given, pointer);
    let names: Vec<String> = voices.iter().map(|(name, _)| name.clone()).collect();
    let at = started_at(&head).unwrap_or_default();
    let question = cut(text(&head, "question"), MAX_QUESTION_CHARS);
    let body = body::in_our_form(&question, &parts, &names, at);

    let mut head = head;
    if let (true, Some(sources)) = (given.versus, parts.sources()) {
        head.insert("versus".to_owned(), Value::Text(sources));
    }
    let filed = parts.sections.last().map(|section| section.place);
    let is_complete = filed.is_some_and(|filed| filed.phase == Phase::Synthesizer);
    let waits = match (pointer.waits, filed) {
        // It says the last round also where the argument was ended before that.
        (Some(Place { phase: Phase::Synthesizer, .. }), Some(Place { round, .. })) => {
            Some(Place { phase: Phase::Synthesizer, round })
        }
        (None, Some(filed)) if is_complete => Some(filed),
        (Some(Place { phase: Phase::Synthesizer, .. }) | None, filed) => waits_at(filed, pointer.course),
        (waits, _) => waits,
    };
    if pointer.waits.is_none() {
        said.push("its head does not tell where it stands; its sections do".to_owned());
    }
    let mut head = keys(head, &mode, voices, waits, &mut said);
    head.insert("step".to_owned(), number(1 + parts.sections.len()));
    if is_complete {
        head.insert("status".to_owned(), Value::Text(Status::Completed.word().to_owned()));
        head.remove("status_detail");
    }
    Converted { head, body, said }
}

/// Where its head says that the debate stands.
#[derive(Clone, Copy, Debug)]
struct Pointer {
    course: Course,
    /// What comes next; `None`: the head can't tell.
    waits: Option<Place>,
}

impl Pointer {
    fn of(head: &Head, format: Format) -> Self {
        let number = |key: &str| match head.get(key) {
            Some(Value::Number(number)) => {
                u8::try_from(*number).ok().filter(|number| (1..=MAX_ROUNDS).contains(number))
            }
            _ => None,
        };
        let course = Course { format, ..Course::seats(number("max_rounds").unwrap_or(MAX_ROUNDS)) };
        let phase = text(head, "phase");
        let waits = number("round").and_then(|round| match Phase::from_word(phase) {
            // Behind it comes the next round, or the synthesis.
            None if phase == PAUSE => waits_at(Some(Place { phase: course.closer(), round }), course),
            phase => phase.filter(|phase| course.has(*phase)).map(|phase| Place { phase, round }),
        });
        Self { course, waits: waits.filter(|place| place.round <= MAX_ROUNDS) }
    }
}

/// How it is argued.
fn mode(head: &Head, said: &mut Vec<String>) -> Mode {
    match text(head, "mode") {
        "" => Mode::Analyst,
        name => match Mode::named(name) {
            Mode::Own(name) => {
                said.push(format!("the mode {name:.60?} is not known here; it goes on as analyst"));
                Mode::Analyst
            }
            ours => ours,
        },
    }
}

/// Who speaks: names, and texts where a name is not all there is. `blocks` are the personas of the body.
fn voices(head: &Head, mode: &Mode, blocks: &[(&str, &str)], said: &mut Vec<String>) -> Vec<(String, String)> {
    let is_stakeholders = *mode == Mode::Stakeholders;
    let separator = if is_stakeholders { ',' } else { '|' };
    let list = text(head, if is_stakeholders { "stakeholders" } else { "personas" });
    let blocks: &[(&str, &str)] = if is_stakeholders { &[] } else { blocks };
    let joined = blocks.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("|");
    let mut names: Vec<&str> = list.split(separator).map(str::trim).collect();
    // A description may hold the sign that divides them.
    if !blocks.is_empty() && joined == list {
        names = blocks.iter().map(|(name, _)| *name).collect();
    }
    while names.last().is_some_and(|name| name.is_empty()) {
        names.pop();
    }
    if names.len() > 2 && !is_stakeholders && matches!(text(head, "phase"), "advocate" | "critic" | PAUSE) {
        names.truncate(2);
    }
    if names.len() > MAX_VOICES {
        said.push(format!("of {} voices the first {MAX_VOICES} speak", names.len()));
        names.truncate(MAX_VOICES);
    }
    let known = names.clone();
    let mut voices: Vec<(String, String)> = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let whole = fold(name);
        let short = match whole.as_str() {
            "" => format!("voice {}", index + 1),
            _ if whole.chars().count() > MAX_NAME_CHARS => cut(&whole, MAX_NAME_CHARS - 1).trim_end().to_owned() + "…",
            _ => whole.clone(),
        };
        let block = blocks.iter().find(|(known, _)| known.trim() == name.trim()).map_or("", |(_, text)| *text).trim();
        let own = if block.is_empty() { name.trim() } else { block };
        let own: String = if own == short { String::new() } else { without_controls(own) };
        if own.chars().count() > MAX_OWN_CHARS {
            said.push(format!("the description of {short:?} had more than {MAX_OWN_CHARS} characters and was cut"));
        }
        voices.push((short, cut(&own, MAX_OWN_CHARS)));
    }
    for (name, _) in blocks.iter().filter(|(name, _)| !known.iter().any(|known| known.trim() == name.trim())) {
        said.push(format!("nobody speaks as {name:.60?}, whom it describes"));
    }
    if is_stakeholders && voices.len() < 2 {
        said.push("stakeholders are at least two here: the others were added".to_owned());
        let known: Vec<String> = voices.iter().map(|(name, _)| name.clone()).collect();
        let others = ["everyone else", "the deciders", "the others"]
            .into_iter()
            .filter(|name| !known.iter().any(|known| known == name));
        voices.extend(others.map(|name| (name.to_owned(), String::new())));
        voices.truncate(2);
    }
    voices
}

/// The head in our keys.
fn keys(
    mut head: Head,
    mode: &Mode,
    voices: Vec<(String, String)>,
    waits: Option<Place>,
    said: &mut Vec<String>,
) -> Head {
    let words = |text: &str| Value::Text(text.to_owned());
    for key in ["stakeholder_index", "stakeholders", "personas"] {
        head.remove(key);
    }
    head.insert("mode".to_owned(), words(mode.word()));
    let is_rotation = Format::of(mode, voices.len()) != Format::Seats;
    if is_rotation {
        head.insert("max_rounds".to_owned(), number(voices.len()));
    }
    if voices.iter().any(|(_, own)| !own.is_empty()) {
        let texts = voices.iter().map(|(_, own)| words(own)).collect();
        head.insert("persona_texts".to_owned(), Value::List(texts));
    }
    if !voices.is_empty() {
        let key = if *mode == Mode::Stakeholders { "stakeholders" } else { "personas" };
        head.insert(key.to_owned(), Value::List(voices.into_iter().map(|(name, _)| Value::Text(name)).collect()));
    }
    if let Some(place) = waits {
        head.insert("phase".to_owned(), words(place.phase.word()));
        head.insert("round".to_owned(), Value::Number(place.round.into()));
    }
    let framework = text(&head, "framework").to_owned();
    if !framework.is_empty() && !FRAMEWORKS.contains(&framework.as_str()) {
        said.push(format!("the framework {framework:.60?} is not known here and was left out"));
        head.remove("framework");
    }
    // A flag there; the names of two results here.
    if let Some(Value::Flag(_)) = head.get("versus") {
        head.remove("versus");
    }
    for (key, most) in [
        ("question", MAX_QUESTION_CHARS),
        ("position", MAX_POSITION_CHARS),
        ("focus", MAX_FOCUS_CHARS),
        ("context_source", MAX_SOURCE_CHARS),
        ("follow_up", MAX_SOURCE_CHARS),
        ("versus", MAX_SOURCE_CHARS),
    ] {
        if text(&head, key).chars().count() > most {
            said.push(format!("`{key}` had more than {most} characters and was cut"));
            let short = cut(text(&head, key), most);
            head.insert(key.to_owned(), Value::Text(short));
        }
    }
    if text(&head, "output").chars().count() > MAX_OUTPUT_CHARS {
        said.push("`output` was too long for a path and was left out".to_owned());
        head.remove("output");
    }
    let id = new_id(text(&head, "question"), started_at(&head).unwrap_or_default(), "");
    head.insert("id".to_owned(), Value::Text(id));
    head.insert("schema".to_owned(), Value::Number(SCHEMA));
    head.insert("active".to_owned(), Value::Flag(false));
    head.insert("status".to_owned(), words(Status::Paused.word()));
    head.insert("status_detail".to_owned(), words(DETAIL));
    head
}

/// The text of a key; nothing where it has none.
fn text<'a>(head: &'a Head, key: &str) -> &'a str {
    match head.get(key) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}

fn number(number: usize) -> Value {
    Value::Number(i64::try_from(number).unwrap_or(i64::MAX))
}

fn started_at(head: &Head) -> Option<Timestamp> {
    text(head, "started_at").parse().ok()
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn fold(text: &str) -> String {
    without_controls(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn without_controls(text: &str) -> String {
    text.chars().filter(|char| !char.is_control() || matches!(char, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::debate::{Debate, Named};
    use crate::state::StateFile;
    use crate::state::frontmatter;
    use crate::transcript::Kind;

    /// A head as the shell writes it; later lines take the place of earlier ones of their key.
    fn head(lines: &str) -> String {
        let mut keys: Vec<(String, String)> = Vec::new();
        let all = "active: true\nquestion: \"Why?\"\nmode: analyst\nposition: null\nround: 1\nmax_rounds: 3\nphase: advocate\nresearch: false\nframework: \nfocus: \"\"\ncontext_source: \"\"\nfollow_up: \"\"\nversus: false\ninteractive: false\nstakeholders: \"\"\nstakeholder_index: 1\npersonas: \"\"\noutput: \"/home/x/Desktop/anvil-why.html\"\nstarted_at: \"2026-01-01T00:00:00Z\"\n";
        for line in all.lines().chain(lines.lines()) {
            let (key, value) = line.split_once(':').unwrap();
            match keys.iter_mut().find(|(known, _)| known == key) {
                Some(known) => value.clone_into(&mut known.1),
                None => keys.push((key.to_owned(), value.to_owned())),
            }
        }
        let lines: String = keys.into_iter().map(|(key, value)| key + ":" + &value + "\n").collect();
        format!("---\n{lines}---\n")
    }

    /// A reply as the shell appends it to what is there.
    fn reply(file: &mut String, place: Place, name: &str, text: &str) {
        let round = place.round;
        match place.phase {
            Phase::Advocate | Phase::Critic => {
                if !file.lines().any(|line| line.starts_with(&format!("## Round {round}"))) {
                    file.extend([format!("\n## Round {round}\n")]);
                }
                let who = if place.phase == Phase::Advocate { "Advocate" } else { "Critic" };
                file.extend([format!("\n### {who}\n\n{text}\n")]);
            }
            Phase::Stakeholder => file.extend([format!("\n## Stakeholder {round}: {name}\n\n{text}\n")]),
            Phase::Persona => file.extend([format!("\n## Persona {round}: {name}\n\n{text}\n")]),
            Phase::Synthesizer => file.extend([format!("\n## Synthesis\n\n{text}\n")]),
        }
    }

    fn converted(text: &str) -> (StateFile, Vec<String>) {
        let (head, body) = frontmatter::split(text).unwrap();
        let head = frontmatter::read(head).unwrap();
        assert!(is_shell(&head));
        let said = convert(head, body).said;
        (StateFile::parse(text).unwrap(), said)
    }

    fn sections(state: &StateFile) -> Vec<(Place, String)> {
        transcript::parse(&state.body).into_iter().map(|section| (section.place, section.text)).collect()
    }

    fn notes(state: &StateFile) -> Vec<(Kind, String)> {
        transcript::notes(&state.body).into_iter().map(|note| (note.kind, note.text)).collect()
    }

    fn places(course: Course, count: usize) -> Vec<Place> {
        course.places().take(count).collect()
    }

    /// What breaks a body in which nothing is quoted. `own`: also what a reply can't hold where nothing else tells it apart.
    fn piece() -> impl Strategy<Value = String> {
        let hostile = prop::sample::select(vec![
            "# Why?",
            "## Round",
            "## Prior Analysis",
            "## Position A",
            "## Executive Summary",
            "### Steering",
            "---",
            "> quoted",
            "<!-- persona:x -->",
            "<!-- /persona -->",
            "<!-- anvil {} -->",
            "```\n\n### Critic\n\n### Advocate\n\n## Synthesis\n\n```",
            "~~~~ md\n\n## Round 2\n\n### Advocate\n\n~~~~",
            "```\n\n## Stakeholder 2: B\n\n## Persona 1: A\n\n```",
            "a\n### Critic\nb",
            "a\n### Advocate\n\nb",
            "## Cycle 2",
            "<<<<<<< HEAD",
            "=======",
            ">>>>>>> x",
            "",
            "",
            "    code",
            "é \u{1F600}",
            "$`\\",
            "\t",
        ]);
        prop_oneof![3 => hostile.prop_map(str::to_owned), 2 => "[^\\r\\x00]{0,20}"]
    }

    fn hostile_text() -> impl Strategy<Value = String> {
        let lines = prop::collection::vec(piece(), 0..8);
        (lines, "[ \t]{0,2}[a-z]{1,5}")
            .prop_map(|(lines, first)| format!("{first}\n\n{}\n\nend", lines.join("\n\n")))
            // Shell variables hold no NUL, and an info string may make a fence that is never closed.
            .prop_filter("balanced", |text| {
                text.lines()
                    .filter(|line| line.trim_start().starts_with(['`', '~']))
                    .all(|line| ["```", "~~~~ md", "~~~~"].contains(&line))
            })
    }

    proptest! {
        #[test]
        fn every_reply_is_there_exactly_and_in_its_place(
            texts in prop::collection::vec(hostile_text(), 0..=6),
            format in prop::sample::select(vec![Format::Seats, Format::Stakeholders, Format::Personas]),
            prior in prop::option::of(hostile_text()),
            record in 0..=6_usize,
            context in prop::option::of(hostile_text()),
        ) {
            let max_rounds = if format == Format::Seats { 3 } else { 6 };
            let course = Course { format, ..Course::seats(max_rounds) };
            let mut lines = format!("max_rounds: {max_rounds}\n");
            let names = ["A", "B", "C", "D", "E", "F"];
            lines += match format {
                Format::Seats => "",
                Format::Stakeholders => "mode: stakeholders\nstakeholders: \"A,B,C,D,E,F\"\n",
                Format::Personas => "personas: \"A|B|C|D|E|F\"\n",
            };
            let next = course.places().nth(texts.len()).unwrap();
            lines.extend([format!("phase: {}\nround: {}\n", next.phase.word(), next.round)]);
            if prior.is_some() {
                lines += "follow_up: \"old.md\"\n";
            }
            let mut file = head(&lines);
            if let Some(context) = &context {
                file.extend([format!("\n## Codebase Context\n\n{context}\n\n")]);
            }
            let prior = prior.map(|prior| {
                let mut report = format!("The following is the result of a previous Anvil debate. And so on.\n\n# Anvil Analysis: Q\n\n## Executive Summary\n\n{prior}\n");
                if record > 0 {
                    report += "\n---\n\n## Debate Record\n";
                    for place in places(course, record) {
                        reply(&mut report, place, names[usize::from(place.round) - 1], "Old.");
                    }
                }
                file.extend([format!("\n## Prior Analysis\n\n{report}")]);
                report.trim_end_matches('\n').to_owned()
            });
            let expected: Vec<(Place, String)> = places(course, texts.len()).into_iter().zip(texts).collect();
            for (place, text) in &expected {
                reply(&mut file, *place, names[usize::from(place.round) - 1], text);
            }
            let (state, _) = converted(&file);
            prop_assert_eq!(sections(&state), expected, "{}", file);
            prop_assert_eq!(state.debate.place, next);
            let material: Vec<String> = context.into_iter().chain(prior).collect();
            let found: Vec<String> = notes(&state).into_iter().map(|(_, text)| text).collect();
            prop_assert_eq!(found, material, "{}", file);
            prop_assert!(state.is_orderly());
            prop_assert_eq!(&StateFile::parse(&state.render().unwrap()).unwrap(), &state);
        }

        #[test]
        fn no_line_of_any_body_is_lost(
            lines in prop::collection::vec(piece(), 0..30),
            headings in prop::collection::vec(prop::sample::select(vec![
                "## Round 1", "### Advocate", "### Critic", "## Round 2", "## Synthesis", "## Prior Analysis", "## Position A", "## Position B",
                "## Stakeholder 1: A", "## Persona 2: B", "## Codebase Context", "Source: a.md",
            ]), 0..30),
            phase in prop::sample::select(vec!["advocate", "critic", "synthesizer", "stakeholder", "persona", PAUSE, "judge", ""]),
            round in 0..12_u8,
            personas in prop::sample::select(vec!["", "a|b", "a|b|c"]),
            flags: (bool, bool),
        ) {
            let mut body: Vec<String> = lines;
            for (index, heading) in headings.into_iter().enumerate() {
                body.insert((index * 7) % (body.len() + 1), heading.to_owned());
            }
            let body = body.join("\n\n");
            let follow_up = if flags.0 { "follow_up: \"x.md\"\n" } else { "" };
            let text = head(&format!("phase: {phase}\nround: {round}\npersonas: \"{personas}\"\nversus: {}\n{follow_up}", flags.1));
            let head = frontmatter::read(&text).unwrap();
            let converted = convert(head, &body);
            let quoted = converted.body.lines().filter_map(|line| line.strip_prefix("> "));
            let mut kept: Vec<&str> = quoted.collect();
            kept.extend(converted.body.lines().filter(|line| line.starts_with('#')));
            let rest = if personas.is_empty() { &*body } else { body::persona_blocks(&body).1 };
            for line in rest.lines().filter(|line| !line.trim().is_empty()) {
                let is_kept = kept.contains(&line) || line == "## Codebase Context" && kept.contains(&"## Context");
                // A heading without a text below it, or twice, stands for itself.
                prop_assert!(is_kept || line.starts_with("## Round ") || line.starts_with("## Stakeholder") || line.starts_with("## Persona"), "{line:?} of\n{body}\nis not in\n{}", converted.body);
            }
        }
    }

    #[test]
    fn only_a_head_of_the_shell_is_taken_for_one() {
        let read = |text: &str| is_shell(&frontmatter::read(text).unwrap());
        assert!(read(&head("")));
        assert!(!read(
            "---\nactive: true\nquestion: Why not?\nmode: analyst\nphase: critic\nround: 2\nmax_rounds: 3\nstarted_at: \"2026-11-21T01:55:41Z\"\n---\n"
        ));
        let ours = Debate::new("id".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH);
        assert!(!read(&StateFile::new(ours).render().unwrap()));
    }

    #[test]
    fn the_head_says_the_same_in_our_keys() {
        let long = "A pragmatic | founder who has been burnt by two rewrites and counts every single euro";
        let lines = format!(
            "question: \"It's \\\"so\\\"\\n\\\\o/?\"\nposition: \"wait\"\nphase: persona\nround: 2\nresearch: true\nframework: adr\nfocus: \"security\"\ncontext_source: \"src/ PR #3\"\ninteractive: true\npersonas: \"security-engineer|{long}|cfo\"\n"
        );
        let mut text = head(&lines);
        for (name, own) in [("security-engineer", "Their text.\n\nTwo."), (long, long), ("cfo", &*"x".repeat(3_000))] {
            text.extend([format!("\n<!-- persona:{name} -->\n{own}\n<!-- /persona -->\n")]);
        }
        reply(&mut text, Place { phase: Phase::Persona, round: 1 }, "security-engineer", "P1.");
        let (state, said) = converted(&text);
        let debate = &state.debate;
        assert_eq!(debate.question, "It's \"so\"\n\\o/?");
        assert_eq!((debate.position.as_deref(), debate.focus.as_deref()), (Some("wait"), Some("security")));
        assert_eq!((debate.status, debate.status_detail.as_str(), &debate.session_id), (Status::Paused, DETAIL, &None));
        assert_eq!(debate.framework, Some(Named { name: "adr".into(), text: None }));
        assert_eq!(debate.output.as_deref(), Some("/home/x/Desktop/anvil-why.html"));
        assert_eq!(debate.context_source.as_deref(), Some("src/ PR #3"));
        assert!(debate.research && debate.interactive && debate.versus.is_none() && debate.follow_up.is_none());
        assert_eq!((debate.max_rounds, debate.place, debate.step), (3, Place { phase: Phase::Persona, round: 2 }, 2));
        let voices = &debate.voices;
        assert_eq!(voices[0], Named { name: "security-engineer".into(), text: Some("Their text.\n\nTwo.".into()) });
        assert!(voices[1].name.ends_with('…') && voices[1].name.chars().count() <= MAX_NAME_CHARS);
        assert_eq!(voices[1].text.as_deref(), Some(long));
        assert_eq!(voices[2].text.as_ref().map(String::len), Some(MAX_OWN_CHARS));
        assert_eq!(said.len(), 2, "{said:?}");
        assert_eq!(sections(&state), [(Place { phase: Phase::Persona, round: 1 }, "P1.".into())]);
        assert!(state.extra.is_empty(), "{:?}", state.extra);
    }

    #[test]
    fn what_is_not_ours_is_said_and_left_out() {
        let text = head("mode: tribunal\nframework: swot\nfocus: \"").trim_end_matches("---\n").to_owned();
        let text = text.replace("focus: \"", &format!("focus: \"{}\"", "f".repeat(300))) + "---\n";
        let (state, said) = converted(&text);
        assert_eq!((&state.debate.mode, &state.debate.framework), (&Mode::Analyst, &None));
        assert_eq!(state.debate.focus.as_ref().map(String::len), Some(MAX_FOCUS_CHARS));
        for word in ["tribunal", "swot", "`focus` had more than 200"] {
            assert!(said.iter().any(|said| said.contains(word)), "{word}: {said:?}");
        }
    }

    #[test]
    fn two_results_are_named_by_their_sources() {
        let mut text = head("versus: true\nphase: critic\n");
        text += "\n## Position A\n\nSource: a.md\n\n# A\n\n## Round 1\n\n### Advocate\n\nOld.\n\n### Critic\n\nOld.\n\n## Position B\n\nSource: b/b.md\n\nB.\n";
        reply(&mut text, Place::FIRST, "", "A1.");
        let (state, _) = converted(&text);
        assert_eq!(state.debate.versus.as_deref(), Some("a.md / b/b.md"));
        assert_eq!(sections(&state), [(Place::FIRST, "A1.".into())]);
        let found = notes(&state);
        assert_eq!(found[1], (Kind::PositionB, "Source: b/b.md\n\nB.".into()));
        assert!(found[0].0 == Kind::PositionA && found[0].1.ends_with("### Critic\n\nOld."), "{found:?}");
    }

    #[test]
    fn a_pause_between_rounds_waits_for_what_comes_behind_it() {
        for (round, max_rounds, waits) in [
            (1_u8, 3, Place { phase: Phase::Advocate, round: 2 }),
            (3, 3, Place { phase: Phase::Synthesizer, round: 3 }),
            (2, 1, Place { phase: Phase::Synthesizer, round: 2 }),
        ] {
            let mut text =
                head(&format!("phase: {PAUSE}\nround: {round}\nmax_rounds: {max_rounds}\ninteractive: true\n"));
            for place in places(Course::seats(9), usize::from(round) * 2) {
                reply(&mut text, place, "", "Reply.");
            }
            let (state, _) = converted(&text);
            assert_eq!((state.debate.place, sections(&state).len()), (waits, usize::from(round) * 2));
            let head = frontmatter::split(&text).unwrap().0;
            assert_eq!(super::super::file::ReadHead::parse(head).unwrap().debate.place, waits);
        }
    }

    #[test]
    fn an_argument_that_was_ended_early_keeps_what_it_has() {
        let prior = "\n## Prior Analysis\n\nS.\n\n## Round 1\n\n### Advocate\n\nOld.\n\n### Critic\n\nOld.\n\n## Round 2\n\n### Advocate\n\nOld.\n\n### Critic\n\nOld.\n";
        for (given, material) in [("", ""), ("follow_up: \"o.md\"\n", prior)] {
            for count in 1..=6 {
                let mut text = head(&format!("phase: synthesizer\nround: 3\n{given}")) + material;
                for place in places(Course::seats(3), count) {
                    reply(&mut text, place, "", "New.");
                }
                let (state, _) = converted(&text);
                let found = sections(&state);
                assert!(found.len() == count && found.iter().all(|(_, text)| text == "New."), "{count}: {text}");
                let round = found[count - 1].0.round;
                assert_eq!(state.debate.place, Place { phase: Phase::Synthesizer, round });
            }
        }
    }

    #[test]
    fn a_debate_with_its_synthesis_is_complete() {
        let mut text = head("active: false\nphase: synthesizer\nround: 1\nmax_rounds: 1\n");
        for (place, said) in places(Course::seats(1), 3).into_iter().zip(["A.", "C.", "## Synthesis\n\nS."]) {
            reply(&mut text, place, "", said);
        }
        let (state, _) = converted(&text);
        assert_eq!(state.debate.status, Status::Completed);
        assert_eq!(sections(&state)[2].1, "## Synthesis\n\nS.");
        assert!(state.is_orderly());
    }

    #[test]
    fn headings_of_a_reply_stay_in_it() {
        let critic = Place { phase: Phase::Critic, round: 1 };
        for (advocate, critics) in [
            (
                "### Advocate\n\nEcho.\n\n### Critic\n\nHe will say no.",
                "### Critic\n\nNo.\n\n### Advocate\n\nHe said yes.",
            ),
            ("Open:\n\n```\nnever closed\n\n### Advocate\n\nMore.", "Closed:\n\n```\nx\n```"),
            (
                "Next:\n\n## Round 2\n\n### Critic\n\nx",
                "## Round 1\n\n### Advocate\n\nyes, ## Synthesis\n\n## Synthesis\n\nno",
            ),
        ] {
            let mut text = head("phase: advocate\nround: 2\n");
            reply(&mut text, Place::FIRST, "", advocate);
            reply(&mut text, critic, "", critics);
            let (state, _) = converted(&text);
            assert_eq!(sections(&state), [(Place::FIRST, advocate.into()), (critic, critics.into())], "{text}");
        }
    }

    #[test]
    fn hostile_bodies_do_not_take_long() {
        for line in ["### Critic\n\n", "## Round 1\n\n### Advocate\n\n", "```\n\n", "## Stakeholder 1: x\n\ny\n\n"] {
            let (_, _) = converted(&(head("phase: synthesizer\nround: 3\n") + "\n" + &line.repeat(100_000)));
        }
    }
}
