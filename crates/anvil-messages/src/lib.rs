//! The lines that the user reads about a result: one place for each sentence, for all doors. Pure.
//! An error is worded where it is made.
//!
//! The engine gives outcomes as data; here they become lines. Every text from a model or a file
//! goes through [`text::clean`](anvil_text::clean) first.

mod agents;
mod claims;
mod demo;
mod door;
mod end;
mod error;
mod isolated;
mod issue;
mod journal;
mod lists;
pub mod mcp;
mod notes;
mod past;
mod plan;
mod progress;
mod recheck;
mod run;
mod snapshots;
mod status;
mod steering;
mod stops;
mod tasks;
mod turns;
mod watch;

pub use agents::{AgentRow, agents, attempts, shown_attempt};
pub use claims::{claims, no_claims};
pub use demo::{DEMO, DEMO_HAS_ONE_SCRIPT, demo_end, demo_gone, demo_prompt, in_shell};
pub use door::{Door, is_client_only, slash_command};
pub use end::{cautions, notification, void};
pub use error::{error, error_lines};
pub use isolated::{NEWS_IS_KNOWN, conclusion, news, still_writing_line, writing_line};
pub use issue::{
    body, comment_line, issue_behind, issue_not_ready, no_comment_line, publish_lines, pull_lines,
    room_in,
};
pub use journal::{due_list, outcome_lines, reviews_due};
pub use lists::{settings, text_names, texts};
pub use notes::{SEEN_BY_GIT, block_moved, ignore_command, note, unsearchable};
pub use past::{
    NO_DEBATES, PRUNE_QUESTION, USUAL_COLUMNS, all_to_purge, client_columns, debates_to_purge,
    history, no_prune_line, no_purge_line, not_found, prune_line, prune_plan, purge_all_lines,
    purge_debates_line, purge_line, report_lines, search_lines,
};
pub use plan::{
    PLAN_DISARMED, PLAN_IS_ARGUED_FIRST, PLAN_IS_REQUESTED, plan_argued_first, plan_argued_in_part,
    plan_armed, plan_is_armed, plan_not_argued, plan_not_revised, plan_reminder,
};
pub use recheck::{changed_words_line, recheck};
pub use run::{run_event, run_live, run_plan, run_resumes};
pub use snapshots::{history_change, snapshots};
pub use status::{repair, status, statusline};
pub use steering::{
    FACT_NOTED, answer_line, direction_line, motion, motion_correction_line, motion_line,
    prompt_direction_line, steering_line,
};
pub use stops::{FRESH, awaits, awaits_still};
pub use tasks::{
    block_again, claim_line, drop_line, early_submit_line, give_up_line, not_your_task,
    nothing_to_claim, rests_after, submit_line, tasks, write_again,
};
pub use turns::{
    NOT_STARTED_IN_WORDS, cancel_line, completion_lines, failure_line, pause_line,
    preparation_lines, reopening_lines, resume_lines, session_title, skip_line, start_here_lines,
    start_line, unfinished_lines,
};
pub use watch::{WATCH_WAITS, WATCHED_IS_GONE, watch_line, watch_screen};

use anvil_core::debate::Debate;
use anvil_engine::is_argued_by_programs;
use anvil_text::{Verb, columns, fit, wrap};

/// The screen for a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Its width. `None`: lines stay whole.
    pub columns: Option<usize>,
    /// Headings and verdicts are bold.
    pub is_styled: bool,
}

impl Screen {
    /// A screen of this width, without styles.
    pub fn plain(columns: usize) -> Self {
        Self { columns: Some(columns), is_styled: false }
    }

    /// The width, or that of most terminals.
    fn width(self) -> usize {
        self.columns.unwrap_or(USUAL_COLUMNS)
    }

    /// The lines of a paragraph. Further lines have two more spaces before them.
    fn wrap(self, line: &str) -> Vec<String> {
        match self.columns {
            Some(width) if columns(line) > width => {
                let indent = line.len() - line.trim_start().len();
                let parts = wrap(line, width.saturating_sub(indent + 2)).into_iter();
                let more = |at: usize| if at == 0 { indent } else { indent + 2 };
                parts.enumerate().map(|(at, part)| format!("{:1$}{part}", "", more(at))).collect()
            }
            _ => vec![line.to_owned()],
        }
    }

    /// Cuts a line to the width.
    fn fit(self, line: &str) -> String {
        self.columns.map_or_else(|| line.to_owned(), |columns| fit(line, columns))
    }

    /// A heading or a verdict.
    fn bold(self, line: &str) -> String {
        if self.is_styled { anvil_text::bold(line) } else { line.to_owned() }
    }
}

/// The command that continues a debate. Where programs argued it, they are the first choice.
fn resume(debate: &Debate, door: &Door) -> String {
    let [run, resume] =
        [Verb::Run.with("--resume"), Verb::Resume.into()].map(|line| door.command(line));
    if !door.is_client() && is_argued_by_programs(debate) && run != resume {
        format!("{run} or {resume}")
    } else {
        resume
    }
}

/// The lines of a text below a heading, each after two spaces.
fn indent(text: &str, columns: usize) -> Vec<String> {
    let lines = wrap(text, columns - 2).into_iter();
    lines.map(|line| format!("  {line}")).collect()
}
