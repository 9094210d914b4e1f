//! The output of the command line, as whole screens: one file per story, like a recorded terminal.
//!
//! `UPDATE_EXPECT=1 cargo test --test it console` rewrites the files; read the changes like any
//! other change.

use std::collections::HashMap;
use std::fmt::Write as _;

use expect_test::expect_file;

use testkit::host::Host;

const SYNTHESIS: &str = "recommendation: Keep the monolith, and enforce its boundaries in CI. Then measure.\nconfidence: 80\nflips if: a second team is hired.\nunknown: what a deployment costs.";

/// The user at a terminal in a project.
struct Terminal {
    host: Host,
    record: String,
    /// Each screen, and the first line that showed it.
    seen: HashMap<String, String>,
}

impl Terminal {
    fn new(host: Host) -> Self {
        Self { host, record: String::new(), seen: HashMap::new() }
    }

    /// Runs a line that has quotes only around whole words, and records its output: a repeated
    /// screen by its name.
    fn types(&mut self, line: &str) {
        let mut words = Vec::new();
        for (number, part) in line.split('"').enumerate() {
            if number % 2 == 1 { words.push(part) } else { words.extend(part.split_whitespace()) }
        }
        let printed = self.host.run(&words);
        let mut screen = printed.stdout + &printed.stderr;
        if printed.code != 0 {
            writeln!(screen, "[exit code {}]", printed.code).unwrap();
        }
        writeln!(self.record, "$ anvil {line}").unwrap();
        match self.seen.get(&screen) {
            Some(first) if screen.lines().count() > 1 => {
                writeln!(self.record, "[the screen of `anvil {first}`]\n").unwrap();
            }
            _ => writeln!(self.record, "{screen}").unwrap(),
        }
        self.seen.entry(screen).or_insert_with(|| line.to_owned());
    }

    fn all(&mut self, lines: &[&str]) {
        for line in lines {
            self.types(line);
        }
    }

    /// The record, without what differs from run to run: the folders, and the end of an id.
    fn record(&self) -> String {
        let mut text = self.record.replace(&self.host.root().display().to_string(), "/project");
        text = text.replace(&self.host.home().display().to_string(), "/home");
        let id = |id: &str| {
            id[..id.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(id.len())]
                .to_owned()
        };
        let ids: Vec<String> =
            text.match_indices("2026-11-").map(|(at, _)| id(&text[at..])).collect();
        // The end of a listed debate's id.
        let ends: Vec<usize> = text.match_indices(" · 2026-11-").map(|(at, _)| at).collect();
        for at in ends {
            text.replace_range(at - 4..at, "1234");
        }
        // In a list, after the time of day.
        let is_time = |at: usize| {
            at > 3 && text.as_bytes()[at - 3] == b':' && text.as_bytes()[at - 1].is_ascii_digit()
        };
        let ends: Vec<usize> =
            text.match_indices(" · ").map(|(at, _)| at).filter(|at| is_time(*at)).collect();
        for at in ends {
            let begins = at + " · ".len();
            text.replace_range(begins..begins + 4, "1234");
        }
        let mut ids: Vec<String> = ids
            .into_iter()
            .filter(|id| id.len() > "2026-11-21T".len() && !id.contains('T'))
            .collect();
        ids.sort();
        ids.dedup();
        for id in ids {
            let suffix = id.rsplit('-').next().unwrap();
            if suffix.len() == 4 && suffix.chars().all(|c| c.is_ascii_hexdigit()) {
                text = text.replace(&id, &format!("{}-1234", &id[..id.len() - 5]));
                for end in [' ', '`'] {
                    text = text.replace(&format!(" {suffix}{end}"), &format!(" 1234{end}"));
                }
            }
        }
        text
    }
}

#[test]
fn screens_without_a_debate() {
    let mut terminal = Terminal::new(Host::new());
    terminal.all(&[
        "status",
        "status --json",
        "cancel",
        "undo",
        "undo --redo",
        "steer look at the cost",
        "steer --synthesize",
        "steer --rounds 2",
        "again",
        "report",
        "report --open",
        "history",
        "history --json",
        "history cache",
        "undo --list",
        "undo --to 1",
        "prune --keep 3",
    ]);
    expect_file!["console/no-debate.txt"].assert_eq(&terminal.record());
}

#[test]
fn screens_of_typing_errors() {
    let mut terminal = Terminal::new(Host::new());
    terminal.all(&[
        "",
        "statsu",
        "start",
        "start \"Why?\" --rounds 11",
        "start \"Why?\" --rouns 3",
        "start \"Why?\" --frobnicate",
        "debate \"Why?\"",
        "resume",
        "start \"Why?\" --mode devils-advocate",
        "start \"Why?\" --persona nobody-we-know",
        "report --format pdf",
        "report --open --output -",
        "report no-such-debate",
        "undo --to one",
        "undo one",
        "help reprot",
        "outcome maybe",
        "start \"Why?\" --isolated",
        "start \"Why?\" --critic codex",
        "claims --state answered",
        "prune",
        "list people",
        "completions",
        "completions csh",
        "history --due cache",
        "status --watch --json",
    ]);
    expect_file!["console/wrong.txt"].assert_eq(&terminal.record());
}

