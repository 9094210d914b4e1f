//! How often a confidence was right.

use serde::Serialize;

use super::{Decision, Outcome};

/// The calibration of the verdicts' confidence. Only decisions that turned out right or wrong
/// count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Bands of ten percent, without empty ones.
    pub bands: Vec<Band>,
    /// The mean squared distance. `None`: no decision counts.
    pub brier: Option<Brier>,
    /// Decisions that count.
    pub counted: u32,
    /// Decisions with another outcome, or without a confidence.
    pub left_out: u32,
}

/// Verdicts of similar confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Band {
    /// Lowest percentage.
    pub from: u8,
    /// Highest percentage.
    pub to: u8,
    pub count: u32,
    /// The number of right verdicts.
    pub right: u32,
    /// The mean of their confidence, in percent.
    pub stated: f64,
    /// The share of right verdicts, in percent, and the 95 % interval of Wilson (1927) around it.
    pub was: [f64; 3],
}

/// The Brier score: 0 is perfect; always saying 50 % gives 0.25.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Brier {
    pub score: f64,
    /// The 95 % interval by the standard error. `None`: a single case has no interval.
    pub interval: Option<[f64; 2]>,
}

/// Fewer cases say little: with 20, the interval is still 40 percentage points wide.
const FEW: u32 = 20;

/// Standard deviations that hold 95 % of a normal distribution.
const Z: f64 = 1.959_964;

/// Decisions never reach four thousand million.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Calibration {
    pub fn from_decisions(decisions: &[Decision]) -> Self {
        let with_outcome = decisions.iter().filter(|decision| decision.outcome.is_some()).count();
        let cases: Vec<(u8, bool)> = decisions
            .iter()
            .filter_map(|decision| match (decision.confidence?, decision.outcome?) {
                (percent, Outcome::Right) => Some((percent, true)),
                (percent, Outcome::Wrong) => Some((percent, false)),
                (_, Outcome::Mixed | Outcome::Abandoned) => None,
            })
            .collect();
        let bands = (0..10).filter_map(|band| Band::from_cases(band * 10, &cases)).collect();
        Self {
            bands,
            brier: Brier::from_cases(&cases),
            counted: number(cases.len()),
            left_out: number(with_outcome - cases.len()),
        }
    }

    /// True if there are too few cases for a conclusion.
    pub fn is_of_few(&self) -> bool {
        self.counted < FEW
    }
}

impl Band {
    fn from_cases(from: u8, cases: &[(u8, bool)]) -> Option<Self> {
        // The last band includes 100 %.
        let to = if from == 90 { 100 } else { from + 9 };
        let own: Vec<&(u8, bool)> =
            cases.iter().filter(|(percent, _)| (from..=to).contains(percent)).collect();
        let count = number(own.len());
        let right = number(own.iter().filter(|(_, right)| *right).count());
        let stated =
            own.iter().map(|(percent, _)| f64::from(*percent)).sum::<f64>() / f64::from(count);
        (count > 0).then(|| Self { from, to, count, right, stated, was: wilson(right, count) })
    }
}

fn wilson(right: u32, count: u32) -> [f64; 3] {
    let share = f64::from(right) / f64::from(count);
    let cases = f64::from(count);
    let middle = share + Z * Z / (2.0 * cases);
    let reach = Z * (share * (1.0 - share) / cases + Z * Z / (4.0 * cases * cases)).sqrt();
    let whole = 1.0 + Z * Z / cases;
    [share, (middle - reach) / whole, (middle + reach) / whole]
        .map(|share| (share * 100.0).clamp(0.0, 100.0))
}

impl Brier {
    fn from_cases(cases: &[(u8, bool)]) -> Option<Self> {
        let squares: Vec<f64> = cases
            .iter()
            .map(|(percent, right)| {
                (f64::from(*percent) / 100.0 - f64::from(u8::from(*right))).powi(2)
            })
            .collect();
        let count = f64::from(number(squares.len()));
        let score = squares.iter().sum::<f64>() / count;
        let spread =
            squares.iter().map(|square| (square - score).powi(2)).sum::<f64>() / (count - 1.0);
        let reach = Z * (spread / count).sqrt();
        let interval =
            (squares.len() > 1).then(|| [(score - reach).max(0.0), (score + reach).min(1.0)]);
        (!squares.is_empty()).then_some(Self { score, interval })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(confidence: Option<u8>, outcome: Option<Outcome>) -> Decision {
        Decision {
            id: String::new(),
            question: String::new(),
            confidence,
            outcome,
            note: None,
            review: None,
        }
    }

    #[test]
    fn only_right_and_wrong_outcomes_count() {
        let cases = [
            decision(Some(80), Some(Outcome::Right)),
            decision(Some(85), Some(Outcome::Wrong)),
            decision(Some(100), Some(Outcome::Right)),
            decision(Some(70), Some(Outcome::Mixed)),
            decision(None, Some(Outcome::Right)),
            decision(Some(70), None),
        ];
        let calibration = Calibration::from_decisions(&cases);
        assert_eq!((calibration.counted, calibration.left_out), (3, 2));
        let bands: Vec<_> = calibration
            .bands
            .iter()
            .map(|band| (band.from, band.to, band.count, band.right))
            .collect();
        assert_eq!(bands, [(80, 89, 2, 1), (90, 100, 1, 1)]);
        let brier = calibration.brier.unwrap();
        assert!((brier.score - (0.04 + 0.7225) / 3.0).abs() < 1e-9, "{brier:?}");
        assert_eq!(Calibration::from_decisions(&[]).brier, None);
    }

    /// From R: `binom::binom.wilson(8, 10)`.
    #[test]
    fn a_share_has_a_wilson_interval() {
        let [share, low, high] = wilson(8, 10);
        assert!(
            (share - 80.0).abs() < 1e-9
                && (low - 49.016).abs() < 0.01
                && (high - 94.331).abs() < 0.01,
            "{low} {high}"
        );
        let [_, low, high] = wilson(0, 1);
        assert!(low == 0.0 && high > 79.0, "{low} {high}");
        assert_eq!(Brier::from_cases(&[(50, true)]).unwrap().interval, None);
    }
}
