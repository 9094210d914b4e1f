//! Searches the texts of the debates of this project. It only reads.

use std::path::PathBuf;

use super::error::HistoryError;
use super::past::{GatheredDebates, PastDebate, gather};
use crate::{Context, Session};
use anvil_core::debate::Debate;
use anvil_core::transcript::{self, Entries, Entry, EntryKind};
use anvil_store::{Project, Scope};
use anvil_text::error::Result;

/// Characters of an excerpt before the match.
const CHARS_BEFORE: usize = 24;

/// Characters of an excerpt.
const EXCERPT_CHARS: usize = 160;

/// Debates that contain a text.
#[derive(Debug)]
pub struct FoundTexts {
    /// The text as the user typed it.
    pub text: String,
    pub project: Project,
    /// Newest first, each with its matches.
    pub debates: Vec<(PastDebate, Vec<Hit>)>,
    /// Files that can't be read, each with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// One text of a debate with at least one match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// For example `question`, `critic, round 2` or `context`.
    pub place: String,
    /// Number of matches in this text.
    pub count: usize,
    /// The text around the first match.
    pub excerpt: String,
}

/// Debates that contain a text. Case does not matter.
pub fn search(
    context: &Context<'_>,
    session: Option<&Session>,
    text: &str,
    scope: Scope,
) -> Result<FoundTexts> {
    let needle = lower_case(&anvil_text::clean(text, usize::MAX));
    if needle.is_empty() {
        return Err(HistoryError::NoText.into());
    }
    let GatheredDebates { project, mut debates, unreadable } =
        gather(context, session, scope, |state| {
            hits(&state.debate, &transcript::parse(&state.body), &needle)
        })?;
    debates.retain(|(_, hits)| !hits.is_empty());
    Ok(FoundTexts { text: text.to_owned(), project, debates, unreadable })
}

/// The texts of a debate that contain `needle`: question, position, transcript, steering.
fn hits(debate: &Debate, entries: &Entries, needle: &str) -> Vec<Hit> {
    let mut texts = vec![("question".to_owned(), debate.question.as_str())];
    texts.extend(
        debate.options.position.iter().map(|position| ("position".to_owned(), position.as_str())),
    );
    texts.extend(entries.0.iter().map(|entry| (place_of(debate, entry), entry.text.as_str())));
    texts.extend(debate.steering().map(|steering| ("steering".to_owned(), steering)));
    texts
        .into_iter()
        .filter_map(|(place, text)| {
            let (count, excerpt) = excerpt(text, needle)?;
            Some(Hit { place, count, excerpt })
        })
        .collect()
}

/// For example `critic, round 2`, `legal`, `synthesis, cycle 2` or `context`.
fn place_of(debate: &Debate, entry: &Entry) -> String {
    let name = match (entry.what, &entry.voice) {
        (EntryKind::Reply(_), Some(voice)) => voice.clone(),
        (EntryKind::Reply(slot), None) => slot.to_string(),
        (EntryKind::Note(kind), _) => {
            return kind.heading().trim_start_matches('#').trim().to_lowercase();
        }
        (EntryKind::Cycle, _) => return format!("cycle {}", entry.cycle),
    };
    if debate.cycle() > 1 { format!("{name}, cycle {}", entry.cycle) } else { name }
}

fn lower_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect()
}

/// The number of matches in a text, and the text around the first one. White space becomes one
/// blank.
fn excerpt(text: &str, needle: &str) -> Option<(usize, String)> {
    let text = anvil_text::clean(text, usize::MAX);
    let lower = lower_case(&text);
    let found = lower.find(needle)?;
    let count = lower.matches(needle).count();
    // Lower case can change the number of a letter's bytes.
    let mut length = 0;
    let at = text
        .chars()
        .take_while(|char| {
            length += char.to_lowercase().map(char::len_utf8).sum::<usize>();
            length <= found
        })
        .count();
    let mut begin = at.saturating_sub(CHARS_BEFORE);
    if begin > 0 {
        // Begin at a word if possible.
        let before: Vec<char> = text.chars().skip(begin).take(at - begin).collect();
        begin += before.iter().position(|char| *char == ' ').map_or(0, |blank| blank + 1);
    }
    let cut: String = text.chars().skip(begin).collect();
    let mark = if begin > 0 { "…" } else { "" };
    Some((count, format!("{mark}{}", anvil_text::clean(&cut, EXCERPT_CHARS))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_keeps_the_text_as_it_was_written() {
        assert_eq!(
            excerpt("One CACHE, two caches", "cache"),
            Some((2, "One CACHE, two caches".into()))
        );
        assert_eq!(excerpt("over\n\n  two lines", "over two"), Some((1, "over two lines".into())));
        let long = "İİİ before all of it stands a lot of text, then the word";
        assert_eq!(excerpt(long, "word"), Some((1, "…lot of text, then the word".into())));
        assert_eq!(excerpt(&"x".repeat(500), "xx"), Some((250, "x".repeat(EXCERPT_CHARS) + "…")));
        let one_word = "x".repeat(60);
        let after = format!("…{}needle, and more", "x".repeat(CHARS_BEFORE));
        assert_eq!(excerpt(&format!("{one_word}needle, and more"), "needle"), Some((1, after)));
        assert_eq!(excerpt("nothing", "word"), None);
    }
}
