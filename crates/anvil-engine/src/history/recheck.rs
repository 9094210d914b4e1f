//! Looks whether the words that decisions rest on are still in the project's files. No model is
//! asked: words that have changed refute nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::FileType;
use std::path::Path;

use super::error::HistoryError;
use super::past::gather;
use crate::lookup::find;
use crate::{Context, expand};
use anvil_context::{CitedFiles, WordsNow};
use anvil_core::debate::Status;
use anvil_core::journal::Outcome;
use anvil_core::ledger::{Ledger, RestedClaim, RestedWords};
use anvil_core::transcript::{self, NoteKind};
use anvil_report::{RecordedDecision, has_mark, is_inner_text, is_report};
use anvil_store::{Rechecked, Scope, StateFile, Store, read_up_to};
use anvil_text::clean;
use anvil_text::error::Result;

/// Most files of a folder that are read.
const MAX_RECORDS: usize = 10_000;

/// Longest chain of records that replace each other.
const MAX_CHAIN: usize = 100;

/// Largest decision record that is read, in bytes.
const MAX_RECORD: u64 = 1_000_000;

/// Most bytes of all records that are read.
const MAX_SUM: usize = 32_000_000;

/// The extensions of Markdown, in lower case.
const MARKDOWN: [&str; 3] = ["md", "mdx", "markdown"];

/// What was looked at, and what was seen.
#[derive(Debug, Default)]
pub struct Recheck {
    /// In the order in which they were named; without names, the newest first.
    pub decisions: Vec<RecheckedDecision>,
    /// The user named them.
    pub are_named: bool,
    /// Named files without a decision of Anvil.
    pub without_record: usize,
    /// Named records that no longer stand.
    pub fallen: usize,
    /// Files that can't be read, each with the reason.
    pub unreadable: Vec<(String, String)>,
}

/// A decision, and where the words are that it rests on.
#[derive(Debug)]
pub struct RecheckedDecision {
    pub decision: RecordedDecision,
    /// Its record, as the user named it.
    pub file: Option<String>,
    /// One for each claim; `None`: it cites no words that were seen.
    now: Vec<Option<WordsNow>>,
}

impl RecheckedDecision {
    /// The claims that it rests on, each with the place of its words.
    pub fn claims(&self) -> impl Iterator<Item = (&RestedClaim, Option<&WordsNow>)> {
        self.decision.claims.iter().zip(self.now.iter().map(Option::as_ref))
    }

    /// The words that are there no longer.
    pub fn changed_words(&self) -> impl Iterator<Item = &str> {
        let changed =
            self.claims().filter(|(_, now)| matches!(now, Some(WordsNow::Changed { .. })));
        changed.filter_map(|(claim, _)| Some(claim.words.as_ref()?.words.as_str()))
    }

    /// The number of claims with words that are there no longer.
    pub fn changed_count(&self) -> usize {
        self.changed_words().count()
    }

    /// True if it rests on words of the project's files.
    pub fn has_words(&self) -> bool {
        self.now.iter().any(Option::is_some)
    }

    /// True if it is not known where some of its words are.
    pub fn is_unknown(&self) -> bool {
        self.now.iter().any(|now| matches!(now, Some(WordsNow::Unknown { .. })))
    }
}

impl Recheck {
    /// True if all words were seen, where they were or moved. A gate needs that.
    pub fn is_sound(&self) -> bool {
        let is_sound =
            |decision: &RecheckedDecision| decision.changed_count() == 0 && !decision.is_unknown();
        self.unreadable.is_empty() && self.decisions.iter().all(is_sound)
    }
}

