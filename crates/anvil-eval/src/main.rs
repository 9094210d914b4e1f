//! `anvil-eval`, the measurement: does a debate help, on the reader's models?
//!
//! Tasks follow from a seed, every answer is counted by program, and one hypothesis is fixed before
//! the first request. docs/evaluation.md says what the figures can and can't show.
//!
//! * [`arguments`]: the command line; [`log`]: the plan and each result, on disk.
//! * [`tasks`]: the cases, from a seed; [`planted`]: the decisions that have a right answer;
//!   [`prompts`]: the prompts of the arms that ask once.
//! * [`schedule`]: the order of the work within the budget. [`mod@bench`]: the folder of a unit and
//!   the programs that run there; [`answers`] and [`conversation`] have them write an answer,
//!   [`found`] reads a folder, and [`bill`] counts the expense of an attempt.
//! * [`primary`]: the result that decides; [`metrics`]: all other figures; [`stats`]: the
//!   statistics below both; [`page`]: the report.
#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

mod answers;
mod arguments;
mod bench;
mod bill;
mod conversation;
mod found;
mod log;
mod metrics;
mod page;
mod planted;
mod primary;
mod prompts;
mod schedule;
mod stats;
mod tasks;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anvil_engine::{Context, session};
use anvil_prompt::Agent;
use anvil_report::is_report;
use anvil_run::{script, single, wrapper};
use anvil_store::{Defaults, digest, read_file};
use anvil_system::disk::read_plain;
use anvil_system::process::{self, Signals, outlive_file_limit};
use anvil_system::world::World;
use anvil_text::clean;
use anvil_text::error::{Error, Result};
use arguments::{EvalArguments, EvalCommand};
use bench::{Bench, Halt};
use clap::Parser as _;
use log::{EvalPlan, Log, Results};
use metrics::Measurement;
use schedule::Ending;
use tasks::Arm;

/// Exit code of a measurement that ended before its last case.
const UNFINISHED: u8 = 5;

/// Longest time for a program to print its version.
const VERSION_LIMIT: Duration = Duration::from_secs(15);

fn main() -> ExitCode {
    outlive_file_limit();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let own: Vec<&str> = arguments.iter().skip(1).filter_map(|word| word.to_str()).collect();
    match own.as_slice() {
        [verb] if *verb == wrapper::VERB => return wrapper::main(),
        [verb, file, slot] if *verb == script::VERB => {
            return script::main(file.as_ref(), slot.as_ref());
        }
        _ => {}
    }
    let done = world().and_then(|world| match own.as_slice() {
        [verb, id, agent] if *verb == bench::SINGLE => ask_once(&world, id, agent),
        _ => match EvalArguments::try_parse_from(&arguments) {
            Ok(arguments) => perform(&world, &arguments),
            Err(error) => {
                let _ = error.print();
                Ok(if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS })
            }
        },
    });
    done.unwrap_or_else(|error| explain(&error))
}

fn explain(error: &Error) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{}", anvil_messages::error_lines(error));
    ExitCode::from(error.exit_code())
}

fn world() -> Result<World> {
    let world = World::gather(|name| std::env::var_os(name))?.in_its_folder();
    world.invalid_setting.clone().map_or(Ok(world), Err)
}

fn print(text: &str) {
    let _ = write!(std::io::stdout(), "{text}");
}

/// The process that asks once, in the folder of a unit. The prompt lies there.
fn ask_once(world: &World, id: &str, agent: &str) -> Result<ExitCode> {
    let prompt = read_file(&world.cwd.join(format!("{id}.md")))?;
    let prompt = prompt.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
        Error::nothing("there is no prompt here", "start anvil-eval, which starts this")
    })?;
    let record = bench::answers_in(world, &world.cwd, id);
    single::single(&bench::world_in(world, &world.cwd), record, id, agent, prompt)
}

fn perform(world: &World, arguments: &EvalArguments) -> Result<ExitCode> {
    let folder = world.cwd.join(&arguments.dir);
    if let Some(EvalCommand::Report { folders }) = &arguments.verb {
        let folders: Vec<PathBuf> = folders.iter().map(|folder| world.cwd.join(folder)).collect();
        let folders = if folders.is_empty() { vec![folder] } else { folders };
        let all = folders
            .iter()
            .map(|folder| log::read(folder)?.ok_or_else(|| nothing(folder)))
            .collect::<Result<Vec<Results>>>()?;
        check_pooled(&all)?;
        let names = if all.len() == 1 { REPORTS } else { POOLED };
        report(world, &folders[0], &all, names)?;
        return Ok(ExitCode::SUCCESS);
    }
    measure(world, arguments, &folder)
}

