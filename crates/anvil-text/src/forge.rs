//! The kinds of programs that host issues.

/// The kind of program that hosts issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forge {
    /// GitHub, through `gh`.
    Github,
    /// Gitea and Forgejo, through `tea`.
    Gitea,
}
