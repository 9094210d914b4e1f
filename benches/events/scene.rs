//! The scene of a run: a project with its state file, a client's transcript and an event, as the
//! real client would leave them. All runs find the same scene: the changes of a run are undone,
//! outside of the measured time.

use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anvil_core::debate::Debate;
use anvil_core::place::{Place, Seat};
use anvil_core::transcript;
use anvil_store::{Project, StateFile, Store};
use anvil_system::world::World;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The time of every event; the phase was requested a minute before.
const NOW: Timestamp = Timestamp::constant(1_795_230_000, 0);
const SESSION: &str = "0f3c9d52-7e1b-4c7a-9a55-d2f1c0a8e611";
/// Length of the reply that is saved, in bytes.
const REPLY: usize = 4 * 1024;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    StopWithoutDebate,
    PromptWithoutDebate,
    ReadOfAnotherFile,
    StopInDebate,
    Completion,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [
        Self::StopWithoutDebate,
        Self::PromptWithoutDebate,
        Self::ReadOfAnotherFile,
        Self::StopInDebate,
        Self::Completion,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::StopWithoutDebate => "Stop, no debate",
            Self::PromptWithoutDebate => "prompt, no debate",
            Self::ReadOfAnotherFile => "Read of another file",
            Self::StopInDebate => "Stop in mid-debate",
            Self::Completion => "completion",
        }
    }

    /// True if the event moves a debate on, and so replaces the state file.
    pub(crate) fn changes_a_debate(self) -> bool {
        matches!(self, Self::StopInDebate | Self::Completion)
    }

    /// True if the program answers such an event like this.
    pub(crate) fn is_answer(self, answer: &str) -> bool {
        match self {
            Self::StopWithoutDebate | Self::PromptWithoutDebate | Self::ReadOfAnotherFile => {
                answer.is_empty()
            }
            Self::StopInDebate => answer.contains("additionalContext"),
            Self::Completion => answer.contains("Anvil: complete."),
        }
    }
}

/// A home, a project in it, and one kind of event.
pub(crate) struct Scene {
    pub(crate) kind: Kind,
    root: PathBuf,
    /// The reply that is saved.
    reply: String,
    /// The state file as it is before every run, and the names of its snapshots. It is linked
    /// into its places, because no run writes into a state file.
    template: Option<(PathBuf, Vec<String>)>,
}

impl Scene {
    /// Sets the scene in a new folder. `state_size` 0: there is no state file.
    pub(crate) fn set(
        root: PathBuf,
        kind: Kind,
        state_size: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let project = Project::at(&root);
        fs::create_dir_all(project.claude())?;
        fs::create_dir_all(root.join("home/.claude/anvil.local/sessions"))?;
        let mut template = None;
        if state_size > 0 {
            let (state, snapshots) = state(kind, state_size)?;
            let path = root.join("template.md");
            write_whole(&path, state.as_bytes())?;
            template = Some((path, snapshots));
        }
        let reply = match kind {
            Kind::Completion => synthesis(rounds(state_size)),
            _ => argument(Place { seat: Seat::Critic, round: rounds(state_size) }, REPLY),
        };
        Ok(Self { kind, root, reply, template })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn state_file(&self) -> PathBuf {
        Project::at(&self.root).state_file()
    }

    /// Writes the event that names this transcript of the client; returns its path. The transcript
    /// then ends with the reply.
    pub(crate) fn event(&self, transcript: &Transcript) -> io::Result<PathBuf> {
        transcript.end_with(&self.reply)?;
        let mut event = json!({
            "session_id": SESSION, "transcript_path": transcript.path, "cwd": self.root, "prompt_id": "5f0e2c1b",
            "permission_mode": "default",
        });
        if self.kind == Kind::ReadOfAnotherFile {
            event["hook_event_name"] = json!("PreToolUse");
            event["tool_name"] = json!("Read");
            event["tool_input"] = json!({ "file_path": self.root.join("src/main.rs") });
        } else if self.kind == Kind::PromptWithoutDebate {
            event["hook_event_name"] = json!("UserPromptSubmit");
            event["prompt"] = json!("Now write the tests for it, please.");
        } else {
            event["hook_event_name"] = json!("Stop");
            event["stop_hook_active"] = json!(true);
            event["last_assistant_message"] = json!(self.reply);
            event["background_tasks"] = json!([]);
        }
        let path = self.root.join("event").with_extension(transcript.name);
        fs::write(&path, event.to_string())?;
        Ok(path)
    }

    /// The environment that the client gives a hook.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let home = self.root.join("home");
        vec![
            ("CLAUDE_CONFIG_DIR", home.join(".claude").into()),
            ("HOME", home.into()),
            ("CLAUDE_PROJECT_DIR", self.root.clone().into()),
            ("AI_AGENT", "claude-code_2-1-332_harness".into()),
            ("ANVIL_NOW", NOW.to_string().into()),
        ]
    }

