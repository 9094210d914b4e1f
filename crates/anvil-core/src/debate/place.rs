//! A place in a debate, which one reply fills: a seat and its round.

use std::fmt;

use super::{Debate, DebateOption, Seat};

/// A seat and its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub seat: Seat,
    /// Counted from 1. A voice makes its case in round 1; in round 2 an option attacks the others.
    /// The synthesis and its judges have the [number](Self::number) of the last argued place.
    pub round: u8,
}

impl Place {
    /// The first place of a debate between an advocate and a critic.
    pub const FIRST: Self = Self { seat: Seat::Advocate, round: 1 };

    /// A voice makes its case. Voices are counted from 1, in the order of speaking.
    pub const fn case(voice: u8) -> Self {
        Self { seat: Seat::Voice(voice), round: 1 }
    }

    /// The voice of an option attacks the others.
    pub const fn attack(voice: u8) -> Self {
        Self { seat: Seat::Voice(voice), round: 2 }
    }

    pub const fn synthesis(round: u8) -> Self {
        Self { seat: Seat::Synthesizer, round }
    }

    /// The number in the file, in records and in JSON: a voice's own, else the round.
    pub fn number(self) -> u8 {
        match self.seat {
            Seat::Voice(voice) => voice,
            Seat::Advocate | Seat::Critic | Seat::Synthesizer | Seat::Judge(_) => self.round,
        }
    }

    pub fn is_attack(self) -> bool {
        self.seat.is_voice() && self.round > 1
    }

    /// The place in the schedule: that of the synthesis for a judge.
    pub fn in_schedule(self) -> Self {
        match self.seat {
            Seat::Judge(_) => Self::synthesis(self.round),
            Seat::Advocate | Seat::Critic | Seat::Voice(_) | Seat::Synthesizer => self,
        }
    }

    /// The place for the user: `critic, round 2 of 3`, `voice 2` or `synthesis`.
    pub fn label(self, max_rounds: u8) -> String {
        match self.seat {
            Seat::Advocate | Seat::Critic => format!("{self} of {}", max_rounds.max(self.round)),
            Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => self.to_string(),
        }
    }

    /// All places of the running cycle, in order.
    pub fn all(debate: &Debate) -> Vec<Self> {
        let now = debate.progress.place;
        let round =
            if now.seat == Seat::Synthesizer { now.round } else { debate.schedule().max_rounds };
        let mut all = Vec::new();
        for place in debate.schedule().places() {
            match (place.seat, debate.judges()) {
                (Seat::Synthesizer, judges @ 2..) => {
                    all.extend((1..=judges).map(|judge| Self { seat: Seat::Judge(judge), round }));
                }
                (Seat::Synthesizer, _) => all.push(Self::synthesis(round)),
                (Seat::Advocate | Seat::Critic | Seat::Voice(_) | Seat::Judge(_), _) => {
                    all.push(place);
                }
            }
        }
        all
    }

    /// The place that the debate waits at.
    pub fn next(debate: &Debate) -> Self {
        let place = debate.progress.place;
        let judge = debate.judge().map(|judge| Self { seat: Seat::Judge(judge), ..place });
        judge.unwrap_or(place)
    }

    /// The id of the task: `critic-2`, `voice-3`, `attack-3`, `synthesis`, `judge-2`. A later cycle
    /// comes first: `cycle-2-critic-1`.
    pub fn id(self, cycle: u32) -> String {
        let name = match self.seat {
            Seat::Judge(judge) => format!("judge-{judge}"),
            Seat::Synthesizer => "synthesis".to_owned(),
            Seat::Voice(voice) if self.is_attack() => format!("attack-{voice}"),
            Seat::Advocate | Seat::Critic | Seat::Voice(_) => {
                format!("{}-{}", self.seat.word(), self.number())
            }
        };
        if cycle > 1 { format!("cycle-{cycle}-{name}") } else { name }
    }

    /// True if the prompt shows no other reply of the cycle. Such replies can be written at the
    /// same time.
    pub fn is_independent(self, debate: &Debate) -> bool {
        match self.seat {
            Seat::Voice(_) => !self.is_attack(),
            Seat::Advocate | Seat::Critic => {
                debate.options.is(DebateOption::Blind)
                    && self.round == 1
                    && debate.progress.cycle == 1
            }
            Seat::Synthesizer | Seat::Judge(_) => false,
        }
    }

    /// The places that need a reply before this one can be written.
    pub fn dependencies(self, debate: &Debate) -> Vec<Self> {
        if self.is_independent(debate) {
            return Vec::new();
        }
        let before: Vec<Self> = Self::all(debate)
            .into_iter()
            .take_while(|place| *place != self)
            .filter(|place| place.seat.judge().is_none())
            .collect();
        match before.last() {
            Some(last) if last.is_independent(debate) => {
                before.into_iter().filter(|place| place.is_independent(debate)).collect()
            }
            last => last.copied().into_iter().collect(),
        }
    }

    /// Moves a debate to this place, to write its reply while others are being written.
    pub fn enter(self, debate: &mut Debate) {
        if Self::next(debate) != self {
            debate.set_place(self.in_schedule());
            debate.set_retries(0, false);
            debate.set_awaits_block(false);
            if let Seat::Judge(judge) = self.seat {
                debate.set_judgments(judge - 1);
            }
        }
    }
}

/// The name in records and for people: `critic, round 2`, `voice 3`, `attack by voice 3`,
/// `synthesis`, `judge 2`.
impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seat {
            Seat::Advocate | Seat::Critic => write!(out, "{}, round {}", self.seat, self.round),
            Seat::Voice(_) if self.is_attack() => write!(out, "attack by {}", self.seat),
            Seat::Voice(_) | Seat::Judge(_) => self.seat.fmt(out),
            Seat::Synthesizer => out.write_str("synthesis"),
        }
    }
}