/// Rechecks these decisions: debates, or files with their records. Without any, every decision of
/// this repository that stands.
pub fn recheck(context: &Context<'_>, named: &[String]) -> Result<Recheck> {
    let store = context.selected_store(None);
    let mut recheck = Recheck { are_named: !named.is_empty(), ..Recheck::default() };
    let mut wanted = Vec::new();
    let words: Vec<String> =
        named.iter().flat_map(|word| recheck.files_of(context, word)).collect();
    let mut sum = 0;
    for word in &words {
        let path = expand(word, &context.world.cwd, context.world.home.as_deref());
        if !word.contains(['/', '\\', '.']) && !path.is_file() {
            let (state, _) = find(&store, Some(word))?;
            if state.debate.status() != Status::Completed {
                recheck.unreadable.push((word.clone(), "the debate is not complete".to_owned()));
                continue;
            }
            wanted.push((
                RecordedDecision { number: word.parse().ok(), ..decision_of(&state) },
                None,
            ));
            continue;
        }
        if sum > MAX_SUM {
            let why = format!("it was not read: there are more than {} MB", MAX_SUM / 1_000_000);
            recheck.unreadable.push((word.clone(), why));
            continue;
        }
        let text = match read_up_to(&path, MAX_RECORD, "decision record") {
            Ok(Some(bytes)) => {
                sum += bytes.len();
                text_of(bytes)
            }
            Ok(None) => Err("there is no such file".to_owned()),
            Err(error) => Err(error.to_string().replace(&*path.to_string_lossy(), "it")),
        };
        match text.map(|text| RecordedDecision::read(&text)) {
            Ok(Some(Ok(decision))) if decision.stands() => {
                wanted.push((decision, Some(word.clone())));
            }
            Ok(None) => recheck.without_record += 1,
            Ok(Some(Ok(_))) => recheck.fallen += 1,
            Ok(Some(Err(why))) | Err(why) => recheck.unreadable.push((word.clone(), why)),
        }
    }
    if named.is_empty() {
        let decisions = recheck.standing(context, &store)?;
        wanted = decisions.into_iter().map(|decision| (decision, None)).collect();
        if wanted.is_empty() && recheck.unreadable.is_empty() {
            recheck.note(context, &store);
            return Err(HistoryError::NothingRests.into());
        }
    }
    let all = wanted.len();
    let replaced = replaced_debates(&wanted);
    wanted.retain(|(decision, file)| file.is_none() || !replaced.contains(&decision.id));
    recheck.fallen += all - wanted.len();
    recheck.decisions = look(&store, wanted)?;
    match recheck.unreadable.first() {
        Some((file, why)) if recheck.decisions.is_empty() => {
            let (word, why) = (clean(file, 200), why.clone());
            return Err(HistoryError::NotRechecked { word, why }.into());
        }
        _ => recheck.note(context, &store),
    }
    Ok(recheck)
}

/// The text of a record that is a folder.
fn inner_text(entry: &fs_err::DirEntry) -> Option<String> {
    let folder = entry.file_type().ok().filter(FileType::is_dir).map(|_| entry.path())?;
    let files = fs_err::read_dir(folder).ok()?.flatten();
    let mut names = files.filter_map(|file| file.file_name().into_string().ok());
    names.find(|name| is_inner_text(name))
}

/// The text of a record. An error: it has a mark of Anvil in another encoding.
fn text_of(mut bytes: Vec<u8>) -> Result<String, String> {
    // UTF-16 has a zero in every second byte of a mark.
    let is_text = std::str::from_utf8(&bytes).is_ok() && !bytes.contains(&0);
    bytes.retain(|byte| *byte != 0);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if !is_text && has_mark(&text) {
        return Err("it is not UTF-8".to_owned());
    }
    Ok(text)
}

/// The debates of records that another of these records replaces. Only an accepted one does, and
/// records in a circle do not replace each other.
fn replaced_debates(wanted: &[(RecordedDecision, Option<String>)]) -> HashSet<String> {
    let later: HashMap<&str, &str> = wanted
        .iter()
        .filter(|(decision, file)| file.is_some() && decision.is_status("accepted"))
        .filter_map(|(decision, _)| Some((decision.supersedes.as_deref()?, decision.id.as_str())))
        .collect();
    let has_end = |id: &&&str| {
        let mut chain = std::iter::successors(Some(**id), |id| later.get(id).copied());
        chain.nth(MAX_CHAIN).is_none()
    };
    later.keys().filter(has_end).map(|id| (*id).to_owned()).collect()
}

