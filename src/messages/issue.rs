//! Debates that are published to an issue or pulled from one, and the body of such an issue.

use std::fmt::Write as _;

use super::past::mode_and_length;
use crate::domain::debate::{Debate, Named, Options, Status};
use crate::engine::{Checked, Publication, Pulled, Taken};
use crate::error::{Error, Result};
use crate::storage::issue_body::MAX_UNITS;
use crate::text::door::Door;
use crate::text::{clean, number_of, unseen};

/// The result of publishing. It is an error if the report could not be posted as a comment.
pub fn published(publication: &Publication) -> Result<String> {
    let Publication { issue, side, comments, report } = publication;
    let line = match comments {
        None => format!("Anvil: {issue} has it already: {}.", side.label()),
        Some(0) => format!("Anvil: published to {issue}, {}.", side.label()),
        Some(count) => {
            let (side, comments) = (side.label(), number_of(*count, "comment", "comments"));
            format!("Anvil: published to {issue}, {side}. Its sections are in {comments}.")
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

/// A run could not write its issue. `by_hand`: no phase follows, and this command writes it.
pub fn issue_behind(issue: u32, why: &str, by_hand: Option<&str>) -> String {
    let next = by_hand.map_or_else(
        || "the next phase tries again".to_owned(),
        |command| format!("{command} writes it"),
    );
    format!("  Issue #{issue} is behind: {}; {next}", clean(why, 300))
}

/// The result of pulling. If the options came from the issue, it warns that they may hold
/// instructions of other people.
pub fn pulled(pulled: &Pulled, door: Door) -> String {
    let Pulled { issue, side, taken } = pulled;
    let Some(Taken { brings_options, unseen_characters, file }) = taken else {
        return format!("Anvil: all of {issue} is here: {}.", side.label());
    };
    let next = door.text(match side.debate.progress.status {
        Status::Completed => "`anvil report` shows its verdict; `anvil again` argues once more.",
        Status::Cancelled => "`anvil status` shows it.",
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => {
            "`anvil resume` goes on with it."
        }
    });
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
    let named = |what: &str, name: &str| format!("{what} {}", clean(name, 60));
    let own =
        |what, named_text: &Named| named_text.text.as_ref().map(|_| named(what, &named_text.name));
    let Options { house_rules, mode, mode_text, framework, voices, .. } = &debate.options;
    let mut brought = Vec::new();
    if options {
        brought.extend(house_rules.as_ref().map(|_| "house rules".to_owned()));
        brought.extend(mode_text.as_ref().map(|_| named("the mode", mode.word())));
        brought.extend(framework.as_ref().and_then(|text| own("the framework", text)));
        brought.extend(voices.iter().filter_map(|text| own("the voice", text)));
    }
    brought.extend(debate.progress.steering.as_ref().map(|_| "steering".to_owned()));
    brought
}

/// The output of `anvil body check`, without a final line break.
pub fn body(checked: &Checked) -> String {
    let debate = &checked.state().debate;
    let next = match debate.progress.status {
        Status::Completed | Status::Cancelled => String::new(),
        Status::InProgress | Status::NotStarted | Status::Paused | Status::Failed => {
            format!(", next: {}", debate.place_label())
        }
    };
    let mut out = format!("Anvil: {}\n", clean(&debate.question, 300));
    let (id, revision) = (clean(&debate.id, 100), checked.content.revision());
    let _ = writeln!(out, "  debate    {id}, revision {revision}");
    let _ = writeln!(out, "  status    {}{next}", debate.progress.status.label());
    let _ = writeln!(out, "  mode      {}", mode_and_length(debate));
    let _ = match checked.replies {
        Some((replies, words)) => {
            let replies = number_of(replies, "reply", "replies");
            writeln!(out, "  words     {words} in {replies}")
        }
        None => writeln!(out, "  words     in {} comments", checked.comments()),
    };
    let _ = write!(out, "  body      {} of {MAX_UNITS} characters", checked.units);
    if !checked.is_orderly {
        out.push_str(
            "\n  note      sections and pointer do not fit together; Anvil repairs that when it \
             takes the debate in",
        );
    }
    out
}
