//! Who writes the next reply: random sequences of what may happen to a debate, against a model of a
//! few lines. Every screen gives the model's answer.

use std::process::{Child, Command};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use anvil_core::debate::Status;
use anvil_core::options::{DebateOptions, YesOrNo};
use anvil_core::tasks::{SeatFilter, TaskStatus};
use anvil_engine::{
    Claimant, Claimed, Context, ReplyState, SeatView, Session, Ticket, Writer, programs, session,
    tasks,
};
use anvil_messages::{self as messages, Door, Screen};
use anvil_store::{Attempts, Holder};
use anvil_system::process::ProcessId;
use anvil_system::world::World;
use testkit::host;
use testkit::world::TestWorld;

/// Sequences, and those of a night.
const SEQUENCES: [u64; 2] = [30, 400];
const STEPS: usize = 14;
/// The replies of a debate of two rounds.
const REPLIES: [&str; 5] = [
    "**A1. One.** x",
    "**C1. No.** y",
    "**A2. More.** x",
    "**C2. Less.** y",
    "S.\n\n```anvil\nmotion: do it\nA1 survived: x\nA2 survived: x\nC1 fell: y\nC2 fell: y\nagainst: what \
     was not measured\nrecommendation: Do it.\nverdict: do\nconfidence: 80\nrests on: A1\nflips if: more \
     than 5 fail\nunknown: how many there are\n```",
];
const MAX_RETRIES: u32 = 3;

/// The two conversations, and the run.
const ONE: usize = 0;
const RUN: usize = 2;

/// What may happen. A number is a writer: a conversation, or the run.
#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A conversation resumes the debate, or the run takes it up.
    Resumes(usize),
    Replies(usize),
    /// The reply has no words.
    RepliesBadly(usize),
    /// The user presses Esc.
    Esc(usize),
    /// The user types a text.
    Types(usize),
    /// The process of the client or the run ends.
    Ends(usize),
    Claims,
    Submits,
    Drops,
    /// The user pauses the debate in its file.
    Edits,
    /// Eleven minutes pass.
    Waits,
}

use Happening::*;

const HAPPENINGS: [Happening; 21] = [
    Resumes(0),
    Resumes(1),
    Resumes(RUN),
    Replies(0),
    Replies(0),
    Replies(1),
    Replies(1),
    Replies(RUN),
    Replies(RUN),
    RepliesBadly(0),
    Esc(0),
    Esc(1),
    Types(0),
    Ends(0),
    Ends(RUN),
    Claims,
    Claims,
    Submits,
    Drops,
    Edits,
    Waits,
];

/// What is true of a debate.
#[derive(Clone, Debug)]
struct Model {
    status: Status,
    saved: usize,
    owner: Option<usize>,
    /// The process of the owner runs.
    runs: bool,
    /// When the next reply was requested.
    asked: Timestamp,
    /// The user has stopped the turn that was to write it.
    is_cut: bool,
    /// When its task was claimed.
    claimed: Option<Timestamp>,
    /// Unusable replies.
    retries: u32,
    /// Tries of it on record.
    tries: u32,
    /// The file says that the debate pauses after the reply that a conversation writes.
    pauses: bool,
}

impl Model {
    fn is_due(&self) -> bool {
        self.status == Status::InProgress
    }

    fn writes(&self, writer: usize) -> bool {
        self.is_due() && self.owner == Some(writer) && self.runs && !self.is_cut
    }

    fn save(&mut self, now: Timestamp) {
        self.saved += 1;
        (self.asked, self.claimed, self.retries, self.tries) = (now, None, 0, 0);
        if self.saved == REPLIES.len() {
            self.status = Status::Completed;
        } else if self.pauses {
            self.status = Status::Paused;
        }
        self.pauses = false;
    }