/// Looks up the words of all these decisions at once.
fn look(
    store: &Store,
    wanted: Vec<(RecordedDecision, Option<String>)>,
) -> Result<Vec<RecheckedDecision>> {
    let claims = wanted.iter().flat_map(|(decision, _)| &decision.claims);
    let words: Vec<RestedWords> = claims.filter_map(|claim| claim.words.clone()).collect();
    let seen = match words.as_slice() {
        [] => Vec::new(),
        words => {
            let is_ours = |text: &str| has_mark(text) || is_report(text.as_bytes());
            anvil_context::recheck(store.project().root(), words, is_ours)?
        }
    };
    let mut seen = seen.into_iter();
    let looked = wanted.into_iter().map(|(decision, file)| {
        let now =
            decision.claims.iter().map(|claim| claim.words.as_ref().and_then(|_| seen.next()));
        let now = now.collect();
        RecheckedDecision { decision, file, now }
    });
    Ok(looked.collect())
}

impl Recheck {
    /// The Markdown files of a folder. Of any other word, the word.
    fn files_of(&mut self, context: &Context<'_>, word: &str) -> Vec<String> {
        let path = expand(word, &context.world.cwd, context.world.home.as_deref());
        let Ok(folder) = fs_err::read_dir(path) else { return vec![word.to_owned()] };
        let shown = word.trim_end_matches(std::path::is_separator);
        let mut files = Vec::new();
        for (at, entry) in folder.enumerate() {
            if at == MAX_RECORDS {
                let why =
                    format!("it has more than {MAX_RECORDS} entries; the others were not read");
                self.unreadable.push((word.to_owned(), why));
                break;
            }
            let name = entry.map(|entry| match inner_text(&entry) {
                Some(inner) => Path::new(&entry.file_name()).join(inner).into_os_string(),
                None => entry.file_name(),
            });
            let extension = |name: &OsString| Path::new(name).extension().map(OsStr::to_owned);
            let is_markdown = |name: &OsString| {
                let extension = extension(name).unwrap_or_default().to_ascii_lowercase();
                MARKDOWN.iter().any(|one| extension == *one)
            };
            match name.map_err(|error| (shown.to_owned(), error.to_string())) {
                Ok(name) if !is_markdown(&name) => {}
                Ok(name) => match name.into_string() {
                    Ok(name) => files.push(format!("{shown}/{name}")),
                    Err(name) => {
                        let file = format!("{shown}/{}", name.to_string_lossy());
                        self.unreadable.push((file, "its name is not UTF-8".to_owned()));
                    }
                },
                Err(unreadable) => self.unreadable.push(unreadable),
            }
        }
        files.sort();
        if files.is_empty() && self.unreadable.is_empty() { vec![word.to_owned()] } else { files }
    }

    /// Saves the counts for the history and for the start of sessions. Records that were named are
    /// not those of this machine's debates.
    fn note(&self, context: &Context<'_>, store: &Store) {
        let at = context.world.now;
        let debates = self.decisions.iter().filter(|one| one.file.is_none() && one.has_words());
        let seen: BTreeMap<String, Rechecked> = debates
            .map(|one| (one.decision.id.clone(), Rechecked { at, changed: one.changed_count() }))
            .collect();
        if self.are_named && seen.is_empty() {
            return;
        }
        let noted = context.machine.note_rechecked(store.project(), seen, !self.are_named);
        if let Err(error) = noted {
            context.add_details([format!("the result is not kept: {error}")]);
        }
    }

