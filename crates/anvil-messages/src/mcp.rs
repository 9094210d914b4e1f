//! Texts for an MCP client: for its model, and for a user who reads along.

use super::Door;
use super::notes::SEEN_BY_GIT;
use super::tasks::claim_waits;
use anvil_engine::{Note, Waiting};
use anvil_text::clean;
use anvil_text::error::Error;

pub const INSTRUCTIONS: &str = "Anvil argues a decision between seats. task_claim gives you one \
    reply to write, with its whole prompt; write it yourself and give it to task_submit with the \
    token. Go on until task_claim says that the debate is over.";

/// The prompt `debate`, in a list.
pub const PROMPT: &str = "Argue a question, or take a seat in the debate that is here";
/// The argument `question`.
pub const PROMPT_QUESTION: &str = "What to decide; without it: the debate that is here";
/// The argument `seat`.
pub const PROMPT_SEAT: &str = "advocate, critic, voice, synthesizer or judge; \
    without it: whatever can be written";

/// The answer to a line that is too long.
pub const LINE_TOO_LONG: &str = "the line is longer than 10 MB and was not read";

/// The answer to a line with too many values.
pub const LINE_OF_MANY: &str = "the line has more than 10,000 values and was not read";

/// The answer to a batch that is too long.
pub const LONG_BATCH: &str = "the batch has more than 100 messages and was not read";

/// The answer to a request with the id of another one.
pub const SAME_ID: &str = "another request of a batch has this id and no answer yet";

/// The answer to a line that is not JSON.
pub const LINE_UNREADABLE: &str = "the line is not JSON, so it was not read";

/// The answer to JSON that is not a message.
pub const NO_MESSAGE: &str = "the line is not a message of JSON-RPC 2.0 that MCP knows";

/// What is left for a model where only a command helps: it has tools, and no shell.
const TELL_THE_USER: &str = "tell the user";

/// An error and its hint, for the model.
pub fn error(error: &Error) -> String {
    let message = clean(&error.to_string(), 2_000);
    let plain: Vec<&str> =
        message.split(' ').map(|word| word.strip_prefix("--").unwrap_or(word)).collect();
    let hint = clean(&Door::default().hint(error), 2_000);
    let is_for_shell = hint.contains('`') || command_in(&hint).is_some();
    let hint = if is_for_shell { TELL_THE_USER } else { &hint };
    format!("{}\nhint: {hint}", without_commands(&plain.join(" ")))
}

/// A note, for the model.
pub fn note(note: &Note) -> String {
    let text = match note {
        // It ends with a line of a shell.
        Note::SeenByGit { .. } => format!("Anvil: {SEEN_BY_GIT}; {TELL_THE_USER}."),
        other => super::note(other, &Door::default()),
    };
    without_commands(&text)
}

/// The text up to the clause with its first command.
fn without_commands(text: &str) -> String {
    let Some(at) = command_in(text) else { return text.to_owned() };
    let clause =
        ["; ", ": ", ", ", ". ", "? "].iter().filter_map(|end| text[..at].rfind(end)).max();
    let before = &text[..clause.unwrap_or_default()];
    let joint = if before.is_empty() { "" } else { "; " };
    format!("{before}{joint}{TELL_THE_USER}")
}

/// Where a text names a command: of a shell, of Claude Code, or an option of one.
fn command_in(text: &str) -> Option<usize> {
    ["`anvil", "/anvil:", "--"].iter().filter_map(|begins| text.find(begins)).min()
}

pub const BEGUN: &str = "The debate waits for its first reply. task_claim gives it to you; leave \
    seats to others where others take part.";

pub const TO_WRITE: &str =
    "Write the reply that the prompt asks for, then give it whole to task_submit with this token.";

/// Why a task waits. It names no program: a seat must not know who writes the others.
pub fn waits_for(why: &Waiting) -> String {
    match why {
        Waiting::Held(_) => "waits: somebody else has claimed it".to_owned(),
        Waiting::Paused(_) => "waits: the debate is paused".to_owned(),
        Waiting::Dependencies(_) | Waiting::NothingLeft => claim_waits(why, &Door::default()),
    }
}

