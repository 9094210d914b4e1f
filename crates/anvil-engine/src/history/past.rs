//! Lists earlier debates and searches their texts. It only reads.

use std::path::PathBuf;

use jiff::Zoned;
use jiff::tz::TimeZone;

use crate::history::outcomes::lines;
use crate::{Context, FIRST_DEBATE, Note, Session};
use anvil_core::debate::{Debate, Status};
use anvil_core::journal::{self, Decision};
use anvil_core::ledger::{Synthesis, Verdict};
use anvil_core::transcript::{self, Entries, Entry, What};
use anvil_store::{Location, Past, Project, Scope, newest_first};
use anvil_text::error::{Error, Result};

/// Characters of an excerpt before the match, and of the whole excerpt.
const BEFORE: usize = 24;
const EXCERPT: usize = 160;

#[derive(Debug)]
pub struct PastDebates {
    pub project: Project,
    /// Newest first.
    pub debates: Vec<PastDebate>,
    /// Files that can't be read, each with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Outcomes and review days from the journal.
    pub decisions: Vec<Decision>,
    /// The current time in the user's time zone.
    pub now: Zoned,
}

#[derive(Debug)]
pub struct PastDebate {
    pub debate: Debate,
    /// Position in the list of the repository's debates; 1 is the newest. `None`: the list has those
    /// of every project.
    pub number: Option<usize>,
    /// The folder that has it, or had it last.
    pub place: PathBuf,
    /// The verdict of the last synthesis. `None`: there is no synthesis.
    pub stated: Option<Verdict>,
    /// The file that holds it: the state file, or a snapshot.
    pub file: PathBuf,
    /// Path of the report, if the report is written.
    pub report: Option<PathBuf>,
    /// Newest snapshot of an unfinished debate that has lost its file.
    pub snapshot: Option<u32>,
}

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

/// The debate of this project and the earlier ones.
pub fn past(context: &Context<'_>, session: Option<&Session>, scope: Scope) -> Result<PastDebates> {
    let FoundTexts { project, debates, unreadable, .. } =
        gather(context, session, String::new(), None, scope);
    for (past, number) in debates.iter().filter_map(|(past, _)| Some((past, past.snapshot?))) {
        context.add_note(Note::FileGone { id: past.debate.id.clone(), snapshot: number });
    }
    if debates.is_empty() && unreadable.is_empty() {
        return Err(Error::nothing("there is no debate in this project yet", FIRST_DEBATE));
    }
    let debates = debates.into_iter().map(|(past, _)| past).collect();
    // A journal that can't be read must not hide a debate. `anvil history --due` shows the
    // error.
    let decisions = lines(context, session, scope).map(journal::decisions).unwrap_or_default();
    let now = context.world.now.to_zoned(TimeZone::system());
    Ok(PastDebates { project, debates, unreadable, decisions, now })
}

/// Debates that contain a text. Case does not matter.
pub fn search(
    context: &Context<'_>,
    session: Option<&Session>,
    text: &str,
    scope: Scope,
) -> Result<FoundTexts> {
    let needle = lowered(&anvil_text::clean(text, usize::MAX));
    if needle.is_empty() {
        return Err(Error::usage(
            "there is nothing to look for",
            "write it after the command, in quotes",
        ));
    }
    let mut found = gather(context, session, text.to_owned(), Some(&needle), scope);
    found.debates.retain(|(_, hits)| !hits.is_empty());
    Ok(found)
}

/// Reads every debate once and searches it for `needle`.
fn gather(
    context: &Context<'_>,
    session: Option<&Session>,
    text: String,
    needle: Option<&str>,
    scope: Scope,
) -> FoundTexts {
    let store = context.selected_store(session);
    let project = store.project().clone();
    let mut debates = Vec::new();
    let mut unreadable = Vec::new();
    for read in store.digest_past(scope, |past| digest(past, needle)) {
        match read {
            Ok((mut past, hits)) => {
                past.report = context.report_written(&store, &past.debate);
                debates.push((past, hits));
            }
            Err(why) => unreadable.push(why),
        }
    }
    debates.sort_by(|(one, _), (other, _)| newest_first(&one.debate, &other.debate));
    for ((past, _), number) in debates.iter_mut().zip(1..) {
        past.number = (scope != Scope::All).then_some(number);
    }
    FoundTexts { text, project, debates, unreadable }
}

