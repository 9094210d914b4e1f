//! Who argued and who judged, as far as the marks of the replies say. Pure.

use serde::Serialize;

use anvil_core::debate::Seat;
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
        let mut seats: Vec<(Seat, Vec<&Entry>)> = Vec::new();
        let replies = entries.replies().map(|(place, reply)| (place.seat, reply));
        for (seat, reply) in replies.filter(|(seat, _)| *seat != Seat::Synthesizer) {
            match seats.iter_mut().find(|(known, _)| *known == seat) {
                Some((_, replies)) => replies.push(reply),
                None => seats.push((seat, vec![reply])),
            }
        }
        let sides: Vec<(SeatAuthors, Vec<&Entry>)> = seats
            .into_iter()
            .map(|(seat, replies)| (SeatAuthors::new(seat.to_string(), &replies), replies))
            .collect();
        let judges = judges(entries);
        let cycles = entries.last_cycle().0;
        let all = sides.iter().chain(&judges);
        let degraded = all.flat_map(|(side, replies)| degraded(side, replies, cycles)).collect();
        let seats = |seats: Vec<(SeatAuthors, _)>| seats.into_iter().map(|(seat, _)| seat);
        Self { sides: seats(sides).collect(), judges: seats(judges).collect(), degraded }
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
        let voice = replies.last().and_then(|reply| reply.voice.as_deref());
        let voice = voice.map(|voice| anvil_text::clean(voice, 60));
        Self { seat, voice, authors, is_complete }
    }

    /// The name of a voice, else the seat.
    pub fn name(&self) -> &str {
        self.voice.as_deref().unwrap_or(&self.seat)
    }

    /// The author of every reply of the seat. `None`: several, or not all are known.
    pub fn only(&self) -> Option<&Author> {
        let [author] = self.authors.as_slice() else { return None };
        self.is_complete.then_some(author)
    }
}

/// The judges of the last synthesis; without one, those so far. A synthesis that is composed from
/// judgments has no author.
fn judges(entries: &Entries) -> Vec<(SeatAuthors, Vec<&Entry>)> {
    let is_synthesis =
        |entry: &Entry| entry.place().is_some_and(|place| place.seat == Seat::Synthesizer);
    let last = entries.0.iter().rposition(is_synthesis);
    let judgments = entries.judgments_before(last.unwrap_or(entries.0.len()));
    let judge = |(number, entry): (u32, _)| (format!("judge {number}"), entry);
    let mut written: Vec<(String, &Entry)> =
        (1..).zip(judgments.take(MAX_AUTHORS)).map(judge).collect();
    if written.is_empty() {
        let synthesis = last.map(|at| (Seat::Synthesizer.to_string(), &entries.0[at]));
        written.extend(synthesis);
    }
    let seat = |(seat, entry)| (SeatAuthors::new(seat, &[entry]), vec![entry]);
    written.into_iter().map(seat).collect()
}

/// The replies of a seat that stood in for another agent: an item for each run of them.
fn degraded(side: &SeatAuthors, replies: &[&Entry], cycles: u32) -> Vec<Degraded> {
    let stood_in = |reply: &Entry| {
        let author = reply.author.as_ref()?;
        Some((author.agent().to_owned(), author.replaced()?.to_owned()))
    };
    let is_side = |seat| matches!(seat, Seat::Advocate | Seat::Critic);
    let round = |reply: &Entry| {
        let place = reply.place().filter(|place| is_side(place.seat))?;
        let cycle = if cycles > 1 { format!(" of cycle {}", reply.cycle) } else { String::new() };
        Some(format!("round {}{cycle}", place.round))
    };
    let voice = side.voice.as_deref().map(|voice| format!(": {voice}")).unwrap_or_default();
    let runs: Vec<&[&Entry]> =
        replies.chunk_by(|one, next| stood_in(one) == stood_in(next)).collect();
    let one = |(at, run): (usize, &&[&Entry])| {
        let first = run.first()?;
        let last = run.last()?;
        let (agent, instead_of) = stood_in(first)?;
        let when = match (round(first), round(last)) {
            (Some(first), _) if at + 1 == runs.len() => format!("from {first} on"),
            (Some(first), Some(last)) if first == last => format!("in {first}"),
            (Some(first), Some(last)) => format!("from {first} to {last}"),
            (None, _) | (_, None) => String::new(),
        };
        Some(Degraded { seat: format!("{}{voice}", side.seat), agent, instead_of, when })
    };
    runs.iter().enumerate().filter_map(one).collect()
}
