//! Recovery: a state file that can't be trusted is repaired from its checkpoints and from its own transcript. Decides only;
//! nothing is written here.
//!
//! The transcript is the truth and the pointer follows it. What the user changed by hand is honoured where it is valid. Every
//! difference between what was read and what is given back is said.

use jiff::Timestamp;

use super::file::StateFile;
use super::frontmatter::{self, Head, MAX_HEAD_BYTES};
use super::reconstruct::{debate_of_entries, furthest_of};
use super::{fields, new_id};
use crate::debate::{Debate, MAX_CYCLES, MAX_JUDGES, MAX_QUESTION_CHARS, Phase, Slot, Status, may_wait_at, waits_at};
use crate::transcript::{self, Entries};

/// Most checkpoints that a transcript is compared with: as many as a debate keeps by itself.
const MOST_COMPARED: usize = 32;

/// What was done to a file that could not be taken as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// In sentences without full stops.
    pub said: Vec<String>,
    /// Something was damaged, not just edited: the file is kept as it was.
    pub damaged: bool,
    /// The question is another one now.
    pub asks_anew: bool,
    /// The phase that waits now is not the one that was asked for last: a reply under way is not for it.
    pub moved: bool,
}

impl Repair {
    fn damage(&mut self, said: impl Into<String>) {
        self.damaged = true;
        self.said.push(said.into());
    }

    fn edit(&mut self, said: impl Into<String>) {
        self.said.push(said.into());
    }
}

/// What could be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Recovered {
    /// The debate, and what was done if anything was.
    State(Box<StateFile>, Repair),
    /// The file is of a newer Anvil.
    Newer(i64),
    /// Nothing.
    Lost,
}

/// Whose checkpoints are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of<'a> {
    /// Those of the debate with this id.
    Debate(&'a str),
    /// Those of the debate that was changed last here: nothing tells which it is.
    Newest,
}

