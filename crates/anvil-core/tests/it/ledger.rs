//! The ledger against generated debates, each with exactly one known fault.

use std::collections::BTreeMap;

use anvil_core::ledger::{
    Claim, ClaimResult, Fault, Id, Label, Ledger, LedgerReply, MoveKind, NoBlock,
};
use anvil_core::place::{Place, Seat};
use anvil_core::question::Alternatives;

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
}

#[derive(Clone, Debug)]
enum Item {
    Claim {
        id: String,
        sentence: String,
    },
    Move {
        kind: MoveKind,
        target: String,
        after: Option<String>,
        quote: Option<String>,
        reason: String,
    },
}

#[derive(Clone, Debug)]
struct Made {
    replies: Vec<(Place, Vec<Item>)>,
    /// The claim, its result, and why.
    listed: Vec<(String, ClaimResult, String)>,
    call: Option<String>,
    rests_on: Vec<String>,
    percent: u8,
    /// Lines before the others.
    first: Vec<String>,
    /// The key of a line that is left out.
    without: Option<&'static str>,
    is_closed: bool,
}

const WORDS: [&str; 16] = [
    "teams",
    "deploys",
    "budget",
    "latency",
    "ownership",
    "on-call",
    "schema",
    "rollback",
    "customers",
    "tests",
    "hiring",
    "cache",
    "audit",
    "vendors",
    "queues",
    "releases",
];

/// A unique sentence.
fn sentence(dice: &mut Dice, id: &str) -> String {
    let mut word = || WORDS[dice.roll(WORDS.len())];
    format!(
        "More {} cost us {} before {} of kind {} return",
        word(),
        word(),
        word(),
        id.to_lowercase().replace('.', "-")
    )
}

impl Made {
    /// A debate of two sides without any fault.
    fn sound(dice: &mut Dice) -> Self {
        let rounds = 2 + u8::try_from(dice.roll(2)).unwrap();
        let mut made = Self {
            replies: Vec::new(),
            listed: Vec::new(),
            call: Some(["do", "do not", "depends"][dice.roll(3)].to_owned()),
            rests_on: Vec::new(),
            percent: 50 + u8::try_from(dice.roll(30)).unwrap(),
            first: Vec::new(),
            without: None,
            is_closed: true,
        };
        let mut claims: Vec<(String, String)> = Vec::new();
        for round in 1..=rounds {
            for (seat, letter) in [(Seat::Advocate, 'A'), (Seat::Critic, 'C')] {
                let mut items = Vec::new();
                let others: Vec<(String, String)> =
                    claims.iter().filter(|(id, _)| !id.starts_with(letter)).cloned().collect();
                for (index, (id, sentence)) in others.iter().enumerate() {
                    let quote = Some(sentence.split(' ').take(4).collect::<Vec<_>>().join(" "));
                    let kind = match (dice.roll(5), seat) {
                        (0, _) => MoveKind::Grant,
                        (_, Seat::Advocate) => MoveKind::Rebut,
                        _ => MoveKind::Attack,
                    };
                    let (quote, reason) = match kind {
                        MoveKind::Grant => (
                            None,
                            format!("because point {index} of round {round} by {letter} is new"),
                        ),
                        _ => (quote, format!("that leaves out step {index} of round {round}.")),
                    };
                    items.push(Item::Move { kind, target: id.clone(), after: None, quote, reason });
                }
                let own: Vec<String> = claims
                    .iter()
                    .filter(|(id, _)| id.starts_with(letter))
                    .map(|(id, _)| id.clone())
                    .collect();
                for id in &own {
                    let (kind, reason) = match dice.roll(5) {
                        0 => (MoveKind::Repair, "it now names the sum."),
                        1 => (MoveKind::Withdraw, "because the figure was old."),
                        _ => continue,
                    };
                    items.push(Item::Move {
                        kind,
                        target: id.clone(),
                        after: None,
                        quote: None,
                        reason: reason.to_owned(),
                    });
                }
                let first = own.len() + 1;
                for number in first..first + 2 + dice.roll(3) {
                    let id = format!("{letter}{number}");
                    let sentence = sentence(dice, &id);
                    claims.push((id.clone(), sentence.clone()));
                    items.push(Item::Claim { id, sentence });
                }
                made.replies.push((Place { seat, round }, items));
            }
        }
        made.judge(dice);
        // A verdict that rests on nothing is a fault.
        if made.rests_on.is_empty() { Self::sound(dice) } else { made }
    }

