//! The content of an issue's body, for the user.

use std::fmt::Write as _;

use super::past::mode_and_length;
use crate::domain::debate::Status;
use crate::engine::Checked;
use crate::storage::issue_body::MAX_UNITS;
use crate::text::{clean, number_of};

/// The output of `anvil body check`, without a final line break.
pub fn body(checked: &Checked) -> String {
    let debate = &checked.state().debate;
    let next = match debate.progress.status {
        Status::Completed | Status::Cancelled => String::new(),
        Status::InProgress | Status::NotStarted | Status::Paused | Status::Failed => {
            format!(", next: {}", debate.slot_label())
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