/// Repairs a file. `kept` gives checkpoints, the newest first.
pub(super) fn recover<I>(bytes: &[u8], kept: &impl Fn(Of<'_>) -> I, now: Timestamp) -> Recovered
where
    I: Iterator<Item = StateFile>,
{
    let mut repair = Repair::default();
    let text = readable(bytes, &mut repair);
    let (head, body) = frontmatter::split(&text).unwrap_or_else(|| text.split_at(beginning_of_body(&text)));
    let read = frontmatter::split(&text).and_then(|_| frontmatter::read(head).ok());
    if let Some(sides) = conflict_sides(&text) {
        return further_side(sides.map(|side| recover(side.as_bytes(), kept, now)));
    }
    if let Some(schema) = read.as_ref().and_then(fields::newer_schema) {
        return Recovered::Newer(schema);
    }
    let has_head = read.is_some();
    let head = read.unwrap_or_else(|| {
        let mut salvaged = frontmatter::salvage(&head[..head.floor_char_boundary(MAX_HEAD_BYTES)]);
        fields::follow_status(&mut salvaged);
        salvaged
    });
    let id = id_of(&head).unwrap_or_default();
    let of = if id.is_empty() && !has_head { Of::Newest } else { Of::Debate(&id) };
    let newest = kept(of).next();

    let mut entries = transcript::parse(body);
    let is_bare = transcript::question(body).is_none() && entries.replies().next().is_none();
    let is_gone = is_bare && (!has_head || body.trim().is_empty());
    let body = match &newest {
        Some(newest) if is_gone || is_cut_off(body, &newest.body) => {
            let what = if text.trim().is_empty() { "the state file was empty" } else { "the state file was cut off" };
            repair.damage(format!("{what}: its last checkpoint ({}) is back", newest.debate.progress.step));
            if !has_head {
                return Recovered::State(Box::new(newest.clone()), repair);
            }
            entries = transcript::parse(&newest.body);
            newest.body.clone()
        }
        _ => body.to_owned(),
    };
    let (cycle, _) = entries.last_cycle();
    let title = transcript::question(&body);
    let of_entries = || debate_of_entries(title.clone(), &entries, now);
    let agrees = |checkpoint: &StateFile| agrees(checkpoint, &entries, title.as_deref());
    let (debate, extra) = if has_head {
        let other = newest.as_ref().map_or_else(of_entries, |newest| newest.debate.clone());
        let (debate, extra, said) = fields::parse_lenient(head, &other);
        for said in said {
            repair.damage(said);
        }
        (debate, extra)
    } else if let Some(checkpoint) = kept(of).take(MOST_COMPARED).find(agrees) {
        let number = checkpoint.debate.progress.step;
        repair.damage(format!("the frontmatter was damaged: checkpoint {number} has given its own"));
        (checkpoint.debate, checkpoint.extra)
    } else {
        if is_bare && !head.contains_key("question") {
            return Recovered::Lost;
        }
        repair.damage("the frontmatter was damaged: the sections tell where the debate stands");
        let other = of_entries();
        let mut head = head;
        let status = || frontmatter::Value::Text(other.progress.status.word().to_owned());
        head.entry("status".to_owned()).or_insert_with(status);
        if other.options.judges > 1 {
            let judges = || frontmatter::Value::Number(other.options.judges.into());
            head.entry("judges".to_owned()).or_insert_with(judges);
        }
        let (debate, extra, _) = fields::parse_lenient(head, &other);
        (debate, extra)
    };
    let asked = newest.as_ref().map(|newest| newest.debate.progress.slot).or(has_head.then_some(debate.progress.slot));
    let mut state = StateFile { debate, body, extra, newer_schema: None };
    let filed = furthest_of(&entries, cycle, state.debate.schedule());
    if state.debate.progress.cycle != cycle && cycle <= MAX_CYCLES {
        repair.edit(format!("the sections are of cycle {cycle}"));
        state.debate.follow_cycle(cycle);
    }
    follow_title(&mut state, title, newest.as_ref(), &mut repair);
    follow_sections(&mut state, filed, newest.as_ref(), has_head, &mut repair);
    let is_other_judge = follow_judgments(&mut state.debate, &entries, &mut repair);
    if let Some(newest) = newest.filter(|newest| newest.debate.progress.step > state.debate.progress.step) {
        let (step, last) = (state.debate.progress.step, newest.debate.progress.step);
        repair.edit(format!(
            "it is an earlier state (step {step} of {last}); `anvil restore {last}` brings the later one back"
        ));
        // A checkpoint is never written over by another branch of the debate.
        state.debate.take_step_after(last);
    }
    repair.moved = is_other_judge || asked.is_some_and(|asked| asked != state.debate.progress.slot);
    Recovered::State(Box::new(state), repair)
}

/// What stands for a debate of which nothing can be told.
pub(super) fn lost(now: Timestamp) -> (StateFile, Repair) {
    let question = "(the state file was damaged, and nothing in it tells what was debated)".to_owned();
    let mut debate = Debate::new(new_id("damaged", now, ""), question, 1, now);
    debate.fail("its file was damaged, and there is no checkpoint");
    let said = vec!["nothing in it can be read and there is no checkpoint".to_owned()];
    (StateFile::new(debate), Repair { said, damaged: true, ..Repair::default() })
}

/// True when a transcript is the beginning of `whole` and ends in the middle of something: nobody deletes like that.
fn is_cut_off(body: &str, whole: &str) -> bool {
    let Some(rest) = whole.strip_prefix(body).filter(|rest| !matches!(*rest, "" | "\n")) else { return false };
    let begins_a_section = rest.trim_start_matches('\n').starts_with('#');
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
    if let Some(rest) = text.strip_prefix('\u{FEFF}') {
        repair.damage("the byte order mark at the beginning was taken out");
        text = rest.to_owned();
    }
    text
}

/// Both sides of a file in which git has left the marks of a conflict.
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
            repair
                .said
                .insert(0, "git had left the marks of a conflict: the side that is further on was taken".to_owned());
            Recovered::State(state, repair)
        }
        other => other,
    }
}

/// Where the transcript begins in a file whose head is not closed.
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
        Some(frontmatter::Value::Text(id)) if super::id::is_safe_id(id) => Some(id.clone()),
        _ => None,
    }
}

/// True when the file's sections are those of the checkpoint, or those and more, and its title is not another one.
fn agrees(checkpoint: &StateFile, entries: &Entries, title: Option<&str>) -> bool {
    let kept = transcript::parse(&checkpoint.body);
    let mut here = entries.replies();
    let same = kept.replies().all(|(kept, _)| here.next().is_some_and(|(slot, _)| slot == kept));
    same && title.is_none_or(|title| transcript::question(&checkpoint.body).as_deref() == Some(title))
}

