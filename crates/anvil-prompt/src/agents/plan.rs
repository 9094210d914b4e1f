//! The agents of the seats.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::{Agent, TimeLimits};
use anvil_core::attempt::{EarlierAttempt, FailureKind, Slot};
use anvil_core::debate::Debate;
use anvil_core::place::{Place, Seat};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub advocate: Candidates,
    pub critic: Candidates,
    /// Write the synthesis, and the judgments of judges without an agent of their own.
    pub synthesizer: Candidates,
    /// The agents of judges, in their order.
    pub judges: Vec<Candidates>,
    /// Fill the voices without an agent of their own.
    pub voices: Candidates,
    /// The agents of voices, by the number of the voice.
    pub own_voices: BTreeMap<u8, Candidates>,
    pub checker: Option<Agent>,
}

/// The agents of a seat: each takes it when the one before it can't write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    pub first: Agent,
    pub others: Vec<Agent>,
    /// Attempts before this one do not count: the user has named the agents since.
    pub since: u32,
}

/// The agent that fills a seat now.
#[derive(Clone, Debug)]
pub struct Seated<'a> {
    pub agent: &'a Agent,
    /// The next agents of the list.
    pub others: Vec<&'a Agent>,
    /// The agent before it in the list, and the failure that took the seat from that.
    pub before: Option<(&'a Agent, FailureKind)>,
}

impl Candidates {
    pub fn all(&self) -> impl Iterator<Item = &Agent> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The first agent that no attempt has shown to be out, and that is on this machine; else the
    /// last one. A seat never goes back to an earlier agent.
    fn now<'a>(
        &'a self,
        attempts: impl Iterator<Item = EarlierAttempt<'a>>,
        is_here: impl Fn(&Agent) -> bool,
    ) -> Seated<'a> {
        let all: Vec<&Agent> = self.all().collect();
        let mut at = 0;
        let mut kind = FailureKind::Missing;
        for tried in attempts.filter(|tried| tried.number >= self.since) {
            let found = all.iter().position(|agent| {
                agent.name == tried.agent && agent.instead_of.as_deref() == tried.instead_of
            });
            let Some(found) = found else { continue };
            let failure = tried.failure.filter(|kind| kind.gives_up_seat());
            let next = found + usize::from(failure.is_some());
            if next > at && next < all.len() {
                (at, kind) = (next, failure.unwrap_or(FailureKind::Missing));
            }
        }
        while at + 1 < all.len() && !is_here(all[at]) {
            (at, kind) = (at + 1, FailureKind::Missing);
        }
        let before = at.checked_sub(1).map(|before| (all[before], kind));
        Seated { agent: all[at], others: all[at + 1..].to_vec(), before }
    }
}

/// Tokens of one reply: 150 to 400 words, with its claims and moves.
const REPLY_TOKENS: (u64, u64) = (260, 600);

/// Tokens of one reply with `--quick`: at most 150 words.
const QUICK_TOKENS: (u64, u64) = (130, 260);

/// The number, the time and the tokens of the remaining replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Replies until the end, if nothing shortens the debate.
    pub replies: u32,
    /// Seconds until the last reply. `None`: nothing shows yet how long a reply takes.
    pub seconds: Option<u64>,
    /// Tokens of all prompts of programs; 0 in a conversation.
    pub tokens_in: (u64, u64),
    pub tokens_out: (u64, u64),
}

impl Estimate {
    /// For this number of replies of a debate. `reply`: the time of one, if it is known.
    pub fn new(debate: &Debate, replies: u32, reply: Option<Duration>) -> Self {
        let (least, most) = reply_tokens(debate);
        let tokens_out = (least * u64::from(replies), most * u64::from(replies));
        let seconds = reply.map(|reply| (reply * replies).as_secs());
        Self { replies, seconds, tokens_in: (0, 0), tokens_out }
    }

