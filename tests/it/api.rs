//! The library: it saves what the program saves, and each continues the other's work.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use anvil::{
    ClaimResult, ClaimStatus, Debate, ErrorKind, FailureKind, Format, Ledger, Mode, Request,
    SeatStatus, Status, Submitted,
};
use anvil_core::transcript::{self, EntryKind};
use proptest::prelude::*;

use testkit::host::{Host, temp_folder};

/// The options of a debate.
type Setup = fn(Debate) -> Result<Debate, anvil::Error>;

/// Every mode, as it is typed and as it is called.
const FORMATS: [(&[&str], Setup); 9] = [
    (&["--rounds", "2"], |debate| debate.rounds(2)),
    (&["--rounds", "1", "--blind", "--position", "No."], |debate| {
        debate.rounds(1)?.blind()?.position("No.")
    }),
    (&["--stakeholders", "sales, legal"], |debate| {
        debate.mode(Mode::Stakeholders(vec!["sales".into(), "legal".into()]))
    }),
    (
        &["--persona", "regulator", "--persona", "a nurse on call", "--persona", "end-user"],
        |debate| debate.personas(["regulator", "a nurse on call", "end-user"]),
    ),
    (&["--persona", "regulator", "--persona", "competitor", "--rounds", "1"], |debate| {
        debate.rounds(1)?.personas(["regulator", "competitor"])
    }),
    (&["--mode", "devils-advocate", "--position", "We wait.", "--rounds", "1"], |debate| {
        debate.mode(Mode::DevilsAdvocate("We wait.".into()))?.rounds(1)
    }),
    (&["--judges", "3", "--rounds", "1"], |debate| debate.judges(3)?.rounds(1)),
    (
        &["--mode", "philosopher", "--focus", "security", "--framework", "adr", "--rounds", "1"],
        |debate| debate.mode(Mode::Philosopher)?.focus("security")?.framework("adr")?.rounds(1),
    ),
    (&["--rounds", "3", "--early-end", "no", "--quick"], |debate| {
        debate.quick()?.rounds(3)?.every_round()
    }),
];

/// Saving by a project's rules writes to the records of the user. True in a process of the test
/// that has another user; the process that `cargo test` started waits for it.
fn has_own_user(test: &str) -> bool {
    const MARK: &str = "ANVIL_TEST_USER";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let home = tempfile::tempdir_in(temp_folder()).unwrap();
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", test]).env("HOME", home.path()).env(MARK, "1");
    let ran = again.output().unwrap();
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && printed.contains("1 passed"), "{printed}");
    false
}

/// Lines of a synthesis.
const SYNTHESIS: &str = "recommendation: Wait.\nverdict: do not\nconfidence: 60";

/// The reply for a place of a debate with these claims.
fn reply_at(request: &Request, ledger: &Ledger) -> String {
    let number = ledger.claims.len() + 1;
    match (request.slot.split([',', ' ']).next().unwrap(), request.round) {
        ("advocate", _) => format!("**A{number}. It pays.** At {} [reasoning].", request.slot),
        ("critic", _) => {
            format!(
                "**C{number}. It costs.** Nobody has {number} [assumption].\n\n**Attacks A1:** too late."
            )
        }
        ("voice", voice) => {
            format!("**S{voice}.1. It concerns me.** As voice {voice}.")
        }
        _ => {
            let mut lines = SYNTHESIS.to_owned();
            for claim in &ledger.claims {
                let _ = write!(lines, "\n{} survived: {} says so", claim.id, request.slot);
            }
            if let Some(last) = ledger.claims.last() {
                let _ = write!(lines, "\nrests on: {}", last.id);
            }
            testkit::host::synthesis(&lines, &[], ledger.standing.motion())
        }
    }
}

