//! The model of a report: everything that a rendering shows, told once. Serialised, it is the JSON report.

use serde::Serialize;

use super::arguments::{Argument, Told, arguments, findings};
use super::checked;
use super::exchange::Speaker;
use super::part::{Part, part, rfc3339};
use super::scrub::{Files, Scrubbed, Source, named};
use crate::debate::{Debate, FactCheck, Format, Mode, Phase};
use crate::ledger::{Call, Counts, Id, Ledger, Move, Synthesis, what_to_do};
use crate::seats::Effort;
use crate::state::assert_unlocked;
use crate::text;
use crate::transcript::{self, Entry, Kind};

/// Most cycles whose openings are told; only a file made by hand has so many.
const MAX_CYCLES: usize = 1_000;

/// Stands below the heading of a reply that was filed without its beginning.
pub(super) const BEGINNING_MISSING: &str =
    "The beginning of this reply could not be read from Claude Code's transcript.";

/// The version of the JSON report; `docs/report.schema.json` describes it.
pub const VERSION: u32 = 2;

/// A debate as a report tells it.
#[derive(Clone, Debug, Serialize)]
pub struct Model {
    pub(super) version: u32,
    pub(super) id: String,
    pub(super) question: String,
    pub(super) status: &'static str,
    pub(super) started_at: String,
    pub(super) updated_at: String,
    pub(super) options: Asked,
    /// Words of all replies.
    pub(super) words: usize,
    /// Characters that nobody sees, and that were taken out of its texts.
    pub(super) invisible_characters: usize,
    /// Places that nobody has argued.
    pub(super) skipped: Option<String>,
    pub(super) verdict: Stated,
    /// The last synthesis among the sections.
    pub(super) synthesis: Option<usize>,
    pub(super) sections: Vec<Part>,
    #[serde(rename = "claims")]
    pub(super) arguments: Vec<Argument>,
    moves: Vec<Move>,
    findings: Vec<Told>,
    /// How many claims stand, fall and wait, by the moves alone.
    counts: Counts,
    /// Claims of which the last synthesis says what became of them.
    disposed: usize,
    /// Cycles after the first one, and what was said to open them.
    pub(super) cycles: Vec<Opening>,
    pub(super) notes: Vec<Aside>,
    pub(super) files: Files,
    /// What programs took to argue it. Absent where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effort: Option<Effort>,
    /// Claims, moves and findings.
    #[serde(skip)]
    pub(super) ledger: Ledger,
}

/// What the user asked for.
#[derive(Clone, Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Asked {
    pub(super) mode: String,
    pub(super) position: Option<String>,
    /// Rounds, or voices where they take turns.
    pub(super) rounds: u8,
    /// Rounds that were wanted.
    #[serde(skip)]
    planned: u8,
    pub(super) takes_turns: bool,
    pub(super) voices: Vec<String>,
    pub(super) focus: Option<String>,
    pub(super) framework: Option<String>,
    pub(super) blind: bool,
    pub(super) research: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fact_check: Option<&'static str>,
    pub(super) interactive: bool,
    /// Judgments that were wanted, where those were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    judges: Option<u8>,
    pub(super) context: Option<String>,
    pub(super) follow_up: Option<String>,
    pub(super) versus: Option<String>,
    pub(super) cycles: u32,
}

/// The verdict, and the number in its confidence where there is one.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Stated {
    pub(super) recommendation: Option<String>,
    /// The line `Verdict:`, whole.
    pub(super) call_text: Option<String>,
    pub(super) confidence: Option<String>,
    pub(super) confidence_percent: Option<u8>,
    pub(super) would_flip_if: Option<String>,
    pub(super) still_unknown: Option<String>,
    /// What it comes to.
    call: Option<Call>,
    /// The claims that carry it.
    rests_on: Option<Vec<Id>>,
    /// The line `Rests on:`, whole.
    rests_on_text: Option<String>,
    /// The section of that name.
    pub(super) what_to_do: Option<String>,
}

impl Stated {
    /// The fixed lines: their labels, and what they say.
    pub(super) fn lines(&self) -> [(&'static str, &Option<String>); 6] {
        [
            ("Recommendation", &self.recommendation),
            ("Verdict", &self.call_text),
            ("Confidence", &self.confidence),
            ("Rests on", &self.rests_on_text),
            ("Would flip if", &self.would_flip_if),
            ("Still unknown", &self.still_unknown),
        ]
    }
}

/// A cycle that was opened after a synthesis.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Opening {
    pub(super) cycle: u32,
    pub(super) text: String,
}

/// What is no reply.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Aside {
    pub(super) kind: &'static str,
    pub(super) at: Option<String>,
    pub(super) words: usize,
    /// The section that it stands before; as many as there are: after all.
    pub(super) before: usize,
    pub(super) text: String,
    #[serde(skip)]
    pub(super) of: Kind,
}