/// Question and title are one; the one that differs from the checkpoint is the one that was edited. Where both do, the question
/// counts, and the file is kept as it was.
fn follow_title(state: &mut StateFile, title: Option<String>, newest: Option<&StateFile>, repair: &mut Repair) {
    let question = &mut state.debate.question;
    if title.as_deref() == Some(&*transcript::normalise(question)) {
        return;
    }
    let was_asked = newest.is_some_and(|newest| newest.debate.question == *question);
    let was_titled = newest.and_then(|newest| transcript::question(&newest.body));
    match title {
        Some(title) if was_asked && !title.trim().is_empty() && title.chars().count() <= MAX_QUESTION_CHARS => {
            repair.edit("the title was edited: it is the question now");
            repair.asks_anew = true;
            *question = title;
        }
        Some(title) => {
            if was_asked {
                repair.damage("the title was edited and can't be a question: the question is the title again");
            } else if was_titled.as_ref() == Some(&title) {
                repair.edit("the question was edited: it is the title now");
            } else if was_titled.is_some() {
                repair.damage("the title and the question were both edited: the question is the title now");
            } else {
                repair.damage(
                    "nothing tells whether the title or the question was edited: the question is the title now",
                );
            }
            repair.asks_anew = true;
            state.body = transcript::retitle(&state.body, question);
        }
        None => {
            repair.edit("the title was missing: it is the question again");
            state.body = transcript::retitle(&state.body, question);
        }
    }
}

/// The pointer follows the sections.
fn follow_sections(
    state: &mut StateFile,
    filed: Option<Slot>,
    newest: Option<&StateFile>,
    has_head: bool,
    repair: &mut Repair,
) {
    let debate = &mut state.debate;
    let has_synthesis = filed.is_some_and(|filed| filed.phase == Phase::Synthesizer);
    let ends = filed.map_or_else(|| "there are no sections".to_owned(), |filed| format!("the sections end at {filed}"));
    match debate.progress.status {
        Status::Cancelled => return,
        Status::Completed if has_synthesis => return,
        Status::Completed => {
            debate.pause("its synthesis is gone from the file", debate.progress.updated_at);
            repair.edit("the synthesis is gone: the debate is open again");
        }
        _ if has_synthesis => {
            debate.complete(debate.progress.updated_at);
            repair.edit("the synthesis is there: the debate is complete");
            return;
        }
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => {
            if is_where_it_waits(debate, filed, newest, has_head) {
                return;
            }
        }
    }
    let Some(slot) = waits_at(filed, debate.schedule()) else { return };
    if slot == debate.progress.slot {
        return;
    }
    repair.edit(format!("{ends}: {} is next", slot.label(debate.options.max_rounds)));
    debate.move_to(slot);
}

/// The number of judgments follows those that are there. True where another judge is next by that.
fn follow_judgments(debate: &mut Debate, entries: &Entries, repair: &mut Repair) -> bool {
    let filed = u8::try_from(entries.judgments().count()).unwrap_or(MAX_JUDGES).min(MAX_JUDGES);
    if filed == debate.progress.judgments {
        return false;
    }
    let before = debate.slot_name();
    debate.follow_judgments(filed);
    let is_other = debate.slot_name() != before;
    if is_other {
        let count = if filed == 1 { "1 judgment is".to_owned() } else { format!("{filed} judgments are") };
        repair.edit(format!("{count} filed: {} is next", debate.slot_label()));
        debate.take_step_after(0);
    }
    is_other
}

/// True when the debate may stand where its pointer says.
fn is_where_it_waits(debate: &Debate, filed: Option<Slot>, newest: Option<&StateFile>, has_head: bool) -> bool {
    let slot = debate.progress.slot;
    // Rounds were taken off by hand. A round that was begun is argued to its end.
    if slot.phase == debate.schedule().opener()
        && slot.round > debate.options.max_rounds
        && debate.progress.status != Status::InProgress
    {
        return false;
    }
    if may_wait_at(slot, filed, debate.schedule()) {
        return true;
    }
    if slot.phase != Phase::Synthesizer {
        return false;
    }
    // The argument was ended early: then the debate was written like this.
    newest.map_or(has_head, |newest| {
        let is_that_step = newest.debate.progress.step == debate.progress.step
            && newest.debate.progress.slot == slot
            && newest.debate.options.max_rounds == debate.options.max_rounds
            && furthest_of(&transcript::parse(&newest.body), debate.progress.cycle, debate.schedule()) == filed;
        // An older checkpoint says nothing against it.
        newest.debate.progress.step < debate.progress.step || is_that_step
    })
}