/// Argues a debate to its end; returns each seat's prompt and reply.
fn argue(debate: &mut Debate) -> Vec<(Request, String)> {
    let mut said = Vec::new();
    while let Some(request) = debate.next_request() {
        let reply = reply_at(&request, &debate.ledger());
        debate.submit(&request, &reply).unwrap();
        said.push((request, reply));
        assert!(said.len() < 40, "it does not end: {said:?}");
    }
    said
}

/// A script for the program's own `script` agent.
fn script(said: &[(Request, String)], path: &Path) {
    let mut text = String::new();
    for (at, (request, reply)) in said.iter().enumerate() {
        if said[..at].iter().all(|(before, _)| before.slot != request.slot) {
            let _ = write!(text, "# {}\n\n{reply}\n\n", request.slot);
        }
    }
    fs_err::write(path, text).unwrap();
}

/// The sections and notes of a state file, without their times.
fn filed(text: &str) -> Vec<(EntryKind, Option<String>, String)> {
    let entries = transcript::parse(&anvil_store::StateFile::parse(text).unwrap().body);
    entries.0.into_iter().map(|entry| (entry.what, entry.voice, entry.text)).collect()
}

#[track_caller]
fn kind(result: Result<impl Sized, anvil::Error>) -> ErrorKind {
    let error = result.err().expect("it can't be");
    assert!(!error.to_string().is_empty() && !error.hint().is_empty());
    assert!(!error.to_string().contains('\n') && !error.hint().contains('\n'), "{error}");
    error.kind()
}

fn new() -> Debate {
    Debate::new("Why?").unwrap()
}

fn next(debate: &Debate) -> Request {
    debate.next_request().unwrap()
}

/// A debate of one round with its first reply.
fn begun() -> Debate {
    let mut debate = new().rounds(1).unwrap();
    assert_eq!(debate.submit(&next(&debate), "**A1. It pays.** x"), Ok(Submitted::Advanced));
    debate
}

