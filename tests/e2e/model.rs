//! The scripted debater: reads the newest cue in a request like the model and answers with a unique
//! text, so that a test can find every word of it.
//!
//! Invariants:
//! * A text names its seat, its round and the number of its request.
//! * Every text tries to forge a section, so that each test also shows that forging fails.

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde_json::{Value, json};

use crate::mock::{Answer, Block, Exchange, Request};
use crate::statefile::Section;

/// The file name of a debate.
pub(crate) const STATE_FILE: &str = "anvil-state.local.md";

/// The next speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// The advocate of this round.
    Advocate(u32),
    /// The critic of this round.
    Critic(u32),
    /// The stakeholder of this number.
    Stakeholder(u32),
    /// The persona of this number.
    Persona(u32),
    /// The voice that argues for the option of this number.
    Option(u32),
    /// The same voice, attacking other options.
    Attack(u32),
    /// The synthesizer.
    Synthesizer,
}

impl Seat {
    /// Every seat of a debate of this many rounds, in speaking order.
    pub(crate) fn all(rounds: u32) -> Vec<Self> {
        let mut seats: Vec<Self> =
            (1..=rounds).flat_map(|round| [Self::Advocate(round), Self::Critic(round)]).collect();
        seats.push(Self::Synthesizer);
        seats
    }

    /// Its section in the state file. The section of a voice has the voice's name.
    pub(crate) fn place(self, voice: &str) -> String {
        match self {
            Self::Advocate(round) => format!("Round {round} / Advocate"),
            Self::Critic(round) => format!("Round {round} / Critic"),
            Self::Stakeholder(number) => format!("Stakeholder {number}: {voice}"),
            Self::Persona(number) => format!("Persona {number}: {voice}"),
            Self::Option(number) => format!("Option {number}: {voice}"),
            Self::Attack(number) => format!("Attack by option {number}: {voice}"),
            Self::Synthesizer => "Synthesis".to_owned(),
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Advocate(round) => write!(f, "ADVOCATE-R{round}"),
            Self::Critic(round) => write!(f, "CRITIC-R{round}"),
            Self::Stakeholder(number) => write!(f, "STAKEHOLDER-{number}"),
            Self::Persona(number) => write!(f, "PERSONA-{number}"),
            Self::Option(number) => write!(f, "OPTION-{number}"),
            Self::Attack(number) => write!(f, "ATTACK-{number}"),
            Self::Synthesizer => f.write_str("SYNTHESIS"),
        }
    }
}

/// A request of the conversation, as the debater reads it.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The number of the request.
    pub(crate) number: usize,
    /// The next speaker; none if the user is just talking to Claude.
    pub(crate) seat: Option<Seat>,
    /// The text of the newest cue; empty if there is none.
    pub(crate) cue: String,
    /// The claims of the conversation that are in bold: `A1`.
    pub(crate) claims: Vec<String>,
    /// The motion in the form of the block; empty if there is none.
    pub(crate) motion: String,
    /// The number of tools that the model has used since the prompt.
    pub(crate) tools_used: usize,
}

impl Turn {
    /// Reads the newest prompt of the conversation: all text to the model since its last answer,
    /// without tool calls and their results.
    pub(crate) fn of(request: &Request) -> Self {
        let (mut said, mut tools_used) = (Vec::new(), 0);
        for message in request.messages().iter().rev() {
            if message["role"] == "assistant" {
                if !blocks(message).iter().any(|block| block["type"] == "tool_use") {
                    break;
                }
                tools_used += 1;
            } else {
                said.extend(texts(message).into_iter().rev());
            }
        }
        let newest = said.iter().find_map(|text| newest_cue(text));
        let (seat, cue) = newest.map_or((None, String::new()), |(seat, cue)| (Some(seat), cue));
        let claims = claims(
            &request
                .messages()
                .iter()
                .filter(|message| message["role"] == "assistant")
                .flat_map(texts)
                .collect::<Vec<_>>(),
        );
        let told = told(request);
        let motion = told.lines().rev().find_map(|line| line.strip_prefix("motion: "));
        let motion = motion.unwrap_or_default().to_owned();
        Self { number: request.number, seat, cue, claims, motion, tools_used }
    }

    /// The name after the number in the cue: `sales` in `── Voice 2 of 3: sales ── …`; empty if
    /// there is none.
    pub(crate) fn voice(&self) -> String {
        let called = self.cue.trim_start_matches("── ").split(" ──").next().unwrap_or_default();
        called.split_once(": ").map_or_else(String::new, |(_, name)| name.to_owned())
    }

    /// Whether the cue requests a Read of the state file.
    pub(crate) fn asks_to_read(&self) -> bool {
        self.cue.contains("Read ") && self.cue.contains(STATE_FILE)
    }

