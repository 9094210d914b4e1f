//! The tools: names, arguments, results, and the dispatch of a call.

use std::sync::Arc;

use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::{self, Claim, Report, Search, Start, Status, Submit};
use super::calls::{self, blocking};
use super::claim::claim;
use super::held::Held;
use super::outward::Outward;
use super::results;
use crate::error::Result;
use crate::messages;
use crate::system::world::World;

/// Most characters of an answer that Claude Code shows; it puts a longer one into a file.
const MAX_CHARS: usize = 400_000;

const NAMES: [&str; 6] = [
    "debate_start",
    "debate_status",
    "task_claim",
    "task_submit",
    "debate_report",
    "debate_search",
];

pub(super) fn list() -> Vec<Tool> {
    let [start, status, claim, submit, report, search] = NAMES;
    vec![
        tool::<Start, results::Started>(
            start,
            "Begin a debate on a decision; its seats are then claimed",
            changes(),
        ),
        tool::<Status, results::Standing>(
            status,
            "Where a debate stands, and who has which task",
            looks(),
        ),
        tool::<Claim, results::Claimed>(
            claim,
            "Claim a reply to write: gives its prompt and token",
            changes(),
        ),
        tool::<Submit, results::Submitted>(submit, "File the reply to a claimed task", changes()),
        tool::<Report, results::Reported>(
            report,
            "The report of a debate: verdict, claims, replies",
            looks(),
        ),
        tool::<Search, results::Found>(
            search,
            "The project's debates, or those with a text",
            looks(),
        ),
    ]
}

fn changes() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).destructive(false).open_world(false)
}

fn looks() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}

fn tool<A: JsonSchema + 'static, R: JsonSchema + 'static>(
    name: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    let input = schema_for_input::<A>().unwrap_or_default();
    let mut meta = MetaObject::default();
    meta.0.insert("anthropic/maxResultSizeChars".to_owned(), json!(MAX_CHARS));
    Tool::new(name, description, without_noise(&input))
        .with_raw_output_schema(schema_for_output::<R>())
        .with_annotations(annotations)
        .with_meta(meta)
}

/// A schema without keys that a model does not need: it is sent with every request.
fn without_noise(schema: &JsonObject) -> Arc<JsonObject> {
    let mut schema = Value::Object(schema.clone());
    quiet(&mut schema);
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

fn quiet(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    for noise in ["$schema", "format", "minimum", "maximum"] {
        fields.remove(noise);
    }
    // An optional argument also allows null, which the model need not know.
    if let Some(Value::Array(types)) = fields.get("type") {
        let one = types.iter().find(|name| **name != "null").cloned();
        fields.extend(one.map(|one| ("type".to_owned(), one)));
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(quiet);
    }
}

/// Calls a tool. A mistake of the model is an answer that explains it.
pub(super) async fn call(
    world: &World,
    held: &Arc<Held>,
    name: &str,
    arguments: JsonObject,
    client: String,
    cancelled: impl Future<Output = ()>,
) -> CallToolResult {
    let outward = Outward::new(world);
    let [start, status, claims, submit, report, search] = NAMES;
    let (now, own) = (world.at_this_moment(), Arc::clone(held));
    let answer = if name == start {
        blocking(move || calls::start(&now, arguments))
            .await
            .flatten()
            .map(|answer| outward.value(&answer))
    } else if name == status {
        read(arguments, move |wanted| calls::status(&now, &own, &wanted))
            .await
            .map(|answer| outward.value(&answer))
    } else if name == claims {
        match arguments::read::<Claim>(arguments) {
            Ok(wanted) => claim(world, held, wanted, client, cancelled)
                .await
                .map(|answer| outward.value(&answer)),
            Err(error) => Err(error),
        }
    } else if name == submit {
        let read =
            read(arguments, move |wanted: Submit| calls::submit(&now, &own, &wanted, &client));
        read.await.map(|answer| outward.value(&answer))
    } else if name == report {
        read(arguments, move |wanted| calls::report(&now, &wanted))
            .await
            .map(|answer| outward.value(&answer))
    } else if name == search {
        read(arguments, move |wanted| calls::search(&now, &wanted))
            .await
            .map(|answer| outward.value(&answer))
    } else {
        Err(messages::mcp::no_tool(name, &NAMES))
    };
    match answer {
        Ok(value) => CallToolResult::structured(value),
        Err(error) => CallToolResult::error(vec![ContentBlock::text(outward.error(&error))]),
    }
}

/// Reads the arguments and runs blocking work with them.
async fn read<A, R>(
    arguments: JsonObject,
    what: impl FnOnce(A) -> Result<R> + Send + 'static,
) -> Result<R>
where
    A: serde::de::DeserializeOwned + Send + 'static,
    R: Serialize + Send + 'static,
{
    blocking(move || what(arguments::read(arguments)?)).await.flatten()
}
