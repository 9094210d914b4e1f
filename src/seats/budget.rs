//! How much a debate may take, and whether the next reply still fits: an orderly synthesis has its share kept in reserve.

use std::time::Duration;

/// What was spent, or may be: by a whole debate, or by one reply.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Time in which programs wrote.
    pub time: Duration,
    /// Tokens in and out, where they were told.
    pub tokens: u64,
    /// United States dollars, where they were told.
    pub cost: f64,
}

impl Spent {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            time: self.time.saturating_add(other.time),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost + other.cost,
        }
    }

    /// The larger of each.
    #[must_use]
    pub fn largest(self, other: Self) -> Self {
        Self { time: self.time.max(other.time), tokens: self.tokens.max(other.tokens), cost: self.cost.max(other.cost) }
    }
}

/// The limits of a debate. `None`: there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// `--max-time`
    pub time: Option<Duration>,
    /// `--max-tokens`
    pub tokens: Option<u64>,
    /// `--max-cost`, in United States dollars.
    pub cost: Option<f64>,
}

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// `--max-time`
    Time,
    /// `--max-tokens`
    Tokens,
    /// `--max-cost`
    Cost,
}

impl Reached {
    /// The option that sets it.
    #[must_use]
    pub fn option(self) -> &'static str {
        match self {
            Self::Time => "--max-time",
            Self::Tokens => "--max-tokens",
            Self::Cost => "--max-cost",
        }
    }
}

/// What comes next, as far as the limits tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next reply fits.
    GoOn,
    /// It does not, but a synthesis does.
    Synthesize(Reached),
    /// Nothing does.
    Pause(Reached),
}

#[expect(clippy::cast_precision_loss, reason = "nobody counts so many tokens")]
/// What to ask for next. `largest` is the most that one reply took so far; a synthesis reads everything, so its share is half as
/// much again, for each of its `judges`.
#[must_use]
pub fn step(budget: Budget, spent: Spent, largest: Spent, is_synthesis: bool, has_argument: bool, judges: u8) -> Step {
    type Of = fn(Spent) -> f64;
    let ways: [(Reached, Option<f64>, Of); 3] = [
        (Reached::Time, budget.time.map(|most| most.as_secs_f64()), |spent: Spent| spent.time.as_secs_f64()),
        (Reached::Tokens, budget.tokens.map(|most| most as f64), |spent: Spent| spent.tokens as f64),
        (Reached::Cost, budget.cost, |spent: Spent| spent.cost),
    ];
    let mut next = Step::GoOn;
    for (reached, most, of) in ways {
        let Some(most) = most else { continue };
        let (used, reply) = (of(spent), of(largest));
        let share = reply * 1.5 * f64::from(judges);
        let fits = if is_synthesis { used < most } else { used < most && used + reply + share <= most };
        if fits {
            continue;
        }
        if is_synthesis || !has_argument || used + share > most || used >= most {
            return Step::Pause(reached);
        }
        if next == Step::GoOn {
            next = Step::Synthesize(reached);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_the_synthesis_is_kept() {
        let tokens = |count| Spent { tokens: count, ..Spent::default() };
        let budget = Budget { tokens: Some(1_000), ..Budget::default() };
        let at =
            |used, is_synthesis, has_argument| step(budget, tokens(used), tokens(100), is_synthesis, has_argument, 1);
        let (synthesize, pause) = (Step::Synthesize(Reached::Tokens), Step::Pause(Reached::Tokens));
        for (used, is_synthesis, has_argument, expected) in [
            (0, false, false, Step::GoOn),
            (750, false, true, Step::GoOn),
            (751, false, true, synthesize),
            (850, false, true, synthesize),
            (851, false, true, pause),
            (751, false, false, pause),
            (999, true, true, Step::GoOn),
            (1_000, true, true, pause),
            (1_000, false, true, pause),
        ] {
            assert_eq!(at(used, is_synthesis, has_argument), expected, "{used} {is_synthesis} {has_argument}");
        }
        for (used, expected) in [(450, Step::GoOn), (451, synthesize), (550, synthesize), (551, pause)] {
            assert_eq!(step(budget, tokens(used), tokens(100), false, true, 3), expected, "three judges, {used}");
        }
        assert_eq!(step(Budget::default(), tokens(u64::MAX), tokens(1), false, true, 1), Step::GoOn);
    }

    #[test]
    fn of_several_limits_the_one_that_stops_counts() {
        let budget = Budget { time: Some(Duration::from_secs(100)), tokens: None, cost: Some(1.0) };
        let largest = Spent { time: Duration::from_secs(10), tokens: 0, cost: 0.1 };
        let spent = |time, cost| Spent { time: Duration::from_secs(time), tokens: 0, cost };
        assert_eq!(step(budget, spent(80, 0.1), largest, false, true, 1), Step::Synthesize(Reached::Time));
        assert_eq!(step(budget, spent(80, 1.0), largest, false, true, 1), Step::Pause(Reached::Cost));
        assert_eq!(step(budget, spent(10, 0.1), largest, false, true, 1), Step::GoOn);
    }
}
