//! The start of a claim and of a move: `A1. One claim.`, `Attacks A1:`. docs/ledger.md has the
//! grammar. Emphasis is gone from the text: it means nothing here.

use serde::Serialize;
use strum::IntoStaticStr;

use super::Id;
use super::words::{is_quote_mark, strip, without_weight};
use anvil_text::{ascii_mark, is_dash};

/// Most claims and moves that are read from one reply, ten times what the prompt requests. A move
/// on several claims counts several times.
pub(super) const MAX_ITEMS: usize = 100;

/// The effect of a move on its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
pub enum MoveKind {
    /// Says what fails in the claim.
    #[strum(serialize = "Attacks")]
    Attack,
    /// Answers a claim that attacks one of the own side.
    #[strum(serialize = "Rebuts")]
    Rebut,
    /// Repairs a claim of the own side after an attack.
    #[strum(serialize = "Repairs")]
    Repair,
    /// Gives the claim another ground.
    #[strum(serialize = "Supports")]
    Support,
    /// Accepts a claim of the other side.
    #[strum(serialize = "Grants")]
    Grant,
    /// Gives up a claim of the own side.
    #[strum(serialize = "Withdraws")]
    Withdraw,
}

/// Every verb that makes a move, each with its tenses.
const VERBS: [(MoveKind, &[&str]); 11] = [
    (MoveKind::Attack, &["attacks", "attack", "attacked", "attacking"]),
    (MoveKind::Rebut, &["rebuts", "rebut", "rebutted", "rebutting"]),
    (MoveKind::Rebut, &["refutes", "refute", "refuted", "refuting"]),
    (MoveKind::Repair, &["repairs", "repair", "repaired", "repairing"]),
    (MoveKind::Repair, &["defends", "defend", "defended", "defending"]),
    (MoveKind::Support, &["supports", "support", "supported", "supporting"]),
    (MoveKind::Grant, &["grants", "grant", "granted", "granting"]),
    (MoveKind::Grant, &["concedes", "concede", "conceded", "conceding"]),
    (MoveKind::Withdraw, &["withdraws", "withdraw", "withdrew", "withdrawn", "withdrawing"]),
    (MoveKind::Withdraw, &["retracts", "retract", "retracted", "retracting"]),
    (MoveKind::Withdraw, &["drops", "drop", "dropped", "dropping"]),
];

impl MoveKind {
    pub const ALL: [Self; 6] =
        [Self::Attack, Self::Rebut, Self::Repair, Self::Support, Self::Grant, Self::Withdraw];

    /// The word that begins the move.
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn is_attack(self) -> bool {
        matches!(self, Self::Attack | Self::Rebut)
    }

    fn from_verb(word: &str) -> Option<Self> {
        let is_one = |forms: &[&str]| forms.iter().any(|form| form.eq_ignore_ascii_case(word));
        VERBS.iter().find_map(|(kind, forms)| is_one(forms).then_some(*kind))
    }

    /// True for a move that ends an argument on a claim: its form is read strictly.
    fn gives_up(self) -> bool {
        matches!(self, Self::Grant | Self::Withdraw)
    }
}

/// The start of a claim or a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    Claim {
        id: Id,
        /// A mark follows the id, as in `A1. One claim.` Without one, only a line break does.
        is_marked: bool,
    },
    Move {
        kind: MoveKind,
        targets: Vec<Id>,
        /// `(after C2)`.
        after: Vec<Id>,
    },
}

/// Reads the start of a line, and returns the text after it. `None`: prose.
pub(super) fn head(line: &str) -> Option<(Head, &str)> {
    let text = without_marks(line)?;
    let (word, after) = first_word(text);
    if let Some(kind) = MoveKind::from_verb(word) {
        return verb_first(kind, word, after);
    }
    let (id, after) = Id::read(text)?;
    // No participle follows these marks.
    let is_claim = after.starts_with(['.', ')']);
    let verb_last = (!is_claim).then(|| verb_last(text)).flatten();
    verb_last.or_else(|| claim(id, after))
}

