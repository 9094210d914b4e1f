//! Who fills which seat.

use super::{Agent, Limits};
use crate::debate::{Debate, Seat};

/// The agents of a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Argues for.
    pub advocate: Agent,
    /// Argues against.
    pub critic: Agent,
    /// Writes the synthesis.
    pub synthesizer: Agent,
    /// Fills every voice, where voices take turns.
    pub voices: Agent,
    /// Checks facts, where the user wants that.
    pub checker: Option<Agent>,
}

/// Tokens of a reply that keeps to the length it is asked for.
const REPLY: usize = 1_000;

/// What the replies that are left take in tokens if they keep to the length that they are asked for. `first` is what the next
/// prompt has; every further one has what the other seats wrote.
#[must_use]
pub fn about_tokens(debate: &Debate, first: usize) -> u64 {
    let schedule = debate.schedule();
    let left = schedule.slots().skip_while(|slot| *slot != debate.progress.slot);
    let all = left.enumerate().map(|(before, slot)| {
        // A side sees the other's replies, each judge all of them.
        let is_judged = slot.seat() == Seat::Synthesizer;
        let (seen, times) = if is_judged { (before, debate.judges().into()) } else { (before.div_ceil(2), 1) };
        (first + (seen + 1) * REPLY) * times
    });
    all.sum::<usize>() as u64
}

impl Plan {
    /// Who fills a seat.
    #[must_use]
    pub fn of(&self, seat: Seat) -> &Agent {
        match seat {
            Seat::Advocate => &self.advocate,
            Seat::Critic => &self.critic,
            Seat::Synthesizer => &self.synthesizer,
            Seat::Voice(_) => &self.voices,
        }
    }

    /// The family that both sides are of, if they are of one.
    #[must_use]
    pub fn shared_family(&self) -> Option<&str> {
        (self.advocate.family == self.critic.family).then_some(self.advocate.family.as_str())
    }

    /// The same agents with this limit for every reply.
    #[must_use]
    pub fn with_longest_reply(mut self, whole: std::time::Duration) -> Self {
        let seats = [&mut self.advocate, &mut self.critic, &mut self.synthesizer, &mut self.voices];
        for agent in seats.into_iter().chain(&mut self.checker) {
            agent.limits = Limits { whole, ..agent.limits };
        }
        self
    }
}