#[test]
fn the_library_saves_debates_like_the_program() {
    for (typed, setup) in FORMATS {
        let mut debate = setup(new()).unwrap();
        let said = argue(&mut debate);
        assert_eq!(debate.status(), Status::Completed, "{typed:?}");
        let host = Host::new();
        let (replies, saved) = (host.outside("replies.md"), host.outside("saved.md"));
        script(&said, &replies);
        debate.save(&saved).unwrap();
        let agent = format!("script:{}", replies.display());
        let ran = host.run(&[&["run", "Why?", "--agent", agent.as_str()], typed].concat());
        assert_eq!(ran.code, 0, "{typed:?}: {ran:?}");
        let ours = filed(&fs_err::read_to_string(&saved).unwrap());
        assert_eq!(ours, filed(&host.state_text()), "{typed:?}");
        assert!(ours.len() > 2, "{typed:?}: {ours:?}");
        // Each seat's prompt, byte for byte.
        let shown: Vec<String> = (1..=said.len())
            .map(|attempt| {
                let mut files = host.all_files().into_iter();
                let file =
                    files.find(|(path, _)| path.ends_with(format!("attempts/{attempt}/prompt.md")));
                String::from_utf8(file.unwrap().1).unwrap()
            })
            .collect();
        for ((request, _), shown) in said.iter().zip(shown) {
            assert_eq!(request.prompt, shown, "{typed:?} {}", request.slot);
        }
        let claims: serde_json::Value = host.run(&["claims", "--json"]).json();
        let ledger = debate.ledger();
        let texts: Vec<&str> =
            ledger.findings.iter().map(|finding| finding.text.as_str()).collect();
        let told: Vec<&str> = claims["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["text"].as_str().unwrap())
            .collect();
        assert_eq!(texts, told, "{typed:?}");
        assert_eq!(claims["counts"]["claims"], ledger.claims.len(), "{typed:?}");
    }
}

#[test]
fn the_program_continues_what_the_library_saved() {
    if !has_own_user("api::the_program_continues_what_the_library_saved") {
        return;
    }
    let mut whole = begun();
    let said = argue(&mut whole);
    let host = Host::new();
    let replies = host.outside("replies.md");
    script(&said, &replies);
    begun().save(host.state_path()).unwrap();
    let status = host.run(&["status"]);
    assert!(status.stdout.contains("Paused before critic, round 1"), "{status:?}");
    let agent = format!("script:{}", replies.display());
    let ran = host.run(&["run", "--resume", "--agent", &agent]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(host.head("status"), "completed");
    let loaded = Debate::load(host.state_path()).unwrap();
    assert_eq!((loaded.status(), loaded.next_request()), (Status::Completed, None));
    assert_eq!(loaded.ledger(), whole.ledger());
}

#[test]
fn the_library_continues_what_the_program_saved() {
    if !has_own_user("api::the_library_continues_what_the_program_saved") {
        return;
    }
    let host = Host::new();
    let replies = host.outside("replies.md");
    fs_err::write(&replies, "# advocate, round 1\n\n**A1. It pays.** x\n").unwrap();
    let agent = format!("script:{}", replies.display());
    let ran = host.with("ANVIL_RETRY_DELAYS", "0,0,0");
    let printed = ran.run(&["run", "Why?", "--rounds", "1", "--agent", &agent]);
    assert_eq!((printed.code == 0, ran.head("phase").as_str()), (false, "critic"), "{printed:?}");
    ran.run(&["steer", "Look at the cost"]);
    let mut debate = Debate::load(ran.state_path()).unwrap();
    let request = next(&debate);
    assert_eq!(
        (request.slot.as_str(), request.prompt.contains("> Look at the cost")),
        ("critic, round 1", true)
    );
    argue(&mut debate);
    debate.save(ran.state_path()).unwrap();
    let status = ran.run(&["status"]);
    assert!(status.stdout.contains("\nNo: not do it, 60% sure. Wait.\n"), "{status:?}");
    let report = ran.run(&["report"]);
    assert!(report.stdout.contains("Wait."), "{report:?}");
    // The file counts as unedited, and its earlier states can be restored.
    assert!(!status.stdout.contains("edited") && !status.stdout.contains("repaired"), "{status:?}");
    assert!(ran.run(&["undo"]).stdout.contains("synthesis"));
}

#[test]
fn a_reply_to_an_older_state_is_stale() {
    let mut debate = new().rounds(1).unwrap();
    let first = next(&debate);
    assert_eq!(first, next(&debate), "asking changes nothing");
    debate.submit(&first, "**A1. One.** x").unwrap();
    let (before, second) = (debate.report(Format::Json), next(&debate));
    assert_eq!(kind(debate.submit(&first, "**A2. Two.** x")), ErrorKind::Stale);
    assert_eq!(
        kind(debate.submit(&next(&new()), "**A2. Two.** x")),
        ErrorKind::Stale,
        "another debate"
    );
    assert_eq!(debate.report(Format::Json), before);
    debate.steer("Look at the cost").unwrap();
    assert_eq!(
        kind(debate.submit(&second, "**C1. No.** x")),
        ErrorKind::Stale,
        "it was not shown the direction"
    );
    argue(&mut debate);
    assert_eq!(kind(debate.submit(&second, "**C1. No.** x")), ErrorKind::Stale);
    assert_eq!(kind(debate.steer("More")), ErrorKind::Over);
    assert_eq!(kind(debate.synthesize()), ErrorKind::Over);
}

#[test]
fn a_malformed_reply_is_retried_with_the_reason() {
    let mut debate = new().rounds(1).unwrap();
    let first = next(&debate);
    let again = debate.submit(&first, "It pays, I think.").unwrap();
    assert_eq!(again, Submitted::AskedAgain { why: "number your claims: A1., A2., …".into() });
    assert_eq!(kind(debate.submit(&first, "**A1. It pays.** x")), ErrorKind::Stale);
    let second = next(&debate);
    assert!(
        second.prompt.contains("> It pays, I think.") && !first.prompt.contains("I think"),
        "{}",
        second.prompt
    );
    let ended =
        new().rounds(1).map(|mut debate| debate.submit(&next(&debate), "<anvil-complete/>"));
    assert_eq!(
        ended.unwrap().unwrap(),
        Submitted::AskedAgain { why: "the reply was empty".into() },
        "of nothing"
    );
    // A malformed reply is retried once; an empty one three times.
    assert_eq!(debate.submit(&second, "It still pays."), Ok(Submitted::Advanced));
    for _ in 0..3 {
        let asked = debate.submit(&next(&debate), " \n").unwrap();
        assert_eq!(asked, Submitted::AskedAgain { why: "the reply was empty".into() });
    }
    let failed = debate.submit(&next(&debate), "").unwrap();
    assert!(
        matches!(failed, Submitted::Failed { ref why } if why.contains("the reply was empty")),
        "{failed:?}"
    );
    assert_eq!((debate.status(), debate.next_request()), (Status::Failed, None));
    let folder = tempfile::tempdir_in(testkit::host::temp_folder()).unwrap();
    debate.save(folder.path().join("failed.md")).unwrap();
    let mut debate = Debate::load(folder.path().join("failed.md")).unwrap();
    assert!(
        matches!(debate.submit(&next(&debate), ""), Ok(Submitted::AskedAgain { .. })),
        "it has all its chances anew"
    );
    assert_eq!(debate.submit(&next(&debate), "**C1. No.** x"), Ok(Submitted::Advanced));
}

#[test]
fn a_debate_goes_back_to_any_snapshot() {
    let mut debate = begun();
    let snapshot = debate.snapshot();
    let (request, report) = (next(&debate), debate.report(Format::Markdown));
    debate.submit(&request, "**C1. No.** x").unwrap();
    let later = next(&debate);
    debate.restore(&snapshot);
    assert_eq!((next(&debate), debate.report(Format::Markdown)), (request.clone(), report));
    debate.submit(&request, "**C1. Another.** x").unwrap();
    assert_eq!(
        kind(debate.submit(&later, SYNTHESIS)),
        ErrorKind::Stale,
        "it was asked after the other reply"
    );
    argue(&mut debate);
    assert_eq!(debate.ledger().claims[1].sentence, "Another");
}

#[test]
fn the_ledger_has_the_claims_and_moves_of_the_core() {
    let mut debate = begun();
    debate
        .submit(&next(&debate), "**C1. No.** x\n\n**Attacks A1:** \"It flies\" is wrong.")
        .unwrap();
    let ledger = debate.ledger();
    assert_eq!(
        (ledger.claims[0].status, ledger.claims[1].status),
        (ClaimStatus::Contested, ClaimStatus::Open)
    );
    let attack = &ledger.moves[0];
    assert_eq!(
        (&*attack.target.to_string(), attack.quote.as_deref(), attack.quote_found),
        ("A1", Some("It flies"), Some(false))
    );
    assert_eq!(ledger.findings[0].claim.map(|id| id.to_string()), Some("A1".to_owned()));
    argue(&mut debate);
    let ledger = debate.ledger();
    let verdict = ledger.standing.verdict().unwrap();
    let rests_on: Vec<String> =
        verdict.rests_on.iter().flatten().map(ToString::to_string).collect();
    assert_eq!((verdict.confidence, rests_on), (Some(60), vec!["C1".to_owned()]));
    assert_eq!(ledger.claims[0].result, Some(ClaimResult::Survived));
    assert_eq!(verdict.recommendation.as_deref(), Some("Wait."));
}

#[test]
fn invalid_options_are_refused() {
    use ErrorKind::{Begun, Invalid};
    let stakeholders =
        |names: &[&str]| Mode::Stakeholders(names.iter().map(|&name| name.to_owned()).collect());
    assert_eq!(kind(Debate::new("  ")), Invalid);
    assert_eq!(kind(Debate::new(&"x".repeat(8_001))), Invalid);
    assert_eq!(kind(new().rounds(0)), Invalid);
    assert_eq!(kind(new().rounds(11)), Invalid);
    assert_eq!(kind(new().judges(1)), Invalid);
    assert_eq!(kind(new().position("\0")), Invalid);
    assert_eq!(kind(new().focus("securty")), Invalid);
    assert_eq!(kind(new().framework("none")), Invalid);
    assert_eq!(kind(new().personas(["regulater"])), Invalid);
    assert_eq!(kind(new().personas(["a b"; 11])), Invalid);
    assert_eq!(kind(new().mode(stakeholders(&["sales"]))), Invalid);
    assert_eq!(kind(new().mode(stakeholders(&["sales", "sales"]))), Invalid);
    assert_eq!(kind(new().mode(Mode::DevilsAdvocate(String::new()))), Invalid);
    assert_eq!(kind(new().material("notes", " ")), Invalid);
    assert_eq!(
        kind(new().material("notes", "x").and_then(|debate| debate.material("more", "y"))),
        Invalid
    );
    // In either order.
    let three = ["a b", "c d", "e f"];
    assert_eq!(kind(new().blind().and_then(|debate| debate.personas(three))), Invalid);
    assert_eq!(kind(new().personas(three).and_then(Debate::blind)), Invalid);
    assert_eq!(
        kind(new().personas(three).and_then(|debate| debate.mode(stakeholders(&["a", "b"])))),
        Invalid
    );
    assert_eq!(
        kind(new().mode(stakeholders(&["a", "b"])).and_then(|debate| debate.personas(three))),
        Invalid
    );
    assert_eq!(
        kind(
            new().mode(Mode::DevilsAdvocate("x".into())).and_then(|debate| debate.personas(three))
        ),
        Invalid
    );
    assert_eq!(kind(begun().rounds(2)), Begun);
    assert_eq!(kind(begun().material("notes", "x")), Begun);
    assert_eq!(kind(new().synthesize()), Invalid, "no reply is saved in this cycle yet");
    assert_eq!(kind(begun().steer(" ")), Invalid);
    assert_eq!(
        kind(begun().set_time(SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40))),
        Invalid
    );
    let mut debate = begun();
    assert_eq!(kind(debate.submit(&next(&debate), &"word ".repeat(7_000_000))), Invalid);
    assert_eq!(
        debate.submit(&next(&debate), "**C1. No.** x"),
        Ok(Submitted::Advanced),
        "nothing was lost"
    );
}

#[test]
fn material_is_shown_with_masked_secrets() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let debate = new().material("notes.md", &format!("It costs 5 $.\ntoken = {token}\n")).unwrap();
    let prompt = next(&debate).prompt;
    assert!(
        prompt.contains("> It costs 5 $.")
            && prompt.contains("(notes.md)")
            && !prompt.contains(&token),
        "{prompt}"
    );
}

