//! The contents of a unit's folder: a debate that is over, and all that was spent. Nothing there is
//! requested again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::bench::{Bench, answers_in, debate_in, is_of_answer, world_in};
use super::bill::spent_by;
use super::log::{CaseResult, Expense};
use super::metrics::AnswerTexts;
use super::tasks::{Arm, Unit};
use anvil_core::debate::Status;
use anvil_core::ledger::{Fault, Ledger};
use anvil_core::reply::Usage;
use anvil_core::transcript;
use anvil_engine::{Context, programs};
use anvil_store::{Attempt, AttemptRecord, StartedLine, read_file};
use anvil_text::error::Result;
use anvil_text::{clean, from_json};

/// The home of a conversation, in the folder of its unit: it has nothing of the user.
pub(super) const HOME: &str = "home";

/// The processes of a conversation, in the folder of its unit: the dollars of each.
pub(super) const COSTS: &str = "costs.json";

/// The end of the name of a second request, for a whole block.
pub(super) const AGAIN: &str = "-again";

/// Most answers of the rival to one text; odd.
pub(super) const MAX_VOTES: u32 = 61;

impl Bench<'_> {
    /// A debate that has come to its end. `None`: it has not. `is_over`: the reason not to continue
    /// it.
    pub(crate) fn argued(
        &self,
        folder: &Path,
        arm: Arm,
        is_over: Option<&str>,
    ) -> Result<Option<AnswerTexts>> {
        let Some(state) = debate_in(folder, arm)? else {
            let Some(why) = is_over else { return Ok(None) };
            let spent = spent_in(folder, arm, Expense::default())?;
            let degraded = Some(why.to_owned());
            let result = CaseResult { spent, degraded, ..CaseResult::default() };
            return Ok(Some(AnswerTexts { result, ..AnswerTexts::default() }));
        };
        let progress = &state.debate.progress;
        let record = self.record(folder, arm, &state.debate.id);
        let newest = record.read()?.all.pop();
        let failure = newest.as_ref().and_then(Attempt::failure);
        let failed = match progress.status {
            Status::Completed => None,
            Status::Failed if !failure.is_none_or(is_of_answer) => return Ok(None),
            Status::Failed => Some(clean(&progress.status_detail, 200)),
            _ => match is_over {
                Some(why) => Some(why.to_owned()),
                None => return Ok(None),
            },
        };
        let entries = transcript::parse(&state.body);
        let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
        let false_quotes = ledger
            .findings
            .iter()
            .filter(|finding| matches!(finding.fault, Fault::QuoteNotFound { .. }))
            .count() as u32;
        // The budget may have cut the debate short.
        let missing = transcript::skipped(&state.debate, &entries).join("; ");
        let failed = failed.or_else(|| (!missing.is_empty()).then_some(missing));
        let synthesis = entries.synthesis();
        let text = synthesis.map(|entry| entry.text.clone()).unwrap_or_default();
        let block = synthesis.map(|entry| entries.block_text(entry).to_owned());
        let repeat = block.filter(|block| *block != text);
        let rests_on = ledger
            .synthesis
            .as_ref()
            .and_then(|synthesis| synthesis.rests_on.clone())
            .unwrap_or_default();
        let claims: Vec<String> = ledger
            .claims
            .iter()
            .filter(|claim| rests_on.contains(&claim.id))
            .map(|claim| format!("{} {}", claim.sentence, claim.reasons))
            .collect();
        let claims = claims.join("\n");
        let mut result = self.result(&record)?;
        result.spent = spent_in(folder, arm, result.spent)?;
        result.false_quotes = Some(false_quotes);
        result.degraded = failed;
        Ok(Some(AnswerTexts { text, repeat, claims, result }))
    }

    pub(crate) fn record(&self, folder: &Path, arm: Arm, id: &str) -> AttemptRecord {
        let mut world = world_in(self.world, folder);
        if arm == Arm::Conversation {
            let home = folder.join(HOME);
            world.debate_folder = None;
            world.config_folder = Some(home.join(".claude"));
            world.home = Some(home);
        }
        programs::attempt_record(&Context::new(&world), id)
    }

    /// True if this or an earlier process has begun it.
    pub(crate) fn has_begun(&self, unit: &Unit) -> bool {
        self.folder.join(unit.folder()).exists()
    }

    /// All that a unit has spent so far.
    pub(crate) fn spent(&self, unit: &Unit) -> Result<Expense> {
        let folder = self.folder.join(unit.folder());
        let debate = debate_in(&folder, unit.arm)?;
        let debate = debate.map(|state| self.record(&folder, unit.arm, &state.debate.id));
        let prompts = ["single".to_owned()]
            .into_iter()
            .chain((1..=MAX_VOTES).map(|vote| format!("vote-{vote}")))
            .flat_map(|id| [format!("{id}{AGAIN}"), id])
            .map(|id| answers_in(self.world, &folder, &id));
        let mut spent = Expense::default();
        for record in debate.into_iter().chain(prompts) {
            spent = spent.plus(self.result(&record)?.spent);
        }
        spent_in(&folder, unit.arm, spent)
    }

    /// The expense of all attempts of a record.
    pub(crate) fn result(&self, record: &AttemptRecord) -> Result<CaseResult> {
        let attempts = record.read()?;
        let mut result = CaseResult::default();
        // The steps of each slot: a repeated block is a step of its own, and no retry.
        let mut steps: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for StartedLine { slot, generation, .. } in attempts.all.iter().map(|one| &one.started) {
            let step = generation.turn().map(|turn| turn.step);
            steps.entry(slot).or_default().extend(step);
        }
        let repeats = steps.values().map(|steps| steps.len().saturating_sub(1) as u32).sum::<u32>();
        result.spent.asked_again = attempts.total().retries + repeats;
        for attempt in &attempts.all {
            let prompt = record.prompt(attempt.started.attempt).unwrap_or_default();
            result.spent = result.spent.plus(spent_by(self.plan, record, attempt, &prompt));
            result.models.extend(attempt.ended.as_ref().and_then(|ended| ended.model.clone()));
        }
        for turn in &attempts.turns {
            let usage = turn.usage.map_or(0, Usage::sum);
            result.spent.attempts += 1;
            result.spent.tokens += usage;
            result.spent.millis += turn.duration_ms.unwrap_or(0);
            result.models.extend(turn.model.clone());
        }
        Ok(result)
    }
}

/// The dollars of each process of a conversation, and whether it ended by itself.
pub(super) fn costs(folder: &Path) -> Result<Vec<(Option<f64>, bool)>> {
    let file = read_file(&folder.join(COSTS))?.unwrap_or_default();
    Ok(from_json(&file).unwrap_or_default())
}

/// The expense of a unit, with the dollars that a conversation reported.
fn spent_in(folder: &Path, arm: Arm, spent: Expense) -> Result<Expense> {
    let costs = if arm == Arm::Conversation { costs(folder)? } else { Vec::new() };
    let known: Vec<f64> = costs.iter().filter_map(|(dollars, _)| *dollars).collect();
    let dearest = known.iter().copied().fold(spent.dearest, f64::max);
    let unpriced = spent.unpriced + (costs.len() - known.len()) as u32;
    Ok(Expense { dollars: spent.dollars + known.iter().sum::<f64>(), unpriced, dearest, ..spent })
}
