//! What a body says, for the user.

use std::fmt::Write as _;

use super::{how, slot};
use crate::debate::{Debate, Status};
use crate::text::clean;

/// What `anvil body check` shows.
#[derive(Clone, Debug)]
pub struct PortableLines<'a> {
    /// The debate.
    pub debate: &'a Debate,
    /// How often it was published.
    pub revision: u64,
    /// Replies, and their words. `None`: they lie in comments.
    pub replies: Option<(usize, usize)>,
    /// How many comments hold sections.
    pub comments: usize,
    /// Characters of the body, and how many it can have.
    pub characters: (usize, usize),
    /// Sections and pointer fit together.
    pub is_orderly: bool,
}

impl PortableLines<'_> {
    /// The lines, without a final line break.
    #[must_use]
    pub fn render(&self) -> String {
        let debate = self.debate;
        let next = match debate.progress.status {
            Status::Completed | Status::Cancelled => String::new(),
            Status::InProgress | Status::NotStarted | Status::Paused | Status::Failed => {
                format!(", next: {}", slot(debate))
            }
        };
        let mut out = format!("Anvil: {}\n", clean(&debate.question, 300));
        let _ = writeln!(out, "  debate    {}, revision {}", clean(&debate.id, 100), self.revision);
        let _ = writeln!(out, "  status    {}{next}", debate.progress.status.label());
        let _ = writeln!(out, "  mode      {}", how(debate));
        let _ = match self.replies {
            Some((replies, words)) => {
                let noun = if replies == 1 { "reply" } else { "replies" };
                writeln!(out, "  words     {words} in {replies} {noun}")
            }
            None => writeln!(out, "  words     in {} comments", self.comments),
        };
        let _ = write!(out, "  body      {} of {} characters", self.characters.0, self.characters.1);
        if !self.is_orderly {
            out.push_str(
                "\n  note      sections and pointer do not fit together; Anvil mends that when it takes the debate in",
            );
        }
        out
    }
}