#[test]
fn saved_entries_have_the_given_time() {
    let mut debate = new();
    debate.set_time(SystemTime::UNIX_EPOCH + Duration::from_hours(24)).unwrap();
    debate.submit(&next(&debate), "**A1. It pays.** x").unwrap();
    assert!(debate.report(Format::Json).contains("\"1970-01-02T00:00:00Z\""));
}

#[test]
fn two_debates_that_are_made_at_once_have_two_ids() {
    let [one, other] = [new(), new()];
    assert_ne!(one.id(), other.id());
}

#[test]
fn a_foreign_file_is_refused_with_its_kind_and_left_alone() {
    let folder = tempfile::tempdir_in(testkit::host::temp_folder()).unwrap();
    let path = folder.path().join("debate.md");
    begun().save(&path).unwrap();
    let good = fs_err::read_to_string(&path).unwrap();
    let damage: [(&str, Vec<u8>); 8] = [
        ("empty", Vec::new()),
        ("no UTF-8", vec![0xFF; 100]),
        ("no head", good.replacen("---\n", "", 1).into()),
        ("a value out of range", good.replacen("round: 1", "round: 99", 1).into()),
        ("cut off", good.as_bytes()[..good.len() - 1].into()),
        ("a section less", good[..good.find("## Round 1").unwrap()].into()),
        ("another place", good.replacen("phase: critic", "phase: advocate", 1).into()),
        ("line ends", good.replace('\n', "\r\n").into()),
    ];
    for (what, bytes) in damage {
        fs_err::write(&path, &bytes).unwrap();
        assert_eq!(kind(Debate::load(&path)), ErrorKind::Damaged, "{what}");
        assert_eq!(fs_err::read(&path).unwrap(), bytes, "{what}");
    }
    fs_err::write(&path, good.replacen("schema: 3", "schema: 4", 1)).unwrap();
    assert_eq!(kind(Debate::load(&path)), ErrorKind::Newer);
    assert_eq!(kind(begun().save(&path)), ErrorKind::Conflict);
    assert_eq!(kind(Debate::load(folder.path())), ErrorKind::Io);
    assert_eq!(kind(Debate::load(folder.path().join("none.md"))), ErrorKind::Io);
    assert_eq!(kind(begun().save(folder.path().join("none/debate.md"))), ErrorKind::Io);
}

