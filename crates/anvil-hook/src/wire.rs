//! Claude Code's JSON. No other module knows it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::error::HookError;
use anvil_text::error::Result;
use anvil_text::from_json;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Most bytes of an event: a reply of 20 MB with every other character escaped. A model's reply has
/// at most a few hundred kilobytes.
pub const MAX_EVENT_BYTES: u64 = 48 * 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum EventKind {
    /// A typed command: 2.1.200 sends it before `UserPromptSubmit`, 2.1.332 after it.
    UserPromptExpansion,
    UserPromptSubmit,
    PreToolUse,
    Stop,
    StopFailure,
    SessionStart,
    SessionEnd,
    #[serde(other)]
    Other,
}

impl EventKind {
    /// The name in an answer with text for Claude, or one that ends a prompt.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::UserPromptExpansion => "UserPromptExpansion",
            Self::SessionStart => "SessionStart",
            Self::Stop => "Stop",
            _ => "UserPromptSubmit",
        }
    }
}

/// An event from the client. Fields that a version does not know are absent.
#[derive(Debug, Deserialize)]
pub(crate) struct Event {
    #[serde(rename = "hook_event_name")]
    pub kind: EventKind,
    pub session_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub transcript_path: Option<PathBuf>,
    #[serde(default, deserialize_with = "lenient")]
    pub cwd: Option<PathBuf>,
    /// The turn's id. A session's start and end have none.
    #[serde(default, deserialize_with = "lenient")]
    pub prompt_id: Option<String>,
    /// `UserPromptSubmit`: the typed line, raw; an editor's blocks stand before it.
    pub prompt: Option<String>,
    /// `UserPromptExpansion`: the command, such as `anvil:debate`.
    pub command_name: Option<String>,
    /// `UserPromptExpansion`: the text after the command's name, whole.
    pub command_args: Option<String>,
    /// `SessionStart`: startup, resume, clear or compact.
    #[serde(default, deserialize_with = "lenient")]
    pub source: Option<String>,
    /// `PreToolUse`: the tool's name. Accepts any type, so that a wrong type does not pass for an
    /// absent name.
    pub tool_name: Option<Value>,
    /// `PreToolUse`: the tool's input.
    #[serde(default, deserialize_with = "lenient")]
    pub tool_input: Option<ToolInput>,
    /// `PreToolUse`: the call.
    #[serde(default, deserialize_with = "lenient")]
    pub tool_use_id: Option<String>,
    /// Stop: the last text; absent if there is none. `StopFailure`: the client's report of an API
    /// error.
    pub last_assistant_message: Option<String>,
    /// `StopFailure`: the kind of the API error.
    #[serde(default, deserialize_with = "lenient")]
    pub error: Option<String>,
    /// The event is about an agent that the model started.
    #[serde(default, deserialize_with = "lenient")]
    pub agent_id: Option<String>,
    /// `plan` while Claude plans.
    #[serde(default, deserialize_with = "lenient")]
    pub permission_mode: Option<String>,
    /// Stop: tasks that still run.
    #[serde(default, deserialize_with = "lenient")]
    pub background_tasks: Option<Vec<BackgroundTask>>,
}

/// The input of a tool.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct ToolInput(Value);

impl ToolInput {
    /// The file of Read.
    pub(super) fn file_path(&self) -> Option<&Path> {
        self.0["file_path"].as_str().map(Path::new)
    }

    /// The plan of `ExitPlanMode`: the client adds it to the call (2.1.200, 2.1.332).
    pub(super) fn plan(&self) -> Option<&str> {
        self.0["plan"].as_str()
    }

    pub(super) fn plan_file(&self) -> Option<PathBuf> {
        self.0["planFilePath"].as_str().map(PathBuf::from)
    }

    pub(super) fn whole(&self) -> Value {
        self.0.clone()
    }
}

/// Most bytes of a field other than the texts: paths, names and the list of running tasks.
const MAX_FIELD_BYTES: usize = 256 * 1024;

/// Treats a field of unexpected type or size as absent: a new client must not stop every session.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    field: D,
) -> std::result::Result<Option<T>, D::Error> {
    let value = <&RawValue>::deserialize(field)?.get();
    Ok(Some(value)
        .filter(|value| value.len() <= MAX_FIELD_BYTES)
        .and_then(|value| from_json(value).ok()))
}

#[derive(Debug, Deserialize)]
pub(crate) struct BackgroundTask {
    #[serde(rename = "type")]
    kind: Option<String>,
    status: Option<String>,
}

/// The blocks that an editor puts before a prompt. The client cuts these two, and no others, out of
/// the prompts that it lists (2.1.331).
const EDITOR_BLOCKS: [&str; 2] = ["ide_opened_file", "ide_selection"];

/// The start of the mark before a pasted text; its id follows. The client puts marks around a text
/// of many lines or of a thousand characters (2.1.329):
///
/// ```text
/// <pasted_content id="6da5">
/// the text
/// </pasted_content id="6da5">
/// ```
const PASTE_BEGINS: &str = "<pasted_content";

