//! `anvil run` with programs that misbehave, are killed, or are stopped. Each is a small shell
//! script that records every request, which is when a real one would cost money.

pub(crate) mod budgets;
mod claims;
mod doors;
mod elsewhere;
mod facts;
mod hostile;
mod isolated;
mod jobs;
mod judges;
mod kill_points;
mod orphans;
mod outputs;
mod places;
mod plans;
mod publish;
mod random;
mod records;
mod revise;
mod seats;
mod shown;
mod signals;
mod step;
mod trust;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::forge::Issue;
use testkit::host::{Host, Output};

const SEATS: [&str; 3] = ["advocate", "critic", "synthesizer"];

/// The reply of each seat.
const REPLIES: [&str; 3] = [
    "**A1. It pays.** Less work for the same money [evidence: costs.md].\n",
    "**C1. It costs a month.** Nobody has that month [assumption].\n**Attacks A1:** \"It pays\" comes too late.\n",
    "We wait.\n\n### What to do\n\n1. Everybody: wait.\n\n```anvil\nmotion: wait\nA1 weakened: by C1\nC1 survived: unanswered\nagainst: it is less work\n\
     recommendation: Wait.\nverdict: depends\nconfidence: 60\nrests on: C1\ndepends on: a free month; do if there is one, else not\n\
     flips if: a month is found\nunknown: who has time\n```\n",
];

/// The synthesis of a debate with these claims.
fn synthesis_of(claims: &[&str]) -> String {
    let claims: Vec<String> = claims.iter().map(|&claim| claim.to_owned()).collect();
    testkit::host::synthesis("recommendation: Wait.\nconfidence: 60", &claims, None) + "\n"
}

/// A healthy agent: it reads its prompt, is paid, and prints its reply line by line.
const WELL: &str = "take_in; pay; say\n";

/// An agent that waits for permission before its reply.
const HELD: &str = "take_in; pay; at $seat; while [ ! -e go ]; do sleep 0.02; done; say\n";

/// An agent that prints nothing.
const HANGS: &str = "take_in; pay; at $seat; sleep 300\n";

/// The time limit for an action that takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// A fact-checker's answer about the advocate's reply.
const CHECKS: &str = "```anvil\nA1 supported: costs.md:1 \"less\"\n```\n";

/// The saved check.
const CHECKED: &str = "**A1:** supported, `costs.md:1` \"less\"";

/// A project with three agents.
pub(crate) struct Room {
    pub(crate) host: Host,
    /// A fourth agent checks facts.
    checks: bool,
    /// The number of judges of the synthesis; 0: one synthesizer writes it.
    judges: usize,
    /// The issue that a run keeps current.
    issue: Option<Issue>,
    /// The debate revises a document, and the critic speaks first.
    revises: bool,
}

impl Room {
    pub(crate) fn new() -> Self {
        Self::of(Host::new().with_path("/usr/local/bin:/usr/bin:/bin"))
    }

    fn of(host: Host) -> Self {
        let temporary = host.outside("tmp");
        let host =
            host.with("TMPDIR", temporary.to_str().unwrap()).with("ANVIL_RETRY_DELAYS", "0,0,0");
        let room = Self { host, checks: false, judges: 0, issue: None, revises: false };
        fs_err::create_dir_all(temporary).unwrap();
        for (seat, reply) in SEATS.iter().zip(REPLIES) {
            fs_err::write(room.file(&format!("{seat}.md")), reply).unwrap();
            room.does(seat, WELL);
        }
        room
    }

    /// A room with an issue that is kept current.
    pub(crate) fn publishing() -> Self {
        let issue = Issue::new("What to do?");
        let room = Self::of(issue.machine());
        Self { issue: Some(issue), ..room }
    }

    /// A room with fact checks.
    pub(crate) fn checking() -> Self {
        let room = Self { checks: true, ..Self::new() };
        fs_err::write(room.host.path("costs.md"), "It costs less.\n").unwrap();
        fs_err::write(room.file("checker.md"), CHECKS).unwrap();
        room.does("checker", WELL);
        room
    }

