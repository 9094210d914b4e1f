//! The end of the client's transcript (JSON lines): the model's texts since the last prompt or cue.
//!
//! Reads only the end of the file, whatever its size. Skips torn and unknown lines.

use std::collections::HashMap;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::RangeInclusive;
use std::path::Path;

use jiff::Timestamp;

use super::line::{PlanCall, Spoke, TranscriptLine, is_typed};
use anvil_core::reply::{FileRead, Usage};

/// Bytes read from the end at first; doubled until the beginning of the phase is found.
const FIRST_READ: u64 = 64 * 1024;
/// Most bytes read. A reply with more than this between its texts is saved without its beginning,
/// and a message says so.
const MAX_READ: u64 = 16 * 1024 * 1024;

/// The beginning of a tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TailStart {
    /// Nothing could be read.
    #[default]
    Unread,
    /// At a prompt, a cue, or the beginning of the file.
    Prompt,
    /// After lines of the model that seem older than the phase.
    Older,
    /// At the limit of [`MAX_READ`].
    Missing,
}

/// A text of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextPiece {
    /// As it was written.
    pub text: String,
    /// Its message was cut off there, at the limit of output or for a pause: the next piece
    /// continues it, in the middle of a word.
    pub is_cut: bool,
}

/// The model's output since the last prompt or cue.
#[derive(Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Tail {
    /// Texts, in order.
    pub texts: Vec<TextPiece>,
    /// Texts of the same run before those, which seem older than the beginning of the phase.
    pub older: Vec<TextPiece>,
    /// The model that wrote the last text; empty if the client does not say.
    pub model: String,
    /// The tokens of all its requests. `None`: the tokens of a request are unknown, or there was no
    /// request.
    pub usage: Option<Usage>,
    /// The client's report of a failed request, if it came last.
    pub error: Option<String>,
    /// The user has interrupted it.
    pub is_interrupted: bool,
    /// The time of its last line.
    pub ended: Option<Timestamp>,
    /// The model called a tool.
    pub used_tool: bool,
    /// The number of its last pieces that follow a plan for the user's approval; the plan follows a
    /// text.
    pub after_plan: Option<usize>,
    /// The first plan for the user's approval, and the number of pieces that follow it.
    pub plan: Option<(String, usize)>,
    /// The model used an agent, which may work on after the reply.
    pub used_agent: bool,
    /// Calls of a tool that named the debate's file.
    pub reads: Vec<FileRead>,
    /// True if it has everything since the phase began.
    pub is_whole: bool,
    pub start: TailStart,
    /// Its last line is a text that ended the reply.
    pub has_ended: bool,
}

impl Tail {
    /// Reads the tail of a transcript. An unreadable file counts as empty: the event itself carries
    /// the last text.
    ///
    /// Ignores lines from before `phase_began`: the client writes its transcript late, so the
    /// prompt or cue may be missing. But if texts that seem older lead up to `last` (the event's
    /// text) or to newer texts, the clock may have gone back, and they are kept as `older`.
    pub fn read(path: &Path, phase_began: Timestamp, last: Option<&str>) -> Self {
        let mut tail = Self::read_back_to(path, phase_began);
        if tail.start == TailStart::Older {
            tail.add_older(Self::read_back_to(path, Timestamp::MIN), last);
        }
        tail
    }

    fn read_back_to(path: &Path, phase_began: Timestamp) -> Self {
        let mut size = FIRST_READ;
        loop {
            let Some((bytes, whole)) = last_bytes(path, size) else { return Self::default() };
            let mut tail = Self::parse(&bytes, whole, phase_began);
            tail.is_whole = tail.start != TailStart::Missing;
            if tail.is_whole || size >= MAX_READ {
                return tail;
            }
            size *= 2;
        }
    }

    /// Takes the texts of `run` that seem older. `run` is everything since the last prompt or cue.
    fn add_older(&mut self, run: Self, last: Option<&str>) {
        let of_event =
            last.filter(|last| !last.trim().is_empty()).and_then(|last| run.number_of_last(last));
        let new = self.texts.len().max(of_event.unwrap_or_default());
        // They may belong to the phase before: the cue is not in the file yet.
        if new == 0 || new > run.texts.len() {
            return;
        }
        self.model = run.model;
        self.after_plan = run.after_plan;
        self.plan = run.plan;
        self.older = run.texts;
        let mut at = self.older.len() - new;
        // A piece belongs to the one that continues it.
        while at > 0 && self.older[at - 1].is_cut {
            at -= 1;
        }
        self.texts = self.older.split_off(at);
        self.start = run.start;
        // A Read in these lines may belong to an earlier phase, so the tail is not whole then.
        self.is_whole = run.is_whole && run.reads.is_empty();
    }