/// No task can be claimed now.
pub fn waits(why: &Waiting) -> &'static str {
    match why {
        Waiting::Paused(_) => "Only the user can continue it. Tell them, and stop.",
        Waiting::NothingLeft => {
            "Nothing is left for you in this debate. debate_status shows its state."
        }
        Waiting::Dependencies(_) | Waiting::Held(_) => "Call task_claim again, with wait_s 20.",
    }
}

pub fn over(is_complete: bool) -> &'static str {
    if is_complete {
        "The debate is complete. debate_report shows it."
    } else {
        "The debate is over without a verdict."
    }
}

pub const SAVED: &str = "It is saved. task_claim gives you the next one.";

/// The same reply was saved before: the answer to the first call did not arrive.
pub const SAVED_BEFORE: &str = "It is saved already. task_claim gives you the next one.";

pub const NOTED: &str =
    "The replies after yours are shown it, quoted and unchecked. Now write your own.";

/// A reply is kept until all earlier replies are saved.
pub const KEPT: &str =
    "It is kept until the replies before it are saved. task_claim gives you the next one.";

/// A reply is saved, and the debate waits for the user.
pub const SAVED_AND_WAITS: &str =
    "It is saved. The debate waits for the user now: tell them, and stop.";

/// A reply has to be written again.
pub fn again(why: &str) -> String {
    format!(
        "It is not saved: {}. Write it once more as the prompt says, and submit it with the same \
         token.",
        clean(why, 300)
    )
}

/// A synthesis is saved, and its block is wrong.
pub fn block_again(why: &str) -> String {
    format!(
        "It is saved, but its block is wrong: {}. Submit the whole block with the same token.",
        clean(why, 300)
    )
}

/// A reply came too late.
pub const LATE: &str = "It came too late: the task is done, or somebody else has claimed it. It is \
    put aside and not saved as the reply. task_claim gives you what is to be written \
    now.";

/// A seat has failed too often.
pub fn failure_line(why: &str) -> String {
    format!(
        "It is not saved: {}. Too many replies were not usable; somebody else may take the task.",
        clean(why, 300)
    )
}

/// The last reply is saved.
pub const COMPLETE: &str = "It is saved, and the debate is complete. debate_report shows it.";

/// The text of the prompt `debate`.
pub fn debate_prompt(question: Option<&str>, seat: Option<&str>) -> String {
    let begin = question.map_or_else(
        || "Take part in the Anvil debate of this project; debate_status shows it.".to_owned(),
        |question| {
            let question = block_quote(question);
            format!(
                "Begin an Anvil debate with debate_start. The question, word for word:\n\n\
                 {question}\n"
            )
        },
    );
    let seat = seat.map_or_else(
        || "Call task_claim".to_owned(),
        |seat| {
            let seat = clean(seat, 40);
            format!("You hold the seat `{seat}` and no other: call task_claim with seat \"{seat}\"")
        },
    );
    format!(
        "{begin}\n{seat} and wait_s 20. Where it gives a prompt, write that reply yourself and \
         give it whole to task_submit with the token; argue for that seat alone, as well as you \
         can. Where it says to wait, call it again. Go on until the debate is over or waits for \
         the user, then show the verdict with debate_report."
    )
}

fn block_quote(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// The name of a client that claims a task.
pub fn claimant(client: &str) -> String {
    let name = clean(client, 40);
    if name.is_empty() { "an MCP client".to_owned() } else { name }
}

/// The output of `anvil-mcp --help`.
pub const HELP: &str = "anvil-mcp: Anvil's debates for MCP clients, on standard input and output

usage: anvil-mcp [FOLDER]

FOLDER is the project [default: the current folder]. An MCP client starts this program; \
docs/mcp.md says how.
In Claude Code: anvil install --mcp";