    /// A room with a document that the advocate changes.
    pub(crate) fn revising() -> Self {
        let room = Self { revises: true, ..Self::new() };
        fs_err::write(room.host.path("plan.md"), "Go.\r\nThen stop.\r\n").unwrap();
        fs_err::write(room.file("advocate.md"), Self::change()).unwrap();
        fs_err::write(room.file("synthesizer.md"), Self::accepted()).unwrap();
        room
    }

    /// The synthesis on the motion of a document.
    fn accepted() -> String {
        REPLIES[2].replace("motion: wait\n", "motion: accept the document as it stands\n")
    }

    fn change() -> String {
        format!("{}```old\nGo.\n```\n```new\nGo slowly.\n```\n", REPLIES[0])
    }

    /// A room with two judges who agree.
    pub(crate) fn judging() -> Self {
        Self { judges: 2, ..Self::new() }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.host = self.host.with(name, value);
        self
    }

    fn file(&self, name: &str) -> PathBuf {
        self.host.outside(name)
    }

    /// Writes the script of an agent.
    fn does(&self, seat: &str, what: &str) -> &Self {
        let folder = self.file("");
        let folder = folder.display();
        let script = format!(
            "seat={seat}\ncd {folder} || exit 9\n\
             pay() {{ echo \"$seat $ANVIL_CHILD\" >>paid; }}\n\
             take_in() {{ cat >/dev/null; }}\n\
             say() {{ while IFS= read -r line; do printf '%s\\n' \"$line\"; done <$seat.md; }}\n\
             at() {{ : >\"at-$1\"; }}\n\
             {what}"
        );
        fs_err::write(self.file(&format!("{seat}.sh")), script).unwrap();
        self
    }

    pub(crate) fn agent(&self, seat: &str) -> String {
        format!("cmd:/bin/sh {}", self.file(&format!("{seat}.sh")).display())
    }

    /// The arguments of a new run.
    pub(crate) fn begins(&self, more: &[&str]) -> Vec<String> {
        let mut words: Vec<String> =
            ["run", "Why?", "--rounds", "1"].iter().map(|&word| word.to_owned()).collect();
        for seat in SEATS {
            let option = format!("--{seat}");
            if !more.contains(&option.as_str()) {
                words.extend([option, self.agent(seat)]);
            }
        }
        words.extend(more.iter().map(|&word| word.to_owned()));
        if self.issue.is_some() {
            words.extend(["--publish", "7"].map(str::to_owned));
        }
        if self.revises {
            words.extend(["--revise", "plan.md"].map(str::to_owned));
        }
        if self.checks {
            words.extend([
                "--fact-check".to_owned(),
                "--fact-checker".to_owned(),
                self.agent("checker"),
            ]);
        }
        if self.judges > 0 {
            words.extend(["--judges".to_owned(), self.judges.to_string()]);
        }
        words
    }

    fn command(&self, words: &[String]) -> Command {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.host.command(&words, self.host.root())
    }

    fn run(&self, more: &[&str]) -> Output {
        let words = self.begins(more);
        self.host.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn resume(&self, more: &[&str]) -> Output {
        self.host.run(&[&["run", "--resume"], more].concat())
    }

    /// The prompt of an attempt at this slot.
    fn prompt(&self, slot: &str) -> String {
        let record = self.record();
        let attempts = record["attempts"].as_array().unwrap();
        let attempt = attempts.iter().rfind(|attempt| attempt["started"]["slot"] == slot).unwrap();
        let id = record["id"].as_str().unwrap();
        let path = format!("attempts/{}/prompt.md", attempt["started"]["attempt"]);
        fs_err::read_to_string(self.host.debate_folder(id).join(path)).unwrap()
    }

    /// Starts a run, and waits until this seat gets its prompt.
    fn asking(&self, seat: &str) -> Running {
        let run = self.spawn(&self.begins(&[]));
        self.reaches(seat);
        run
    }

    /// Ends the newest attempt, whose run is gone, from outside.
    fn ends_attempt(&self) {
        let open = self.lines().into_iter().rfind(|line| line["event"] == "started").unwrap();
        kill(u32::try_from(open["pid"].as_u64().unwrap()).unwrap(), "TERM");
        until("it has ended", || !self.kinds().contains(&"open".to_owned()));
    }

    /// Releases a held agent's reply.
    fn releases_reply(&self) {
        fs_err::write(self.file("go"), "").unwrap();
    }

    /// Starts a run without waiting for it.
    fn spawn(&self, words: &[String]) -> Running {
        self.spawned(self.command(words))
    }

    fn spawned(&self, command: Command) -> Running {
        self.spawned_with(command, Stdio::null())
    }

    fn spawned_with(&self, mut command: Command, input: Stdio) -> Running {
        // Several may run at once.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let (out, err) = (self.file(&format!("out-{number}")), self.file(&format!("err-{number}")));
        command
            .stdin(input)
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap());
        Running { child: command.spawn().unwrap(), stdout: out, stderr: err }
    }

