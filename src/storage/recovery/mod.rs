//! Recovery: repairs an untrusted state file from its checkpoints and from its own transcript. Only
//! decides; writes nothing.
//!
//! The transcript is the truth and the pointer follows it. Edits by hand are honoured if they are
//! valid. Every difference between the file and the result is named.

mod follow;
pub(crate) mod reconstruct;

use jiff::Timestamp;

use super::file::frontmatter::{self, Head, MAX_HEAD_BYTES};
use super::file::{StateFile, fields};
use super::new_id;
use crate::domain::debate::{Debate, DebateOption};
use crate::domain::transcript::{self, Entries};
use follow::follow_transcript;
use reconstruct::debate_of_entries;

/// Most checkpoints that a transcript is compared with: as many as a debate keeps by itself.
const MAX_COMPARED: usize = 32;

/// The repairs of a file that could not be taken as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// In sentences without full stops.
    pub repairs: Vec<String>,
    /// Something was damaged, not just edited: the file is kept as it was.
    pub damaged: bool,
    /// The question has changed.
    pub asks_anew: bool,
    /// The phase that waits now is not the one that was requested last: a reply under way does not
    /// answer it.
    pub moved: bool,
}

impl Repair {
    fn damage(&mut self, fault: impl Into<String>) {
        self.damaged = true;
        self.repairs.push(fault.into());
    }

    fn edit(&mut self, change: impl Into<String>) {
        self.repairs.push(change.into());
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Recovered {
    /// The debate, and its repair.
    State(Box<StateFile>, Repair),
    /// The file is of a newer Anvil.
    Newer(i64),
    /// The file has nothing of a debate.
    Lost,
}

/// The parts of a file, as far as they can be read.
struct Parts<'a> {
    /// A damaged head is read line by line.
    head: Head,
    /// The head is closed and valid.
    has_head: bool,
    body: &'a str,
}

impl<'a> Parts<'a> {
    fn read(text: &'a str) -> Self {
        let parts = frontmatter::split(text);
        let (head, body) = parts.unwrap_or_else(|| text.split_at(beginning_of_body(text)));
        if let Some(head) = parts.and_then(|_| frontmatter::read(head).ok()) {
            return Self { head, has_head: true, body };
        }
        let mut head = frontmatter::salvage(&head[..head.floor_char_boundary(MAX_HEAD_BYTES)]);
        fields::follow_status(&mut head);
        Self { head, has_head: false, body }
    }