#[test]
fn a_question_of_some_lines_is_saved_and_loaded() {
    let folder = tempfile::tempdir_in(testkit::host::temp_folder()).unwrap();
    let path = folder.path().join("debate.md");
    let mut debate = Debate::new("Why?\r\nOr why not?").unwrap();
    debate.save(&path).unwrap();
    assert_eq!(Debate::load(&path).unwrap().question(), debate.question());
}

#[test]
fn saving_never_loses_another_writers_work() {
    let folder = tempfile::tempdir_in(testkit::host::temp_folder()).unwrap();
    let path = folder.path().join("debate.md");
    let mut debate = begun();
    debate.save(&path).unwrap();
    // The program's own file is followed, also back to a snapshot.
    let snapshot = debate.snapshot();
    debate.submit(&next(&debate), "**C1. No.** x").unwrap();
    debate.save(&path).unwrap();
    debate.restore(&snapshot);
    debate.save(&path).unwrap();
    // Two callers continue it: the second one to save has not seen the first one's work.
    let (mut one, mut other) = (Debate::load(&path).unwrap(), Debate::load(&path).unwrap());
    one.submit(&next(&one), "**C1. One.** x").unwrap();
    other.submit(&next(&other), "**C1. Other.** x").unwrap();
    one.save(&path).unwrap();
    let saved = fs_err::read(&path).unwrap();
    assert_eq!(kind(other.save(&path)), ErrorKind::Conflict);
    fs_err::write(folder.path().join("notes.md"), "Mine.").unwrap();
    assert_eq!(kind(other.save(folder.path().join("notes.md"))), ErrorKind::Conflict);
    assert_eq!(fs_err::read(&path).unwrap(), saved);
    // A copy that was loaded elsewhere, and continues it.
    fs_err::copy(&path, folder.path().join("copy.md")).unwrap();
    let mut third = Debate::load(folder.path().join("copy.md")).unwrap();
    argue(&mut third);
    third.save(&path).unwrap();
    assert_eq!(Debate::load(&path).unwrap().status(), Status::Completed);
}

