//! The statistics: an e-value that decides, and intervals that describe. Pure.

use std::collections::BTreeMap;

use serde::Serialize;
use statrs::distribution::{Beta, Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

/// The e-value at which a measurement stops: at most 5 % false alarms, however often one looks.
pub(super) const STOP: f64 = 20.0;

/// The stakes on each pair, on either side.
const STAKES: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// Fewest clusters of an interval: with fewer it is much too small.
const FEWEST: usize = 8;

/// The bets on differences from -1 to 1, in their order, against "their mean is 0".
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bets {
    pub pairs: usize,
    wealth: [[f64; 2]; STAKES.len()],
}

impl Bets {
    /// Bets until [`STOP`]: later pairs do not count.
    pub(crate) fn on(differences: impl IntoIterator<Item = f64>) -> Self {
        let mut bets = Self { pairs: 0, wealth: [[1.0; 2]; STAKES.len()] };
        for difference in differences {
            if bets.are_decided() {
                break;
            }
            bets.pairs += 1;
            for ([up, down], stake) in bets.wealth.iter_mut().zip(STAKES) {
                *up *= 1.0 + stake * difference;
                *down *= 1.0 - stake * difference;
            }
        }
        bets
    }

    /// The mean of all products of `1 + stake x difference`.
    pub(crate) fn e_value(&self) -> f64 {
        self.wealth.iter().flatten().sum::<f64>() / (2 * STAKES.len()) as f64
    }

    pub(crate) fn are_decided(&self) -> bool {
        self.e_value() >= STOP
    }
}

/// A mean with its 95 % interval, by Student's t over clusters. No interval: fewer than 8 clusters,
/// or all of them alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Mean {
    pub of: usize,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
}

/// The sum of the squared cluster totals around the mean, over the squared count, for the degrees
/// of freedom; and the number of clusters.
fn variance(values: &[(&str, f64)], mean: f64) -> (f64, usize) {
    let mut totals: BTreeMap<&str, f64> = BTreeMap::new();
    for (cluster, value) in values {
        *totals.entry(cluster).or_default() += value - mean;
    }
    let groups = totals.len() as f64;
    let count = values.len() as f64;
    let squares: f64 = totals.values().map(|total| total * total).sum();
    (squares / (count * count) * groups / (groups - 1.0), totals.len())
}

fn students(of: usize) -> f64 {
    let freedom = of.saturating_sub(1).max(1) as f64;
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(0.975))
}

fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(p))
}

impl Mean {
    /// `values`: each with its cluster. `None`: there are no values.
    pub(crate) fn clustered(values: &[(&str, f64)]) -> Option<Self> {
        let count = values.len();
        let value = values.iter().map(|(_, value)| value).sum::<f64>() / count as f64;
        let (variance, groups) = variance(values, value);
        let half = students(groups) * variance.sqrt();
        let interval =
            (groups >= FEWEST && variance > 1e-18).then_some((value - half, value + half));
        (count > 0).then_some(Self { of: count, value, interval })
    }
}

/// A share with its 95 % interval. `count` has a fraction where each of `of` is a mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Share {
    pub count: f64,
    pub of: usize,
    pub low: f64,
    pub high: f64,
}

impl Share {
    /// By Clopper and Pearson, for `independent` values.
    fn exact(count: f64, of: usize, independent: f64) -> Self {
        let share = if of == 0 { 0.0 } else { count / of as f64 };
        let k = share * independent;
        let n = independent;
        let low = if share <= 0.0 { 0.0 } else { beta_quantile(k, n - k + 1.0, 0.025) };
        let high = if share >= 1.0 || of == 0 { 1.0 } else { beta_quantile(k + 1.0, n - k, 0.975) };
        Self { count, of, low, high }
    }

    /// `all`: independent cases.
    pub(crate) fn counted(all: impl IntoIterator<Item = bool>) -> Self {
        let all: Vec<bool> = all.into_iter().collect();
        let count = all.iter().filter(|is_so| **is_so).count();
        Self::exact(count as f64, all.len(), all.len() as f64)
    }

