//! Finished debates that are removed from the archive.

use std::fmt::Write as _;

use crate::engine::PrunePlan;
use crate::text::{clean, files, size};

/// The files that would be removed.
pub fn prune_plan(plan: &PrunePlan) -> String {
    let (count, all) = (plan.debates.len(), plan.debates.len() + plan.stay);
    let number: usize = plan.debates.iter().map(|debate| debate.files.len()).sum();
    let mut out = format!(
        "Anvil: {count} of {all} finished debates in the archive can go: {}, {}.",
        files(number),
        size(plan.bytes())
    );
    let checkpoints = plan.project.checkpoints();
    for debate in &plan.debates {
        let _ = write!(out, "\n\n  {}  {}", clean(&debate.id, 100), clean(&debate.question, 60));
        let (kept, others): (Vec<_>, Vec<_>) =
            debate.files.iter().partition(|(path, _)| path.starts_with(&checkpoints));
        for (path, bytes) in others.iter().rev() {
            let path = clean(&plan.project.display(path), 300);
            let _ = write!(out, "\n    {:>11}  {path}", size(*bytes));
        }
        if let Some((path, _)) = kept.first() {
            let folder = clean(&plan.project.display(path.parent().unwrap_or(path)), 300);
            let bytes = kept.iter().map(|(_, bytes)| bytes).sum();
            let _ = write!(out, "\n    {:>11}  {folder} ({})", size(bytes), files(kept.len()));
        }
    }
    out
}

/// The question at a terminal before the files are removed.
pub const PRUNE_QUESTION: &str = "\nType yes to remove them for good:";

/// The user did not say yes.
pub fn not_pruned(keep: usize) -> String {
    format!("\nNothing was removed. `anvil prune --keep {keep} --yes` removes them.")
}

/// The number of files that were removed.
pub fn pruned(number: usize, bytes: u64) -> String {
    format!("\nRemoved: {}, {}.", files(number), size(bytes))
}
