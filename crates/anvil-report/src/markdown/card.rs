//! The verdict as the one comment of its question in a pull request.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::buildable::without_links;
use super::inert::plain;
use crate::authored::degraded_line;
use crate::model::Model;
use anvil_core::ledger::Id;
use anvil_text::{clean, from_json, inert, json_in_comment};

/// Begins the line with every verdict of a comment, as JSON.
const VERDICTS: &str = "<!-- anvil-verdicts: ";
const ENDS: &str = " -->";

/// Most earlier verdicts that are kept.
const MAX_EARLIER: usize = 20;

/// One verdict in a line, with the commit that it was argued for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastVerdict {
    /// The debate.
    id: String,
    day: String,
    commit: String,
    verdict: String,
}

impl PastVerdict {
    /// The verdict of a debate. `commit`: the head of the pull request then; empty: not known.
    pub fn new(model: &Model, commit: &str) -> Self {
        let verdict = model.verdict();
        let recommended = verdict.and_then(|verdict| verdict.recommendation.as_deref());
        let text = format!("{}. {}", headline(model), recommended.unwrap_or_default());
        Self {
            id: clean(&model.id, 100),
            day: model.day().to_owned(),
            commit: commit.to_owned(),
            verdict: clean(&text, 300),
        }
    }

    /// The verdicts in a comment, the newest first. Others may have edited it.
    pub fn all_in(comment: &str) -> Vec<Self> {
        let lines = comment.lines().filter_map(|line| line.trim_end().strip_prefix(VERDICTS));
        let read = lines.filter_map(|line| from_json::<Vec<Self>>(line.strip_suffix(ENDS)?).ok());
        read.flatten().take(MAX_EARLIER + 1).collect()
    }

    fn line(&self) -> String {
        let commit = short(&self.commit);
        let commit = if commit.is_empty() { commit } else { format!(", commit `{commit}`") };
        format!("{}{commit}: {}", clean(&self.day, 10), line(&self.verdict))
    }
}

/// The comment without its mark: the verdict, why, what to do, cautions, and the claims that
/// decide; `earlier` ones are folded. It notifies nobody, links nothing and names no machine.
pub fn card(model: &Model, commit: &str, earlier: &[PastVerdict]) -> String {
    let mut out = format!("### {}\n\n", line(&clean(&model.question, 200)));
    let _ = writeln!(out, "**{}.**\n", line(&headline(model)));
    if let Some(degraded) = degraded_line(&model.authors) {
        let _ = writeln!(out, "{}\n", line(&degraded));
    }
    if let Some(verdict) = model.verdict() {
        let what = [("Why", &verdict.why), ("What to do", &verdict.recommendation)];
        for (label, text) in what {
            if let Some(text) = text {
                let _ = writeln!(out, "**{label}:** {}\n", line(text));
            }
        }
        for caution in &verdict.cautions {
            let _ = writeln!(out, "**Caution:** {}\n", line(caution));
        }
        let ids: &[Id] = verdict.rests_on.as_deref().unwrap_or_default();
        let mut claims = ids.iter().filter_map(|id| model.ledger.claim(*id)).peekable();
        if claims.peek().is_some() {
            out.push_str("**The claims that decide:**\n\n");
            for claim in claims {
                let sentence = line(&format!("{} ({})", claim.sentence, claim.outcome()));
                let _ = writeln!(out, "* **{}** {sentence}", claim.id);
            }
            out.push('\n');
        }
    }
    let commit_then = short(commit);
    let of =
        if commit_then.is_empty() { commit_then } else { format!(" of commit `{commit_then}`") };
    let _ = writeln!(out, "*A structured debate by Anvil{of}, {}.*", model.day());
    let earlier = &earlier[..earlier.len().min(MAX_EARLIER)];
    let mut folded = String::new();
    for one in earlier {
        let _ = writeln!(folded, "* {}", one.line());
    }
    let mut text = without_links(&inert(&out));
    if !earlier.is_empty() {
        let count = earlier.len();
        let folded = without_links(&inert(&folded));
        let _ = write!(
            text,
            "\n<details>\n<summary>Earlier verdicts: {count}</summary>\n\n{folded}\n</details>\n"
        );
    }
    let mut all = vec![PastVerdict::new(model, commit)];
    all.extend(earlier.iter().cloned());
    let json = serde_json::to_string(&all).unwrap_or_default();
    let _ = writeln!(text, "\n{VERDICTS}{}{ENDS}", json_in_comment(&json));
    text
}

fn headline(model: &Model) -> String {
    let headline = model.standing.headline();
    if headline.is_empty() { "There is no verdict yet".to_owned() } else { headline }
}

/// The beginning of a commit's id; empty for anything else.
fn short(commit: &str) -> String {
    let is_id = commit.len() >= 10 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id { commit[..10].to_ascii_lowercase() } else { String::new() }
}

/// A text in one line that ends no emphasis.
fn line(text: &str) -> String {
    let text = clean(text, 600);
    let shown = plain(&format!("* {text}"));
    let shown = shown.strip_prefix("* ").map(|shown| shown.trim_end().to_owned());
    shown.unwrap_or_else(|| text.replace(['<', '`', '[', '#'], " ")).replace('*', r"\*")
}
