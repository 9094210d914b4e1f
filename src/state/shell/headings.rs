//! Its headings. Nothing in such a body is quoted, so a heading may be the shell's or a text's own.
//!
//! The head tells which sections there are. The shell has written each of them in one way: an empty line, the heading, an empty
//! line, the text; and `## Round N` only where no line before began like that. Of several headings that could be meant the last
//! one is: what looks like it before is a part of the reply or the report that it stands in.

use super::Pointer;
use crate::debate::{Course, MAX_ROUNDS, Phase, Place};

/// A heading that may be the shell's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    what: What,
    /// Its first byte; that of the heading of its round, where one stands directly above it.
    pub(super) begins: usize,
    /// The byte behind its line.
    pub(super) ends: usize,
    /// The round that is opened directly above it.
    opens: Option<u8>,
    /// It stands in a fence that is closed behind it.
    is_fenced: bool,
    /// The same heading stands directly above it: this one is the beginning of a text.
    is_echo: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Round(u8),
    Advocate,
    Critic,
    Voice(Place),
    Synthesis,
}

impl What {
    fn read(line: &str) -> Option<Self> {
        match line {
            "### Advocate" => return Some(Self::Advocate),
            "### Critic" => return Some(Self::Critic),
            "## Synthesis" => return Some(Self::Synthesis),
            _ => {}
        }
        let (word, rest) = line.strip_prefix("## ")?.split_once(' ')?;
        let number = |text: &str| text.parse().ok().filter(|round| *round > 0);
        let voice = |phase| Some(Self::Voice(Place { phase, round: number(rest.split_once(':')?.0)? }));
        match word {
            "Round" => number(rest).map(Self::Round),
            "Stakeholder" => voice(Phase::Stakeholder),
            "Persona" => voice(Phase::Persona),
            _ => None,
        }
    }

    fn of(place: Place) -> Self {
        match place.phase {
            Phase::Advocate => Self::Advocate,
            Phase::Critic => Self::Critic,
            Phase::Synthesizer => Self::Synthesis,
            Phase::Stakeholder | Phase::Persona => Self::Voice(place),
        }
    }
}

/// How strictly headings are looked at.
#[derive(Clone, Copy, Debug)]
struct Care {
    /// Those in fences are none.
    fences: bool,
    /// An advocate without the heading of their round stands behind a line that begins like that.
    rounds: bool,
}

/// The headings of a body.
pub(super) struct Scan {
    candidates: Vec<Candidate>,
    /// For each round the first line that begins like its heading.
    first_lines: Vec<Option<usize>>,
    /// The first heading is the first thing of all: there is no material.
    is_bare: bool,
}

pub(super) type Found = Vec<(Place, Candidate)>;

impl Scan {
    pub(super) fn of(body: &str) -> Self {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut first_lines = vec![None; usize::from(MAX_ROUNDS) + 1];
        let mut fences = Fences::default();
        let mut is_blank_above = true;
        let mut at = 0;
        for line in body.split_inclusive('\n') {
            let (begins, ends) = (at, at + line.len());
            at = ends;
            let line = line.trim_end_matches('\n');
            fences.see(line, begins, &mut candidates);
            if let Some(number) = line.strip_prefix("## Round ") {
                for (round, first) in first_lines.iter_mut().enumerate().skip(1) {
                    if first.is_none() && number.starts_with(&round.to_string()) {
                        *first = Some(begins);
                    }
                }
            }
            let is_blank_below = body[ends..].is_empty() || body[ends..].starts_with('\n');
            if let Some(what) = What::read(line).filter(|_| is_blank_above && is_blank_below) {
                // What stands directly above, but for an empty line.
                let above = candidates.last().filter(|above| above.ends + 1 == begins);
                let opened = above.and_then(|above| match above.what {
                    What::Round(round) if matches!(what, What::Advocate | What::Critic) => Some((round, above.begins)),
                    _ => None,
                });
                let is_echo = above.is_some_and(|above| above.what == what);
                candidates.push(Candidate {
                    what,
                    begins: opened.map_or(begins, |(_, begins)| begins),
                    ends,
                    opens: opened.map(|(round, _)| round),
                    is_fenced: false,
                    is_echo,
                });
            }
            is_blank_above = line.is_empty();
        }
        let is_bare = candidates.first().is_some_and(|first| body[..first.begins].trim().is_empty());
        Self { candidates, first_lines, is_bare }
    }

    /// The sections: those that the head tells of, else as many as stand there in their order.
    pub(super) fn find(&self, pointer: Pointer, has_report: bool) -> Found {
        let places = |rounds: u8| {
            let course = Course { max_rounds: rounds, ..pointer.course };
            course.places().filter(|place| place.phase != Phase::Synthesizer).collect::<Vec<_>>()
        };
        let mut found = match pointer.waits {
            Some(Place { phase: Phase::Synthesizer, round }) => self.longest(&places(round), has_report),
            Some(next) => {
                let before: Vec<Place> = places(next.round).into_iter().take_while(|place| *place != next).collect();
                self.exactly(&before, has_report).unwrap_or_else(|| self.longest(&before, has_report))
            }
            None => self.longest(&places(pointer.course.max_rounds), has_report),
        };
        if pointer.waits.is_none_or(|place| place.phase == Phase::Synthesizer) {
            let last = found.last().copied();
            let is_behind = |last: &Candidate, candidate: &&Candidate| {
                candidate.what == What::Synthesis && !candidate.is_fenced && candidate.begins > last.begins
            };
            let synthesis = last.and_then(|(place, last)| {
                let index = self.candidates.iter().rposition(|candidate| is_behind(&last, &candidate))?;
                Some((
                    Place { phase: Phase::Synthesizer, round: place.round },
                    self.candidates[self.without_echo(index)],
                ))
            });
            found.extend(synthesis);
        }
        found
    }

