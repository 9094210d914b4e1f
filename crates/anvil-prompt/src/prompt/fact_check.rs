//! The prompt of a fact-checker: a few claims, each with the text around it.

use std::fmt::Write as _;

use crate::prompt::{self, block_quote};
use anvil_core::ledger::Claim;
use anvil_core::options::FactCheck;

const FACT_CHECK: &str = include_str!("../../prompts/fact-check.md");

/// Composes the prompt. Each claim has the words around it; before the debate begins the list is
/// empty. `is_again`: the last reply had no line in the required form.
pub fn check_prompt(
    question: &str,
    claims: &[(&Claim, String)],
    check: FactCheck,
    is_again: bool,
) -> String {
    let mut listed = String::new();
    for (claim, around) in claims {
        let _ = write!(listed, "### {}\n\n{}\n\n", claim.id, block_quote(around));
    }
    if claims.is_empty() {
        listed.push_str("(The claims of the round stand here.)\n\n");
    }
    let first = claims.first().map_or_else(|| "A1".to_owned(), |(claim, _)| claim.id.to_string());
    let (place, where_, looked) = match check {
        FactCheck::Files => (
            "src/x.rs:12",
            "The folder you are in holds the files of the project: look there, and nowhere else.",
            "The number after a file is the line. A program looks for the words there; what it \
             does not find counts as not found.",
        ),
        FactCheck::Web => (
            "https://example.com/page",
            "Look on the web. Go to what a source says itself, and not to who tells of it.",
            "Without an address, and words that stand there, a claim counts as not found.",
        ),
    };
    let text = prompt::fill(FACT_CHECK, |name| {
        Some(match name {
            "where" => where_.to_owned(),
            "question" => block_quote(question),
            "claims" => listed.clone(),
            "first" => first.clone(),
            "place" => place.to_owned(),
            "looked" => looked.to_owned(),
            "again" if is_again => "\nYour last reply had no line of this form.\n".to_owned(),
            "again" => String::new(),
            _ => return None,
        })
    });
    text.trim_end().to_owned() + "\n"
}
