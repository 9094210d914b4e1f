//! The tools: names, arguments, results, and the dispatch of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::{
    self, ClaimArguments, NoteArguments, ReportArguments, SearchArguments, StartArguments,
    StatusArguments, SubmitArguments,
};
use super::calls::{self, blocking};
use super::claim::claim;
use super::held::Held;
use super::outward;
use super::results::{
    ReportResult, SearchResult, StartResult, StatusResult, SubmitResult, TaskClaimResult,
};
use crate::error::McpError;
use anvil_system::world::World;
use anvil_text::error::Result;

/// Most characters of an answer that Claude Code shows; it puts a longer one into a file.
const MAX_CHARS: usize = 400_000;

const START: &str = "debate_start";
const STATUS: &str = "debate_status";
const CLAIM: &str = "task_claim";
const SUBMIT: &str = "task_submit";
const NOTE: &str = "debate_note";
const REPORT: &str = "debate_report";
const SEARCH: &str = "debate_search";

const NAMES: [&str; 7] = [START, STATUS, CLAIM, SUBMIT, NOTE, REPORT, SEARCH];

pub(super) fn list() -> Vec<Tool> {
    let start = "Begin a debate on a decision; its seats are then claimed";
    let status = "The progress of a debate, and who holds which task";
    let claim = "Claim a reply to write: gives its prompt and token";
    let submit = "Save the reply to a claimed task";
    let note = "Note a fact you found, with its place, for the replies after yours";
    let report = "The report of a debate: verdict, claims, replies";
    let search = "The project's debates, or those with a text";
    vec![
        tool::<StartArguments, StartResult>(START, start, changes()),
        tool::<StatusArguments, StatusResult>(STATUS, status, looks()),
        tool::<ClaimArguments, TaskClaimResult>(CLAIM, claim, changes()),
        tool::<SubmitArguments, SubmitResult>(SUBMIT, submit, changes()),
        tool::<NoteArguments, SubmitResult>(NOTE, note, changes()),
        tool::<ReportArguments, ReportResult>(REPORT, report, looks()),
        tool::<SearchArguments, SearchResult>(SEARCH, search, looks()),
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
    let input = without(&NOISE, schema_for_input::<A>().unwrap_or_default());
    // An answer says itself what to do next.
    let output = without(&[&NOISE[..], &["description"]].concat(), schema_for_output::<R>());
    let mut meta = MetaObject::default();
    meta.0.insert("anthropic/maxResultSizeChars".to_owned(), json!(MAX_CHARS));
    Tool::new(name, description, input)
        .with_raw_output_schema(output)
        .with_annotations(annotations)
        .with_meta(meta)
}

/// What a model does not need: a client may send the schemas with every request. A format such as
/// `uint` is known to nobody else.
const NOISE: [&str; 4] = ["$schema", "format", "minimum", "maximum"];

/// The schema without these keys.
fn without(noise: &[&str], schema: Arc<JsonObject>) -> Arc<JsonObject> {
    let mut schema = Value::Object(Arc::unwrap_or_clone(schema));
    remove(noise, &mut schema);
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

fn remove(noise: &[&str], schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    fields.retain(|key, _| !noise.contains(&key.as_str()));
    // An optional value also allows null, which nobody needs to know.
    if let Some(Value::Array(types)) = fields.get("type") {
        let one = types.iter().find(|name| **name != "null").cloned();
        fields.extend(one.map(|one| ("type".to_owned(), one)));
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for (key, value) in fields.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values_mut().for_each(|value| remove(noise, value));
            }
            (_, Value::Array(all)) => all.iter_mut().for_each(|value| remove(noise, value)),
            (_, one) => remove(noise, one),
        }
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
    let now = world.at_this_moment();
    let tickets = Arc::clone(held);
    let bounded = arguments::check_bounds(&arguments);
    let answer = match name {
        _ if bounded.is_err() => bounded.map(|()| Value::Null),
        START => work(move || calls::start(&now, arguments)).await,
        STATUS => work(move || calls::status(&now, &tickets, &arguments::read(arguments)?)).await,
        CLAIM => match arguments::read(arguments) {
            Ok(arguments) => claim(world, held, arguments, client, cancelled)
                .await
                .map(|answer| outward::value(&answer)),
            Err(error) => Err(error),
        },
        SUBMIT => {
            work(move || calls::submit(&now, &tickets, &arguments::read(arguments)?, &client)).await
        }
        NOTE => work(move || calls::note(&now, &arguments::read(arguments)?, &client)).await,
        REPORT => {
            let report = move |is_cancelled: &_| {
                calls::report(&now, &arguments::read(arguments)?, is_cancelled)
            };
            work_until(cancelled, report).await
        }
        SEARCH => {
            let search = move |is_cancelled: &_| {
                calls::search(&now, &arguments::read(arguments)?, is_cancelled)
            };
            work_until(cancelled, search).await
        }
        _ => Err(McpError::NoTool { name: name.to_owned(), known: NAMES.join(", ") }.into()),
    };
    match answer {
        Ok(value) => CallToolResult::structured(value),
        Err(error) => {
            CallToolResult::error(vec![ContentBlock::text(outward::error(world, &error))])
        }
    }
}

/// Runs blocking work, and cleans its result.
async fn work<R: Serialize + Send + 'static>(
    call: impl FnOnce() -> Result<R> + Send + 'static,
) -> Result<Value> {
    let done = blocking(call).await.flatten()?;
    Ok(outward::value(&done))
}

/// The same for work that may take long: it ends soon after the call is cancelled.
async fn work_until<R: Serialize + Send + 'static>(
    cancelled: impl Future<Output = ()>,
    call: impl FnOnce(&AtomicBool) -> Result<R> + Send + 'static,
) -> Result<Value> {
    let is_cancelled = Arc::new(AtomicBool::new(false));
    let is_over = Arc::clone(&is_cancelled);
    let done = work(move || call(&is_over));
    tokio::pin!(done);
    tokio::select! {
        done = &mut done => return done,
        () = cancelled => is_cancelled.store(true, Ordering::Relaxed),
    }
    done.await
}
