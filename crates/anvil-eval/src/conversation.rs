//! A debate in a conversation with the user's `claude`, in a home of its own: the same plugin, the
//! same command, and no setting, instruction or record of the user's.

use std::ffi::OsString;
use std::path::Path;

use super::bench::{Bench, HIDDEN, Halt, MATERIAL, OUTPUT, UnitLimits, debate_in};
use super::found::{COSTS, HOME, costs};
use super::metrics::AnswerTexts;
use super::tasks::{Arm, Case, Unit};
use anvil_prompt::{Failure, OutputFormat, Printed, Retry};
use anvil_store::read_file;
use anvil_system::process;
use anvil_text::clean;
use anvil_text::error::{Error, Result};

/// The plugin of all conversations, below the folder of the results.
const PLUGIN: &str = "plugin";

/// Processes that a conversation may take to end its debate.
const MAX_PROCESSES: usize = 2;

impl Bench<'_> {
    /// Puts the plugin of all conversations below the folder of the results, where no instructions
    /// of the user reach them.
    pub(crate) fn install(&self) -> Result<(), Halt> {
        let hint = "name a folder outside of it with --dir";
        let place = self.folder.canonicalize().map_err(|error| Error::io(error, hint))?;
        let mut rules = place.ancestors().map(|folder| folder.join("CLAUDE.md"));
        if let Some(rules) = rules.find(|path| path.exists()) {
            let what = format!("conversations would read {}", rules.display());
            return Err(Error::usage(what, hint).into());
        }
        let plugin = self.folder.join(PLUGIN);
        let words = ["install".into(), "--to".into(), plugin.clone().into()];
        self.run(&self.anvil, &words, self.folder, &HIDDEN)?;
        if plugin.join("hooks").is_dir() {
            return Ok(());
        }
        Err(self.failed(self.folder, Arm::Single).into())
    }

    /// A debate in a conversation with the user's `claude`, which has a home of its own. One that
    /// leaves its debate is continued once.
    pub(crate) fn conversation(
        &self,
        folder: &Path,
        unit: &Unit,
        case: &Case,
        room: UnitLimits<'_>,
    ) -> Result<AnswerTexts, Halt> {
        let plugin = self.folder.join(PLUGIN);
        let home = folder.join(HOME);
        self.make(&home)?;
        self.put(&folder.join(MATERIAL), &case.material)?;
        let own = [("CLAUDE_CONFIG_DIR", None), ("HOME", Some(home.as_os_str()))];
        let variables = [&HIDDEN[..], &own].concat();
        let claude = process::find("claude")
            .ok_or_else(|| Error::failed("there is no program claude", "install Claude Code"))?;
        loop {
            drop(self.output(folder)?);
            let mut costs = costs(folder)?;
            let whole = costs.iter().filter(|(_, is_whole)| *is_whole).count();
            let is_over = (whole >= MAX_PROCESSES).then_some("the conversation left its debate");
            if let Some(written) = self.argued(folder, unit.arm, is_over)? {
                return Ok(written);
            }
            let left = (room.left)(self.spent(unit)?);
            if left <= 0.0 {
                return Err(Halt::Budget);
            }
            let context = if case.material.is_empty() { "" } else { "--context material.md " };
            let prompt = match debate_in(folder, unit.arm)? {
                Some(_) => "/anvil:resume".to_owned(),
                None => format!(
                    "/anvil:debate --questions=no --motion \"{}\" {context}{}",
                    case.decision,
                    case.question(unit.wording)
                ),
            };
            let mut words: Vec<OsString> = vec!["-p".into(), prompt.into()];
            words.extend(["--plugin-dir".into(), plugin.clone().into()]);
            words.extend(["--verbose", "--output-format", "stream-json"].map(OsString::from));
            words.push(format!("--max-budget-usd={:.4}", left.clamp(0.0001, 1e6)).into());
            if let Some((_, model)) = self.plan.agent.split_once(':') {
                words.extend(["--model".into(), model.into()]);
            }
            // The cost of a killed process is unknown.
            costs.push((None, false));
            self.put(&folder.join(COSTS), &serde_json::to_string(&costs).unwrap_or_default())?;
            self.run(&claude, &words, folder, &variables)?;
            let output = read_file(&folder.join(OUTPUT))?.unwrap_or_default();
            let printed = Printed { code: Some(0), output: &output, stderr: b"" };
            let answer = anvil_prompt::answer(OutputFormat::Claude, &printed);
            let figures = answer.as_ref().map_or_else(|failure| &failure.figures, |it| &it.figures);
            costs.pop();
            costs.push((figures.cost, answer.is_ok()));
            self.put(&folder.join(COSTS), &serde_json::to_string(&costs).unwrap_or_default())?;
            if let Err(Failure { kind, message, retry, .. }) = answer {
                let place = unit.folder();
                let error = Error::failed(
                    format!("claude stopped: {} ({})", kind.label(), clean(&message, 200)),
                    format!("see {OUTPUT} in {place}; deal with it, then continue"),
                );
                let now = self.world.clock.now().as_second();
                return Err(match retry {
                    Some(Retry::At(at)) if at > now => {
                        Halt::Quota { seconds: at.abs_diff(now), error }
                    }
                    _ => Halt::Failed(error),
                });
            }
        }
    }
}
