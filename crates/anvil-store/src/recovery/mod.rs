//! Recovery: repairs an untrusted state file from the newest snapshot of its debate. Only decides;
//! writes nothing.
//!
//! A file that is no text, or has a head that is no map, is not read at all: the newest snapshot of
//! the debate that was here returns. In any other file each valid key counts, and the snapshot
//! replaces the others. The transcript is the truth and the pointer follows it. Every difference
//! between the file and the result is named.

pub(crate) mod position;

use jiff::Timestamp;

use super::file::frontmatter::{self, Damage, Frontmatter, Value};
use super::file::{StateFile, fields};
use super::new_id;
use anvil_core::debate::{Debate, PlainReason};
use anvil_core::limits::{DEFAULT_ROUNDS, MAX_QUESTION_CHARS};
use anvil_core::transcript;
use position::repair_position;

/// The repairs of a state file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// In sentences without full stops.
    pub repairs: Vec<String>,
    /// A part was damaged, not just edited: the original file is put aside.
    pub damaged: bool,
    /// The question has changed.
    pub asks_anew: bool,
    /// The phase that waits now differs from the last requested one: a reply under way does not
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
pub(crate) enum Recovered {
    /// The debate, and its repair.
    State(Box<StateFile>, Repair),
    /// The file has another schema.
    Other(i64),
    /// The file has no readable part of a debate, and the debate is unknown.
    Lost,
}

/// The parts of a file that can be parsed.
struct Parts {
    head: Frontmatter,
    body: String,
}

/// Repairs a file. `newest` gives the newest snapshot of the debate with an id; without an id that
/// of the debate that was here.
pub(super) fn recover(
    bytes: &[u8],
    newest: &impl Fn(Option<&str>) -> Option<StateFile>,
    now: Timestamp,
) -> Recovered {
    let mut repair = Repair::default();
    let parts = match parse(bytes, &mut repair) {
        Ok(parts) => parts,
        Err(why) => return back(why, newest(None)),
    };
    if let Some(schema) = fields::other_schema(&parts.head) {
        return Recovered::Other(schema);
    }
    let Parts { mut head, body } = parts;
    let id = id_of(&head);
    let question = match head.get("question") {
        Some(Value::Text(question)) => Some(question),
        _ => None,
    };
    // Without an id it may be another debate.
    let newest = newest(id.as_deref())
        .filter(|newest| id.is_some() || question == Some(&newest.debate.question));
    if let Some(newest) = &newest {
        head.insert("id".to_owned(), Value::Text(newest.debate.id.clone()));
    }
    if let Some(newest) = newest.as_ref().filter(|newest| is_cut_off(&body, &newest.body)) {
        return back("the state file was cut off", Some(newest.clone()));
    }
    let title = transcript::question(&body);
    let fallback = match &newest {
        Some(newest) => newest.debate.clone(),
        None => match default_debate(&head, title.as_deref(), now) {
            Some(debate) => debate,
            None => return Recovered::Lost,
        },
    };
    let (debate, extra, faults) = fields::parse_lenient(head, &fallback);
    let source = newest.as_ref().map_or_else(
        || "the default".to_owned(),
        |newest| format!("that of step {}", newest.debate.step()),
    );
    for fault in faults {
        repair.damage(format!("{fault}, {source}"));
    }
    let state = StateFile { debate, body, extra, newer_schema: None };
    let state = Box::new(repair_position(state, title, newest.as_ref(), &mut repair));
    Recovered::State(state, repair)
}

/// The newest snapshot in place of a file that can't be read.
fn back(why: &str, newest: Option<StateFile>) -> Recovered {
    let Some(mut newest) = newest else { return Recovered::Lost };
    // A debate that was replaced has no file: the start that was about to replace it died.
    if newest.debate.stop_reason() == Some(&PlainReason::Replaced.into()) {
        let at = newest.debate.updated_at();
        newest.debate.pause(PlainReason::AboutToBeReplaced, at);
    }
    let mut repair = Repair::default();
    let step = newest.debate.step();
    repair.damage(format!("{why}: its snapshot of step {step} was restored"));
    Recovered::State(Box::new(newest), repair)
}

/// The debate that gives the values which its head lacks, where no snapshot does.
fn default_debate(head: &Frontmatter, title: Option<&str>, now: Timestamp) -> Option<Debate> {
    let question = match head.get("question") {
        Some(Value::Text(question)) => question,
        _ => title?,
    };
    let fits = !question.trim().is_empty() && question.chars().count() <= MAX_QUESTION_CHARS;
    let question = fits.then(|| question.to_owned())?;
    let mut debate = Debate::new(new_id(&question, now, ""), question, DEFAULT_ROUNDS, now);
    debate.pause(PlainReason::HeadDamaged, now);
    Some(debate)
}

/// Stands for a debate that is lost.
pub(super) fn lost_debate(now: Timestamp) -> (StateFile, Repair) {
    let question = "(the state file was damaged, and its question is unknown)".to_owned();
    let mut debate = Debate::new(new_id("damaged", now, ""), question, 1, now);
    debate.fail(PlainReason::FileDamaged);
    let repairs = vec!["nothing in it can be read and there is no snapshot".to_owned()];
    (StateFile::new(debate), Repair { repairs, damaged: true, ..Repair::default() })
}

/// True if a transcript is the beginning of `whole` and ends in the middle of something: no user
/// deletes like that.
fn is_cut_off(body: &str, whole: &str) -> bool {
    if body.trim().is_empty() {
        return true;
    }
    let Some(remaining) = whole.strip_prefix(body) else { return false };
    if matches!(remaining, "" | "\n") {
        return false;
    }
    let begins_a_section = remaining.trim_start_matches('\n').starts_with('#');
    !(body.ends_with('\n') && begins_a_section)
}

/// Splits a file into its parts, in the form in which Anvil writes them. An error: why it can't be
/// parsed.
fn parse(bytes: &[u8], repair: &mut Repair) -> Result<Parts, &'static str> {
    if bytes.trim_ascii().is_empty() {
        return Err("the state file was empty");
    }
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let text = text.ok_or("the state file was not text")?;
    let text = match text.strip_prefix('\u{FEFF}') {
        Some(remaining) => {
            repair.edit("the byte order mark at the beginning was taken out");
            remaining
        }
        None => text,
    };
    if text.contains('\r') {
        repair.edit("line ends of Windows became those of Unix");
    }
    let text = transcript::normalise(text);
    if text.starts_with(CONFLICT) || text.contains(&format!("\n{CONFLICT}")) {
        return Err("git had left the marks of a conflict in the state file");
    }
    let (head, body) = frontmatter::split(&text).ok_or("its frontmatter was not closed")?;
    let head = frontmatter::read(head).map_err(|damage| match damage {
        Damage::Empty => "its frontmatter was empty",
        Damage::Wrong(_) => "its frontmatter was not YAML",
    })?;
    Ok(Parts { head, body: body.to_owned() })
}

/// Git's mark at the beginning of a conflict. In a reply it is quoted, and so begins no line.
const CONFLICT: &str = "<<<<<<< ";

fn id_of(head: &Frontmatter) -> Option<String> {
    match head.get("id") {
        Some(Value::Text(id)) if super::file::id::is_safe_id(id) => Some(id.clone()),
        _ => None,
    }
}