    /// A synthesis that fits the debate.
    fn judge(&mut self, dice: &mut Dice) {
        let ledger = self.ledger(&Style::CANONICAL);
        self.listed.clear();
        let mut rested_on = Vec::new();
        for claim in &ledger.claims {
            let is_attacked = ledger.moves.iter().any(|made| {
                made.target == claim.id
                    && matches!(made.kind, MoveKind::Attack | MoveKind::Rebut | MoveKind::Withdraw)
            });
            let result = match (claim.label, dice.roll(3)) {
                (_, 0) if claim.status.word() != "withdrawn" => ClaimResult::Weakened,
                (Label::Out, _) => ClaimResult::Fell,
                _ => ClaimResult::Survived,
            };
            assert!(is_attacked || result != ClaimResult::Fell);
            if result == ClaimResult::Survived && rested_on.len() < 3 {
                rested_on.push(claim.id.to_string());
            }
            self.listed.push((claim.id.to_string(), result, "it was tested".to_owned()));
        }
        self.rests_on = rested_on;
    }

    fn ledger(&self, style: &Style) -> Ledger {
        Ledger::from_replies(spoken(&self.texts(style)), &Alternatives::default())
    }

    fn texts(&self, style: &Style) -> Vec<(Place, String)> {
        let mut texts: Vec<(Place, String)> = self
            .replies
            .iter()
            .map(|(slot, items)| {
                (*slot, items.iter().map(|item| style.item(item)).collect::<Vec<_>>().join("\n\n"))
            })
            .collect();
        let last = texts.last().map_or(1, |(slot, _)| slot.number());
        if !self.listed.is_empty() {
            texts.push((Place { seat: Seat::Synthesizer, round: last }, self.synthesis(style)));
        }
        texts
    }

    fn synthesis(&self, style: &Style) -> String {
        let mut lines = self.first.clone();
        lines.push(style.line("motion", "launch it in May"));
        for (id, result, why) in &self.listed {
            lines.push(style.line(&format!("{id} {}", result.word()), why));
        }
        for (key, value) in self.values() {
            if self.without != Some(key) {
                lines.push(style.line(key, &value));
            }
        }
        let end = if self.is_closed { "\n```" } else { "" };
        format!("Wait for one quarter.\n\n```anvil\n{}{end}", lines.join("\n"))
    }

    /// The lines with a name, and their values.
    fn values(&self) -> Vec<(&'static str, String)> {
        let rests_on = match self.rests_on.join(", ") {
            ids if ids.is_empty() => "nothing".to_owned(),
            ids => ids,
        };
        let mut lines = vec![
            ("against", "the queue was never measured".to_owned()),
            ("recommendation", "Wait for one quarter, then measure again.".to_owned()),
            ("confidence", self.percent.to_string()),
            ("rests on", rests_on),
            ("flips if", "more than 5 releases fail".to_owned()),
            ("unknown", "the load in June".to_owned()),
        ];
        if let Some(call) = &self.call {
            lines.push(("verdict", call.clone()));
        }
        if self.call.as_deref() == Some("depends") {
            lines.push(("depends on", "the load in June; do if it grows, else not".to_owned()));
        }
        lines
    }
}

/// The form of a reply: the requested one, or variants that models write.
struct Style(u8);

impl Style {
    const CANONICAL: Self = Self(0);

