//! The end of the client's transcript (JSON lines): what the model wrote since it was last told something.
//!
//! Only the end is read, whatever the size of the file. Shapes measured on 2.0.30, 2.1.47, 2.1.143 and 2.1.329. A line that
//! is torn or strange is passed over.

use std::borrow::Cow;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use jiff::Timestamp;
use memchr::memmem;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use serde_json::value::RawValue;

use super::wire::from_json;
use crate::reply::FileRead;
use crate::state::STATE_FILE_NAME;

/// First read from the end, in bytes; doubled until the beginning of the phase is found.
const FIRST_READ: u64 = 64 * 1024;
/// Most that is read, in bytes. A phase with more than this between two tool calls is filed without its beginning.
const MOST_READ: u64 = 16 * 1024 * 1024;

/// How a tail ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// A tool call, a tool's result, or nothing at all: the model goes on.
    #[default]
    Open,
    /// A text, or the report of an error.
    Likely,
    /// A text with which the reply ended, says the client: `stop_reason` is `end_turn` (2.0.30, 2.1.143, 2.1.329; 2.1.47
    /// writes `null`).
    Told,
}

/// What the model did since the last prompt or the last cue.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// Its texts, in order.
    pub(super) texts: Vec<String>,
    /// The client's report of a failed request, when that came last.
    pub(super) error: Option<String>,
    /// A tool was called.
    pub(super) used_tool: bool,
    /// That tool was an agent: it may work on behind the reply.
    pub(super) used_agent: bool,
    /// Its calls of a tool that named the debate's file.
    pub(super) reads: Vec<FileRead>,
    /// All since the phase was asked for is in it.
    pub(super) is_whole: bool,
    /// Whether anything is still to come.
    pub(super) end: End,
}

impl Tail {
    /// Reads the tail of a transcript. A file that can't be read is an empty one: the event itself carries the last text.
    ///
    /// Nothing from before `asked_at` counts: 2.1.329 writes its transcript late, so the prompt or cue may not be in it yet.
    pub(super) fn read(path: &Path, asked_at: Timestamp) -> Self {
        let mut size = FIRST_READ;
        loop {
            let Some((bytes, whole)) = last_bytes(path, size) else { return Self::default() };
            let (mut tail, found) = Self::parse(&bytes, whole, asked_at);
            if found || whole || size >= MOST_READ {
                tail.is_whole = found || whole;
                return tail;
            }
            size *= 2;
        }
    }

    /// True when the last texts, taken together, are `text`: the client joins the texts of one message.
    pub(super) fn ends_with(&self, text: &str) -> bool {
        if self.texts.last().is_some_and(|last| last == text) {
            return true;
        }
        let solid = |char: &char| !char.is_whitespace();
        let mut wanted = text.chars().rev().filter(solid).peekable();
        for own in self.texts.iter().rev() {
            if own.chars().rev().filter(solid).any(|char| wanted.next() != Some(char)) {
                return false;
            }
            if wanted.peek().is_none() {
                return true;
            }
        }
        false
    }