/// The start of the mark after a pasted text; the same id follows.
const PASTE_ENDS: &str = "</pasted_content";

/// The client's form of such an end in the pasted text.
const ESCAPED_END: &str = "<\\/pasted_content";

impl Event {
    /// The person's own words in the prompt: without an editor's blocks, and without the marks
    /// around what they pasted.
    pub(crate) fn words(&self) -> Cow<'_, str> {
        without_marks(without_blocks(self.prompt.as_deref().unwrap_or_default()))
    }

    /// The command without the plugin's name, and its arguments.
    pub(super) fn command(&self) -> Option<(&str, &str)> {
        let name = self.command_name.as_deref()?.strip_prefix("anvil:")?;
        Some((name, self.command_args.as_deref().unwrap_or_default()))
    }

    pub(crate) fn parse(input: &[u8]) -> Result<Self> {
        Ok(from_json(input).map_err(HookError::BadInput)?)
    }

    /// True while an agent of this turn works; its end begins a turn by itself.
    pub(crate) fn has_running_agents(&self) -> bool {
        self.background_tasks.iter().flatten().any(|task| {
            task.kind.as_deref() == Some("subagent") && task.status.as_deref() == Some("running")
        })
    }
}

/// The prompt without an editor's blocks. They end with the last mark of an end: a selected text
/// may have one too, and its words are not the user's.
fn without_blocks(prompt: &str) -> &str {
    let Some(tag) = prompt.trim_start().strip_prefix('<') else { return prompt };
    let is_block =
        |name: &&str| tag.strip_prefix(*name).is_some_and(|after| after.starts_with(['>', ' ']));
    if !EDITOR_BLOCKS.iter().any(is_block) {
        return prompt;
    }
    let end = |name: &str| {
        let mark = format!("</{name}>");
        Some(prompt.rfind(&mark)? + mark.len())
    };
    let words = EDITOR_BLOCKS.into_iter().filter_map(end).max().map(|end| &prompt[end..]);
    words.map(str::trim_start).filter(|words| !words.is_empty()).unwrap_or(prompt)
}

/// Typed and pasted words, without the client's marks.
fn without_marks(prompt: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut remaining = prompt;
    while let Some((before, text, after)) = first_paste(remaining) {
        out.push_str(before);
        out.push_str(&text.replace(ESCAPED_END, PASTE_ENDS));
        remaining = after;
    }
    if out.is_empty() { prompt.into() } else { (out + remaining).into() }
}

/// A prompt, divided at a paste.
fn first_paste(prompt: &str) -> Option<(&str, &str, &str)> {
    let (before, remaining) = prompt.split_once(PASTE_BEGINS)?;
    let (id, remaining) = remaining
        .split_once(">\n")
        .filter(|(id, _)| id.starts_with(" id=") && !id.contains('\n'))?;
    let (text, after) = remaining.split_once(&format!("\n{PASTE_ENDS}{id}>"))?;
    Some((before, text, after))
}

/// The answer to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Silent,
    /// One line for the user.
    Say(String),
    /// Context for Claude that the user does not see, with a prompt, a command or a session start.
    Context {
        /// The event.
        event: &'static str,
        /// The text for Claude.
        context: String,
        /// The line for the user.
        say: String,
        /// The session's title, which an expansion can't set.
        title: Option<String>,
    },
    /// Continues the turn instead of stopping. The client shows the cue, so `say` only holds notes.
    Continue {
        /// The text for Claude and the user.
        cue: String,
        /// Notes for the user.
        say: String,
    },
    /// A line for the user at the end of a debate, and a notification on the desktop.
    Finish {
        /// The line for the user.
        say: String,
        /// The text of the notification: one line.
        notify: String,
    },
    Allow,
    /// Refuses a tool's call.
    Deny {
        /// For Claude; the client shows it too.
        reason: String,
        /// More for Claude, unseen. May be empty.
        context: String,
        /// The line for the user. May be empty.
        say: String,
    },
    /// Lets the user decide about a tool's call, as without Anvil, below a line.
    Ask {
        line: String,
        /// The input, unchanged: without it the client does not show the line (2.1.332).
        input: Value,
        /// For Claude, unseen. May be empty.
        context: &'static str,
    },
    /// A title for the session, from a prompt that goes on.
    Title(String),
    /// Ends a command, or the client's own prompt, without a request and shows this text. The
    /// conversation keeps nothing of both.
    Block {
        /// The event.
        event: &'static str,
        /// The text for the user.
        text: String,
    },
    /// Ends the user's own prompt without a request and shows this text. The conversation keeps
    /// both: the client puts a blocked prompt back into its box (2.1.332).
    End(String),
}

impl Answer {
    /// With a title for the session.
    pub(crate) fn with_title(self, title: String) -> Self {
        match self {
            Self::Context { event, context, say, .. } => {
                Self::Context { event, context, say, title: Some(title) }
            }
            other => other,
        }
    }

