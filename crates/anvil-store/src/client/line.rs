//! One line of the client's transcript, and its meaning for the reply. Shapes measured on 2.1.200
//! and 2.1.332.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::PathBuf;

use jiff::Timestamp;
use memchr::memmem;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::STATE_FILE_NAME;
use anvil_core::attempt::bounds;
use anvil_core::reply::Usage;
use anvil_text::from_json;

pub(crate) enum TranscriptLine {
    /// A prompt or a cue: the phase begins after it.
    Prompt,
    /// The user has interrupted the turn.
    Interrupted,
    /// A line of the model, a tool or the client from before the phase began.
    Older,
    Spoke(Spoke),
    /// Results of tools, so the model goes on. Holds the ids of the calls that worked.
    Answered(Vec<String>),
    /// The client reports a failed request.
    Failed(String),
    Other,
}

/// A line of the model.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Spoke {
    pub texts: Vec<String>,
    pub model: String,
    pub used_tool: bool,
    pub used_agent: bool,
    /// Calls that name the debate's file: the call's id, and the path if the tool is Read.
    pub reads: Vec<(String, Option<String>)>,
    /// The number of texts before a plan that the user is asked to approve. `None`: no plan.
    pub texts_before_plan: Option<usize>,
    /// The plan that the user is asked to approve.
    pub plan: Option<String>,
    /// True if the reply ended there.
    pub ended: bool,
    /// The message was cut off, and the model continues it in the next one, in the middle of
    /// a word.
    pub is_cut: bool,
    /// The message; each of its blocks has a line.
    pub message: Option<String>,
    /// The request that it answers, and its tokens. Each block of a message has a line, and all
    /// its lines have the same id.
    pub request: Option<(String, Usage)>,
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
    #[serde(default, deserialize_with = "if_readable")]
    request_id: Option<String>,
    message: Option<Message>,
    attachment: Option<Attachment>,
    #[serde(default)]
    hook_additional_context: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Message {
    content: MessageContent,
    #[serde(default)]
    model: String,
    stop_reason: Option<String>,
    #[serde(default, deserialize_with = "if_readable")]
    id: Option<String>,
    #[serde(default, deserialize_with = "if_readable")]
    usage: Option<RawUsage>,
}

#[derive(Clone, Copy, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the API")]
struct RawUsage {
    input_tokens: u64,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: u64,
}

impl RawUsage {
    /// `None`: too large for a real count.
    fn to_usage(self) -> Option<Usage> {
        let created = self.cache_creation_input_tokens.unwrap_or(0);
        let usage = Usage {
            fresh: self.input_tokens.saturating_add(created),
            cached: self.cache_read_input_tokens.unwrap_or(0),
            out: self.output_tokens,
        };
        Some(usage).filter(|usage| bounds::count(usage.sum()).is_some())
    }
}

/// A field that the texts do not need: of another type it is `None`, and the line stays.
fn if_readable<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let raw = Option::<&RawValue>::deserialize(from)?;
    Ok(raw.and_then(|raw| from_json(raw.get()).ok()))
}

enum MessageContent {
    Text(String),
    Blocks(Blocks),
}

/// The relevant parts of a message's blocks; the others are dropped while reading.
#[derive(Default)]
struct Blocks {
    texts: Vec<String>,
    used_tool: bool,
    used_agent: bool,
    has_result: bool,
    texts_before_plan: Option<usize>,
    plan: Option<String>,
    reads: Vec<(String, Option<String>)>,
    worked: Vec<String>,
}

#[derive(Deserialize)]
struct ContentBlock<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: String,
    #[serde(default, borrow)]
    name: Cow<'a, str>,
    // Fields that are not needed for the texts may be of any type.
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
struct PlanInput {
    plan: String,
}

#[derive(Deserialize)]
struct ReadInput {
    file_path: String,
}

