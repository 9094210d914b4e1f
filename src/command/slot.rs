//! `anvil brief SLOT ID`: which seat, where, and of which debate.

use crate::error::{Error, Result};

/// A slot as the user names it: `critic 2`, `critic, round 2`, `synthesis`, `judge 2`; or a seat, for the last of its slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSlot {
    seat: &'static str,
    number: Option<u8>,
}

/// The seats by their words, and whether their slots are numbered.
const SEATS: [(&str, &str, bool); 9] = [
    ("advocate", "advocate", true),
    ("critic", "critic", true),
    ("stakeholder", "stakeholder", true),
    ("persona", "persona", true),
    ("judge", "judge", true),
    ("synthesis", "synthesis", false),
    ("synthesizer", "synthesis", false),
    ("fact-check", "fact check", true),
    ("fact-checker", "fact check", true),
];

/// Seats whose slots are numbered by their rounds.
const OF_ROUNDS: [&str; 3] = ["advocate", "critic", "fact check"];

impl NamedSlot {
    /// Reads the words of a line: a slot, then a debate; both may be missing.
    pub fn read(words: &[String]) -> Result<(Option<Self>, Option<String>)> {
        let joined = words.join(" ").replace(',', " ").replace("fact check", "fact-check");
        let mut words = joined.split_whitespace().peekable();
        let known = |word: &&str| SEATS.iter().find(|(name, ..)| word.eq_ignore_ascii_case(name));
        let seat = words.peek().and_then(known);
        let mut slot = None;
        if let Some(&(_, seat, is_numbered)) = seat {
            words.next();
            words.next_if(|word| word.eq_ignore_ascii_case("round"));
            let number = words.peek().and_then(|word| word.parse().ok()).filter(|_| is_numbered);
            if number.is_some() {
                words.next();
            }
            slot = Some(Self { seat, number });
        }
        let id = words.next().map(str::to_owned);
        match words.next() {
            None => Ok((slot, id)),
            Some(other) => Err(Error::usage(
                format!("{:?} is not expected here", crate::text::clean(other, 40)),
                "for example `anvil brief critic 2`, `anvil brief synthesis`, `anvil brief judge 1 ID`",
            )),
        }
    }

    /// True for the slot that records call so.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        let Some(rest) = name.strip_prefix(self.seat) else { return false };
        let number = rest.strip_prefix(", round ").or_else(|| rest.strip_prefix(' '));
        match self.number {
            Some(wanted) => number.and_then(|number| number.parse().ok()) == Some(wanted),
            None => rest.is_empty() || number.is_some(),
        }
    }

    /// The slot as records call it.
    #[must_use]
    pub fn name(&self) -> String {
        match self.number {
            None => self.seat.to_owned(),
            Some(round) if OF_ROUNDS.contains(&self.seat) => format!("{}, round {round}", self.seat),
            Some(number) => format!("{} {number}", self.seat),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_read_as_it_is_typed_and_as_records_call_it() {
        for (line, name, id) in [
            ("critic 2", "critic, round 2", ""),
            ("Critic, round 2", "critic, round 2", ""),
            ("critic 2 9f3c", "critic, round 2", "9f3c"),
            ("critic", "critic", ""),
            ("critic 9f3c", "critic", "9f3c"),
            ("synthesis 2", "synthesis", "2"),
            ("synthesizer", "synthesis", ""),
            ("judge 3 2026-11-21-why-9f3c", "judge 3", "2026-11-21-why-9f3c"),
            ("persona 2 1", "persona 2", "1"),
            ("fact check, round 1", "fact check, round 1", ""),
            ("fact-check 1", "fact check, round 1", ""),
            ("9f3c", "", "9f3c"),
            ("", "", ""),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (slot, found) = NamedSlot::read(&words).unwrap();
            assert_eq!(slot.as_ref().map(NamedSlot::name).unwrap_or_default(), name, "{line}");
            assert_eq!(found.unwrap_or_default(), id, "{line}");
            if let Some(slot) = slot {
                assert!(slot.is(&slot.name()) || slot.number.is_none(), "{line}");
            }
        }
        assert!(NamedSlot::read(&["critic 2 3 4".to_owned()]).is_err());
    }

    #[test]
    fn a_seat_alone_is_each_of_its_slots_and_no_other_ones() {
        let (slot, _) = NamedSlot::read(&["judge".to_owned()]).unwrap();
        let slot = slot.unwrap();
        for (name, is) in [("judge 1", true), ("judge 12", true), ("synthesis", false), ("critic, round 1", false)] {
            assert_eq!(slot.is(name), is, "{name}");
        }
        let (slot, _) = NamedSlot::read(&["critic 1".to_owned()]).unwrap();
        assert!(!slot.unwrap().is("critic, round 12"));
    }
}
