//! The start of a claim and of a move: `**A1. One claim.**`, `**Attacks A1:**`. docs/ledger.md has
//! the grammar.

use serde::Serialize;
use strum::IntoStaticStr;

use super::Id;
use super::words::{strip, strip_any, without_weight};
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

    /// Reads the word that the prompt requests, its other forms, and words that models write in its
    /// place.
    fn from_verb(word: &str) -> Option<Self> {
        let [first, second, ..] = word.as_bytes() else { return None };
        if !(4..=12).contains(&word.len()) || !begins_verb([*first, *second]) {
            return None;
        }
        Some(match word.to_ascii_lowercase().as_str() {
            "attack" | "attacks" | "attacked" | "attacking" | "challenge" | "challenges"
            | "challenged" | "contest" | "contests" | "contested" | "dispute" | "disputes"
            | "disputed" | "objection" => Self::Attack,
            "rebut" | "rebuts" | "rebutted" | "rebutting" | "rebuttal" | "refute" | "refutes"
            | "refuted" | "counter" | "counters" | "countered" | "answer" | "answers"
            | "answered" => Self::Rebut,
            "repair" | "repairs" | "repaired" | "repairing" | "defend" | "defends" | "defended"
            | "defence" | "defense" | "revise" | "revises" | "revised" | "amend" | "amends"
            | "amended" => Self::Repair,
            "support" | "supports" | "supported" | "supporting" | "favour" | "favours"
            | "favor" | "favors" => Self::Support,
            "grant" | "grants" | "granted" | "granting" | "concede" | "concedes" | "conceded"
            | "conceding" | "acknowledge" | "acknowledges" | "acknowledged" => Self::Grant,
            "withdraw" | "withdraws" | "withdrawn" | "withdrew" | "withdrawing" | "retract"
            | "retracts" | "retracted" | "drop" | "drops" | "dropped" => Self::Withdraw,
            _ => return None,
        })
    }
}

/// The start of a claim or a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ItemHead<'a> {
    Claim {
        id: Id,
        /// The bold text after the id. Empty if only the id is bold.
        bold: &'a str,
        /// The remaining line.
        remaining: &'a str,
        /// A mark follows the id, as in `A1. One claim.` Without a mark, a sentence may be about
        /// the claim: `**A1** holds`.
        is_marked: bool,
    },
    Move {
        kind: MoveKind,
        targets: Vec<Id>,
        /// `(after C2)`.
        after: Vec<Id>,
        /// The remaining line.
        remaining: &'a str,
    },
}

impl ItemHead<'_> {
    /// True if the lines after it are read at every depth: they hold a claim's sentence or a
    /// grant's reason.
    pub(crate) fn needs_more(&self) -> bool {
        match self {
            Self::Claim { bold, .. } => bold.is_empty(),
            Self::Move { kind, .. } => *kind == MoveKind::Grant,
        }
    }
}

/// True for the first letters of a word that [`MoveKind::from_verb`] knows.
fn begins_verb(letters: [u8; 2]) -> bool {
    matches!(
        &letters.map(|letter| letter.to_ascii_lowercase()),
        b"ac"
            | b"am"
            | b"an"
            | b"at"
            | b"ch"
            | b"co"
            | b"de"
            | b"di"
            | b"dr"
            | b"fa"
            | b"gr"
            | b"ob"
            | b"re"
            | b"su"
            | b"wi"
    )
}

/// Marks of emphasis and code.
const EMPHASIS: [char; 3] = ['*', '_', '`'];

/// The text after the marks of emphasis and code at its start.
fn without_emphasis(text: &str) -> &str {
    let count = text.bytes().take_while(|byte| EMPHASIS.contains(&char::from(*byte))).count();
    &text[count..]
}