    fn happens(&mut self, what: Happening, now: Timestamp) {
        let is_unfinished = self.status.is_unfinished();
        match what {
            Resumes(who) if is_unfinished && self.claimed.is_none() => {
                self.retries = 0;
                // The turn that ended is noted by the event that resumes it.
                if self.is_due() && who != RUN && self.owner.is_some_and(|owner| owner != RUN) {
                    self.tries += 1;
                }
                (self.status, self.owner, self.runs) = (Status::InProgress, Some(who), true);
                (self.is_cut, self.asked, self.pauses) = (false, now, false);
            }
            Replies(who) if self.writes(who) => self.save(now),
            RepliesBadly(who) if self.writes(who) => {
                (self.retries, self.asked) = (self.retries + 1, now);
                self.tries += 1;
                if self.retries == MAX_RETRIES {
                    self.status = Status::Failed;
                } else if self.pauses {
                    self.status = Status::Paused;
                }
                self.pauses = false;
            }
            Esc(who) if self.writes(who) => self.is_cut = true,
            Types(who) if self.is_due() && self.owner == Some(who) && self.runs => {
                self.status = Status::Paused;
                self.tries += u32::from(self.is_cut);
            }
            Ends(who) if self.owner == Some(who) => self.runs = false,
            Claims if is_unfinished && self.claimed.is_none() => {
                let is_free = self.owner.is_none() || !self.runs || self.is_cut;
                if is_free || !self.is_due() {
                    if self.status == Status::Failed {
                        (self.retries, self.tries) = (0, 0);
                    }
                    if self.is_due() && self.owner.is_some_and(|owner| owner != RUN) {
                        self.tries += 1;
                    }
                    (self.status, self.owner, self.is_cut) = (Status::InProgress, None, false);
                    (self.claimed, self.tries) = (Some(now), self.tries + 1);
                    self.pauses = false;
                }
            }
            Submits if self.claimed.is_some() && is_unfinished => {
                self.save(now);
            }
            Drops => self.claimed = None,
            Edits if self.is_due() => {
                let is_conversation = self.owner.is_some_and(|owner| owner != RUN);
                if is_conversation { self.pauses = true } else { self.status = Status::Paused }
            }
            _ => {}
        }
    }

    /// The state of the next reply, and the number of its tries.
    fn next(&self, now: Timestamp) -> (String, u32) {
        let state = match (self.status, self.claimed, self.owner) {
            (Status::Completed | Status::Cancelled, _, _) => "over".to_owned(),
            (Status::Failed, _, _) => "failed".to_owned(),
            (Status::Paused, _, _) => "paused".to_owned(),
            (_, Some(claimed), _) => format!("ada since {claimed}"),
            (_, None, None) => "awaited".to_owned(),
            (_, None, Some(_)) if self.is_cut => "interrupted: you stopped it".to_owned(),
            (_, None, Some(RUN)) if self.runs => format!("a run since {}", self.asked),
            (_, None, Some(RUN)) => "interrupted: its run ended".to_owned(),
            (_, None, Some(_)) if !self.runs => "interrupted: Claude Code ended".to_owned(),
            (_, None, Some(_)) => {
                let is_late = now.duration_since(self.asked) > SignedDuration::from_mins(10);
                format!("Claude since {}{}", self.asked, if is_late { ", late" } else { "" })
            }
        };
        // Its end is noted by the next event.
        let is_asked = self.is_due() && self.owner.is_some_and(|owner| owner != RUN);
        (state, self.retries.max(self.tries) + u32::from(is_asked))
    }
}

/// A debate on disk, and the processes of its writers.
struct Stage {
    place: TestWorld,
    processes: [Child; 3],
    ticket: Option<Ticket>,
}

fn process() -> Child {
    Command::new("sleep").arg("600").spawn().unwrap()
}

fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}

impl Drop for Stage {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

impl Stage {
    fn new() -> Self {
        let processes = std::array::from_fn(|_| process());
        Self { place: TestWorld::new(), processes, ticket: None }
    }

    fn now(&self) -> Timestamp {
        self.place.clock.get()
    }

    fn world(&mut self) -> World {
        self.place.next()
    }

    fn transcript(&self, who: usize) -> std::path::PathBuf {
        self.place.root().join(format!("../transcript-{who}.jsonl"))
    }

    fn hook(&mut self, who: usize, name: &str, fields: &Value) {
        let client_pid = Some(self.processes[who].id());
        let agent = Some(host::CLIENT.1.to_owned());
        let world = World { client_pid, agent, ..self.world() };
        let mut fields = fields.clone();
        fields["transcript_path"] = json!(self.transcript(who));
        let session = format!("session-{who}");
        let event = host::event(&session, name, &fields, &self.place.root());
        anvil_hook::answer(&event, world, &Door::default());
    }

    /// Writes a line of the client's transcript.
    fn append_line(&mut self, who: usize, kind: &str, block: &Value) {
        self.place.wait(10);
        let line = json!({
            "type": kind, "timestamp": self.now().to_string(),
            "message": { "content": [block], "stop_reason": "end_turn" },
        });
        let path = self.transcript(who);
        let before = fs_err::read_to_string(&path).unwrap_or_default();
        fs_err::write(path, format!("{before}{line}\n")).unwrap();
    }

    /// A turn as a transcript has it: Claude reads the debate's file and writes.
    fn reply(&mut self, who: usize, words: &str) {
        let input = json!({ "file_path": self.place.state_path() });
        let read = json!({ "type": "tool_use", "id": "r", "name": "Read", "input": input });
        self.append_line(who, "assistant", &read);
        let result = json!({ "type": "tool_result", "tool_use_id": "r", "content": "x" });
        self.append_line(who, "user", &result);
        self.append_line(who, "assistant", &text(words));
        self.hook(who, "Stop", &json!({ "last_assistant_message": words.trim() }));
    }

