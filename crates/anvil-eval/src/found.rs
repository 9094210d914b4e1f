//! What the folder of a unit has: a debate that is over, and all that was spent. Nothing of it is
//! asked for again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::bench::{Bench, answers_in, debate_in, is_of_answer, world_in};
use super::bill::spent_by;
use super::log::{CaseResult, Spent};
use super::metrics::Written;
use super::tasks::{Arm, Unit};
use anvil_core::debate::Status;
use anvil_core::ledger::{Fault, Finding, Ledger};
use anvil_core::reply::Usage;
use anvil_core::transcript;
use anvil_engine::{Context, programs};
use anvil_store::{Attempt, AttemptRecord, StartedLine, read_file};
use anvil_system::world::World;
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

/// The world of a conversation in this folder: nothing of the user's.
fn world_of_conversation(world: &World, folder: &Path) -> World {
    let home = folder.join(HOME);
    let config_folder = Some(home.join(".claude"));
    World { debate_folder: None, home: Some(home), config_folder, ..world_in(world, folder) }
}

impl Bench<'_> {
    /// A debate that has come to its end. `None`: it has not. `is_over`: why it is not continued.
    pub(crate) fn argued(
        &self,
        folder: &Path,
        arm: Arm,
        is_over: Option<&str>,
    ) -> Result<Option<Written>> {
        let Some(state) = debate_in(folder, arm)? else {
            let Some(why) = is_over else { return Ok(None) };
            let spent = spent_in(folder, arm, Spent::default())?;
            let degraded = Some(why.to_owned());
            let result = CaseResult { spent, degraded, ..CaseResult::default() };
            return Ok(Some(Written { result, ..Written::default() }));
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
        let is_false = |finding: &&Finding| matches!(finding.fault, Fault::QuoteNotFound { .. });
        let quotes = ledger.findings.iter().filter(is_false).count() as u32;
        // A debate that the budget has cut short is no whole one.
        let missing = transcript::skipped(&state.debate, &entries).join("; ");
        let failed = failed.or_else(|| (!missing.is_empty()).then_some(missing));
        let synthesis = entries.synthesis();
        let text = synthesis.map(|entry| entry.text.clone()).unwrap_or_default();
        let block = synthesis.map(|entry| entries.block_text(entry).to_owned());
        let repeat = block.filter(|block| *block != text);
        let carries = ledger.synthesis.as_ref().and_then(|synthesis| synthesis.rests_on.clone());
        let carries = carries.unwrap_or_default();
        let claims = ledger.claims.iter().filter(|claim| carries.contains(&claim.id));
        let claims: Vec<String> =
            claims.map(|claim| format!("{} {}", claim.sentence, claim.reasons)).collect();
        let claims = claims.join("\n");
        let mut result = self.result(&record)?;
        result.spent = spent_in(folder, arm, result.spent)?;
        (result.false_quotes, result.degraded) = (Some(quotes), failed);
        Ok(Some(Written { text, repeat, claims, result }))
    }

    pub(crate) fn record(&self, folder: &Path, arm: Arm, id: &str) -> AttemptRecord {
        let world = match arm {
            Arm::Conversation => world_of_conversation(self.world, folder),
            _ => world_in(self.world, folder),
        };
        programs::attempt_record(&Context::new(&world), id)
    }

    /// True if this or an earlier process has begun it.
    pub(crate) fn has_begun(&self, unit: &Unit) -> bool {
        self.folder.join(unit.folder()).exists()
    }

    /// All that a unit has spent so far.
    pub(crate) fn spent(&self, unit: &Unit) -> Result<Spent> {
        let folder = self.folder.join(unit.folder());
        let debate = debate_in(&folder, unit.arm)?;
        let debate = debate.map(|state| self.record(&folder, unit.arm, &state.debate.id));
        let votes = (1..=MAX_VOTES).map(|vote| format!("vote-{vote}"));
        let asked = ["single".to_owned()].into_iter().chain(votes);
        let asked = asked.flat_map(|id| [format!("{id}{AGAIN}"), id]);
        let spent: Result<Spent> = debate
            .into_iter()
            .chain(asked.map(|id| answers_in(self.world, &folder, &id)))
            .map(|record| Ok(self.result(&record)?.spent))
            .try_fold(Spent::default(), |sum, spent: Result<Spent>| Ok(sum.plus(spent?)));
        spent_in(&folder, unit.arm, spent?)
    }

    /// The expense of all attempts of a record.
    pub(crate) fn result(&self, record: &AttemptRecord) -> Result<CaseResult> {
        let attempts = record.read()?;
        let mut result = CaseResult::default();
        // Of one slot: a block that is asked for once more is a step of its own, and no retry.
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
fn spent_in(folder: &Path, arm: Arm, spent: Spent) -> Result<Spent> {
    let costs = if arm == Arm::Conversation { costs(folder)? } else { Vec::new() };
    let known = || costs.iter().filter_map(|(dollars, _)| *dollars);
    let dearest = known().fold(spent.dearest, f64::max);
    let unpriced = spent.unpriced + (costs.len() - known().count()) as u32;
    Ok(Spent { dollars: spent.dollars + known().sum::<f64>(), unpriced, dearest, ..spent })
}
