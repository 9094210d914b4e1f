//! Making a prompt and reading an answer is linear: each module has its calls in one of this
//! name.

pub(crate) use testkit::calls;
pub(crate) use testkit::linear::{Debates as Sample, check, slot};

use crate::tokens;

pub(crate) type Call = testkit::linear::Call<Sample>;

fn own() -> Vec<Call> {
    calls![s => tokens(s.text());]
}

fn all() -> Vec<Call> {
    let modules = [
        own,
        crate::agents::linear::calls,
        crate::library::linear::calls,
        crate::prompt::linear::calls,
    ];
    modules.into_iter().flat_map(|calls| calls()).collect()
}

const EXEMPT: &testkit::linear::Exempt = &[
    (
        "looks at no text: it gives back, moves or changes a field",
        &[
            "Agent::short",
            "Estimate::new",
            "Estimate::of_programs",
            "Figures::bounded",
            "Cue::as_str",
            "Opening::as_str",
            "PromptParts::is_blind",
            "protocol::about_position",
            "block::block_form",
            "texts::ends",
            "texts::text_of",
            "Candidates::all",
            "Plan::has_own",
            "Plan::now",
            "Plan::candidates_for",
            "Plan::shared_family",
            "Plan::with_longest_reply",
        ],
    ),
    ("called for each entry, by what is called here", &["Sides::order"]),
    ("splits a line of this program's own", &["profiles::words"]),
    (
        "reads the disk, up to a limit and until a deadline; the text that it finds goes through \
            what is called here",
        &[
            "OwnFile::read",
            "library::find",
            "library::has_near",
            "library::list",
            "library::user_files::files",
        ],
    ),
];

testkit::check_every_call!(all(), &[], EXEMPT);