    /// Walks the lines from the last one back to where the model was told something; says whether that was found.
    fn parse(bytes: &[u8], whole: bool, asked_at: Timestamp) -> (Self, bool) {
        let mut tail = Self::default();
        let mut seen = false;
        // Their results come first: the lines are read backwards.
        let mut worked: Vec<String> = Vec::new();
        let mut end = bytes.len();
        while end > 0 {
            let start = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |at| at + 1);
            if start == 0 && !whole {
                break;
            }
            match Line::read(&bytes[start..end], asked_at) {
                Line::Told => {
                    tail.texts.reverse();
                    return (tail, true);
                }
                Line::Spoke { texts, used_tool, used_agent, reads, ended } => {
                    let read = |(id, path)| FileRead { path, worked: worked.contains(&id) };
                    tail.reads.extend(reads.into_iter().map(read));
                    if !seen && !texts.is_empty() {
                        tail.end = match ended {
                            None => End::Likely,
                            Some(true) => End::Told,
                            Some(false) => End::Open,
                        };
                    }
                    seen = true;
                    tail.texts.extend(texts.into_iter().rev());
                    tail.used_tool |= used_tool;
                    tail.used_agent |= used_agent;
                }
                Line::Answered(ids) => {
                    seen = true;
                    worked.extend(ids);
                }
                Line::Failed(text) => {
                    if !seen {
                        tail.end = End::Likely;
                    }
                    seen = true;
                    if tail.texts.is_empty() && tail.error.is_none() {
                        tail.error = Some(text);
                    }
                }
                Line::Other => {}
            }
            end = start.saturating_sub(1);
        }
        tail.texts.reverse();
        (tail, false)
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

/// What one line means here.
enum Line {
    /// A prompt, a cue, or anything from before the phase was asked for: it begins behind this.
    Told,
    /// The model.
    Spoke {
        texts: Vec<String>,
        used_tool: bool,
        used_agent: bool,
        /// Calls that name the debate's file: the call, and the file where the tool is Read.
        reads: Vec<(String, Option<String>)>,
        /// The reply ended there, if the client says.
        ended: Option<bool>,
    },
    /// Tools: the model will go on. The calls that worked.
    Answered(Vec<String>),
    /// The client in the model's place: a request failed.
    Failed(String),
    /// Anything else.
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_api_error_message: bool,
    timestamp: Option<String>,
    message: Option<Message>,
    attachment: Option<Attachment>,
    #[serde(default)]
    hook_additional_context: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Message {
    content: Content,
    #[serde(default)]
    model: String,
    #[serde(default)]
    stop_reason: Option<String>,
}

enum Content {
    Text(String),
    Blocks(Blocks),
}

/// What matters of a message's blocks; the others are gone as soon as they are read.
#[derive(Default)]
struct Blocks {
    texts: Vec<String>,
    used_tool: bool,
    used_agent: bool,
    has_result: bool,
    reads: Vec<(String, Option<String>)>,
    worked: Vec<String>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: String,
    #[serde(default, borrow)]
    name: Cow<'a, str>,
    // What is not needed for the texts may be of any type.
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    tool_use_id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    is_error: Option<&'a RawValue>,
    #[serde(default, borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ReadInput {
    file_path: String,
}

impl Block<'_> {
    /// The call's id, and the file where the tool is Read, if it names a file like the debate's.
    fn read(&self) -> Option<(String, Option<String>)> {
        let input = self.input?.get();
        memmem::find(input.as_bytes(), STATE_FILE_NAME.as_bytes())?;
        let path = || serde_json::from_str::<ReadInput>(input).ok().map(|input| input.file_path);
        Some((self.id?.get().to_owned(), if self.name == "Read" { path() } else { None }))
    }

    /// The id of the call that this is the result of, unless it is an error.
    fn worked(&self) -> Option<String> {
        let is_error = self.is_error.is_some_and(|is_error| is_error.get() == "true");
        self.tool_use_id.filter(|_| !is_error).map(|id| id.get().to_owned())
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Content;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a text or a list of blocks")
            }

            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Content, A::Error> {
                let mut blocks = Blocks::default();
                while let Some(block) = list.next_element::<Block<'de>>()? {
                    match &*block.kind {
                        "text" if !block.text.is_empty() => blocks.texts.push(block.text),
                        "tool_result" => {
                            blocks.has_result = true;
                            blocks.worked.extend(block.worked());
                        }
                        "tool_use" => {
                            blocks.used_tool = true;
                            blocks.reads.extend(block.read());
                            // `Task` up to 2.1.143, `Agent` on 2.1.329.
                            blocks.used_agent |= matches!(&*block.name, "Task" | "Agent");
                        }
                        _ => {}
                    }
                }
                Ok(Content::Blocks(blocks))
            }
        }

        from.deserialize_any(Either)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attachment {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    hook_event: String,
}

