//! The arguments of the tools. A schema shows the comments of their fields to the model.

use crate::error::McpError;
use anvil_core::options::{Layer as _, LeaderOptions, QuestionOptions, Wishes};
use anvil_report::Format;
use anvil_store::DefaultEntry;
use anvil_text::error::Result;
use anvil_text::{is_unseen, visible};
use rmcp::model::JsonObject;
use rmcp::schemars::{self, JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const QUESTION: &str = "question";

/// Most texts of a list.
const MAX_TEXTS: usize = 100;

/// Most visible characters of a text, except a reply.
const MAX_TEXT: usize = 20_000;

/// The arguments of `debate_start`, for its schema. Each option is read like one in a project's
/// file.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema is made from it")]
pub(crate) struct StartArguments {
    /// What to decide
    question: String,
    #[schemars(flatten)]
    wishes: Wishes,
    #[schemars(flatten)]
    of_question: QuestionOptions,
}

/// The arguments of `debate_status`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusArguments {
    /// A debate's id; the one here if left out
    pub id: Option<String>,
}

/// The arguments of `task_claim`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimArguments {
    /// advocate, critic, voice, synthesizer, judge, or any (default)
    pub seat: Option<String>,
    /// Token of a task you hold: its prompt again
    pub token: Option<String>,
    /// Seconds to wait, 0 to 20
    pub wait_s: Option<u64>,
}

/// The arguments of `task_submit`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubmitArguments {
    /// The token from `task_claim`
    pub token: String,
    /// The whole reply, Markdown
    pub reply: String,
}

/// The arguments of `debate_note`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteArguments {
    /// The token of a task that you hold
    pub token: String,
    /// One fact and its place, at most 600 characters
    pub text: String,
}

/// The arguments of `debate_report`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportArguments {
    /// A debate's id; the one here if left out
    pub id: Option<String>,
    /// markdown (default)
    #[serde(default)]
    #[schemars(schema_with = "formats")]
    pub format: Option<Format>,
}

fn formats(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": ["markdown", "json", "html", "adr"]})
}

/// The arguments of `debate_search`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchArguments {
    /// The text to find; all debates if left out
    pub text: Option<String>,
}

/// Refuses arguments that are too long to be looked at.
pub(super) fn check_bounds(arguments: &JsonObject) -> Result<()> {
    let is_long = |value: &Value| {
        let visible = value.as_str().unwrap_or_default().chars().filter(|char| !is_unseen(*char));
        visible.take(MAX_TEXT + 1).count() > MAX_TEXT
    };
    for (name, value) in arguments.iter().filter(|(name, _)| *name != "reply") {
        let texts = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        if texts.len() > MAX_TEXTS {
            return Err(McpError::ManyTexts { name: name.clone(), most: MAX_TEXTS }.into());
        }
        if texts.iter().any(is_long) {
            return Err(McpError::LongText { name: name.clone(), most: MAX_TEXT }.into());
        }
    }
    Ok(())
}

pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| McpError::Arguments(error.to_string()).into())
}

/// Splits the arguments of `debate_start` into the question and its options, in the form of a
/// project's file.
pub(super) fn question_and_options(
    mut arguments: JsonObject,
) -> Result<(String, Vec<DefaultEntry>)> {
    let of_leader = LeaderOptions::names();
    let question = match arguments.remove(QUESTION) {
        Some(Value::String(question)) => visible(&question).0.into_owned(),
        None | Some(Value::Null) => String::new(),
        Some(_) => return Err(McpError::Arguments("question is a text".to_owned()).into()),
    };
    let mut options = Vec::new();
    for (name, value) in arguments {
        let key = name.replace('_', "-");
        // Only the leader of a debate sets these.
        if of_leader.contains(&key) {
            return Err(McpError::NotOffered(key).into());
        }
        let values: Option<Vec<String>> = match &value {
            Value::Null => continue,
            Value::Array(values) => values.iter().map(word).collect(),
            one => word(one).map(|word| vec![word]),
        };
        let values = values.ok_or_else(|| {
            McpError::Arguments(format!(
                "{name} is a text, a number, true, false, or a list of texts"
            ))
        })?;
        if !values.is_empty() {
            options.push(DefaultEntry { key, values, line: 0 });
        }
    }
    Ok((question, options))
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(visible(text.trim()).0.into_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
