//! Planted decisions: a brief on an invented plant, eight facts with numbers made for it, and one
//! right answer that follows from some of them. Pure.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex_automata::meta::Regex;
use serde::Serialize;

const THINGS: [&str; 8] =
    ["pump", "relay", "scanner", "press", "mixer", "loader", "valve", "furnace"];

const SYLLABLES: [&str; 16] = [
    "tar", "vel", "kor", "mun", "dra", "lis", "ono", "pek", "sul", "wem", "bri", "gan", "zet",
    "hol", "fir", "cas",
];

/// Names of two syllables: the most cases that differ.
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

#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a factor of the design")]
pub(crate) struct Planted {
    /// `replace the Tarvel pumps`
    pub decision: String,
    #[serde(skip)]
    pub material: String,
    /// True: do.
    pub truth: bool,
    /// Facts that have to be put together.
    pub steps: u8,
    /// The numbers that decide: those facts, and the limit.
    pub numbers: Vec<String>,
    pub framed_for: bool,
    /// The other facts speak against the truth.
    pub pulls: bool,
    /// The facts that decide come in the first half.
    pub is_early: bool,
    /// The half of the facts for the advocate, and for the critic, if no seat is shown all.
    pub split: Option<[String; 2]>,
}

/// Every so many cases have their facts split between the seats of a debate.
const SPLIT: usize = 5;

/// Sentences around a fact. Half of a split brief is short enough for a persona.
const AROUND: [usize; 2] = [5, 3];

/// Balanced over truth, framing, pull and place, and over one to three steps.
pub(super) fn generate(seed: u64, count: usize) -> Vec<Planted> {
    let mut dice = fastrand::Rng::with_seed(seed ^ 0x9e37_79b9);
    let mut names = BTreeSet::new();
    (0..count).map(|at| one(at, &mut dice, &mut names)).collect()
}

fn one(at: usize, dice: &mut fastrand::Rng, names: &mut BTreeSet<String>) -> Planted {
    let [truth, framed_for, pulls, is_early] = [0, 1, 2, 3].map(|bit| at / (1 << bit) % 2 == 1);
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
    let is_split = at % SPLIT == SPLIT - 1;
    let (numbers, mut deciding) = deciding(truth, steps, &things, &mut number);
    let speaks_for = truth != pulls;
    let mut asides: Vec<String> = ASIDES
        .lines()
        .filter_map(|line| line.split_once(" | "))
        .map(|(one, other)| if speaks_for { one } else { other })
        .map(|aside| aside.replace("{n}", &number(131, 989).to_string()))
        .take(8 - deciding.len())
        .collect();
    dice.shuffle(&mut deciding);
    dice.shuffle(&mut asides);
    let mut filler: Vec<&str> = FILLER.lines().collect();
    dice.shuffle(&mut filler);
    let mut filler = filler.chunks(AROUND[usize::from(is_split)]);
    let mut paragraphs = |facts: Vec<String>| -> Vec<String> {
        let around = facts.into_iter().zip(&mut filler).map(|(fact, filler)| {
            let place = dice.usize(..=filler.len());
            let sentences = [&filler[..place], &[fact.as_str()], &filler[place..]].concat();
            sentences.join(" ").replace("{things}", &things).replace("{site}", &site)
        });
        around.collect()
    };
    let deciding = paragraphs(deciding);
    let asides = paragraphs(asides);
    let head = format!("# The {name} {things} of {site}");
    let ordered = if is_early { [&deciding, &asides] } else { [&asides, &deciding] };
    // Each seat is shown every second fact of each kind.
    let halves = [0, 1].map(|seat| {
        brief(&head, ordered.into_iter().flat_map(|kind| kind.iter().skip(seat).step_by(2)))
    });
    Planted {
        decision: format!("replace the {name} {things}"),
        material: brief(&head, ordered.into_iter().flatten()),
        truth,
        steps: steps as u8,
        numbers,
        framed_for,
        pulls,
        is_early,
        split: is_split.then_some(halves),
    }
}

fn brief<'p>(head: &str, paragraphs: impl Iterator<Item = &'p String>) -> String {
    let paragraphs: Vec<&str> = paragraphs.map(String::as_str).collect();
    format!("{head}\n\n{}\n", paragraphs.join("\n\n"))
}

