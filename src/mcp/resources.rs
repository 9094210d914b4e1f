//! The resources, for reading: each debate of the project, its ledger and its report.

use rmcp::model::{Resource, ResourceTemplate};
use serde_json::json;

use super::arguments::Status;
use super::calls;
use super::held::Held;
use super::outward::Outward;
use super::uri::{self, Part};
use crate::domain::command::ClaimsOptions;
use crate::engine::Engine;
use crate::error::{Kind, Result};
use crate::messages;
use crate::system::world::World;
use crate::text::clean;

/// Most debates on one page of the list.
const PAGE: usize = 50;

/// A page of the list, and the offset of the next one.
pub(super) fn list(world: &World, from: usize) -> Result<(Vec<Resource>, Option<usize>)> {
    let debates = match Engine::new(world).history().past(None) {
        Ok(past) => past.debates,
        Err(error) if error.kind() == Kind::Nothing => Vec::new(),
        Err(error) => return Err(error),
    };
    let page = debates.iter().skip(from).take(PAGE);
    let resources = |past: &crate::engine::PastDebate| {
        let (id, question) = (past.debate.id.clone(), clean(&past.debate.question, 100));
        Part::ALL.map(|part| {
            let end = part.end();
            Resource::new(format!("{}{end}", uri::from_id(&id)), format!("{id}{end}"))
                .with_title(question.clone())
                .with_mime_type(part.mime())
        })
    };
    let next = from.saturating_add(PAGE);
    Ok((page.flat_map(resources).collect(), (debates.len() > next).then_some(next)))
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    Part::ALL
        .map(|part| {
            let end = part.end();
            ResourceTemplate::new(format!("{}{end}", uri::from_id("{id}")), format!("debate{end}"))
                .with_mime_type(part.mime())
        })
        .to_vec()
}

/// The text of a resource and its MIME type.
pub(super) fn read(world: &World, held: &Held, uri: &str) -> Result<(String, &'static str)> {
    let (id, part) = uri::parse(uri).ok_or_else(|| messages::mcp::no_resource(uri))?;
    let outward = Outward::new(world);
    let engine = Engine::new(world);
    let text = match part {
        Part::Debate => {
            let standing = calls::status(world, held, &Status { id: Some(id.to_owned()) })?;
            format!("{:#}", outward.value(&standing))
        }
        Part::Ledger => {
            let options = ClaimsOptions { id: Some(id.to_owned()), ..ClaimsOptions::default() };
            let claims = engine.reports().for_seats().claims(None, &options)?;
            let ledger = json!({
                "id": claims.debate.id,
                "question": claims.debate.question,
                "claims": claims.authored().collect::<Vec<_>>(),
                "moves": claims.moves().collect::<Vec<_>>(),
                "counts": claims.ledger.counts(),
            });
            format!("{:#}", outward.value(&ledger))
        }
        Part::Report => outward.text(&engine.reports().for_seats().whole_text(id)?),
    };
    Ok((text, part.mime()))
}
