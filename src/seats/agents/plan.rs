//! The agents of the seats.

use crate::seats::{Agent, Limits};
use serde::Serialize;

use crate::domain::debate::{Debate, Seat};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub advocate: Agent,
    pub critic: Agent,
    pub synthesizer: Agent,
    /// Fills every voice, if voices take turns.
    pub voices: Agent,
    pub checker: Option<Agent>,
}

/// The cost of the remaining replies: one number twice if this project's replies were measured,
/// else a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Replies until the end, if nothing shortens the debate.
    pub replies: u32,
    /// Seconds until the last reply.
    pub seconds: (u64, u64),
    /// Tokens that are sent: every request sends all earlier text again.
    pub tokens_in: (u64, u64),
    pub tokens_out: (u64, u64),
}

/// The tokens of all remaining prompts. `first` is the size of the next prompt; each further prompt
/// also has the new replies of the other seats, `reply` tokens each.
pub fn tokens_in(debate: &Debate, first: u64, reply: u64) -> u64 {
    let schedule = debate.schedule();
    let left = schedule.slots().skip_while(|slot| *slot != debate.progress.slot);
    let all = left.zip(0_u64..).map(|(slot, before)| {
        // A side sees the other side's replies, a judge all of them.
        let is_judged = slot.seat() == Seat::Synthesizer;
        let (seen, times) =
            if is_judged { (before, debate.judges().into()) } else { (before.div_ceil(2), 1) };
        (first + seen * reply) * times
    });
    all.sum()
}

impl Plan {
    pub fn of(&self, seat: Seat) -> &Agent {
        match seat {
            Seat::Advocate => &self.advocate,
            Seat::Critic => &self.critic,
            Seat::Synthesizer => &self.synthesizer,
            Seat::Voice(_) => &self.voices,
        }
    }

    /// The family of both sides, if it is one.
    pub fn shared_family(&self) -> Option<&str> {
        (self.advocate.family == self.critic.family).then_some(self.advocate.family.as_str())
    }

    /// Limits the time of every reply.
    pub fn with_longest_reply(mut self, whole: std::time::Duration) -> Self {
        let seats = [&mut self.advocate, &mut self.critic, &mut self.synthesizer, &mut self.voices];
        for agent in seats.into_iter().chain(&mut self.checker) {
            agent.limits = Limits { whole, ..agent.limits };
        }
        self
    }
}