/// The numbers that decide, the limit last, and the facts and the rule with them. Costs above the
/// limit decide for the replacement, and earnings below it: the size of a number and its digits do
/// not give the truth away.
fn deciding(
    truth: bool,
    steps: usize,
    things: &str,
    number: &mut impl FnMut(u32, u32) -> u32,
) -> (Vec<String>, Vec<String>) {
    let is_cost = number(0, 2) == 0;
    let (total, facts) = facts(steps, things, is_cost, number);
    // The limit is 15 to 30 % away.
    let share = number(115, 130);
    let limit = if truth == is_cost { total * 100 / share } else { total * share / 100 };
    let (what, compared) = if is_cost { ("cost", "more") } else { ("earn", "less") };
    let rule = format!(
        "The rule of the plant: its {things} are replaced exactly if they {what} {compared} than \
         {limit} credits a year in all; nothing else counts."
    );
    let facts = facts.into_iter().chain([(rule, limit)]);
    facts.map(|(fact, number)| (number.to_string(), fact)).unzip()
}

/// The facts that decide, each with its number, and the costs or earnings that follow from them.
fn facts(
    steps: usize,
    things: &str,
    is_cost: bool,
    number: &mut impl FnMut(u32, u32) -> u32,
) -> (u32, Vec<(String, u32)>) {
    let n = number(23, 90);
    let times = number(13, 48);
    let each = number(112, 990);
    let plant = (format!("The plant runs {n} of these {things}."), n);
    let (do_all, does_one) = if is_cost { ("cost", "costs") } else { ("earn", "earns") };
    if steps == 1 {
        let total = number(21_000, 88_000);
        let year = format!("Together the {things} {do_all} {total} credits a year.");
        return (total, vec![(year, total)]);
    }
    if steps == 2 {
        let one = each * 10;
        let year = format!("One of the {things} {does_one} {one} credits a year.");
        return (n * one, vec![plant, (year, one)]);
    }
    let (visit, price) = if is_cost {
        ("visits of the fitter", "A visit of the fitter costs")
    } else {
        ("orders of customers", "An order of a customer earns")
    };
    let year = format!("Each of the {things} has {times} {visit} a year.");
    (n * times * each, vec![plant, (year, times), (format!("{price} {each} credits."), each)])
}

fn invented(dice: &mut fastrand::Rng, syllables: usize) -> String {
    let name: String = (0..syllables).map(|_| SYLLABLES[dice.usize(..SYLLABLES.len())]).collect();
    name[..1].to_uppercase() + &name[1..]
}

