//! The extent of a transcript, and the lines of its sections, read from its headings alone.

use super::NoteKind;
use super::headings::{FoundHeading, Heading, is_mark, lines_of_headings};
use crate::place::{Place, Schedule, Seat, waits_at};

/// The extent of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The last cycle.
    pub cycle: u32,
    /// The furthest section.
    pub last: Option<Place>,
    /// Judgments after the last reply.
    pub judgments: usize,
    /// The last synthesis or judgment has a corrected block.
    pub has_block: bool,
}

/// The extent of a transcript that looks as `append` writes it: only Anvil's headings, in the order
/// of the schedule. `None`: use `parse`, which takes a hundred times as long.
pub fn reach_of_orderly(body: &str, schedule: Schedule) -> Option<Reach> {
    if !body.starts_with("# ") {
        return None;
    }
    let mut reach = Reach { cycle: 1, last: None, judgments: 0, has_block: false };
    let mut round = 0;
    let mut material = true;
    for found in lines_of_headings(body).skip(1) {
        let is_over = reach.last.is_some_and(|last| last.seat == Seat::Synthesizer);
        let place = match found.heading {
            Heading::Round(number) if number > round && !is_over => {
                round = number;
                continue;
            }
            Heading::Cycle(number) if number == reach.cycle + 1 && is_over => {
                reach = Reach { cycle: number, last: None, judgments: 0, has_block: false };
                round = 0;
                continue;
            }
            Heading::Note(
                NoteKind::Steering
                | NoteKind::Noted
                | NoteKind::Answer
                | NoteKind::FactCheck
                | NoteKind::EvidenceCheck,
            ) if !is_over => {
                continue;
            }
            Heading::Note(NoteKind::Judgment) if !is_over => {
                (reach.judgments, reach.has_block) = (reach.judgments + 1, false);
                continue;
            }
            Heading::Note(NoteKind::VerdictBlock)
                if !reach.has_block && (is_over || reach.judgments > 0) =>
            {
                reach.has_block = true;
                continue;
            }
            Heading::Note(NoteKind::RevisedPlan) if is_over => continue,
            Heading::Note(kind) if kind.is_material() && material => continue,
            Heading::Reply(seat) => Place { seat, round },
            Heading::Voice(task, voice) => {
                Some(task.place(voice)).filter(|at| schedule.task(*at) == Some(task))?
            }
            Heading::Round(_) | Heading::Cycle(_) | Heading::Note(_) | Heading::Foreign => {
                return None;
            }
        };
        material = false;
        let place = match (place.seat, reach.last) {
            // The synthesis has no round heading of its own.
            (Seat::Synthesizer, Some(last)) if !is_over => Place { round: last.number(), ..place },
            (Seat::Synthesizer, _) => return None,
            (_, last) if waits_at(last, schedule.endless()) == Some(place) => place,
            _ => return None,
        };
        reach = Reach { last: Some(place), judgments: 0, has_block: false, ..reach };
    }
    Some(reach)
}

/// The word counts of the replies, as the marks below their headings give them. The replies are not
/// read.
pub fn words_marked(body: &str) -> usize {
    lines_of_headings(body)
        .filter(|found| matches!(found.heading, Heading::Reply(_) | Heading::Voice(..)))
        .filter_map(|found| {
            let mark = body[found.end..].lines().next().filter(|line| is_mark(line))?;
            let (_, number) = mark.split_once("\"words\":")?;
            let digits = number.trim_start();
            digits[..digits.find(|char: char| !char.is_ascii_digit())?].parse::<usize>().ok()
        })
        .fold(0, usize::saturating_add)
}

/// The line, counted from 0, where a round of the last cycle begins; if voices take turns, the line
/// of that voice.
pub fn line_of_round(body: &str, round: u8) -> Option<usize> {
    let last = lines_of_headings(body)
        .filter(|found| match found.heading {
            Heading::Round(number) | Heading::Voice(_, number) => number == round,
            Heading::Cycle(_) | Heading::Reply(_) | Heading::Note(_) | Heading::Foreign => false,
        })
        .last()?;
    Some(line_at(body, last.start))
}

/// The first byte of a cycle.
pub fn begins_cycle(body: &str, cycle: u32) -> Option<usize> {
    lines_of_headings(body)
        .find(|found| found.heading == Heading::Cycle(cycle))
        .map(|found| found.start)
}

/// The line, counted from 0, where the argument begins.
pub fn line_of_first_round(body: &str) -> Option<usize> {
    lines_of_headings(body)
        .find(|found| matches!(found.heading, Heading::Round(_) | Heading::Voice(..)))
        .map(|found| line_at(body, found.start))
}

/// The lines with the material from before the first round: the first one, counted from 0, and
/// their number.
pub fn lines_of_material(body: &str) -> Option<(usize, usize)> {
    let is_material =
        |found: &FoundHeading| matches!(found.heading, Heading::Note(kind) if kind.is_material());
    let mut found = lines_of_headings(body).skip_while(|found| !is_material(found));
    let first = line_at(body, found.next()?.start);
    let after = found.find(|found| !is_material(found)).map_or(body.len(), |found| found.start);
    Some((first, line_at(body, after).saturating_sub(first)))
}

/// The line of a byte, counted from 0.
fn line_at(body: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &body.as_bytes()[..at]).count()
}
