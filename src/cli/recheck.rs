//! `anvil recheck`: whether the words that decisions rest on are still there.

use std::process::ExitCode;

use anvil_engine::{Context, Recheck, RecheckedDecision, history};
use anvil_messages::Door;
use anvil_text::Exit;
use anvil_text::error::Result;
use clap::Args;
use serde_json::{Value, json};

#[derive(Args)]
pub(crate) struct RecheckOptions {
    /// Debates by number or id; or decision records, by their files or folder [default: every
    /// decision of this project's debates that stands]
    #[arg(value_name = "ID|FILE")]
    named: Vec<String>,
    /// Exit with 4 unless all cited words are there; a claim or file that cites none does not count
    #[arg(long)]
    fail: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(
    context: &Context<'_>,
    options: &RecheckOptions,
    door: &Door,
) -> Result<ExitCode> {
    let recheck = history::recheck(context, &options.named)?;
    if options.json {
        super::print_json(&to_json(&recheck))?;
    } else {
        super::print(&anvil_messages::recheck(&recheck, super::screen::columns(), door))?;
    }
    let fails = options.fail && !recheck.is_sound();
    Ok(if fails { Exit::Gate.into() } else { ExitCode::SUCCESS })
}

fn to_json(recheck: &Recheck) -> Value {
    let unreadable = recheck.unreadable.iter();
    let unreadable = unreadable.map(|(file, why)| json!({ "file": file, "unreadable": why }));
    recheck.decisions.iter().map(decision_to_json).chain(unreadable).collect()
}

fn decision_to_json(one: &RecheckedDecision) -> Value {
    let claims: Vec<Value> = one
        .claims()
        .map(|(claim, now)| {
            let mut value = json!(claim);
            value["now"] = now.map_or(Value::Null, |now| json!(now));
            value
        })
        .collect();
    let mut value = json!(one.decision);
    value["file"] = json!(one.file);
    value["changed"] = json!(one.changed_count());
    value["claims"] = claims.into();
    value
}
