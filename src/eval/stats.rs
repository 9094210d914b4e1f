//! The statistics: one e-value that decides, and intervals that describe. Pure.

use serde::Serialize;
use statrs::distribution::{Beta, Binomial, ContinuousCDF, DiscreteCDF};
use statrs::function::beta::ln_beta;

/// The e-value at which the measurement stops: at most 5 % false alarms, however often one looks.
pub(super) const STOP: f64 = 20.0;

/// Fewest cases for the bootstrap: with fewer its intervals are much too small.
const FEWEST: usize = 8;

/// Resamples of the bootstrap.
const RESAMPLES: usize = 2_000;

/// The e-value after `one` pairs where only the first arm flipped and `other` where only the second
/// did, against "both flip equally often": a mixture of coins over a fair one.
pub(super) fn e_value(one: u32, other: u32) -> f64 {
    let (b, c) = (f64::from(one), f64::from(other));
    let mixture = ln_beta(b + 0.5, c + 0.5) - ln_beta(0.5, 0.5);
    (mixture + (b + c) * std::f64::consts::LN_2).exp()
}

/// The e-value of pairs in their order. It stops at [`STOP`]: later pairs do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Race {
    pub(super) pairs: u32,
    /// Pairs in which only the first flipped.
    pub(super) only_first: u32,
    /// Pairs in which only the second flipped.
    pub(super) only_second: u32,
}

impl Race {
    pub(super) fn run(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut race = Self::default();
        for (first, second) in pairs {
            if race.is_decided() {
                break;
            }
            race.pairs += 1;
            race.only_first += u32::from(first && !second);
            race.only_second += u32::from(second && !first);
        }
        race
    }

    pub(super) fn e_value(self) -> f64 {
        e_value(self.only_first, self.only_second)
    }

    pub(super) fn is_decided(self) -> bool {
        self.e_value() >= STOP
    }
}

/// A share, with its exact 95 % interval (Clopper and Pearson).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Share {
    pub(super) count: u32,
    pub(super) of: u32,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Share {
    pub(super) fn new(count: u32, of: u32) -> Self {
        let (k, n) = (f64::from(count), f64::from(of));
        let quantile = |a, b, p| Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(p));
        let low = if count == 0 { 0.0 } else { quantile(k, n - k + 1.0, 0.025) };
        let high = if count >= of { 1.0 } else { quantile(k + 1.0, n - k, 0.975) };
        Self { count, of, low, high }
    }

    pub(super) fn counted(all: impl IntoIterator<Item = bool>) -> Self {
        let (mut count, mut of) = (0, 0);
        for is_so in all {
            of += 1;
            count += u32::from(is_so);
        }
        Self::new(count, of)
    }

    pub(super) fn value(self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.count) / f64::from(self.of))
    }
}

/// The exact p-value of `McNemar`'s test, two-sided. `None`: no pair differs.
pub(super) fn mcnemar(one: u32, other: u32) -> Option<f64> {
    let coin = Binomial::new(0.5, u64::from(one + other)).ok().filter(|_| one + other > 0)?;
    Some((2.0 * coin.cdf(u64::from(one.min(other)))).min(1.0))
}

/// The 95 % interval of a mean over cases, from whole cases drawn again. `None`: too few cases, or
/// all are alike, so that every draw has their mean.
pub(super) fn bootstrap(cases: &[f64], seed: u64) -> Option<(f64, f64)> {
    if cases.len() < FEWEST || cases.iter().all(|case| case.total_cmp(&cases[0]).is_eq()) {
        return None;
    }
    let mut dice = fastrand::Rng::with_seed(seed);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = (0..cases.len()).map(|_| cases[dice.usize(..cases.len())]);
            drawn.sum::<f64>() / cases.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Some((means[RESAMPLES / 40], means[RESAMPLES - 1 - RESAMPLES / 40]))
}

/// A bin of stated confidences: how often those verdicts were right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Bin {
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) count: u32,
    pub(super) right: u32,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The Brier score of stated confidences, and their bins. `None`: no confidence was stated.
