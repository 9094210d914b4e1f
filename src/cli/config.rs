//! `anvil config`: the value of every option, and the file that sets it.

use anvil_engine::{Context, Setting, defaults};
use anvil_text::error::Result;
use serde_json::{Value, json};

pub(super) fn run(context: &Context<'_>, as_json: bool) -> Result<()> {
    let settings = defaults::config(context)?;
    if !as_json {
        return super::print(&anvil_messages::settings(&settings));
    }
    let mut rows: Vec<Value> = Vec::new();
    for Setting { name, value, from, .. } in settings {
        let value = Some(value).filter(|value| !value.is_empty());
        rows.push(json!({ "option": name, "value": value, "from": from }));
    }
    super::print_json(&rows.into())
}
