//! Wording an outcome is linear.

use std::collections::BTreeMap;
use std::path::Path;

use crate::*;
use anvil_core::debate::{Debate, Seat};
use anvil_core::journal::{Decision, Line};
use anvil_core::ledger::Standing;
use anvil_core::options::Steering;
use anvil_engine::issues::IssueQuestion;
use anvil_engine::{
    Completed, FoundTexts, Glance, Look, Note, PastDebates, ReplyRoom, ScreenReport,
    SelectedClaims, Setting, Steered, Waiting,
};
use anvil_prompt::RunEvent;
use anvil_prompt::prompt::{Ask, Read, Why};
use anvil_store::{Attempts, IssueFix, IssueLag, Project, Repair};
use anvil_system::forge::Comment;
use anvil_text::door::Door;
use anvil_text::error::Error;
use testkit::calls;
use testkit::linear::{Call, NOW, slot};

fn look(sample: &Sample) -> Look {
    Look {
        debate: sample.debate_at(Seat::Critic, 2),
        entries: sample.entries().clone(),
        words: 1,
        skipped: vec![sample.owned()],
        project: Project::at("/a"),
        owner: None,
        report: Some(sample.owned().into()),
        page: Some(sample.owned().into()),
        behind: Some(behind(sample)),
        recovered: Vec::new(),
        repair: Some(repaired(sample)),
        is_lost: false,
        interrupted: Some(sample.owned()),
        is_report_due: true,
        effort: None,
        writing: Some((sample.owned(), NOW)),
        claims: BTreeMap::new(),
        left: None,
        now: NOW,
    }
}

fn glance(sample: &Sample) -> Glance {
    Glance {
        debate: debate(sample),
        words: 1,
        counts: sample.ledger().counts(),
        is_interrupted: true,
        is_overdue: false,
    }
}

fn repaired(sample: &Sample) -> Repair {
    Repair { repairs: vec![sample.owned()], ..Repair::default() }
}

fn claims_of(sample: &Sample) -> SelectedClaims {
    let ledger = sample.ledger().clone();
    let picked = (0..ledger.claims.len()).collect();
    let places = vec![sample.part(); 10];
    SelectedClaims {
        debate: sample.debate().clone(),
        ledger,
        places,
        authors: Vec::new(),
        picked,
        is_filtered: false,
        one: None,
    }
}

fn past(sample: &Sample) -> PastDebates {
    PastDebates {
        project: Project::at("/a"),
        debates: Vec::new(),
        unreadable: vec![(sample.owned().into(), sample.owned())],
        decisions: Vec::new(),
        rechecked: BTreeMap::new(),
        now: NOW.to_zoned(jiff::tz::TimeZone::UTC),
    }
}

fn found(sample: &Sample) -> FoundTexts {
    FoundTexts {
        text: sample.owned(),
        project: Project::at("/a"),
        debates: Vec::new(),
        unreadable: vec![(sample.owned().into(), sample.owned())],
    }
}

fn steered_to(sample: &Sample) -> Steering {
    Steering { rounds: Some(3), direction: Some(sample.owned()), synthesize: true }
}

fn shown(sample: &Sample) -> ScreenReport {
    ScreenReport { id: sample.owned(), text: sample.owned(), page: Some(sample.owned()) }
}

fn decision(sample: &Sample) -> Decision {
    let id = sample.owned();
    let question = sample.owned();
    let note = Some(sample.owned());
    Decision { id, question, confidence: Some(5), outcome: None, note, review: None }
}

fn line(sample: &Sample) -> Line {
    let id = sample.owned();
    let question = sample.owned();
    let note = Some(sample.owned());
    Line { at: NOW, id, question, confidence: Some(5), outcome: None, note, review: None }
}

fn standing(sample: &Sample) -> Standing {
    Standing::Void { motion: None, reason: sample.owned(), is_split: false }
}

fn behind(sample: &Sample) -> IssueLag {
    IssueLag { named: sample.owned(), why: sample.owned(), helps: IssueFix::Pull }
}