/// The ids at the start of a line, whatever follows them.
pub(super) fn first_ids(line: &str) -> Option<(Vec<Id>, &str)> {
    ids(without_marks(line)?)
}

/// True for a line that begins with a letter and a digit, whatever marks stand before and between
/// them.
pub(super) fn begins_like_id(line: &str) -> bool {
    let Some((text, _)) = skip_marks(line) else { return false };
    let mut chars = text.chars();
    let is_letter = chars.next().is_some_and(char::is_alphabetic);
    let mut after = chars.skip_while(|char| !char.is_whitespace() && !char.is_alphanumeric());
    is_letter && after.next().is_some_and(char::is_numeric)
}

/// The text after the marks, emoji and numbers by hand at the start of a line. `None`: nothing
/// follows, or a bracket or a quote mark is open: `(C2) fails` only names a claim.
fn without_marks(line: &str) -> Option<&str> {
    skip_marks(line).filter(|(_, is_open)| !is_open).map(|(text, _)| text)
}

/// The text after the marks at the start of a line, and whether one of them is open.
fn skip_marks(line: &str) -> Option<(&str, bool)> {
    let mut text = line;
    let mut is_open = false;
    loop {
        let char = text.chars().next()?;
        let is_number = matches!(char, '\u{2460}'..='\u{24FF}' | '\u{2776}'..='\u{2793}');
        if char == '\n' {
            return None;
        } else if char.is_ascii_digit() {
            // `1.`, `(1)`, `1.)`, and the digit of a keycap.
            let after = text.trim_start_matches(|char: char| char.is_ascii_digit());
            let ends = |char| matches!(char, '.' | ')' | ':' | '\u{FE0F}' | '\u{20E3}');
            if text.len() - after.len() > 3 || !after.starts_with(ends) {
                return Some((text, is_open));
            }
            text = after;
        } else if char.is_alphanumeric() && !is_number {
            return Some((text, is_open));
        } else {
            is_open = match ascii_mark(char) {
                '(' | '[' | '{' => true,
                ')' | ']' | '}' => false,
                '"' | '\'' | '`' => !is_open,
                _ => is_open,
            };
            text = &text[char.len_utf8()..];
        }
    }
}

fn first_word(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_alphabetic).count())
}

/// `Attacks A1, A2:` and `Conceded: C2, because`.
fn verb_first<'a>(kind: MoveKind, verb: &str, text: &'a str) -> Option<(Head, &'a str)> {
    let text = text.trim_start_matches(|char| ascii_mark(char) == ':' || is_gap(char));
    let (targets, text) = ids(strip(text, "on ").unwrap_or(text))?;
    let (after, text) = parse_after(text);
    // `Attacks A1 the words fail`: in any other form it is prose, like `Support A1 makes sense`.
    let is_statement = verb.ends_with(['s', 'S']) && !kind.gives_up();
    let text = end_of_head(text).or_else(|| {
        let after = text.strip_prefix(char::is_whitespace)?;
        is_statement.then(|| after.trim_start())
    })?;
    Some((Head::Move { kind, targets, after }, text))
}

/// `A1, A2 attacked:` and `A1 (withdrawn)`.
fn verb_last(text: &str) -> Option<(Head, &str)> {
    let (targets, text) = ids(text)?;
    let text =
        text.trim_start_matches(|char| matches!(ascii_mark(char), ':' | '(') || is_gap(char));
    let text = strip(text, "is ").or_else(|| strip(text, "are ")).unwrap_or(text);
    let (word, text) = first_word(text);
    // `A1. Attacks on the database rise.` is a claim.
    let is_participle = word.ends_with("ed") || word.eq_ignore_ascii_case("withdrawn");
    let kind = MoveKind::from_verb(word).filter(|_| is_participle)?;
    let (after, text) = parse_after(text.strip_prefix(is_closing).unwrap_or(text));
    Some((Head::Move { kind, targets, after }, end_of_head(text)?))
}