    fn run_session(&self) -> Session {
        Session::of_run(ProcessId::from_pid(self.processes[RUN].id()))
    }

    fn id(&mut self) -> String {
        let world = self.world();
        session::look(&Context::new(&world), None).unwrap().debate.id
    }

    /// Makes it happen. `reply`: the text of the next reply.
    fn does(&mut self, what: Happening, reply: &str) {
        match what {
            Ends(who) => {
                self.processes[who].kill().unwrap();
                self.processes[who].wait().unwrap();
                self.place.wait(10);
            }
            Resumes(RUN) => {
                self.processes[RUN].kill().unwrap();
                self.processes[RUN].wait().unwrap();
                self.processes[RUN] = process();
                let id = self.id();
                let (session, world) = (self.run_session(), self.world());
                let _ = programs::take_up(&Context::new(&world), &session, &id, true);
            }
            Resumes(who) => {
                self.processes[who].kill().unwrap();
                self.processes[who].wait().unwrap();
                self.processes[who] = process();
                let typed = json!({ "prompt": "/anvil:resume --take-over" });
                self.hook(who, "UserPromptSubmit", &typed);
            }
            Replies(RUN) => {
                let (session, world) = (self.run_session(), self.world());
                let context = Context::new(&world);
                let attempts = Attempts::default();
                let view = SeatView { in_project: false, is_side_by_side: false };
                let asked =
                    programs::next_request(&context, &session, view, &attempts, |_| 100_000);
                if let Ok(asked) = asked {
                    let written = reply.into();
                    programs::submit(&context, &session, asked.generation, written).unwrap();
                }
            }
            Replies(who) => self.reply(who, reply),
            RepliesBadly(who) => self.reply(who, "\n"),
            Esc(who) => {
                self.append_line(who, "user", &text("[Request interrupted by user]"));
            }
            Types(who) => self.hook(who, "UserPromptSubmit", &json!({ "prompt": "Wait." })),
            Claims => {
                let id = self.id();
                let world = self.world();
                let context = Context::new(&world);
                let (name, holder) = ("ada".to_owned(), Holder::user());
                let claimant = Claimant { name, holder, reopens: true };
                let any = SeatFilter::Any;
                let claimed = tasks::claim(&context, &id, &claimant, any, |_| 100_000);
                if let Ok(Claimed::Task(ticket, _)) = claimed {
                    self.ticket = Some(ticket);
                }
            }
            Submits => {
                let ticket = self.ticket.take();
                let world = self.world();
                if let Some(ticket) = ticket {
                    let _ = tasks::submit(&Context::new(&world), &ticket, reply.into());
                }
            }
            Drops => {
                let ticket = self.ticket.take();
                let world = self.world();
                if let Some(ticket) = ticket {
                    let _ = tasks::drop_claim(&Context::new(&world), &ticket.task);
                }
            }
            Edits => {
                let text = self.place.state_text();
                let text = text.replace("active: true", "active: false");
                fs_err::write(
                    self.place.state_path(),
                    text.replace("status: in_progress", "status: paused"),
                )
                .unwrap();
                self.place.wait(10);
            }
            Waits => self.place.wait(11 * 60),
        }
    }