    /// True if an error or the user has ended it.
    pub fn shows_cut(&self) -> bool {
        self.is_interrupted || self.error.is_some()
    }

    /// True if the last texts together are `text`: the client joins the texts of one message.
    pub fn ends_with(&self, text: &str) -> bool {
        self.number_of_last(text).is_some()
    }

    /// The number of last texts that together are `text`.
    fn number_of_last(&self, text: &str) -> Option<usize> {
        if self.texts.last().is_some_and(|last| last.text == text) {
            return Some(1);
        }
        let mut remaining = visible_chars_back(text).peekable();
        for (later, piece) in self.texts.iter().rev().enumerate() {
            if visible_chars_back(&piece.text).any(|char| remaining.next() != Some(char)) {
                return None;
            }
            if remaining.peek().is_none() {
                return Some(later + 1);
            }
        }
        None
    }

    /// Reads the lines backwards to the last prompt or cue.
    fn parse(bytes: &[u8], whole: bool, phase_began: Timestamp) -> Self {
        let start = if whole { TailStart::Prompt } else { TailStart::Missing };
        let mut tail = Self { start, ..Self::default() };
        let mut later = LaterLines::default();
        for line in lines_back(bytes, whole) {
            let (line, at) = TranscriptLine::read(line, phase_began);
            match line {
                TranscriptLine::Older => {
                    tail.start = TailStart::Older;
                    break;
                }
                TranscriptLine::Interrupted if !later.seen => tail.is_interrupted = true,
                TranscriptLine::Prompt | TranscriptLine::Interrupted => {
                    tail.start = TailStart::Prompt;
                    break;
                }
                TranscriptLine::Spoke(spoke) => tail.spoke(spoke, &mut later),
                TranscriptLine::Answered(ids) => {
                    later.next.is_tool = true;
                    later.seen = true;
                    later.worked.extend(ids);
                }
                TranscriptLine::Failed(text) => {
                    later.seen = true;
                    let is_last = tail.texts.is_empty() && tail.error.is_none();
                    if is_last && !tail.is_interrupted {
                        tail.error = Some(text);
                    }
                }
                TranscriptLine::Other => {}
            }
            tail.ended = tail.ended.or(at);
        }
        tail.texts.reverse();
        // The first plan after a text.
        tail.after_plan = later.plans.into_iter().filter(|after| *after < tail.texts.len()).max();
        tail.usage = later.requests.sum();
        tail
    }

    /// Takes over a line of the model, the last one first.
    fn spoke(&mut self, line: Spoke, later: &mut LaterLines) {
        let next = &later.next;
        // The next text goes on with one of this line. A message has several lines, and was cut in
        // the last one.
        let is_same = line.message.is_some() && next.message == line.message;
        let goes_on = line.is_cut && !next.is_tool && !is_same;
        let is_cut = goes_on && !line.used_tool;
        later.next = Following { message: line.message, is_tool: line.used_tool };
        let all = self.texts.len() + line.texts.len();
        if let (Some(plan), Some(before)) = (line.plan, line.texts_before_plan) {
            self.plan = Some((plan, all - before));
        }
        later.plans.extend(line.texts_before_plan.map(|before| all - before));
        later.requests.add(line.request);
        for (id, path) in line.reads {
            self.reads.push(FileRead { path, worked: later.worked.contains(&id) });
        }
        if !later.seen && !line.texts.is_empty() {
            self.has_ended = line.ended;
        }
        later.seen = true;
        if self.model.is_empty() && !line.texts.is_empty() {
            self.model = line.model;
        }
        let pieces = line.texts.into_iter().rev().enumerate();
        self.texts.extend(pieces.map(|(at, text)| TextPiece { text, is_cut: is_cut && at == 0 }));
        self.used_tool |= line.used_tool;
        self.used_agent |= line.used_agent;
    }
}

/// The facts that the lines read so far give about earlier ones: they are read backwards.
#[derive(Debug, Default)]
struct LaterLines {
    /// A line of the turn.
    seen: bool,
    /// The calls that worked: results come before their calls.
    worked: Vec<String>,
    requests: Requests,
    /// For each plan the number of texts after it.
    plans: Vec<usize>,
    next: Following,
}

/// The lines between a text and the next one.
#[derive(Debug, Default)]
struct Following {
    /// The message of the next line of the model.
    message: Option<String>,
    /// A tool call or its result comes next.
    is_tool: bool,
}

/// The texts of a reply: pieces of one text are joined as they were cut, without a break.
pub fn join_pieces(pieces: Vec<TextPiece>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::with_capacity(pieces.len());
    let mut goes_on = false;
    for piece in pieces {
        match texts.last_mut().filter(|_| goes_on) {
            Some(text) => text.push_str(&piece.text),
            None => texts.push(piece.text),
        }
        goes_on = piece.is_cut;
    }
    texts
}