/// `A1. One claim.`: a mark, a weight or the end of the line follows the id.
fn claim(id: Id, text: &str) -> Option<(Head, &str)> {
    let claim = |is_marked| Head::Claim { id, is_marked };
    let rest = text.trim_start_matches(is_blank);
    if rest.is_empty() || rest.starts_with('\n') {
        return Some((claim(false), rest));
    }
    if without_weight(rest).1.is_some() {
        return Some((claim(true), rest));
    }
    let mark = rest.chars().next()?;
    let after = rest[mark.len_utf8()..].trim_start_matches(is_after_id);
    let is_mark = match ascii_mark(mark) {
        _ if mark == '→' => true,
        // `A1-based`.
        '-' if mark == '-' => rest[1..].starts_with([' ', '\n', '-']),
        '-' | '.' | ':' | ')' => true,
        // A list of ids has the same mark.
        _ => mark == '、' && Id::read(after).is_none(),
    };
    let is_range = ascii_mark(mark) == '-' && Id::read(after).is_some();
    (is_mark && !is_range).then(|| (claim(true), after))
}

/// Ids with commas and `and` between them, at most as many as a reply may have.
fn ids(text: &str) -> Option<(Vec<Id>, &str)> {
    let (first, mut remaining) = Id::read(text)?;
    let mut ids = vec![first];
    loop {
        let next = remaining.trim_start_matches(|char: char| {
            matches!(ascii_mark(char), ',' | '&' | '/') || is_blank(char)
        });
        let next = strip(next, "and ").map_or(next, |next| next.trim_start_matches(is_blank));
        match Id::read(next).filter(|_| next.len() < remaining.len()) {
            Some((id, after)) => {
                if ids.len() < MAX_ITEMS && !ids.contains(&id) {
                    ids.push(id);
                }
                remaining = after;
            }
            None => return Some((ids, remaining)),
        }
    }
}

/// `(after C2)`, also without the brackets.
fn parse_after(text: &str) -> (Vec<Id>, &str) {
    let open = text.trim_start_matches(is_blank);
    let inside = open.strip_prefix(|char| ascii_mark(char) == '(');
    let (inside, bracket) = inside.map_or((open, false), |inside| (inside, true));
    match strip(inside.trim_start(), "after ").and_then(|listed| ids(listed.trim_start())) {
        Some((ids, remaining)) if bracket => {
            let line = remaining.split('\n').next().unwrap_or_default();
            let end = line.char_indices().find(|(_, char)| is_closing(*char));
            (ids, end.map_or(remaining, |(at, char)| &remaining[at + char.len_utf8()..]))
        }
        Some((ids, remaining)) => (ids, remaining),
        None => (Vec::new(), text),
    }
}

/// The text after a head that ends here. `None`: `Supports A1 makes` is prose.
fn end_of_head(text: &str) -> Option<&str> {
    let remaining = text.trim_start_matches(is_blank);
    let is_end = match remaining.chars().next() {
        None | Some('\n') => true,
        Some('-') => remaining[1..].starts_with([' ', '\n', '-']),
        Some(char) => {
            matches!(ascii_mark(char), ':' | '.' | ',' | ';' | '-' | '(') || is_quote_mark(char)
        }
    };
    (is_end || strip(remaining, "because").is_some()).then(|| {
        remaining.trim_start_matches(|char| {
            matches!(ascii_mark(char), ':' | '.' | ',' | ';') || is_gap(char)
        })
    })
}

fn is_blank(char: char) -> bool {
    char.is_whitespace() && char != '\n'
}

/// White space, and dashes of every kind.
fn is_gap(char: char) -> bool {
    char.is_whitespace() || is_dash(char) || char == '→'
}

/// True for a mark that may stand between an id and its sentence.
fn is_after_id(char: char) -> bool {
    char == '、' || matches!(ascii_mark(char), '.' | ':' | ')') || is_gap(char)
}