/// The numbers of a text, `48,200.00` and `48 200` as 48200. Digits after a letter, such as those
/// of a claim, and digits in a larger word do not count; a stated confidence does not either.
pub(super) fn numbers_in(text: &str) -> BTreeSet<String> {
    static SEARCH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(NUMBER).expect("the pattern is a constant"));
    let mut numbers = BTreeSet::new();
    for line in text.lines().filter(|line| !is_confidence(line)) {
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

/// True for the line of a block that states the confidence.
fn is_confidence(line: &str) -> bool {
    let key = line.trim_start_matches(['*', ' ', '-']).get(.."confidence".len());
    key.is_some_and(|key| key.eq_ignore_ascii_case("confidence"))
}

/// The numbers above 100 that a text has and that do not follow from the material: as a product of
/// two or three of its numbers, or as a difference of such. Smaller ones count paragraphs, shares
/// and steps.
pub(super) fn strangers(text: &str, material: &str) -> BTreeSet<String> {
    let given: Vec<u64> =
        numbers_in(material).iter().filter_map(|number| number.parse().ok()).collect();
    let mut follow: BTreeSet<u64> = given.iter().copied().collect();
    for _ in 1..3 {
        let products =
            follow.iter().flat_map(|one| given.iter().map(move |two| one.checked_mul(*two)));
        follow = follow.iter().copied().chain(products.flatten()).collect();
    }
    let mut numbers = numbers_in(text);
    numbers.retain(|number| match number.parse::<u64>() {
        Ok(number) => {
            let mut sums = follow.iter().filter_map(|one| one.checked_add(number));
            number > 100 && !follow.contains(&number) && !sums.any(|sum| follow.contains(&sum))
        }
        Err(_) => number.parse::<f64>().is_ok_and(|number| number > 100.0),
    });
    numbers
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(case: &Planted) -> Vec<u64> {
        case.numbers.iter().map(|number| number.parse().unwrap()).collect()
    }

    #[test]
    fn the_truth_follows_from_the_numbers_that_decide() {
        for case in generate(3, 96) {
            let numbers = numbers(&case);
            let (limit, facts) = numbers.split_last().unwrap();
            assert_eq!(facts.len(), usize::from(case.steps));
            let is_above = facts.iter().product::<u64>() > *limit;
            let is_cost = case.material.contains("they cost more than");
            assert_eq!(is_above == is_cost, case.truth, "{case:?}");
            let there = numbers_in(&case.material);
            assert_eq!(there.len(), 8, "eight facts: {there:?}\n{}", case.material);
            assert!(case.numbers.iter().all(|number| there.contains(number)), "{case:?}");
            let tokens = case.material.len() / 4;
            let around = if case.split.is_some() { 500..900 } else { 800..1_400 };
            assert!(around.contains(&tokens), "{tokens}");
            let at = case.material.find(case.numbers.last().unwrap()).unwrap();
            assert_eq!(at < case.material.len() / 2, case.is_early, "{case:?}");
        }
    }

    #[test]
    fn a_split_brief_gives_each_seat_a_half_that_does_not_decide() {
        let cases = generate(3, 100);
        let split: Vec<_> =
            cases.iter().filter_map(|case| Some((case, case.split.as_ref()?))).collect();
        assert_eq!(split.len(), 20);
        assert_eq!(split.iter().filter(|(case, _)| case.truth).count(), 10);
        for (case, halves) in split {
            let [one, other] = [0, 1].map(|seat| numbers_in(&halves[seat]));
            assert_eq!(&one | &other, numbers_in(&case.material));
            assert_eq!((&one & &other).len(), 0);
            for half in halves {
                assert!(half.chars().count() < 2_200, "a persona holds it");
                let numbers = numbers_in(half);
                assert!(!case.numbers.iter().all(|number| numbers.contains(number)), "{half}");
            }
        }
    }

    /// Forty rules that read no sentence: from the digits, the sizes, the places and the lengths.
    fn simple(rule: usize, case: &Planted) -> f64 {
        let numbers = numbers(case);
        let text = case.material.as_str();
        let limit = *numbers.last().unwrap() as f64;
        let at = text.find(case.numbers.last().unwrap()).unwrap() as f64;
        let mut all: Vec<f64> =
            numbers_in(text).iter().map(|number| number.parse().unwrap()).collect();
        all.sort_by(f64::total_cmp);
        let paragraphs: Vec<&str> = text.split("\n\n").collect();
        let of = |paragraph: &str| {
            numbers_in(paragraph).first().and_then(|number| number.parse().ok()).unwrap_or(0.0)
        };
        let place = |words: &str| text.find(words).map_or(0.0, |at| at as f64);
        match rule {
            0..=3 => limit % [2.0, 5.0, 10.0, 100.0][rule],
            4..=7 => numbers[0] as f64 % [2.0, 5.0, 10.0, 100.0][rule - 4],
            8 => limit,
            9 => numbers[0] as f64,
            10 => all.iter().sum(),
            11..=18 => all[(rule - 11).min(all.len() - 1)],
            19..=26 => of(paragraphs[1 + rule - 19]),
            27 => at,
            28 => at / text.len() as f64,
            29 => text.len() as f64,
            30 => paragraphs[1].len() as f64,
            31 => paragraphs[8].len() as f64,
            32 => text.matches(' ').count() as f64,
            33 => text.matches("the").count() as f64,
            34 => case.decision.len() as f64,
            35 => text.matches('0').count() as f64,
            36 => limit / all[all.len() / 2],
            37 => place("more"),
            38 => place("less"),
            _ => limit.log10().fract(),
        }
    }

    #[test]
    fn no_simple_rule_tells_the_truth() {
        let many = |seed: u64, count: u64| -> Vec<Planted> {
            (0..count / 200).flat_map(|at| generate(seed + at, 200)).collect()
        };
        let fitted = many(11, 600);
        let fresh = many(101, 4_000);
        for rule in 0..40 {
            let values = |cases: &[Planted]| -> Vec<(f64, bool)> {
                cases.iter().map(|case| (simple(rule, case), case.truth)).collect()
            };
            let right = |cases: &[(f64, bool)], limit: f64, is_above: bool| {
                let right =
                    |(value, truth): &&(f64, bool)| ((*value > limit) == is_above) == *truth;
                cases.iter().filter(right).count() as f64 / cases.len() as f64
            };
            let fitted = values(&fitted);
            let fresh = values(&fresh);
            let candidates = fitted.iter().flat_map(|(value, _)| [(*value, true), (*value, false)]);
            let best = candidates.max_by(|one, other| {
                right(&fitted, one.0, one.1).total_cmp(&right(&fitted, other.0, other.1))
            });
            let (limit, is_above) = best.unwrap();
            let share = right(&fresh, limit, is_above);
            assert!(share <= 0.53, "rule {rule} is right in {share} of the fresh cases");
        }
    }

    #[test]
    fn what_follows_from_the_material_is_no_stranger() {
        let material = "It has 40 pumps. One costs 1,250 a year. The limit is 48,211.";
        let found = |text| strangers(text, material).into_iter().collect::<Vec<_>>();
        assert_eq!(found("40 x 1,250 = 50,000, which is 1,789 more than 48,211; 72 %"), [""; 0]);
        assert_eq!(found("About 31,337, or 1,250.5."), ["1250.5", "31337"]);
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
