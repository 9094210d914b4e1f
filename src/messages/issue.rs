//! A debate in an issue, published or pulled.

use crate::debate::{Debate, Named, Status};
use crate::engine::{Publication, Pulled, Taken};
use crate::error::{Error, Result};
use crate::text::{clean, unseen};

/// What is in the issue now. An error where its report, which was to be a comment there, is not.
pub fn published(publication: &Publication) -> Result<String> {
    let Publication { issue, side, comments, gathered, report } = publication;
    let filed = |(slot, worker): &(String, String)| format!("Anvil: {slot} is filed, by {}.\n", clean(worker, 60));
    let taken = gathered.iter().map(filed).collect::<Vec<_>>().concat();
    let said = match comments {
        None => format!("Anvil: {issue} has it already: {}.", side.label()),
        Some(0) => format!("Anvil: published to {issue}, {}.", side.label()),
        Some(1) => format!("Anvil: published to {issue}, {}. Its sections are in 1 comment.", side.label()),
        Some(count) => {
            format!("Anvil: published to {issue}, {}. Its sections are in {count} comments.", side.label())
        }
    };
    let said = format!("{taken}{said}");
    match report {
        None => Ok(said),
        Some(Ok(())) => Ok(format!("{said} Its report is a comment there.")),
        Some(Err(error)) => {
            Err(Error::failed(format!("{said} Its report could not be posted: {error}"), error.hint().to_owned()))
        }
    }
}

/// What is here now. Where its options came with it, what of them Claude is told to follow is somebody else's word.
#[must_use]
pub fn pulled(pulled: &Pulled) -> String {
    let Pulled { issue, side, taken } = pulled;
    let Some(Taken { brings_options, unseen_characters, file }) = taken else {
        return format!("Anvil: all of {issue} is here: {}.", side.label());
    };
    let next = match side.debate.progress.status {
        Status::Completed => "`anvil report` writes its report; /anvil:again argues once more.",
        Status::Cancelled => "/anvil:status shows it.",
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => "/anvil:resume goes on with it.",
    };
    let brought = brought(&side.debate, *brings_options).join(", ");
    let warning = match &*brought {
        "" => String::new(),
        brought => format!("\nClaude will be told to follow what it brings: {brought}. Read that in {file} first."),
    };
    let hidden = match *unseen_characters {
        0 => String::new(),
        count => format!("\n{file} holds {}: no screen or report shows them, and Claude reads them.", unseen(count)),
    };
    let question = clean(&side.debate.question, 200);
    format!("Anvil: pulled from {issue}, {}: {question}{warning}{hidden}\n{next}", side.label())
}

/// What a debate has of texts of its own that a role is told to follow.
fn brought(debate: &Debate, options: bool) -> Vec<String> {
    let named = |what: &str, name: &str| Some(format!("{what} {}", clean(name, 60)));
    let own = |what, named_text: &Named| named_text.text.as_ref().and_then(|_| named(what, &named_text.name));
    let options = options.then(|| {
        let rules = debate.options.house_rules.as_ref().map(|_| "house rules".to_owned());
        let mode = debate.options.mode_text.as_ref().and_then(|_| named("the mode", debate.options.mode.word()));
        let framework = debate.options.framework.as_ref().and_then(|framework| own("the framework", framework));
        let voices = debate.options.voices.iter().filter_map(|voice| own("the voice", voice));
        [rules, mode, framework].into_iter().flatten().chain(voices).collect::<Vec<_>>()
    });
    let steering = debate.progress.steering.as_ref().map(|_| "steering".to_owned());
    options.unwrap_or_default().into_iter().chain(steering).collect()
}
