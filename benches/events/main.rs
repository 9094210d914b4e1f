//! The cost of a hook event, as a Markdown table: `cargo bench`, `cargo bench -- completion` for
//! the events with that in their name, or `cargo bench -- --quick` to see that the benchmark works.
//!
//! Each row measures the whole process, next to a floor program that runs in turn with it. The
//! benchmark never judges: a time on one machine is no test. docs/performance.md explains the
//! numbers.

mod measure;
mod scene;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use measure::{Cost, Program, free_space, median};
use scene::{Kind, Scene, Transcript};

const KB: usize = 1024;
const MB: u64 = 1024 * 1024;
const STATES: [(&str, usize); 3] = [("4 KB", 4 * KB), ("80 KB", 80 * KB), ("1 MB", 1024 * KB)];
const TRANSCRIPTS: [(&str, u64); 3] = [("1 MB", MB), ("100 MB", 100 * MB), ("1 GB", 1024 * MB)];
/// Free space that must exist before the largest transcript is written.
const ROOM_FOR_ALL: u64 = 3 * 1024 * MB;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` calls without `--bench`.
    let quick = arguments.iter().any(|word| word == "--quick")
        || !arguments.iter().any(|word| word == "--bench");
    let names: Vec<&String> = arguments.iter().filter(|word| !word.starts_with("--")).collect();
    let is_wanted = |kind: &Kind| {
        names.is_empty() || names.iter().any(|name| kind.name().contains(name.as_str()))
    };
    let floors = build_floors()?;
    let temp = tempfile::tempdir()?;
    let transcripts = transcripts(temp.path(), quick)?;

    println!(
        "| event | state | transcript | wall ms | CPU ms | M instr. | page faults | floor | wall | instr. |"
    );
    println!("|---|---|---|--:|--:|--:|--:|---|--:|--:|");
    for kind in Kind::ALL.into_iter().filter(is_wanted) {
        let without = [("none", 0)];
        let states = if kind.changes_a_debate() {
            STATES.to_vec()
        } else {
            [&without, &STATES[..]].concat()
        };
        for (state, size) in states {
            let scene = Scene::set(temp.path().join(format!("{kind:?}-{size}")), kind, size)?;
            let runs = match size {
                _ if quick => 10,
                ..=100_000 => 500,
                _ => 200,
            };
            if kind.changes_a_debate() || size == 0 {
                compare(&scene, state, &transcripts, &floors, runs)?;
            } else {
                // The event only looks at another session's debate; the transcript does not matter.
                compare(&scene, &format!("{state}, another's"), &transcripts[..1], &floors, runs)?;
            }
        }
    }
    let missing = TRANSCRIPTS.len() - transcripts.len();
    if missing > 0 {
        println!("\nLeft out, for want of time or disk space: the {missing} largest transcripts.");
    }
    Ok(())
}

/// Measures one scene with every transcript and prints a row for each. The floor and the program
/// run in turn, so that other load on the machine meets both.
fn compare(
    scene: &Scene,
    state: &str,
    transcripts: &[Transcript],
    floors: &Floors,
    runs: usize,
) -> Result<(), Box<dyn Error>> {
    std::env::set_current_dir(scene.root())?;
    let program = |path: &Path,
                   argument: PathBuf,
                   transcript: &Transcript|
     -> Result<Program, Box<dyn Error>> {
        let (arguments, environment) = (vec![argument.into()], scene.environment());
        Ok(Program {
            path: path.to_owned(),
            arguments,
            environment,
            input: scene.event(transcript)?,
        })
    };
    let (floor_name, floor) = if scene.kind.changes_a_debate() {
        ("floor", &floors.floor)
    } else {
        ("hello", &floors.hello)
    };
    let mut programs = vec![program(floor, scene.state_file(), &transcripts[0])?];
    for transcript in transcripts {
        let anvil = program(Path::new(env!("CARGO_BIN_EXE_anvil")), "hook".into(), transcript)?;
        scene.restore()?;
        let answer = anvil.answer()?;
        if !scene.kind.is_answer(&answer) {
            return Err(
                format!("{}, {state}: the program answered {answer:?}", scene.kind.name()).into()
            );
        }
        programs.push(anvil);
    }

    let mut costs: Vec<Vec<Cost>> = vec![Vec::with_capacity(runs); programs.len()];
    for run in 0..runs {
        for turn in 0..programs.len() {
            // Each program is the first one in turn: the first one finds the caches as the others
            // left them.
            let next = (run + turn) % programs.len();
            scene.restore()?;
            costs[next].push(programs[next].run()?);
        }
    }
    let mut rows = Vec::new();
    for (program, costs) in programs.iter().zip(costs) {
        scene.restore()?;
        rows.push(Row {
            wall: median(costs.iter().map(|cost| Some(cost.wall))).map(millis),
            cpu: median(costs.iter().map(|cost| cost.cpu)).map(millis),
            faults: median(costs.iter().map(|cost| cost.faults)).map(f64::from),
            instructions: program.instructions()?.map(|count| f64::from(count) / 1e6),
        });
    }
    let floor = rows.remove(0);
    let ratio =
        |own: Option<f64>, floor: Option<f64>| own.zip(floor).map(|(own, floor)| own / floor);
    for (transcript, row) in transcripts.iter().zip(rows) {
        println!(
            "| {} | {state} | {} | {} | {} | {} | {} | {floor_name}: {} ms, {} M, {} | {} | {} |",
            scene.kind.name(),
            transcript.name,
            number(row.wall, 2),
            number(row.cpu, 2),
            number(row.instructions, 3),
            number(row.faults, 0),
            number(floor.wall, 2),
            number(floor.instructions, 3),
            number(floor.faults, 0),
            number(ratio(row.wall, floor.wall), 2),
            number(ratio(row.instructions, floor.instructions), 2),
        );
    }
    Ok(())
}

/// The medians of many runs: milliseconds, pages, millions.
struct Row {
    wall: Option<f64>,
    cpu: Option<f64>,
    faults: Option<f64>,
    instructions: Option<f64>,
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// `-` for a value that could not be measured.
fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// The programs to compare with.
struct Floors {
    floor: PathBuf,
    hello: PathBuf,
}

/// Builds the floors like the program: the same profile and flags, static if the program is static.
fn build_floors() -> Result<Floors, Box<dyn Error>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--release", "--example", "floor", "--example", "hello"]);
    if !cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status()?.success() {
        return Err("the floor programs can't be built".into());
    }
    let folder = Path::new(env!("CARGO_BIN_EXE_anvil")).with_file_name("examples");
    Ok(Floors { floor: folder.join("floor"), hello: folder.join("hello") })
}

/// Writes the client's transcripts, the smallest first.
fn transcripts(folder: &Path, quick: bool) -> Result<Vec<Transcript>, Box<dyn Error>> {
    let fits = free_space(folder).is_some_and(|free| free > ROOM_FOR_ALL);
    let count = match (quick, fits) {
        (true, _) => 1,
        (false, false) => TRANSCRIPTS.len() - 1,
        (false, true) => TRANSCRIPTS.len(),
    };
    let written =
        TRANSCRIPTS[..count].iter().map(|&(name, size)| Transcript::write(folder, name, size));
    Ok(written.collect::<std::io::Result<_>>()?)
}