impl ContentBlock<'_> {
    /// The id of a call that names a file like the debate's, and the path if the tool is Read.
    fn read(&self) -> Option<(String, Option<String>)> {
        let input = self.input?.get();
        memmem::find(input.as_bytes(), STATE_FILE_NAME.as_bytes())?;
        let id = self.id?.get().to_owned();
        let is_read = self.name == "Read";
        let read = if is_read { from_json::<ReadInput>(input).ok() } else { None };
        Some((id, read.map(|read| read.file_path)))
    }

    /// The plan of a call of [`PLAN_TOOL`].
    fn plan(&self) -> Option<String> {
        from_json::<PlanInput>(self.input?.get()).ok().map(|input| input.plan)
    }

    /// The id of the call that this result belongs to, unless the result is an error.
    fn successful_call(&self) -> Option<String> {
        let is_error = self.is_error.is_some_and(|is_error| is_error.get() == "true");
        self.tool_use_id.filter(|_| !is_error).map(|id| id.get().to_owned())
    }
}

impl<'de> Deserialize<'de> for MessageContent {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = MessageContent;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a text or a list of blocks")
            }

            fn visit_str<E>(self, text: &str) -> Result<MessageContent, E> {
                Ok(MessageContent::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<MessageContent, A::Error> {
                let mut blocks = Blocks::default();
                while let Some(block) = list.next_element::<ContentBlock<'de>>()? {
                    match &*block.kind {
                        "text" if !block.text.is_empty() => blocks.texts.push(block.text),
                        "tool_result" => {
                            blocks.has_result = true;
                            blocks.worked.extend(block.successful_call());
                        }
                        "tool_use" => {
                            blocks.used_tool = true;
                            blocks.reads.extend(block.read());
                            if block.name == PLAN_TOOL {
                                blocks.texts_before_plan.get_or_insert(blocks.texts.len());
                                blocks.plan = blocks.plan.or_else(|| block.plan());
                            }
                            blocks.used_agent |= ["Agent", "Workflow"].contains(&&*block.name);
                        }
                        _ => {}
                    }
                }
                Ok(MessageContent::Blocks(blocks))
            }
        }

        from.deserialize_any(Either)
    }
}

/// The tool by which the model asks the user to approve its plan.
const PLAN_TOOL: &str = "ExitPlanMode";