impl Line {
    fn read(line: &[u8], asked_at: Timestamp) -> Self {
        let mentions = |word: &[u8]| memmem::find(line, word).is_some();
        if !(mentions(b"\"assistant\"")
            || mentions(b"\"user\"")
            || mentions(b"\"Stop\"")
            || mentions(b"stop_hook_summary"))
        {
            return Self::Other;
        }
        let Ok(raw) = from_json::<Raw>(line) else { return Self::Other };
        if raw.is_sidechain {
            return Self::Other;
        }
        let at = raw.timestamp.and_then(|at| at.parse::<Timestamp>().ok());
        if at.is_some_and(|at| at <= asked_at) {
            return Self::Told;
        }
        match (raw.kind.as_str(), raw.message) {
            ("assistant", Some(message)) => Self::assistant(message, raw.is_api_error_message),
            ("user", Some(message)) if is_told(&message.content, raw.is_meta) => Self::Told,
            ("user", Some(Message { content: Content::Blocks(blocks), .. })) if blocks.has_result => {
                Self::Answered(blocks.worked)
            }
            ("attachment", _) => match raw.attachment {
                Some(attachment) if attachment.kind == "hook_additional_context" && attachment.hook_event == "Stop" => {
                    Self::Told
                }
                _ => Self::Other,
            },
            // Its `hookErrors` tell of a block, which also comes as a prompt, and of hooks that failed.
            ("system", _) if !raw.hook_additional_context.is_empty() => Self::Told,
            _ => Self::Other,
        }
    }

    fn assistant(message: Message, failed: bool) -> Self {
        let Blocks { texts, used_tool, used_agent, reads, .. } = match message.content {
            Content::Text(text) => Blocks { texts: vec![text], ..Blocks::default() },
            Content::Blocks(blocks) => blocks,
        };
        if failed || message.model == "<synthetic>" {
            Self::Failed(texts.join("\n"))
        } else {
            let ended = message.stop_reason.map(|reason| reason != "tool_use");
            Self::Spoke { texts, used_tool, used_agent, reads, ended }
        }
    }
}

/// True for what a person typed and for a Stop hook's words; not for tool results, the client's own additions or the
/// news of an agent.
fn is_told(content: &Content, is_meta: bool) -> bool {
    match content {
        Content::Text(text) => {
            text.starts_with("Stop hook feedback:") || (!is_meta && !is_the_clients(text.trim_start()))
        }
        Content::Blocks(_) => !is_meta && !has_result(content),
    }
}

/// True for the news of an agent, and for a command that the client runs by itself, with what it prints.
fn is_the_clients(text: &str) -> bool {
    let is_command = text.starts_with("<command-name>/") && !text.starts_with("<command-name>/anvil:");
    is_command || text.starts_with("<task-notification>") || text.starts_with("<local-command-")
}

