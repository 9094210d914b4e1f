//! The results of the tools.

use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;

use anvil_core::ledger::{Id, Standing};

/// The debate that was started.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StartResult {
    /// The debate's id
    pub debate: String,
    /// The question
    pub question: String,
    /// Replies until the verdict
    pub replies: usize,
    /// The path of the report, if one was given
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// Your next step
    pub next: String,
    /// Notes and warnings
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The status of a debate.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StatusResult {
    /// The debate's id
    pub debate: String,
    /// The question
    pub question: String,
    /// `not_started`, `in_progress`, `paused`, `completed`, `cancelled` or `failed`
    pub status: String,
    /// The next reply
    pub at: String,
    /// The replies of the debate, one task each
    pub tasks: Vec<TaskEntry>,
    /// The tasks that this server holds for you
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub yours: Vec<HeldTask>,
    /// Notes and warnings
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One reply to write.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Task")]
pub(crate) struct TaskEntry {
    /// The task's name
    pub id: String,
    /// The reply to write
    pub description: String,
    /// `available`, `waiting` for another one, `claimed`, `in_progress`, `done`, `failed` or `skipped`
    pub status: String,
    /// The claimant, shown if the debate is complete or you hold the task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// The tasks that must be done first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
}

/// A task that you hold.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Held")]
pub(crate) struct HeldTask {
    /// The task's name
    pub task: String,
    /// The token for its reply
    pub token: String,
}

/// The next step after a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClaimState {
    /// Write the reply that the prompt asks for
    Write,
    /// Nothing can be claimed now
    Wait,
    /// No task is left for you
    Nothing,
    /// The debate is over
    Over,
}

/// The result of a claim.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TaskClaimResult {
    /// The kind of the next step
    pub state: ClaimState,
    /// The task's name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The token for its reply
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The tasks or the event to wait for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Your next step
    pub next: String,
    /// The whole prompt of the reply
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// The outcome of a reply or a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SubmitState {
    /// The reply is saved
    Filed,
    /// The reply is kept until the replies before it are saved
    Kept,
    /// Not usable as it is: write it again
    Again,
    /// The reply came too late, and is put aside
    Late,
    /// Too many replies were not usable
    Failed,
    /// The reply is saved, and the debate is complete
    Complete,
    /// The fact is noted; your task waits for its reply
    Noted,
}

/// The answer to a reply or a note.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SubmitResult {
    /// The outcome
    pub state: SubmitState,
    /// Your next step
    pub next: String,
    /// The verdict, if the debate is complete
    #[serde(flatten)]
    #[schemars(skip)]
    pub verdict: Option<VerdictFields>,
    /// The prompt for the next try
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// What a debate came to, with the keys of every other door. No schema lists them: they would stand
/// there once for each tool.
#[derive(Default, Serialize)]
pub(crate) struct VerdictFields {
    /// `valid`, or `void`: the synthesis decides nothing
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<&'static str>,
    /// Why the synthesis decides nothing
    #[serde(skip_serializing_if = "Option::is_none")]
    void_reason: Option<String>,
    /// Doubts about a valid verdict: say them with it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cautions: Vec<String>,
    /// The action that do and do not are about
    #[serde(skip_serializing_if = "Option::is_none")]
    motion: Option<String>,
    /// `do`, `do not`, `depends` or an option
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    /// The recommendation, in one sentence
    #[serde(skip_serializing_if = "Option::is_none")]
    recommendation: Option<String>,
    /// The first sentence of the synthesis
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// From 0 to 100
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence_percent: Option<u8>,
    /// The claims that carry the verdict
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Vec<String>>,
    /// The strongest ground left against the verdict
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<String>,
    /// With `depends`: the observation that decides
    #[serde(skip_serializing_if = "Option::is_none")]
    depends_on: Option<String>,
    /// The observation that would turn the verdict
    #[serde(skip_serializing_if = "Option::is_none")]
    flips_if: Option<String>,
    /// The facts that no seat knew
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    /// The options, the best first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ranking: Vec<String>,
    /// The judges that share the verdict, and all judges
    #[serde(skip_serializing_if = "Option::is_none")]
    judges: Option<(u8, u8)>,
    /// The judges' lowest and highest confidence
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence_range: Option<(u8, u8)>,
}

impl From<Standing> for VerdictFields {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Argued { motion } => Self { motion, ..Self::default() },
            Standing::Void { motion, reason, .. } => Self {
                standing: Some("void"),
                void_reason: Some(reason),
                motion,
                ..Self::default()
            },
            Standing::Valid(verdict) => Self {
                standing: Some("valid"),
                void_reason: None,
                cautions: verdict.cautions,
                motion: verdict.motion,
                verdict: Some(verdict.word.word().to_owned()),
                recommendation: verdict.recommendation,
                why: verdict.why,
                confidence_percent: verdict.confidence,
                rests_on: verdict.rests_on.map(|ids| ids.iter().map(Id::to_string).collect()),
                against: verdict.against,
                depends_on: verdict.depends_on,
                flips_if: verdict.flips_if,
                unknown: verdict.unknown,
                ranking: verdict.ranking,
                judges: verdict.judges,
                confidence_range: verdict.confidence_range,
            },
        }
    }
}

/// A report.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ReportResult {
    /// The report's text
    pub report: String,
    /// Notes and warnings
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The debates of the project.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SearchResult {
    /// The debates, the newest first
    pub debates: Vec<FoundDebate>,
    /// There are more debates than these
    pub has_more: bool,
}

/// A debate of the project.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Past")]
pub(crate) struct FoundDebate {
    /// The debate's id
    pub debate: String,
    /// The question
    pub question: String,
    /// The debate's status
    pub status: String,
    /// The debate's verdict
    #[serde(flatten)]
    #[schemars(skip)]
    pub verdict: Option<VerdictFields>,
    /// The texts with a match
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<FoundText>,
}

/// A text with a match.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Hit")]
pub(crate) struct FoundText {
    /// The place of the text
    pub place: String,
    /// Number of matches
    pub count: usize,
    /// The text around the first match
    pub excerpt: String,
}