/// Reads the start of a line. `None`: prose.
pub(super) fn head(line: &str) -> Option<ItemHead<'_>> {
    // Most lines are prose: an id has a digit after its letter, and no verb begins like this.
    let [first, second, ..] = line.as_bytes() else { return None };
    if first.is_ascii_alphabetic()
        && second.is_ascii_alphabetic()
        && !begins_verb([*first, *second])
    {
        return None;
    }
    let line = line.trim();
    let line = without_bullet(line);
    let text = without_emphasis(line);
    // The cheap check first: most lines are prose.
    let word_end = text.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(text.len());
    if let Some(kind) = MoveKind::from_verb(&text[..word_end]) {
        return verb_first(kind, &text[word_end..]);
    }
    let (id, after) = Id::read(text)?;
    // No verb follows these marks.
    let is_claim = after.starts_with(['.', ')']);
    let verb_last = (!is_claim).then(|| verb_last(text)).flatten();
    verb_last.or_else(|| claim(id, after, line.len() - text.len() >= 2))
}

/// The id at the start of a line, with or without emphasis.
pub(super) fn begins_with_id(line: &str) -> Option<Id> {
    Id::read(without_emphasis(without_bullet(line.trim()))).map(|(id, _)| id)
}

/// The ids at the start of a line, and the text after them.
pub(super) fn after_ids(line: &str) -> Option<(Vec<Id>, &str)> {
    ids(without_emphasis(without_bullet(line.trim())))
}

/// `Attacks A1, A2:` and `Conceded: C2, because`.
fn verb_first(kind: MoveKind, remaining: &str) -> Option<ItemHead<'_>> {
    let remaining = remaining.trim_start_matches(|char| ascii_mark(char) == ':' || is_gap(char));
    let remaining = strip_any(remaining, &["on ", "of ", "to ", "against "]).unwrap_or(remaining);
    let (targets, remaining) = ids(remaining)?;
    let (after, remaining) = answered(remaining);
    let remaining = end_of_head(remaining)?;
    Some(ItemHead::Move { kind, targets, after, remaining })
}

/// `A1, A2 attacked:` and `A1 (withdrawn)`.
fn verb_last(text: &str) -> Option<ItemHead<'_>> {
    let (targets, remaining) = ids(text)?;
    let remaining =
        remaining.trim_start_matches(|char| matches!(ascii_mark(char), ':' | '(') || is_gap(char));
    let remaining = strip_any(remaining, &["is ", "are "]).unwrap_or(remaining);
    let end = remaining.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(remaining.len());
    let (word, remaining) = remaining.split_at(end);
    // `A1. Attacks on the database rise.` is a claim: after the id, a verb counts only as a
    // participle.
    let is_participle = word.ends_with("ed") || word.eq_ignore_ascii_case("withdrawn");
    let kind = MoveKind::from_verb(word).filter(|_| is_participle)?;
    let (after, remaining) = answered(remaining.strip_prefix(is_closing).unwrap_or(remaining));
    let remaining = end_of_head(remaining)?;
    Some(ItemHead::Move { kind, targets, after, remaining })
}

/// `**A1. One claim.** Its ground`. In bold any text may follow the id; in plain text only a mark.
fn claim(id: Id, after: &str, is_bold: bool) -> Option<ItemHead<'_>> {
    let marked = without_emphasis(after).trim_start();
    let is_marked = marked.starts_with(|char| matches!(ascii_mark(char), '.' | ':' | ')' | '-'))
        // A list of ids has the same mark.
        || marked.strip_prefix('、').is_some_and(|after| Id::read(after.trim_start()).is_none());
    if !is_bold && !is_marked {
        return None;
    }
    let (bold, remaining) =
        if is_bold { split_at_bold(after).unwrap_or((after, "")) } else { ("", after) };
    let bold = bold
        .trim_matches(|char| matches!(ascii_mark(char), '.' | ':' | ' '))
        .trim_start_matches(is_after_id);
    // Only the weight is bold: the sentence follows.
    let is_weight = matches!(without_weight(bold), ("", Some(_)));
    let (bold, remaining) = if is_weight { ("", after) } else { (bold, remaining) };
    Some(ItemHead::Claim {
        id,
        bold,
        remaining: remaining.trim_start_matches(is_after_id),
        is_marked,
    })
}

