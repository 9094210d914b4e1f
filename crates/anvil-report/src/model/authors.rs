//! The authors of the replies and of the judgments, as far as their marks name them. Pure.

use serde::Serialize;

use anvil_core::place::Seat;
use anvil_core::transcript::{Author, Entries, Entry};

/// Most authors of a seat, and most judges; only a file written by hand has more.
const MAX_AUTHORS: usize = 10;

/// The authors of a debate. Serialised, they are only the seats that another agent took.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Authors {
    /// The seats that argued, in the order in which they spoke.
    #[serde(skip)]
    pub sides: Vec<SeatAuthors>,
    /// The judges of the last synthesis; a single one is its synthesizer.
    #[serde(skip)]
    pub judges: Vec<SeatAuthors>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<Degraded>,
}

/// The authors of one seat.
#[derive(Clone, Debug)]
pub struct SeatAuthors {
    /// `advocate`, `voice 2`, `judge 2`.
    seat: String,
    /// The name of a voice.
    pub voice: Option<String>,
    /// Each once, in the order in which they first wrote.
    pub authors: Vec<Author>,
    /// False if the author of a reply is unknown.
    pub is_complete: bool,
}

/// Replies of a seat that another agent wrote than the first one of its list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Degraded {
    pub seat: String,
    pub agent: String,
    pub instead_of: String,
    /// Its replies, in words; empty if the seat speaks once: `from round 2 on`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub when: String,
}

impl Authors {
    pub(crate) fn from_entries(entries: &Entries) -> Self {
        let cycles = entries.last_cycle().0;
        let mut authors = Self::default();
        for (seat, replies) in replies_of_sides(entries) {
            let side = SeatAuthors::new(seat.to_string(), &replies);
            authors.degraded.extend(stand_ins(&side, &replies, cycles));
            authors.sides.push(side);
        }
        for (seat, judgment) in judgments(entries) {
            let judge = SeatAuthors::new(seat, &[judgment]);
            authors.degraded.extend(stand_ins(&judge, &[judgment], cycles));
            authors.judges.push(judge);
        }
        authors
    }
}

impl SeatAuthors {
    fn new(seat: String, replies: &[&Entry]) -> Self {
        let mut authors: Vec<Author> = Vec::new();
        for author in replies.iter().filter_map(|reply| reply.author.as_ref()) {
            if authors.iter().all(|known| known.name() != author.name()) {
                authors.push(author.clone());
            }
            if authors.len() > MAX_AUTHORS {
                break;
            }
        }
        let is_complete =
            authors.len() <= MAX_AUTHORS && replies.iter().all(|reply| reply.author.is_some());
        let voice = replies
            .last()
            .and_then(|reply| reply.voice.as_deref())
            .map(|voice| anvil_text::clean(voice, 60));
        Self { seat, voice, authors, is_complete }
    }

    /// The name of a voice, else the seat.
    pub fn name(&self) -> &str {
        self.voice.as_deref().unwrap_or(&self.seat)
    }

    /// The one author of all replies of the seat. `None`: several authors, or an unknown one.
    pub fn only(&self) -> Option<&Author> {
        let [author] = self.authors.as_slice() else { return None };
        self.is_complete.then_some(author)
    }
}

/// The replies of each seat that argued, in the order in which the seats spoke.
fn replies_of_sides(entries: &Entries) -> Vec<(Seat, Vec<&Entry>)> {
    let mut seats: Vec<(Seat, Vec<&Entry>)> = Vec::new();
    for (place, reply) in entries.replies() {
        if place.seat == Seat::Synthesizer {
            continue;
        }
        match seats.iter_mut().find(|(seat, _)| *seat == place.seat) {
            Some((_, replies)) => replies.push(reply),
            None => seats.push((place.seat, vec![reply])),
        }
    }
    seats
}

/// The judgments of the last synthesis, each with its judge; without a synthesis, those so far. A
/// synthesis that is composed from judgments has no author.
fn judgments(entries: &Entries) -> Vec<(String, &Entry)> {
    let synthesis = entries
        .0
        .iter()
        .rposition(|entry| entry.place().is_some_and(|place| place.seat == Seat::Synthesizer));
    let judgments: Vec<(String, &Entry)> = (1..)
        .zip(entries.judgments_before(synthesis.unwrap_or(entries.0.len())).take(MAX_AUTHORS))
        .map(|(number, entry): (u32, _)| (format!("judge {number}"), entry))
        .collect();
    match synthesis {
        Some(at) if judgments.is_empty() => {
            vec![(Seat::Synthesizer.to_string(), &entries.0[at])]
        }
        _ => judgments,
    }
}

/// The replies of a seat that stood in for another agent: an item for each run of them.
fn stand_ins(side: &SeatAuthors, replies: &[&Entry], cycles: u32) -> Vec<Degraded> {
    let voice = side.voice.as_deref().map(|voice| format!(": {voice}")).unwrap_or_default();
    let mut found = Vec::new();
    let mut runs = replies.chunk_by(|one, next| stand_in(one) == stand_in(next)).peekable();
    while let Some(run) = runs.next() {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        let Some((agent, instead_of)) = stand_in(first) else { continue };
        let when = match (round(first, cycles), round(last, cycles)) {
            (Some(first), _) if runs.peek().is_none() => format!("from {first} on"),
            (Some(first), Some(last)) if first == last => format!("in {first}"),
            (Some(first), Some(last)) => format!("from {first} to {last}"),
            (None, _) | (_, None) => String::new(),
        };
        found.push(Degraded {
            seat: format!("{}{voice}", side.seat),
            agent: agent.to_owned(),
            instead_of: instead_of.to_owned(),
            when,
        });
    }
    found
}

/// The agent of a reply, and the one that it replaced.
fn stand_in(reply: &Entry) -> Option<(&str, &str)> {
    let author = reply.author.as_ref()?;
    Some((author.agent(), author.replaced_agent()?))
}

/// `round 2 of cycle 1`, for a seat that speaks in every round.
fn round(reply: &Entry, cycles: u32) -> Option<String> {
    let place = reply.place()?;
    if !matches!(place.seat, Seat::Advocate | Seat::Critic) {
        return None;
    }
    let cycle = if cycles > 1 { format!(" of cycle {}", reply.cycle) } else { String::new() };
    Some(format!("round {}{cycle}", place.round))
}