    /// For programs, which get their prompts one by one. `first`: the tokens of the next prompt;
    /// each later one also has the new replies of the other seats.
    pub fn of_programs(debate: &Debate, first: u64, reply: Option<Duration>) -> Self {
        let left = debate.schedule().places().skip_while(|place| *place != debate.place());
        let (least, most) = reply_tokens(debate);
        let mut tokens_in = (0, 0);
        for (place, before) in left.zip(0_u64..) {
            // A side sees the replies of the other one, a judge all of them.
            let (seen, prompts) = if place.seat == Seat::Synthesizer {
                (before, debate.judges().into())
            } else {
                (before.div_ceil(2), 1)
            };
            tokens_in.0 += (first + seen * least) * prompts;
            tokens_in.1 += (first + seen * most) * prompts;
        }
        let (done, all) = debate.count_phases();
        Self { tokens_in, ..Self::new(debate, all - done, reply) }
    }
}

/// Voices with one list share it: `voice 2` counts for `voice 3`.
fn kind_of(seat: &str) -> Option<&str> {
    seat.split(' ').next()
}

fn reply_tokens(debate: &Debate) -> (u64, u64) {
    if debate.options.quick { QUICK_TOKENS } else { REPLY_TOKENS }
}

impl Plan {
    /// The agents that may fill this place.
    pub fn candidates_for(&self, place: Place) -> &Candidates {
        match place.seat {
            Seat::Advocate => &self.advocate,
            Seat::Critic => &self.critic,
            Seat::Synthesizer | Seat::Judge(_) => {
                self.own_judge(place).map_or(&self.synthesizer, |judge| &self.judges[judge])
            }
            Seat::Voice(voice) => self.own_voices.get(&voice).unwrap_or(&self.voices),
        }
    }

    /// The index of a judge with an agent of its own.
    fn own_judge(&self, place: Place) -> Option<usize> {
        let judge = usize::from(place.seat.judge()?).checked_sub(1)?;
        (judge < self.judges.len()).then_some(judge)
    }

    /// True if no other place has the agent of this judge or voice.
    pub fn has_own(&self, place: Place) -> bool {
        match place.seat {
            Seat::Advocate | Seat::Critic | Seat::Synthesizer => false,
            Seat::Judge(_) => self.own_judge(place).is_some(),
            Seat::Voice(voice) => self.own_voices.contains_key(&voice),
        }
    }