    fn item(&self, item: &Item) -> String {
        match item {
            Item::Claim { id, sentence } => match self.0 {
                1 => format!("**{id}:** {sentence}. It follows [Reasoning]."),
                2 => format!("- **{id} — {sentence}** — it follows [reasoning]"),
                3 => format!("{id}. {sentence}. It follows [reasoning]."),
                4 => format!("### {}. {sentence}\n\nIt follows [reasoning].", id.to_lowercase()),
                5 => format!("1. __{id}. {sentence}.__ It follows [reasoning]."),
                _ => format!("**{id}. {sentence}.** It follows [reasoning]."),
            },
            Item::Move { kind, target, after, quote, reason } => {
                let after =
                    after.as_ref().map_or_else(String::new, |after| format!(" (after {after})"));
                let marks = ["\"\"", "“”", "«»"][usize::from(self.0 % 3)];
                let mut marks = marks.chars();
                let (open, close) = (marks.next().unwrap(), marks.next().unwrap());
                let quote = quote
                    .as_ref()
                    .map_or_else(String::new, |quote| format!("{open}{quote}{close} "));
                let verb = kind.word();
                let past = match kind {
                    MoveKind::Attack => "attacked",
                    MoveKind::Rebut => "rebutted",
                    MoveKind::Repair => "repaired",
                    MoveKind::Support => "supported",
                    MoveKind::Grant => "conceded",
                    MoveKind::Withdraw => "withdrawn",
                };
                match self.0 {
                    1 => format!(
                        "{}{after}: {quote}{reason}",
                        format!("{verb} {target}").to_lowercase()
                    ),
                    2 => format!("- **{verb} {target}{after}** — {quote}{reason}"),
                    3 => format!("**{target} {past}{after}:** {quote}{reason}"),
                    4 if *kind == MoveKind::Repair => {
                        format!("**Defends {target}{after}:** {quote}{reason}")
                    }
                    4 if matches!(kind, MoveKind::Grant | MoveKind::Withdraw) => {
                        format!("**Conceded: {target}**, {reason}")
                    }
                    4 => format!("*{}* {target}{after} – {quote}{reason}", verb.to_uppercase()),
                    5 => format!("__{verb} {target}{after}__\n{quote}{reason}"),
                    _ => format!("**{verb} {target}{after}:** {quote}{reason}"),
                }
            }
        }
    }

    /// A line of the block.
    fn line(&self, key: &str, value: &str) -> String {
        match self.0 {
            1 => format!("- {key} : {value}"),
            2 if !value.is_empty() => format!("* {}: {value}.", key.to_uppercase()),
            3 => format!("{key}\u{a0}: {value}"),
            // No line goes on below a verdict.
            4 if key != "verdict" => format!("{key}：{}", value.replacen(' ', "\n  ", 1)),
            5 => format!("  {key}:  {value}  ").trim_start().to_owned(),
            _ => format!("{key}: {value}"),
        }
    }
}

fn spoken(texts: &[(Place, String)]) -> impl Iterator<Item = LedgerReply<'_>> {
    texts.iter().map(|(slot, text)| LedgerReply::new(*slot, 1, text))
}

type Break = fn(&mut Made, &mut Dice) -> Option<Fault>;

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

/// A move of this kind somewhere after the first reply.
fn a_move<'a>(made: &'a mut Made, dice: &mut Dice, kinds: &[MoveKind]) -> Option<&'a mut Item> {
    let mut found: Vec<&mut Item> = made
        .replies
        .iter_mut()
        .flat_map(|(_, items)| items)
        .filter(|item| matches!(item, Item::Move { kind, .. } if kinds.contains(kind)))
        .collect();
    (!found.is_empty()).then(|| found.swap_remove(dice.roll(found.len())))
}

/// A claim with this result in the synthesis that the verdict does not rest on.
fn listed_as(
    made: &mut Made,
    dice: &mut Dice,
    fits: impl Fn(&Ledger, Id, ClaimResult) -> bool,
) -> Option<usize> {
    let ledger = made.ledger(&Style::CANONICAL);
    let found: Vec<usize> = (0..made.listed.len())
        .filter(|&at| {
            let (claim, result, _) = &made.listed[at];
            !made.rests_on.contains(claim) && fits(&ledger, id(claim), *result)
        })
        .collect();
    (!found.is_empty()).then(|| found[dice.roll(found.len())])
}

/// True if the claim's side had a reply after each attack on it. The sides alternate.
fn could_answer(ledger: &Ledger, id: Id, replies: usize) -> bool {
    let mut attacks = ledger.moves.iter().filter(|made| {
        made.target == id && matches!(made.kind, MoveKind::Attack | MoveKind::Rebut)
    });
    attacks.all(|attack| attack.section + 1 < replies)
}