pub(super) fn calibration(stated: &[(u8, bool)]) -> Option<(f64, Vec<Bin>)> {
    let miss = |&(percent, right): &(u8, bool)| {
        (f64::from(percent) / 100.0 - f64::from(u8::from(right))).powi(2)
    };
    let brier = stated.iter().map(miss).sum::<f64>() / stated.len() as f64;
    let edges = [(0, 49), (50, 59), (60, 69), (70, 79), (80, 89), (90, 100)];
    let bins = edges.into_iter().filter_map(|(from, to)| {
        let inside = stated.iter().filter(|(percent, _)| (from..=to).contains(percent));
        let (count, right) =
            inside.fold((0, 0), |(all, right), (_, is)| (all + 1, right + u32::from(*is)));
        let Share { low, high, .. } = Share::new(right, count);
        (count > 0).then_some(Bin { from, to, count, right, low, high })
    });
    (!stated.is_empty()).then(|| (brier, bins.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 5e-4, "{found} is not {wanted}");
    }

    #[test]
    fn the_e_value_is_the_mixture_over_a_fair_coin() {
        near(e_value(0, 0), 1.0);
        near(e_value(1, 0), 1.0);
        near(e_value(1, 1), 0.5);
        near(e_value(3, 0), 2.5);
        near(e_value(7, 0), e_value(0, 7));
        assert!(e_value(6, 0) < STOP && e_value(7, 0) >= STOP, "{}", e_value(7, 0));
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        let none = Share::new(0, 40);
        near(none.low, 0.0);
        near(none.high, 0.0881);
        near(Share::new(0, 60).high, 0.0596);
        let some = Share::new(10, 40);
        near(some.low, 0.1269);
        near(some.high, 0.4120);
        near(mcnemar(12, 2).unwrap(), 0.0129);
        near(mcnemar(1, 1).unwrap(), 1.0);
        assert_eq!(mcnemar(0, 0), None);
        assert_eq!(Share::new(0, 0).value(), None);
    }

    #[test]
    fn confidences_are_scored_by_bins() {
        let (brier, bins) =
            calibration(&[(90, true), (90, true), (90, false), (60, true)]).unwrap();
        near(brier, (0.01 + 0.01 + 0.81 + 0.16) / 4.0);
        assert_eq!(
            bins.iter().map(|bin| (bin.from, bin.count, bin.right)).collect::<Vec<_>>(),
            [(60, 1, 1), (90, 3, 2)]
        );
        assert!(calibration(&[]).is_none());
        let interval = bootstrap(&[1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0], 7).unwrap();
        assert_eq!(bootstrap(&[1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0], 7), Some(interval));
        assert!(interval.0 < 0.75 && interval.1 > 0.75, "{interval:?}");
        assert_eq!((bootstrap(&[1.0; 9], 7), bootstrap(&[1.0, 0.0], 7)), (None, None));
    }

    #[test]
    fn two_thousand_nulls_give_at_most_five_percent_false_alarms() {
        let mut dice = fastrand::Rng::with_seed(20);
        let mut alarms = 0;
        for _ in 0..2_000 {
            // Both arms flip in a third of 400 cases; the experimenter looks after each.
            let pairs = (0..400).map(|_| (dice.u8(..3) == 0, dice.u8(..3) == 0));
            alarms += u32::from(Race::run(pairs.collect::<Vec<_>>()).is_decided());
        }
        assert!(alarms <= 100, "{alarms} of 2,000");
    }

    /// The chance that the e-value has reached [`STOP`] after so many pairs.
    fn power(only_first: f64, only_second: f64, pairs: usize) -> f64 {
        let mut alive = vec![vec![0.0; pairs + 1]; pairs + 1];
        alive[0][0] = 1.0;
        let mut stopped = 0.0;
        for _ in 0..pairs {
            let mut next = vec![vec![0.0; pairs + 1]; pairs + 1];
            for (b, row) in alive.iter().enumerate() {
                for (c, &chance) in row.iter().enumerate().filter(|(_, chance)| **chance > 0.0) {
                    let ways = [
                        (b + 1, c, only_first),
                        (b, c + 1, only_second),
                        (b, c, 1.0 - only_first - only_second),
                    ];
                    for (b, c, share) in ways {
                        if e_value(b as u32, c as u32) >= STOP {
                            stopped += chance * share;
                        } else if share > 0.0 {
                            next[b][c] += chance * share;
                        }
                    }
                }
            }
            alive = next;
        }
        stopped
    }

    #[test]
    fn the_page_has_the_power_of_the_e_value() {
        let mut table =
            "| flips of the two, % | gained, lost | 40 pairs | 60 | 120 |\n|---|--:|--:|--:|--:|\n"
                .to_owned();
        for (what, first, second) in [
            ("50, 20", 0.36, 0.06),
            ("50, 20, independent", 0.40, 0.10),
            ("40, 20", 0.30, 0.10),
            ("30, 15", 0.20, 0.05),
            ("30, 15, independent", 0.255, 0.105),
            ("30, 30", 0.15, 0.15),
        ] {
            let cells =
                [40, 60, 120].map(|pairs| format!("{:.0}", 100.0 * power(first, second, pairs)));
            let shares = [first, second].map(|share| format!("{}", (1e3 * share).round() / 10.0));
            table = format!("{table}| {what} | {} | {} |\n", shares.join(", "), cells.join(" | "));
        }
        println!("{table}");
        let page = include_str!("../../docs/evaluation.md");
        assert!(page.contains(&table), "docs/evaluation.md lacks:\n{table}");
    }
}
