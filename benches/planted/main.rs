//! The value of the ledger, as a Markdown table. In each debate a synthesis leaves out some of the
//! claims; the table has the share of claims that the last synthesis accounts for. `cargo bench
//! --bench planted`.
//!
//! Without the ledger the first block stands. With the ledger, the block is requested once more, and
//! the second one stands. The synthesizer is a script: it adds only the missing claims that the cue
//! names. docs/adr/0018-the-ledger-judges-nobody.md has the table.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use anvil_core::debate::Debate;
use anvil_core::ledger::{ClaimResult, Id, Ledger, LedgerReply};
use anvil_core::place::{Place, Seat};
use anvil_core::question::Alternatives;
use anvil_prompt::prompt::{Ask, Read, Why, cue};
use jiff::Timestamp;

const CLAIMS: [usize; 3] = [9, 30, 90];
/// Claims that the first synthesis leaves out, of a hundred.
const LEFT_OUT: [usize; 3] = [10, 30, 72];
/// Claims that the second synthesis leaves out again, of ten that the cue names.
const FORGOTTEN: [u64; 2] = [0, 1];
/// Debates of each kind. They differ in the claims that are left out.
const DEBATES: usize = 100;
/// Claims that a reply makes.
const OF_A_REPLY: usize = 5;

fn main() {
    let names: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    if !names.is_empty() && !names.iter().any(|name| "planted".contains(name.as_str())) {
        return;
    }
    println!(
        "| claims | left out at first | named in the cue | without | with | with, one in ten forgotten |"
    );
    println!("|--:|--:|--:|--:|--:|--:|");
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for claims in CLAIMS {
        for share in LEFT_OUT {
            let left_out = (claims * share + 50) / 100;
            let mut sums = Sums::default();
            for _ in 0..DEBATES {
                sums.add(claims, left_out, &mut dice);
            }
            let rounded = |sum: usize, by: usize| (sum + by / 2) / by;
            let percent = |accounted: usize| rounded(100 * accounted, claims * DEBATES);
            println!(
                "| {claims} | {left_out} | {} | {} % | {} % | {} % |",
                rounded(sums.named, DEBATES),
                percent(sums.without),
                percent(sums.with[0]),
                percent(sums.with[1])
            );
        }
    }
}

/// Claims, added up over debates of a kind.
#[derive(Default)]
struct Sums {
    named: usize,
    without: usize,
    with: [usize; FORGOTTEN.len()],
}

impl Sums {
    fn add(&mut self, claims: usize, left_out: usize, dice: &mut Dice) {
        let mut replies = argument(claims);
        let all: Vec<Id> = read(&replies).claims.iter().map(|claim| claim.id).collect();
        let missing = dice.choose(&all, left_out);
        let slot = Place {
            seat: Seat::Synthesizer,
            round: replies.last().map_or(1, |reply| reply.0.round),
        };

        replies.push((slot, synthesis(all.iter().filter(|id| !missing.contains(id)))));
        let first = read(&replies);
        self.without += accounted(&first);
        let named: HashSet<Id> =
            ids_in(&once_more(slot, &first)).intersection(&missing).copied().collect();
        self.named += named.len();

        for (forgotten, with) in FORGOTTEN.into_iter().zip(&mut self.with) {
            let stays_out = |id: &&Id| {
                missing.contains(id) && (!named.contains(id) || dice.below(10) < forgotten)
            };
            let left_again: HashSet<Id> = all.iter().filter(stays_out).copied().collect();
            // The repeated block stands for that of the first synthesis.
            replies.pop();
            replies.push((slot, synthesis(all.iter().filter(|id| !left_again.contains(id)))));
            *with += accounted(&read(&replies));
        }
    }
}

/// An advocate and a critic with this many claims between them; the critic's attack the advocate's.
fn argument(claims: usize) -> Vec<(Place, String)> {
    let (of_critic, of_advocate) = (claims / 2, claims - claims / 2);
    let claim = |letter: char, number: usize| {
        let attack = if letter == 'C' {
            format!("**Attacks A{number}:** \"is so\" fails.\n")
        } else {
            String::new()
        };
        format!("**{letter}{number}. Claim {number} is so.** Because. [reasoning]\n{attack}\n")
    };
    let mut replies = Vec::new();
    for (round, from) in (1..).zip((0..of_advocate).step_by(OF_A_REPLY)) {
        for (seat, letter, count) in
            [(Seat::Advocate, 'A', of_advocate), (Seat::Critic, 'C', of_critic)]
        {
            let text = (from + 1..=count.min(from + OF_A_REPLY))
                .map(|number| claim(letter, number))
                .collect();
            replies.push((Place { seat, round }, text));
        }
    }
    replies
}

/// Claims with a line in the synthesis.
fn accounted(ledger: &Ledger) -> usize {
    ledger.claims.iter().filter(|claim| claim.result != Some(ClaimResult::LeftOut)).count()
}

fn read(replies: &[(Place, String)]) -> Ledger {
    Ledger::from_replies(
        replies.iter().map(|(slot, text)| LedgerReply::new(*slot, 1, text)),
        &Alternatives::default(),
    )
}

fn synthesis<'a>(accounted: impl Iterator<Item = &'a Id>) -> String {
    let mut text = "Do it.\n\n```anvil\n".to_owned();
    for id in accounted {
        let _ = writeln!(text, "{id} weakened: in part");
    }
    text + "against: it costs much\nrecommendation: Do it.\nverdict: do\nconfidence: 60\n\
            rests on: nothing\nflips if: it costs 3 times more\nunknown: what it costs\n```"
}

/// The cue that requests the block once more, as the hook sends it.
fn once_more(slot: Place, ledger: &Ledger) -> String {
    let mut debate =
        Debate::new("id".into(), "Should we?".into(), slot.number(), Timestamp::UNIX_EPOCH);
    debate.set_place(slot);
    debate.await_block();
    let ask = Ask { why: Why::Turn, read: Read::Nothing, steering: None, ledger };
    cue(&debate, Path::new("/p/.claude/anvil-state.local.md"), &ask).as_str().to_owned()
}

fn ids_in(cue: &str) -> HashSet<Id> {
    cue.split(|char: char| !char.is_alphanumeric()).filter_map(|word| word.parse().ok()).collect()
}

/// Random numbers, the same in every run (xorshift64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        for (left, by) in [(true, 13), (false, 7), (true, 17)] {
            self.0 ^= if left { self.0 << by } else { self.0 >> by };
        }
        self.0 % most
    }

    fn choose(&mut self, from: &[Id], count: usize) -> HashSet<Id> {
        let mut rest = from.to_vec();
        (0..count).map(|_| rest.swap_remove(self.below(rest.len() as u64) as usize)).collect()
    }
}
