//! The program's reading of replies of many makes, against that of a careful reader.
//! `replies/README.md` has the format and the labels.

use std::path::Path;

use anvil_core::ledger::{Ground, Ledger, LedgerReply, unread};
use anvil_core::place::{Place, Seat};
use anvil_core::question::Alternatives;
use anvil_core::reply::Reply;

/// A reply, and what a careful reader finds in it.
struct Case {
    name: String,
    seat: Seat,
    items: Vec<String>,
    /// A part may be a claim, and is not read as one.
    is_closed: Option<bool>,
    reply: String,
}

/// The text with the characters that `\u{…}` stands for.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (code, after) = part.split_once('}').unwrap();
        let char = char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap();
        format!("{text}{char}{after}")
    })
}

fn case(file: &str, text: &str) -> Case {
    let (labels, reply) = text.split_once("\n=== reply\n").unwrap();
    let mut lines = labels.lines();
    let name = format!("{file}, {}", lines.next().unwrap());
    let mut case = Case {
        name,
        seat: Seat::Advocate,
        items: Vec::new(),
        is_closed: None,
        reply: unescaped(reply.trim_end_matches('\n')),
    };
    for line in lines {
        match line.split_once(": ").unwrap() {
            ("seat", "advocate") => case.seat = Seat::Advocate,
            ("seat", "critic") => case.seat = Seat::Critic,
            ("seat", voice) => {
                case.seat = Seat::Voice(voice.strip_prefix("voice ").unwrap().parse().unwrap());
            }
            ("gate", gate) => case.is_closed = Some(gate == "closed"),
            ("claim" | "move", item) => case.items.push(item.to_owned()),
            _ => panic!("{}: {line}", case.name),
        }
    }
    case
}

fn corpus() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replies");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| !path.ends_with("README.md"));
    files.sort();
    let cases = files.iter().flat_map(|path| {
        let file = path.file_stem().unwrap().display().to_string();
        let text = std::fs::read_to_string(path).unwrap();
        let cases = text.split("=== case: ").skip(1);
        cases.map(|text| case(&file, text)).collect::<Vec<_>>()
    });
    cases.collect()
}

/// Claims and then moves, in the corpus's words.
fn items(ledger: &Ledger) -> Vec<String> {
    let claims = ledger.claims.iter().map(|claim| {
        let ground = match claim.ground {
            Ground::Evidence(_) => "evidence",
            Ground::Reasoning => "reasoning",
            Ground::Assumption => "assumption",
            Ground::NotGiven => "none",
        };
        let stated = ledger.stated.iter().find(|stated| stated.id == claim.id);
        let weight = match stated.and_then(|stated| stated.claim.as_ref()?.blocks) {
            Some(true) => " | blocks",
            Some(false) => " | minor",
            None => "",
        };
        format!("{} | {ground} | {}{weight}", claim.id, claim.sentence)
    });
    let moves = ledger.moves.iter().map(|made| {
        let mut text = format!("{} {}", made.kind.word(), made.target);
        for (at, after) in made.after.iter().enumerate() {
            text += if at == 0 { " after " } else { " " };
            text += &after.to_string();
        }
        made.by.map_or(text.clone(), |by| format!("{text} by {by}"))
    });
    claims.chain(moves).collect()
}

#[test]
fn every_reply_is_read_like_a_careful_reader() {
    let corpus = corpus();
    let (mut wrong, mut right, mut extra, mut missed) = (Vec::new(), 0, 0, 0);
    for case in &corpus {
        let reply = Reply { texts: vec![case.reply.clone()], ..Reply::default() }.whole().0;
        let place = Place { seat: case.seat, round: 1 };
        let spoken = [LedgerReply::new(place, 1, &reply)];
        let ledger = Ledger::from_replies(spoken, &Alternatives::default());
        let read = items(&ledger);
        let hits = read.iter().filter(|item| case.items.contains(item)).count();
        (right, extra, missed) =
            (right + hits, extra + read.len() - hits, missed + case.items.len() - hits);
        if read != case.items {
            wrong.push(format!("{}: {read:#?}, not {:#?}\n{}", case.name, case.items, case.reply));
        }
        let part = unread(&reply, case.seat, |id| ledger.claim(id).is_some());
        if case.is_closed.is_some_and(|is_closed| is_closed != part.is_some()) {
            wrong.push(format!("{}: {part:?} is not read\n{}", case.name, case.reply));
        }
    }
    println!("{} replies: {right} right, {extra} wrong, {missed} missed", corpus.len());
    assert!(corpus.len() >= 300, "{} replies", corpus.len());
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Pseudo-random numbers, the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.roll(all.len())]
    }
}

/// A claim or a move: its head without marks, its sentence, and its ground.
struct Made {
    head: String,
    sentence: String,
    ground: &'static str,
}

