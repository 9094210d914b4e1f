//! The line of a debate in Claude Code's status line.

use crate::debate::{Debate, Phase, Status};
use crate::text::{clean, group};

/// Cells of the bar.
const CELLS: u32 = 5;

/// `Anvil ▮▮▮▯▯ critic 2/3 · 1,204 words`; `None` where nothing runs or waits.
#[must_use]
pub fn statusline(debate: &Debate, words: usize) -> Option<String> {
    let waits = match debate.progress.status {
        Status::InProgress => "",
        Status::Paused if debate.awaits_direction() => " · your turn",
        Status::Paused => " · paused",
        Status::NotStarted | Status::Completed | Status::Failed | Status::Cancelled => return None,
    };
    let (done, total) = debate.progress();
    let filled = (done * CELLS).div_ceil(total.max(1));
    let bar: String = (0..CELLS).map(|cell| if cell < filled { '▮' } else { '▯' }).collect();
    let slot = debate.progress.slot;
    let who = debate.voice_at(slot).map_or_else(|| slot.phase.word().to_owned(), |voice| clean(&voice.name, 20));
    let slot = match slot.phase {
        Phase::Synthesizer => "synthesis".to_owned(),
        Phase::Advocate | Phase::Critic => {
            format!("{} {}/{}", slot.phase.word(), slot.round, debate.options.max_rounds)
        }
        Phase::Stakeholder | Phase::Persona => format!("{who} {}/{}", slot.round, debate.options.max_rounds),
    };
    Some(format!("Anvil {bar} {slot}{waits} · {} words", group(words)))
}