    /// Exactly these places, looking less carefully each time.
    fn exactly(&self, places: &[Place], has_report: bool) -> Option<Found> {
        let cares = [(true, true), (false, true), (true, false), (false, false)];
        cares.into_iter().find_map(|(fences, rounds)| self.run(places, has_report, Care { fences, rounds }))
    }

    /// The beginning of these places that leaves the fewest headings over; of several the longest. The shell may have ended an
    /// argument early.
    fn longest(&self, places: &[Place], has_report: bool) -> Found {
        for fences in [true, false] {
            let care = Care { fences, rounds: true };
            let runs = (1..=places.len()).rev().filter_map(|count| self.run(&places[..count], has_report, care));
            let best = runs.min_by_key(|run| self.left_over(run, care));
            if let Some(best) = best {
                return best;
            }
        }
        Found::new()
    }

    /// How many headings are swallowed by the texts of such a run.
    fn left_over(&self, run: &Found, care: Care) -> usize {
        let begins = run.first().map_or(usize::MAX, |(_, first)| first.begins);
        let behind = self.candidates.iter().filter(|candidate| {
            let is_of_text = candidate.is_echo || (care.fences && candidate.is_fenced);
            let is_reply = !matches!(candidate.what, What::Round(_) | What::Synthesis);
            candidate.begins >= begins && is_reply && !is_of_text
        });
        behind.count().saturating_sub(run.len())
    }

    /// The last run of headings that are these places.
    fn run(&self, places: &[Place], has_report: bool, care: Care) -> Option<Found> {
        let Some((&first, others)) = places.split_first() else { return Some(Found::new()) };
        // Pure last: the furthest back that the run can begin is told by the last heading of each.
        let mut begins = self.candidates.len();
        for place in places.iter().rev() {
            begins = self.candidates[..begins].iter().rposition(|candidate| self.may_be(candidate, *place, care))?;
        }
        if self.is_bare || (!has_report && care.fences) {
            // Nothing stands before the first round that could look like it.
            begins = self.candidates.iter().position(|candidate| self.may_be(candidate, first, care))?;
        }
        begins = self.without_echo(begins);
        // The earliest at which each can stand, so that those before it find room.
        let mut earliest = Vec::with_capacity(others.len());
        let mut from = begins + 1;
        for place in others {
            from += 1 + self.candidates[from..].iter().position(|candidate| self.may_be(candidate, *place, care))?;
            earliest.push(from - 1);
        }
        let mut found = Found::new();
        let mut behind = self.candidates.len();
        for (place, earliest) in others.iter().zip(&earliest).rev() {
            let range = &self.candidates[*earliest..behind];
            let opens = range.iter().rposition(|candidate| {
                place.phase == Phase::Advocate
                    && candidate.opens == Some(place.round)
                    && self.may_be(candidate, *place, care)
            });
            let at = opens.or_else(|| range.iter().rposition(|candidate| self.may_be(candidate, *place, care)))?;
            behind = self.without_echo(earliest + at).max(*earliest);
            found.push((*place, self.candidates[behind]));
        }
        found.push((first, self.candidates[begins]));
        found.reverse();
        Some(found)
    }

    fn may_be(&self, candidate: &Candidate, place: Place, care: Care) -> bool {
        let is_advocate = place.phase == Phase::Advocate;
        let round_fits = match candidate.opens {
            Some(round) => round == place.round,
            None if is_advocate && care.rounds => {
                let first = self.first_lines.get(usize::from(place.round)).copied().flatten();
                first.is_some_and(|first| first < candidate.begins)
            }
            None => true,
        };
        candidate.what == What::of(place) && round_fits && !(care.fences && candidate.is_fenced)
    }

    /// The heading that a text repeats at its beginning.
    fn without_echo(&self, mut index: usize) -> usize {
        while self.candidates[index].is_echo && index > 0 {
            index -= 1;
        }
        index
    }
}

/// Fenced code, line by line.
#[derive(Default)]
struct Fences {
    /// The mark that opened it, how long it is, and where it stands.
    open: Option<(char, usize, usize)>,
}

impl Fences {
    /// Looks at a line; a fence that ends there hides the headings in it.
    fn see(&mut self, line: &str, at: usize, candidates: &mut [Candidate]) {
        let inner = line.trim_start_matches(' ');
        let Some(mark) = inner.chars().next().filter(|mark| matches!(mark, '`' | '~')) else { return };
        let length = inner.len() - inner.trim_start_matches(mark).len();
        if length < 3 || line.len() - inner.len() > 3 {
            return;
        }
        let info = inner[length..].trim();
        match self.open {
            None if mark == '`' && info.contains('`') => {}
            None => self.open = Some((mark, length, at)),
            Some((opened, least, from)) if opened == mark && length >= least && info.is_empty() => {
                for candidate in candidates.iter_mut().rev().take_while(|candidate| candidate.begins > from) {
                    candidate.is_fenced = true;
                }
                self.open = None;
            }
            Some(_) => {}
        }
    }
}