/// The page and its JSON, in the folder of a measurement.
const REPORTS: [&str; 2] = ["report.html", "report.json"];

/// The page and its JSON of pooled measurements, in the folder of the first.
const POOLED: [&str; 2] = ["pooled.html", "pooled.json"];

fn nothing(folder: &Path) -> Error {
    Error::nothing(
        format!("nothing was measured in {}", folder.display()),
        "`anvil-eval --agent claude:haiku --max-cost 15` measures; --dir names another folder",
    )
}

/// Refuses to measure where a report would replace something else.
fn check_reports(folder: &Path) -> Result<()> {
    for path in REPORTS.map(|name| folder.join(name)) {
        let content = read_plain(&path);
        if !content.is_ok_and(|content| content.is_none_or(|content| is_report(&content))) {
            return Err(Error::usage(
                format!("{} is not an Anvil report, and would be replaced", path.display()),
                "choose another folder with --dir",
            ));
        }
    }
    Ok(())
}

/// Measures, or continues it, and writes the page.
fn measure(world: &World, arguments: &EvalArguments, folder: &Path) -> Result<ExitCode> {
    check_reports(folder)?;
    let log = Log::open(&world.disk, folder)?;
    let mut results = match (log::read(folder)?, arguments.resume) {
        (Some(results), true) => {
            check_same(world, folder, &results.plan)?;
            results
        }
        (Some(_), false) => {
            let hint = "--resume continues it; --dir names another folder";
            return Err(Error::usage(format!("{} has results", folder.display()), hint));
        }
        (None, true) => return Err(nothing(folder)),
        (None, false) if folder.join("cases").exists() => {
            let what = format!("{} has answers without their plan", folder.display());
            return Err(Error::usage(what, "--dir names another folder"));
        }
        (None, false) => {
            let plan = plan(world, arguments, folder)?;
            log.plan(&plan)?;
            Results { plan, ended: BTreeMap::new() }
        }
    };
    let plan =
        EvalPlan { max_cost: arguments.max_cost.or(results.plan.max_cost), ..results.plan.clone() };
    let cases = plan.size.cases();
    let seed = plan.size.seed;
    let place = folder.display();
    let _ = writeln!(std::io::stderr(), "seed {seed}, {} cases, in {place}", cases.len());
    let bench = bench(world, folder, &plan, arguments.wait)?;
    if plan.arms.contains(&Arm::Conversation)
        && let Err(halt) = bench.install()
    {
        return stopped(halt, "--resume continues");
    }
    let max_cost = plan.max_cost.unwrap_or(f64::MAX);
    let ending = schedule::work(&bench, &log, &cases, &mut results, (arguments.jobs, max_cost))?;
    report(world, folder, std::slice::from_ref(&results), REPORTS)?;
    match ending {
        Ending::Complete => Ok(ExitCode::SUCCESS),
        Ending::Stopped(halt) => stopped(halt, "--resume with a larger --max-cost continues"),
    }
}

/// Says why a measurement ended before its last case.
fn stopped(halt: Halt, hint: &'static str) -> Result<ExitCode> {
    match halt {
        Halt::Failed(error) | Halt::Quota { error, .. } => Err(error),
        Halt::Signal(code) => Ok(ExitCode::from(code)),
        Halt::Budget => {
            let why = "stopped: what remains might not fit in --max-cost";
            explain(&Error::failed(why, hint));
            Ok(ExitCode::from(UNFINISHED))
        }
    }
}

/// Refuses to mix the results of two programs, or of two sets of defaults.
fn check_same(world: &World, folder: &Path, old: &EvalPlan) -> Result<()> {
    let agents = arguments::parse(world, [Some(&old.agent), old.critic.as_ref()])?;
    if versions(&agents)? == old.versions && defaults(world, folder)? == old.defaults {
        return Ok(());
    }
    Err(Error::usage(
        "this program, an agent's program or your defaults changed since these results began",
        "measure again in another folder, with --dir",
    ))
}

/// Refuses to pool measurements that were not made alike, or one measurement with itself.
fn check_pooled(all: &[Results]) -> Result<()> {
    let hint = "pool measurements of one agent, with the same options, and name each once";
    let ids: BTreeSet<&str> = all.iter().map(|results| results.plan.id.as_str()).collect();
    if ids.len() < all.len() {
        return Err(Error::usage("one measurement is named twice", hint));
    }
    if all.iter().any(|results| !results.plan.is_made_like(&all[0].plan)) {
        return Err(Error::usage("these measurements were not made alike", hint));
    }
    Ok(())
}

