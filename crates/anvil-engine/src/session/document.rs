//! The plan or the document that a new debate argues about.

use super::error::BriefError;
use crate::{Context, expand};
use anvil_context::Original;
use anvil_core::debate::Debate;
use anvil_core::document::{self, Document};
use anvil_core::options::DebateOptions;
use anvil_core::transcript::NoteKind;
use anvil_prompt::library;
use anvil_store::Project;
use anvil_text::error::Result;

/// The question about a plan if the user asks none.
const OF_PLAN: &str = "Will this plan do what it is for, and what has to change first?";

/// Longest heading of a plan in that question, in characters.
const MAX_HEADING: usize = 100;

/// The position on a plan if the user names none.
const PLAN_POSITION: &str = "This plan is right as it stands.";

/// Takes the plan or the document that is argued about. Returns the bytes of one that is revised.
pub(super) fn document(
    context: &Context<'_>,
    debate: &mut Debate,
    options: &DebateOptions,
    project: &Project,
    material: &mut Vec<(NoteKind, String)>,
) -> Result<Option<Vec<u8>>> {
    let Some(typed) = options.document() else {
        return Ok(None);
    };
    let (name, original, bytes) = match &options.session_plan {
        Some(plan) => {
            let name = anvil_text::clean(&plan.name, 200);
            let original = Original::of_bytes(&plan.bytes, &name)?;
            (name, original, plan.bytes.clone())
        }
        None if typed.is_empty() => {
            return Err(BriefError::NoPlan.into());
        }
        None => {
            let home = context.world.home.as_deref();
            let path = expand(typed, &context.world.cwd, home);
            let (original, bytes) = Original::read(&path)?;
            let name = anvil_context::saved_name(&path, project.root(), home);
            (anvil_text::clean(&name, 200), original, bytes)
        }
    };
    context.add_details(original.masked_note(&name));
    let is_revised = options.revise.is_some();
    let sha256 = is_revised.then(|| document::sha256(&bytes));
    let document = Document { name, sha256, text: original.text_for_seats() };
    take_document(debate, &document);
    material.push((NoteKind::Document, document.note()));
    Ok(is_revised.then_some(bytes))
}

/// The question and the position of a debate about a plan or a document, unless the user typed
/// them.
fn take_document(debate: &mut Debate, document: &Document) {
    let is_revised = document.sha256.is_some();
    if debate.question.is_empty() {
        debate.question = if is_revised {
            format!("Can {} be accepted as it now stands?", document.name)
        } else {
            // Lists show the beginning of a question.
            let heading = library::headings(&document.text)
                .next()
                .map(|heading| anvil_text::clean(heading, MAX_HEADING))
                .filter(|heading| !heading.trim().is_empty());
            match heading {
                Some(heading) if heading.ends_with(['.', ':', '?', '!', '…']) => {
                    format!("{heading} {OF_PLAN}")
                }
                Some(heading) => format!("{heading}. {OF_PLAN}"),
                None => OF_PLAN.to_owned(),
            }
        };
    }
    if !is_revised {
        debate.options.plan = Some(document.name.clone());
        debate.options.position.get_or_insert_with(|| PLAN_POSITION.to_owned());
    }
}
