//! The arguments of the tools. A schema shows the comments of their fields to the model.

use std::borrow::Cow;

use anvil_core::debate::{DebateOption, Takes};
use anvil_report::Format;
use anvil_store::DefaultEntry as Wish;
use anvil_text::error::Result;
use anvil_text::visible;
use rmcp::model::JsonObject;
use rmcp::schemars::{self, JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

const QUESTION: &str = "question";

/// The arguments of `debate_start`, for its schema. Each is an option of `/anvil:debate`, and is
/// read like an option in a project's file.
pub(crate) struct Start;

impl JsonSchema for Start {
    fn schema_name() -> Cow<'static, str> {
        "Start".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let offered = |option: DebateOption| {
            let mut schema = match option.takes() {
                Takes::YesOrNo => json!({"type": "boolean"}),
                Takes::Number => json!({"type": "integer"}),
                Takes::Text => json!({"type": "string"}),
                Takes::List | Takes::Several => {
                    json!({"type": "array", "items": {"type": "string"}})
                }
            };
            schema["description"] = option.tool_help()?.into();
            Some((option.name().replace('-', "_"), schema))
        };
        let mut properties: Map<String, Value> = DebateOption::all().filter_map(offered).collect();
        let question = json!({"type": "string", "description": "What to decide"});
        properties.insert(QUESTION.to_owned(), question);
        json_schema!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "required": [QUESTION],
        })
    }
}

/// What `debate_status` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Status {
    /// A debate's id; the one here if left out
    pub id: Option<String>,
}

/// What `task_claim` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    /// advocate, critic, voice, synthesizer, judge, or any (default)
    pub seat: Option<String>,
    /// Token of a task you hold: its prompt again
    pub token: Option<String>,
    /// Seconds to wait, 0 to 20
    pub wait_s: Option<u64>,
}

/// What `task_submit` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Submit {
    /// From `task_claim`
    pub token: String,
    /// The whole reply, Markdown
    pub reply: String,
}

/// What `debate_note` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteFact {
    /// Of a task that you hold
    pub token: String,
    /// One fact and its place, at most 600 characters
    pub text: String,
}

/// What `debate_report` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Report {
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

/// What `debate_search` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    /// What to look for; all debates if left out
    pub text: Option<String>,
}

pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| anvil_messages::mcp::wrong_arguments(&error.to_string()))
}

/// Splits the arguments of `debate_start` into the question and its options, in the form of a
/// project's file.
pub(super) fn wishes(mut arguments: JsonObject) -> Result<(String, Vec<Wish>)> {
    use DebateOption as O;
    let question = match arguments.remove(QUESTION) {
        Some(Value::String(question)) => visible(&question).0.into_owned(),
        None | Some(Value::Null) => String::new(),
        Some(_) => return Err(anvil_messages::mcp::wrong_arguments("question is a text")),
    };
    let mut wishes = Vec::new();
    for (name, value) in arguments {
        let key = name.replace('_', "-");
        // Only the leader of a debate sets these.
        if let Some(O::Judges | O::Interactive | O::Boundary) = O::named(&key) {
            return Err(anvil_messages::mcp::not_offered(&key));
        }
        let unusable = || {
            anvil_messages::mcp::wrong_arguments(&format!(
                "{name} is a text, a number, true, false, or a list of texts"
            ))
        };
        let values = match value {
            Value::Null => continue,
            Value::Array(values) => {
                values.iter().map(word).collect::<Option<Vec<_>>>().ok_or_else(unusable)?
            }
            one => vec![word(&one).ok_or_else(unusable)?],
        };
        if !values.is_empty() {
            wishes.push(Wish { key, values, line: 0 });
        }
    }
    Ok((question, wishes))
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(visible(text.trim()).0.into_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
