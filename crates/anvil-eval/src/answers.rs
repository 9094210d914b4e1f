//! Where answers are written: a debate by `anvil run --dir`, a single prompt by this program, each
//! as a process of its own in the folder of its unit.

use std::ffi::OsString;
use std::path::Path;

use super::bench::{
    Bench, DEBATE, HIDDEN, Halt, MATERIAL, SINGLE, UnitLimits, answers_in, debate_in, is_of_answer,
};
use super::found::{AGAIN, MAX_VOTES};
use super::log::{CaseResult, Expense};
use super::metrics::AnswerTexts;
use super::primary::Votes;
use super::prompts;
use super::tasks::{Arm, Case, Unit};
use anvil_core::debate::Status;
use anvil_store::Attempt;

/// Failures in a row after which no answer is expected, as in a debate.
const MAX_FAILURES: usize = 3;

/// The personas of the seats if each is shown a half of the facts, and how their texts begin.
const SEATS: [&str; 2] = ["first-half", "second-half"];
const ALONE: &str = "You know the part of the files that follows, which no other seat was shown. \
    Bring into the debate what bears on the decision, with its numbers, whichever side it helps.";

impl Bench<'_> {
    /// Measures one unit, or reads what an earlier measurement has.
    pub(crate) fn measure(
        &self,
        unit: &Unit,
        case: &Case,
        room: UnitLimits<'_>,
    ) -> Result<CaseResult, Halt> {
        let folder = self.folder.join(unit.folder());
        self.make(&folder.join(DEBATE))?;
        if unit.arm.is_debate() {
            let spent = self.spent(unit)?;
            let left = spent.dollars + (room.left)(spent);
            return Ok(match unit.arm {
                Arm::Conversation => self.conversation(&folder, unit, case, room)?,
                _ => self.debate(&folder, unit, case, left)?,
            }
            .result(case));
        }
        let prompt = prompts::prompt(unit, case);
        if unit.arm == Arm::Rival {
            return self.rival(&folder, &prompt, case, room);
        }
        Ok(self.answer(&folder, "single", &prompt, Expense::default(), room)?.result(case))
    }

    /// Argues a debate to its end, or goes on with one. `left`: its dollars, with those it has
    /// spent.
    fn debate(
        &self,
        folder: &Path,
        unit: &Unit,
        case: &Case,
        left: f64,
    ) -> Result<AnswerTexts, Halt> {
        let arm = unit.arm;
        // A debate that a killed measurement left here may be about to write its first state.
        drop(self.output(folder)?);
        if let Some(written) = self.argued(folder, arm, None)? {
            return Ok(written);
        }
        let mut words: Vec<OsString> = vec!["run".into(), format!("--dir={DEBATE}").into()];
        if self.tells_cost {
            words.push(format!("--max-cost={:.4}", left.max(0.0001)).into());
        }
        let found = debate_in(folder, arm)?;
        let progress = found.as_ref().map(|state| &state.debate.progress.status);
        if progress.is_none_or(|status| *status == Status::Failed) {
            words.extend(["--agent".into(), self.plan.agent.as_str().into()]);
            if let Some(critic) = self.plan.critic.as_ref().filter(|_| arm == Arm::Families) {
                words.extend(["--critic".into(), critic.into()]);
            }
        }
        if found.is_some() {
            words.push("--resume".into());
        } else {
            words.push("--questions=no".into());
            words.push(format!("--motion={}", case.decision).into());
            let split = case.planted.as_ref().and_then(|planted| planted.split.as_ref());
            if let Some(halves) = split {
                let personas = folder.join(".claude/anvil/personas");
                self.make(&personas)?;
                for (name, text) in SEATS.into_iter().zip(halves) {
                    let file = personas.join(format!("{name}.md"));
                    self.put(&file, &format!("{ALONE}\n\n{text}"))?;
                    words.push(format!("--persona={name}").into());
                }
            } else if !case.material.is_empty() {
                self.put(&folder.join(MATERIAL), &case.material)?;
                words.push(format!("--context={MATERIAL}").into());
            }
            words.extend(["--".into(), case.question(unit.wording).into()]);
        }
        self.run(&self.anvil, &words, folder, &HIDDEN)?;
        if let Some(written) = self.argued(folder, arm, None)? {
            return Ok(written);
        }
        let Some(state) = debate_in(folder, arm)? else {
            return Err(self.failed(folder, arm).into());
        };
        if state.debate.progress.status_detail.contains("--max-cost") {
            return Err(Halt::Budget);
        }
        Err(self.stopped(folder, &self.record(folder, arm, &state.debate.id), arm))
    }

    /// The rival: the smallest odd number of answers that takes as many tokens as the debate.
    fn rival(
        &self,
        folder: &Path,
        prompt: &str,
        case: &Case,
        room: UnitLimits<'_>,
    ) -> Result<CaseResult, Halt> {
        let mut spent = Expense::default();
        let mut votes = Votes::default();
        let mut all: Vec<AnswerTexts> = Vec::new();
        while votes.all() < MAX_VOTES && (spent.tokens < room.tokens || votes.all() % 2 == 0) {
            let id = format!("vote-{}", votes.all() + 1);
            let written = self.answer(folder, &id, prompt, spent, room)?;
            spent = spent.plus(written.result.spent);
            votes.add(&written.verdict().word);
            all.push(written);
        }
        let models = all.iter().flat_map(|one| one.result.models.clone()).collect();
        let majority = votes.majority();
        let is_winner = |one: &AnswerTexts| prompts::decided(&one.verdict().word) == majority;
        let stated: Vec<u32> = all
            .iter()
            .filter(|one| majority.is_some() && is_winner(one))
            .filter_map(|one| one.verdict().confidence.map(u32::from))
            .collect();
        let sum = stated.iter().sum::<u32>();
        let count = stated.len() as u32;
        let confidence = (sum + count / 2).checked_div(count).map(|percent| percent as u8);
        let shown = all.iter().position(is_winner).unwrap_or(0);
        let result = all.swap_remove(shown).result(case);
        let verdict = if majority.is_some() { result.verdict } else { String::new() };
        let short = spent.tokens < room.tokens;
        Ok(CaseResult { verdict, confidence, votes, short, spent, models, ..result })
    }

    /// A reply with a whole block. As in a debate, only a wrong block is requested again.
    /// `spent`: by the answers before it.
    fn answer(
        &self,
        folder: &Path,
        id: &str,
        prompt: &str,
        spent: Expense,
        room: UnitLimits<'_>,
    ) -> Result<AnswerTexts, Halt> {
        let mut first = self.ask(folder, id, prompt, &|| (room.left)(spent))?;
        if first.result.degraded.is_some() || first.verdict().is_whole {
            return Ok(first);
        }
        let prompt = prompts::again(prompt, &first.text);
        let spent = spent.plus(first.result.spent);
        let id = format!("{id}{AGAIN}");
        let second = self.ask(folder, &id, &prompt, &|| (room.left)(spent))?;
        let result = &mut first.result;
        result.spent = result.spent.plus(second.result.spent);
        result.spent.asked_again += 1;
        result.models.extend(second.result.models);
        result.degraded = second.result.degraded;
        first.repeat = Some(second.text).filter(|second| prompts::replaces(second, &first.text));
        Ok(first)
    }

    /// One reply to a prompt, by the attempt that a debate makes.
    fn ask(
        &self,
        folder: &Path,
        id: &str,
        prompt: &str,
        left: &dyn Fn() -> f64,
    ) -> Result<AnswerTexts, Halt> {
        let record = answers_in(self.world, folder, id);
        for is_asked in [false, true] {
            let attempts = record.read()?.all;
            if let Some(found) = attempts.iter().find(|attempt| attempt.is_received()) {
                let text = record.reply(found).ok_or_else(|| self.failed(folder, Arm::Single))?;
                return Ok(AnswerTexts {
                    text,
                    result: self.result(&record)?,
                    ..AnswerTexts::default()
                });
            }
            let failures = attempts.iter().filter_map(Attempt::failure);
            let newest = attempts.last().and_then(|attempt| attempt.ended.as_ref());
            if failures.filter(|kind| is_of_answer(*kind)).count() >= MAX_FAILURES
                && let Some(kind) = newest.and_then(|ended| ended.error)
            {
                let degraded = Some(kind.label().to_owned());
                let result = CaseResult { degraded, ..self.result(&record)? };
                return Ok(AnswerTexts { result, ..AnswerTexts::default() });
            }
            if !is_asked {
                if left() <= 0.0 {
                    return Err(Halt::Budget);
                }
                // A file has all of the prompt or none of it, also if this process is killed.
                self.put(&folder.join(format!("{id}.md")), prompt)?;
                let words = [SINGLE, id, &self.plan.agent].map(OsString::from);
                self.run(&self.own, &words, folder, &HIDDEN)?;
            }
        }
        Err(self.stopped(folder, &record, Arm::Single))
    }
}
