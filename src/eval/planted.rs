//! Planted decisions: a brief on an invented plant, eight facts with numbers made for it, and one
//! right answer that follows from some of them. Pure.

use std::collections::BTreeSet;

const THINGS: [&str; 8] =
    ["pump", "relay", "scanner", "press", "mixer", "loader", "valve", "furnace"];

const SYLLABLES: [&str; 16] = [
    "tar", "vel", "kor", "mun", "dra", "lis", "ono", "pek", "sul", "wem", "bri", "gan", "zet",
    "hol", "fir", "cas",
];

/// Facts that decide nothing, for and against the replacement. `{n}` is a number made for the case.
const ASIDE: [[&str; 2]; 7] = [
    [
        "A survey found that {n} members of the staff ask for new {things}.",
        "A survey found that {n} members of the staff want to keep the {things}.",
    ],
    [
        "The maker of the new {things} grants a discount of {n} credits on the first order.",
        "The maker of the new {things} adds a fee of {n} credits to the first order.",
    ],
    [
        "New {things} could be delivered within {n} hours.",
        "New {things} could only be delivered after {n} days.",
    ],
    [
        "Last year the {things} stopped the plant for {n} minutes.",
        "The {things} have not stopped the plant for {n} days.",
    ],
    [
        "The neighbouring plant replaced its {things} and praised that in a report of {n} words.",
        "The neighbouring plant replaced its {things} and regretted it in a report of {n} words.",
    ],
    [
        "Visitors complained {n} times about the noise of the {things}.",
        "In a poll, {n} visitors called the sound of the {things} pleasant.",
    ],
    [
        "An old stock of {n} spare parts was lost in a flood.",
        "An old stock of {n} spare parts is still in the cellar.",
    ],
];

/// Sentences without a number.
const FILLER: [&str; 40] = [
    "The {things} were set up by a crew that has since moved on to other plants along the river.",
    "Nobody on the present crew remembers why this place by the north wall was chosen for them.",
    "The foreman writes a short note about them in the log at the end of every shift.",
    "Two articles in the trade press have described the hall in which they stand, with photographs.",
    "The paint on their casings has been renewed in the colours of the company, as elsewhere.",
    "An apprentice once drew a plan of the hall, which still hangs next to the door of the canteen.",
    "The {site} plant takes its water from a lake and returns it cleaner than it was.",
    "Older documents use another name for the hall, which sometimes confuses new colleagues.",
    "The works council has asked to be told early about every change in this part of the plant.",
    "A guided tour for schools stops here, because the view from the gallery is the best one.",
    "In winter the hall is the warmest room of the plant, and meetings tend to be moved there.",
    "The insurance company has inspected the hall and had no remark about its condition.",
    "The drawings are kept in a fireproof cabinet, and copies are with the head office.",
    "The company that made the {things} still exists and answers letters within a few weeks.",
    "Most of the crew lives in {site} itself and comes to work on foot or by bicycle.",
    "The hall has a crane that would be needed for any larger work, and the crane is in order.",
    "An earlier proposal about the hall was withdrawn before anybody had read it to the end.",
    "The night shift plays the radio, which some colleagues of the day shift do not like.",
    "Every spring the gutters of the hall are cleaned, since leaves from the park block them.",
    "The company magazine printed an interview with the crew, with a portrait of the foreman.",
    "A model of the hall in wood stands in the entrance of the head office.",
    "The fire brigade of {site} holds an exercise here in autumn, and so far all went well.",
    "The cleaning of the hall was given to another firm, and the crew is content with it.",
    "A row of poplars shades the windows, so that lamps are needed even around noon.",
    "The keys of the hall hang in the office of the foreman, and a spare set is at the gate.",
    "The floor was laid in a pattern that an architect of the town is said to have drawn himself.",
    "A painter from {site} has offered to decorate the long wall, and nobody has answered yet.",
    "The hall is one of the few rooms of the plant that visitors may enter without a helmet.",
    "Letters about the {things} are filed under the name of the hall and not under their own.",
    "The plant shares a car park with the theatre of {site}, which is full on some evenings.",
    "A clock above the gate runs a little late, and everybody who works there knows it.",
    "The bus company has asked whether its stop could be moved closer to the hall.",
    "In the archive there is a speech that a mayor of {site} held when the plant was opened.",
    "The crew has a choir, which has sung in the hall because of its sound.",
    "A retired engineer comes by every month and likes to explain how the hall came to be.",
    "The catalogue of the maker lists the {things} under a heading that few people would guess.",
    "Some of the windows open towards the lake, and the others towards the railway.",
    "The foreman keeps a shelf of manuals, sorted by colour, which visitors find amusing.",
    "Deliveries for the hall come through the south gate, where the road is wider.",
    "A film crew once rented the hall for a day and left it as clean as it had been.",
];

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
    let (n, visits, cost) = (number(23, 90), number(13, 48), number(112, 990));
    let (total, facts) = match steps {
        1 => {
            let total = number(21_000, 88_000);
            (
                total,
                vec![(format!("The upkeep of all {things} costs {total} credits a year."), total)],
            )
        }
        2 => (
            n * cost * 10,
            vec![
                (format!("The plant runs {n} of these {things}."), n),
                (
                    format!(
                        "The upkeep of one of the {things} costs {} credits a year.",
                        cost * 10
                    ),
                    cost * 10,
                ),
            ],
        ),
        _ => (
            n * visits * cost,
            vec![
                (format!("The plant runs {n} of these {things}."), n),
                (
                    format!("Each of the {things} needs {visits} visits of the fitter a year."),
                    visits,
                ),
                (format!("A visit of the fitter costs {cost} credits."), cost),
            ],
        ),
    };
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
    let asides = ASIDE
        .map(|pair| pair[usize::from(!speaks_for)].replace("{n}", &number(131, 989).to_string()));
    let mut asides = asides[..8 - deciding.len()].to_vec();
    dice.shuffle(&mut deciding);
    dice.shuffle(&mut asides);
    let at = if is_early { 0 } else { asides.len() };
    asides.splice(at..at, deciding);
    let mut filler = FILLER.to_vec();
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

fn invented(dice: &mut fastrand::Rng, syllables: usize) -> String {
    let name: String = (0..syllables).map(|_| SYLLABLES[dice.usize(..SYLLABLES.len())]).collect();
    name[..1].to_uppercase() + &name[1..]
}

/// The numbers of a text, without the commas between thousands: digits that no letter precedes,
/// such as that of a claim, and that are no part of a larger word.
pub(super) fn numbers_in(text: &str) -> BTreeSet<String> {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, ',' | '.');
    let words = text.split(|char: char| !is_part(char));
    let words = words.map(|word| word.trim_matches([',', '.']).replace(',', ""));
    words
        .filter(|word| {
            word.starts_with(|first: char| first.is_ascii_digit())
                && word.chars().all(|char| char.is_ascii_digit() || char == '.')
        })
        .collect()
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
    }
}
