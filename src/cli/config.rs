//! `anvil config`: the value of every option, and the file that sets it.

use anvil_engine::{Context, Setting, session};
use anvil_text::error::Result;
use serde_json::{Value, json};

pub(super) fn run(context: &Context<'_>, as_json: bool) -> Result<()> {
    let settings = session::config(context)?;
    if !as_json {
        return super::print(&anvil_messages::settings(&settings));
    }
    let to_json = |setting: Setting| {
        let value = Some(setting.value).filter(|value| !value.is_empty());
        json!({ "option": setting.name, "value": value, "from": setting.from })
    };
    super::print_json(&settings.into_iter().map(to_json).collect::<Vec<Value>>().into())
}