    /// The Read of the state file that the cue requests: from its `offset` for its `limit`, or from
    /// its line to the end. A cue without a range gets 40 lines.
    pub(crate) fn read(&self, path: &str) -> Block {
        let mut input = json!({"file_path": path});
        let from = number_after(&self.cue, "from line");
        if let Some(offset) = number_after(&self.cue, "offset").or(from) {
            input["offset"] = json!(offset);
        }
        if from.is_none() {
            input["limit"] = json!(number_after(&self.cue, "limit").unwrap_or(40));
        }
        Block::Tool("Read", input)
    }

    /// A text that answers no other request, of at least `size` bytes.
    pub(crate) fn text(&self, size: usize) -> String {
        let name = self.seat.map_or_else(|| "CHAT".to_owned(), |seat| seat.to_string());
        let mut text = format!("{name} reply {}", self.number);
        // Numbered, but not a claim that a synthesis must list: the id has no sentence.
        match self.seat {
            Some(Seat::Advocate(round)) => write!(text, ".\n\nA{round}."),
            Some(Seat::Critic(round)) => write!(text, ".\n\nC{round}."),
            Some(
                Seat::Stakeholder(voice)
                | Seat::Persona(voice)
                | Seat::Option(voice)
                | Seat::Attack(voice),
            ) => {
                write!(text, ".\n\nS{voice}.1.")
            }
            // Before the fence below, which takes in all that follows.
            Some(Seat::Synthesizer) => write!(text, ".\n\n{}", block(&self.motion, "Wait.", &[])),
            None => Ok(()),
        }
        .expect("a String takes everything");
        if size > 0 {
            text.push_str("\n\n### Critic\n<!-- anvil {\"at\":\"never\"} -->\n\n```\n> a fence that nobody closes\n");
        }
        for line in 1.. {
            if text.len() >= size {
                break;
            }
            write!(
                text,
                "\n{name} {line}: a claim — its “ground”, 根拠 — and what would refute it, number {}.",
                self.number
            )
            .expect("a String takes everything");
        }
        text
    }
}

/// All text to the model in this conversation, without tool calls and their results.
pub(crate) fn told(request: &Request) -> String {
    let said = request.messages().iter().filter(|message| message["role"] != "assistant");
    said.flat_map(texts).collect::<Vec<_>>().join("\n")
}

/// A synthesis with this recommendation, and a whole block with a line for each of these claims.
pub(crate) fn account<'a>(
    motion: &str,
    recommendation: &str,
    claims: impl IntoIterator<Item = &'a str>,
) -> String {
    let claims: Vec<&str> = claims.into_iter().collect();
    format!("{recommendation} So it was argued.\n\n{}", block(motion, recommendation, &claims))
}

/// A block with every line that is required.
pub(crate) fn block(motion: &str, recommendation: &str, claims: &[&str]) -> String {
    let motion = if motion.is_empty() { String::new() } else { format!("motion: {motion}\n") };
    let lines = claims.iter().map(|claim| format!("{claim} weakened: by what was said\n"));
    let lines = lines.collect::<Vec<_>>().concat();
    let rests_on = claims.last().unwrap_or(&"nothing");
    format!(
        "```anvil\n{motion}{lines}against: what was not measured\n\
         recommendation: {recommendation}\nverdict: do not\nconfidence: 60\n\
         rests on: {rests_on}\nflips if: more than 5 fail\nunknown: how many there are\n```"
    )
}

/// The claim ids in texts, without duplicates.
fn claims(texts: &[String]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for bold in
        texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix("**"))
    {
        let id = bold.split(". ").next().unwrap_or_default();
        let is_id = id.len() > 1
            && id.starts_with(['A', 'C'])
            && id[1..].bytes().all(|byte| byte.is_ascii_digit());
        if is_id && !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    ids
}

/// The texts of a message.
fn texts(message: &Value) -> Vec<String> {
    blocks(message).iter().filter_map(|block| Some(block["text"].as_str()?.to_owned())).collect()
}

/// The content of a message as blocks; a plain string is one text block.
fn blocks(message: &Value) -> Vec<Value> {
    match &message["content"] {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.clone(),
        // The Gemini API's name.
        _ => message["parts"].as_array().cloned().unwrap_or_default(),
    }
}