fn bench<'a>(
    world: &'a World,
    folder: &'a Path,
    plan: &'a EvalPlan,
    waits: bool,
) -> Result<Bench<'a>> {
    let again = "install it next to anvil-eval";
    let own = std::env::current_exe().map_err(|error| Error::io(error, again))?;
    let signals = Signals::listen(true).map_err(|error| Error::io(error, "try again"))?;
    let agents = arguments::parse(world, [Some(&plan.agent), plan.critic.as_ref()])?;
    let tells_cost = agents.iter().all(|agent| agent.output.tells_cost());
    Ok(Bench { world, folder, plan, anvil: anvil(&own)?, own, signals, tells_cost, waits })
}

/// The program `anvil` next to this one, else on the PATH; of the same build.
fn anvil(own: &Path) -> Result<PathBuf> {
    let neighbour = own.with_file_name(format!("anvil{}", std::env::consts::EXE_SUFFIX));
    let found = Some(neighbour)
        .filter(|path| path.is_file())
        .or_else(|| process::find("anvil"))
        .ok_or_else(|| {
            let hint = "install anvil and anvil-eval into one folder";
            Error::failed("there is no program anvil", hint)
        })?;
    let build = version(&found)?;
    let expected = format!("anvil {}", arguments::VERSION);
    if build == expected {
        return Ok(found);
    }
    Err(Error::failed(
        format!("{} is {}, and this is {expected}", found.display(), clean(&build, 80)),
        "install anvil and anvil-eval of one build",
    ))
}

fn version(program: &Path) -> Result<String> {
    let output = process::command(program)
        .and_then(|mut command| {
            command.arg("--version");
            process::run(command, None, VERSION_LIMIT)
        })
        .map_err(|error| error.to_error("the program", "install it"))?;
    Ok(clean(output.text.lines().next().unwrap_or_default(), 120))
}

/// The versions of this program and of the agents' programs.
fn versions(agents: &[Agent]) -> Result<BTreeMap<String, String>> {
    let mut versions = BTreeMap::new();
    versions.insert("anvil-eval".to_owned(), arguments::VERSION.to_owned());
    for agent in agents {
        // A command of the user need not know this option.
        let program = agent.command.first().filter(|_| !agent.name.starts_with("cmd:"));
        if let Some(place) = program.and_then(process::find) {
            versions.insert(agent.name.clone(), version(&place)?);
        }
    }
    Ok(versions)
}

/// The digest of the user's defaults, which debates take.
fn defaults(world: &World, folder: &Path) -> Result<String> {
    let inside = bench::world_in(world, folder);
    let mut text = String::new();
    for one in Defaults::read(&session::project(&Context::new(&inside)), &inside)? {
        let _ = write!(text, "{:?}{}", one.entries, one.rules);
    }
    Ok(digest(text.as_bytes()))
}

fn plan(world: &World, arguments: &EvalArguments, folder: &Path) -> Result<EvalPlan> {
    let agent = arguments.agent_word()?;
    let agents = arguments::parse(world, [Some(&agent), arguments.critic.as_ref()])?;
    let size = arguments.size()?;
    Ok(EvalPlan {
        id: format!("{:016x}", fastrand::u64(..)),
        hypothesis: primary::HYPOTHESIS.to_owned(),
        began: world.now,
        max_cost: arguments.max_cost(&agents)?,
        versions: versions(&agents)?,
        defaults: defaults(world, folder)?,
        size,
        arms: arguments.arms(),
        agent,
        critic: arguments.critic.clone(),
        prices: arguments.prices(),
    })
}

/// Writes the page and its JSON, and prints their lines.
fn report(world: &World, folder: &Path, all: &[Results], names: [&str; 2]) -> Result<()> {
    let runs: Vec<Measurement<'_>> = all.iter().map(Measurement::new).collect();
    let measured = metrics::measure(&runs);
    let json = serde_json::to_string_pretty(&measured).unwrap_or_default() + "\n";
    for (name, text) in names.into_iter().zip([page::html(&measured), json]) {
        let path = folder.join(name);
        let text = text.as_bytes();
        world
            .disk
            .replace_only(folder, &path, text, is_report)
            .map_err(|error| Error::io(error, "make room, then `anvil-eval report`"))?;
    }
    print(&page::lines(&measured));
    print(&format!("  {}\n", folder.join(names[0]).display()));
    Ok(())
}