    /// True if the body has no title and no reply.
    fn is_bare(&self) -> bool {
        transcript::question(self.body).is_none()
            && transcript::parse(self.body).replies().next().is_none()
    }
}

/// Repairs a file. `kept` gives checkpoints of the debate with an id, the newest first; without an
/// id those of the debate that was changed last here.
pub(super) fn recover<I>(
    bytes: &[u8],
    kept: &impl Fn(Option<&str>) -> I,
    now: Timestamp,
) -> Recovered
where
    I: Iterator<Item = StateFile>,
{
    let mut repair = Repair::default();
    let text = readable(bytes, &mut repair);
    if let Some(sides) = conflict_sides(&text) {
        return further_side(sides.map(|side| recover(side.as_bytes(), kept, now)));
    }
    let parts = Parts::read(&text);
    let has_head = parts.has_head;
    if let Some(schema) = fields::newer_schema(&parts.head).filter(|_| has_head) {
        return Recovered::Newer(schema);
    }
    let id = id_of(&parts.head);
    let id = if has_head { Some(id.unwrap_or_default()) } else { id };
    let newest = kept(id.as_deref()).next();
    let is_bare = parts.is_bare();
    let is_gone = is_bare && (!has_head || parts.body.trim().is_empty());
    let body = match &newest {
        Some(newest) if is_gone || is_cut_off(parts.body, &newest.body) => {
            let state = if text.trim().is_empty() { "empty" } else { "cut off" };
            let step = newest.debate.progress.step;
            repair.damage(format!(
                "the state file was {state}: its last checkpoint ({step}) is back"
            ));
            if !has_head {
                return Recovered::State(Box::new(newest.clone()), repair);
            }
            newest.body.clone()
        }
        _ => parts.body.to_owned(),
    };
    let entries = transcript::parse(&body);
    let title = transcript::question(&body);
    let agrees = |checkpoint: &StateFile| agrees(checkpoint, &entries, title.as_deref());
    let (debate, extra) = if has_head {
        let fallback = newest.as_ref().map(|newest| newest.debate.clone());
        let fallback = fallback.unwrap_or_else(|| debate_of_entries(title.clone(), &entries, now));
        let (debate, extra, faults) = fields::parse_lenient(parts.head, &fallback);
        for fault in faults {
            repair.damage(fault);
        }
        (debate, extra)
    } else if let Some(checkpoint) = kept(id.as_deref()).take(MAX_COMPARED).find(agrees) {
        let step = checkpoint.debate.progress.step;
        repair.damage(format!("the frontmatter was damaged: checkpoint {step} has given its own"));
        (checkpoint.debate, checkpoint.extra)
    } else if is_bare && !parts.head.contains_key("question") {
        return Recovered::Lost;
    } else {
        repair.damage("the frontmatter was damaged: the sections tell where the debate stands");
        complete_head(parts.head, &debate_of_entries(title.clone(), &entries, now))
    };
    let state = StateFile { debate, body, extra, newer_schema: None };
    let state = Box::new(follow_transcript(state, title, newest.as_ref(), has_head, &mut repair));
    Recovered::State(state, repair)
}

/// The debate of a salvaged head; what the head lacks comes from the sections.
fn complete_head(mut head: Head, sections: &Debate) -> (Debate, Head) {
    let status = || frontmatter::Value::Text(sections.progress.status.word().to_owned());
    head.entry("status".to_owned()).or_insert_with(status);
    if let Some(motion) = &sections.options.motion {
        let motion = || frontmatter::Value::Text(motion.clone());
        head.entry(DebateOption::Motion.key().to_owned()).or_insert_with(motion);
    }
    if sections.options.judges > 1 {
        let judges = || frontmatter::Value::Number(sections.options.judges.into());
        head.entry(DebateOption::Judges.key().to_owned()).or_insert_with(judges);
    }
    let (debate, extra, _) = fields::parse_lenient(head, sections);
    (debate, extra)
}

/// Stands for a debate that is lost.
pub(super) fn lost(now: Timestamp) -> (StateFile, Repair) {
    let question =
        "(the state file was damaged, and nothing in it tells what was debated)".to_owned();
    let mut debate = Debate::new(new_id("damaged", now, ""), question, 1, now);
    debate.fail("its file was damaged, and there is no checkpoint");
    let repairs = vec!["nothing in it can be read and there is no checkpoint".to_owned()];
    (StateFile::new(debate), Repair { repairs, damaged: true, ..Repair::default() })
}

/// True if a transcript is the beginning of `whole` and ends in the middle of something: no user
/// deletes like that.
fn is_cut_off(body: &str, whole: &str) -> bool {
    let Some(remaining) = whole.strip_prefix(body) else { return false };
    if matches!(remaining, "" | "\n") {
        return false;
    }
    let begins_a_section = remaining.trim_start_matches('\n').starts_with('#');
    !(body.ends_with('\n') && begins_a_section)
}

/// The bytes as text in the form in which Anvil writes it.
fn readable(bytes: &[u8], repair: &mut Repair) -> String {
    let solid = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if solid < bytes.len() {
        repair.damage("zeros at its end were taken off");
    }
    let bytes = &bytes[..solid];
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    if std::str::from_utf8(bytes).is_err() || text.contains('\0') {
        repair.damage("bytes that are no text became U+FFFD");
        text = text.replace('\0', "\u{FFFD}");
    }
    if text.contains('\r') {
        repair.damage("line ends of Windows became those of Unix");
        text = transcript::normalise(&text).into_owned();
    }
    if let Some(remaining) = text.strip_prefix('\u{FEFF}') {
        repair.damage("the byte order mark at the beginning was taken out");
        text = remaining.to_owned();
    }
    text
}

/// Both sides of a file with git's conflict marks.
fn conflict_sides(text: &str) -> Option<[String; 2]> {
    if !text.starts_with("<<<<<<< ") && !text.contains("\n<<<<<<< ") {
        return None;
    }
    let mut sides = [String::new(), String::new()];
    let mut within = None;
    for line in text.split_inclusive('\n') {
        match line.split([' ', '\n']).next().unwrap_or_default() {
            "<<<<<<<" => within = Some(0),
            // The common ancestor, in git's `diff3` style.
            "|||||||" if within.is_some() => within = Some(2),
            "=======" if within.is_some() => within = Some(1),
            ">>>>>>>" if within.is_some() => within = None,
            _ => {
                for (index, side) in sides.iter_mut().enumerate() {
                    if within.is_none_or(|within| within == index) {
                        side.push_str(line);
                    }
                }
            }
        }
    }
    Some(sides)
}

/// The side that is further on.
fn further_side(sides: [Recovered; 2]) -> Recovered {
    let reach = |side: &Recovered| match side {
        Recovered::State(state, _) => (1, state.debate.progress().0, state.debate.progress.step),
        Recovered::Newer(_) => (2, 0, 0),
        Recovered::Lost => (0, 0, 0),
    };
    let [ours, theirs] = sides;
    match if reach(&theirs) > reach(&ours) { theirs } else { ours } {
        Recovered::State(state, mut repair) => {
            repair.damaged = true;
            repair.repairs.insert(
                0,
                "git had left the marks of a conflict: the side that is further on was taken"
                    .to_owned(),
            );
            Recovered::State(state, repair)
        }
        other => other,
    }
}

/// The offset of the transcript in a file with a head that is not closed.
fn beginning_of_body(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("# ") || line.starts_with("## ") || line.starts_with("### ") {
            return at;
        }
        at += line.len();
    }
    text.len()
}

fn id_of(head: &Head) -> Option<String> {
    match head.get("id") {
        Some(frontmatter::Value::Text(id)) if super::file::id::is_safe_id(id) => Some(id.clone()),
        _ => None,
    }
}

/// True if the file has the checkpoint's title and all its sections. It may have more sections.
fn agrees(checkpoint: &StateFile, entries: &Entries, title: Option<&str>) -> bool {
    let kept = transcript::parse(&checkpoint.body);
    let mut here = entries.replies();
    let same = kept.replies().all(|(kept, _)| here.next().is_some_and(|(slot, _)| slot == kept));
    same && title
        .is_none_or(|title| transcript::question(&checkpoint.body).as_deref() == Some(title))
}
