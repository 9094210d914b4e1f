//! What a client is told: results without invisible characters, as they are saved, and errors without
//! paths of this machine.

use serde::Serialize;
use serde_json::Value;

use anvil_engine::{Context, session};
use anvil_system::world::World;
use anvil_text::error::Error;
use anvil_text::{Scrubber, visible};

/// A result. A seat that quotes what it is shown has to be found in the debate's file, so its words
/// stay as they are saved.
pub(crate) fn value(value: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(value).unwrap_or_default();
    clean(&mut value);
    value
}

fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = visible(text).0.into_owned(),
        Value::Array(values) => values.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// An error: a path outside the project becomes its file name.
pub(crate) fn error(world: &World, error: &Error) -> String {
    let context = Context::new(world);
    let scrubber: Scrubber = context.scrubber(&session::project(&context));
    let text = scrubber.scrub(&anvil_messages::mcp::error(error));
    text.lines().map(anvil_text::without_paths).collect::<Vec<_>>().join("\n")
}