#[test]
fn screens_of_a_debate_from_start_to_report() {
    let mut terminal = Terminal::new(Host::new());
    terminal.types("start \"Should our team of eight split its Rails monolith?\" --rounds 1");
    terminal.types("status");
    terminal.host.prompt("one", "/anvil:resume");
    terminal.host.stop("one", "**A1. Split.** One queue.");
    terminal.all(&[
        "status",
        "steer look at what it costs",
        "steer --rounds 2",
        "undo --list",
        "undo --list --json",
    ]);
    terminal.host.stop("one", "**C1. Wait.** Eight people.");
    terminal.all(&[
        "undo 99",
        "undo",
        "undo --redo",
        "steer --synthesize",
        "status",
        "status --json",
        "start \"Another one?\"",
    ]);
    terminal.host.prompt("one", "/anvil:resume");
    terminal.host.stop("one", SYNTHESIS);
    terminal.all(&[
        "status",
        "report",
        "report --output decision.md",
        "report --output decision.pdf",
        "report --full",
        "again what of the database?",
        "status",
        "cancel",
    ]);
    expect_file!["console/debate.txt"].assert_eq(&terminal.record());
}

#[test]
fn screens_of_earlier_debates() {
    let host = Host::new();
    host.prompt(
        "one",
        "/anvil:debate Should our team of eight split its Rails monolith? --rounds 1",
    );
    for reply in ["**A1. Split.** One queue.", "**C1. Wait.** Eight people.", SYNTHESIS] {
        host.stop("one", reply);
    }
    host.wait(86_400);
    host.prompt("one", "/anvil:debate Who is on call? --rounds 1");
    for reply in
        ["**A1. All.**", "**C1. None.**", "recommendation: Take turns.\n\n**Confidence:** high"]
    {
        host.stop("one", reply);
    }
    host.wait(86_400);
    host.prompt("one", "/anvil:debate Which cache? --mode philosopher --rounds 2");
    host.stop("one", "**A1. Redis.** It is a cache that we know.");
    let mut terminal = Terminal::new(host);
    terminal.all(&[
        "history",
        "history --json",
        "report 3 --full",
        "report 2026-11-2",
        "report 4",
        "history eight",
        "history CACHE --json",
        "prune --keep 0",
        "prune --keep 0 --yes",
        "history",
    ]);
    expect_file!["console/history.txt"].assert_eq(&terminal.record());
}

fn without_blocks(text: &str) -> String {
    let mut parts = text.split("```anvil\n");
    let before = parts.next().unwrap_or_default().to_owned();
    parts.fold(before, |text, part| text + part.split_once("```\n").map_or("", |(_, after)| after))
}

#[test]
fn screens_of_three_widths() {
    let mut host = Host::new();
    host.prompt("one", "/anvil:debate Should our team of eight split its Rails monolith into microservices, or extract a webhook receiver first and measure for a year? --rounds 2");
    for reply in [
        include_str!("../../src/cli/demo/1-advocate.md"),
        include_str!("../../src/cli/demo/1-critic.md"),
        include_str!("../../src/cli/demo/2-advocate.md"),
        include_str!("../../src/cli/demo/2-critic.md"),
        include_str!("../../src/cli/demo/synthesis.md"),
    ] {
        host.stop("one", reply);
    }
    host.prompt("one", "/anvil:history --outcome right --review 1d");
    host.wait(2 * 86_400);
    host.prompt("one", "/anvil:debate Who is on call? --rounds 1");
    let (mut records, mut seen) = (String::new(), HashMap::new());
    for columns in ["80", "110", "160"] {
        host = host.with("COLUMNS", columns);
        let mut whole = Terminal::new(host);
        whole.types("report 2 --full");
        let mut terminal = Terminal { host: whole.host, record: String::new(), seen };
        // A report of 300 lines only wraps at other places, so only its width is checked.
        if columns == "80" {
            terminal.record.clone_from(&whole.record);
        }
        terminal.all(&["history", "history webhook", "status", "claims 2", "history --due"]);
        writeln!(records, "── {columns} columns ──\n\n{}", terminal.record()).unwrap();
        (host, seen) = (terminal.host, terminal.seen);
        let most = columns.parse().unwrap();
        let told = |line: &&str| !line.contains("anvil.local/") && !line.contains("  options  ");
        // The block is shown as it stands there.
        let shown = [&records, &whole.record].map(|text| without_blocks(text));
        let lines = shown.iter().flat_map(|text| text.lines());
        let wide = lines.filter(told).find(|line| line.chars().count() > most);
        assert_eq!(wide, None);
    }
    expect_file!["console/widths.txt"].assert_eq(&records);
}

#[test]
fn screens_of_the_choices() {
    let mut terminal = Terminal::new(Host::new());
    terminal.all(&[
        "--help",
        "help start",
        "help run",
        "help prune",
        "list",
        "list modes --json",
        "config",
        "config --json",
    ]);
    expect_file!["console/choice.txt"].assert_eq(&terminal.record());
}