/// A call of [`PLAN_TOOL`]. The client adds the plan and its file to the call.
#[derive(Debug, PartialEq, Eq)]
pub struct PlanCall {
    /// The id of the call, as JSON.
    pub(crate) id: String,
    /// The plan, in Markdown.
    pub text: String,
    /// The plan's file, if the line's slug names it: only the slug ties a file to its session.
    pub file: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawPlanLine {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    is_sidechain: bool,
    session_id: String,
    #[serde(default, deserialize_with = "if_readable")]
    slug: Option<String>,
    message: RawPlanMessage,
}

#[derive(Deserialize)]
struct RawPlanMessage {
    content: Vec<Value>,
}

impl PlanCall {
    /// The last call in a line of this session's own model.
    pub(crate) fn read(line: &[u8], session: &str) -> Option<Self> {
        memmem::find(line, PLAN_TOOL.as_bytes())?;
        let raw = from_json::<RawPlanLine>(line).ok()?;
        if raw.kind != "assistant" || raw.is_sidechain || raw.session_id != session {
            return None;
        }
        let block = raw
            .message
            .content
            .iter()
            .filter(|block| block["type"] == "tool_use" && block["name"] == PLAN_TOOL)
            .rfind(|block| block["input"]["plan"].is_string())?;
        let input = &block["input"];
        let name = raw.slug.map(|slug| format!("{slug}.md"));
        Some(Self {
            id: block["id"].to_string(),
            text: input["plan"].as_str()?.to_owned(),
            file: input["planFilePath"]
                .as_str()
                .map(PathBuf::from)
                .filter(|path| path.file_name() == name.as_deref().map(OsStr::new)),
        })
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

/// A line with none of these is skipped without being parsed.
const MARKS: [&str; 4] = ["\"assistant\"", "\"user\"", "\"Stop\"", "stop_hook_summary"];

impl TranscriptLine {
    /// The line, and its time if it belongs to a turn.
    pub(crate) fn read(line: &[u8], phase_began: Timestamp) -> (Self, Option<Timestamp>) {
        if MARKS.iter().all(|mark| memmem::find(line, mark.as_bytes()).is_none()) {
            return (Self::Other, None);
        }
        let Some(raw) = from_json::<Raw>(line).ok().filter(|raw| !raw.is_sidechain) else {
            return (Self::Other, None);
        };
        let at = raw.timestamp.and_then(|at| at.parse::<Timestamp>().ok());
        let line = match (raw.kind.as_str(), raw.message) {
            // The client writes `<synthetic>` as the model of its own words.
            ("assistant", Some(message))
                if raw.is_api_error_message || message.model == "<synthetic>" =>
            {
                Self::Failed(message.content.into_blocks().texts.join("\n"))
            }
            ("assistant", Some(message)) => Self::assistant(message, raw.request_id),
            ("user", Some(message)) if message.content.is_interruption() => Self::Interrupted,
            ("user", Some(message)) if is_prompt(&message.content, raw.is_meta) => Self::Prompt,
            ("user", Some(Message { content: MessageContent::Blocks(blocks), .. }))
                if blocks.has_result =>
            {
                Self::Answered(blocks.worked)
            }
            ("attachment", _) => match raw.attachment {
                Some(attachment)
                    if attachment.kind == "hook_additional_context"
                        && attachment.hook_event == "Stop" =>
                {
                    Self::Prompt
                }
                _ => Self::Other,
            },
            ("system", _) if !raw.hook_additional_context.is_empty() => Self::Prompt,
            _ => Self::Other,
        };
        match line {
            Self::Spoke(_) | Self::Answered(_) | Self::Failed(_) | Self::Interrupted => {
                let is_older = at.is_some_and(|at| at <= phase_began);
                (if is_older { Self::Older } else { line }, at)
            }
            Self::Prompt | Self::Older | Self::Other => (line, None),
        }
    }

    fn assistant(message: Message, request_id: Option<String>) -> Self {
        let Blocks { texts, used_tool, used_agent, reads, texts_before_plan, plan, .. } =
            message.content.into_blocks();
        let reason = message.stop_reason.as_deref();
        let is_cut = matches!(reason, Some("max_tokens" | "pause_turn"));
        let usage = message.usage.and_then(RawUsage::to_usage);
        Self::Spoke(Spoke {
            texts,
            model: message.model,
            used_tool,
            used_agent,
            reads,
            texts_before_plan,
            plan,
            ended: reason.is_some_and(|reason| reason != "tool_use" && !is_cut),
            is_cut,
            request: request_id.or_else(|| message.id.clone()).zip(usage),
            message: message.id,
        })
    }
}

impl MessageContent {
    fn into_blocks(self) -> Blocks {
        match self {
            Self::Text(text) => Blocks { texts: vec![text], ..Blocks::default() },
            Self::Blocks(blocks) => blocks,
        }
    }

    /// True for the client's note that the user pressed Esc: `[Request interrupted by user]`, also
    /// with ` for tool use`.
    fn is_interruption(&self) -> bool {
        let texts = match self {
            Self::Text(text) => std::slice::from_ref(text),
            Self::Blocks(blocks) => &*blocks.texts,
        };
        texts.iter().any(|text| text.starts_with("[Request interrupted by user"))
    }
}

/// True for a line with words that the user typed, other than a command.
pub(crate) fn is_typed(line: &[u8]) -> bool {
    let Some(raw) = memmem::find(line, b"\"user\"").and_then(|_| from_json::<Raw>(line).ok())
    else {
        return false;
    };
    let Some(message) = raw.message.filter(|_| raw.kind == "user" && !raw.is_sidechain) else {
        return false;
    };
    let is_command = match &message.content {
        MessageContent::Text(text) => text.trim_start().starts_with("<command-"),
        MessageContent::Blocks(_) => false,
    };
    !is_command && !message.content.is_interruption() && is_prompt(&message.content, raw.is_meta)
}

/// True for the user's text; false for tool results, the client's own additions and the news of an
/// agent.
fn is_prompt(content: &MessageContent, is_meta: bool) -> bool {
    match content {
        MessageContent::Text(text) => !is_meta && !is_from_client(text.trim_start()),
        MessageContent::Blocks(blocks) => !is_meta && !blocks.has_result,
    }
}

/// True for the news of an agent, and for a command that the client runs itself, with its output.
fn is_from_client(text: &str) -> bool {
    let is_command =
        text.starts_with("<command-name>/") && !text.starts_with("<command-name>/anvil:");
    is_command || text.starts_with("<task-notification>") || text.starts_with("<local-command-")
}