/// A turn that the user or an error has ended: no Stop says so, and the next event may be far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutOff {
    /// The time of the line that says so.
    pub at: Timestamp,
    /// The client's report of the failed request. `None`: the user has interrupted the turn.
    pub error: Option<String>,
}

/// The cut-off turn in the last 64 KiB of a transcript, if nothing of the model or its tools
/// follows it. `during`: from the request for the reply until now; other lines do not count.
pub fn cut_off_since(path: &Path, during: RangeInclusive<Timestamp>) -> Option<CutOff> {
    let (bytes, whole) = last_bytes(path, FIRST_READ)?;
    let mut failed = None;
    for line in lines_back(&bytes, whole) {
        let (line, at) = TranscriptLine::read(line, *during.start());
        let at = at.filter(|at| during.contains(at));
        match (line, at) {
            (TranscriptLine::Interrupted, Some(at)) => return Some(CutOff { at, error: None }),
            // After Esc the client writes such a line too: "No response requested."
            (TranscriptLine::Failed(error), Some(at)) => {
                failed = failed.or(Some(CutOff { at, error: Some(error) }));
            }
            (TranscriptLine::Older | TranscriptLine::Spoke(_) | TranscriptLine::Answered(_), _) => {
                break;
            }
            // A prompt is a command that the client answers itself.
            _ => {}
        }
    }
    failed
}

/// The newest plan that this session's model asked the user to approve, if the user did not
/// approve it and has typed nothing but commands since. It lies within the last [`MAX_READ`] bytes
/// of the transcript.
pub fn rejected_plan(path: &Path, session: &str) -> Option<PlanCall> {
    let mut size = FIRST_READ;
    loop {
        let (bytes, whole) = last_bytes(path, size)?;
        let mut approved = Vec::new();
        for line in lines_back(&bytes, whole) {
            if let Some(call) = PlanCall::read(line, session) {
                return Some(call).filter(|call| !approved.contains(&call.id));
            }
            if is_typed(line) {
                return None;
            }
            if let (TranscriptLine::Answered(worked), _) =
                TranscriptLine::read(line, Timestamp::MIN)
            {
                approved.extend(worked);
            }
        }
        if whole || size >= MAX_READ {
            return None;
        }
        size *= 2;
    }
}

/// True unless the end of a transcript shows that no turn runs: a whole reply, an error or an
/// interruption comes last.
pub fn shows_running_turn(path: &Path) -> bool {
    let Some((bytes, whole)) = last_bytes(path, FIRST_READ) else { return false };
    let last = lines_back(&bytes, whole)
        .map(|line| TranscriptLine::read(line, Timestamp::MIN).0)
        .find(|line| !matches!(line, TranscriptLine::Other));
    match last {
        Some(TranscriptLine::Spoke(spoke)) => !spoke.ended,
        Some(TranscriptLine::Interrupted | TranscriptLine::Failed(_)) => false,
        Some(_) => true,
        None => !whole,
    }
}

/// The characters that are no white space, the last one first.
fn visible_chars_back(text: &str) -> impl Iterator<Item = char> {
    text.chars().rev().filter(|char| !char.is_whitespace())
}

/// The lines, the last one first. Without the `whole` file the first one may be torn and is left
/// out.
fn lines_back(bytes: &[u8], whole: bool) -> impl Iterator<Item = &[u8]> {
    let mut end = bytes.len();
    std::iter::from_fn(move || {
        let start = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |at| at + 1);
        if end == 0 || start == 0 && !whole {
            return None;
        }
        let line = &bytes[start..end];
        end = start.saturating_sub(1);
        Some(line)
    })
}

/// The requests of a turn. Each counts once, with its largest numbers: earlier lines of a message
/// have fewer tokens of the reply.
#[derive(Debug, Default)]
struct Requests {
    usages: HashMap<String, Usage>,
    /// A line names no request, or no tokens.
    is_incomplete: bool,
}

impl Requests {
    fn add(&mut self, request: Option<(String, Usage)>) {
        let Some((id, usage)) = request else {
            self.is_incomplete = true;
            return;
        };
        let known = self.usages.entry(id).or_default();
        *known = known.largest(usage);
    }

    fn sum(&self) -> Option<Usage> {
        let is_known = !self.is_incomplete && !self.usages.is_empty();
        is_known.then(|| self.usages.values().fold(Usage::default(), |sum, usage| sum.plus(*usage)))
    }
}