const BREAKS: [(&str, Break); 27] = [
    ("reused_id", |made, _| {
        let (_, items) = made.replies.get_mut(2)?;
        items.push(Item::Claim {
            id: "A1".into(),
            sentence: "Something else is claimed here".into(),
        });
        Some(Fault::ReusedId { id: id("A1"), first: 0 })
    }),
    ("unknown_claim", |made, dice| {
        let at = 1 + dice.roll(made.replies.len() - 1);
        let (slot, items) = &mut made.replies[at];
        let target = if slot.seat == Seat::Advocate { "C99" } else { "A99" };
        items.insert(
            0,
            Item::Move {
                kind: MoveKind::Attack,
                target: target.into(),
                after: None,
                quote: None,
                reason: "no.".into(),
            },
        );
        Some(Fault::UnknownClaim { id: id(target) })
    }),
    ("later_claim", |made, _| {
        // Critic, round 1, on a claim that the advocate makes in round 2.
        let later = made.replies[2].1.iter().find_map(|item| match item {
            Item::Claim { id, .. } => Some(id.clone()),
            Item::Move { .. } => None,
        })?;
        made.replies[1].1.insert(
            0,
            Item::Move {
                kind: MoveKind::Attack,
                target: later.clone(),
                after: None,
                quote: None,
                reason: "no.".into(),
            },
        );
        Some(Fault::UnknownClaim { id: id(&later) })
    }),
    ("quote_not_found", |made, dice| {
        let Item::Move { target, quote, .. } =
            a_move(made, dice, &[MoveKind::Attack, MoveKind::Rebut])?
        else {
            return None;
        };
        *quote = Some("words that nobody wrote".into());
        Some(Fault::QuoteNotFound { id: id(target), quote: "words that nobody wrote".into() })
    }),
    ("grant_without_reason", |made, dice| {
        let Item::Move { target, reason, .. } = a_move(made, dice, &[MoveKind::Grant])? else {
            return None;
        };
        reason.clear();
        Some(Fault::GrantWithoutReason { id: id(target) })
    }),
    ("passed_over", |made, _| {
        for (slot, items) in &mut made.replies {
            if slot.seat == Seat::Critic {
                items.retain(|item| !matches!(item, Item::Move { target, .. } if target == "A2"));
            }
            if slot.seat == Seat::Advocate {
                items.retain(|item| !matches!(item, Item::Move { target, .. } if target == "A2"));
            }
        }
        for (claim, result, _) in &mut made.listed {
            if claim == "A2" {
                *result = ClaimResult::Survived;
            }
        }
        Some(Fault::PassedOver { id: id("A2") })
    }),
    ("left_out", |made, dice| {
        let at = listed_as(made, dice, |_, _, _| true)?;
        Some(Fault::LeftOut { id: id(&made.listed.remove(at).0) })
    }),
    ("invented", |made, _| {
        made.listed.push(("C77".into(), ClaimResult::Weakened, "it was tested".into()));
        Some(Fault::Invented { id: id("C77") })
    }),
    ("listed_twice", |made, dice| {
        let again = made.listed[dice.roll(made.listed.len())].clone();
        made.listed.push(again.clone());
        Some(Fault::ListedTwice { id: id(&again.0) })
    }),
    ("no_reason", |made, dice| {
        let at = dice.roll(made.listed.len());
        made.listed[at].2.clear();
        Some(Fault::NoReason { id: id(&made.listed[at].0) })
    }),
    ("survived_though_given_up", |made, dice| {
        let at = listed_as(made, dice, |ledger, id, _| {
            ledger.claim(id).unwrap().status.word() == "withdrawn"
        })?;
        made.listed[at].1 = ClaimResult::Survived;
        Some(Fault::SurvivedThoughGivenUp { id: id(&made.listed[at].0) })
    }),
    ("fell_unattacked", |made, dice| {
        let at = listed_as(made, dice, |ledger, id, _| {
            let attacks = [MoveKind::Attack, MoveKind::Rebut, MoveKind::Withdraw];
            !ledger.moves.iter().any(|one| one.target == id && attacks.contains(&one.kind))
        })?;
        made.listed[at].1 = ClaimResult::Fell;
        Some(Fault::FellUnattacked { id: id(&made.listed[at].0) })
    }),
    ("rests_on_fallen", |made, dice| {
        let at = listed_as(made, dice, |_, _, result| result == ClaimResult::Fell)?;
        let fallen = made.listed[at].0.clone();
        made.rests_on.push(fallen.clone());
        Some(Fault::RestsOnFallen { id: id(&fallen) })
    }),
    ("rests_on_unknown", |made, _| {
        made.rests_on.push("A88".into());
        Some(Fault::RestsOnUnknown { id: id("A88") })
    }),
    ("rests_on_nobody", |made, _| {
        made.rests_on = ["A88", "C99"].map(str::to_owned).to_vec();
        Some(Fault::RestsOnNobody { ids: vec![id("A88"), id("C99")] })
    }),
    ("rests_on_nothing", |made, _| {
        made.rests_on.clear();
        Some(Fault::RestsOnNothing)
    }),
    ("overconfident", |made, dice| {
        let replies = made.replies.len();
        let at = listed_as(made, dice, |ledger, id, result| {
            let claim = ledger.claim(id).unwrap();
            result == ClaimResult::Weakened
                && claim.label == Label::Out
                && claim.status.word() == "contested"
                && could_answer(ledger, id, replies)
        })?;
        let rested = made.listed[at].0.clone();
        made.rests_on = vec![rested.clone()];
        made.percent = 90;
        Some(Fault::Overconfident { id: id(&rested), percent: 90 })
    }),
    ("no_verdict", |made, _| {
        made.call = None;
        Some(Fault::NoVerdict { why: "the synthesis has no line \"verdict\"".to_owned() })
    }),
    ("no_block", |made, _| {
        made.is_closed = false;
        Some(Fault::NoBlock { why: NoBlock::Unclosed })
    }),
    ("line_missing", |made, dice| {
        let lines = made.values();
        let (key, _) = lines[dice.roll(lines.len())];
        made.without = Some(key);
        (key != "verdict").then(|| Fault::LineMissing { key: key.to_owned() })
    }),
    ("line_unreadable", |made, dice| {
        let (key, value) =
            [("confidence", "high"), ("rests on", "the first"), ("unknown", "")][dice.roll(3)];
        made.without = Some(key);
        made.first.push(format!("{key}: {value}"));
        Some(Fault::LineUnreadable { key: key.to_owned() })
    }),
    ("line_twice", |made, dice| {
        let lines = made.values();
        let (key, value) = &lines[dice.roll(lines.len())];
        made.first.push(format!("{key}: {value}"));
        (*key != "verdict").then(|| Fault::LineTwice { key: (*key).to_owned() })
    }),
    ("line_refused", |made, dice| {
        let (key, value) =
            [("judges", "2 of 3"), ("confidence range", "60 to 80"), ("depends on", "June")]
                [dice.roll(3)];
        made.first.push(format!("{key}: {value}"));
        let is_allowed = key == "depends on" && made.call.as_deref() == Some("depends");
        (!is_allowed).then(|| Fault::LineRefused { key: key.to_owned() })
    }),
    ("unknown_line", |made, dice| {
        let line = ["Note: it was tested", "so it is", "### The end"][dice.roll(3)];
        made.first.push(line.to_owned());
        Some(Fault::UnknownLine { line: line.to_owned(), more: 0 })
    }),
    ("stray_line", |made, dice| {
        let line = ["A1 stands: it was tested", "do it", "### What to do"][dice.roll(3)];
        made.first.push(line.to_owned());
        Some(Fault::StrayLine { line: line.to_owned() })
    }),
    ("rests_on_many", |made, _| {
        let stands = made.listed.iter().filter(|(_, result, _)| *result != ClaimResult::Fell);
        made.rests_on = stands.map(|(id, _, _)| id.clone()).take(5).collect();
        (made.rests_on.len() == 5).then_some(Fault::RestsOnMany { count: 5 })
    }),
    ("label_differs", |made, dice| {
        let replies = made.replies.len();
        let at = listed_as(made, dice, |ledger, id, _| {
            let claim = ledger.claim(id).unwrap();
            claim.label == Label::Out
                && claim.status.word() == "contested"
                && could_answer(ledger, id, replies)
        })?;
        made.listed[at].1 = ClaimResult::Survived;
        Some(Fault::LabelDiffers {
            id: id(&made.listed[at].0),
            label: Label::Out,
            result: ClaimResult::Survived,
        })
    }),
];

