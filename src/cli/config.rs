//! `anvil config`: the value of every option, and the file that sets it.

use serde_json::{Value, json};

use crate::engine::{Engine, Setting};
use crate::error::Result;
use crate::messages;

pub(super) fn run(engine: &Engine<'_>, as_json: bool) -> Result<()> {
    if as_json {
        let to_json = |setting: Setting| {
            let value = Some(setting.value).filter(|value| !value.is_empty());
            json!({ "option": setting.name, "value": value, "from": setting.from })
        };
        return super::print_json(
            &engine.sessions().config()?.into_iter().map(to_json).collect::<Vec<Value>>().into(),
        );
    }
    super::print(&messages::settings(&engine.sessions().config()?))
}
