//! Earlier debates: list them, show one, search their texts, find their pages. Looks only.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use super::report::{effort, find, model, places};
use super::{Engine, Note, Session};
use crate::debate::{Debate, Status};
use crate::error::{Error, Result};
use crate::ledger::Verdict;
use crate::report;
use crate::state::{Lies, Past, Project, newest_first};
use crate::text;
use crate::transcript::{self, Entries, Entry, What};

/// Characters of a text before what was found in it, and of the whole excerpt.
const BEFORE: usize = 24;
const EXCERPT: usize = 160;

/// The debates of a project.
#[derive(Debug)]
pub struct PastDebates {
    /// Whose they are.
    pub project: Project,
    /// The newest first.
    pub debates: Vec<PastDebate>,
    /// Files that can't be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// One of them.
#[derive(Debug)]
pub struct PastDebate {
    /// The debate.
    pub debate: Debate,
    /// Its number in the list of all: 1 is the newest.
    pub number: usize,
    /// The first sentence of what its last synthesis recommends.
    pub verdict: Option<String>,
    /// What that says of how sure it is.
    pub confidence: Option<String>,
    /// The percentage in it.
    pub percent: Option<u8>,
    /// Where it lies.
    pub file: PathBuf,
    /// Its report, when that is written.
    pub report: Option<PathBuf>,
    /// The newest of its checkpoints, where an unfinished debate has lost its file.
    pub checkpoint: Option<u32>,
}

/// What is shown of a debate.
#[derive(Clone, Copy, Debug)]
pub enum View {
    /// The verdict, and what became of each argument, on lines of so many columns.
    Summary {
        /// How wide.
        columns: usize,
    },
    /// Every reply too. `None`: its lines are as long as they were written.
    Whole {
        /// How wide.
        columns: Option<usize>,
    },
    /// The JSON report.
    Json,
}

/// The debates in which a text was found.
#[derive(Debug)]
pub struct FoundTexts {
    /// What was looked for.
    pub text: String,
    /// Whose they are.
    pub project: Project,
    /// The newest first, each with its hits.
    pub debates: Vec<(PastDebate, Vec<Hit>)>,
    /// Files that can't be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// A text of a debate in which something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where in the debate: `question`, `critic, round 2`, `context`.
    pub place: String,
    /// How often.
    pub count: usize,
    /// The text around the first one.
    pub excerpt: String,
}

impl Engine<'_> {
    /// The debates of this project: the one in its place and those of the archive.
    pub fn past(&self, session: Option<&Session>) -> Result<PastDebates> {
        let FoundTexts { project, debates, unreadable, .. } = self.gather(session, String::new(), None);
        for (past, number) in debates.iter().filter_map(|(past, _)| Some((past, past.checkpoint?))) {
            self.add_note(Note::FileGone { id: past.debate.id.clone(), checkpoint: number });
        }
        if debates.is_empty() && unreadable.is_empty() {
            return Err(Error::nothing("there is no debate in this project yet", "/anvil:debate QUESTION starts one"));
        }
        Ok(PastDebates { project, debates: debates.into_iter().map(|(past, _)| past).collect(), unreadable })
    }

    /// The debates in which a text stands, whatever the case of its letters.
    pub fn search(&self, text: &str) -> Result<FoundTexts> {
        let needle = lowered(&text::clean(text, usize::MAX));
        if needle.is_empty() {
            return Err(Error::usage("there is nothing to look for", "write it after the command, in quotes"));
        }
        let mut found = self.gather(None, text.to_owned(), Some(&needle));
        found.debates.retain(|(_, hits)| !hits.is_empty());
        Ok(found)
    }

    /// One debate: its verdict and arguments, or all of it, as text or JSON.
    pub fn show(&self, wanted: Option<&str>, view: View) -> Result<String> {
        let store = self.store_meant(None);
        let project = store.project();
        let (state, file) = find(&store, wanted)?;
        let wished = self.report_written(project, &state.debate).unwrap_or_else(|| project.report(&state.debate.id));
        let mut written = places(project, &state.debate.id, &wished);
        written.retain(|(_, path)| is_plain(path));
        let model =
            model(project, self.world.home.as_deref(), &state, &transcript::parse(&state.body), &file, &written)
                .with_effort(effort(store.attempts(&state.debate.id)));
        Ok(match view {
            View::Summary { columns } => report::summary(&model, columns),
            View::Whole { columns } => report::plain(&model, columns),
            View::Json => report::json(&model),
        })
    }

    /// Makes the page of a debate anew, for the browser; without an id, that of the newest one, finished ones first.
    pub fn page(&self, wanted: Option<&str>) -> Result<PathBuf> {
        if wanted.is_some() {
            return self.page_meant(wanted);
        }
        let PastDebates { debates, .. } = self.past(None)?;
        let newest = debates
            .iter()
            .max_by_key(|past| (past.debate.progress.status == Status::Completed, past.debate.progress.updated_at));
        self.page_meant(newest.map(|past| past.debate.id.as_str()))
    }