fn asked_there(sample: &Sample) -> IssueQuestion {
    let reply = Comment { author: sample.owned(), text: sample.owned() };
    IssueQuestion { question: sample.owned(), replies: vec![reply; 9] }
}

fn concluded(sample: &Sample) -> Completed {
    Completed {
        id: sample.owned(),
        question: sample.owned(),
        standing: standing(sample),
        degraded: Some(sample.owned()),
        plan_changes: Some(sample.owned()),
        document: Some(sample.owned()),
        ledger: sample.ledger().clone(),
        is_named: true,
        report: Ok(sample.text().into()),
        page: None,
        behind: Some(behind(sample)),
        project: Project::at("/a"),
    }
}

fn steered_of(sample: &Sample) -> Steered {
    let debate = sample.debate_at(Seat::Critic, 2);
    let ask = Ask { why: Why::Turn, read: Read::Nothing, steering: None, ledger: sample.ledger() };
    let cue = anvil_prompt::prompt::cue(&debate, Path::new("/a"), &ask);
    Steered { debate, cue, choice: None, question: Some(sample.owned()) }
}

/// A debate with the text as its question, details and names.
fn debate(sample: &Sample) -> Debate {
    let mut debate = Debate::new(sample.owned(), sample.owned(), 3, NOW);
    debate.claim("one", None, NOW);
    debate.set_place(slot(Seat::Critic, 2));
    debate.pause(sample.owned(), NOW);
    debate
}

fn wrong(sample: &Sample) -> Error {
    Error::failed(sample.owned(), sample.owned())
}

fn asked(sample: &Sample) -> RunEvent {
    RunEvent::Asked { attempt: 1, slot: sample.owned(), agent: sample.owned() }
}

fn calls_to_mcp() -> Vec<Call<Sample>> {
    calls![s =>
        mcp::again(s.text());
        mcp::block_again(s.text());
        mcp::waits_for(&Waiting::Held(s.owned()));
        mcp::debate_prompt(Some(s.text()), Some(s.text()));
        mcp::error(&wrong(s));
        mcp::failed(s.text());
        mcp::no_debate(Some(s.text()));
        mcp::no_folder(s.text());
        mcp::no_prompt(s.text());
        mcp::no_tool(s.text(), &["a"]);
        mcp::not_offered(s.text());
        mcp::token_is_over(s.text());
        mcp::unknown_argument(s.text());
        mcp::waits(&Waiting::Held(s.owned()));
        mcp::claimant(s.text());
        mcp::wrong_arguments(s.text());
    ]
}

type Sample = testkit::linear::Debates;

