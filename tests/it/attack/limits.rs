//! Limits at each repeat: whatever the seats write, and however often they would be asked again, no
//! debate spends more than its limit.

use crate::run::budgets::always;
use testkit::sample::try_sample;

/// Replies: in form, out of form in every way, and not usable.
const ARGUMENTS: [&str; 5] = [
    "**A1. One.** So [evidence: x.md].\n\n**C1. Two.** So [evidence: y.md].",
    "No number here.",
    "",
    "<anvil-complete/>",
    "**A1. One.** So.\n\n**Attacks A9:** \"nothing\" is there.",
];

const SYNTHESES: [&str; 4] = [
    "No form.",
    "",
    "recommendation: Wait.\nverdict: depends\nconfidence: 60",
    "recommendation: Wait.\nverdict: depends\nrests on: A1\nconfidence: 60\nflips if: so.\nunknown: much.\nA1 weakened: so.\nC1 weakened: so.\n\n### What to do\n\n1. Wait.",
];

const OPTIONS: [&[&str]; 4] =
    [&[], &["--judges", "3"], &["--fact-check"], &["--fact-check", "--judges", "3"]];

/// In replies, of which each takes 100 tokens and ten cents.
const LIMITS: [f64; 12] = [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.99, 5.0, 6.0, 7.5, 9.0];

#[test]
fn no_debate_spends_more_than_its_limit() {
    let count = ARGUMENTS.len();
    let kinds = count * count * SYNTHESES.len() * OPTIONS.len() * LIMITS.len() * 2;
    try_sample(kinds, 12, |case| {
        let (case, is_cost) = (case / 2, case % 2 == 1);
        let (case, limit) = (case / LIMITS.len(), LIMITS[case % LIMITS.len()]);
        let (case, options) = (case / OPTIONS.len(), OPTIONS[case % OPTIONS.len()]);
        let (case, synthesis) = (case / SYNTHESES.len(), SYNTHESES[case % SYNTHESES.len()]);
        let replies = [ARGUMENTS[case / count], ARGUMENTS[case % count], synthesis];
        let within = if is_cost {
            ["--max-cost".to_owned(), format!("{:.3}", limit / 10.0)]
        } else {
            ["--max-tokens".to_owned(), format!("{:.0}", limit * 100.0)]
        };
        let within = [within[0].as_str(), within[1].as_str()];
        let (host, ran, asked) = always(replies, &[options, &within].concat());
        let context = format!("{replies:?} {options:?} {within:?}: {ran:?}");
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let spent = asked as f64;
        assert!(spent <= limit + 1e-9, "{asked} replies: {context}");
        // A verdict, none, or a limit.
        assert!([0, 5, 7].contains(&ran.code), "{context}");
        assert_ne!(host.head("status"), "in_progress", "{context}");
    });
}
