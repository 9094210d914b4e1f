//! The bounds of the numbers in records, and of those that programs print. A number out of bounds
//! makes a record invalid; from a program it is ignored.

use std::time::Duration;

/// Most attempts at a debate: one a minute for a week.
pub const MAX_NUMBER: u32 = 10_000;

/// Most tokens, or bytes, of one attempt.
const MAX_COUNT: u64 = 1 << 40;

/// Most United States dollars.
const MAX_COST: f64 = 1_000_000.0;

/// Longest time.
const LONGEST: Duration = Duration::from_hours(24 * 366);

/// A number of tokens, bytes or words within the bound.
pub fn count(count: u64) -> Option<u64> {
    (count <= MAX_COUNT).then_some(count)
}

/// United States dollars within the bound.
pub fn cost(cost: f64) -> Option<f64> {
    (cost.is_finite() && (0.0..=MAX_COST).contains(&cost)).then_some(cost)
}

/// A number of seconds within the bound.
pub fn seconds(seconds: u64) -> Option<u64> {
    (seconds <= LONGEST.as_secs()).then_some(seconds)
}

/// A number of an attempt, counted from 1.
pub fn is_number(number: u32) -> bool {
    (1..=MAX_NUMBER).contains(&number)
}

pub(crate) fn is_millis(millis: u64) -> bool {
    u128::from(millis) <= LONGEST.as_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_above_its_bound_is_ignored() {
        for cost in [1e308, -0.01, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, MAX_COST * 2.0] {
            assert_eq!(super::cost(cost), None, "{cost}");
        }
        assert_eq!((super::cost(0.0), super::cost(0.41)), (Some(0.0), Some(0.41)));
        assert_eq!(
            (count(u64::MAX), count(5), seconds(u64::MAX), seconds(7)),
            (None, Some(5), None, Some(7))
        );
        assert!(!is_number(0) && !is_number(u32::MAX) && is_number(1) && !is_millis(u64::MAX));
    }
}
