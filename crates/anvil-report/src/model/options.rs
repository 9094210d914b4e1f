//! The options of a debate in its report.

use std::collections::HashSet;

use serde::Serialize;

use super::part::ReportPart;
use anvil_core::debate::Debate;
use anvil_core::options::FactCheck;
use anvil_core::place::{DebateFormat, Seat};

/// The options of the debate.
#[derive(Clone, Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct ReportOptions {
    pub mode: String,
    pub position: Option<String>,
    /// Rounds, or voices if they take turns.
    pub rounds: u8,
    /// The number of rounds in the options.
    #[serde(skip)]
    pub planned: u8,
    /// Those of this cycle in which both seats spoke, or the voices that did.
    #[serde(skip)]
    pub done: u8,
    pub takes_turns: bool,
    pub voices: Vec<String>,
    pub focus: Option<String>,
    pub framework: Option<String>,
    pub blind: bool,
    pub research: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact_check: Option<&'static str>,
    pub interactive: bool,
    /// The number of judges, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    judges: Option<u8>,
    pub context: Option<String>,
    pub follow_up: Option<String>,
    pub cycles: u32,
}

impl ReportOptions {
    pub(crate) fn new(debate: &Debate, parts: &[ReportPart]) -> Self {
        let argued: Vec<&ReportPart> =
            parts.iter().filter(|part| part.of.seat != Seat::Synthesizer).collect();
        let takes_turns = debate.format() != DebateFormat::Seats;
        let rounds = argued.iter().map(|part| part.round).max().unwrap_or(0);
        let cycle = debate.cycle();
        let spoke: HashSet<(Seat, u8)> = argued
            .iter()
            .filter(|part| part.cycle == cycle && !part.of.is_attack())
            .map(|part| (part.of.seat, part.round))
            .collect();
        let done = if takes_turns {
            spoke.len()
        } else {
            let [advocate, critic] = [Seat::Advocate, Seat::Critic]
                .map(|seat| spoke.iter().filter(|(other, _)| *other == seat).count());
            advocate.min(critic)
        };
        Self {
            mode: debate.options.mode.word().to_owned(),
            position: debate.options.position.clone(),
            rounds,
            planned: debate.options.max_rounds,
            done: u8::try_from(done).unwrap_or(u8::MAX),
            takes_turns,
            voices: debate.options.voices.iter().map(|voice| voice.name.clone()).collect(),
            focus: debate.options.focus.clone(),
            framework: debate.options.framework.as_ref().map(|framework| framework.name.clone()),
            blind: debate.options.blind,
            research: debate.options.research,
            fact_check: debate.options.fact_check.map(FactCheck::word),
            interactive: debate.options.interactive,
            judges: Some(debate.options.judges).filter(|judges| *judges > 1),
            context: debate.options.context_source.clone(),
            follow_up: debate.options.follow_up.clone(),
            cycles: cycle,
        }
    }
}