/// The texts around the first `**`.
fn split_at_bold(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let at = memchr::memchr_iter(b'*', bytes).find(|at| bytes.get(at + 1) == Some(&b'*'))?;
    Some((&text[..at], &text[at + 2..]))
}

/// Ids with commas and `and` between them, at most as many as a reply may have.
fn ids(text: &str) -> Option<(Vec<Id>, &str)> {
    let (first, mut remaining) = Id::read(text)?;
    let mut ids = vec![first];
    loop {
        let next = remaining.trim_start_matches(|char: char| {
            matches!(ascii_mark(char), ',' | '&' | '/') || is_space_or_emphasis(char)
        });
        let next =
            strip(next, "and ").map_or(next, |next| next.trim_start_matches(is_space_or_emphasis));
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
fn answered(text: &str) -> (Vec<Id>, &str) {
    let open = text.trim_start_matches(is_gap);
    let inside = open.strip_prefix(|char| ascii_mark(char) == '(');
    let (inside, bracket) = inside.map_or((open, false), |inside| (inside, true));
    let Some(listed) = strip_any(inside.trim_start(), &["after ", "answering ", "against "]) else {
        return (Vec::new(), text);
    };
    match ids(listed.trim_start_matches(is_space_or_emphasis)) {
        Some((ids, remaining)) if bracket => {
            (ids, remaining.split_once(is_closing).map_or(remaining, |(_, remaining)| remaining))
        }
        Some((ids, remaining)) => (ids, remaining),
        None => (Vec::new(), text),
    }
}

/// The text after a head that ends here. `None`: `**Supports A1 makes` is prose.
fn end_of_head(text: &str) -> Option<&str> {
    let remaining = text.trim_start_matches(is_space_or_emphasis);
    let is_end = remaining.len() < text.len() && text[..text.len() - remaining.len()].contains('*')
        || remaining.is_empty()
        || remaining.starts_with(|char| {
            matches!(ascii_mark(char), ':' | '.' | ',' | ';' | '-' | '(' | '"')
        })
        || strip(remaining, "because").is_some();
    is_end.then(|| {
        remaining.trim_start_matches(|char| {
            matches!(ascii_mark(char), ':' | '.' | ',' | ';') || is_gap(char)
        })
    })
}

/// A line without the marks of a list item or a heading.
pub(super) fn without_bullet(line: &str) -> &str {
    let line = if line.starts_with('#') { line.trim_start_matches('#').trim_start() } else { line };
    let after = match line.as_bytes() {
        [b'-' | b'+' | b'*', b' ', ..] => Some(&line[2..]),
        [b'0'..=b'9', ..] => {
            let after = line.trim_start_matches(|char: char| char.is_ascii_digit());
            after.strip_prefix(". ").or_else(|| after.strip_prefix(") "))
        }
        [0x80..=0xff, ..] => line.strip_prefix("• ").or_else(|| line.strip_prefix("– ")),
        _ => None,
    };
    after.unwrap_or(line).trim_start()
}

/// White space, emphasis, and dashes of every kind.
fn is_gap(char: char) -> bool {
    is_space_or_emphasis(char) || is_dash(char) || char == '→'
}

/// True for a mark that may stand between an id and its sentence.
fn is_after_id(char: char) -> bool {
    char == '、' || matches!(ascii_mark(char), '.' | ':' | ')') || is_gap(char)
}

fn is_closing(char: char) -> bool {
    ascii_mark(char) == ')'
}

fn is_space_or_emphasis(char: char) -> bool {
    char.is_whitespace() || EMPHASIS.contains(&char)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(line: &str) -> String {
        let list = |ids: &[Id]| ids.iter().map(Id::to_string).collect::<Vec<_>>().join("+");
        match head(line) {
            None => "prose".to_owned(),
            Some(ItemHead::Claim { id, bold, remaining, .. }) => {
                format!("{id} [{bold}] {remaining}")
            }
            Some(ItemHead::Move { kind, targets, after, remaining }) => {
                format!("{} {}/{} {remaining}", kind.word(), list(&targets), list(&after))
            }
        }
    }

    #[test]
    fn a_claim_begins_with_its_id() {
        for (line, read) in [
            ("**A1. One claim.** Ground.", "A1 [One claim] Ground."),
            ("**A1.** One claim. Ground.", "A1 [] One claim. Ground."),
            ("**A1: One claim** — ground", "A1 [One claim] ground"),
            ("**A1** — One claim.", "A1 [] One claim."),
            ("- **S1.2. One claim.** Ground.", "S1.2 [One claim] Ground."),
            ("3. **A1. One claim.** Ground.", "A1 [One claim] Ground."),
            ("### A1. One claim.", "A1 [] One claim."),
            ("A1. One claim.", "A1 [] One claim."),
            ("a1) One claim.", "A1 [] One claim."),
            ("**A1. Attacks on the database rise.** x", "A1 [Attacks on the database rise] x"),
            ("**A12 one claim** x", "A12 [one claim] x"),
            ("**A1：缓存便宜。** 理由", "A1 [缓存便宜] 理由"),
            ("**A1。缓存便宜。** 理由", "A1 [缓存便宜] 理由"),
            ("A1、缓存便宜。", "A1 [] 缓存便宜。"),
            ("**A1** −− One claim.", "A1 [] One claim."),
        ] {
            assert_eq!(summary(line), read, "{line}");
        }
    }

    #[test]
    fn a_move_begins_with_its_verb_or_with_the_claim() {
        for (line, read) in [
            ("**Attacks A1:** \"words\" fail.", "Attacks A1/ \"words\" fail."),
            ("**Rebuts C3:** no.", "Rebuts C3/ no."),
            ("**Repairs A2 (after C2):** now.", "Repairs A2/C2 now."),
            ("**Repairs A2 after C2 and C3:** now.", "Repairs A2/C2+C3 now."),
            ("**Grants C1:** because x", "Grants C1/ because x"),
            ("**Grants C1** because x", "Grants C1/ because x"),
            ("**Withdraws A3:** because x", "Withdraws A3/ because x"),
            ("**Supports S1.2:** too.", "Supports S1.2/ too."),
            ("**Conceded: C2**, because new.", "Grants C2/ because new."),
            ("attacks a1: no", "Attacks A1/ no"),
            ("- __ATTACKS A1__ — no", "Attacks A1/ no"),
            ("*Attack on A1*: no", "Attacks A1/ no"),
            ("**Attacks A1, A2 and A3:** no", "Attacks A1+A2+A3/ no"),
            ("**Defence of A1:** no", "Repairs A1/ no"),
            ("**Defense of A1:** no", "Repairs A1/ no"),
            ("Rebuttal to C1 – no", "Rebuts C1/ no"),
            ("**A1 attacked:** no", "Attacks A1/ no"),
            ("**A1 — withdrawn**, because x", "Withdraws A1/ because x"),
            ("**A1: conceded** because x", "Grants A1/ because x"),
            ("**C1, C2 are granted:** because x", "Grants C1+C2/ because x"),
            ("**A2 repaired (after C2):** x", "Repairs A2/C2 x"),
            ("**Attacks A1：** 「便宜」忽略了成本。", "Attacks A1/ 「便宜」忽略了成本。"),
            ("**Attacks A1、A2：** no", "Attacks A1+A2/ no"),
            ("**Repairs A2（after C2）：** now", "Repairs A2/C2 now"),
            ("**Attacks A1** 『便宜』", "Attacks A1/ 『便宜』"),
            ("**Attacks A1** « cher » non", "Attacks A1/ « cher » non"),
        ] {
            assert_eq!(summary(line), read, "{line}");
        }
    }

    #[test]
    fn prose_is_neither_claim_nor_move() {
        for line in [
            "",
            "Attacks rise.",
            "Grants C1 would like are rare.",
            "A1 holds because it does.",
            "**Also bold**",
            "**AB. x**",
            "A 1. x",
            "Answers to everything: 42",
            "Support A1 makes sense",
            "A1",
        ] {
            assert_eq!(summary(line), "prose", "{line}");
        }
    }
}
