//! `anvil claims`: every claim of a debate, for people or as JSON.

use anvil_core::options::ClaimsOptions;
use anvil_engine::{Context, SelectedClaims, reports};
use anvil_text::error::Result;
use serde_json::{Value, json};

pub(super) fn run(context: &Context<'_>, options: &ClaimsOptions, as_json: bool) -> Result<()> {
    let claims = reports::claims(context, None, options)?;
    if as_json {
        super::print_json(&to_json(&claims))?;
    }
    if claims.picked.is_empty() {
        return Err(anvil_messages::no_claims(&claims));
    }
    if as_json {
        Ok(())
    } else {
        super::print_styled(&anvil_messages::claims(&claims, super::screen::screen()))
    }
}

fn to_json(claims: &SelectedClaims) -> Value {
    let mut findings = Vec::new();
    for finding in claims.findings() {
        let mut value = json!(finding);
        value["text"] = anvil_report::finding(&finding, |section| claims.place(section)).into();
        findings.push(value);
    }
    let mut value = json!({
        "id": claims.debate.id,
        "question": claims.debate.question,
        "claims": claims.authored_claims().collect::<Vec<_>>(),
        "moves": claims.moves().collect::<Vec<_>>(),
        "findings": findings,
        "counts": claims.ledger.counts(),
        "as_of_cycle": claims.ledger.earlier.as_ref().map(|earlier| earlier.cycle),
    });
    super::add_all(&mut value, &claims.ledger.standing());
    value
}
