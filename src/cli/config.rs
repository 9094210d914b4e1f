//! `anvil config`: what holds for every option, and which file says so.

use serde_json::{Value, json};

use crate::engine::{Engine, Setting};
use crate::error::Result;
use crate::text;

pub(super) fn run(engine: &Engine<'_>, as_json: bool) -> Result<()> {
    if as_json {
        let told = |setting: Setting| {
            let value = Some(setting.value).filter(|value| !value.is_empty());
            json!({ "option": setting.name, "value": value, "from": setting.from })
        };
        return super::print_json(&engine.config()?.into_iter().map(told).collect::<Vec<Value>>().into());
    }
    let rows: Vec<[String; 3]> = engine
        .config()?
        .into_iter()
        .map(|setting| [setting.name, text::clean(&setting.value, 60), text::clean(&setting.from, usize::MAX)])
        .collect();
    super::print(&text::table(&rows))
}