impl Model {
    /// The model of a debate.
    #[must_use]
    pub fn of(source: &Source<'_>, files: &Files) -> Self {
        assert_unlocked();
        let scrubbed = Scrubbed::of(source);
        let Scrubbed { debate, entries, unseen } = &scrubbed;
        let parts: Vec<Part> = entries.replies().map(part).collect();
        let synthesis = parts.iter().rposition(|part| part.of == Phase::Synthesizer);
        let verdict = synthesis.map(|at| stated(&parts[at].text)).unwrap_or_default();
        let begins: Vec<usize> = entries.replies().map(|(_, reply)| reply.begins).collect();
        let aside = |(kind, note): (Kind, &Entry)| Aside {
            kind: kind.word(),
            at: note.at.map(rfc3339),
            words: note.words(),
            before: begins.partition_point(|begins| *begins <= note.begins),
            text: note.text.clone(),
            of: kind,
        };
        let opening = |entry: &Entry| Opening { cycle: entry.cycle, text: entry.text.clone() };
        let ledger = Ledger::of_entries(entries);
        let mut model = Self {
            version: VERSION,
            id: debate.id.clone(),
            question: debate.question.clone(),
            status: debate.progress.status.word(),
            started_at: rfc3339(debate.progress.started_at),
            updated_at: rfc3339(debate.progress.updated_at),
            options: asked(debate, &parts),
            words: parts.iter().map(|part| part.words).sum(),
            invisible_characters: *unseen,
            skipped: transcript::skipped(debate, entries),
            verdict,
            synthesis,
            arguments: arguments(&ledger, &parts),
            moves: ledger.moves.clone(),
            findings: Vec::new(),
            counts: ledger.counts(),
            disposed: ledger.disposed(),
            sections: parts,
            cycles: entries.cycles().take(MAX_CYCLES).map(opening).collect(),
            notes: entries.notes().map(aside).collect(),
            files: named(files, source.places),
            effort: None,
            ledger,
        };
        model.findings = findings(&model.ledger, |section| model.place(section));
        model
    }

    /// The same, with what programs took to argue it.
    #[must_use]
    pub fn with_effort(mut self, effort: Option<Effort>) -> Self {
        self.effort = effort;
        self
    }

    /// How many characters that nobody sees were taken out of its texts.
    #[must_use]
    pub fn invisible_characters(&self) -> usize {
        self.invisible_characters
    }

    /// What the decision comes to, where the last synthesis says so.
    pub(super) fn call(&self) -> Option<Call> {
        self.ledger.last_synthesis().and_then(|synthesis| synthesis.call)
    }

    /// The day of the last change.
    pub(super) fn day(&self) -> &str {
        self.updated_at.split('T').next().unwrap_or_default()
    }

    /// The text of the last synthesis.
    pub(super) fn synthesis_text(&self) -> Option<&str> {
        self.synthesis.map(|at| self.sections[at].text.as_str())
    }

    /// The last synthesis lacks its beginning.
    pub(super) fn synthesis_lacks_beginning(&self) -> bool {
        self.synthesis.is_some_and(|at| self.sections[at].beginning_missing)
    }

    /// The judgments that the last synthesis was made of; without one those that wait for it.
    pub(super) fn judgments(&self) -> impl Iterator<Item = &Aside> {
        let before = self.synthesis.unwrap_or(self.sections.len());
        self.notes.iter().filter(move |note| note.of == Kind::Judgment && note.before == before)
    }

    /// The user's directions, the fact-checks and the judgments that stand before this section, each with its title.
    pub(super) fn asides_before(&self, section: usize) -> impl Iterator<Item = (String, &Aside)> {
        let first = self.notes.partition_point(|note| note.before < section);
        let here = self.notes[first..].iter().take_while(move |note| note.before == section);
        let mut judge = 0;
        here.filter(|note| !note.of.is_material()).map(move |note| {
            judge += usize::from(note.of == Kind::Judgment);
            let title = match note.of {
                Kind::Judgment => format!("Judge {judge}"),
                Kind::FactCheck => "Fact check".to_owned(),
                _ => "Steering".to_owned(),
            };
            (title, note)
        })
    }

    /// The heading of a reply.
    pub(super) fn title(&self, section: usize) -> String {
        let part = &self.sections[section];
        match part.of {
            Phase::Advocate => "Advocate".to_owned(),
            Phase::Critic => "Critic".to_owned(),
            Phase::Stakeholder | Phase::Persona => text::clean(part.voice.as_deref().unwrap_or(part.phase), 200),
            Phase::Synthesizer if Some(section) == self.synthesis => "Synthesis".to_owned(),
            Phase::Synthesizer => "Synthesis of this cycle".to_owned(),
        }
    }

    /// Where a reply stands: `critic, round 2`, or the name of a voice.
    pub(super) fn place(&self, section: usize) -> String {
        let Some(part) = self.sections.get(section) else { return String::new() };
        let title = text::clean(&self.title(section), 60);
        let place = match part.of {
            Phase::Advocate | Phase::Critic => format!("{}, round {}", title.to_lowercase(), part.round),
            Phase::Stakeholder | Phase::Persona | Phase::Synthesizer => title,
        };
        if self.options.cycles > 1 { format!("{place}, cycle {}", part.cycle) } else { place }
    }

