//! The body of such a file: personas, material and replies. Every text is taken over as it stands.

use jiff::Timestamp;

use super::Pointer;
use super::headings::Scan;
use crate::debate::{Phase, Place};
use crate::transcript::{self, Kind};

/// What the head says of the material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// An earlier result is there.
    pub(super) follows: bool,
    /// Two results are.
    pub(super) versus: bool,
}

/// A reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply<'a> {
    pub(super) place: Place,
    pub(super) text: &'a str,
}

/// What a body consists of, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    pub(super) material: Vec<(Kind, &'a str)>,
    pub(super) sections: Vec<Reply<'a>>,
}

impl Parts<'_> {
    /// Where the two results come from that are argued against each other.
    pub(super) fn sources(&self) -> Option<String> {
        let source = |wanted: Kind| {
            let (_, text) = self.material.iter().find(|(kind, _)| *kind == wanted)?;
            text.lines().next()?.strip_prefix("Source: ").map(str::trim)
        };
        Some(format!("{} / {}", source(Kind::PositionA)?, source(Kind::PositionB)?))
    }
}

/// Cuts the personas off the beginning: names and texts, and what follows them.
pub(super) fn persona_blocks(body: &str) -> (Vec<(&str, &str)>, &str) {
    let mut blocks = Vec::new();
    let mut rest = body;
    loop {
        let opened =
            rest.trim_start_matches('\n').strip_prefix("<!-- persona:").and_then(|text| text.split_once(" -->\n"));
        let Some((name, behind)) = opened.filter(|(name, _)| !name.contains('\n')) else { return (blocks, rest) };
        let (text, behind) = match behind.strip_prefix("<!-- /persona -->") {
            Some(behind) => ("", behind),
            None => match behind.split_once("\n<!-- /persona -->") {
                Some(closed) => closed,
                None => return (blocks, rest),
            },
        };
        blocks.push((name, text));
        rest = behind;
    }
}

/// Divides what follows the personas.
pub(super) fn divide(body: &str, given: Given, pointer: Pointer) -> Parts<'_> {
    let scan = Scan::of(body);
    let is_material = |line: &str| [CONTEXT, PRIOR, POSITION_A, POSITION_B].contains(&line);
    let first = body.trim_start_matches('\n').lines().next().unwrap_or_default();
    let has_report = given.follows || given.versus || (is_material(first) && first != CONTEXT);
    let found = scan.find(pointer, has_report);
    let begins = found.first().map_or(body.len(), |(_, heading)| heading.begins);
    let mut sections = Vec::new();
    for (index, (place, heading)) in found.iter().enumerate() {
        let stop = found.get(index + 1).map_or(body.len(), |(_, next)| next.begins);
        sections.push(Reply { place: *place, text: content(&body[heading.ends..stop]) });
    }
    Parts { material: material(&body[..begins], given), sections }
}

/// The same in our form.
pub(super) fn in_our_form(question: &str, parts: &Parts<'_>, names: &[String], at: Timestamp) -> String {
    let mut body = transcript::open(question);
    for (kind, text) in &parts.material {
        transcript::append_note(&mut body, *kind, at, text);
    }
    for Reply { place, text } in &parts.sections {
        let voice = match place.phase {
            Phase::Stakeholder | Phase::Persona => names.get(usize::from(place.round) - 1).map(String::as_str),
            Phase::Advocate | Phase::Critic | Phase::Synthesizer => None,
        };
        transcript::append(&mut body, *place, voice, at, text);
    }
    body
}

const CONTEXT: &str = "## Codebase Context";
const PRIOR: &str = "## Prior Analysis";
const POSITION_A: &str = "## Position A";
const POSITION_B: &str = "## Position B";

/// How an earlier result is introduced.
const PRIOR_SENTENCE: &str = "The following is the result of a previous Anvil debate.";

/// What stands before the rounds. Each of its headings is looked for where the head says that it is there.
fn material(text: &str, given: Given) -> Vec<(Kind, &str)> {
    let kinds = [
        (Kind::Context, CONTEXT, false, ""),
        (Kind::PriorAnalysis, PRIOR, given.follows, PRIOR_SENTENCE),
        (Kind::PositionA, POSITION_A, given.versus, "Source: "),
        (Kind::PositionB, POSITION_B, given.versus, "Source: "),
    ];
    let mut found: Vec<(Kind, usize, usize)> = Vec::new();
    let mut from = text.len() - text.trim_start_matches('\n').len();
    for (kind, heading, is_given, below) in kinds {
        let line = format!("{heading}\n");
        // The first thing of all is what it says; others stand behind an empty line.
        let at_start = found.is_empty() && text[from..].starts_with(&line);
        let find = |below: &str| text[from..].find(&format!("\n\n{line}\n{below}")).map(|at| from + at + 2);
        let inside = || if is_given { find(below).or_else(|| find("")) } else { None };
        if let Some(at) = if at_start { Some(from) } else { inside() } {
            from = at + line.len();
            found.push((kind, at, from));
        }
    }
    let mut material = Vec::new();
    let unheaded = found.first().map_or(text, |(_, at, _)| &text[..*at]);
    if !unheaded.trim().is_empty() {
        material.push((Kind::Context, content(unheaded)));
    }
    for (index, (kind, _, ends)) in found.iter().enumerate() {
        let stop = found.get(index + 1).map_or(text.len(), |(_, next, _)| *next);
        material.push((*kind, content(&text[*ends..stop])));
    }
    material
}

/// A text without the empty line above it, and the line ends below it, of which the shell keeps none.
fn content(raw: &str) -> &str {
    raw.strip_prefix('\n').unwrap_or(raw).trim_end_matches('\n')
}
