//! The model of a report: everything that a rendering shows. Serialised, it is the JSON report.

pub(crate) mod arguments;
pub(crate) mod authors;
pub(crate) mod considered;
pub(crate) mod judges;
pub(crate) mod note;
pub(crate) mod options;
pub(crate) mod part;
pub(crate) mod plan;
pub(crate) mod revised;
pub(crate) mod scrub;
pub(crate) mod stance;

use anvil_text::{Scrubber, without_paths};
pub(crate) use arguments::Argument;
pub(crate) use note::SideNote;
pub use scrub::{Files, ReportSource};
pub(crate) use stance::Stance;

use serde::{Serialize, Serializer};

use crate::checked;
use crate::decision::RecordedDecision;
use crate::mark::GENERATOR;
use crate::signs::{self, Sign};
use anvil_core::attempt::Effort;
use anvil_core::debate::{Debate, Status};
use anvil_core::journal::Decision;
use anvil_core::ledger::{Counts, Ledger, Move, Standing, Verdict, what_to_do};
use anvil_core::place::Seat;
use anvil_core::transcript::{self, NoteKind};
use anvil_prompt::prompt::missing_headings;
use arguments::{FindingInWords, arguments, findings};
use authors::Authors;
use considered::{Considered, considered_options};
use judges::{Judged, judgments};
use options::ReportOptions;
use part::{ReportPart, part, rfc3339};
use plan::Plan;
use revised::Revised;
use scrub::{Scrubbed, scrub, scrubbed_files};

/// Most openings of cycles that are listed; only a file written by hand has more.
const MAX_CYCLES: usize = 1_000;

/// The text below the heading of a reply that was saved without its beginning.
pub(crate) const BEGINNING_MISSING: &str =
    "The beginning of this reply could not be read from Claude Code's transcript.";

/// The words before a position, which is the user's or, for a plan, what its author holds.
pub(crate) const POSITION: &str = "The position that was tested";

/// The version of the JSON report; `docs/report.schema.json` describes it.
pub const VERSION: u32 = 3;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference to the field")]
fn as_word<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.word())
}

#[derive(Clone, Debug, Serialize)]
pub struct Model {
    pub version: u32,
    pub generator: &'static str,
    pub id: String,
    pub question: String,
    #[serde(serialize_with = "as_word")]
    pub status: Status,
    pub started_at: String,
    pub updated_at: String,
    pub options: ReportOptions,
    /// Words of all replies.
    pub words: usize,
    /// The number of invisible characters that were removed from its texts.
    pub invisible_characters: usize,
    /// Slots without a reply.
    pub skipped: Option<String>,
    /// The facts that its damaged file lacked, and the source of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recovered: Vec<String>,
    #[serde(flatten)]
    pub authors: Authors,
    #[serde(flatten)]
    pub standing: Standing,
    /// The section `What to do` of the synthesis, word for word.
    pub what_to_do: Option<String>,
    /// The headings of its framework that the synthesis lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_headings: Vec<String>,
    /// The last synthesis among the sections.
    pub synthesis: Option<usize>,
    /// The options of the decision. Empty without options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub considered: Vec<Considered>,
    /// The document that it revised.
    #[serde(skip_serializing_if = "Option::is_none", rename = "document")]
    pub revised: Option<Revised>,
    /// The plan that it argued about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    pub sections: Vec<ReportPart>,
    #[serde(rename = "claims")]
    pub arguments: Vec<Argument>,
    moves: Vec<Move>,
    findings: Vec<FindingInWords>,
    counts: Counts,
    /// Cycles after the first one, each with the user's text.
    pub cycles: Vec<Reopening>,
    pub notes: Vec<SideNote>,
    pub files: Files,
    /// The time and tokens of its replies. `None` if this machine has no record of an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The place where it was argued, if its file has it.
    #[serde(skip)]
    pub setting: Option<&'static str>,
    /// The outcome of its recommendation and the date of the next review, as the user noted them.
    #[serde(skip)]
    decision: Option<Decision>,
    /// Its decision record, in a line.
    #[serde(skip)]
    record: Option<String>,
    /// Claims, moves and findings.
    #[serde(skip)]
    pub ledger: Ledger,
    /// What each judge wrote, and what it is worth.
    #[serde(skip)]
    pub(crate) judged: Vec<Judged>,
}

