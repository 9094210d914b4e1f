//! The lines about a plan that is argued before its dialog opens.

use super::turns::course;
use anvil_core::debate::Debate;
use anvil_text::{clean, number_of};

/// The answer to the command that has the next plan argued.
pub fn plan_armed(debate: &Debate) -> String {
    let course = course(debate);
    let replies = number_of(debate.count_phases().1 as usize, "reply", "replies");
    format!(
        "Anvil argues about this session's next plan before you see it: {course}, then a verdict: \
         {replies}. /anvil:cancel disarms it."
    )
}

/// In the status, while the next plan is to be argued. `passed`: why the last one was not.
pub fn plan_is_armed(passed: Option<&str>) -> String {
    let passed = passed.map(|why| format!(" The last plan was not argued: {}.", clean(why, 200)));
    format!(
        "Armed: this session's next plan is argued before you see it; /anvil:cancel disarms it.{}",
        passed.unwrap_or_default()
    )
}

pub const PLAN_DISARMED: &str = "Anvil: disarmed; the next plan comes to you as it is.";

/// When Claude calls for the dialog of a plan that is argued first.
pub fn plan_argued_first(debate: &Debate) -> String {
    format!("Anvil argues about this plan first: {}. Esc stops it.", course(debate))
}

/// The same, for Claude.
pub const PLAN_IS_ARGUED_FIRST: &str =
    "not yet: the plan is argued first. Write the first reply now, as text, and end the turn.";

/// For Claude, which calls for the dialog instead of writing the reply.
pub fn plan_reminder(place: &str) -> String {
    format!("not yet: write {place} now, as text, and end the turn.")
}

/// In the dialog, after so many replies of all.
pub fn plan_argued_in_part(done: u32, all: u32) -> String {
    match done {
        0 => plan_not_argued("Claude called for this dialog instead"),
        done => format!(
            "Anvil: argued in part, {done} of {all} replies; /anvil:resume continues the debate"
        ),
    }
}

/// In the dialog of a plan whose debate could not begin.
pub fn plan_not_argued(why: &str) -> String {
    format!("Anvil did not argue about this plan: {}", clean(why, 300))
}

/// In the dialog of a plan that is as it was.
pub fn plan_not_revised(why: &str) -> String {
    format!("Anvil argued about this plan; no valid verdict: {}", clean(why, 300))
}
