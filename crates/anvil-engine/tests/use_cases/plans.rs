//! A plan of plan mode: it is argued before its dialog opens, and revised after the synthesis.

use anvil_core::transcript::{EntryKind, NoteKind};
use anvil_engine::plans::{self, Begun, PlanAnswer, PlanCall, Revision};
use anvil_engine::{Completed, TurnEnd};
use anvil_store::{PlanStage, PlanText};
use anvil_text::error::Result;
use testkit::world::{Conversation, TestWorld, parse_debate};

const TYPED: &str = "Is it sound? --rounds 1";

/// Claude calls for the dialog of this plan.
fn call(conversation: &Conversation<'_>, id: &str, plan: &str) -> Result<PlanAnswer> {
    let Conversation { world, session } = conversation;
    let plan = Some(PlanText { text: plan.to_owned(), file: None });
    let call = PlanCall { id: Some(id.to_owned()), plan };
    world.run(|context| {
        let record = plans::of_session(context, session).unwrap();
        let options = |typed: &str| Ok(parse_debate(typed));
        plans::answer(context, session, &record, call, options, |_| false)
    })
}

fn stage(conversation: &Conversation<'_>) -> Option<(Option<String>, PlanStage)> {
    let record =
        conversation.world.run(|context| plans::of_session(context, &conversation.session));
    record.map(|record| (record.turn, record.stage))
}

/// The first reply of the debate about the plan is written.
fn begin(Conversation { world, session }: &Conversation<'_>) -> Option<Begun> {
    world.run(|context| {
        let record = plans::of_session(context, session).unwrap();
        plans::begin(context, session, record, |typed| Ok(parse_debate(typed)))
    })
}

fn has_unfinished(Conversation { world, session }: &Conversation<'_>) -> bool {
    world.run(|context| plans::has_unfinished_debate(context, session))
}

/// A session whose plan is to be argued: its first reply is requested.
fn requested(world: &TestWorld) -> Conversation<'_> {
    let one = world.conversation("one").in_turn("t1");
    let (question, options) = parse_debate(TYPED);
    let armed = world.run(|context| plans::arm(context, &one.session, TYPED, &question, &options));
    assert_eq!(armed.unwrap().question, question);
    assert!(matches!(call(&one, "1", "# Plan\n\n1. Wait."), Ok(PlanAnswer::Argue(..))));
    one
}

/// Argues the debate here to its synthesis.
#[track_caller]
fn argued(one: &Conversation<'_>) -> Box<Completed> {
    one.argue(&["**A1. It is sound.** So.", "**C1. It is slow.** So."]);
    match one.stop("recommendation: Wait.\nverdict: do") {
        Ok(TurnEnd::Completed(completed)) => completed,
        other => panic!("{other:?}"),
    }
}

fn revision_after(
    Conversation { world, session }: &Conversation<'_>,
    completed: &Completed,
) -> Option<Revision> {
    world.run(|context| plans::revision_after(context, session, completed)).unwrap()
}

/// The revised plans in the debate here.
fn revised_plans(world: &TestWorld) -> Vec<String> {
    let revised = EntryKind::Note(NoteKind::RevisedPlan);
    let notes = world.entries().into_iter().filter(|entry| entry.what == revised);
    notes.map(|note| note.text).collect()
}

#[test]
fn a_plan_is_argued_in_one_turn_and_revised_in_another() {
    let world = TestWorld::new();
    let one = requested(&world);
    assert!(!world.state_path().exists() && !has_unfinished(&one));
    assert!(matches!(begin(&one), Some(Begun::Here)));
    assert!(has_unfinished(&one) && !has_unfinished(&world.conversation("two")));
    one.argue(&["**A1. It is sound.** So.", "**C1. It is slow.** So."]);

    let one = one.in_turn("t2");
    one.type_words("Wait.", None).unwrap();
    one.resume().unwrap();
    let Ok(TurnEnd::Completed(completed)) = one.stop("recommendation: Wait.\nverdict: do") else {
        panic!("{:?}", world.progress());
    };
    assert_eq!(revision_after(&one, &completed), Some(Revision::Revise));
    let decided = PlanStage::Decided { debate: completed.id.clone(), void: None };
    assert_eq!(stage(&one), Some((Some("t2".to_owned()), decided)));
    assert!(matches!(call(&one, "2", "# Plan\n\n1. Do it."), Ok(PlanAnswer::Opens)));
    assert_eq!(stage(&one), None);
    let texts = revised_plans(&world);
    assert!(matches!(&texts[..], [text] if text.contains("1. Do it.")), "{texts:?}");
}

#[test]
fn a_plan_whose_debate_is_paused_opens_and_may_go_on() {
    let world = TestWorld::new();
    let one = requested(&world);
    begin(&one).unwrap();
    one.argue(&["**A1. It is sound.** So."]);
    let one = one.in_turn("t2");
    one.type_words("Wait.", None).unwrap();
    assert!(matches!(call(&one, "2", "# Plan\n\n1. Wait."), Ok(PlanAnswer::Opens)));
    let kept = stage(&one);
    assert!(matches!(kept, Some((_, PlanStage::Argued { .. }))), "{kept:?}");
    assert_eq!(world.progress(), ("critic, round 1".into(), "paused"));
}

#[test]
fn a_plan_whose_synthesis_was_undone_waits_for_another_one() {
    let world = TestWorld::new();
    let one = requested(&world);
    begin(&one).unwrap();
    revision_after(&one, &argued(&one));
    one.undo(1).unwrap();
    one.resume().unwrap();
    let answer = call(&one, "2", "# Plan\n\n1. Do it.");
    assert!(matches!(&answer, Ok(PlanAnswer::Remind(reply)) if reply.contains("ynthesis")));
}

#[test]
fn the_slower_copy_of_a_plugin_finds_the_debate_of_the_plan_begun() {
    let world = TestWorld::new();
    let one = requested(&world);
    let begins = |record| {
        let Conversation { world, session } = &one;
        world.run(|context| plans::begin(context, session, record, |typed| Ok(parse_debate(typed))))
    };
    let record = world.run(|context| plans::of_session(context, &one.session)).unwrap();
    assert!(matches!(begins(record.clone()), Some(Begun::Here)));
    one.argue(&["**A1. It is sound.** So."]);
    assert!(matches!(begins(record), Some(Begun::Here)));
    assert_eq!(world.reply_texts(), ["**A1. It is sound.** So."]);
}

#[test]
fn an_event_that_names_no_turn_is_of_the_plans_turn() {
    let world = TestWorld::new();
    requested(&world);
    assert!(matches!(begin(&world.conversation("one")), Some(Begun::Here)));
}

#[test]
fn another_debate_of_the_session_is_not_that_of_its_plan() {
    let world = TestWorld::new();
    let one = requested(&world);
    one.start("Another? --rounds 1").unwrap();
    assert!(matches!(begin(&one), Some(Begun::Refused(_))));

    for is_decided in [false, true] {
        let world = TestWorld::new();
        let one = requested(&world);
        begin(&one).unwrap();
        if is_decided {
            revision_after(&one, &argued(&one));
        }
        let known = stage(&one);
        one.start("Another? --rounds 1 --replace").unwrap();
        assert_eq!(revision_after(&one, &argued(&one)), None);
        assert_eq!(stage(&one), known);
        assert!(matches!(call(&one, "2", "# Plan\n\n1. Do it."), Ok(PlanAnswer::Opens)));
        assert_eq!(revised_plans(&world), [""; 0]);
    }
}
