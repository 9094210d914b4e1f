//! What leaves the server: without what steers a terminal, and without paths of the machine.

use serde::Serialize;
use serde_json::Value;

use crate::engine::Engine;
use crate::error::Error;
use crate::text::{Places, without_controls};
use crate::world::World;

/// Every text that a client gets goes through here.
#[derive(Debug)]
pub(super) struct Outward {
    places: Places,
}

impl Outward {
    /// For the project of this world.
    pub(super) fn of(world: &World) -> Self {
        let project = Engine::new(world).project();
        let folders = [Some(project.root()), world.home.as_deref()];
        let real = folders.map(|folder| folder?.canonicalize().ok());
        let [root, home] = real.each_ref().map(Option::as_deref);
        let home = [world.home.as_deref(), home];
        Self { places: Places::of([Some(project.root()), root].into_iter().flatten(), home.into_iter().flatten()) }
    }

    /// A text.
    pub(super) fn text(&self, text: &str) -> String {
        self.places.without(&without_controls(text))
    }

    /// A value with all of its texts.
    pub(super) fn value(&self, value: &impl Serialize) -> Value {
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

    /// An error, in which a path elsewhere is only the name of its file.
    pub(super) fn error(&self, error: &Error) -> String {
        let text = crate::messages::mcp::error(error);
        self.text(&text).lines().map(crate::text::without_paths).collect::<Vec<_>>().join("\n")
    }
}
