//! Reading a debate is linear: each module has its calls in one of this name.

#[path = "../../testkit/src/linear/debates.rs"]
#[expect(unreachable_pub, dead_code, reason = "the file is also part of another crate")]
mod debates;

pub(crate) use debates::{Debates as Sample, NOW, slot};
pub(crate) use testkit::calls;
pub(crate) use testkit::linear::check;

pub(crate) type Call = testkit::linear::Call<Sample>;

const MODULES: [&str; 8] =
    ["debate", "document", "journal", "ledger", "options", "reply", "tasks", "transcript"];

fn all() -> Vec<Call> {
    let modules = [
        crate::debate::linear::calls,
        crate::document::linear::calls,
        crate::journal::linear::calls,
        crate::ledger::linear::calls,
        crate::options::linear::calls,
        crate::reply::linear::calls,
        crate::transcript::linear::calls,
    ];
    modules.into_iter().flat_map(|calls| calls()).collect()
}

const EXEMPT: &testkit::linear::Exempt = &[
    (
        "looks at no text: it gives back, moves or changes a field",
        &[
            "debate::position::furthest",
            "Author::agent",
            "Author::family",
            "Author::is_person",
            "Author::model",
            "Author::name",
            "Author::replaced",
            "Entry::new",
            "ShortName::as_str",
            "DebateOptions::boundary",
            "DebateOptions::document",
            "DebateOptions::flag",
            "DebateOptions::given",
            "DebateOptions::has",
            "DebateOptions::is",
            "DebateOptions::number",
            "DebateOptions::review",
            "DebateOptions::text",
            "DebateOptions::texts",
            "DebateOptions::with",
            "SeatOptions::agent_of",
            "SeatOptions::over",
            "Debate::await_block",
            "Debate::await_direction",
            "Debate::awaits_direction",
            "Debate::change_rounds",
            "Debate::complete",
            "Debate::count_continuations",
            "Debate::count_judgment",
            "Debate::disown",
            "Debate::failure",
            "Debate::isolate_seats",
            "Debate::set_awaits_block",
            "Debate::set_cycle",
            "Debate::set_judgments",
            "Debate::set_retries",
            "Debate::format",
            "Debate::go_back",
            "Debate::is_active",
            "Debate::is_place_of_motion",
            "Debate::takes_motion",
            "Debate::judge",
            "Debate::judges",
            "Debate::move_to",
            "Debate::advance_step",
            "Debate::pause_requested",
            "Debate::progress",
            "Debate::reopen",
            "Debate::replies_left",
            "Debate::request_pause",
            "Debate::request_synthesis",
            "Debate::require_read",
            "Debate::retry",
            "Debate::retry_for_form",
            "Debate::schedule",
            "Debate::set_place",
            "Debate::take_step_after",
            "Debate::take_up",
            "Debate::touch",
            "Alternatives::is_empty",
            "Debate::voice_at",
            "DebateFormat::from_mode",
            "Mode::built_in_word",
            "Mode::word",
            "Options::is",
            "Options::set",
            "Options::take_fact_check",
            "ClaimStatus::after",
            "debate::stop::stop_after",
            "debate::stop::stops_within",
            "AskedQuestion::answer",
            "AskedQuestion::is_open",
            "ItemHead::needs_more",
            "Ledger::questions",
            "Ledger::open_question",
            "Ledger::unanswered",
            "Reader::new",
            "LedgerReply::new",
            "Synthesis::no_block",
            "Synthesis::word",
            "Verdict::lead",
            "VerdictWord::heading",
            "VerdictWord::word",
            "ledger::findings::of_last_round",
            "Ledger::is_uncontested",
            "Debate::awaits_last_block",
            "Debate::is_last_round",
            "Debate::may_end_early",
            "Place::all",
            "Place::dependencies",
            "Place::is_independent",
            "Place::next",
            "Ledger::attack_on",
            "Place::enter",
            "SeatFilter::check",
            "SeatFilter::takes",
        ],
    ),
    ("called for each entry, by what is called here", &["ledger::questions::apply"]),
    ("called for each mark, by what is called here", &["ledger::words::ends_sentence"]),
    (
        "looks up one name, of which the command line has some dozen",
        &["DebateOption::named", "DebateOption::with_key"],
    ),
    (
        "a record of several texts, which were cut or cleaned one by one where they were read",
        &["tasks::task::tasks"],
    ),
];

testkit::check_every_call!(all(), &MODULES, EXEMPT);
