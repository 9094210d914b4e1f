//! The replies that a seat is shown, each quoted.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::judge::Sides;
use super::quoted;
use crate::domain::debate::Seat;
use crate::domain::transcript::{Entries, Entry, Kind, What};
use crate::text::clean;

/// The replies of the other seats in their order; for a debate that is too long only the last two
/// rounds.
pub(super) fn replies_for(seat: Seat, entries: &Entries, is_short: bool) -> Vec<&Entry> {
    let rounds: BTreeSet<(u32, u8)> =
        entries.replies().map(|(slot, reply)| (reply.cycle, slot.round)).collect();
    let since = rounds.iter().rev().nth(1).copied().filter(|_| is_short);
    entries
        .0
        .iter()
        .filter(|entry| match entry.what {
            What::Reply(slot) => {
                (slot.seat() != seat || seat == Seat::Synthesizer)
                    && since.is_none_or(|since| (entry.cycle, slot.round) >= since)
            }
            What::Note(_) | What::Cycle => false,
        })
        .collect()
}

pub(super) fn shown_replies(
    replies: &[&Entry],
    entries: &Entries,
    sides: Option<Sides>,
    limit: usize,
) -> String {
    let is_steering = |entry: &Entry| entry.what == What::Note(Kind::Steering);
    let is_shown = |entry: &Entry| replies.iter().any(|reply| reply.begins == entry.begins);
    // Directions for the current phase are in the section `Now`.
    let last = entries.0.iter().rposition(|entry| entry.slot().is_some()).map_or(0, |at| at + 1);
    let mut shown: Vec<&Entry> = entries.0[..last]
        .iter()
        .filter(|entry| is_steering(entry) || entry.slot().is_some() && is_shown(entry))
        .collect();
    if let Some(sides) = sides {
        sides.order(&mut shown);
    }
    let mut out = String::new();
    for entry in shown {
        let title = match (entry.slot(), sides) {
            (None, _) => "The person's direction".to_owned(),
            (Some(slot), Some(sides)) => sides.place(slot),
            (Some(slot), None) => {
                let voice = entry
                    .voice
                    .as_deref()
                    .map(|voice| format!(", {}", clean(voice, 80)))
                    .unwrap_or_default();
                format!("{slot}{voice}")
            }
        };
        let _ = write!(out, "### {title}\n\n{}\n\n", quoted_part(&entry.text, limit));
    }
    if out.is_empty() { out } else { format!("## What was said\n\n{out}") }
}

/// A quote of at most `limit` bytes.
pub(super) fn quoted_part(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return quoted(text);
    }
    let end = text.floor_char_boundary(limit);
    format!("{}\n\n(Cut here: the rest did not fit.)", quoted(&text[..end]))
}