/// A cycle that was opened after a synthesis.
#[derive(Clone, Debug, Serialize)]
pub struct Reopening {
    pub cycle: u32,
    pub text: String,
}

fn setting_of(debate: &Debate) -> Option<&'static str> {
    let in_session = debate.session_id().is_some() && !debate.options.interactive;
    if debate.is_isolated() {
        Some("each seat apart")
    } else {
        in_session.then_some("in one conversation")
    }
}

impl Model {
    pub fn from_source(source: &ReportSource<'_>, files: &Files) -> Self {
        let scrubbed = Scrubbed::from_source(source);
        let Scrubbed { debate, entries, unseen } = &scrubbed;
        let parts: Vec<ReportPart> = entries.replies().map(part).collect();
        let synthesis = parts.iter().rposition(|part| part.of.seat == Seat::Synthesizer);
        // The saved words are read; what was read is cleaned.
        let saved = Ledger::of_entries(source.entries, &source.debate.alternatives());
        let mut standing = saved.standing().with_texts(&|text| scrub(source, text));
        let judged = judgments(source, &saved);
        let revised = Revised::from_source(source, &saved);
        let ledger = saved.with_texts(&|text| scrub(source, text));
        let prose = synthesis.map_or("", |at| parts[at].text.as_str());
        if let Standing::Valid(verdict) = &mut standing {
            for question in ledger.unanswered_questions(debate) {
                let known = verdict.unknown.take().map_or_else(String::new, |known| known + " ");
                verdict.unknown = Some(format!("{known}You were asked: {question}"));
            }
        }
        let begins: Vec<usize> = entries.replies().map(|(_, reply)| reply.begins).collect();
        let mut model = Self {
            version: VERSION,
            generator: GENERATOR,
            id: debate.id.clone(),
            question: debate.question.clone(),
            status: debate.status(),
            started_at: rfc3339(debate.started_at()),
            updated_at: rfc3339(debate.updated_at()),
            options: ReportOptions::new(debate, &parts),
            words: parts.iter().map(|part| part.words).sum(),
            invisible_characters: *unseen,
            skipped: Some(transcript::skipped_places(debate, entries).join("; "))
                .filter(|skipped| !skipped.is_empty()),
            recovered: Vec::new(),
            authors: Authors::from_entries(entries),
            standing,
            missing_headings: if prose.is_empty() {
                Vec::new()
            } else {
                missing_headings(debate, prose)
            },
            what_to_do: what_to_do(prose).map(|(steps, _)| steps),
            synthesis,
            considered: considered_options(debate, &ledger),
            revised,
            plan: Plan::from_scrubbed(&scrubbed, prose),
            judged,
            arguments: arguments(&ledger, &parts),
            moves: ledger.moves.clone(),
            findings: Vec::new(),
            counts: ledger.counts(),
            sections: parts,
            cycles: entries
                .cycles()
                .take(MAX_CYCLES)
                .map(|entry| Reopening { cycle: entry.cycle, text: entry.text.clone() })
                .collect(),
            notes: entries.notes().map(|(kind, note)| SideNote::new(kind, note, &begins)).collect(),
            files: scrubbed_files(files, source.scrubber),
            effort: None,
            setting: setting_of(debate),
            decision: None,
            record: None,
            ledger,
        };
        model.findings = findings(&model.ledger, |section| model.place(section));
        model
    }

    /// Removes the authors of all texts.
    pub fn without_authors(mut self) -> Self {
        self.authors = Authors::default();
        self.sections.iter_mut().for_each(|part| part.author = None);
        self.notes.iter_mut().for_each(|note| note.author = None);
        self.arguments.iter_mut().for_each(|argument| argument.author = None);
        self
    }

    pub fn with_effort(mut self, effort: Option<Effort>) -> Self {
        self.effort = effort;
        self
    }

    /// Adds lines about recovered facts.
    pub fn with_recovered(mut self, recovered: &[String], scrubber: &Scrubber) -> Self {
        let scrub = |line: &String| without_paths(&scrubber.scrub(line));
        self.recovered = recovered.iter().map(scrub).collect();
        self
    }

    /// Adds the user's notes about the recommendation.
    pub fn with_decision(mut self, decision: Option<Decision>, scrubber: &Scrubber) -> Self {
        let scrub = |text: &str| scrubber.scrub(text);
        self.decision = decision.map(|decision| Decision {
            question: scrub(&decision.question),
            note: decision.note.as_deref().map(scrub),
            ..decision
        });
        self
    }

