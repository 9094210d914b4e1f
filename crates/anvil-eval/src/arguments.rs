//! The command line of the measurement.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::planted::NAMES;
use super::tasks::{Arm, Size};
use anvil_core::debate::MAX_MOTION_CHARS;
use anvil_engine::{Context, defaults};
use anvil_prompt::Agent;
use anvil_store::MAX_JOBS;
use anvil_system::world::World;
use anvil_text::clean;
use anvil_text::error::{Error, Result};

pub(super) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("ANVIL_BUILD"), ")");

/// Framing questions of a named size: both halves of 40 lines.
const QUICK: usize = 80;

/// Largest file of questions, in bytes.
const MAX_QUESTIONS: u64 = 64 * 1024;

/// Measures whether a debate helps, on your models: is it less swayed by what the asker is
/// convinced of than as many tokens of restated answers?
#[derive(Clone, Debug, Parser)]
#[command(name = "anvil-eval", version = VERSION)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct EvalArguments {
    #[command(subcommand)]
    pub verb: Option<EvalCommand>,
    /// Who answers: claude:haiku, codex, cmd:"COMMAND LINE", …
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// The critic of a second debate, of another family
    #[arg(long, value_name = "AGENT")]
    pub critic: Option<String>,
    /// Measure a debate in a conversation too: claude, with a home of its own and your key
    #[arg(long)]
    conversation: bool,
    /// quick: 80 framing questions; standard: 50 planted decisions too; N: N framing questions
    #[arg(long, value_name = "quick|standard|N", default_value = "quick", value_parser = counts)]
    size: (usize, usize),
    /// Ask each framing question in a neutral wording too
    #[arg(long)]
    neutral: bool,
    /// Your own framing questions, one a line: DECISION | OPPOSITE | BRIEF, or less of that
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Dollars for a million tokens in and out, for an agent that tells no dollars
    #[arg(long, value_name = "AGENT=IN,OUT", value_parser = price)]
    price: Vec<(String, [f64; 2])>,
    /// All tasks follow from it [default: a random one, which is printed]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Most dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub max_cost: Option<f64>,
    /// Answers that are written at the same time
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_JOBS)))]
    pub jobs: u8,
    /// The folder of the results
    #[arg(long, value_name = "DIR", default_value = "anvil-eval", global = true)]
    pub dir: PathBuf,
    /// Go on with the results there; nothing is paid for twice
    #[arg(long, conflicts_with_all = ["agent", "critic", "size", "conversation", "neutral", "questions", "price", "seed"])]
    pub resume: bool,
    /// Wait for a quota that says when it comes back, and go on
    #[arg(long)]
    pub wait: bool,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Write the page and its JSON anew, from the results; of several folders, from all of them
    Report {
        /// Folders of results [default: that of --dir]
        #[arg(value_name = "DIR")]
        folders: Vec<PathBuf>,
    },
}

fn counts(text: &str) -> Result<(usize, usize), String> {
    match text {
        "quick" => Ok((QUICK, 0)),
        "standard" => Ok((QUICK, 50)),
        number => match number.split_once('+') {
            // For tests and experts.
            Some((framing, planted)) => framing.parse().ok().zip(planted.parse().ok()),
            None => number.parse().ok().map(|framing| (framing, 0)),
        }
        .filter(|(framing, planted)| *planted <= NAMES && (1..=400).contains(&(framing + planted)))
        .ok_or_else(|| "takes quick, standard or a number of questions".to_owned()),
    }
}

fn dollars(text: &str) -> Result<f64, String> {
    let amount: Option<f64> = text.trim_start_matches('$').parse().ok();
    let amount = amount.filter(|amount| amount.is_finite() && *amount > 0.0);
    amount.ok_or_else(|| "takes an amount such as 15".to_owned())
}

fn price(text: &str) -> Result<(String, [f64; 2]), String> {
    let parsed = text.rsplit_once('=').and_then(|(agent, prices)| {
        let (one, other) = prices.split_once(',')?;
        let prices: [f64; 2] = [one.trim().parse().ok()?, other.trim().parse().ok()?];
        let are_prices = prices.iter().all(|price| price.is_finite() && *price >= 0.0);
        are_prices.then(|| (agent.trim().to_owned(), prices))
    });
    parsed.ok_or_else(|| "takes dollars for a million tokens, such as codex=1.25,10".to_owned())
}

