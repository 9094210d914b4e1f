//! Debates that the user starts in the real client and that its child processes argue in the
//! background.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Client, NEWEST, clients, skip_onboarding, skip_onboarding_of};
use crate::mock::{Answer, Gate, Mock, Request};
use crate::model::{Seat, Turn, account};
use crate::screen::Screen;
use crate::world::World;

/// The maximum of bytes of all request bodies of a debate of three rounds of 4 KB replies: a
/// fifth of what a conversation sends (2.1.330: 467,284).
const MOST_BYTES: usize = 93_184;

/// True for requests of the session's own conversation: a seat has no tools.
pub(crate) fn is_session_request(request: &Request) -> bool {
    request.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

fn seat(request: &Request) -> Option<Seat> {
    if is_session_request(request) { None } else { Turn::of(request).seat }
}

/// A reply of a seat, of at least this many bytes; and the answer of the session's own model.
fn reply(request: &Request, size: usize) -> String {
    reply_of(seat(request), request, size)
}

/// The same for a seat that may be the session's own model.
fn reply_of(seat: Option<Seat>, request: &Request, size: usize) -> String {
    let fill = "So it is, and more is to be said of it than this. ".repeat(size / 50);
    match seat {
        Some(Seat::Advocate(round)) => {
            format!("**A{round}. It pays in year {round}.** [reasoning]\n\n{fill}HIDDEN-A{round}")
        }
        Some(Seat::Critic(round)) => {
            format!("**C{round}. It costs in year {round}.** [reasoning]\n\n{fill}HIDDEN-C{round}")
        }
        Some(_) => {
            let said = request.body["messages"].to_string();
            let ids = ["A1", "C1", "A2", "C2", "A3", "C3"];
            // A conversation has the replies, a seat's prompt a list of the claims.
            let mark = if is_session_request(request) { ". " } else { "**" };
            let ids = ids.into_iter().filter(|id| said.contains(&format!("**{id}{mark}")));
            account(&Turn::of(request).motion, "Wait a year.", ids) + "\n\n" + &fill
        }
        None => "CHAT-REPLY".to_owned(),
    }
}

/// The reply of a seat in a debate about four options.
fn reply_about_options(request: &Request) -> String {
    match seat(request) {
        Some(Seat::Option(voice)) => {
            format!("**S{voice}.1. Option {voice} works.** [reasoning]\n\nHIDDEN-CASE-{voice}")
        }
        Some(Seat::Attack(voice)) => {
            let others = [voice % 4 + 1, (voice + 1) % 4 + 1].map(|other| {
                format!("**Attacks S{other}.1:** \"Option {other} works\" costs too much.\n")
            });
            format!(
                "**S{voice}.2. They fail.** [reasoning]\n{}\nHIDDEN-ATTACK-{voice}",
                others.concat()
            )
        }
        Some(_) => {
            let names = ["Redis", "Kafka", "SQLite", "nothing new"];
            let claims = (1..=4).flat_map(|voice| {
                [1, 2].map(|number| format!("S{voice}.{number} survived: it holds\n"))
            });
            let places = (1..).zip(names).map(|(place, name)| {
                format!("{place}. {name}\noption {place}: its case; an attack\n")
            });
            format!(
                "Take Redis.\n\n```anvil\n{}{}against: nobody has measured it\n\
                 recommendation: Take Redis.\nverdict: Redis\nconfidence: 60\nrests on: S1.1\n\
                 flips if: it needs more than 9 nodes\nunknown: how many it needs\n```",
                claims.collect::<String>(),
                places.collect::<String>(),
            )
        }
        None => "CHAT-REPLY".to_owned(),
    }
}

/// A world whose client finds a `claude` on its PATH, like a user's client.
pub(crate) struct Desk(World);

impl Desk {
    pub(crate) fn new(model: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let world = World::with_mock(Mock::of_seats(model));
        let programs = world.outside().join("bin");
        fs::create_dir_all(&programs).expect("a fresh folder");
        symlink(world.client().program(), programs.join("claude")).expect("a fresh link");
        fs::write(world.home().join("CLAUDE.md"), "CANARY-home").expect("a fresh file");
        fs::write(world.project().join("CLAUDE.md"), "CANARY-project").expect("a fresh file");
        skip_onboarding(&world.home(), &world.project());
        Self(world)
    }

    pub(crate) fn arguing() -> Self {
        Self::new(|request| Answer::text(reply(request, 0)))
    }

    pub(crate) fn world(&self) -> &World {
        &self.0
    }

    pub(crate) fn client(&self) -> Client {
        self.client_of(NEWEST)
    }

    pub(crate) fn client_of(&self, version: &str) -> Client {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let folders =
            std::iter::once(self.0.outside().join("bin")).chain(std::env::split_paths(&inherited));
        self.0.client_of(version).env("PATH", std::env::join_paths(folders).expect("a PATH"))
    }

    fn screen(&self) -> Screen {
        self.screen_of(NEWEST)
    }

    fn screen_of(&self, version: &str) -> Screen {
        let screen = Screen::open(&self.client_of(version));
        screen.wait_for("❯");
        screen
    }

    /// The requests for the seats, in order.
    fn seats(&self) -> Vec<(Seat, Value)> {
        let all = self.0.mock.all().into_iter();
        all.filter_map(|exchange| Some((seat(&exchange.request)?, exchange.request.body))).collect()
    }

    /// The number of requests to the session's own model.
    fn conversation(&self) -> usize {
        self.0.mock.all().iter().filter(|exchange| is_session_request(&exchange.request)).count()
    }

    fn comes_to(&self, status: &str) {
        let began = Instant::now();
        while !self.0.state_path().exists() || self.0.state().field("status") != status {
            assert!(
                began.elapsed() < Duration::from_secs(90),
                "never {status}: {}",
                self.0.state().0
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn log(&self) -> String {
        let files: Vec<PathBuf> = World::files_below(&self.0.records()).into_keys().collect();
        let log = files.into_iter().find(|path| path.ends_with("run.log")).expect("a log");
        fs::read_to_string(log).expect("our file")
    }
}

/// The story on one screen: a debate runs while the user talks with Claude, its verdict appears by
/// itself, and Claude knows it.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_runs_while_the_user_keeps_working() {
    for version in clients() {
        runs_while_the_user_keeps_working(version);
    }
}

fn runs_while_the_user_keeps_working(version: &str) {
    let gate = Gate::default();
    let at = gate.clone();
    let desk = Desk::new(move |request| {
        let answer = Answer::text(reply(request, 0));
        if seat(request) == Some(Seat::Critic(2)) { answer.held(&at) } else { answer }
    });
    let screen = desk.screen_of(version);
    screen.enter("/anvil:debate Should we rewrite the parser? --rounds 2 --isolated");
    screen.wait_for("5 independent replies are being written (claude x 5");
    desk.0.mock.wait_until("the second critic is asked", Duration::from_mins(1), |log| {
        log.iter().any(|exchange| seat(&exchange.request) == Some(Seat::Critic(2)))
    });
    assert_eq!(desk.conversation(), 0, "a debate costs the session nothing");
    screen.enter("What is two and two?");
    let talked = screen.wait_for("CHAT-REPLY");
    assert!(talked.contains("round 1 of 2 is complete"), "{talked}");
    screen.enter("/anvil:status");
    screen.wait_for("3 of 5 replies");
    gate.open();
    let over = screen.wait_for("60% sure.");
    assert!(!over.contains("anvil-isolated-news"), "{over}");
    assert_eq!(desk.conversation(), 1, "its end costs the session nothing");
    assert_eq!(desk.0.state().field("status"), "completed");
    screen.enter("So what shall we do?");
    screen.wait_until("the second answer", |text| text.matches("CHAT-REPLY").count() == 2);
    let last =
        desk.0.mock.all().into_iter().rev().find(|exchange| is_session_request(&exchange.request));
    let last = last.expect("the last request").request.body["messages"].to_string();
    assert!(last.contains("Wait a year.") && !last.contains("HIDDEN-"), "{last}");
    assert_prompts_are_isolated(&desk);
}

/// No seat sees data for another seat.
fn assert_prompts_are_isolated(desk: &Desk) {
    for (seat, body) in desk.seats() {
        let body = body.to_string();
        for canary in ["CANARY-", "CHAT-REPLY", "two and two", "--isolated", "anvil:debate"] {
            assert!(!body.contains(canary), "{seat} is shown {canary}: {body}");
        }
        let own = match seat {
            Seat::Advocate(_) => "HIDDEN-A",
            Seat::Critic(_) => "HIDDEN-C",
            _ => continue,
        };
        assert!(!body.contains(own), "{seat} is shown its own words: {body}");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_waits_for_a_user_who_quits() {
    let gate = Gate::default();
    let at = gate.clone();
    let desk = Desk::new(move |request| {
        let answer = Answer::text(reply(request, 0));
        if seat(request) == Some(Seat::Critic(1)) { answer.held(&at) } else { answer }
    });
    let screen = desk.screen();
    screen.enter("/anvil:debate Should we rewrite the parser? --rounds 1 --isolated");
    desk.0.mock.wait_until("the critic is asked", Duration::from_mins(1), |log| {
        log.iter().any(|exchange| seat(&exchange.request) == Some(Seat::Critic(1)))
    });
    screen.enter("/exit");
    desk.comes_to("paused");
    assert!(desk.0.state().0.contains("Claude Code ended"), "{}", desk.0.state().0);
    drop(screen);
    gate.open();
    let screen = desk.screen();
    screen.wait_for("has an unfinished debate");
    screen.enter("/anvil:resume");
    screen.wait_for("60% sure.");
    let seats: Vec<Seat> = desk.seats().into_iter().map(|(seat, _)| seat).collect();
    assert_eq!(seats, [Seat::Advocate(1), Seat::Critic(1), Seat::Critic(1), Seat::Synthesizer]);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn esc_and_clear_do_not_end_a_background_debate_but_cancel_does() {
    let desk = Desk::new(|request| {
        let answer = Answer::text(reply(request, 0));
        if seat(request) == Some(Seat::Critic(1)) { answer.held(&Gate::default()) } else { answer }
    });
    let screen = desk.screen();
    screen.enter("/anvil:debate Should we rewrite the parser? --rounds 1 --isolated");
    screen.wait_for("follows them.");
    screen.press("Escape");
    desk.0.mock.wait_until("the critic is asked", Duration::from_mins(1), |log| {
        log.iter().any(|exchange| seat(&exchange.request) == Some(Seat::Critic(1)))
    });
    screen.enter("/clear");
    screen.wait_until("a fresh screen", |text| !text.contains("follows them"));
    assert_eq!(desk.0.state().field("status"), "in_progress");
    screen.enter("/anvil:cancel");
    screen.wait_for("cancelled");
    let began = Instant::now();
    while !desk.log().contains("cancelled") {
        assert!(began.elapsed() < Duration::from_secs(30), "it goes on: {}", desk.log());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_busy_api_delays_a_background_debate_and_loses_nothing() {
    let asked = AtomicUsize::new(0);
    let desk = Desk::new(move |request| {
        if seat(request) == Some(Seat::Critic(1)) {
            match asked.fetch_add(1, Ordering::SeqCst) {
                0 => return Answer::error(529),
                1 => return Answer::error(429),
                _ => {}
            }
        }
        Answer::text(reply(request, 0))
    });
    let client = desk.client().env("ANVIL_RETRY_DELAYS", "0,0,0");
    let done = client
        .prompt("/anvil:debate Should we rewrite the parser? --rounds 1 --isolated")
        .run()
        .ok();
    assert!(done.stdout.contains("3 independent replies"), "{}", done.stdout);
    desk.comes_to("completed");
    assert_eq!(desk.conversation(), 0);
}

/// With `-p` the client prints the answer and ends, so there the debate is detached.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_isolated_debate_finishes_without_a_screen() {
    for version in clients() {
        let desk = Desk::arguing();
        let typed = "/anvil:debate Should we rewrite the parser? --rounds 1 --isolated";
        desk.client_of(version).prompt(typed).run().ok();
        desk.comes_to("completed");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_background_debate_sends_a_fifth_of_a_conversations_bytes() {
    let desk = Desk::new(|request| Answer::text(reply(request, 4_000)));
    let screen = desk.screen();
    screen.enter("/anvil:debate Should we rewrite the parser? --rounds 3 --isolated");
    screen.wait_for("60% sure.");
    let bytes: usize =
        desk.0.mock.all().iter().map(|exchange| exchange.request.body.to_string().len()).sum();
    assert_eq!(desk.seats().len(), 7);
    println!("all request bodies of three rounds of 4 KB replies: {bytes} bytes");
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
    screen.enter("So what shall we do?");
    screen.wait_for("CHAT-REPLY");
    let last = desk.0.mock.all().pop().expect("a last request").request;
    let told = last.body["messages"].to_string();
    let begins = told.find("The Anvil debate that was argued").expect("the conclusion");
    println!("the conversation grows by {} bytes", told[begins..].len());
    assert!(told[begins..].len() < 3_000, "{told}");
}

/// The bytes of all requests of two rounds of 4 KB replies that begin with these options.
fn bytes_of_two_rounds(options: &str) -> usize {
    let desk = Desk::new(|request| Answer::text(reply_of(Turn::of(request).seat, request, 4_000)));
    let screen = desk.screen();
    screen.enter(&format!("/anvil:debate Should we rewrite the parser?{options}"));
    screen.wait_for("60% sure.");
    desk.0.mock.all().iter().map(|exchange| exchange.request.body.to_string().len()).sum()
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_readme_says_how_much_two_rounds_send() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = fs::read_to_string(readme).expect("the README");
    for (row, options) in
        [("\n| in the conversation | ", ""), ("\n| `--isolated` | ", " --isolated")]
    {
        let rest = readme.split_once(row).unwrap_or_else(|| panic!("no row {row:?}")).1;
        let told: usize = rest.split_once(" KB").expect("KB").0.parse().expect("a number");
        let sent = bytes_of_two_rounds(options) / 1_000;
        println!("{options:?}: {sent} KB");
        assert!(sent.abs_diff(told) * 20 <= told, "README: {told} KB; sent: {sent} KB");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn two_projects_debate_at_once_and_a_third_session_only_watches() {
    let gate = Gate::default();
    let at = gate.clone();
    let desk = Desk::new(move |request| {
        let answer = Answer::text(reply(request, 0));
        if seat(request) == Some(Seat::Critic(1)) { answer.held(&at) } else { answer }
    });
    let second = desk.0.outside().join("second");
    fs::create_dir_all(&second).expect("a fresh folder");
    skip_onboarding_of(&desk.0.home(), &[&desk.0.project(), &second]);
    let one = desk.screen();
    let two = Screen::open(&desk.client().in_folder(&second));
    two.wait_for("❯");
    for (screen, question) in
        [(&one, "Should we rewrite the parser?"), (&two, "Should we drop the cache?")]
    {
        screen.enter(&format!("/anvil:debate {question} --rounds 1 --isolated"));
        screen.wait_for("follows them.");
    }
    let other = Screen::open(&desk.client());
    other.wait_for("❯");
    other.wait_for("another session runs a debate here");
    other.enter("/anvil:cancel");
    other.wait_for("another running session owns this debate");
    gate.open();
    for screen in [&one, &two] {
        screen.wait_for("60% sure.");
    }
    other.enter("What is two and two?");
    let told = other.wait_for("CHAT-REPLY");
    assert!(!told.contains("Page: "), "{told}");
}

/// Eight replies of four voices and two judgments: each case is written alone, and each attack sees
/// the other cases and no attack.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn four_isolated_options_attack_blind_and_judges_rank_them() {
    let desk = Desk::new(|request| Answer::text(reply_about_options(request)));
    let screen = desk.screen();
    let options = "\"Redis, Kafka, SQLite, nothing new\"";
    screen.enter(&format!("/anvil:debate Why? --options {options} --isolated --judges 2"));
    desk.comes_to("completed");
    let state = desk.0.state().0;
    assert!(state.contains("verdict: Redis\n> judges: 2 of 2\n"), "{state}");
    let seats = desk.seats();
    assert_eq!(seats.len(), 10, "one request a reply");
    for (seat, body) in seats {
        let body = body.to_string();
        let shown = |what: &str| body.matches(&format!("HIDDEN-{what}-")).count();
        let expected = match seat {
            Seat::Option(_) => (0, 0),
            Seat::Attack(_) => (3, 0),
            _ => (4, 4),
        };
        assert_eq!((shown("CASE"), shown("ATTACK")), expected, "{seat}");
    }
}