    /// Undoes the changes of a run.
    pub(crate) fn restore(&self) -> io::Result<()> {
        let Some((template, snapshots)) = &self.template else { return Ok(()) };
        let project = Project::at(&self.root);
        let state = project.state_file();
        remove(&state)?;
        fs::hard_link(template, &state)?;
        if self.kind.changes_a_debate() {
            let record = json!({ "root": self.root, "client": { "pid": 1, "started": 1 } });
            fs::write(
                self.root.join("home/.claude/anvil.local/sessions").join(SESSION),
                record.to_string(),
            )?;
            let kept = self.root.join("home/.claude/anvil.local/debates").join(ID);
            let _ = fs::remove_dir_all(&kept);
            fs::create_dir_all(&kept)?;
            // Its file lies here.
            let home = self.root.join("home");
            let world = World::gather(|name| (name == "HOME").then(|| home.clone().into()));
            let recorded = world.and_then(|world| {
                let mut store = Store::new(project, &world);
                store.lock(Duration::ZERO)?.change_record(ID, |_| {})
            });
            recorded.map_err(|error| io::Error::other(error.to_string()))?;
            for name in snapshots {
                fs::hard_link(template, kept.join(name))?;
            }
            fs::write(kept.join("attempts.jsonl"), "{\"event\":\"turn\"}\n")?;
        }
        // Otherwise the run's own flush would write these changes.
        File::open(self.root.join(".claude"))?.sync_all()
    }
}

const ID: &str = "2026-11-21-should-our-team-of-9311";

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The rounds of a debate with a state file of this size.
fn rounds(size: usize) -> u8 {
    if size < 16 * 1024 { 1 } else { 10 }
}

/// A state file of about this size that waits for its last phase but one (or its last), and the
/// names of its snapshots: one for each phase that it has waited for.
fn state(kind: Kind, size: usize) -> anvil_text::error::Result<(String, Vec<String>)> {
    let rounds = rounds(size);
    let before = NOW - SignedDuration::from_mins(1);
    let question = "Should our team of eight split its Rails monolith into microservices?";
    let mut debate = Debate::new(ID.to_owned(), question.to_owned(), rounds, before);
    let session = if kind.changes_a_debate() { SESSION } else { "another-session" };
    debate.claim(session, Some("5f0e2c1b"), before);
    debate.count_continuations(3);
    let seat = if kind == Kind::Completion { Seat::Synthesizer } else { Seat::Critic };
    debate.set_place(Place { seat, round: rounds });
    let argued = (1..=rounds)
        .flat_map(|round| [Seat::Advocate, Seat::Critic].map(|seat| Place { seat, round }))
        .take_while(|place| *place != debate.place());
    let places: Vec<Place> = argued.collect();
    debate.take_step_after(places.len() as u32);
    let snapshot = |(index, place): (usize, Place)| match place.seat {
        Seat::Synthesizer => format!("{:04}-synthesis.md", index + 1),
        seat => format!("{:04}-{seat}-{}.md", index + 1, place.round),
    };
    let awaited = places.iter().copied().chain([debate.place()]);
    let snapshots = awaited.enumerate().map(snapshot).collect();
    let mut state = StateFile::new(debate);
    let share = size.saturating_sub(700) / places.len();
    for place in places {
        let text = argument(place, share - share / 40 - 100);
        transcript::append(&mut state.body, place, None, before, &text);
    }
    Ok((state.render()?, snapshots))
}

/// Claims of one reply.
const CLAIMS: u32 = 4;

/// Text as a model writes it, of about this many bytes.
fn prose(size: usize) -> String {
    const PARAGRAPH: &str = "It describes a CI bill that nobody has paid: eight engineers who merge twice a day need 16 \
        releases, and a pipeline that runs its four suites side by side has room for 34. What is left of the queue is the \
        review, which no split of the code makes shorter.\n\nWould change my mind: p95 from merge to production still above \
        60 minutes after a month of parallel CI.\n\n";
    PARAGRAPH.chars().cycle().take(size).collect::<String>().trim_end().to_owned()
}