/// Texts that stand between claims and say nothing.
const BETWEEN: [&str; 12] = [
    "",
    "The case is plain.",
    "> **A7. Quoted.** [reasoning]",
    "```\n**A8. In code.**\n```",
    "- rent\n- heat, as in A1",
    "| Office | Rent |\n|---|---|\n| North | 12 |",
    "<!-- **Attacks A1:** hidden -->",
    "## Costs",
    "1. first\n2. second\n\n   more",
    "~~A9. Struck.~~",
    "Text with `code` and *emphasis*.",
    "---",
];

/// A document around the same claims and moves, each written by `form`.
fn document(dice: &mut Dice, form: fn(&Made, &mut Dice) -> String) -> String {
    let mut between = Dice(dice.roll(usize::MAX) as u64);
    let mut look = Dice(between.roll(usize::MAX) as u64);
    let mut document = String::new();
    for number in 1..=2 + between.roll(4) {
        let sentence = format!("Option {number} costs {} a year", 100 + between.roll(900));
        let ground = between.pick(&["[reasoning]", "[assumption]", "[evidence: the audit]", ""]);
        let head = match between.roll(4) {
            0 => format!("Attacks C{number}"),
            1 => format!("Repairs A{number} (after C{number})"),
            _ => format!("A{number}"),
        };
        let made = Made { head, sentence, ground };
        document += &[between.pick(&BETWEEN), &form(&made, &mut look), ""].join("\n\n");
    }
    document + between.pick(&BETWEEN)
}

type Form = fn(&Made, &mut Dice) -> String;

/// The same item in every form that means the same.
const FORMS: [(&str, Form); 9] = [
    ("plain", |Made { head, sentence, ground }, _| format!("{head}: {sentence}. So {ground}")),
    ("bold", |Made { head, sentence, ground }, _| format!("**{head}: {sentence}.** So {ground}")),
    ("underscored", |Made { head, sentence, ground }, _| {
        format!("__{head}: {sentence}.__ So {ground}")
    }),
    ("emphasis", |Made { head, sentence, ground }, dice| {
        let [around, inside] = [dice.pick(&["*", "_", "***", "**"]), dice.pick(&["*", "**"])];
        let ground = ground.replace('[', &format!("{inside}[")).replace(']', &format!("]{inside}"));
        format!("{around}{head}:{around} {inside}{sentence}.{inside} So {ground}")
    }),
    ("listed", |Made { head, sentence, ground }, dice| {
        let bullet = dice.pick(&["- ", "* ", "+ ", "1. ", "2) ", "- [ ] ", "1. - "]);
        format!("{bullet}**{head}: {sentence}.** So {ground}")
    }),
    ("headed", |Made { head, sentence, ground }, dice| {
        let hashes = dice.pick(&["#", "###", "######"]);
        let end = dice.pick(&["", " #", "."]);
        format!("{hashes} {head}: {sentence}{end}\n\nSo {ground}")
    }),
    ("marked", |Made { head, sentence, ground }, dice| {
        let mark = dice.pick(&["→ ", "✅ ", "1️⃣ ", "• ", "— ", "(3) ", "4.) ", "③ ", "🔴"]);
        format!("{mark}{head}: {sentence}. So {ground}")
    }),
    ("with invisible characters", |made, dice| {
        let plain = FORMS[dice.roll(6)].1(made, dice);
        let mut text = String::new();
        for char in plain.chars() {
            if dice.roll(6) == 0 {
                text += dice.pick(&["\u{200b}", "\u{feff}", "\u{2060}", "\u{ad}", "\u{202e}"]);
            }
            text.push(char);
        }
        text
    }),
    ("with look-alikes", |Made { head, sentence, ground }, dice| {
        let mut head = head.clone();
        for (letter, others) in [("A", ["А", "Α", "Ａ"]), ("C", ["С", "Ϲ", "Ｃ"])] {
            // The verb keeps its letters.
            for digit in 1..=9 {
                head = head.replace(
                    &format!("{letter}{digit}"),
                    &format!("{}{digit}", dice.pick(&others)),
                );
            }
        }
        format!("{head}: {sentence}. So {ground}")
    }),
];

#[test]
fn the_form_of_an_item_changes_nothing_that_is_read() {
    let read = |text: &str| {
        let place = Place { seat: Seat::Advocate, round: 1 };
        let reply = [LedgerReply::new(place, 1, text)];
        let ledger = Ledger::from_replies(reply, &Alternatives::default());
        let reasons: Vec<String> = ledger.moves.iter().map(|made| made.reason.clone()).collect();
        let seen = |text: String| text.replace(['*', '_', '.'], "").trim().to_owned();
        (items(&ledger), reasons.into_iter().map(seen).collect::<Vec<_>>())
    };
    for seed in 0..20 * crate::debates() as u64 {
        let plain = document(&mut Dice(seed), FORMS[0].1);
        let expected = read(&plain);
        for (name, form) in FORMS {
            let text = document(&mut Dice(seed), form);
            assert_eq!(read(&text), expected, "{seed}, {name}:\n{text}\n\n{plain}");
            let text = text.replace('\n', "\r\n");
            assert_eq!(read(&text), expected, "{seed}, {name} with carriage returns:\n{text}");
        }
    }
}