#[test]
fn a_projects_debate_is_saved_by_the_projects_rules() {
    if !has_own_user("api::a_projects_debate_is_saved_by_the_projects_rules") {
        return;
    }
    // A session argues the debate in the file.
    let host = Host::new().debating("Should we? --rounds 1");
    let mut loaded = Debate::load(host.state_path()).unwrap();
    let before = host.state_text();
    assert_eq!(kind(loaded.save(host.state_path())), ErrorKind::Conflict);
    assert_eq!(kind(begun().save(host.state_path())), ErrorKind::Conflict);
    assert_eq!(host.state_text(), before);
    // Nobody may discard an unfinished debate; a finished one leaves its place.
    let host = Host::new();
    host.run(&["start", "Should we?", "--rounds", "1"]);
    assert_eq!(kind(begun().save(host.state_path())), ErrorKind::Conflict);
    let mut first = Debate::load(host.state_path()).unwrap();
    argue(&mut first);
    first.save(host.state_path()).unwrap();
    begun().save(host.state_path()).unwrap();
    let history = host.run(&["history"]);
    assert!(
        history.stdout.contains("Should we?") && history.stdout.contains("Why?"),
        "{history:?}"
    );
    assert_eq!(host.head("question"), "\"Why?\"");
}

#[test]
fn the_caller_decides_between_two_rounds() {
    let host = Host::new();
    host.run(&["start", "Why?", "--rounds", "2", "--interactive"]);
    let mut debate = Debate::load(host.state_path()).unwrap();
    let slots: Vec<String> =
        argue(&mut debate).into_iter().map(|(request, _)| request.slot).collect();
    assert_eq!(
        slots[..4],
        ["advocate, round 1", "critic, round 1", "advocate, round 2", "critic, round 2"]
    );
    assert_eq!(debate.status(), Status::Completed);
}

