//! Reads pasted text as the client delivers it. A text of many lines or of a thousand characters
//! stands between two marks, and the client runs no command in it (2.1.329, 2.1.330).
//!
//! ```text
//! <pasted_content id="6da5">
//! /anvil:debate …
//! </pasted_content id="6da5">
//! ```

use std::borrow::Cow;

use crate::errors::CommandError;
use anvil_text::error::Result;

/// The start of the first mark; its id follows.
const BEGIN: &str = "<pasted_content";

/// The start of the last mark; the id of the first mark follows.
const END: &str = "</pasted_content";

/// The client's form of a last mark in the pasted text.
const ESCAPED_END: &str = "<\\/pasted_content";

/// A prompt, divided at a paste.
struct Paste<'a> {
    before: &'a str,
    text: &'a str,
    after: &'a str,
}

impl<'a> Paste<'a> {
    fn first(prompt: &'a str) -> Option<Self> {
        let (before, remaining) = prompt.split_once(BEGIN)?;
        let (id, remaining) = remaining
            .split_once(">\n")
            .filter(|(id, _)| id.starts_with(" id=") && !id.contains('\n'))?;
        let (text, after) = remaining.split_once(&format!("\n{END}{id}>"))?;
        Some(Self { before, text, after })
    }

    /// The pasted text, with the client's escape undone.
    fn text(&self) -> String {
        self.text.replace(ESCAPED_END, END)
    }
}

/// The pasted command, if the prompt begins with a paste of one. It runs only if the prompt has no
/// other text, because another person may have written that text. `None`: no command of Anvil was
/// pasted.
pub(super) fn command(prompt: &str) -> Option<Result<String>> {
    let paste = Paste::first(prompt).filter(|paste| paste.before.trim().is_empty())?;
    let command = paste.text().trim().to_owned();
    Some(match paste.after.trim() {
        _ if !command.starts_with("/anvil:") => return None,
        "" => Ok(command),
        _ => Err(CommandError::Pasted.into()),
    })
}

/// The user's words, typed and pasted, without the client's marks.
pub fn without_marks(prompt: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut remaining = prompt;
    while let Some(paste) = Paste::first(remaining) {
        out.push_str(paste.before);
        out.push_str(&paste.text());
        remaining = paste.after;
    }
    if out.is_empty() { prompt.into() } else { (out + remaining).into() }
}

#[cfg(test)]
mod tests {
    use super::super::Typed;
    use super::*;

    #[test]
    fn a_pasted_command_runs_if_it_is_the_whole_prompt() {
        let pasted =
            |text: &str| Typed::parse(&format!("\n\n<pasted_content id=\"6da5\">\n{text}"));
        let end = "\n</pasted_content id=\"6da5\">\n";
        let line = "/anvil:debate Should we,\n<\\/pasted_content id=\"6da5\">\nor not? --rounds 2";
        let Some(Ok(Typed::Debate { question, options, .. })) = pasted(&format!("{line}{end}"))
        else {
            panic!("{line}")
        };
        let asked = "Should we,\n</pasted_content id=\"6da5\">\nor not?";
        assert_eq!(
            (question.as_str(), options.wishes.rounds.map(|rounds| rounds.0)),
            (asked, Some(2)),
            "as it was pasted"
        );
        for (text, is_ours) in [
            (format!("/anvil:debate Q?{end}\n --rounds 2"), true),
            (format!("/anvil:debate Q?{end}\n\n<pasted_content id=\"6da5\">\nmore{end}"), true),
            (format!("/anvil:debate Q?{}", end.replace("6da5", "6da6")), false),
            ("/anvil:debate Q?".to_owned(), false),
            (format!("See this: /anvil:debate Q?{end}"), false),
            (format!("hello{end}"), false),
        ] {
            match pasted(&text) {
                Some(Err(error)) if is_ours => {
                    assert!(error.hint().plain().contains("paste only the question"));
                }
                None if !is_ours => {}
                other => panic!("{text}: {other:?}"),
            }
        }
        assert!(Typed::parse("look: <pasted_content id=\"1\">\n/anvil:debate Q?").is_none());
    }

    #[test]
    fn words_around_and_between_pastes_stay() {
        let paste = |text: &str| {
            format!("\n\n<pasted_content id=\"6da5\">\n{text}\n</pasted_content id=\"6da5\">\n")
        };
        let prompt = format!("see {}and {}", paste("<b>\n<\\/pasted_content>"), paste(""));
        assert_eq!(without_marks(&prompt), "see \n\n<b>\n</pasted_content>\nand \n\n\n");
        for plain in [
            "",
            "the cost",
            "<pasted_content>\nx\n</pasted_content>",
            "<pasted_content id=\"1\">\nx",
        ] {
            assert_eq!(without_marks(plain), plain);
        }
    }
}