    /// Adds its decision record: the file, and the status and the owners that it names now.
    pub fn with_record(
        mut self,
        record: Option<(String, RecordedDecision)>,
        scrubber: &Scrubber,
    ) -> Self {
        self.record = record.map(|(file, RecordedDecision { status, owners, .. })| {
            let status = if status.is_empty() { status } else { format!(", {status}") };
            let owners = if owners.is_empty() { owners } else { format!("; owner: {owners}") };
            scrubber.scrub(&format!("{file}{status}{owners}"))
        });
        self
    }

    /// Its decision record as a line below the verdict: label and text.
    pub(crate) fn record_line(&self) -> Option<(&'static str, String)> {
        self.record.clone().map(|line| ("Record", line))
    }

    /// The user's notes as lines below the verdict: label and text.
    pub(crate) fn note_lines(&self) -> Vec<(&'static str, String)> {
        let Some(Decision { outcome, note, review, .. }) = &self.decision else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        if let Some(outcome) = outcome {
            let note = note.as_deref().map(|note| format!(": {}", anvil_text::clean(note, 1_000)));
            lines.push(("Outcome", outcome.word().to_owned() + &note.unwrap_or_default()));
        }
        lines.extend(review.map(|day| ("Look again", format!("on {day}"))));
        lines
    }

    /// The number of invisible characters that were removed from its texts.
    pub fn invisible_characters(&self) -> usize {
        self.invisible_characters
    }

    /// The state of a claim, as a sign for a reader.
    pub fn sign(&self, argument: &Argument) -> Sign {
        self.ledger
            .claim(argument.id)
            .map_or(signs::LEFT_OUT, |claim| signs::of(&self.ledger, claim))
    }