/// What a caller can do during a debate.
#[derive(Clone, Debug)]
enum Done {
    Replied(String),
    Steered(String),
    Ended,
}

fn done() -> impl Strategy<Value = Done> {
    let words = "(?s).{0,120}";
    prop_oneof![
        4 => (1..9_u8, words).prop_map(|(number, rest)| Done::Replied(format!("**A{number}. Yes.** x\n\n**C{number}. No.** {rest}\n"))),
        2 => words.prop_map(Done::Replied),
        1 => Just(Done::Replied("<anvil-complete/>".into())),
        1 => Just(Done::Replied(testkit::host::synthesis(SYNTHESIS, &["A1".to_owned()], None))),
        1 => words.prop_map(Done::Steered),
        1 => Just(Done::Ended),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_saved_debate_loads_unchanged(format in 0..FORMATS.len(), done in prop::collection::vec(done(), 0..12)) {
        let mut debate = FORMATS[format].1(new()).unwrap();
        let folder = tempfile::tempdir_in(testkit::host::temp_folder()).unwrap();
        let path = folder.path().join("debate.md");
        let mut is_again = false;
        for done in done {
            let Some(request) = debate.next_request() else { break };
            match done {
                Done::Replied(text) => {
                    is_again = matches!(debate.submit(&request, &text), Ok(Submitted::AskedAgain { .. }));
                }
                Done::Steered(text) => drop(debate.steer(&text)),
                Done::Ended => is_again &= debate.synthesize().is_err(),
            }
            debate.save(&path).unwrap();
            let loaded = Debate::load(&path).unwrap();
            prop_assert_eq!(loaded.ledger(), debate.ledger());
            if debate.status() == Status::Failed {
                continue;
            }
            prop_assert_eq!((loaded.id(), loaded.status(), loaded.progress()), (debate.id(), debate.status(), debate.progress()));
            prop_assert_eq!(loaded.report(Format::Json), debate.report(Format::Json));
            let (again, asked) = (loaded.next_request(), debate.next_request());
            // An unsaved reply is not in the file.
            if is_again {
                prop_assert_eq!(again.map(|request| request.slot), asked.map(|request| request.slot));
            } else {
                prop_assert_eq!(again, asked);
            }
        }
    }

    #[test]
    fn an_edited_file_loads_or_is_refused(
        format in 0..FORMATS.len(),
        replies in 0..4_usize,
        at in any::<prop::sample::Index>(),
        length in 0..200_usize,
        instead in "(?s).{0,20}",
    ) {
        let mut debate = FORMATS[format].1(new()).unwrap();
        for _ in 0..replies {
            let Some(request) = debate.next_request() else { break };
            debate.submit(&request, &reply_at(&request, &debate.ledger())).unwrap();
        }
        let folder = tempfile::tempdir_in(testkit::host::temp_folder()).unwrap();
        let path = folder.path().join("debate.md");
        debate.save(&path).unwrap();
        let text = fs_err::read_to_string(&path).unwrap();
        let begin = text.floor_char_boundary(at.index(text.len()));
        let end = text.ceil_char_boundary((begin + length).min(text.len()));
        fs_err::write(&path, [&text[..begin], &instead, &text[end..]].concat()).unwrap();
        match Debate::load(&path) {
            Ok(mut loaded) => {
                prop_assert!(loaded.report(Format::Markdown).starts_with('#'));
                if let Some(request) = loaded.next_request() {
                    loaded.submit(&request, "**A1. Yes.** x").unwrap();
                }
                loaded.save(&path).unwrap();
                Debate::load(&path).unwrap();
            }
            Err(error) => prop_assert!([ErrorKind::Damaged, ErrorKind::Newer].contains(&error.kind()), "{error}"),
        }
    }
}

#[test]
fn the_attempts_of_a_debate_are_read_from_the_records_of_their_user() {
    let host = Host::new().with("ANVIL_RETRY_DELAYS", "0,0,0");
    let script = host.outside("agent.sh");
    let once = "cat >/dev/null\n[ -e \"$0.failed\" ] || { touch \"$0.failed\"; exit 7; }\n\
                echo '**A1. It pays.** Less work.'\n";
    fs_err::write(&script, once).unwrap();
    let agent = format!("cmd:/bin/sh {}", script.display());
    let words = ["--rounds", "1", "--critic", "cmd:false", "--synthesizer", "cmd:false"];
    for more in [&[][..], &["--dir", "elsewhere"]] {
        let ran = host.run(&[&["run", "Why?", "--advocate", &agent][..], &words, more].concat());
        assert_eq!(ran.code, 5, "{ran:?}");
        fs_err::remove_file(host.outside("agent.sh.failed")).unwrap();
    }
    let folder = host.home().join(".claude/anvil.local");
    for place in [".claude", "elsewhere"] {
        let text = fs_err::read_to_string(host.path(place).join("anvil-state.local.md")).unwrap();
        let id = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
        read_attempts(&folder, id.trim_matches('"'));
    }

    // Another user has no record of it, and no id leads out of the folder.
    for (folder, id) in [(host.path("nowhere"), "an-id"), (folder, "../../..")] {
        let missing = anvil::load_attempts(folder, id).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::Io, "{missing}");
    }
}

fn read_attempts(folder: &Path, id: &str) {
    let read = anvil::load_attempts(folder, id).unwrap();
    let [first, second, critic, ..] = &read.all[..] else { panic!("{read:?}") };
    let number = |attempt: &anvil::Attempt| attempt.started.attempt;
    let slot = first.started.slot.to_string();
    assert_eq!((number(first), &*slot), (1, "advocate, round 1"), "{first:?}");
    assert_eq!((first.failure(), first.is_received()), (Some(FailureKind::Crash), false));
    let ended = second.ended.as_ref().unwrap();
    assert!(second.is_received() && second.failure().is_none() && ended.words > 3, "{second:?}");
    assert!(second.started.at >= first.started.at, "{second:?}");
    assert_eq!((&*critic.started.seat, number(critic)), ("critic", 3), "{critic:?}");
    let (advocate, critic) = (&read.seats["advocate"], &read.seats["critic"]);
    assert_eq!((advocate.status, critic.status), (SeatStatus::Received, SeatStatus::Failed));
    assert_eq!((advocate.metrics.attempts, advocate.metrics.retries), (2, 1), "{advocate:?}");
    assert!(advocate.last_error.is_empty() && !critic.last_error.is_empty(), "{critic:?}");
}
