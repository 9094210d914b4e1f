//! `anvil config`: what holds for every option, and which file says so.

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::engine::{Engine, Setting};
use crate::error::Result;
use crate::messages;

/// What is set on this machine, and in no file of options.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum OfMachine {
    CalibrationList,
}

pub(super) fn run(engine: &Engine<'_>, as_json: bool) -> Result<()> {
    if as_json {
        let to_json = |setting: Setting| {
            let value = Some(setting.value).filter(|value| !value.is_empty());
            json!({ "option": setting.name, "value": value, "from": setting.from })
        };
        return super::print_json(&engine.config()?.into_iter().map(to_json).collect::<Vec<Value>>().into());
    }
    super::print(&messages::settings(&engine.config()?))
}