    /// The verdict, if it is valid.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.standing.verdict()
    }

    /// The day of the last change.
    pub fn day(&self) -> &str {
        self.updated_at.split('T').next().unwrap_or_default()
    }

    pub(crate) fn synthesis_text(&self) -> Option<&str> {
        self.synthesis.map(|at| self.sections[at].text.as_str())
    }

    pub(crate) fn synthesis_lacks_beginning(&self) -> bool {
        self.synthesis.is_some_and(|at| self.sections[at].beginning_missing)
    }

    /// The judgments of the last synthesis; without one, the judgments so far.
    pub fn judgments(&self) -> impl Iterator<Item = &SideNote> {
        let before = self.synthesis.unwrap_or(self.sections.len());
        self.notes.iter().filter(move |note| note.of == NoteKind::Judgment && note.before == before)
    }

    /// The user's directions, the checks and the judgments before this section, each with its title.
    pub(crate) fn asides_before(
        &self,
        section: usize,
    ) -> impl Iterator<Item = (String, &SideNote)> {
        let first = self.notes.partition_point(|note| note.before < section);
        let here = self.notes[first..].iter().take_while(move |note| note.before == section);
        let mut judge = 0;
        here.filter(|note| !note.of.is_material()).map(move |note| {
            judge += usize::from(note.of == NoteKind::Judgment);
            let title = match note.of {
                NoteKind::Judgment => format!("Judge {judge}"),
                NoteKind::FactCheck => "Fact check".to_owned(),
                NoteKind::EvidenceCheck => "Evidence check".to_owned(),
                NoteKind::Noted => "Noted, unchecked".to_owned(),
                NoteKind::Answer => "The person answered".to_owned(),
                NoteKind::RevisedPlan => "The plan, revised".to_owned(),
                _ => "The person directed".to_owned(),
            };
            (title, note)
        })
    }

    /// The heading of a reply.
    pub fn title(&self, section: usize) -> String {
        let part = &self.sections[section];
        match part.of.seat {
            seat @ (Seat::Advocate | Seat::Critic) => {
                let option = self.considered.iter().find(|option| option.seat == seat);
                let side = if seat == Seat::Advocate { "Advocate" } else { "Critic" };
                option.map_or_else(|| side.to_owned(), |option| anvil_text::clean(&option.name, 60))
            }
            Seat::Voice(_) => {
                let name = anvil_text::clean(part.voice.as_deref().unwrap_or(part.phase), 200);
                if part.of.is_attack() { format!("{name} against the others") } else { name }
            }
            Seat::Synthesizer | Seat::Judge(_) if Some(section) == self.synthesis => {
                "Synthesis".to_owned()
            }
            Seat::Synthesizer | Seat::Judge(_) => "Synthesis of this cycle".to_owned(),
        }
    }

    /// The place of a reply: `critic, round 2`, or the name of a voice.
    pub fn place(&self, section: usize) -> String {
        let Some(part) = self.sections.get(section) else { return String::new() };
        let title = anvil_text::clean(&self.title(section), 60);
        let place = match part.numbered_round() {
            Some(round) => format!("{}, round {round}", title.to_lowercase()),
            None => title,
        };
        if self.options.cycles > 1 { format!("{place}, cycle {}", part.cycle) } else { place }
    }

    /// One sentence for each finding that is no caution of the verdict, which stands there.
    pub(crate) fn finding_sentences(&self) -> Vec<String> {
        let has_cautions = self.verdict().is_some();
        let others = self.ledger.findings.iter();
        let others = others.filter(|one| !(has_cautions && self.ledger.is_caution(one)));
        let of_claims = checked::findings(others, |section| self.place(section));
        let of_document = self.revised.iter().flat_map(Revised::findings);
        let of_headings = self.missing_headings.iter().map(|heading| {
            format!("The synthesis lacks the heading “{}”.", anvil_text::clean(heading, 100))
        });
        of_claims.into_iter().chain(of_document).chain(of_headings).collect()
    }

    /// The user's text for this cycle.
    pub fn opening(&self, cycle: u32) -> Option<&str> {
        let opening = self.cycles.iter().find(|opening| opening.cycle == cycle)?;
        Some(opening.text.as_str()).filter(|text| !text.trim().is_empty())
    }

    /// The kind of debate, as pieces of a line.
    pub fn about(&self) -> Vec<String> {
        let options = &self.options;
        let mut pieces = vec![format!("{} mode", anvil_text::clean(&options.mode, 60))];
        let length = if options.takes_turns { "voices" } else { "rounds" };
        // An unfinished debate also shows the planned number.
        let of = if self.status == Status::Completed {
            String::new()
        } else {
            format!(" of {}", options.planned)
        };
        pieces.push(format!("{length}: {}{of}", options.rounds));
        match options.voices.as_slice() {
            [critic] => pieces.push(format!("critic: {}", anvil_text::clean(critic, 60))),
            [advocate, critic] if !options.takes_turns => {
                let [advocate, critic] = [advocate, critic].map(|name| anvil_text::clean(name, 60));
                pieces.push(if self.considered.is_empty() {
                    format!("personas: {advocate} and {critic}")
                } else {
                    format!("options: {advocate} and {critic}")
                });
            }
            _ => {}
        }
        if options.cycles > 1 {
            pieces.push(format!("cycles: {}", options.cycles));
        }
        pieces.extend(piece("focus", options.focus.as_ref(), 100));
        pieces.extend(piece("framework", options.framework.as_ref(), 100));
        pieces.extend(options.blind.then(|| "blind openings".to_owned()));
        pieces.extend(options.research.then(|| "with research".to_owned()));
        pieces.extend(options.fact_check.map(|_| "with fact-checks".to_owned()));
        pieces.extend(piece("context", options.context.as_ref(), 200));
        pieces.extend(piece("follows", options.follow_up.as_ref(), 200));
        pieces.push(format!("{} words", anvil_text::group(self.words)));
        if self.invisible_characters > 0 {
            pieces.push(format!("{} removed", anvil_text::unseen(self.invisible_characters)));
        }
        pieces.extend(self.skipped.iter().map(|skipped| format!("skipped: {skipped}")));
        for line in &self.recovered {
            pieces.push(format!("recovered on {}", anvil_text::clean(line, 300)));
        }
        let judges = self.judgments().count();
        pieces.extend((judges > 0).then(|| format!("judges: {judges}")));
        pieces.extend(self.effort.iter().map(Effort::line));
        if self.status != Status::Completed {
            pieces.push(format!("status: {}", self.status.word().replace('_', " ")));
        }
        pieces
    }
}

/// A piece of the line about a debate, for an option with a value.
fn piece(name: &str, value: Option<&String>, most: usize) -> Option<String> {
    value.map(|value| format!("{name}: {}", anvil_text::clean(value, most)))
}

/// The report as JSON, for scripts. `docs/report.schema.json` describes it.
pub fn json(model: &Model) -> String {
    anvil_text::harmless_json(&serde_json::to_string_pretty(model).unwrap_or_default()) + "\n"
}