fn last_bytes(path: &Path, size: u64) -> Option<(Vec<u8>, bool)> {
    let meta = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut file = std::fs::File::open(path).ok()?;
    let start = meta.len().saturating_sub(size);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::with_capacity(size.min(meta.len()) as usize);
    file.take(size).read_to_end(&mut bytes).ok()?;
    Some((bytes, start == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: &str = concat!(
        r#"{"type":"user","message":{"role":"user","#,
        r#""content":"<command-name>/anvil:debate</command-name>"},"uuid":"a"}"#,
    );
    const BODY: &str = concat!(
        r#"{"type":"user","isMeta":true,"message":{"role":"user","content":[{"type":"text","#,
        r#""text":"Body"}]}}"#,
    );
    const RESULT: &str = concat!(
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","#,
        r#""content":"x","tool_use_id":"t"}]}}"#,
    );
    const TOOL: &str = concat!(
        r#"{"type":"assistant","message":{"model":"m","content":[{"type":"tool_use","#,
        r#""id":"t","name":"Read","input":{}}]}}"#,
    );
    const CONTEXT: &str = concat!(
        r#"{"type":"attachment","attachment":{"type":"hook_additional_context","#,
        r#""content":["Cue 0"],"hookEvent":"Stop"}}"#,
    );
    const SUMMARY: &str = concat!(
        r#"{"type":"system","subtype":"stop_hook_summary","hookErrors":[],"#,
        r#""hookAdditionalContext":["Cue 0"]}"#,
    );
    const QUIET: &str = concat!(
        r#"{"type":"system","subtype":"stop_hook_summary","hookErrors":[],"#,
        r#""hookAdditionalContext":[]}"#,
    );
    const NEWS: &str = concat!(
        r#"{"type":"user","message":{"role":"user","#,
        r#""content":"<task-notification>\n<task-id>x"}}"#,
    );
    const FAILED: &str = concat!(
        r#"{"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","#,
        r#""content":[{"type":"text","text":"API Error: 400"}]}}"#,
    );

    fn spoken(text: &str) -> String {
        format!(
            concat!(
                r#"{{"type":"assistant","isSidechain":false,"message":{{"model":"m","#,
                r#""stop_reason":"end_turn","content":[{{"type":"text","text":"{text}"}}]}}}}"#,
            ),
            text = text
        )
    }

    impl From<&str> for TextPiece {
        fn from(text: &str) -> Self {
            Self { text: text.to_owned(), is_cut: false }
        }
    }

    impl PartialEq<&str> for TextPiece {
        fn eq(&self, text: &&str) -> bool {
            self.text == *text
        }
    }

    fn pieces(texts: &[&str]) -> Vec<TextPiece> {
        texts.iter().map(|text| TextPiece::from(*text)).collect()
    }

    fn tail(lines: &[&str]) -> Tail {
        Tail::parse(lines.join("\n").as_bytes(), true, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn texts_around_tool_calls_belong_together() {
        let found = tail(&[PROMPT, BODY, &spoken("one"), TOOL, RESULT, &spoken("two"), ""]);
        assert_eq!(
            found,
            Tail {
                texts: vec!["one".into(), "two".into()],
                model: "m".to_owned(),
                used_tool: true,
                has_ended: true,
                start: TailStart::Prompt,
                ..Tail::default()
            }
        );
        assert_eq!(tail(&[PROMPT, &spoken("one"), &spoken("")]).texts, ["one"]);
        // The model of the last text.
        let other = spoken("two").replace(r#""model":"m""#, r#""model":"n""#);
        assert_eq!(tail(&[PROMPT, &spoken("one"), &other, TOOL]).model, "n");
        assert_eq!(tail(&[PROMPT, TOOL]).model, "");
    }

    /// A line of this message, which stopped for this reason.
    fn stopped(text: &str, message: &str, reason: &str) -> String {
        let id = format!(r#""message":{{"id":"{message}","#);
        spoken(text).replace(r#""message":{"#, &id).replace("end_turn", reason)
    }

    #[test]
    fn a_text_that_a_limit_has_cut_goes_on_in_the_same_word() {
        const META: &str = concat!(
            r#"{"type":"user","isMeta":true,"message":{"role":"user","#,
            r#""content":"Output token limit hit. Resume directly"}}"#,
        );
        let cut = |text: &str, message: &str| stopped(text, message, "max_tokens");
        let ended = stopped("ases a day", "2", "end_turn");
        let tool = TOOL.replace(r#""message":{"#, r#""message":{"id":"1","#);
        for (lines, texts) in [
            // 2.1.332 and 2.1.200.
            (vec![cut("two rele", "1"), META.into(), ended.clone()], vec!["two releases a day"]),
            (vec![cut("two rele", "1"), ended.clone()], vec!["two releases a day"]),
            (
                vec![stopped("two rele", "1", "pause_turn"), ended.clone()],
                vec!["two releases a day"],
            ),
            (
                vec![cut("two ", "1"), META.into(), cut("rele", "3"), META.into(), ended.clone()],
                vec!["two releases a day"],
            ),
            // The last block of a message is cut.
            (
                vec![cut("one", "1"), cut("two rele", "1"), ended.clone()],
                vec!["one", "two releases a day"],
            ),
            // What the client adds is none.
            (vec![cut("two rele", "1"), BODY.into(), ended.clone()], vec!["two releases a day"]),
            // A tool call is a break.
            (vec![cut("one", "1"), tool, RESULT.into(), ended], vec!["one", "ases a day"]),
        ] {
            let lines: Vec<&str> =
                [PROMPT].into_iter().chain(lines.iter().map(String::as_str)).collect();
            let found = tail(&lines);
            assert!(found.ends_with("ases a day"), "{found:?}");
            assert_eq!(join_pieces(found.texts), texts, "{lines:?}");
        }
        let open = tail(&[PROMPT, &cut("two rele", "1")]);
        assert!(!open.has_ended && open.texts[0].is_cut, "the model goes on");
    }

    #[test]
    fn an_agent_that_was_used_may_work_on() {
        for (name, is_agent) in [("Agent", true), ("Workflow", true), ("Read", false)] {
            let call = TOOL.replace("Read", name);
            assert_eq!(tail(&[PROMPT, &call, RESULT, &spoken("one")]).used_agent, is_agent);
        }
    }

    #[test]
    fn a_plan_is_known_with_the_texts_around_it() {
        let call = r#"{"type":"tool_use","id":"t","name":"ExitPlanMode","input":{"plan":"P"}}"#;
        let with_plan = |blocks: &str| spoken("x").replace(r#"{"type":"text","text":"x"}"#, blocks);
        let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
        let (one, two) = (text("one"), text("two"));
        for (blocks, after_plan, after) in [
            (format!("{one},{call}"), Some(0), 0),
            (format!("{one},{call},{two}"), Some(1), 1),
            (format!("{call},{one}"), None, 1),
        ] {
            let found = tail(&[PROMPT, &with_plan(&blocks)]);
            let plan = Some(("P".to_owned(), after));
            assert_eq!((found.after_plan, found.plan), (after_plan, plan), "{blocks}");
            let found = tail(&[PROMPT, &with_plan(&blocks), RESULT, &spoken("three")]);
            assert_eq!(found.plan, Some(("P".to_owned(), after + 1)), "{blocks}");
        }
    }

    #[test]
    fn a_text_that_is_no_list_of_blocks_is_read() {
        let plain = spoken("one").replace(r#"[{"type":"text","text":"one"}]"#, r#""one""#);
        let found = tail(&[PROMPT, &plain, &spoken("two")]);
        assert_eq!((&found.texts[..], found.has_ended), (&pieces(&["one", "two"])[..], true));
        assert_eq!(tail(&[PROMPT, &plain]).texts, ["one"]);
    }

    #[test]
    fn a_phase_begins_after_every_kind_of_cue() {
        for cue in [CONTEXT, SUMMARY] {
            let found = tail(&[PROMPT, &spoken("one"), TOOL, RESULT, cue, &spoken("two"), QUIET]);
            assert_eq!(
                found,
                Tail {
                    texts: vec!["two".into()],
                    model: "m".to_owned(),
                    has_ended: true,
                    start: TailStart::Prompt,
                    ..Tail::default()
                },
                "{cue}"
            );
        }
        // An attachment of another type or of another event is no cue.
        for (from, to) in [
            ("hook_additional_context", "hook_success"),
            (r#"["Cue 0"],"hookEvent":"Stop""#, r#"["Stop"],"hookEvent":"PostToolUse""#),
        ] {
            let other = CONTEXT.replace(from, to);
            assert_ne!(other, CONTEXT);
            assert_eq!(tail(&[PROMPT, &spoken("one"), &other, &spoken("two")]).texts.len(), 2);
        }
    }

    #[test]
    fn texts_before_the_phase_do_not_count() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let dated = |text: &str, second: i64| {
            spoken(text).replace(
                "{\"type\":\"assistant\"",
                &format!("{{\"timestamp\":\"{}\",\"type\":\"assistant\"", at(second)),
            )
        };
        let lines = [dated("chat", 10), dated("one", 20), dated("two", 21)].join("\n");
        assert_eq!(Tail::parse(lines.as_bytes(), true, at(15)).texts, ["one", "two"]);
        assert_eq!(
            Tail::parse(lines.as_bytes(), true, at(20)).texts,
            ["two"],
            "in the moment of the cue"
        );
    }

    /// The times of a run's lines, the event's text, the expected older texts and the expected
    /// texts.
    type Run<'a> = ([i64; 3], Option<&'a str>, &'a [&'a str], &'a [&'a str]);

    #[test]
    fn texts_that_seem_older_are_kept_with_newer_ones_of_the_same_run() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        let at = |line: &str, second: i64| {
            let time = Timestamp::from_second(second).unwrap();
            line.replacen('{', &format!("{{\"timestamp\":\"{time}\","), 1)
        };
        // The phase began at 15.
        let cases: [Run<'_>; 8] = [
            ([20, 21, 22], Some("three"), &[], &["one", "two", "three"]),
            ([10, 21, 22], Some("three"), &["one"], &["two", "three"]),
            ([20, 11, 22], Some("three"), &["one", "two"], &["three"]),
            ([20, 21, 12], Some("three"), &["one", "two"], &["three"]),
            ([10, 11, 12], Some("two\n\nthree"), &["one"], &["two", "three"]),
            ([10, 11, 12], Some("one\n\ntwo\n\nthree"), &[], &["one", "two", "three"]),
            ([10, 21, 22], None, &["one"], &["two", "three"]),
            // The phase before: the event's text is not in the file yet.
            ([10, 11, 12], Some("four"), &[], &[]),
        ];
        let input = format!(r#"{{"file_path":"/p/{}"}}"#, crate::STATE_FILE_NAME);
        let read = TOOL.replace("{}", &input);
        for ((times, last, older, texts), tool) in
            cases.iter().flat_map(|case| [(*case, TOOL), (*case, &*read)])
        {
            let [one, two, three] = times;
            let lines = [
                at(&spoken("before"), 9),
                // Older than the phase, but still its prompt.
                at(PROMPT, 10),
                at(&spoken("one"), one),
                at(tool, one),
                at(RESULT, two),
                at(&spoken("two"), two),
                at(&spoken("three"), three),
                at(QUIET, 5),
            ];
            fs_err::write(&path, lines.join("\n")).unwrap();
            let found = Tail::read(&path, Timestamp::from_second(15).unwrap(), last);
            assert_eq!(
                (&found.older[..], &found.texts[..]),
                (&pieces(older)[..], &pieces(texts)[..]),
                "{times:?} {last:?}"
            );
            assert_ne!(found.start, TailStart::Missing);
            // A Read of an earlier phase may be among the older lines.
            let takes_older = !texts.is_empty() && times.iter().any(|time| *time < 15);
            assert_eq!(found.is_whole, tool == TOOL || !takes_older, "{times:?} {last:?}");
        }
        let lines = [
            at(PROMPT, 10),
            at(&spoken("one"), 11),
            at(&stopped("two rele", "1", "max_tokens"), 12),
            at(&spoken("ases"), 21),
        ];
        fs_err::write(&path, lines.join("\n")).unwrap();
        let found = Tail::read(&path, Timestamp::from_second(15).unwrap(), Some("ases"));
        assert_eq!(
            (found.older, join_pieces(found.texts)),
            (pieces(&["one"]), vec!["two releases".into()])
        );
    }

    #[test]
    fn a_turn_that_waits_for_an_agent_is_one_phase_with_the_turn_after_it() {
        assert_eq!(
            tail(&[PROMPT, &spoken("one"), QUIET, NEWS, &spoken("two")]).texts,
            ["one", "two"]
        );
    }

    #[test]
    fn a_transcript_that_is_still_being_written_is_not_whole() {
        let half = spoken("two").replace(r#""end_turn""#, "null");
        for open in [
            &[PROMPT][..],
            &[PROMPT, &spoken("one"), TOOL],
            &[PROMPT, &spoken("one"), TOOL, RESULT],
            &[PROMPT, &spoken("one"), TOOL, RESULT, &half],
            &[PROMPT, FAILED],
        ] {
            assert!(!tail(open).has_ended, "{open:?}");
        }
        assert!(tail(&[PROMPT, &spoken("one"), TOOL, RESULT, &spoken("two"), QUIET]).has_ended);
    }

    #[test]
    fn subagents_and_torn_lines_are_skipped() {
        let side = spoken("side").replace("false", "true");
        assert_eq!(
            tail(&[PROMPT, &spoken("one"), &side, "{\"type\":\"assistant\",\"mess"]).texts,
            ["one"]
        );
    }

    #[test]
    fn a_failed_request_counts_only_if_it_is_last() {
        assert_eq!(
            tail(&[PROMPT, &spoken("one"), FAILED]).error.as_deref(),
            Some("API Error: 400")
        );
        assert_eq!(tail(&[PROMPT, FAILED, &spoken("one")]).error, None);
    }

    #[test]
    fn an_interrupted_turn_is_read_to_its_beginning() {
        let note = |text: &str| {
            format!(
                r#"{{"type":"user","timestamp":"1970-01-01T00:00:09Z","message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}}}"#
            )
        };
        for text in ["[Request interrupted by user]", "[Request interrupted by user for tool use]"]
        {
            let found =
                tail(&[PROMPT, &spoken("old"), CONTEXT, &spoken("half"), &note(text), QUIET]);
            assert!(found.is_interrupted && found.texts == ["half"], "{found:?}");
            assert_eq!(found.ended, Timestamp::from_second(9).ok());
            let later = tail(&[PROMPT, &spoken("half"), &note(text), &spoken("new")]);
            assert!(!later.is_interrupted && later.texts == ["new"], "{later:?}");
            let half = tail(&[PROMPT, FAILED, &note(text)]);
            assert!(half.is_interrupted && half.error.is_none(), "{half:?}");
        }
    }

    /// A line of the model with these fields in itself and in its message.
    fn requested(outer: &str, inner: &str) -> String {
        spoken("x")
            .replacen('{', &format!("{{{outer}"), 1)
            .replace(r#""message":{"#, &format!(r#""message":{{{inner}"#))
    }

    fn usage(fresh: u64, created: u64, cached: u64, out: u64) -> String {
        format!(
            concat!(
                r#""usage":{{"input_tokens":{},"cache_creation_input_tokens":{},"#,
                r#""cache_read_input_tokens":{},"output_tokens":{}}},"#,
            ),
            fresh, created, cached, out
        )
    }

    #[test]
    fn each_request_counts_once_with_its_largest_numbers() {
        let line = |id: &str, out| {
            requested(&format!(r#""requestId":"{id}","#), &usage(3, 1_000, 20_000, out))
        };
        let by_message = |id: &str, out| {
            requested("", &format!(r#""id":"{id}",{}"#, usage(3, 1_000, 20_000, out)))
        };
        let sum = |fresh, cached, out| Some(Usage { fresh, cached, out });
        let first = [line("a", 1), line("a", 5), line("a", 5)];
        let side = line("b", 9).replace("false", "true");
        let zeros = FAILED.replace(r#""model""#, &format!(r#"{}"model""#, usage(0, 0, 0, 0)));
        let cases: [(&str, Vec<String>, Option<Usage>); 9] = [
            ("a block has a line each", first.to_vec(), sum(1_003, 20_000, 5)),
            ("two", [&first[..], &[line("b", 7)]].concat(), sum(2_006, 40_000, 12)),
            (
                "a tool between",
                vec![line("a", 5), RESULT.into(), line("b", 7)],
                sum(2_006, 40_000, 12),
            ),
            ("by the message", vec![by_message("a", 4), by_message("a", 6)], sum(1_003, 20_000, 6)),
            ("a subagent", [&first[..], &[side]].concat(), sum(1_003, 20_000, 5)),
            (
                "another phase",
                vec![line("b", 9), CONTEXT.into(), line("a", 5)],
                sum(1_003, 20_000, 5),
            ),
            ("one is not told", vec![line("a", 5), spoken("y")], None),
            ("no id", vec![requested("", &usage(3, 0, 0, 5))], None),
            ("a failure", vec![zeros], None),
        ];
        for (case, lines, expected) in cases {
            let lines: Vec<&str> =
                [PROMPT].into_iter().chain(lines.iter().map(String::as_str)).collect();
            assert_eq!(tail(&lines).usage, expected, "{case}");
        }
    }

    #[test]
    fn tokens_of_another_form_are_unknown_and_the_text_stays() {
        for odd in [
            r#""usage":null,"#,
            r#""usage":7,"#,
            r#""usage":{"input_tokens":-1,"output_tokens":2},"#,
            r#""usage":{"input_tokens":1},"#,
            r#""usage":{"input_tokens":18446744073709551615,"output_tokens":2},"#,
        ] {
            let found = tail(&[PROMPT, &requested(r#""requestId":"a","#, odd)]);
            assert_eq!((found.usage, &found.texts[..]), (None, &pieces(&["x"])[..]), "{odd}");
        }
        let odd_id = requested(r#""requestId":[1],"#, &usage(1, 0, 0, 2));
        assert_eq!(tail(&[PROMPT, &odd_id]).texts, ["x"]);
    }

    #[test]
    fn texts_of_one_message_may_arrive_joined() {
        let found = tail(&[PROMPT, &spoken("one"), &spoken("two")]);
        assert!(
            found.ends_with("two") && found.ends_with("one\\n\\ntwo".replace("\\n", "\n").as_str())
        );
        assert!(!found.ends_with("wo") && !found.ends_with("zero one two"));
    }

    fn plan_call(session: &str, plan: &str) -> serde_json::Value {
        let input = serde_json::json!({ "plan": plan, "planFilePath": "/plans/a-b.md" });
        let call =
            serde_json::json!({ "type": "tool_use", "name": "ExitPlanMode", "input": input });
        serde_json::json!({ "type": "assistant", "sessionId": session, "slug": "a-b",
            "message": { "content": [{ "type": "text", "text": "So." }, call] } })
    }

    /// A line that holds a plan and is no call of the session's own model.
    fn forged(kind: u8, plan: &str) -> String {
        let mut own = plan_call("one", plan);
        let text = own.to_string();
        match kind {
            0 => own = plan_call("two", plan),
            1 => own["isSidechain"] = true.into(),
            2 => own["type"] = "user".into(),
            3 => own["message"]["content"][1]["type"] = "tool_result".into(),
            4 => own["message"]["content"][1]["name"] = "Task".into(),
            5 => own["message"]["content"] = serde_json::json!([{ "type": "text", "text": text }]),
            6 => own["message"]["content"][1]["input"]["plan"] = 7.into(),
            7 => own = serde_json::json!({ "type": "assistant", "sessionId": "one", "data": own }),
            8 => return text[..text.len() - 2].to_owned(),
            // The prompt of a subagent.
            9 => {
                (own["type"], own["isSidechain"]) = ("user".into(), true.into());
                own["message"]["content"] = plan.into();
            }
            _ => own["sessionId"] = serde_json::json!(["one"]),
        }
        own.to_string()
    }

    proptest::proptest! {
        #[test]
        fn only_the_sessions_own_calls_are_plans(
            lines in proptest::collection::vec((0_u8..14, ".{0,30}"), 0..20),
        ) {
            let temp = tempfile::tempdir().unwrap();
            let path = temp.path().join("t.jsonl");
            let line = |(kind, plan): &(u8, String)| match kind {
                11 => plan_call("one", plan).to_string(),
                12 => plan.replace('\n', " "),
                kind => forged(*kind, plan),
            };
            let text: Vec<String> = lines.iter().map(line).collect();
            fs_err::write(&path, text.join("\n")).unwrap();
            // A line of the user's is a prompt after it.
            let newest = lines.iter().rfind(|(kind, _)| [2, 11].contains(kind));
            let newest = newest.filter(|(kind, _)| *kind == 11).map(|(_, plan)| plan.clone());
            let found = rejected_plan(&path, "one");
            let file = found.as_ref().and_then(|plan| plan.file.clone());
            proptest::prop_assert_eq!(file.is_some(), newest.is_some());
            proptest::prop_assert_eq!(found.map(|plan| plan.text), newest);
        }
    }

    #[test]
    fn a_plan_is_found_within_the_limit_only() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        let filler = format!("{}\n", spoken(&"x".repeat(1 << 20)));
        for (count, is_found) in [(1, true), (14, true), (17, false)] {
            let text = format!("{}\n{}", plan_call("one", "P"), filler.repeat(count));
            fs_err::write(&path, text).unwrap();
            assert_eq!(rejected_plan(&path, "one").is_some(), is_found, "{count}");
        }
        let mut fork = plan_call("one", "P");
        fork["slug"] = serde_json::Value::Null;
        fs_err::write(&path, fork.to_string()).unwrap();
        assert_eq!(rejected_plan(&path, "one").unwrap().file, None, "only the slug ties the file");
        assert!(rejected_plan(temp.path(), "one").is_none());
    }

    #[test]
    fn a_turn_that_ends_in_the_last_64_kib_is_seen() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        let from = Timestamp::UNIX_EPOCH;
        for (length, is_seen) in [(60_000, true), (70_000, false)] {
            let last = spoken(&"x".repeat(length));
            fs_err::write(&path, format!("{PROMPT}\n{last}")).unwrap();
            assert_eq!(shows_running_turn(&path), !is_seen, "{length}");
            let failed = FAILED.replace("API Error: 400", &"x".repeat(length));
            let failed = failed.replacen('{', "{\"timestamp\":\"1970-01-01T00:00:09Z\",", 1);
            fs_err::write(&path, format!("{PROMPT}\n{failed}")).unwrap();
            let now = from + jiff::SignedDuration::from_secs(10);
            assert_eq!(cut_off_since(&path, from..=now).is_some(), is_seen, "{length}");
        }
    }

    #[test]
    fn only_the_end_of_a_large_transcript_is_read() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        let early = spoken(&"x".repeat(1_000));
        let long = spoken(&"y".repeat(300_000));
        let lines: Vec<&str> =
            std::iter::repeat_n(early.as_str(), 3_000).chain([PROMPT, &long]).collect();
        fs_err::write(&path, lines.join("\n")).unwrap();
        let found = Tail::read(&path, Timestamp::UNIX_EPOCH, None);
        assert_eq!(found.texts.len(), 1);
        assert_eq!(found.texts[0].text.len(), 300_000);
        assert_eq!(
            Tail::read(&temp.path().join("none"), Timestamp::UNIX_EPOCH, None),
            Tail::default()
        );
        assert_eq!(Tail::read(temp.path(), Timestamp::UNIX_EPOCH, None), Tail::default());
    }
}
