//! How many cases of a generator run.

/// Environment variable: how many cases of each generator run; `all`: every one.
const ATTACKS: &str = "ANVIL_ATTACKS";

/// The numbers of the cases to try, out of `total`: `few` of them, spread evenly and always the
/// same, or as many as the environment says.
pub fn sample(total: usize, few: usize) -> Vec<usize> {
    let count = match std::env::var(ATTACKS).as_deref() {
        Ok("all") => total,
        Ok(count) => count.parse().expect("ANVIL_ATTACKS is a number or `all`"),
        Err(_) => few,
    };
    let count = count.min(total);
    // The golden ratio spreads them over each factor of a product, too.
    let step = (1..total)
        .rev()
        .find(|step| *step * 1_000 <= total * 618 && are_coprime(*step, total))
        .unwrap_or(1);
    let mut cases: Vec<usize> = (0..count).map(|case| case * step % total).collect();
    cases.sort_unstable();
    cases
}

/// Tries them, and fails with every case that did not hold.
pub fn try_sample(total: usize, few: usize, mut holds: impl FnMut(usize)) {
    let cases = sample(total, few);
    let mut failures = Vec::new();
    for &case in &cases {
        let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| holds(case)));
        if let Err(panic) = tried {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or(panic.downcast_ref::<&str>().copied());
            failures.push(format!("case {case}: {:.1500}", text.unwrap_or("it panicked")));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases failed:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

fn are_coprime(one: usize, other: usize) -> bool {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one == 1
}

#[test]
fn a_sample_has_no_duplicates_and_can_be_complete() {
    for total in [1, 2, 7, 1_000, 18_130] {
        for few in [0, 1, 5, total, total + 1] {
            let cases = sample(total, few);
            let distinct: std::collections::BTreeSet<usize> = cases.iter().copied().collect();
            assert!(
                distinct.len() == cases.len() && distinct.iter().all(|case| *case < total),
                "{total} {few}"
            );
            assert!(
                std::env::var(ATTACKS).is_ok() || cases.len() == few.min(total),
                "{total} {few}"
            );
        }
    }
}
