//! The budget of a debate, and the check that the next reply fits. A share is reserved for the
//! synthesis.

use std::time::Duration;

/// An amount that a debate or a reply spends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Time in which programs wrote.
    pub time: Duration,
    /// Tokens in and out, if the programs report them.
    pub tokens: u64,
    /// United States dollars, if the programs report them.
    pub cost: f64,
}

impl Spent {
    pub fn plus(self, other: Self) -> Self {
        Self {
            time: self.time.saturating_add(other.time),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost + other.cost,
        }
    }

    /// A share of each amount.
    pub fn divided_by(self, count: u32) -> Self {
        Self {
            time: self.time / count,
            tokens: self.tokens / u64::from(count),
            cost: self.cost / f64::from(count),
        }
    }

    /// The larger of each amount.
    pub fn largest(self, other: Self) -> Self {
        Self {
            time: self.time.max(other.time),
            tokens: self.tokens.max(other.tokens),
            cost: self.cost.max(other.cost),
        }
    }
}

/// The limits of a debate. `None`: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// `--max-time`
    pub time: Option<Duration>,
    /// `--max-tokens`
    pub tokens: Option<u64>,
    /// `--max-cost`, in United States dollars.
    pub cost: Option<f64>,
}

/// The next step within the limits. The text is the option that set the reached limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next reply fits.
    GoOn,
    /// Only a synthesis fits.
    Synthesize(&'static str),
    /// Not even a synthesis fits.
    Pause(&'static str),
}

/// The kind of the next reply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NextReply {
    /// An argument, before which nothing exists that a synthesis could judge.
    Opening,
    Argument,
    Synthesis,
    Again(Repeat),
}

/// A second request for a reply. The first reply was received, so a repeat must not overspend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeat {
    /// The mean of the debate's replies.
    pub mean: Spent,
    /// Number of judges after this one. `None`: the reply is an argument, or a check of facts.
    pub judges_after: Option<u8>,
    /// A synthesis can be written now.
    pub has_argument: bool,
}

/// More than the rounding errors of a sum, and less than any price.
const ROUNDING: f64 = 1e-9;

/// The next step. A synthesis reads everything, so its share is 1.5 times the largest reply, for
/// each of its judges.
#[expect(clippy::cast_precision_loss, reason = "real counts are much smaller")]
pub fn step(budget: Budget, spent: Spent, largest: Spent, next: NextReply, judges: u8) -> Step {
    let mean = match next {
        NextReply::Again(Repeat { mean, .. }) => mean,
        NextReply::Opening | NextReply::Argument | NextReply::Synthesis => Spent::default(),
    };
    let amounts = [spent, largest, mean];
    let limits = [
        (
            "--max-time",
            budget.time.map(|time| time.as_secs_f64()),
            amounts.map(|amount| amount.time.as_secs_f64()),
        ),
        (
            "--max-tokens",
            budget.tokens.map(|tokens| tokens as f64),
            amounts.map(|amount| amount.tokens as f64),
        ),
        ("--max-cost", budget.cost, amounts.map(|amount| amount.cost)),
    ];
    let is_argument = matches!(
        next,
        NextReply::Argument
            | NextReply::Again(Repeat { judges_after: None, has_argument: true, .. })
    );
    let mut step = Step::GoOn;
    for (option, limit, [used, reply, mean]) in limits {
        let Some(limit) = limit else { continue };
        let share = reply * 1.5 * f64::from(judges);
        let needed = match next {
            NextReply::Opening | NextReply::Argument => reply + share,
            NextReply::Synthesis => 0.0,
            NextReply::Again(Repeat { judges_after: None, .. }) => mean + share,
            NextReply::Again(Repeat { judges_after: Some(after), .. }) => {
                mean * (1.0 + f64::from(after))
            }
        };
        if used < limit && used + needed <= limit + ROUNDING {
            continue;
        }
        if !is_argument || used + share > limit || used >= limit {
            return Step::Pause(option);
        }
        if step == Step::GoOn {
            step = Step::Synthesize(option);
        }
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_keeps_a_share_for_the_synthesis() {
        use NextReply::{Argument, Opening, Synthesis};
        let tokens = |count| Spent { tokens: count, ..Spent::default() };
        let budget = Budget { tokens: Some(1_000), ..Budget::default() };
        let at = |used, next| step(budget, tokens(used), tokens(100), next, 1);
        let synthesize = Step::Synthesize("--max-tokens");
        let pause = Step::Pause("--max-tokens");
        for (used, next, expected) in [
            (0, Opening, Step::GoOn),
            (750, Argument, Step::GoOn),
            (751, Argument, synthesize),
            (850, Argument, synthesize),
            (851, Argument, pause),
            (751, Opening, pause),
            (999, Synthesis, Step::GoOn),
            (1_000, Synthesis, pause),
            (1_000, Argument, pause),
        ] {
            assert_eq!(at(used, next), expected, "{used} {next:?}");
        }
        for (used, expected) in
            [(450, Step::GoOn), (451, synthesize), (550, synthesize), (551, pause)]
        {
            assert_eq!(
                step(budget, tokens(used), tokens(100), Argument, 3),
                expected,
                "three judges, {used}"
            );
        }
        assert_eq!(step(Budget::default(), tokens(u64::MAX), tokens(1), Argument, 1), Step::GoOn);
    }

    #[test]
    fn a_repeat_is_reckoned_at_the_mean_and_overspends_nothing() {
        let tokens = |count| Spent { tokens: count, ..Spent::default() };
        let budget = Budget { tokens: Some(1_000), ..Budget::default() };
        let again = |used, judges_after| {
            let repeat = Repeat { mean: tokens(100), judges_after, has_argument: true };
            step(budget, tokens(used), tokens(200), NextReply::Again(repeat), 1)
        };
        let pause = Step::Pause("--max-tokens");
        for (used, judges_after, expected) in [
            (900, Some(0), Step::GoOn),
            (901, Some(0), pause),
            (700, Some(2), Step::GoOn),
            (701, Some(2), pause),
            // The share of the synthesis stays.
            (600, None, Step::GoOn),
            (601, None, Step::Synthesize("--max-tokens")),
            (701, None, pause),
        ] {
            assert_eq!(again(used, judges_after), expected, "{used} {judges_after:?}");
        }
        let dime = Spent { cost: 0.1, ..Spent::default() };
        let spent = dime.plus(dime).plus(dime);
        let repeat =
            Repeat { mean: spent.divided_by(3), judges_after: Some(0), has_argument: true };
        for (limit, expected) in [(0.4, Step::GoOn), (0.39, Step::Pause("--max-cost"))] {
            let budget = Budget { cost: Some(limit), ..Budget::default() };
            assert_eq!(step(budget, spent, dime, NextReply::Again(repeat), 1), expected, "{limit}");
        }
    }

    #[test]
    fn the_strictest_limit_decides() {
        use NextReply::Argument;
        let budget = Budget { time: Some(Duration::from_secs(100)), tokens: None, cost: Some(1.0) };
        let largest = Spent { time: Duration::from_secs(10), tokens: 0, cost: 0.1 };
        let spent = |time, cost| Spent { time: Duration::from_secs(time), tokens: 0, cost };
        assert_eq!(
            step(budget, spent(80, 0.1), largest, Argument, 1),
            Step::Synthesize("--max-time")
        );
        assert_eq!(step(budget, spent(80, 1.0), largest, Argument, 1), Step::Pause("--max-cost"));
        assert_eq!(step(budget, spent(10, 0.1), largest, Argument, 1), Step::GoOn);
    }
}