fn has_result(content: &Content) -> bool {
    matches!(content, Content::Blocks(blocks) if blocks.has_result)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: &str = r#"{"type":"user","message":{"role":"user","content":"<command-name>/anvil:debate</command-name>"},"uuid":"a"}"#;
    const BODY: &str =
        r#"{"type":"user","isMeta":true,"message":{"role":"user","content":[{"type":"text","text":"Body"}]}}"#;
    const RESULT: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"x","tool_use_id":"t"}]}}"#;
    const TOOL: &str = r#"{"type":"assistant","message":{"model":"m","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}}"#;
    const BLOCKED: &str =
        r#"{"type":"user","isMeta":true,"message":{"role":"user","content":"Stop hook feedback:\nCue 0"}}"#;
    const CONTEXT: &str = r#"{"type":"attachment","attachment":{"type":"hook_additional_context","content":["Cue 0"],"hookEvent":"Stop"}}"#;
    const SUMMARY: &str =
        r#"{"type":"system","subtype":"stop_hook_summary","hookErrors":[],"hookAdditionalContext":["Cue 0"]}"#;
    const QUIET: &str = r#"{"type":"system","subtype":"stop_hook_summary","hookErrors":[],"hookAdditionalContext":[]}"#;
    const NEWS: &str = r#"{"type":"user","message":{"role":"user","content":"<task-notification>\n<task-id>x"}}"#;
    const FAILED: &str = r#"{"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error: 400"}]}}"#;

    fn said(text: &str) -> String {
        format!(
            r#"{{"type":"assistant","isSidechain":false,"message":{{"model":"m","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    }

    fn tail(lines: &[&str]) -> Tail {
        Tail::parse(lines.join("\n").as_bytes(), true, Timestamp::UNIX_EPOCH).0
    }

    #[test]
    fn texts_around_tool_calls_belong_together() {
        let found = tail(&[PROMPT, BODY, &said("one"), TOOL, RESULT, &said("two"), ""]);
        assert_eq!(
            found,
            Tail {
                texts: vec!["one".into(), "two".into()],
                error: None,
                used_tool: true,
                used_agent: false,
                reads: Vec::new(),
                is_whole: false,
                end: End::Likely
            }
        );
    }

    #[test]
    fn a_phase_begins_behind_every_kind_of_cue() {
        for cue in [BLOCKED, CONTEXT, SUMMARY] {
            let found = tail(&[PROMPT, &said("one"), TOOL, RESULT, cue, &said("two"), QUIET]);
            assert_eq!(found, Tail { texts: vec!["two".into()], end: End::Likely, ..Tail::default() }, "{cue}");
        }
    }

    #[test]
    fn what_was_written_before_the_phase_was_asked_for_does_not_count() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let dated = |text: &str, second: i64| {
            said(text).replace(
                "{\"type\":\"assistant\"",
                &format!("{{\"timestamp\":\"{}\",\"type\":\"assistant\"", at(second)),
            )
        };
        let lines = [dated("chat", 10), dated("one", 20), dated("two", 21)].join("\n");
        assert_eq!(Tail::parse(lines.as_bytes(), true, at(15)).0.texts, ["one", "two"]);
        assert_eq!(Tail::parse(lines.as_bytes(), true, at(20)).0.texts, ["two"], "in the moment of the cue");
    }

    #[test]
    fn a_turn_that_waits_for_an_agent_is_one_phase_with_the_turn_behind_it() {
        assert_eq!(tail(&[PROMPT, &said("one"), QUIET, NEWS, &said("two")]).texts, ["one", "two"]);
    }

    #[test]
    fn a_transcript_that_is_still_being_written_is_not_whole() {
        assert_eq!(tail(&[PROMPT]).end, End::Open);
        assert_eq!(tail(&[PROMPT, &said("one"), TOOL]).end, End::Open);
        assert_eq!(tail(&[PROMPT, &said("one"), TOOL, RESULT]).end, End::Open);
        assert_eq!(tail(&[PROMPT, &said("one"), TOOL, RESULT, &said("two"), QUIET]).end, End::Likely);
        assert_eq!(tail(&[PROMPT, FAILED]).end, End::Likely);
    }

    #[test]
    fn subagents_and_torn_lines_are_passed_over() {
        let side = said("side").replace("false", "true");
        assert_eq!(tail(&[PROMPT, &said("one"), &side, "{\"type\":\"assistant\",\"mess"]).texts, ["one"]);
    }

    #[test]
    fn a_failed_request_counts_only_when_it_came_last() {
        assert_eq!(tail(&[PROMPT, &said("one"), FAILED]).error.as_deref(), Some("API Error: 400"));
        assert_eq!(tail(&[PROMPT, FAILED, &said("one")]).error, None);
    }

    #[test]
    fn the_texts_of_one_message_may_come_joined() {
        let found = tail(&[PROMPT, &said("one"), &said("two")]);
        assert!(found.ends_with("two") && found.ends_with("one\\n\\ntwo".replace("\\n", "\n").as_str()));
        assert!(!found.ends_with("wo") && !found.ends_with("zero one two"));
    }

    #[test]
    fn only_the_end_of_a_large_transcript_is_read() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        let early = said(&"x".repeat(1_000));
        let long = said(&"y".repeat(300_000));
        let lines: Vec<&str> = std::iter::repeat_n(early.as_str(), 3_000).chain([PROMPT, &long]).collect();
        fs_err::write(&path, lines.join("\n")).unwrap();
        let found = Tail::read(&path, Timestamp::UNIX_EPOCH);
        assert_eq!(found.texts.len(), 1);
        assert_eq!(found.texts[0].len(), 300_000);
        assert_eq!(Tail::read(&temp.path().join("none"), Timestamp::UNIX_EPOCH), Tail::default());
        assert_eq!(Tail::read(temp.path(), Timestamp::UNIX_EPOCH), Tail::default());
    }
}