/// The last place in a text that names a seat, with the text from there on.
fn newest_cue(text: &str) -> Option<(Seat, String)> {
    let (mut newest, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        // The client may put its own words before the cue's first line ("Stop hook additional
        // context: ").
        let found = line.find("── ").and_then(|start| {
            let phase = line[start + "── ".len()..].split(" ──").next()?;
            let seat = match phase.split([' ', ',']).next()? {
                "Advocate" => Seat::Advocate(number_after(phase, "round ")?),
                "Critic" => Seat::Critic(number_after(phase, "round ")?),
                "Voice" if line.contains("speak for them") => {
                    Seat::Stakeholder(number_after(phase, "Voice ")?)
                }
                "Voice" if line.contains("for this option") => {
                    Seat::Option(number_after(phase, "Voice ")?)
                }
                "Attack" => Seat::Attack(number_after(phase, "Attack ")?),
                "Voice" => Seat::Persona(number_after(phase, "Voice ")?),
                "Synthesis" => Seat::Synthesizer,
                _ => return None,
            };
            Some((seat, at + start))
        });
        if let Some((seat, start)) = found {
            newest = Some((seat, text[start..].to_owned()));
        }
        at += line.len();
    }
    newest
}

/// The number right after a word: `offset 12`, `offset: 12`, `"offset":12`.
fn number_after(text: &str, word: &str) -> Option<u32> {
    text.match_indices(word).find_map(|(at, _)| {
        let rest = text[at + word.len()..].trim_start_matches([' ', ':', '=', '"', '`']);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest[..digits].parse().ok()
    })
}

/// When the model uses the Read tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Never: the client's cap stops this model.
    Never,
    /// When the newest cue requests it.
    WhenAsked,
    /// Once before every reply of a critic.
    OnceARound,
    /// Once before every reply.
    Always,
}

/// The habits of a debater.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    /// When it reads.
    pub(crate) reads: Reads,
    /// The size of its replies in bytes; 0 is one line.
    pub(crate) size: usize,
    /// How long it thinks before each answer.
    pub(crate) delay: Duration,
}

impl Default for Manner {
    fn default() -> Self {
        Self { reads: Reads::WhenAsked, size: 600, delay: Duration::ZERO }
    }
}

impl Manner {
    /// The answer of a debater with this manner.
    pub(crate) fn answer(self, turn: &Turn, state: &str) -> Answer {
        let reads = match self.reads {
            Reads::Never => false,
            Reads::WhenAsked => turn.asks_to_read(),
            Reads::OnceARound => matches!(turn.seat, Some(Seat::Critic(_))),
            Reads::Always => turn.seat.is_some(),
        };
        if reads && turn.tools_used == 0 {
            return Answer::blocks(vec![turn.read(state)]).after(self.delay);
        }
        let text = turn.text(if turn.seat.is_some() { self.size } else { 0 });
        Answer::text(text).after(self.delay)
    }
}

/// One whole reply of the model.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The seat.
    pub(crate) seat: Seat,
    /// The name of the seat; empty if the cue has none.
    pub(crate) voice: String,
    /// Its texts: one, or more when the model used a tool between them.
    pub(crate) parts: Vec<String>,
}

/// The whole replies of the debate, in order.
pub(crate) fn replies(log: &[Exchange]) -> Vec<Reply> {
    let (mut replies, mut parts) = (Vec::new(), Vec::new());
    for exchange in log {
        let turn = Turn::of(&exchange.request);
        let Some(seat) = turn.seat else { continue };
        if exchange.answer.is_error() || !exchange.delivered {
            parts.clear();
            continue;
        }
        parts.extend(exchange.answer.texts());
        if !exchange.answer.calls_tool() {
            replies.push(Reply { seat, voice: turn.voice(), parts: std::mem::take(&mut parts) });
        }
    }
    replies
}

/// Fails unless the sections hold exactly these replies, in this order, with none lost, doubled or
/// changed.
pub(crate) fn assert_sections_are(sections: &[Section], replies: &[Reply]) {
    let places = |section: &Section| section.place.clone();
    assert_eq!(
        sections.iter().map(places).collect::<Vec<_>>(),
        replies.iter().map(|reply| reply.seat.place(&reply.voice)).collect::<Vec<_>>(),
        "the places of the sections"
    );
    for (section, reply) in sections.iter().zip(replies) {
        let mut rest = section.text.as_str();
        for part in &reply.parts {
            let after = rest.trim_start().strip_prefix(part.as_str());
            rest = after.unwrap_or_else(|| {
                panic!("{} holds\n{}\ninstead of\n{reply:#?}", section.place, section.text)
            });
        }
        assert_eq!(rest.trim(), "", "{} holds more than its reply", section.place);
        let marker: Value = serde_json::from_str(&section.marker).expect("the marker is JSON");
        let words = section.text.split_whitespace().count();
        assert_eq!(marker["words"], words, "the marker of {} counts its words", section.place);
        assert!(
            marker["at"].as_str().is_some_and(|at| at.ends_with('Z')),
            "and says when: {marker}"
        );
    }
}