    /// Every screen, compared with the model.
    fn check(&mut self, model: &Model, told: &str) {
        let world = self.world();
        let now = self.now();
        let context = Context::new(&world);
        let look = session::look(&context, None).unwrap();
        let (state, tries) = model.next(now);
        let seen = match &look.next.state {
            ReplyState::Awaited => "awaited".to_owned(),
            ReplyState::Paused => "paused".to_owned(),
            ReplyState::AwaitsDirection => "awaits a direction".to_owned(),
            ReplyState::Received => "received".to_owned(),
            ReplyState::Failed => "failed".to_owned(),
            ReplyState::Over => "over".to_owned(),
            ReplyState::Interrupted { why, .. } => format!("interrupted: {why}"),
            ReplyState::Written { writer, since, is_overdue } => {
                let who = match writer {
                    Writer::Conversation => "Claude",
                    Writer::Run(_) => "a run",
                    Writer::Holder(name) => name,
                };
                let since = since.map_or("?".to_owned(), |since| since.to_string());
                format!("{who} since {since}{}", if *is_overdue { ", late" } else { "" })
            }
        };
        assert_eq!((seen, look.next.tries), (state.clone(), tries), "{told}\n{model:?}");

        let json = crate::cli::status::json(&look);
        let name = match state.split([' ', ':']).next().unwrap() {
            "over" => Value::Null,
            "awaited" => "awaiting-invocation".into(),
            "paused" | "failed" | "interrupted" => state.split(':').next().unwrap().into(),
            _ => "writing".into(),
        };
        assert_eq!(json["sub_step"]["name"], name, "{told}\n{json}");
        let phase = if name.is_null() { Value::Null } else { tries.into() };
        assert_eq!(json["sub_step"]["phase"], phase, "{told}\n{json}");

        let text = messages::status(&look, &Door::default(), Screen::default());
        let glance = session::glance(&context, None).unwrap();
        let line = glance.and_then(|glance| messages::statusline(&glance));
        let watched = messages::watch_line(&look, false);
        let found = messages::unfinished_lines(&look, false);
        let (in_status, in_line, in_watch) = match name.as_str() {
            None => ("", None, "completed"),
            Some("awaiting-invocation") if model.status == Status::NotStarted => {
                ("Not started", None, "not started")
            }
            Some("awaiting-invocation") => {
                ("waits for a writer", Some(" · waits for a writer"), "")
            }
            Some("paused") => ("Paused before", Some(" · paused"), "paused"),
            Some("failed") => ("Failed at", None, "failed"),
            Some("interrupted") => ("Interrupted in", Some(" · interrupted"), "interrupted"),
            Some(_) if model.claimed.is_some() => (", for ", Some(""), "claimed"),
            Some(_) => (", for ", Some(""), "in progress"),
        };
        assert!(text.contains(in_status), "{told}\n{in_status}: {text}");
        assert_eq!(line.is_some(), in_line.is_some(), "{told}\n{line:?}");
        assert!(line.unwrap_or_default().contains(in_line.unwrap_or_default()), "{told}");
        assert!(watched.contains(in_watch), "{told}\n{watched}");
        if let Some(why) = state.strip_prefix("interrupted: ") {
            let part = format!("interrupted: {why}");
            assert!(found.contains(&part), "{told}\n{found}");
        }

        let board = tasks::list(&context, None).unwrap();
        let next = board.tasks.get(model.saved);
        let expected = match name.as_str() {
            None => None,
            Some("failed") => Some(TaskStatus::Failed),
            Some("writing") if model.claimed.is_some() => Some(TaskStatus::Claimed),
            Some("writing") => Some(TaskStatus::InProgress),
            Some(_) if model.claimed.is_some() => Some(TaskStatus::Claimed),
            Some(_) => Some(TaskStatus::Available),
        };
        let ids: Vec<_> = board.tasks.iter().map(|task| (&task.id, task.status)).collect();
        assert_eq!(next.map(|next| next.status), expected, "{told}: {ids:?}");
        let times = next.and_then(|next| Some((next.claimed_at?, next.completed_at?)));
        assert!(times.is_none_or(|(claimed, completed)| claimed <= completed), "{told}");
    }
}

fn sequence(seed: u64) {
    let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut draw = |end: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % end as u64).unwrap()
    };
    let mut stage = Stage::new();
    let is_prepared = draw(3) == 0;
    if is_prepared {
        let world = stage.world();
        let mut options = DebateOptions::default();
        options.wishes.early_end = Some(YesOrNo(false).into());
        session::start(&Context::new(&world), None, "Why?", &options).unwrap();
    } else {
        let typed = json!({ "prompt": "/anvil:debate Why? --rounds 2 --early-end=no" });
        stage.hook(ONE, "UserPromptSubmit", &typed);
    }
    let mut model = Model {
        status: if is_prepared { Status::NotStarted } else { Status::InProgress },
        saved: 0,
        owner: (!is_prepared).then_some(ONE),
        runs: true,
        asked: stage.now(),
        is_cut: false,
        claimed: None,
        retries: 0,
        tries: 0,
        pauses: false,
    };
    let mut told = format!("seed {seed}, prepared: {is_prepared}");
    stage.check(&model, &told);
    for _ in 0..STEPS {
        let what = HAPPENINGS[draw(HAPPENINGS.len())];
        let is_impossible = match what {
            Replies(who) | RepliesBadly(who) | Esc(who) => !model.writes(who),
            Types(who) => model.owner != Some(who) || !model.runs,
            _ => false,
        };
        if is_impossible {
            continue;
        }
        told = format!("{told}, {what:?}");
        stage.does(what, REPLIES.get(model.saved).unwrap_or(&"Late."));
        model.happens(what, stage.now());
        stage.check(&model, &told);
    }
}

#[test]
fn every_screen_says_who_writes_after_any_sequence_of_happenings() {
    let sequences = SEQUENCES[usize::from(std::env::var_os("ANVIL_ACCIDENTS").is_some())];
    std::thread::scope(|scope| {
        for part in 0..2 {
            scope.spawn(move || (0..sequences / 2).for_each(|seed| sequence(2 * seed + part)));
        }
    });
}
