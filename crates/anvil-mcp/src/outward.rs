//! Cleans every text for the client: no control characters, no paths of this machine.

use serde::Serialize;
use serde_json::Value;

use anvil_engine::{Context, session};
use anvil_system::world::World;
use anvil_text::error::Error;
use anvil_text::{Places, without_controls};

#[derive(Debug)]
pub(crate) struct Outward {
    places: Places,
}

impl Outward {
    /// Cleans for the project of this world.
    pub(crate) fn new(world: &World) -> Self {
        let project = session::project(&Context::new(world));
        let folders = [Some(project.root()), world.home.as_deref()];
        let real = folders.map(|folder| folder?.canonicalize().ok());
        let [root, home] = real.each_ref().map(Option::as_deref);
        let home = [world.home.as_deref(), home];
        let roots = [Some(project.root()), root].into_iter().flatten();
        Self { places: Places::new(roots, home.into_iter().flatten()) }
    }

    fn text(&self, text: &str) -> String {
        self.places.without(&without_controls(text))
    }

    /// Cleans all texts of a value.
    pub(crate) fn value(&self, value: &impl Serialize) -> Value {
        let mut value = serde_json::to_value(value).unwrap_or_default();
        self.clean(&mut value);
        value
    }

    fn clean(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.clean(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.clean(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Cleans an error: a path outside the project becomes its file name.
    pub(crate) fn error(&self, error: &Error) -> String {
        let text = anvil_messages::mcp::error(error);
        self.text(&text).lines().map(anvil_text::without_paths).collect::<Vec<_>>().join("\n")
    }
}
