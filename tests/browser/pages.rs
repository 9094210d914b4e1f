//! The pages for the browser: one debate that the real program argued, and crowded or hostile ones
//! that are built here.

use std::path::{Path, PathBuf};
use std::process::Command;

use anvil_core::debate::Debate;
use anvil_core::options::{Mode, Named};
use anvil_core::place::{Place, Seat};
use anvil_core::transcript::{self, Entry, EntryKind, NoteKind};
use anvil_report::{Files, Model, ReportSource, html};
use jiff::Timestamp;
use tempfile::TempDir;

/// Every visible text of a page with its contrast ratio.
pub(crate) const VISIBLE_TEXTS: &str = "(() => {
    const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = colour => {
        paint.clearRect(0, 0, 1, 1);
        paint.fillStyle = colour;
        paint.fillRect(0, 0, 1, 1);
        return [...paint.getImageData(0, 0, 1, 1).data];
    };
    const light = colour => rgba(colour).slice(0, 3).map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const ground = part => {
        for (; part; part = part.parentElement) {
            const colour = getComputedStyle(part).backgroundColor;
            if (rgba(colour)[3] == 255) return colour;
        }
    };
    const texts = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const text = walk.currentNode, part = text.parentElement;
        if (!text.data.trim() || !part.checkVisibility()) continue;
        const style = getComputedStyle(part);
        const [one, other] = [style.color, ground(part)].map(light);
        texts.push([text.data.trim().slice(0, 40), (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)]);
    }
    return texts;
})()";

/// A folder of pages.
pub(crate) struct TextKind(TempDir);

impl TextKind {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Writes a file.
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs_err::write(&path, text).expect("a file");
        path
    }

    /// The page of a whole debate, as the program writes it at the end.
    pub(crate) fn debate(&self) -> PathBuf {
        let mut program = Command::new(env!("CARGO_BIN_EXE_anvil"));
        let ran = program
            .args(["demo", "--keep"])
            .env_clear()
            .env("HOME", self.0.path())
            .env("TMPDIR", self.0.path())
            .output();
        let said = String::from_utf8(ran.expect("the program runs").stdout).expect("text");
        let after =
            |begin: &str| said.lines().find_map(|line| line.strip_prefix(begin)).expect("its line");
        let stage = Path::new(after("  cd ")).parent().expect("its folder");
        let debates = fs_err::read_dir(stage.join(".claude/anvil.local/debates"));
        let mut debates = debates.expect("debates").map(|debate| debate.expect("one").path());
        debates.next().expect("a debate").join("report.html")
    }

    /// Ten rounds in which every text is long or wide, or there are many of them.
    pub(crate) fn crowded(&self) -> PathBuf {
        let word = "x".repeat(400);
        let columns = "| a-longer-head ".repeat(14);
        let wide = format!(
            "https://{word}.example/{word}\n\n`{word}`\n\n```\n{word} {word}\n```\n\n{columns}|\n{}|\n{columns}|\n\n> > > > {word}\n\n- 1\n  - 2\n    - 3\n      - {word}\n\n[{word}](https://example.com/{word})",
            "|---".repeat(14),
        );
        let question = format!("{word}\n\n{wide}");
        let claims = |side: char, round: u8| {
            let numbers = (1..=7).map(|number| 7 * (round - 1) + number);
            let claims: Vec<String> =
                numbers.map(|number| format!("**{side}{number}. {word}**\n\n")).collect();
            claims.concat() + &wide
        };
        let mut built = Built::new(&question).noted(NoteKind::Steering, &wide);
        built.debate.options.position = Some(wide.clone());
        for round in 1..=10 {
            built = built
                .said(Seat::Advocate, round, &claims('A', round))
                .noted(NoteKind::Steering, &wide);
            built = built.said(Seat::Critic, round, &claims('C', round));
        }
        let fate = |number: usize| ["survived", "weakened", "fell"][number % 3];
        let fates: Vec<String> =
            (1..=70).map(|number| format!("A{number} {}: {word}\n", fate(number))).collect();
        let verdict = "verdict: do\nconfidence: 100\nrests on: A1, A2, A3, A4\n";
        let block = judged(&word, &(fates.concat() + verdict));
        let synthesis = format!("{wide}\n\n{block}\n\n{wide}");
        self.put("crowded.html", built.said(Seat::Synthesizer, 10, &synthesis).page())
    }

    /// Voices with long names, each with many arguments.
    pub(crate) fn voices(&self) -> PathBuf {
        let mut built = Built::new("Should we?");
        built.debate.options.mode = Mode::Stakeholders;
        built.debate.options.voices = (1..=6)
            .map(|number| Named {
                name: format!("the {number}th of those who have a say in this"),
                text: None,
            })
            .collect();
        for voice in 1..=6 {
            let claims: Vec<String> =
                (1..=12).map(|number| format!("**V{voice}.{number}. x**\n\n")).collect();
            let stance =
                ["FOR.", "AGAINST.", "FOR on one condition.", "We wait."][usize::from(voice) % 4];
            built = built.said(Seat::Voice(voice), 1, &format!("{stance}\n\n{}", claims.concat()));
        }
        let block = judged("No.", "verdict: do not\nconfidence: 60\nrests on: nothing\n");
        self.put("voices.html", built.said(Seat::Synthesizer, 6, &block).page())
    }

    /// Four options, each with many claims, the attacks on them and a ranking.
    pub(crate) fn options(&self) -> PathBuf {
        let mut built = Built::new("Which store?");
        built.debate.options.mode = Mode::Options;
        let names = ["Redis", "PostgreSQL", "nothing new", "a store of our own that we write"];
        built.debate.options.voices =
            names.map(|name| Named { name: name.to_owned(), text: None }).to_vec();
        let sentence = "It keeps what is written at a price that we know before we choose it.";
        for option in 1..=4 {
            let claims: Vec<String> =
                (1..=6).map(|number| format!("**S{option}.{number}. {sentence}**\n\n")).collect();
            built = built.said(Seat::Voice(option), 1, &claims.concat());
        }
        for option in 1..=4 {
            let others = (1..=4).filter(|other| *other != option);
            let attacks: Vec<String> = others
                .map(|other| {
                    let by = format!("**S{option}.{}. {sentence}**", 6 + other);
                    format!("{by}\n**Attacks S{other}.1:** \"keeps what\" fails.\n\n")
                })
                .collect();
            built = built.said(Seat::Voice(option), 2, &attacks.concat());
        }
        let places = [names[1], names[2], names[0], names[3]];
        let lines = (1..).zip(places).map(|(place, name)| {
            format!("{place}. {name}\noption {place}: S1.1 carries it; S2.7 weighs against it\n")
        });
        let lines: String = lines.collect();
        let verdict = "verdict: PostgreSQL\nconfidence: 70\nrests on: S2.1\n";
        let block = judged("Take PostgreSQL.", &(lines + verdict));
        self.put("options.html", built.said(Seat::Synthesizer, 4, &block).page())
    }

    /// Three judges, one of whom differs.
    pub(crate) fn judges(&self) -> PathBuf {
        let mut built = Built::new("Should we?").said(Seat::Advocate, 1, "**A1. It pays.** Yes.");
        built.debate.options.judges = 3;
        let judgment = |verdict: &str| {
            let lines =
                format!("A1 survived: it does\nverdict: {verdict}\nconfidence: 60\nrests on: A1\n");
            judged("Do it.", &format!("motion: do it\n{lines}"))
        };
        for verdict in ["do", "do", "do not"] {
            built = built.noted(NoteKind::Judgment, &judgment(verdict));
        }
        self.put("judges.html", built.said(Seat::Synthesizer, 1, &judgment("do")).page())
    }

    /// A text in every place that can hold one.
    pub(crate) fn hostile(&self, text: &str) -> PathBuf {
        let mut built = Built::new(text).noted(NoteKind::Steering, text);
        built.debate.options.position = Some(text.to_owned());
        built.debate.options.voices = vec![Named { name: text.to_owned(), text: None }; 3];
        built.debate.options.focus = Some(text.to_owned());
        let claim = format!("**A1. {text}**\n\n{text}\n\n**Repairs A1:** \"{text}\" {text}");
        // A line of the block has no break.
        let line = text.replace(['\n', '\r'], " ");
        let verdict = format!(
            "motion: {line}\nA1 fell: {line}\nverdict: depends\nconfidence: 60\nrests on: A1\n\
             depends on: {line}\n"
        );
        let synthesis = format!("{}\n\n{text}", judged(&line, &verdict));
        let built = built
            .said(Seat::Advocate, 1, &claim)
            .noted(NoteKind::Steering, text)
            .said(Seat::Critic, 1, text)
            .said(Seat::Voice(2), 1, text)
            .said(Seat::Synthesizer, 2, &synthesis);
        self.put("hostile.html", built.page())
    }
}

