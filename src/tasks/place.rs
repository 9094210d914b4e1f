//! A place in a debate that one reply fills, and its name as a task.

use crate::debate::{Debate, Phase, Seat, Slot};
use crate::state::StateFile;

/// What one reply fills: a slot, or the place of one of several judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The slot.
    pub slot: Slot,
    /// Which judge, counted from 1, where several write the synthesis.
    pub judge: Option<u8>,
}

impl Place {
    /// Every place of a debate's running cycle, in its order.
    #[must_use]
    pub fn all(debate: &Debate) -> Vec<Self> {
        let round = match debate.progress.slot {
            Slot { phase: Phase::Synthesizer, round } => round,
            _ => debate.schedule().max_rounds,
        };
        let one = |slot: Slot| -> Vec<Self> {
            match (slot.phase, debate.judges()) {
                (Phase::Synthesizer, judges @ 2..) => {
                    (1..=judges).map(|judge| Self { slot: Slot { round, ..slot }, judge: Some(judge) }).collect()
                }
                (Phase::Synthesizer, _) => vec![Self { slot: Slot { round, ..slot }, judge: None }],
                _ => vec![Self { slot, judge: None }],
            }
        };
        debate.schedule().slots().flat_map(one).collect()
    }

    /// Where a debate stands.
    #[must_use]
    pub fn of(debate: &Debate) -> Self {
        Self { slot: debate.progress.slot, judge: debate.judge() }
    }

    /// The id of its task: `critic-2`, `stakeholder-3`, `synthesis`, `judge-2`; in a later cycle with that before it: `cycle-2-critic-1`.
    #[must_use]
    pub fn id(self, cycle: u32) -> String {
        let name = match (self.slot.phase, self.judge) {
            (_, Some(judge)) => format!("judge-{judge}"),
            (Phase::Synthesizer, None) => "synthesis".to_owned(),
            (phase, None) => format!("{}-{}", phase.word(), self.slot.round),
        };
        if cycle > 1 { format!("cycle-{cycle}-{name}") } else { name }
    }

    /// The name of its seat.
    #[must_use]
    pub fn seat_name(self) -> &'static str {
        if self.judge.is_some() { "judge" } else { self.slot.phase.word() }
    }

    /// The same as records and people call it: `critic, round 2`, `judge 2`.
    #[must_use]
    pub fn name(self) -> String {
        self.judge.map_or_else(|| self.slot.to_string(), |judge| format!("judge {judge}"))
    }

    /// Who writes there.
    #[must_use]
    pub fn seat(self) -> Seat {
        self.slot.seat()
    }

    /// True where the reply answers no other one that its cycle has: it is shown none, and can be written beside them.
    #[must_use]
    pub fn is_independent(self, debate: &Debate) -> bool {
        match self.slot.phase {
            Phase::Stakeholder | Phase::Persona => true,
            Phase::Advocate | Phase::Critic => {
                debate.options.blind && self.slot.round == 1 && debate.progress.cycle == 1
            }
            Phase::Synthesizer => false,
        }
    }

    /// True for a reply that is written beside others, whether or not it is shown what was said before.
    #[must_use]
    pub fn is_beside_others(self, debate: &Debate) -> bool {
        self.is_independent(debate) || self.judge.is_some()
    }

    /// The places whose replies have to be filed before this one can be written.
    #[must_use]
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

    /// The state as it is for who writes there, beside what is written at other places.
    #[must_use]
    pub fn standing(self, state: &StateFile) -> StateFile {
        let mut state = state.clone();
        if Self::of(&state.debate) != self {
            state.debate.stand_at(self.slot);
            state.debate.follow_retries(0, false);
            if let Some(judge) = self.judge {
                state.debate.follow_judgments(judge - 1);
            }
        }
        state
    }
}
