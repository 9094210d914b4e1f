//! Planted decisions: a brief on an invented plant, eight facts with numbers made for it, and one
//! right answer that follows from some of them. Pure.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex_automata::meta::Regex;

const THINGS: [&str; 8] =
    ["pump", "relay", "scanner", "press", "mixer", "loader", "valve", "furnace"];

const SYLLABLES: [&str; 16] = [
    "tar", "vel", "kor", "mun", "dra", "lis", "ono", "pek", "sul", "wem", "bri", "gan", "zet",
    "hol", "fir", "cas",
];

/// Names of two syllables: no more cases can be told apart.
pub(super) const NAMES: usize = SYLLABLES.len() * SYLLABLES.len();

/// A number in groups of three digits, or in one.
const NUMBER: &str = concat!(
    r"(?-u:\b)(?:[1-9][0-9]{0,2}(?:[ ,.'’\u{a0}\u{2009}\u{202f}][0-9]{3}(?-u:\b))+(?:[.,][0-9]{1,2})?",
    r"|[0-9]+(?:[.,][0-9]+)?)(?-u:\b)"
);

/// Facts that decide nothing, for and against the replacement. `{n}` is a number made for the case.
const ASIDES: &str = include_str!("asides.txt");

/// Sentences without a number.
const FILLER: &str = include_str!("filler.txt");

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a factor of the design")]
pub(super) struct Planted {
    /// `replace the Tarvel pumps`
    pub(super) decision: String,
    pub(super) material: String,
    /// True: do.
    pub(super) truth: bool,
    /// Facts that have to be put together.
    pub(super) steps: u8,
    /// The numbers that decide: those facts, and the limit.
    pub(super) numbers: Vec<String>,
    pub(super) framed_for: bool,
    /// The other facts speak against the truth.
    pub(super) pulls: bool,
    /// The facts that decide come in the first half.
    pub(super) is_early: bool,
}

/// Balanced over truth, framing, pull and place, and over one to three steps.
pub(super) fn generate(seed: u64, count: usize) -> Vec<Planted> {
    let mut dice = fastrand::Rng::with_seed(seed ^ 0x9e37_79b9);
    let mut names = BTreeSet::new();
    (0..count).map(|at| one(at, &mut dice, &mut names)).collect()
}

fn one(at: usize, dice: &mut fastrand::Rng, names: &mut BTreeSet<String>) -> Planted {
    let bit = |bit: usize| at / (1 << bit) % 2 == 1;
    let (truth, framed_for, pulls, is_early) = (bit(0), bit(1), bit(2), bit(3));
    let steps = at % 3 + 1;
    let thing = THINGS[dice.usize(..THINGS.len())];
    let things = if thing == "press" { "presses".to_owned() } else { format!("{thing}s") };
    let name = loop {
        let name = invented(dice, 2);
        if names.insert(name.clone()) {
            break name;
        }
    };
    let site = invented(dice, 3);
    let mut used = BTreeSet::new();
    let mut number = |from: u32, to: u32| loop {
        let found = dice.u32(from..to);
        if used.insert(found) {
            break found;
        }
    };
    let (total, facts) = facts(steps, &things, &mut number);
    // The limit is 15 to 30 % away.
    let share = number(115, 130);
    let limit = if truth { total / share * 100 } else { total / 100 * share };
    let mut numbers: Vec<String> = facts.iter().map(|(_, number)| number.to_string()).collect();
    numbers.push(limit.to_string());
    let mut deciding: Vec<String> = facts.into_iter().map(|(fact, _)| fact).collect();
    deciding.push(format!(
        "The rule of the plant: its {things} are replaced exactly if their upkeep costs more than \
         {limit} credits a year in all; nothing else counts."
    ));
    let speaks_for = truth != pulls;
    let pairs = ASIDES.lines().filter_map(|line| line.split_once(" | "));
    let sides = pairs.map(|(one, other)| if speaks_for { one } else { other });
    let asides = sides.map(|aside| aside.replace("{n}", &number(131, 989).to_string()));
    let mut asides: Vec<String> = asides.take(8 - deciding.len()).collect();
    dice.shuffle(&mut deciding);
    dice.shuffle(&mut asides);
    let at = if is_early { 0 } else { asides.len() };
    asides.splice(at..at, deciding);
    let mut filler: Vec<&str> = FILLER.lines().collect();
    dice.shuffle(&mut filler);
    let paragraphs = asides.iter().zip(filler.chunks(5)).map(|(fact, filler)| {
        let place = dice.usize(..=filler.len());
        let sentences = [&filler[..place], &[fact.as_str()], &filler[place..]].concat();
        sentences.join(" ").replace("{things}", &things).replace("{site}", &site)
    });
    let paragraphs: Vec<String> = paragraphs.collect();
    Planted {
        decision: format!("replace the {name} {things}"),
        material: format!("# The {name} {things} of {site}\n\n{}\n", paragraphs.join("\n\n")),
        truth,
        steps: steps as u8,
        numbers,
        framed_for,
        pulls,
        is_early,
    }
}

