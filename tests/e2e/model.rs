//! The scripted debater: reads the newest cue out of a request as the model would and answers with
//! a text that exists only once, so that a test can tell where every word of it went.
//!
//! Invariants:
//! * A text names its seat, its round and the number of the request it answers.
//! * Every text tries to forge a section, so that each test also shows that none can.

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde_json::{Value, json};

use crate::mock::{Answer, Block, Exchange, Request};
use crate::statefile::Section;

/// The name of the file that a debate is kept in.
pub(crate) const STATE_FILE: &str = "anvil-state.local.md";

/// Who is to speak.
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
    /// The synthesizer.
    Synthesizer,
}

impl Seat {
    /// Every seat of a debate of so many rounds, in the order in which they speak.
    pub(crate) fn all(rounds: u32) -> Vec<Self> {
        let mut seats: Vec<Self> =
            (1..=rounds).flat_map(|round| [Self::Advocate(round), Self::Critic(round)]).collect();
        seats.push(Self::Synthesizer);
        seats
    }

    /// Where its reply stands in the state file. A voice that takes turns stands there with its
    /// name.
    pub(crate) fn place(self, voice: &str) -> String {
        match self {
            Self::Advocate(round) => format!("Round {round} / Advocate"),
            Self::Critic(round) => format!("Round {round} / Critic"),
            Self::Stakeholder(number) => format!("Stakeholder {number}: {voice}"),
            Self::Persona(number) => format!("Persona {number}: {voice}"),
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
            Self::Synthesizer => f.write_str("SYNTHESIS"),
        }
    }
}

/// What a request of the conversation asks for.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The number of the request.
    pub(crate) number: usize,
    /// Who is to speak; none when the user is just talking to Claude.
    pub(crate) seat: Option<Seat>,
    /// The text of the newest cue; empty when there is none.
    pub(crate) cue: String,
    /// The claims of the conversation, as far as they are in bold: `A1`.
    pub(crate) claims: Vec<String>,
    /// How many tools the model has used since it was asked.
    pub(crate) tools_used: usize,
}

impl Turn {
    /// Reads the newest request for words out of the conversation: everything said to the model
    /// since its last answer, tool calls and their results left out.
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
        Self { number: request.number, seat, cue, claims, tools_used }
    }

    /// The name after the number in the cue: `sales` in `── Stakeholder 2 of 3 · sales ── …`; empty
    /// where none is said.
    pub(crate) fn voice(&self) -> String {
        let called = self.cue.trim_start_matches("── ").split(" ──").next().unwrap_or_default();
        called.split_once(" · ").map_or_else(String::new, |(_, name)| name.to_owned())
    }

    /// Whether the cue asks for a look at the state file.
    pub(crate) fn asks_to_read(&self) -> bool {
        self.cue.contains("Read ") && self.cue.contains(STATE_FILE)
    }

    /// The Read of the state file that the cue asks for: from its `offset` for its `limit`, or from
    /// its line on to the end. A cue that names none gets 40 lines.
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

    /// A text that no other request is answered with, of at least `size` bytes.
    pub(crate) fn text(&self, size: usize) -> String {
        let name = self.seat.map_or_else(|| "CHAT".to_owned(), |seat| seat.to_string());
        let mut text = format!("{name} reply {}", self.number);
        // Numbered, and yet no claim that a synthesis would owe a line: the id has no sentence.
        match self.seat {
            Some(Seat::Advocate(round)) => write!(text, ".\n\nA{round}."),
            Some(Seat::Critic(round)) => write!(text, ".\n\nC{round}."),
            Some(Seat::Stakeholder(voice) | Seat::Persona(voice)) => {
                write!(text, ".\n\nS{voice}.1.")
            }
            Some(Seat::Synthesizer) | None => Ok(()),
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

/// Everything that was ever said to the model in this conversation, tool calls and their results
/// left out.
pub(crate) fn told(request: &Request) -> String {
    let said = request.messages().iter().filter(|message| message["role"] != "assistant");
    said.flat_map(texts).collect::<Vec<_>>().join("\n")
}

/// What a synthesis owes: a verdict, what it rests on, and a line for each of these claims.
pub(crate) fn account<'a>(claims: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = "**Verdict:** depends\n\n**Rests on:** C1\n".to_owned();
    for claim in claims {
        write!(text, "\n- **{claim}** weakened: by what was said")
            .expect("a String takes everything");
    }
    text
}

/// The ids that texts give their claims, each once.
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
        _ => Vec::new(),
    }
}

/// The last place in a text where a seat is called, with the text from there on.
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
                "Stakeholder" => Seat::Stakeholder(number_after(phase, "Stakeholder ")?),
                "Persona" => Seat::Persona(number_after(phase, "Persona ")?),
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

/// The number that stands right after a word: `offset 12`, `offset: 12`, `"offset":12`.
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
    /// Never: the model that the client's cap cuts off.
    Never,
    /// When the newest cue asks for it.
    WhenAsked,
    /// Once before every reply of a critic.
    OnceARound,
    /// Once before every reply.
    Always,
}

/// What a debater is like.
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
    /// What a debater of this manner answers.
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

/// One whole reply as the model gave it.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// Who was asked.
    pub(crate) seat: Seat,
    /// By which name; empty where the cue said none.
    pub(crate) voice: String,
    /// Its texts: one, or more when the model used a tool between them.
    pub(crate) parts: Vec<String>,
}

/// The replies of the debate that were given whole, in order.
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

/// Fails unless the sections hold exactly these replies, in this order, none lost, doubled or
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