    /// Puts a line for the user before the answer's own.
    pub(crate) fn after(self, line: &str) -> Self {
        match self {
            Self::Silent => Self::Say(line.to_owned()),
            Self::Say(say) => Self::Say(below(line, &say)),
            Self::Context { event, context, say, title } => {
                Self::Context { event, context, say: below(line, &say), title }
            }
            Self::Continue { cue, say } => Self::Continue { cue, say: below(line, &say) },
            Self::Finish { say, notify } => Self::Finish { say: below(line, &say), notify },
            Self::Block { event, text } => Self::Block { event, text: below(line, &text) },
            Self::End(text) => Self::End(below(line, &text)),
            Self::Deny { reason, context, say } => {
                Self::Deny { reason, context, say: below(line, &say) }
            }
            // The dialog, where nothing else is shown.
            Self::Ask { line: own, input, context } => {
                Self::Ask { line: below(line, &own), input, context }
            }
            // Neither carries a note.
            Self::Allow | Self::Title(_) => self,
        }
    }

    /// The JSON for the client; empty for no answer.
    pub fn to_json(&self) -> String {
        let mut value = match self {
            Self::Silent => return String::new(),
            Self::Say(line) => json!({ "systemMessage": line }),
            Self::Finish { say, notify } => json!({
                "systemMessage": say,
                // OSC 777, the one that most terminals know.
                "terminalSequence": format!("\u{1b}]777;notify;Anvil;{notify}\u{7}"),
            }),
            Self::Title(title) => json!({
                "hookSpecificOutput": { "hookEventName": "UserPromptSubmit", "sessionTitle": title },
            }),
            // The client prints "EVENT operation blocked by hook:" above it (2.1.200, 2.1.332).
            Self::Block { event, text } => json!({
                "decision": "block",
                "reason": text,
                "hookSpecificOutput": { "hookEventName": event, "suppressOriginalPrompt": true },
            }),
            Self::Context { event, context, .. } => json!({
                "hookSpecificOutput": { "hookEventName": event, "additionalContext": context },
            }),
            Self::Continue { cue, .. } => json!({
                "hookSpecificOutput": { "hookEventName": "Stop", "additionalContext": cue },
            }),
            // The client prints "Operation stopped by hook: " before it (2.1.331).
            Self::End(text) => json!({ "continue": false, "stopReason": format!("\n{text}") }),
            Self::Allow => json!({
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "allow",
                    "permissionDecisionReason":
                        "it is the file of the debate that this session argues",
                },
            }),
            Self::Deny { reason, .. } => json!({
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": reason,
                },
            }),
            Self::Ask { line, input, .. } => json!({
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "ask",
                    "permissionDecisionReason": line,
                    "updatedInput": input,
                },
            }),
        };
        let more = match self {
            Self::Deny { context, .. } => context,
            Self::Ask { context, .. } => *context,
            _ => "",
        };
        if !more.is_empty() {
            value["hookSpecificOutput"]["additionalContext"] = json!(more);
        }
        if let Self::Context { say, .. } | Self::Continue { say, .. } | Self::Deny { say, .. } =
            self
            && !say.is_empty()
        {
            value["systemMessage"] = json!(say);
        }
        if let Self::Context { title: Some(title), .. } = self {
            value["hookSpecificOutput"]["sessionTitle"] = json!(title);
        }
        value.to_string()
    }
}

/// A text below a line; the line alone if the text is empty.
fn below(line: &str, text: &str) -> String {
    if text.is_empty() { line.to_owned() } else { format!("{line}\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_without_its_optional_fields() {
        let stop = concat!(
            r#"{"session_id":"s","transcript_path":"/t","cwd":"/p","#,
            r#""permission_mode":"default","hook_event_name":"Stop","stop_hook_active":true}"#,
        );
        let event = Event::parse(stop.as_bytes()).unwrap();
        assert_eq!((event.kind, event.last_assistant_message.is_none()), (EventKind::Stop, true));
        assert_eq!(
            Event::parse(br#"{"hook_event_name":"PreCompact"}"#).unwrap().kind,
            EventKind::Other
        );
    }

    #[test]
    fn words_around_and_between_pastes_stay() {
        let paste = |text: &str| {
            format!("\n\n<pasted_content id=\"6da5\">\n{text}\n</pasted_content id=\"6da5\">\n")
        };
        let prompt = format!("see {}and {}", paste("<b>\n<\\/pasted_content>"), paste(""));
        assert_eq!(without_marks(&prompt), "see \n\n<b>\n</pasted_content>\nand \n\n\n");
        for plain in [
            "",
            "the cost",
            "<pasted_content>\nx\n</pasted_content>",
            "<pasted_content id=\"1\">\nx",
        ] {
            assert_eq!(without_marks(plain), plain);
        }
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
    fn a_field_of_another_type_counts_as_absent() {
        let event = concat!(
            r#"{"hook_event_name":"Stop","background_tasks":{},"prompt_id":7,"#,
            r#""cwd":[],"source":null}"#,
        );
        let event = Event::parse(event.as_bytes()).unwrap();
        assert!(!event.has_running_agents() && event.prompt_id.is_none() && event.cwd.is_none());
    }
}
