//! Claude Code's JSON: the only place that knows it.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use serde_json::value::RawValue;

use crate::error::{Error, Result};

/// Largest event that is read, in bytes: a reply of 20 MB of which every other character is escaped. A model's own is a few hundred
/// kilobytes at most.
pub const MAX_EVENT_BYTES: u64 = 48 * 1024 * 1024;

/// The first version that takes `additionalContext` from a Stop hook; older ones end the turn (2.1.143 measured).
const STOP_CONTEXT_SINCE: (u32, u32, u32) = (2, 1, 163);

/// Which event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Kind {
    UserPromptSubmit,
    PreToolUse,
    Stop,
    SessionStart,
    SessionEnd,
    #[serde(other)]
    Other,
}

/// What the client says of an event. Fields that a version does not know are absent.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    #[serde(rename = "hook_event_name")]
    pub(super) kind: Kind,
    pub(super) session_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) transcript_path: Option<PathBuf>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) cwd: Option<PathBuf>,
    /// The turn; seen on 2.1.200 and later.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) prompt_id: Option<String>,
    /// `UserPromptSubmit`: the typed line, raw.
    pub(super) prompt: Option<String>,
    /// `SessionStart`: startup, resume, clear or compact.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) source: Option<String>,
    /// `PreToolUse`: which tool. Of any type: what is not a name must not pass for absent.
    pub(super) tool_name: Option<serde_json::Value>,
    /// `PreToolUse`: what the tool is called with.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tool_input: Option<ToolInput>,
    /// Stop: the last text, since 2.1.47.
    pub(super) last_assistant_message: Option<String>,
    /// Stop: what still runs; seen on 2.1.329.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) background_tasks: Option<Vec<Task>>,
}

/// The input of a tool; of Read, the path.
#[derive(Debug, Deserialize)]
pub(super) struct ToolInput {
    pub(super) file_path: Option<PathBuf>,
}

/// Longest field that is read beside the texts, in bytes: paths, names and the list of what runs.
const MAX_FIELD_BYTES: usize = 256 * 1024;

/// A field of another type or size than expected is as good as absent: a new client must not stop every session.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(field: D) -> std::result::Result<Option<T>, D::Error> {
    let value = <&RawValue>::deserialize(field)?.get();
    Ok(Some(value).filter(|value| value.len() <= MAX_FIELD_BYTES).and_then(|value| serde_json::from_str(value).ok()))
}

/// Reads JSON as the client writes it: a text that a model broke off within a surrogate pair (`\ud83d` alone) is no JSON to
/// `serde_json`; half a pair becomes U+FFFD. Seen on 2.1.329.
pub(super) fn from_json<T: DeserializeOwned>(input: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(input).or_else(|error| match replace_lone_surrogates(input) {
        Some(repaired) => serde_json::from_slice(&repaired),
        None => Err(error),
    })
}

/// Replaces every `\uD800` to `\uDFFF` that is not half of a pair. `None`: there is not one.
fn replace_lone_surrogates(input: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let escape = input.get(at..at + 6).filter(|escape| escape.starts_with(b"\\u"))?;
        u16::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()
    };
    let mut repaired = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = memchr::memchr(b'\\', &input[at..]) {
        at += found;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                repaired.extend_from_slice(&input[copied..at]);
                repaired.extend_from_slice(b"\\ufffd");
                copied = at + 6;
                6
            }
            // Also an escaped backslash, whose second half begins nothing.
            _ => 2,
        };
        if at >= input.len() {
            break;
        }
    }
    repaired.extend_from_slice(input.get(copied..).unwrap_or_default());
    (copied > 0).then_some(repaired)
}

#[derive(Debug, Deserialize)]
pub(super) struct Task {
    #[serde(rename = "type")]
    kind: Option<String>,
    status: Option<String>,
}

impl Event {
    pub(super) fn parse(input: &[u8]) -> Result<Self> {
        from_json(input).map_err(|error| {
            Error::failed(
                format!("the hook's input can't be read: {error}"),
                "`anvil hook` is called by Claude Code; to use it, type /anvil:debate there",
            )
        })
    }

    /// True while an agent works that this turn has started; its end begins a turn by itself (2.1.329).
    pub(super) fn has_running_agents(&self) -> bool {
        let is = |field: &Option<String>, word: &str| field.as_deref() == Some(word);
        let tasks = self.background_tasks.as_deref().unwrap_or_default();
        tasks.iter().any(|task| is(&task.kind, "subagent") && is(&task.status, "running"))
    }
}

/// What the client gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing at all.
    Silent,
    /// One line for the user.
    Say(String),
    /// A prompt or a session start goes on with something Claude knows and the user does not see.
    Context {
        /// `UserPromptSubmit` or `SessionStart`.
        event: &'static str,
        /// For Claude.
        context: String,
        /// For the user.
        say: String,
    },
    /// The turn goes on instead of stopping.
    Continue {
        /// For Claude; the screen shows it too.
        cue: String,
        /// For the user.
        say: String,
    },
    /// The tool that is about to run may.
    Allow,
    /// The prompt ends here: no request to the API, only this text for the user. 2.0.30 to 2.1.143 print nothing in
    /// `-p` mode.
    End(String),
}