    /// Who speaks in a reply, for other tools.
    pub(super) fn speaker(&self, section: usize) -> Speaker {
        let part = self.sections.get(section);
        let at = part.and_then(|part| part.at.as_deref());
        Speaker {
            name: part.map(|part| part.voice.as_deref().unwrap_or(part.phase).to_owned()).unwrap_or_default(),
            at: at.map(|at| at.trim_end_matches('Z').replace('T', " ")),
        }
    }

    /// What is wrong, a sentence each.
    pub(super) fn findings(&self) -> Vec<String> {
        checked::findings(&self.ledger.findings, |section| self.place(section))
    }

    /// What the position of the user who asked is to the debate.
    pub(super) fn leaned(&self) -> &'static str {
        if self.options.mode == Mode::DevilsAdvocate.word() { "The position" } else { "The person who asked leaned to" }
    }

    /// What was said to open this cycle.
    pub(super) fn opening(&self, cycle: u32) -> Option<&str> {
        let opening = self.cycles.iter().find(|opening| opening.cycle == cycle)?;
        Some(opening.text.as_str()).filter(|text| !text.trim().is_empty())
    }

    /// What kind of debate it was, in pieces of a line.
    pub(super) fn about(&self) -> Vec<String> {
        let asked = &self.options;
        let mut said = vec![format!("{} mode", text::clean(&asked.mode, 60))];
        let length = if asked.takes_turns { "voices" } else { "rounds" };
        // One that is not over has some before it.
        let of = if self.status == "completed" { String::new() } else { format!(" of {}", asked.planned) };
        said.push(format!("{length}: {}{of}", asked.rounds));
        match asked.voices.as_slice() {
            [critic] => said.push(format!("critic: {}", text::clean(critic, 60))),
            [advocate, critic] if !asked.takes_turns => {
                said.push(format!("argued by {} and {}", text::clean(advocate, 60), text::clean(critic, 60)));
            }
            _ => {}
        }
        if asked.cycles > 1 {
            said.push(format!("cycles: {}", asked.cycles));
        }
        let checks = asked.fact_check.is_some();
        let flags = [(asked.blind, "blind openings"), (asked.research, "with research"), (checks, "with fact-checks")];
        for (what, value) in [("focus", &asked.focus), ("framework", &asked.framework)] {
            said.extend(value.iter().map(|value| format!("{what}: {}", text::clean(value, 100))));
        }
        said.extend(flags.iter().filter(|(set, _)| *set).map(|(_, what)| (*what).to_owned()));
        for (what, value) in [("context", &asked.context), ("follows", &asked.follow_up), ("versus", &asked.versus)] {
            said.extend(value.iter().map(|value| format!("{what}: {}", text::clean(value, 200))));
        }
        said.push(format!("{} words", text::group(self.words)));
        if self.invisible_characters > 0 {
            said.push(format!("{} removed", text::unseen(self.invisible_characters)));
        }
        said.extend(self.skipped.iter().map(|skipped| format!("skipped: {skipped}")));
        said.extend(Some(self.judgments().count()).filter(|count| *count > 0).map(|count| format!("judges: {count}")));
        said.extend(self.effort.iter().map(Effort::line));
        if self.status != "completed" {
            said.push(format!("status: {}", self.status.replace('_', " ")));
        }
        said
    }
}

/// The report as JSON, for scripts: the model as it is. `docs/report.schema.json` describes it.
#[must_use]
pub fn json(model: &Model) -> String {
    text::harmless_json(&serde_json::to_string_pretty(model).unwrap_or_default()) + "\n"
}

/// The verdict of a synthesis.
fn stated(synthesis: &str) -> Stated {
    let Synthesis { call, rests_on, verdict, .. } = Synthesis::of(synthesis);
    Stated {
        confidence_percent: verdict.percent(),
        recommendation: verdict.recommendation,
        call_text: verdict.call,
        confidence: verdict.confidence,
        would_flip_if: verdict.would_flip_if,
        still_unknown: verdict.still_unknown,
        call,
        rests_on,
        rests_on_text: verdict.rests_on,
        what_to_do: what_to_do(synthesis).map(|(steps, _)| steps),
    }
}

fn asked(debate: &Debate, parts: &[Part]) -> Asked {
    let argued = || parts.iter().filter(|part| part.of != Phase::Synthesizer);
    let takes_turns = debate.format() != Format::Seats;
    let rounds = argued().map(|part| part.round).max().unwrap_or(0);
    Asked {
        mode: debate.options.mode.word().to_owned(),
        position: debate.options.position.clone(),
        rounds,
        planned: debate.options.max_rounds,
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
        versus: debate.options.versus.clone(),
        cycles: debate.progress.cycle,
    }
}