/// The agents of these words.
pub(super) fn parse(world: &World, words: [Option<&String>; 2]) -> Result<Vec<Agent>> {
    let own = defaults::seat_defaults(&Context::new(world))?.agents;
    words.into_iter().flatten().map(|word| anvil_prompt::parse(word, &own, false)).collect()
}

impl EvalArguments {
    pub(crate) fn agent_word(&self) -> Result<String> {
        let name = self.agent.as_deref().ok_or_else(|| {
            Error::usage(
                "--agent is missing: who answers?",
                "name one, such as --agent claude:haiku",
            )
        })?;
        if self.conversation && name.split(':').next() != Some("claude") {
            return Err(Error::usage(
                format!("{} argues in no conversation", clean(name, 60)),
                "leave --conversation out, or name claude or claude:MODEL",
            ));
        }
        Ok(name.to_owned())
    }

    /// The budget; none if no agent costs anything. An agent with unknown dollars can't keep one.
    pub(crate) fn max_cost(&self, agents: &[Agent]) -> Result<Option<f64>> {
        let prices = self.prices();
        let unpriced = agents.iter().find(|agent| {
            !agent.output.tells_cost()
                && agent.script.is_none()
                && !prices.contains_key(&agent.name)
        });
        if let Some(agent) = unpriced {
            let name = clean(&agent.name, 60);
            return Err(Error::usage(
                format!("{name} reports no cost, so --max-cost can't be enforced"),
                format!("say what a million tokens cost: --price {name}=IN,OUT"),
            ));
        }
        let are_free = agents
            .iter()
            .all(|agent| agent.script.is_some() || prices.get(&agent.name) == Some(&[0.0, 0.0]));
        if self.max_cost.is_none() && !are_free {
            let hint = "say how many dollars this may cost: --max-cost 15";
            return Err(Error::usage("--max-cost is missing", hint));
        }
        Ok(self.max_cost)
    }

    pub(crate) fn prices(&self) -> BTreeMap<String, [f64; 2]> {
        self.price.iter().cloned().collect()
    }

    pub(crate) fn arms(&self) -> Vec<Arm> {
        let mut arms = Arm::ALL.to_vec();
        arms.retain(|arm| match arm {
            Arm::Families => self.critic.is_some(),
            Arm::Conversation => self.conversation,
            _ => true,
        });
        arms
    }

    pub(crate) fn size(&self) -> Result<Size> {
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(1..1_000_000));
        let (framing, planted) = self.size;
        let size = Size {
            seed,
            framing,
            planted,
            neutral: self.neutral,
            questions: self.own_questions()?,
        };
        let most = if framing == QUICK { size.known() } else { framing };
        Size { framing: framing.min(most), ..size }.check()
    }

    fn own_questions(&self) -> Result<Vec<String>> {
        let Some(path) = &self.questions else { return Ok(Vec::new()) };
        let hint = "write one decision a line, such as: move to Go | stay with Python";
        let failed = |why: String| Error::usage(format!("{}: {why}", path.display()), hint);
        let read = anvil_store::read_up_to(path, MAX_QUESTIONS, "file of questions")?;
        let text = String::from_utf8(read.ok_or_else(|| failed("there is no such file".into()))?);
        let text = text.map_err(|_| failed("it is not UTF-8".to_owned()))?;
        let lines: Vec<String> =
            text.lines().map(|line| clean(line, 2_000)).filter(|line| !line.is_empty()).collect();
        let mut seen = std::collections::BTreeSet::new();
        for part in lines.iter().flat_map(|line| line.split('|').take(2)).map(str::trim) {
            if part.is_empty() || !seen.insert(part) {
                return Err(failed(format!("a decision is empty or repeated: {part}")));
            }
            if part.chars().count() > MAX_MOTION_CHARS || part.contains('"') {
                let most = format!("at most {MAX_MOTION_CHARS} characters, no quotation mark");
                return Err(failed(format!("a decision has {most}: {}", clean(part, 60))));
            }
        }
        if lines.is_empty() { Err(failed("it has no question".to_owned())) } else { Ok(lines) }
    }
}