#[test]
fn every_fault_is_found_without_false_alarms() {
    let debates = crate::debates();
    let mut table: BTreeMap<&str, [u32; 6]> = BTreeMap::new();
    for (name, break_it) in BREAKS {
        let row = table.entry(name).or_default();
        let (mut seed, mut count) = (0, 0);
        while count < debates {
            seed += 1;
            assert!(seed < 50 * debates as u64 + 100, "{name} can hardly be made");
            let mut dice = Dice(seed);
            let mut made = Made::sound(&mut dice);
            let Some(fault) = break_it(&mut made, &mut dice) else { continue };
            count += 1;
            for (at, style) in
                [(0, Style::CANONICAL), (3, Style(1 + u8::try_from(dice.roll(5)).unwrap()))]
            {
                let found = made.ledger(&style).findings;
                let hits = found.iter().filter(|finding| finding.fault == fault).count();
                row[at] += u32::from(hits > 0);
                row[at + 1] += u32::from(hits == 0);
                row[at + 2] += u32::try_from(found.len() - hits).unwrap();
                if at == 0 {
                    let said: Vec<_> = found.iter().map(|finding| &finding.fault).collect();
                    assert_eq!(said, [&fault], "{name}, seed {seed}: {made:#?}");
                }
            }
        }
    }
    println!("{:<26} {:>9} {:>7}   {:>9} {:>7}", "fault", "precision", "recall", "mutated: p", "r");
    for (name, [hit, missed, extra, mutated_hit, mutated_missed, mutated_extra]) in &table {
        let share = |part: u32, rest: u32| f64::from(part) / f64::from((part + rest).max(1));
        let (precision, recall) =
            (share(*mutated_hit, *mutated_extra), share(*mutated_hit, *mutated_missed));
        println!(
            "{name:<26} {:>9.3} {:>7.3}   {precision:>9.3} {recall:>7.3}",
            share(*hit, *extra),
            share(*hit, *missed)
        );
        assert!(precision >= 0.95 && recall >= 0.95, "{name}: {precision} {recall}");
    }
}

