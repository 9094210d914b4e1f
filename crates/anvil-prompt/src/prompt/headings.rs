//! The headings of a framework in a synthesis.

use super::texts::text_of;
use crate::library::{self, TextKind};
use anvil_core::debate::Debate;

/// The headings of its framework that a synthesis lacks. Their level does not matter.
pub fn missing_headings(debate: &Debate, synthesis: &str) -> Vec<String> {
    let has: Vec<String> = library::headings(synthesis).map(plain).collect();
    let framework = debate.options.framework.as_ref();
    let text = framework.map(|framework| text_of(TextKind::Frameworks, framework));
    let required = text.map(library::required_headings).unwrap_or_default();
    let lacking = required.into_iter().filter(|wanted| !has.contains(&plain(wanted)));
    lacking.map(str::to_owned).collect()
}

/// A heading without its number and its colon, in lower case.
fn plain(heading: &str) -> String {
    let numbered = heading.trim_start_matches(|char: char| char.is_ascii_digit());
    let heading = numbered
        .strip_prefix(['.', ')'])
        .filter(|_| numbered.len() < heading.len())
        .unwrap_or(heading);
    heading.trim_matches(['*', '_', ':', ' ']).to_lowercase()
}
