//! A place in a debate that one reply fills, and its name as a task.

use crate::domain::debate::{Debate, Phase, Seat, Slot};

/// A slot, or the place of one of several judges. One reply fills it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub slot: Slot,
    /// Counted from 1. `None`: one seat writes the synthesis.
    pub judge: Option<u8>,
}

impl Place {
    /// All places of the running cycle, in order.
    pub fn all(debate: &Debate) -> Vec<Self> {
        let round = match debate.progress.slot {
            Slot { phase: Phase::Synthesizer, round } => round,
            _ => debate.schedule().max_rounds,
        };
        let one = |slot: Slot| -> Vec<Self> {
            match (slot.phase, debate.judges()) {
                (Phase::Synthesizer, judges @ 2..) => (1..=judges)
                    .map(|judge| Self { slot: Slot { round, ..slot }, judge: Some(judge) })
                    .collect(),
                (Phase::Synthesizer, _) => vec![Self { slot: Slot { round, ..slot }, judge: None }],
                _ => vec![Self { slot, judge: None }],
            }
        };
        debate.schedule().slots().flat_map(one).collect()
    }

    /// The place that the debate waits at.
    pub fn next(debate: &Debate) -> Self {
        Self { slot: debate.progress.slot, judge: debate.judge() }
    }

    /// The id of the task: `critic-2`, `voice-3`, `attack-3`, `synthesis`, `judge-2`. A later cycle comes
    /// first: `cycle-2-critic-1`.
    pub fn id(self, cycle: u32) -> String {
        let name = match (self.slot.phase, self.judge) {
            (_, Some(judge)) => format!("judge-{judge}"),
            (Phase::Synthesizer, None) => "synthesis".to_owned(),
            (Phase::Attack, None) => format!("attack-{}", self.slot.round),
            (_, None) => format!("{}-{}", self.seat().word(), self.slot.round),
        };
        if cycle > 1 { format!("cycle-{cycle}-{name}") } else { name }
    }

    pub fn seat_name(self) -> &'static str {
        if self.judge.is_some() { "judge" } else { self.seat().word() }
    }

    /// The name in records and for people: `critic, round 2`, `judge 2`.
    pub fn name(self) -> String {
        self.judge.map_or_else(|| self.slot.to_string(), |judge| format!("judge {judge}"))
    }

    pub fn seat(self) -> Seat {
        self.slot.seat()
    }

    /// True if the prompt shows no other reply of the cycle. Such replies can be written at the
    /// same time.
    pub fn is_independent(self, debate: &Debate) -> bool {
        match self.slot.phase {
            Phase::Stakeholder | Phase::Persona | Phase::Option => true,
            Phase::Advocate | Phase::Critic => {
                debate.options.blind && self.slot.round == 1 && debate.progress.cycle == 1
            }
            Phase::Attack | Phase::Synthesizer => false,
        }
    }

    /// True for a reply that is written at the same time as others. It may be shown earlier
    /// replies.
    pub fn is_concurrent(self, debate: &Debate) -> bool {
        self.is_independent(debate) || self.judge.is_some()
    }

    /// The places that need a reply before this one can be written.
    pub fn dependencies(self, debate: &Debate) -> Vec<Self> {
        if self.is_independent(debate) {
            return Vec::new();
        }
        let before: Vec<Self> = Self::all(debate)
            .into_iter()
            .take_while(|place| *place != self)
            .filter(|place| place.judge.is_none())
            .collect();
        let is_beside = |place: &Self| place.is_independent(debate);
        match before.last() {
            Some(last) if is_beside(last) => before.into_iter().filter(is_beside).collect(),
            last => last.copied().into_iter().collect(),
        }
    }

    /// Moves a debate to this place, to write its reply while others are being written.
    pub fn enter(self, debate: &mut Debate) {
        if Self::next(debate) != self {
            debate.set_slot(self.slot);
            debate.follow_retries(0, false);
            debate.follow_block(false);
            if let Some(judge) = self.judge {
                debate.follow_judgments(judge - 1);
            }
        }
    }
}