#[test]
fn a_sound_debate_passes_all_checks() {
    for seed in 0..200 {
        let made = Made::sound(&mut Dice(seed));
        assert_eq!(made.ledger(&Style::CANONICAL).findings, [], "seed {seed}");
    }
}

#[test]
fn a_cue_is_complete_from_the_parts_that_are_read_for_it() {
    let needed = |ledger: &Ledger, round| {
        let sides = [Seat::Advocate, Seat::Critic].map(|seat| {
            let ids = |claims: Vec<&Claim>| claims.iter().map(|claim| claim.id).collect::<Vec<_>>();
            let open = ids(ledger.open_against(seat).collect());
            (open, ids(ledger.attacked_claims(seat).collect()), ledger.doubts(seat))
        });
        let standing: Vec<_> = ledger.claims.iter().map(|claim| (claim.id, claim.status)).collect();
        (sides, standing, ledger.counts(), ledger.is_settled_in(1, round))
    };
    let mut doubted = 0;
    for (seed, (name, break_it)) in
        (0..).zip(BREAKS).flat_map(|(at, one)| (0..5).map(move |more| (at * 5 + more, one)))
    {
        let mut dice = Dice(seed);
        let mut made = Made::sound(&mut dice);
        break_it(&mut made, &mut dice);
        let texts = made.texts(&Style(u8::try_from(seed % 6).unwrap()));
        for count in 1..=made.replies.len() {
            let (said, round) = (&texts[..count], texts[count - 1].0.round);
            let (whole, lean) = (
                Ledger::from_replies(spoken(said), &Alternatives::default()),
                Ledger::for_cue(spoken(said)),
            );
            assert_eq!(
                needed(&lean, round),
                needed(&whole, round),
                "{name}, seed {seed}, {count} replies"
            );
            doubted += whole.doubts(Seat::Synthesizer).len();
        }
    }
    assert!(doubted > 0);
}
