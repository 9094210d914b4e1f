//! The replies that a seat is shown, each quoted. One of several judges sees the sides without
//! names, in an order of its own.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::block_quote;
use anvil_core::debate::Debate;
use anvil_core::place::{Place, Seat};
use anvil_core::transcript::{Entries, Entry, EntryKind, NoteKind};
use anvil_text::clean;

/// The replies of the other seats in their order. If the debate is too long, only the last two
/// rounds.
pub(super) fn replies_for(seat: Seat, entries: &Entries, is_short: bool) -> Vec<&Entry> {
    let rounds: BTreeSet<(u32, u8)> =
        entries.replies().map(|(place, reply)| (reply.cycle, place.number())).collect();
    let since = rounds.iter().rev().nth(1).copied().filter(|_| is_short);
    let mut replies: Vec<&Entry> = entries.0.iter().collect();
    replies.retain(|entry| {
        entry.place().is_some_and(|place| {
            (place.seat != seat || seat == Seat::Synthesizer)
                && since.is_none_or(|since| (entry.cycle, place.number()) >= since)
        })
    });
    replies
}

pub(super) fn shown_replies(
    replies: &[&Entry],
    entries: &Entries,
    sides: Option<Sides>,
    limit: usize,
) -> String {
    // Directions for the current phase are in the section `Now`.
    let last = entries.0.iter().rposition(|entry| entry.place().is_some()).map_or(0, |at| at + 1);
    let mut shown: Vec<&Entry> = entries.0[..last].iter().collect();
    shown.retain(|entry| match entry.what {
        EntryKind::Reply(_) => replies.iter().any(|reply| reply.begins == entry.begins),
        EntryKind::Note(kind) => kind == NoteKind::Steering,
        EntryKind::Cycle => false,
    });
    if let Some(sides) = sides {
        sides.order(&mut shown);
    }
    let mut out = String::new();
    for entry in shown {
        let title = match (entry.place(), sides) {
            (None, _) => "The person's direction".to_owned(),
            (Some(place), Some(sides)) => sides.place(place),
            (Some(place), None) => {
                let voice = entry.voice.as_ref().map(|voice| format!(", {}", clean(voice, 80)));
                format!("{place}{}", voice.unwrap_or_default())
            }
        };
        let _ = write!(out, "### {title}\n\n{}\n\n", quoted_part(&entry.text, limit));
    }
    if out.is_empty() { out } else { format!("## What was said\n\n{out}") }
}

/// A quote of at most `limit` bytes.
pub(super) fn quoted_part(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return block_quote(text);
    }
    let end = text.floor_char_boundary(limit);
    format!("{}\n\n(Cut here: the rest did not fit.)", block_quote(&text[..end]))
}

/// The names and the order of the sides for a judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// This side comes first in each round.
    first: Seat,
}

impl Sides {
    /// For the next judge. Every second judge has the critic first, because some judges give more
    /// weight to what comes last.
    pub(crate) fn for_judge(debate: &Debate) -> Option<Self> {
        let judge = debate.judge()?;
        Some(Self { first: if judge % 2 == 1 { Seat::Advocate } else { Seat::Critic } })
    }

    pub fn name(self, seat: Seat) -> String {
        match seat {
            Seat::Advocate | Seat::Critic if seat == self.first => "first side".to_owned(),
            Seat::Advocate | Seat::Critic => "second side".to_owned(),
            Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => seat.to_string(),
        }
    }

    /// The place of a reply: `first side, round 1`.
    pub fn place(self, place: Place) -> String {
        match place.seat {
            Seat::Advocate | Seat::Critic => {
                format!("{}, round {}", self.name(place.seat), place.number())
            }
            Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => place.to_string(),
        }
    }

    /// Puts the two replies of each round in this judge's order. The user's directions between them
    /// keep their places.
    pub fn order(self, entries: &mut [&Entry]) {
        for at in 0..entries.len() {
            let EntryKind::Reply(place) = entries[at].what else { continue };
            if !is_side(place) || place.seat == self.first {
                continue;
            }
            let cycle = entries[at].cycle;
            let partner = entries[at + 1..].iter().position(|other| {
                other.cycle == cycle
                    && other.place().is_some_and(|other| {
                        other.round == place.round && other.seat != place.seat && is_side(other)
                    })
            });
            if let Some(after) = partner {
                entries.swap(at, at + 1 + after);
            }
        }
    }
}

fn is_side(place: Place) -> bool {
    matches!(place.seat, Seat::Advocate | Seat::Critic)
}