    /// Waits until an agent reports that it runs.
    fn reaches(&self, what: &str) {
        let path = self.file(&format!("at-{what}"));
        until(&format!("{what} is reached"), || path.exists());
    }

    /// The newest debate's record, from `anvil attempts --json`.
    fn record(&self) -> Value {
        let printed = self.host.run(&["attempts", "--json"]);
        assert_eq!(printed.code, 0, "{printed:?}");
        printed.json()
    }

    /// The result of each attempt: its slot, and its error.
    fn ends(&self) -> Vec<(String, String)> {
        let end = |attempt: &Value| {
            let error = match &attempt["ended"] {
                Value::Null => "open".to_owned(),
                ended => ended["error"].as_str().unwrap_or("received").to_owned(),
            };
            (attempt["started"]["slot"].as_str().unwrap().to_owned(), error)
        };
        self.record()["attempts"].as_array().unwrap().iter().map(end).collect()
    }

    /// The errors alone.
    fn kinds(&self) -> Vec<String> {
        self.ends().into_iter().map(|(_, kind)| kind).collect()
    }

    /// The seat and the attempt of each payment.
    fn paid(&self) -> Vec<(String, String)> {
        let text = fs_err::read_to_string(self.file("paid")).unwrap_or_default();
        let pair = |line: &str| {
            line.split_once(' ').map(|(seat, token)| (seat.to_owned(), token.to_owned()))
        };
        text.lines().filter_map(pair).collect()
    }

    /// The debate is complete, word for word; no received reply was requested again; nothing is
    /// left over.
    fn is_complete(&self, context: &str) {
        assert_eq!(self.host.head("status"), "completed", "{context}");
        let (mut texts, mut said) =
            (self.host.reply_texts(), REPLIES.map(|reply| reply.trim_end().to_owned()));
        if self.revises {
            Self::change().trim_end().clone_into(&mut said[0]);
            Self::accepted().trim_end().clone_into(&mut said[2]);
            texts[..2].reverse();
            let document = self.host.run(&["report", "--document"]).stdout;
            assert_eq!(document, "Go slowly.\r\nThen stop.\r\n", "{context}");
        }
        assert_eq!(texts[..2], said[..2], "{context}");
        let synthesis = if self.judges == 0 { &said[2] } else { "\njudges: 2 of 2\n" };
        assert!(texts.len() == 3 && texts[2].contains(synthesis), "{context}: {texts:?}");
        assert!(self.judges > 0 || texts[2] == synthesis, "{context}: {texts:?}");
        let judgments = self.host.state_text().matches("\n### Judgment\n").count();
        assert_eq!(judgments, self.judges, "{context}");
        let notes = self.host.state_text().matches("\n### Fact Check\n").count();
        assert_eq!(notes, usize::from(self.checks), "{context}");
        let found =
            self.host.state_text().contains(&format!("\n> {CHECKED} (the words are there)\n"));
        assert_eq!(found, self.checks, "{context}: {}", self.host.state_text());
        let record = self.record();
        let attempts = record["attempts"].as_array().unwrap();
        for slot in attempts
            .iter()
            .map(|attempt| attempt["started"]["slot"].as_str().unwrap())
            .collect::<BTreeSet<_>>()
        {
            let of_slot = attempts.iter().filter(|attempt| attempt["started"]["slot"] == slot);
            let received: Vec<bool> = of_slot
                .map(|attempt| attempt["ended"].is_object() && attempt["ended"]["error"].is_null())
                .collect();
            let first = received.iter().position(|received| *received);
            assert_eq!(
                first,
                Some(received.len() - 1),
                "{context}: asked again for what was received: {record}"
            );
        }
        let paid = self.paid();
        let tokens: BTreeSet<&str> = paid.iter().map(|(_, token)| token.as_str()).collect();
        assert_eq!(tokens.len(), paid.len(), "{context}: an attempt was paid for twice: {paid:?}");
        for token in tokens {
            let is_known = attempts.iter().any(|attempt| attempt["started"]["token"] == token);
            assert!(is_known, "{context}: {token} was paid for and is not on record: {record}");
        }
        self.is_clean(context);
    }