/// The facts that decide, each with its number, and the upkeep that follows from them.
fn facts(
    steps: usize,
    things: &str,
    number: &mut impl FnMut(u32, u32) -> u32,
) -> (u32, Vec<(String, u32)>) {
    let (n, visits, cost) = (number(23, 90), number(13, 48), number(112, 990));
    let plant = (format!("The plant runs {n} of these {things}."), n);
    if steps == 1 {
        let total = number(21_000, 88_000);
        let all = format!("The upkeep of all {things} costs {total} credits a year.");
        return (total, vec![(all, total)]);
    }
    if steps == 2 {
        let one = cost * 10;
        let upkeep = format!("The upkeep of one of the {things} costs {one} credits a year.");
        return (n * one, vec![plant, (upkeep, one)]);
    }
    let visit = format!("Each of the {things} needs {visits} visits of the fitter a year.");
    let price = format!("A visit of the fitter costs {cost} credits.");
    (n * visits * cost, vec![plant, (visit, visits), (price, cost)])
}

fn invented(dice: &mut fastrand::Rng, syllables: usize) -> String {
    let name: String = (0..syllables).map(|_| SYLLABLES[dice.usize(..SYLLABLES.len())]).collect();
    name[..1].to_uppercase() + &name[1..]
}

/// The numbers of a text, `48,200.00` and `48 200` as 48200: digits that no letter precedes, such as
/// that of a claim, and that are no part of a larger word. A stated confidence is none of them.
pub(super) fn numbers_in(text: &str) -> BTreeSet<String> {
    static SEARCH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(NUMBER).expect("the pattern is a constant"));
    let is_said = |line: &str| {
        let key = line.trim_start_matches(['*', ' ', '-']).get(.."confidence".len());
        key.is_some_and(|key| key.eq_ignore_ascii_case("confidence"))
    };
    let mut numbers = BTreeSet::new();
    for line in text.lines().filter(|line| !is_said(line)) {
        numbers.extend(SEARCH.find_iter(line).map(|found| {
            match line[found.range()].rsplit_once(['.', ',']) {
                Some((whole, fraction)) if fraction.len() != 3 || whole == "0" => {
                    let fraction = fraction.trim_end_matches('0');
                    digits(whole) + if fraction.is_empty() { "" } else { "." } + fraction
                }
                _ => digits(&line[found.range()]),
            }
        }));
    }
    numbers
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_follows_from_the_numbers_that_decide() {
        for case in generate(3, 96) {
            let numbers: Vec<u64> =
                case.numbers.iter().map(|number| number.parse().unwrap()).collect();
            let (limit, facts) = numbers.split_last().unwrap();
            assert_eq!(facts.len(), usize::from(case.steps));
            assert_eq!(facts.iter().product::<u64>() > *limit, case.truth, "{case:?}");
            let there = numbers_in(&case.material);
            assert_eq!(there.len(), 8, "eight facts: {there:?}\n{}", case.material);
            assert!(case.numbers.iter().all(|number| there.contains(number)), "{case:?}");
            let tokens = case.material.len() / 4;
            assert!((800..1_400).contains(&tokens), "{tokens}");
            let at = case.material.find(case.numbers.last().unwrap()).unwrap();
            assert_eq!(at < case.material.len() / 2, case.is_early, "{case:?}");
        }
    }

    #[test]
    fn cases_are_balanced_over_truth_framing_pull_and_place() {
        let cases = generate(1, 48);
        for is in [
            |case: &Planted| case.truth,
            |case: &Planted| case.framed_for,
            |case: &Planted| case.pulls,
            |case: &Planted| case.is_early,
            |case: &Planted| case.truth == case.framed_for,
            |case: &Planted| case.truth == case.pulls,
        ] {
            assert_eq!(cases.iter().filter(|case| is(case)).count(), 24);
        }
        for steps in 1..=3 {
            assert_eq!(cases.iter().filter(|case| case.steps == steps).count(), 16);
        }
        let names: BTreeSet<&str> = cases.iter().map(|case| case.decision.as_str()).collect();
        assert_eq!(names.len(), 48);
    }

    #[test]
    fn a_number_is_found_with_its_commas_and_never_in_a_claim() {
        let found = numbers_in("A1 says 48,200 credits (72 %), C2. 3.5 times, 48200, x86, 12kg.");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["3.5", "48200", "72"]);
        for (text, numbers) in [
            ("48 200 or 48.200, 48\u{202f}200, 48'200, 48,200.00", &["48200"][..]),
            ("1 248 200 in 3 years, 0.125", &["0.125", "1248200", "3"]),
            ("A1 200, x 12 5000, 1.2.3", &["1.2", "12", "200", "3", "5000"]),
            (
                "confidence: 72\n- Confidence : 72 %\nconfidence range: 60 to 80\nWe have 31.",
                &["31"],
            ),
        ] {
            assert_eq!(numbers_in(text).into_iter().collect::<Vec<_>>(), numbers, "{text}");
        }
    }
}