    /// The decisions of this repository that stand: complete, not replaced by a debate that follows
    /// them, and not noted as wrong or abandoned.
    fn standing(&mut self, context: &Context<'_>, store: &Store) -> Result<Vec<RecordedDecision>> {
        let gathered = gather(context, None, Scope::Repository, decision_of)?;
        let project = store.project();
        let unreadable = gathered.unreadable.into_iter();
        self.unreadable.extend(unreadable.map(|(file, why)| (project.display(&file), why)));
        let complete = gathered
            .debates
            .into_iter()
            .filter(|(past, _)| past.debate.status() == Status::Completed);
        let decisions: Vec<RecordedDecision> = complete
            .map(|(past, decision)| {
                let number = past.number.and_then(|number| number.try_into().ok());
                RecordedDecision { number, ..decision }
            })
            .collect();
        let mut fallen: HashSet<String> =
            decisions.iter().filter_map(|decision| decision.supersedes.clone()).collect();
        let noted = Context::decisions(store).into_iter();
        let given_up = noted.filter(|decision| {
            matches!(decision.outcome, Some(Outcome::Wrong | Outcome::Abandoned))
        });
        fallen.extend(given_up.map(|decision| decision.id));
        let stands = |decision: &RecordedDecision| {
            !decision.claims.is_empty() && !fallen.contains(&decision.id)
        };
        Ok(decisions.into_iter().filter(stands).collect())
    }
}

/// What changed under the last verdict of a debate: a sentence for each claim.
pub(crate) fn changes_under(store: &Store, state: &StateFile) -> Vec<String> {
    let looked = look(store, vec![(decision_of(state), None)]).unwrap_or_default();
    let claims = looked.iter().flat_map(RecheckedDecision::claims);
    let changed: Vec<(&RestedClaim, &WordsNow)> =
        claims.filter_map(|(claim, now)| Some((claim, now?))).collect();
    let paths: Vec<String> = changed
        .iter()
        .filter_map(|(_, now)| match now {
            WordsNow::Changed { path, .. } => Some(path.clone()),
            _ => None,
        })
        .collect();
    let files =
        if paths.is_empty() { None } else { CitedFiles::read(store.project().root(), paths) };
    changed.iter().filter_map(|(claim, now)| change(claim, now, files.as_ref())).collect()
}

fn change(claim: &RestedClaim, now: &WordsNow, files: Option<&CitedFiles>) -> Option<String> {
    let RestedWords { path, line, words, .. } = claim.words.as_ref()?;
    let (what, commit) = match now {
        WordsNow::Changed { path, commit } => {
            let text = line.and_then(|line| files?.line(path, line));
            let text = text.map(|text| format!("; there is now \"{}\"", clean(text, 100)));
            (format!("gone{}", text.unwrap_or_default()), commit)
        }
        WordsNow::Unchanged { .. } | WordsNow::Moved { .. } | WordsNow::Unknown { .. } => {
            return None;
        }
    };
    let at = line.map(|line| format!(":{line}")).unwrap_or_default();
    let since =
        commit.as_ref().map(|commit| format!(" (last commit {commit})")).unwrap_or_default();
    let words = clean(words, 100);
    let id = claim.id;
    Some(format!("{id} rests on \"{words}\" in {path}{at}. These words are {what}{since}."))
}

/// The verdict of a debate, and the claims that it rests on.
pub(crate) fn decision_of(state: &StateFile) -> RecordedDecision {
    let among = state.debate.alternatives();
    let entries = transcript::parse(&state.body);
    let material = entries.notes().find(|(kind, _)| *kind == NoteKind::PriorAnalysis);
    let record = material.and_then(|(_, note)| RecordedDecision::read(&note.text)?.ok());
    let follows = record.map(|record| record.id);
    let claims = Ledger::of_entries(&entries, &among).rested_claims();
    RecordedDecision {
        id: state.debate.id.clone(),
        question: clean(&state.debate.question, 1_000),
        supersedes: follows.or_else(|| entries.prior_debate().map(str::to_owned)),
        claims,
        ..RecordedDecision::default()
    }
}
