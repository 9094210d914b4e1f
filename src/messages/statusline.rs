//! The line of a debate in Claude Code's status line.

use crate::domain::debate::{Debate, Phase, Status};
use crate::domain::ledger::Counts;
use crate::report::counted;
use crate::text::{clean, group};

/// Cells of the bar.
const CELLS: u32 = 5;

/// `Anvil ▮▮▮▯▯ critic 2/3 · 1,204 words · 9 claims, 3 open`; `None` if no debate runs or waits.
pub fn statusline(debate: &Debate, words: usize, counts: Counts) -> Option<String> {
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
    let is_voice = matches!(slot.phase, Phase::Stakeholder | Phase::Persona);
    let voice = debate.voice_at(slot).filter(|_| is_voice);
    let who = voice.map_or_else(|| slot.phase.word().to_owned(), |voice| clean(&voice.name, 20));
    let slot = if slot.phase == Phase::Synthesizer {
        "synthesis".to_owned()
    } else {
        format!("{who} {}/{}", slot.round, debate.options.max_rounds)
    };
    let claims = counted(counts).map_or_else(String::new, |counted| format!(" · {counted}"));
    Some(format!("Anvil {bar} {slot}{waits} · {} words{claims}", group(words)))
}