/// A reply of about this many bytes: its claims and its answers to those of the reply before it,
/// then prose.
fn argument(slot: Place, size: usize) -> String {
    let is_critic = slot.seat == Seat::Critic;
    let (own, other, answers) =
        if is_critic { ('C', 'A', "Attacks") } else { ('A', 'C', "Rebuts") };
    let first = u32::from(slot.number() - 1) * CLAIMS + 1;
    let items = (first..first + CLAIMS).map(|number| {
        let claim = format!(
            "**{own}{number}. Point {number} makes the queue of {own} shorter.** Eight engineers merge twice a day, and 34 \
             releases fit into it [evidence: the log of week {number}].\n\n"
        );
        let answered = if is_critic { number } else { number.saturating_sub(CLAIMS) };
        if answered == 0 {
            return claim;
        }
        claim
            + &format!(
                "**{answers} {other}{answered}:** \"makes the queue of {other} shorter\" treats the 40 minutes as fixed, and \
                 nobody has paid for more.\n\n"
            )
    });
    let items: String = items.collect();
    let rest = prose(size.saturating_sub(items.len()));
    items + &rest
}

/// A synthesis that accounts for every claim, so that it is not requested again.
fn synthesis(rounds: u8) -> String {
    let listed = (1..=u32::from(rounds) * CLAIMS).map(|number| {
        format!("A{number} survived: it was tested\nC{number} weakened: by A{number}\n")
    });
    format!(
        "A1 decides.\n\n```anvil\n{}against: nobody has measured it\nrecommendation: Wait.\n\
         verdict: do not\nconfidence: 70\nrests on: A1\nflips if: it takes 3 days\n\
         unknown: how long it takes\n```",
        listed.collect::<String>()
    )
}

/// A client's transcript: an older conversation, then the cue and the reply.
pub(crate) struct Transcript {
    pub(crate) name: &'static str,
    path: PathBuf,
    /// Length of the older conversation, in bytes.
    older: u64,
}

impl Transcript {
    /// Writes the older conversation, of at least this many bytes.
    pub(crate) fn write(folder: &Path, name: &'static str, size: u64) -> io::Result<Self> {
        let mut block = Vec::new();
        for _ in 0..64 {
            let asked = line("user", &json!(prose(400)), 7_200);
            writeln!(block, "{asked}\n{}", said(&prose(8 * 1024), 7_100))?;
        }
        let path = folder.join(name).with_extension("jsonl");
        let mut out = io::BufWriter::with_capacity(1024 * 1024, File::create(&path)?);
        let mut older = 0;
        while older < size {
            out.write_all(&block)?;
            older += block.len() as u64;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        Ok(Self { name, path, older })
    }

    /// Replaces the end of the transcript with the cue and this reply.
    fn end_with(&self, reply: &str) -> io::Result<()> {
        let mut file = File::options().write(true).open(&self.path)?;
        file.set_len(self.older)?;
        file.seek(SeekFrom::End(0))?;
        let cue = json!({
            "type": "system", "subtype": "stop_hook_summary", "hookErrors": [], "hookAdditionalContext": ["Critic"],
            "timestamp": (NOW - SignedDuration::from_secs(59)).to_string(),
        });
        write!(file, "{cue}\n{}\n", said(reply, 1))?;
        file.sync_all()
    }
}

/// A line of the transcript, from `seconds` before the event.
fn line(kind: &str, content: &Value, seconds: i64) -> Value {
    json!({
        "type": kind, "isSidechain": false, "sessionId": SESSION,
        "timestamp": (NOW - SignedDuration::from_secs(seconds)).to_string(),
        "message": { "role": kind, "model": "m", "content": content },
    })
}

fn said(text: &str, seconds: i64) -> Value {
    let mut line = line("assistant", &json!([{ "type": "text", "text": text }]), seconds);
    line["requestId"] = json!("req_011CUvY3");
    line["message"]["usage"] = json!({
        "input_tokens": 3, "cache_creation_input_tokens": 4_120,
        "cache_read_input_tokens": 21_408, "output_tokens": 1_033,
    });
    line
}

fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}