fn calls() -> Vec<Call<Sample>> {
    let calls = calls![s =>
        agents::attempts(&debate(s), &Attempts::default());
        claims::claims(&claims_of(s), 80);
        claims::no_claims(&claims_of(s));
        demo::demo_end(Path::new(s.text()));
        demo::demo_prompt(s.text(), s.text(), Path::new(s.text()));
        end::end(
            &end::End {
                question: s.text(),
                standing: &standing(s),
                degraded: Some(s.owned()),
                document: Some(s.owned()),
                ledger: s.ledger(),
                report: end::NamedReport::Failed(s.owned()),
                page: Some(s.owned()),
                behind: None
            },
            Door::Shell,
            Some(80)
        );
        error::ended(s.text());
        error::capital(s.text());
        error::with_hint(&wrong(s));
        error::error(&wrong(s));
        error::error_lines(&wrong(s));
        isolated::being_written(&asked(s), true);
        isolated::conclusion(&concluded(s));
        isolated::written_already(&debate(s));
        journal::due_list(&[decision(s)], 80, Door::Shell);
        journal::outcome_noted(&line(s), 80);
        lists::text_names(&[], 80);
        lists::settings(&[Setting { name: s.owned(), value: s.owned(), from: s.owned() }]);
        notes::block_moved(s.text());
        notes::note(&Note::Unusable(s.owned()), Door::Client);
        notes::note(&Note::LeftOut(vec![s.owned()]), Door::Client);
        notes::unsearchable(&found(s));
        issue::issue_behind(&behind(s), Some(Door::Client));
        issue::issue_not_ready(7, &wrong(s));
        issue::room_in(7, &ReplyRoom { debate: debate(s), replies: 9 });
        issue::asked_there(&asked_there(s), Door::Client);
        past::ending(s.text());
        past::found(&found(s), 9, 80);
        past::history(&past(s), 10, 80, Door::Client);
        past::mode_and_length(&debate(s));
        past::not_found(s.text());
        past::shown(&shown(s), Door::Client);
        run::one_family(s.text());
        progress::bar(&debate(s), ["+", "-"], 14);
        progress::claims(&s.ledger());
        progress::progress(&look(s));
        progress::so_far(&look(s));
        progress::work(&look(s));
        run::run_event(&asked(s));
        run::run_plan(&asked(s));
        run::run_live(s.text(), std::time::Duration::ZERO, 1);
        run::run_resumes(Some(7), Some(s.text()), true);
        status::repair(&repaired(s));
        status::status(&look(s), Door::Shell, Some(80));
        status::statusline(&glance(s));
        steering::motion(&debate(s), Door::Client);
        steering::motion_corrected(&debate(s), Door::Client);
        steering::noted(&debate(s), &steered_to(s), Door::Client);
        steering::steered(&debate(s), s.text());
        steering::steered_by_prompt(&steered_of(s), s.text());
        steering::answered(s.text());
        stops::awaits(&debate(s), slot(Seat::Critic, 1), s.entries());
        stops::asks(&debate(s), s.ledger());
        stops::awaits_still(&debate(s), s.entries());
        stops::boundary(&debate(s), slot(Seat::Critic, 1), true, Some(&look(s)));
        tasks::claimed(s.text());
        tasks::submitted(s.text());
        tasks::submitted_early(s.text());
        tasks::nothing_to_claim(&Waiting::Paused(s.owned()));
        tasks::rests_after(s.debate());
        tasks::write_again(s.text(), s.text());
        tasks::block_again(s.text());
        tasks::given_up(s.text(), s.text());
        tasks::claim_waits(&Waiting::Paused(s.owned()));
        turns::api_error(&debate(s));
        demo::in_shell(Path::new(s.text()));
        turns::cancelled(&(s.owned(), s.owned().into()), Door::Client);
        turns::completed(&concluded(s), Door::Shell, Some(80));
        turns::clickable(s.text());
        turns::failed(&debate(s));
        turns::paused(&debate(s));
        turns::settled(&debate(s), slot(Seat::Critic, 1));
        turns::started(&debate(s), Some(s.text()));
        turns::unfinished(&look(s), false);
        watch::watch_line(&look(s), true);
        watch::watch_screen(&look(s), true, 80, 25);
    ];
    calls.into_iter().chain(calls_to_mcp()).collect()
}

#[test]
fn every_message_about_a_hostile_text_is_linear() {
    testkit::linear::check(calls());
}

const EXEMPT: &testkit::linear::Exempt = &[
    (
        "looks at no text: it gives back, moves or changes a field",
        &["end::undecided", "stops::what_now"],
    ),
    (
        "a record of several texts, which were cut or cleaned one by one where they were read",
        &[
            "agents::agents",
            "agents::shown_attempt",
            "snapshots::snapshots",
            "snapshots::history_change",
            "isolated::news",
            "issue::body",
            "issue::published",
            "issue::pulled",
            "journal::reviews_due",
            "lists::texts",
            "past::debates_to_purge",
            "past::prune_plan",
            "past::purged",
            "recheck::recheck",
            "run::agents_of",
            "tasks::dropped",
            "tasks::tasks",
            "turns::started_here",
            "turns::prepared",
            "turns::reopened",
            "turns::resumed",
        ],
    ),
];

testkit::check_every_call!(calls(), &[], EXEMPT);
