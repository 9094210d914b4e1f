//! The results of the tools. A schema shows these comments to the model.

use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;

use anvil_core::ledger::{self, Id};

/// A debate has begun.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StartResult {
    /// Its id
    pub debate: String,
    /// What is argued
    pub question: String,
    /// Replies until the verdict
    pub replies: usize,
    /// Where the report goes, if it was said
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// What to do now
    pub next: String,
    /// What else there is to know
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Where a debate stands.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StatusResult {
    /// Its id
    pub debate: String,
    /// What is argued
    pub question: String,
    /// `not_started`, `in_progress`, `paused`, `completed`, `cancelled` or `failed`
    pub status: String,
    /// Which reply is next
    pub at: String,
    /// Its replies
    pub tasks: Vec<TaskStatus>,
    /// The tasks that this server holds for you
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub yours: Vec<HeldTask>,
    /// What else there is to know
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One reply to write.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Task")]
pub(crate) struct TaskStatus {
    /// Its name
    pub id: String,
    /// What is to be done
    pub description: String,
    /// `available`, `claimed`, `in_progress`, `done`, `failed` or `skipped`
    pub status: String,
    /// Who has it: known when the debate is complete, or where you hold it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// The tasks that come first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
}

/// A task that is held.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Held")]
pub(crate) struct HeldTask {
    /// The task
    pub task: String,
    /// What its reply needs
    pub token: String,
}

/// What there is to do after a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClaimState {
    /// Write the reply that the prompt asks for
    Write,
    /// Nothing can be claimed now
    Wait,
    /// Nothing is left for you
    Nothing,
    /// The debate is over
    Over,
}

/// What came of a claim.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClaimResult {
    /// What there is to do
    pub state: ClaimState,
    /// The task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What its reply needs
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// What it waits for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// What to do now
    pub next: String,
    /// The whole prompt of the reply
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// What became of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SubmitState {
    /// It is filed
    Filed,
    /// It is kept until the replies before it are filed
    Kept,
    /// It is asked for once more
    Again,
    /// It came too late, and is put aside
    Late,
    /// Too many replies were not usable
    Failed,
    /// It is filed, and the debate is complete
    Complete,
    /// The fact is noted; your task waits for its reply
    Noted,
}

/// The answer to a reply.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SubmitResult {
    /// What became of it
    pub state: SubmitState,
    /// What to do now
    pub next: String,
    /// Its verdict, where the debate is complete
    #[serde(flatten)]
    pub verdict: Option<VerdictFields>,
    /// The prompt, where it is asked for once more
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// The verdict of a debate, with the keys of every other door
#[derive(Serialize, JsonSchema)]
pub(crate) struct VerdictFields {
    /// What do and do not are about
    #[serde(skip_serializing_if = "Option::is_none")]
    motion: Option<String>,
    /// `do`, `do not`, `depends` or an option
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    /// Why there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    no_verdict: Option<String>,
    /// What to do, in one sentence
    #[serde(skip_serializing_if = "Option::is_none")]
    recommendation: Option<String>,
    /// From 0 to 100
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence_percent: Option<u8>,
    /// The claims that carry it
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Vec<String>>,
    /// The strongest ground left against it
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<String>,
    /// With `depends`: the observation that decides
    #[serde(skip_serializing_if = "Option::is_none")]
    depends_on: Option<String>,
    /// What would turn it
    #[serde(skip_serializing_if = "Option::is_none")]
    flips_if: Option<String>,
    /// What nobody knew
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    /// The options, the best first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ranking: Vec<String>,
    /// How many of how many judges share it
    #[serde(skip_serializing_if = "Option::is_none")]
    judges: Option<(u8, u8)>,
    /// Their lowest and highest confidence
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence_range: Option<(u8, u8)>,
}

impl From<ledger::Verdict> for VerdictFields {
    fn from(verdict: ledger::Verdict) -> Self {
        let ledger::Verdict {
            motion,
            word,
            no_verdict,
            recommendation,
            confidence_percent,
            rests_on,
            against,
            depends_on,
            flips_if,
            unknown,
            ranking,
            judges,
            confidence_range,
        } = verdict;
        Self {
            motion,
            verdict: word.map(|word| word.word().to_owned()),
            no_verdict,
            recommendation,
            confidence_percent,
            rests_on: rests_on.map(|ids| ids.iter().map(Id::to_string).collect()),
            against,
            depends_on,
            flips_if,
            unknown,
            ranking,
            judges,
            confidence_range,
        }
    }
}

/// A report.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ReportResult {
    /// Its text
    pub report: String,
    /// What else there is to know
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The debates of the project.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SearchResult {
    /// The newest first
    pub debates: Vec<FoundDebate>,
    /// There are more than these
    pub has_more: bool,
}

/// One of them.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Past")]
pub(crate) struct FoundDebate {
    /// Its id
    pub debate: String,
    /// What was argued
    pub question: String,
    /// Where it stands
    pub status: String,
    /// Its verdict
    #[serde(flatten)]
    pub verdict: Option<VerdictFields>,
    /// Where the text was found
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<FoundText>,
}

/// A text in which something was found.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Hit")]
pub(crate) struct FoundText {
    /// Which text
    pub place: String,
    /// How often
    pub count: usize,
    /// Around the first one
    pub excerpt: String,
}
