//! What the tools take.

use rmcp::model::JsonObject;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Result;
use crate::messages;
use crate::state::Default as Wish;
use crate::text::visible;

/// Options of a debate that belong to whoever leads it.
const NOT_OFFERED: [&str; 3] = ["judges", "interactive", "boundary"];

/// What `debate_start` takes, for its schema: each is an option of `/anvil:debate`, and is read as one of a project's file.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Start {
    /// What to decide
    question: String,
    /// Rounds of advocate and critic, 1 to 10 (3)
    rounds: Option<u8>,
    /// analyst, philosopher, devils-advocate or stakeholders
    mode: Option<String>,
    /// Where the user stands now
    position: Option<String>,
    /// Who speaks in turn
    stakeholders: Option<Vec<String>>,
    /// Who argues, by name or description
    persona: Option<Vec<String>>,
    /// The critic opens before there is a case
    blind: Option<bool>,
    /// What to look at
    focus: Option<String>,
    /// Form of the synthesis: adr, pre-mortem, red-team, rfc, risks, decision-matrix or one-pager
    framework: Option<String>,
    /// Both sides look for sources
    research: Option<bool>,
    /// Material: files, folders or patterns within the project
    context: Option<Vec<String>>,
    /// Characters of material
    context_budget: Option<u32>,
    /// An earlier debate's id to build on
    follow_up: Option<String>,
    /// Two debates' ids to argue against each other
    versus: Option<[String; 2]>,
    /// End when nothing is open (true)
    early_end: Option<bool>,
    /// When to review the decision: 30d or a day
    review: Option<String>,
    /// A new file within the project for the report
    output: Option<String>,
}

/// What `debate_status` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Status {
    /// A debate's id; the one here if left out
    pub(super) id: Option<String>,
}

/// What `task_claim` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    /// advocate, critic, synthesizer, judge, stakeholder, persona, or any (default)
    pub(super) seat: Option<String>,
    /// Token of a task you hold: is it ready?
    pub(super) token: Option<String>,
    /// Seconds to wait, 0 to 20
    pub(super) wait_s: Option<u64>,
}

/// What `task_submit` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Submit {
    /// From `task_claim`
    pub(super) token: String,
    /// The whole reply, Markdown
    pub(super) reply: String,
}

/// What `debate_report` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    /// A debate's id; the one here if left out
    pub(super) id: Option<String>,
    /// markdown (default)
    pub(super) format: Option<Format>,
}

/// The forms of a report.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Format {
    #[default]
    Markdown,
    Json,
    Html,
    Adr,
    Mermaid,
}

/// What `debate_search` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// What to look for; all debates if left out
    pub(super) text: Option<String>,
}

/// Reads the arguments of a tool.
pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| messages::mcp::wrong_arguments(&error.to_string()))
}

/// The question, and the options as a project's file would set them.
pub(super) fn wishes(mut arguments: JsonObject) -> Result<(String, Vec<Wish>)> {
    let question = match arguments.remove("question") {
        Some(Value::String(question)) => visible(&question).0.into_owned(),
        None | Some(Value::Null) => String::new(),
        Some(_) => return Err(messages::mcp::wrong_arguments("question is a text")),
    };
    let mut wishes = Vec::new();
    for (name, value) in arguments {
        let key = name.replace('_', "-");
        if NOT_OFFERED.contains(&key.as_str()) {
            return Err(messages::mcp::not_offered(&key));
        }
        let unusable =
            || messages::mcp::wrong_arguments(&format!("{name} is a text, a number, true, false, or a list of texts"));
        let values = match value {
            Value::Null => continue,
            Value::Array(values) => values.iter().map(word).collect::<Option<Vec<_>>>().ok_or_else(unusable)?,
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