/// A block with these lines and this text in each of the others.
fn judged(text: &str, lines: &str) -> String {
    format!(
        "```anvil\n{lines}against: {text}\nrecommendation: {text}\nflips if: {text}\n\
         unknown: {text}\n```"
    )
}

/// A running debate.
struct Built {
    debate: Debate,
    body: String,
}

impl Built {
    fn new(question: &str) -> Self {
        let mut debate = Debate::new(
            "2026-11-21-browser-0001".into(),
            question.into(),
            10,
            Timestamp::UNIX_EPOCH,
        );
        debate.complete(Timestamp::UNIX_EPOCH);
        Self { debate, body: transcript::open(question) }
    }

    fn said(mut self, seat: Seat, round: u8, text: &str) -> Self {
        let place = Place { seat, round };
        let task = self.debate.schedule().task(place);
        let voice = self.debate.voice_at(place).filter(|_| task.is_some());
        let voice = voice.map(|voice| voice.name.clone());
        let reply = Entry::new(EntryKind::Reply(place), Timestamp::UNIX_EPOCH, text);
        Entry { voice, task, ..reply }.append_to(&mut self.body);
        self
    }

    fn noted(mut self, kind: NoteKind, text: &str) -> Self {
        transcript::append_note(&mut self.body, kind, Timestamp::UNIX_EPOCH, text);
        self
    }

    fn page(&self) -> String {
        let entries = transcript::parse(&self.body);
        let source = ReportSource {
            debate: &self.debate,
            entries: &entries,
            scrubber: &anvil_text::Scrubber::default(),
        };
        html(&Model::from_source(
            &source,
            &Files { debate: self.debate.question.clone(), reports: Vec::new() },
        ))
    }
}