fn is_closing(char: char) -> bool {
    ascii_mark(char) == ')'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(line: &str) -> String {
        let list = |ids: &[Id]| ids.iter().map(Id::to_string).collect::<Vec<_>>().join("+");
        match head(line) {
            None => "prose".to_owned(),
            Some((Head::Claim { id, is_marked }, text)) => {
                format!("{id}{} {text}", if is_marked { "." } else { "" })
            }
            Some((Head::Move { kind, targets, after }, text)) => {
                format!("{} {}/{} {text}", kind.word(), list(&targets), list(&after))
            }
        }
    }

    #[test]
    fn a_claim_begins_with_its_id_and_a_mark() {
        for (line, read) in [
            ("A1. One claim. Ground.", "A1. One claim. Ground."),
            ("A1: One claim — ground", "A1. One claim — ground"),
            ("A1 — One claim.", "A1. One claim."),
            ("A1 → One claim.", "A1. One claim."),
            ("a1) One claim.", "A1. One claim."),
            ("S1.2. One claim.", "S1.2. One claim."),
            ("A1. Attacks on the database rise.", "A1. Attacks on the database rise."),
            ("A1：缓存便宜。理由", "A1. 缓存便宜。理由"),
            ("A1。缓存便宜。理由", "A1. 缓存便宜。理由"),
            ("A1、缓存便宜。", "A1. 缓存便宜。"),
            ("A1 −− One claim.", "A1. One claim."),
            ("A1.One claim.", "A1. One claim."),
            ("A1 [minor] One claim.", "A1. [minor] One claim."),
            ("A1\nOne claim.", "A1 \nOne claim."),
            ("A1", "A1 "),
            ("→ 1️⃣ A1. One claim.", "A1. One claim."),
            ("(2) ③ A1. One claim.", "A1. One claim."),
        ] {
            assert_eq!(summary(line), read, "{line}");
        }
    }

    #[test]
    fn a_move_begins_with_its_verb_or_with_the_claim() {
        for (line, read) in [
            ("Attacks A1: \"words\" fail.", "Attacks A1/ \"words\" fail."),
            ("Attacks A1 the words fail.", "Attacks A1/ the words fail."),
            ("Rebuts C3: no.", "Rebuts C3/ no."),
            ("Repairs A2 (after C2): now.", "Repairs A2/C2 now."),
            ("Repairs A2 after C2 and C3: now.", "Repairs A2/C2+C3 now."),
            ("Grants C1 because x", "Grants C1/ because x"),
            ("Withdraws A3: because x", "Withdraws A3/ because x"),
            ("Conceded: C2, because new.", "Grants C2/ because new."),
            ("ATTACKS A1 — no", "Attacks A1/ no"),
            ("Attack on A1: no", "Attacks A1/ no"),
            ("Attacks A1, A2 and A3: no", "Attacks A1+A2+A3/ no"),
            ("A1 attacked: no", "Attacks A1/ no"),
            ("A1 — withdrawn, because x", "Withdraws A1/ because x"),
            ("A1: conceded because x", "Grants A1/ because x"),
            ("C1, C2 are granted: because x", "Grants C1+C2/ because x"),
            ("A2 repaired (after C2): x", "Repairs A2/C2 x"),
            ("Attacks A1、A2：no", "Attacks A1+A2/ no"),
            ("Repairs A2（after C2）：now", "Repairs A2/C2 now"),
            ("Attacks A1 『便宜』", "Attacks A1/ 『便宜』"),
            ("Attacks A1\nno", "Attacks A1/ no"),
        ] {
            assert_eq!(summary(line), read, "{line}");
        }
        for (kind, forms) in VERBS {
            for verb in forms {
                let read = format!("{} A1/ no", kind.word());
                assert_eq!(summary(&format!("{verb} A1: no")), read, "{verb}");
            }
        }
    }

    #[test]
    fn prose_is_neither_claim_nor_move() {
        for line in [
            "",
            "Attacks rise.",
            "Grants C1 would like are rare.",
            "Supports A1's cost.",
            "A1 holds because it does.",
            "Also bold",
            "AB. x",
            "A 1. x",
            "Answers to everything: 42",
            "Support A1 makes sense",
            "(C2) fails.",
            "[C2] fails.",
            "\"A1. One claim\" is what it said.",
            "A1-A3 fail.",
            "A1-based: x",
            "A1, as I said",
        ] {
            assert_eq!(summary(line), "prose", "{line}");
        }
    }
}
