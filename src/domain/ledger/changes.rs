//! What a synthesis wants changed in the plan that was argued about.

use pulldown_cmark::{Event, Parser, Tag};

use super::Id;
use super::id::ids_in;
use super::verdict::section;

/// The heading above the list.
pub const PLAN_CHANGES: &str = "What to change in the plan";

/// The list below the heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanChanges {
    /// Word for word.
    pub text: String,
    /// Its numbered items; none if nothing has to change.
    pub(super) items: Vec<PlanItem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlanItem {
    pub(super) text: String,
    /// The claims that it names.
    pub(super) claims: Vec<Id>,
}

impl PlanChanges {
    /// `None`: no such section, or one without numbered items that does not begin with "nothing".
    pub fn read(synthesis: &str) -> Option<Self> {
        // Most syntheses have none, and parsing takes longer than a search.
        if !synthesis.to_ascii_lowercase().contains(&PLAN_CHANGES.to_ascii_lowercase()) {
            return None;
        }
        let (text, _) = section(synthesis, PLAN_CHANGES)?;
        let items = items(&text);
        let words = text.trim_start_matches(|char: char| !char.is_alphanumeric());
        let begins = words.get(.."nothing".len());
        let is_none = begins.is_some_and(|word| word.eq_ignore_ascii_case("nothing"));
        (is_none || !items.is_empty()).then_some(Self { text, items })
    }
}

/// The items of the numbered lists of a text. A list in an item, a quote or code has none of its
/// own.
fn items(text: &str) -> Vec<PlanItem> {
    let mut items = Vec::new();
    let (mut depth, mut is_numbered) = (0_usize, false);
    for (event, place) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                match tag {
                    Tag::List(first) if depth == 0 => is_numbered = first.is_some(),
                    Tag::Item if depth == 1 && is_numbered => {
                        let item = &text[place];
                        let at = item.find(['.', ')']).map_or(0, |mark| mark + 1);
                        let claims = ids_in(&item[at..]).collect();
                        items.push(PlanItem { text: item[at..].trim().to_owned(), claims });
                    }
                    _ => {}
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(section: &str) -> Option<Vec<String>> {
        let text =
            format!("Before.\n\n### {PLAN_CHANGES}\n\n{section}\n\n### After\n\n1. No (C9).");
        let ids =
            |item: &PlanItem| item.claims.iter().map(Id::to_string).collect::<Vec<_>>().join(" ");
        PlanChanges::read(&text).map(|read| read.items.iter().map(ids).collect())
    }

    #[test]
    fn a_list_of_changes_has_numbered_items_with_claims() {
        let items = |items: &[&str]| Some(items.iter().map(|&ids| ids.to_owned()).collect());
        for (section, expected) in [
            ("1. Name who rolls back (C2).", items(&["C2"])),
            ("1) One (C1, A2)\n2) Two.\n\n3) Three\n   1. inner (C3)", items(&["C1 A2", "", "C3"])),
            ("Nothing has to change.", items(&[])),
            ("- **NOTHING** has to change", items(&[])),
            ("1. S1.2 holds\n\ntext\n\n1. S2.1", items(&["S1.2", "S2.1"])),
            // No list, or one that is not the synthesis' own.
            ("", None),
            ("- Name who rolls back (C2).", None),
            ("Something has to change.", None),
            ("> 1. Quoted (C2).", None),
            ("```\n1. Code (C2).\n```", None),
            ("é", None),
        ] {
            assert_eq!(read(section), expected, "{section}");
        }
        assert_eq!(PlanChanges::read("1. One (C1)."), None);
        assert_eq!(PlanChanges::read(&format!("> ### {PLAN_CHANGES}\n> 1. One (C1).")), None);
    }
}
