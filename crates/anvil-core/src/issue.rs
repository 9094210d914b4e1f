//! An issue or pull request on a forge, and the options of publish and pull.

/// The issue or pull request that the user means; both share one count on every forge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedIssue {
    /// From 1.
    pub number: u32,
    /// Its repository, `OWNER/NAME` or `HOST/OWNER/NAME`. `None`: that of the git remote.
    pub repo: Option<String>,
}

impl NamedIssue {
    /// The issue of this number in the repository of the checkout.
    pub fn of_checkout(number: u32) -> Self {
        Self { number, repo: None }
    }

    /// The words after `publish` or `pull` that name it: `12`, `12 --repo owner/name`.
    pub fn command_words(&self) -> String {
        let repo = self.repo.as_ref().map(|repo| format!(" --repo {repo}")).unwrap_or_default();
        format!("{}{repo}", self.number)
    }
}

/// How a debate is published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Publishing {
    /// Where.
    pub issue: NamedIssue,
    /// Its report goes into a comment too.
    pub comment: bool,
    /// The verdict goes into a comment, and nothing into the text.
    pub verdict: bool,
    /// Its open question goes into a comment.
    pub ask: bool,
    /// Also over what somebody else has published there.
    pub force: bool,
    /// Also another running session's debate.
    pub take_over: bool,
}

/// How a debate is pulled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pulling {
    /// Where from.
    pub issue: NamedIssue,
    /// Also over the debate that is here.
    pub force: bool,
    /// Also over another running session's debate.
    pub take_over: bool,
}