    /// The agent that fills this place after these attempts. `is_here`: its program is on this
    /// machine.
    pub fn now<'a>(
        &'a self,
        place: Place,
        attempts: impl Iterator<Item = EarlierAttempt<'a>>,
        is_here: impl Fn(&Agent) -> bool,
    ) -> Seated<'a> {
        let is_own = self.has_own(place);
        let slot = Slot::from(place);
        let seat = place.in_schedule().seat.to_string();
        let attempts = attempts.filter(|tried| {
            if is_own { tried.slot == slot } else { kind_of(tried.seat) == kind_of(&seat) }
        });
        self.candidates_for(place).now(attempts, is_here)
    }

    /// The family of both sides, if it is one.
    pub fn shared_family(&self) -> Option<&str> {
        let [advocate, critic] =
            [&self.advocate, &self.critic].map(|seat| seat.first.family.as_str());
        (advocate == critic).then_some(advocate)
    }

    /// Limits the time of every reply.
    pub fn with_longest_reply(mut self, whole: Duration) -> Self {
        let seats = [&mut self.advocate, &mut self.critic, &mut self.synthesizer, &mut self.voices];
        let own = self.judges.iter_mut().chain(self.own_voices.values_mut());
        let listed = seats.into_iter().chain(own);
        let agents =
            listed.flat_map(|seat| std::iter::once(&mut seat.first).chain(&mut seat.others));
        for agent in agents.chain(&mut self.checker) {
            agent.limits = TimeLimits { whole, ..agent.limits };
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use FailureKind::{Crash, Login, Missing, Quota, Transient};

    use super::*;
    use anvil_core::place::{Place, Seat};

    fn candidates(text: &str, since: u32) -> Candidates {
        let (first, others) = crate::parse_list(text, &[], false).unwrap();
        Candidates { first, others, since }
    }

    /// The names of a place: its seat, and its slot.
    fn names(place: Place) -> (String, Slot) {
        (place.in_schedule().seat.to_string(), place.into())
    }

    fn tried<'a>(
        number: u32,
        (seat, slot): &'a (String, Slot),
        agent: &'a Agent,
        failure: Option<FailureKind>,
    ) -> EarlierAttempt<'a> {
        let instead_of = agent.instead_of.as_deref();
        EarlierAttempt { number, seat, slot: *slot, agent: &agent.name, instead_of, failure }
    }

    const CRITIC: Place = Place { seat: Seat::Critic, round: 1 };

    #[test]
    fn the_record_tells_who_fills_a_seat_now() {
        let named: Vec<Agent> = candidates("codex, claude, gemini", 0).all().cloned().collect();
        let [codex, claude, gemini] = named.as_slice() else { panic!("{named:?}") };
        let plain = crate::parse("claude", &[], false).unwrap();
        let table = [
            (vec![], 0, "codex", None),
            (vec![(codex, Some(Crash)), (codex, Some(Transient))], 0, "codex", None),
            (vec![(codex, Some(Quota))], 0, "claude", Some(("codex", Quota))),
            (vec![(codex, Some(Quota))], 2, "codex", None),
            (vec![(codex, Some(Login)), (claude, None)], 0, "claude", Some(("codex", Login))),
            // It was missing, and is back.
            (vec![(claude, None)], 0, "claude", Some(("codex", Missing))),
            (vec![(claude, None), (codex, None)], 0, "claude", Some(("codex", Missing))),
            // Claude wrote for itself, before the list was named.
            (vec![(&plain, None)], 0, "codex", None),
            (
                vec![(codex, Some(Quota)), (claude, Some(Missing)), (gemini, Some(Quota))],
                0,
                "gemini",
                Some(("claude", Missing)),
            ),
        ];
        for (record, since, expected, before) in table {
            let numbered = (1..).zip(&record);
            let critic = names(CRITIC);
            let attempts = numbered.map(|(at, (agent, end))| tried(at, &critic, agent, *end));
            let seat = candidates("codex, claude, gemini", since);
            let now = seat.now(attempts, |_| true);
            assert_eq!(now.agent.name, expected, "{record:?}");
            let found = now.before.map(|(agent, kind)| (agent.name.as_str(), kind));
            assert_eq!(found, before, "{record:?}");
        }
        // A program that is not here is passed over, except for the last.
        let seat = candidates("codex, claude, gemini", 0);
        for (here, expected) in [("claude", "claude"), ("gemini", "gemini"), ("none", "gemini")] {
            let now = seat.now(std::iter::empty(), |agent| agent.name == here);
            assert_eq!(now.agent.name, expected, "{here}");
        }
    }

    #[test]
    fn voices_and_judges_share_a_list_unless_they_have_their_own() {
        let plan = Plan {
            advocate: candidates("claude", 0),
            critic: candidates("claude", 0),
            synthesizer: candidates("codex, claude", 0),
            judges: vec![candidates("codex, gemini", 0)],
            voices: candidates("codex, claude", 0),
            own_voices: BTreeMap::from([(2, candidates("codex, gemini", 0))]),
            checker: None,
        };
        let judge = |judge: u8| Place { seat: Seat::Judge(judge), round: 1 };
        let voice = Place::case;
        let codex = candidates("codex", 0).first;
        for (failed, expected) in [
            (voice(1), ["claude", "codex", "claude", "codex", "codex"]),
            (voice(2), ["claude", "gemini", "claude", "codex", "codex"]),
            (judge(1), ["codex", "codex", "codex", "gemini", "claude"]),
            (judge(2), ["codex", "codex", "codex", "codex", "claude"]),
        ] {
            let failed_at = names(failed);
            let attempts = [tried(1, &failed_at, &codex, Some(Quota))];
            let places = [voice(1), voice(2), voice(3), judge(1), judge(2)];
            let now = places
                .map(|place| plan.now(place, attempts.into_iter(), |_| true).agent.name.as_str());
            assert_eq!(now, expected, "{failed:?}");
        }
    }
}
