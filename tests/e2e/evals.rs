//! The evals in `evals/`: an obedient model passes all of them, and a careless one does not. The
//! script there counts how often a block is right.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::client::NEWEST;
use crate::isolated::Desk;
use crate::mock::{Answer, Request};
use crate::model::{Manner, Seat, Turn, account, told};
use crate::process::Running;
use crate::world::World;

/// Everything that a debate or the question of `ordinary-prompt` requires. The forgetful model
/// omits the last claim.
fn answered(turn: &Turn, is_forgetful: bool) -> String {
    match turn.seat {
        Some(Seat::Advocate(round)) => {
            format!("**A{round}. It costs two days of five.** Reply {}.", turn.number)
        }
        Some(Seat::Critic(round)) => {
            format!("**C{round}. The log counts tickets.** Reply {}.", turn.number)
        }
        Some(_) => {
            let owed = turn.claims.len() - usize::from(is_forgetful);
            account(&turn.motion, "Wait.", turn.claims[..owed].iter().map(String::as_str))
        }
        None => "391".to_owned(),
    }
}

/// The cases that ran, and the graders that each one failed.
fn graded(is_forgetful: bool) -> (usize, Vec<String>) {
    let world = World::with_model(Manner::default(), move |turn| {
        Some(Answer::text(answered(turn, is_forgetful)))
    });
    let mut copy = std::process::Command::new("cp");
    copy.arg("-r").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("evals")).arg(world.plugin());
    Running::start(copy).wait().ok();
    let result = world.home().join("result.json");
    world
        .bare_client(NEWEST)
        .args(&["plugin", "eval"])
        .arg(world.plugin())
        .args(&["--trust-plugin", "--scaffold", "--no-publish", "--ablation", "none", "--json"])
        .arg(&result)
        .run();
    let result: Value =
        serde_json::from_str(&fs::read_to_string(result).expect("a result")).expect("JSON");
    let cases = result["cases"].as_array().expect("cases");
    let mut failed = Vec::new();
    for case in cases {
        for run in case["arms"]["with"].as_array().expect("runs") {
            let graders = run["graders"].as_array().expect("graders").iter();
            failed.extend(graders.filter(|grader| grader["passed"] != true).map(|grader| {
                format!(
                    "{}: {}",
                    case["name"].as_str().unwrap_or_default(),
                    grader["name"].as_str().unwrap_or_default()
                )
            }));
        }
    }
    (cases.len(), failed)
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_obedient_model_passes_every_eval() {
    assert_eq!(graded(false), (3, Vec::new()));
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_model_that_omits_a_claim_fails_the_claims_eval() {
    assert_eq!(graded(true), (3, vec!["every-claim-accounted-for: none-left-out".to_owned()]));
}

/// The exit code of `blocks.py` for one debate of each way, and its output.
fn blocks(is_careless: bool) -> (Option<i32>, String) {
    let desk = Desk::new(move |request: &Request| {
        let turn = Turn::of(request);
        let is_repeat =
            turn.cue.contains("once more") || told(request).contains("Its block is wrong");
        let claims = if is_careless && !is_repeat { &["A1"][..] } else { &["A1", "C1"] };
        Answer::text(match turn.seat {
            Some(Seat::Synthesizer) => account(&turn.motion, "Wait.", claims.iter().copied()),
            _ => answered(&turn, false),
        })
    });
    let program = Path::new(env!("CARGO_BIN_EXE_anvil"));
    let line = format!(
        "PATH=\"{}:$PATH\" python3 '{}' haiku --debates 2 --rounds 1 --dir counted --plugin '{}'",
        program.parent().expect("its folder").display(),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("evals/blocks.py").display(),
        desk.world().plugin().display(),
    );
    let done = Running::start(desk.client().shell(&line)).wait();
    (done.status.code(), done.stdout)
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn right_blocks_are_counted_at_first_and_after_the_repeat() {
    for (is_careless, code, at_first) in [(false, 0, 1), (true, 1, 0)] {
        let (ended, said) = blocks(is_careless);
        for way in ["conversation", "isolated"] {
            let line = format!("haiku, {way}: {at_first} of 1 at first, 1 after the repeat");
            assert!(said.contains(&line), "{said}");
        }
        assert_eq!(ended, Some(code), "{said}");
    }
}
