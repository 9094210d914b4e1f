//! The motion of a debate.

use std::borrow::Cow;

use super::Debate;
use crate::limits::MAX_MOTION_CHARS;
use crate::options::Mode;
use crate::place::Seat;
use crate::question::motion::{OF_DOCUMENT, OF_PLAN, of_question, one_line};
use anvil_text::clean;

impl Debate {
    /// The action that is argued about, if the user, the question or the first reply names it.
    pub fn motion(&self) -> Option<&str> {
        self.options.motion.as_deref().filter(|_| self.options.mode != Mode::Options)
    }

    /// Derives the motion again after the question or the options have changed. A motion from
    /// elsewhere stays.
    pub fn renew_motion(&mut self, before: &Self) {
        let made = before.own_motion();
        if self.options.motion.is_none() || self.options.motion.as_deref() == made.as_deref() {
            self.options.motion = self.own_motion().map(Cow::into_owned);
        }
    }

    /// Drops the motion that an opening stated, if the opening is gone. `before` and `now`: the
    /// motions that openings stated and state.
    pub fn drop_lost_motion(&mut self, before: Option<&str>, now: Option<String>) {
        let is_lost = before.is_some() && before != now.as_deref();
        if is_lost && self.options.motion.as_deref() == before {
            self.options.motion = self.own_motion().map(Cow::into_owned).or(now);
        }
    }

    /// True if the motion is the user's position, which the advocate attacks.
    pub fn argues_position(&self) -> bool {
        self.options.mode == Mode::DevilsAdvocate && self.own_motion().as_deref() == self.motion()
    }

    /// True if a motion can be argued. With options the verdict is a name.
    pub fn takes_motion(&self) -> bool {
        self.options.mode != Mode::Options
    }

    /// True at the places where a reply may state the motion: the first one, and both openings if
    /// they are blind.
    pub fn is_place_of_motion(&self) -> bool {
        let place = self.progress.place;
        let first = self.schedule().first();
        let opens = self.options.blind && matches!(place.seat, Seat::Advocate | Seat::Critic);
        let is_first = place == first || opens && place.round == 1;
        self.takes_motion() && self.progress.cycle == 1 && is_first
    }

    /// The motion that the question and the options of the debate make, if they make one.
    pub fn own_motion(&self) -> Option<Cow<'static, str>> {
        let options = &self.options;
        match options.mode {
            Mode::Options => None,
            Mode::Revise => Some(OF_DOCUMENT.into()),
            Mode::DevilsAdvocate => {
                let position = options.position.as_deref()?;
                Some(one_line(&clean(position, MAX_MOTION_CHARS - 1))?.into())
            }
            _ if options.plan.is_some() => Some(OF_PLAN.into()),
            _ => of_question(&self.question).map(Cow::from),
        }
    }
}
