//! The headings of a framework in a synthesis.

use super::texts::text_of;
use crate::library::{self, TextKind};
use anvil_core::debate::Debate;

/// The headings of its framework that a synthesis lacks. Their level does not matter.
pub fn missing_headings(debate: &Debate, synthesis: &str) -> Vec<String> {
    let Some(framework) = &debate.options.framework else { return Vec::new() };
    let present: Vec<String> = library::headings(synthesis).map(plain).collect();
    library::required_headings(text_of(TextKind::Frameworks, framework))
        .into_iter()
        .filter(|required| !present.contains(&plain(required)))
        .map(str::to_owned)
        .collect()
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