    /// No process and no folder of an attempt is left, and no lock is held.
    fn is_clean(&self, context: &str) {
        self.has_left_nothing(context);
        assert_eq!(self.host.run(&["status"]).code, 0, "{context}: a lock is held");
    }

    /// No process and no folder of an attempt is left.
    fn has_left_nothing(&self, context: &str) {
        let left = || processes_with(&format!("HOME={}", self.host.home().display()));
        let began = Instant::now();
        while !left().is_empty() && began.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let names: Vec<String> = left().into_iter().map(command_line).collect();
        assert!(names.is_empty(), "{context}: processes are left: {names:?}");
        let folders: Vec<PathBuf> = fs_err::read_dir(self.file("tmp"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert!(folders.is_empty(), "{context}: folders are left: {folders:?}");
    }

    /// The same for processes that are being ended now, and may resist.
    fn becomes_clean(&self) {
        until("nothing runs", || {
            processes_with(&format!("HOME={}", self.host.home().display())).is_empty()
        });
    }

    /// Starts the debate if necessary, and resumes until it is complete.
    fn carry_on(&self, context: &str) {
        let mut last = None;
        for _ in 0..8 {
            if !self.host.state_path().exists() {
                last = Some(self.run(&[]));
            } else if self.host.head("status") == "completed" {
                return;
            } else {
                let publishes: &[&str] =
                    if self.issue.is_some() { &["--publish", "7"] } else { &[] };
                last = Some(self.resume(publishes));
            }
        }
        let text = self.host.state_text();
        assert!(
            self.host.head("status") == "completed",
            "{context}: it does not go on: {last:?}\n{text}"
        );
    }
}

/// A run in parallel with the test.
struct Running {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Running {
    fn signal(&self, signal: &str) {
        kill(self.child.id(), signal);
    }

    /// Waits until it has printed this.
    fn says(&self, text: &str) {
        until(text, || {
            let read = |path: &Path| fs_err::read_to_string(path).unwrap();
            (read(&self.stderr) + &read(&self.stdout)).contains(text)
        });
    }

    /// Waits for its end; returns its exit code (`None`: it was killed) and its whole output.
    fn ends(mut self) -> (Option<i32>, String) {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                let read = |path: &Path| fs_err::read_to_string(path).unwrap();
                return (status.code(), read(&self.stdout) + &read(&self.stderr));
            }
            if began.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                panic!("it does not end: {}", fs_err::read_to_string(&self.stdout).unwrap());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Waits until a condition holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// Sends a signal to one process.
fn kill(pid: u32, signal: &str) {
    let _ = Command::new("/bin/sh")
        .args(["-c", &format!("kill -{signal} {pid} 2>/dev/null")])
        .status()
        .unwrap();
}

/// The running processes with this in their environment, in the order of their numbers.
fn processes_with(variable: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|known| known == variable.as_bytes()) {
            found.push(pid);
        }
    }
    found.sort_unstable();
    found
}

fn is_gone(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| stat.contains(") Z ")) || !Path::new(&format!("/proc/{pid}")).exists()
}

fn command_line(pid: u32) -> String {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    format!("{pid}: {}", String::from_utf8_lossy(&words).replace('\0', " "))
}
