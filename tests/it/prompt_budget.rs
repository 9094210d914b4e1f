//! What the prompts of a debate may cost, in characters; a token has about four. A longer rule has
//! to save its length elsewhere.

use std::collections::BTreeMap;

use anvil::Mode;
use anvil_core::debate::Debate;
use anvil_core::ledger::Ledger;
use anvil_core::options::Named;
use anvil_prompt::prompt::{Ask, Read, Why, cue, opening};
use jiff::Timestamp;

const QUESTION: &str = "Should we move the cache to Redis?";

/// One seat may grow by this much beyond its row, as long as the whole debate does not.
const SPARE: usize = 40 * 4;

/// The replies of a short debate. The number counts on with every reply.
fn reply(slot: &str, nth: usize) -> String {
    match slot {
        "advocate, round 1" => "**A1. It pays.** Two people save a day each week [reasoning].\n\n\
            **A2. It is safe.** The tests show it [evidence: tests/]."
            .to_owned(),
        "critic, round 1" => "**C1. It costs a month.** Nobody has that month [assumption].\n\
            **Attacks A1:** \"It pays\" late."
            .to_owned(),
        _ if slot.starts_with("advocate") => format!(
            "**A{}. It still pays.** In a year [reasoning].\n**Rebuts C1:** a month is found.",
            2 * nth
        ),
        _ if slot.starts_with("critic") => format!(
            "**C{}. It still costs.** In a year [reasoning].\n**Attacks A2:** \"It is safe\" \
             today.",
            2 * nth
        ),
        _ => match slot.strip_prefix("voice ") {
            Some(voice) => format!(
                "FOR, because.\n\n**S{voice}.1. Voice {voice} likes it.** It works [reasoning].\n\
                 **Would change my mind:** a test."
            ),
            None => "No block.".to_owned(),
        },
    }
}

/// The length of the first prompt of each seat, in order.
fn lengths(mut debate: anvil::Debate) -> Vec<(String, usize)> {
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    let mut order = Vec::new();
    while let Some(request) = debate.next_request() {
        let slot = request.slot.as_str().to_owned();
        if !all.contains_key(&slot) {
            order.push((slot.clone(), request.prompt.len()));
            all.insert(slot.clone(), request.prompt.len());
        }
        debate.submit(&request, &reply(&slot, order.len())).unwrap();
    }
    order
}

#[test]
fn the_seats_of_a_debate_keep_their_budget() {
    let debate = |rounds| anvil::Debate::new(QUESTION).unwrap().rounds(rounds).unwrap();
    let voices = ["security-engineer", "startup-cfo", "end-user"];
    let cases = [
        (debate(2), &[2322, 2712, 2642, 3000, 2261][..]),
        (debate(3), &[2322, 2712, 2642, 3000, 2900, 3257, 2576]),
        (debate(2).blind().unwrap(), &[2661, 2585, 3072, 3027, 2489]),
        (debate(2).judges(3).unwrap(), &[2322, 2712, 2642, 3000, 2275, 2275, 2275]),
        (
            debate(2).mode(Mode::DevilsAdvocate("Keep it".into())).unwrap(),
            &[2670, 3011, 2999, 3303, 2581],
        ),
        (
            anvil::Debate::new(QUESTION).unwrap().personas(voices).unwrap(),
            &[2826, 3078, 3249, 2260],
        ),
    ];
    for (debate, budget) in cases {
        let lengths = lengths(debate);
        assert_eq!(lengths.len(), budget.len(), "{lengths:?}");
        for ((seat, length), most) in lengths.iter().zip(budget) {
            assert!(*length <= most + SPARE, "{seat}: {length} of {most} and {SPARE}");
        }
        let whole: usize = lengths.iter().map(|(_, length)| length).sum();
        assert!(whole <= budget.iter().sum(), "{whole} of {budget:?}: {lengths:?}");
    }
}

#[test]
fn the_protocol_of_a_conversation_keeps_its_budget() {
    use anvil_core::options::Mode::{
        Analyst, DevilsAdvocate, Options, Philosopher, Revise, Stakeholders,
    };
    let cases = [
        (Analyst, 0, 2, 4290),
        (Analyst, 0, 3, 4290),
        (Philosopher, 0, 3, 4521),
        (DevilsAdvocate, 0, 3, 4789),
        (Stakeholders, 3, 3, 4156),
        (Options, 2, 2, 4778),
        (Options, 3, 3, 4463),
        (Revise, 0, 2, 4763),
    ];
    for (mode, voices, rounds, most) in cases {
        let mut debate = Debate::new("id".into(), QUESTION.into(), rounds, Timestamp::UNIX_EPOCH);
        debate.options.position = (mode == DevilsAdvocate).then(|| "Keep it".to_owned());
        let names = ["alpha", "beta", "gamma"].iter().take(voices);
        debate.options.voices =
            names.map(|name| Named { name: (*name).to_owned(), text: None }).collect();
        debate.options.mode = mode.clone();
        let file = std::path::Path::new("/p/s.md");
        let ledger = &Ledger::default();
        let ask = Ask { why: Why::Turn, read: Read::Nothing, steering: None, ledger };
        let text = opening(&debate, "", file, &cue(&debate, file, &ask));
        let length = text.as_str().len();
        assert!(length <= most, "{mode:?}, {rounds} rounds: {length} of {most}");
    }
}
