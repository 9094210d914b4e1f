//! The places of a debate, and the one that it waits at.

use super::Debate;
use crate::place::{Place, Seat};

impl Debate {
    /// All places of the running cycle, in order.
    pub fn places(&self) -> Vec<Place> {
        let now = self.progress.place;
        let schedule = self.schedule();
        let round = if now.seat == Seat::Synthesizer { now.round } else { schedule.max_rounds };
        let mut all = Vec::new();
        for place in schedule.places() {
            match (place.seat, self.judges()) {
                (Seat::Synthesizer, judges @ 2..) => {
                    all.extend((1..=judges).map(|judge| Place { seat: Seat::Judge(judge), round }));
                }
                (Seat::Synthesizer, _) => all.push(Place::synthesis(round)),
                (Seat::Advocate | Seat::Critic | Seat::Voice(_) | Seat::Judge(_), _) => {
                    all.push(place);
                }
            }
        }
        all
    }

    /// The place that the debate waits at.
    pub fn next_place(&self) -> Place {
        let place = self.progress.place;
        let judge = self.judge().map(|judge| Place { seat: Seat::Judge(judge), ..place });
        judge.unwrap_or(place)
    }

    /// True if the prompt of this place shows no other reply of the cycle. Such replies can be
    /// written at the same time.
    pub fn is_independent(&self, place: Place) -> bool {
        match place.seat {
            Seat::Voice(_) => !place.is_attack(),
            Seat::Advocate | Seat::Critic => {
                self.options.blind && place.round == 1 && self.progress.cycle == 1
            }
            Seat::Synthesizer | Seat::Judge(_) => false,
        }
    }

    /// The places that need a reply before this one can be written.
    pub fn dependencies(&self, place: Place) -> Vec<Place> {
        if self.is_independent(place) {
            return Vec::new();
        }
        let before: Vec<Place> = self
            .places()
            .into_iter()
            .take_while(|other| *other != place)
            .filter(|other| other.seat.judge().is_none())
            .collect();
        match before.last() {
            Some(last) if self.is_independent(*last) => {
                before.into_iter().filter(|other| self.is_independent(*other)).collect()
            }
            last => last.copied().into_iter().collect(),
        }
    }

    /// Moves to this place, to write its reply while others are being written.
    pub fn enter(&mut self, place: Place) {
        if self.next_place() != place {
            self.set_place(place.in_schedule());
            self.set_retries(0, false);
            self.set_awaits_block(false);
            if let Seat::Judge(judge) = place.seat {
                self.set_judgments(judge - 1);
            }
        }
    }
}