    /// `values`: from 0 to 1, each with its cluster. By Korn and Graubard: the exact interval for
    /// as many independent values as the variance between the clusters is worth. If all are 0, or
    /// all 1, that is the number of clusters.
    pub(crate) fn clustered(values: &[(&str, f64)]) -> Self {
        let count: f64 = values.iter().map(|(_, value)| value).sum();
        let n = values.len() as f64;
        let share = count / values.len() as f64;
        let (variance, groups) = variance(values, share);
        let spread = share * (1.0 - share);
        let worth = if groups < 2 || spread <= 0.0 {
            groups as f64
        } else {
            let fewer = (students(values.len()) / students(groups)).powi(2);
            (spread / variance * fewer).min(n)
        };
        Self::exact(count, values.len(), worth)
    }

    pub(crate) fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.count / self.of as f64)
    }
}

/// The exact p-value of `McNemar`'s test, two-sided. `None`: no pair differs.
pub(super) fn mcnemar(one: u32, other: u32) -> Option<f64> {
    let coin = Binomial::new(0.5, u64::from(one + other)).ok().filter(|_| one + other > 0)?;
    Some((2.0 * coin.cdf(u64::from(one.min(other)))).min(1.0))
}

/// The Brier score of confidences in percent. `None`: there are none.
pub(super) fn brier(stated: &[(u8, bool)]) -> Option<f64> {
    if stated.is_empty() {
        return None;
    }
    let misses = stated.iter().map(|(percent, is_right)| {
        (f64::from(*percent) / 100.0 - f64::from(u8::from(*is_right))).powi(2)
    });
    Some(misses.sum::<f64>() / stated.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 5e-4, "{found} is not {wanted}");
    }

    #[test]
    fn the_e_value_is_the_mean_of_all_bets() {
        near(Bets::on([]).e_value(), 1.0);
        near(Bets::on([0.5]).e_value(), 1.0);
        near(Bets::on([1.0, 1.0]).e_value(), 1.0 + (0.01 + 0.81 + 2.04) / 9.0 - 0.0011);
        near(Bets::on([1.0, -1.0]).e_value(), 1.0 - 2.85 / 9.0);
        near(Bets::on([1.0; 7]).e_value(), Bets::on([-1.0; 7]).e_value());
        let decided = Bets::on([1.0; 50]);
        assert!(decided.are_decided() && decided.pairs == 8, "{}", decided.pairs);
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        let exact = |count, of| Share::exact(f64::from(count), of, of as f64);
        near(exact(0, 40).low, 0.0);
        near(exact(0, 40).high, 0.0881);
        near(exact(0, 60).high, 0.0596);
        near(exact(10, 40).low, 0.1269);
        near(exact(10, 40).high, 0.4120);
        near(mcnemar(12, 2).unwrap(), 0.0129);
        near(mcnemar(1, 1).unwrap(), 1.0);
        assert_eq!((mcnemar(0, 0), exact(0, 0).value(), brier(&[])), (None, None, None));
        near(brier(&[(90, true), (90, true), (90, false), (60, true)]).unwrap(), 0.2475);
        // The mean of 1 to 10 is 5.5, its standard error 0.9574, and t 2.2622.
        let names: Vec<String> = (1..=10).map(|at| at.to_string()).collect();
        let values: Vec<(&str, f64)> =
            names.iter().map(String::as_str).zip((1..=10).map(f64::from)).collect();
        let (low, high) = Mean::clustered(&values).unwrap().interval.unwrap();
        near(low, 5.5 - 2.1658);
        near(high, 5.5 + 2.1658);
        assert_eq!(Mean::clustered(&values[..7]).unwrap().interval, None, "too few");
        assert_eq!(Mean::clustered(&[]), None);
    }

    /// Halves that agree are worth no more than their lines.
    #[test]
    fn two_halves_of_a_line_count_as_one_if_they_agree() {
        let names: Vec<String> = (0..40).map(|at| at.to_string()).collect();
        let line = |at: usize| (names[at].as_str(), f64::from(u8::from(at.is_multiple_of(4))));
        let lines: Vec<_> = (0..40).map(line).collect();
        let halves: Vec<_> = (0..80).map(|at| line(at / 2)).collect();
        let one = Mean::clustered(&lines).unwrap();
        let two = Mean::clustered(&halves).unwrap();
        near(one.interval.unwrap().0, two.interval.unwrap().0);
        let one = Share::counted((0_u32..40).map(|at| at.is_multiple_of(4)));
        let two = Share::clustered(&halves);
        assert!((one.low - two.low).abs() < 0.01 && (one.high - two.high).abs() < 0.01, "{two:?}");
        let none: Vec<_> = (0..80).map(|at| (names[at / 2].as_str(), 0.0)).collect();
        near(Share::clustered(&none).high, 0.0881);
    }
}