impl Answer {
    /// A prompt goes on with something that Claude knows.
    pub(super) fn with_prompt(context: &str, say: String) -> Self {
        Self::Context { event: "UserPromptSubmit", context: context.to_owned(), say }
    }

    /// The same, with a line for the user before its own.
    pub(super) fn after(self, line: &str) -> Self {
        let joined = |own: String| if own.is_empty() { line.to_owned() } else { format!("{line}\n{own}") };
        match self {
            Self::Silent => Self::Say(line.to_owned()),
            Self::Say(say) => Self::Say(joined(say)),
            Self::Context { event, context, say } => Self::Context { event, context, say: joined(say) },
            Self::Continue { cue, say } => Self::Continue { cue, say: joined(say) },
            Self::End(text) => Self::End(joined(text)),
            // Nothing is looked at for it that could need a word.
            Self::Allow => Self::Allow,
        }
    }

    /// The JSON for a client of this version; empty when there is nothing to say.
    #[must_use]
    pub fn to_json(&self, client: Option<(u32, u32, u32)>) -> String {
        let value = match self {
            Self::Silent => return String::new(),
            Self::Say(line) => json!({ "systemMessage": line }),
            Self::Context { event, context, say } if say.is_empty() => json!({
                "hookSpecificOutput": { "hookEventName": event, "additionalContext": context },
            }),
            Self::Context { event, context, say } => json!({
                "systemMessage": say,
                "hookSpecificOutput": { "hookEventName": event, "additionalContext": context },
            }),
            Self::Continue { cue, say } if client.is_some_and(|version| version >= STOP_CONTEXT_SINCE) => json!({
                "systemMessage": say,
                "hookSpecificOutput": { "hookEventName": "Stop", "additionalContext": cue },
            }),
            Self::Continue { cue, say } => json!({ "systemMessage": say, "decision": "block", "reason": cue }),
            Self::End(text) => json!({ "continue": false, "stopReason": text }),
            Self::Allow => json!({
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "allow",
                    "permissionDecisionReason": "it is the file of the debate that this session argues",
                },
            }),
        };
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_goes_on_by_context_where_the_client_takes_it_and_by_block_elsewhere() {
        let answer = Answer::Continue { cue: "C".into(), say: "S".into() };
        for new in [(2, 1, 163), (2, 1, 329), (3, 0, 0)] {
            assert!(answer.to_json(Some(new)).contains("additionalContext"));
        }
        for old in [None, Some((2, 0, 30)), Some((2, 1, 162))] {
            assert!(answer.to_json(old).contains(r#""decision":"block""#));
        }
    }

    #[test]
    fn an_event_of_any_version_is_read() {
        let old = br#"{"session_id":"s","transcript_path":"/t","cwd":"/p","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":true}"#;
        let event = Event::parse(old).unwrap();
        assert_eq!((event.kind, event.last_assistant_message.is_none()), (Kind::Stop, true));
        assert_eq!(Event::parse(br#"{"hook_event_name":"PreCompact"}"#).unwrap().kind, Kind::Other);
    }

    #[test]
    fn only_a_running_agent_keeps_a_reply_waiting() {
        let with = |kind: &str, status: &str| {
            let task = format!(r#"{{"id":"a","type":"{kind}","status":"{status}"}}"#);
            let event = format!(r#"{{"hook_event_name":"Stop","background_tasks":[{task}]}}"#);
            Event::parse(event.as_bytes()).unwrap().has_running_agents()
        };
        assert!(with("subagent", "running"));
        assert!(!with("subagent", "completed"));
        assert!(!with("shell", "running"));
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() {
        let read = |text: &str| {
            let event = format!(r#"{{"hook_event_name":"Stop","last_assistant_message":"{text}"}}"#);
            Event::parse(event.as_bytes()).unwrap().last_assistant_message.unwrap()
        };
        assert_eq!(read(r"A1 \ud83d broken"), "A1 \u{FFFD} broken");
        assert_eq!(read(r"\udc00\ud83d\ude00\ud83d"), "\u{FFFD}\u{1F600}\u{FFFD}");
        assert_eq!(read(r"\\ud83d and \ud83d"), "\\ud83d and \u{FFFD}");
        assert_eq!(read(r"\ud83d\n"), "\u{FFFD}\n");
    }

    #[test]
    fn a_field_of_another_type_is_as_good_as_absent() {
        let event = br#"{"hook_event_name":"Stop","background_tasks":{},"prompt_id":7,"cwd":[],"source":null}"#;
        let event = Event::parse(event).unwrap();
        assert!(!event.has_running_agents() && event.prompt_id.is_none() && event.cwd.is_none());
    }
}
