//! Debates that are published to an issue or pulled from one.

use crate::domain::debate::{Debate, Named, Status};
use crate::engine::{Publication, Pulled, Taken};
use crate::error::{Error, Result};
use crate::text::door::Door;
use crate::text::{clean, unseen};

/// The result of publishing. It is an error if the report could not be posted as a comment.
pub fn published(publication: &Publication) -> Result<String> {
    let Publication { issue, side, comments, report } = publication;
    let line = match comments {
        None => format!("Anvil: {issue} has it already: {}.", side.label()),
        Some(0) => format!("Anvil: published to {issue}, {}.", side.label()),
        Some(1) => {
            format!("Anvil: published to {issue}, {}. Its sections are in 1 comment.", side.label())
        }
        Some(count) => {
            format!(
                "Anvil: published to {issue}, {}. Its sections are in {count} comments.",
                side.label()
            )
        }
    };
    match report {
        None => Ok(line),
        Some(Ok(())) => Ok(format!("{line} Its report is a comment there.")),
        Some(Err(error)) => Err(Error::failed(
            format!("{line} Its report could not be posted: {error}"),
            error.clone().into_hint(),
        )),
    }
}

/// The result of pulling. If the options came from the issue, it warns that they may hold
/// instructions of other people.
pub fn pulled(pulled: &Pulled, door: Door) -> String {
    let Pulled { issue, side, taken } = pulled;
    let Some(Taken { brings_options, unseen_characters, file }) = taken else {
        return format!("Anvil: all of {issue} is here: {}.", side.label());
    };
    let next = match side.debate.progress.status {
        Status::Completed => "`anvil report` shows its verdict; `anvil again` argues once more.",
        Status::Cancelled => "`anvil status` shows it.",
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => {
            "`anvil resume` goes on with it."
        }
    };
    let next = door.text(next);
    let brought = brought(&side.debate, *brings_options).join(", ");
    let warning = match &*brought {
        "" => String::new(),
        brought => format!(
            "\nClaude will be told to follow what it brings: {brought}. Read that in {file} first."
        ),
    };
    let hidden = match *unseen_characters {
        0 => String::new(),
        count => format!(
            "\n{file} holds {}: no screen or report shows them, and Claude reads them.",
            unseen(count)
        ),
    };
    let question = clean(&side.debate.question, 200);
    format!("Anvil: pulled from {issue}, {}: {question}{warning}{hidden}\n{next}", side.label())
}

/// The debate's own texts that a role has to follow.
fn brought(debate: &Debate, options: bool) -> Vec<String> {
    let named = |what: &str, name: &str| Some(format!("{what} {}", clean(name, 60)));
    let own = |what, named_text: &Named| {
        named_text.text.as_ref().and_then(|_| named(what, &named_text.name))
    };
    let options = options.then(|| {
        let rules = debate.options.house_rules.as_ref().map(|_| "house rules".to_owned());
        let mode = debate
            .options
            .mode_text
            .as_ref()
            .and_then(|_| named("the mode", debate.options.mode.word()));
        let framework =
            debate.options.framework.as_ref().and_then(|framework| own("the framework", framework));
        let voices = debate.options.voices.iter().filter_map(|voice| own("the voice", voice));
        [rules, mode, framework].into_iter().flatten().chain(voices).collect::<Vec<_>>()
    });
    let steering = debate.progress.steering.as_ref().map(|_| "steering".to_owned());
    options.unwrap_or_default().into_iter().chain(steering).collect()
}