/// A debate without its report, and where it has `needle`; or the file that can't be read, and why.
fn digest(past: Past, needle: Option<&str>) -> Result<(PastDebate, Vec<Hit>), (PathBuf, String)> {
    let Past { file, state, location, place } = past;
    let state = match state {
        Ok(state) => state,
        Err(error) => return Err((file, error.to_string())),
    };
    let hits = needle.map(|needle| hits(&state.debate, &transcript::parse(&state.body), needle));
    let hits = hits.unwrap_or_default();
    let among = state.debate.alternatives();
    // A cancelled debate is no decision, whatever an earlier cycle has said.
    let begins = state.body.rfind("\n## Synthesis");
    let begins = begins.filter(|_| state.debate.progress.status != Status::Cancelled);
    let synthesis = begins.and_then(|begins| {
        let from = |at| Synthesis::of_entries(&transcript::parse(&state.body[at..]), &among);
        // The judgments stand above the synthesis that uses them.
        let alone = (state.debate.options.judges == 1).then(|| from(begins + 1)).flatten();
        alone.or_else(|| from(0))
    });
    let stated = synthesis.map(|synthesis| Verdict::new(&among, Some(&synthesis)));
    let is_gone = location == Location::Records && state.debate.progress.status.is_unfinished();
    let step = || file.file_stem()?.to_str()?.split('-').next()?.parse().ok();
    let snapshot = is_gone.then(step).flatten();
    let debate = state.debate;
    Ok((PastDebate { debate, number: None, place, stated, file, report: None, snapshot }, hits))
}

/// The texts of a debate that contain `needle`: question, position, transcript, steering.
fn hits(debate: &Debate, entries: &Entries, needle: &str) -> Vec<Hit> {
    let mut texts = vec![("question".to_owned(), &debate.question)];
    texts.extend(debate.options.position.iter().map(|position| ("position".to_owned(), position)));
    texts.extend(entries.0.iter().map(|entry| (place(debate, entry), &entry.text)));
    texts.extend(debate.progress.steering.iter().map(|steering| ("steering".to_owned(), steering)));
    let hit = |(place, text): (String, &String)| {
        let (count, excerpt) = excerpt(text, needle)?;
        Some(Hit { place, count, excerpt })
    };
    texts.into_iter().filter_map(hit).collect()
}

/// For example `critic, round 2`, `legal`, `synthesis, cycle 2` or `context`.
fn place(debate: &Debate, entry: &Entry) -> String {
    let named = match (entry.what, &entry.voice) {
        (What::Reply(_), Some(voice)) => voice.clone(),
        (What::Reply(slot), None) => slot.to_string(),
        (What::Note(kind), _) => {
            return kind.heading().trim_start_matches('#').trim().to_lowercase();
        }
        (What::Cycle, _) => return format!("cycle {}", entry.cycle),
    };
    if debate.progress.cycle > 1 { format!("{named}, cycle {}", entry.cycle) } else { named }
}

fn lowered(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).collect()
}

/// The number of matches in a text, and the text around the first one. White space becomes one
/// blank.
fn excerpt(text: &str, needle: &str) -> Option<(usize, String)> {
    let text = anvil_text::clean(text, usize::MAX);
    let lower = lowered(&text);
    let found = lower.find(needle)?;
    let count = lower.matches(needle).count();
    // Lower case can change the number of a letter's bytes.
    let mut length = 0;
    let at = text.chars().take_while(|char| {
        length += char.to_lowercase().map(char::len_utf8).sum::<usize>();
        length <= found
    });
    let at = at.count();
    let mut begin = at.saturating_sub(BEFORE);
    if begin > 0 {
        // Begin at a word if possible.
        let before: Vec<char> = text.chars().skip(begin).take(at - begin).collect();
        begin += before.iter().position(|char| *char == ' ').map_or(0, |blank| blank + 1);
    }
    let cut: String = text.chars().skip(begin).collect();
    let mark = if begin > 0 { "…" } else { "" };
    Some((count, format!("{mark}{}", anvil_text::clean(&cut, EXCERPT))))
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
        assert_eq!(excerpt(&"x".repeat(500), "xx"), Some((250, "x".repeat(EXCERPT) + "…")));
        assert_eq!(excerpt("nothing", "word"), None);
    }
}