    /// The same of the debate here, where no id is given. What lies beside the debate is not read: only what its state says.
    pub fn page_meant(&self, wanted: Option<&str>) -> Result<PathBuf> {
        let store = self.store_meant(None);
        let (state, file) = find(&store, wanted)?;
        let model =
            model(store.project(), self.world.home.as_deref(), &state, &transcript::parse(&state.body), &file, &[]);
        let page = self.machine.new_page(&state.debate.id, &report::html(&model))?;
        Ok(self.world.cwd.join(page))
    }

    /// Reads every debate once, and looks for `needle` in it.
    fn gather(&self, session: Option<&Session>, text: String, needle: Option<&str>) -> FoundTexts {
        let store = self.store_meant(session);
        let project = store.project().clone();
        let (mut debates, mut unreadable) = (Vec::new(), Vec::new());
        for Past { file, state, lies } in store.past() {
            match state {
                Ok(state) => {
                    let entries = LazyCell::new(|| transcript::parse(&state.body));
                    let hits = needle.map(|needle| hits(&state.debate, &entries, needle)).unwrap_or_default();
                    // The text is read as a whole only where there can be one.
                    let has_synthesis = state.body.contains("## Synthesis");
                    let synthesis = if has_synthesis { entries.synthesis() } else { None };
                    let synthesis = synthesis.map(|entry| entry.text.clone()).unwrap_or_default();
                    let checkpoint = || file.file_stem()?.to_str()?.split('-').next()?.parse().ok();
                    let is_gone = lies == Lies::InCheckpoints && state.debate.progress.status.is_unfinished();
                    let checkpoint = is_gone.then(checkpoint).flatten();
                    debates.push((
                        PastDebate { checkpoint, ..self.digest(&project, state.debate, &synthesis, file) },
                        hits,
                    ));
                }
                Err(error) => unreadable.push((file, error.to_string())),
            }
        }
        debates.sort_by(|(one, _), (other, _)| newest_first(&one.debate, &other.debate));
        for ((past, _), number) in debates.iter_mut().zip(1..) {
            past.number = number;
        }
        FoundTexts { text, project, debates, unreadable }
    }

    fn digest(&self, project: &Project, debate: Debate, synthesis: &str, file: PathBuf) -> PastDebate {
        let stated = Verdict::of(synthesis);
        let verdict = stated.recommendation.is_some().then(|| stated.first_sentence(synthesis));
        let (percent, confidence) = (stated.percent(), stated.confidence);
        let report = self.report_written(project, &debate);
        PastDebate { debate, number: 0, verdict, confidence, percent, file, report, checkpoint: None }
    }
}

fn is_plain(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
}

/// Every text of a debate in which something stands, in their order.
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

/// `critic, round 2`, `legal`, `synthesis, cycle 2`, `context`.
fn place(debate: &Debate, entry: &Entry) -> String {
    let named = match (entry.what, &entry.voice) {
        (What::Reply(_), Some(voice)) => voice.clone(),
        (What::Reply(slot), None) => slot.to_string(),
        (What::Note(kind), _) => return kind.heading().trim_start_matches('#').trim().to_lowercase(),
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

/// How often something stands in a text, and the text around the first one. White space of every kind is one blank.
fn excerpt(text: &str, needle: &str) -> Option<(usize, String)> {
    let text = text::clean(text, usize::MAX);
    let lower = lowered(&text);
    let found = lower.find(needle)?;
    let count = lower.matches(needle).count();
    // A letter may have more or less bytes in the other case.
    let mut length = 0;
    let at = text.chars().take_while(|char| {
        length += char.to_lowercase().map(char::len_utf8).sum::<usize>();
        length <= found
    });
    let at = at.count();
    let mut begin = at.saturating_sub(BEFORE);
    if begin > 0 {
        // At the beginning of a word, where there is one.
        let before: Vec<char> = text.chars().skip(begin).take(at - begin).collect();
        begin += before.iter().position(|char| *char == ' ').map_or(0, |blank| blank + 1);
    }
    let cut: String = text.chars().skip(begin).collect();
    let mark = if begin > 0 { "…" } else { "" };
    Some((count, format!("{mark}{}", text::clean(&cut, EXCERPT))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_of_the_text_as_it_was_written() {
        assert_eq!(excerpt("One CACHE, two caches", "cache"), Some((2, "One CACHE, two caches".into())));
        assert_eq!(excerpt("over\n\n  two lines", "over two"), Some((1, "over two lines".into())));
        let long = "İİİ before all of it stands a lot of text, then the word";
        assert_eq!(excerpt(long, "word"), Some((1, "…lot of text, then the word".into())));
        assert_eq!(excerpt(&"x".repeat(500), "xx"), Some((250, "x".repeat(EXCERPT) + "…")));
        assert_eq!(excerpt("nothing", "word"), None);
    }
}
