//! What this crate does with hostile texts is linear.

use std::path::Path;

use crate::door::Door;
use crate::*;
use testkit::calls;
use testkit::linear::Call;

/// The functions of this module, for one type.
mod json {
    use serde_json::{Result, Value};

    pub(super) use crate::mended;

    pub(crate) fn from_json(text: &str) -> Result<Value> {
        crate::from_json(text)
    }

    pub(crate) fn from_json_in_place(text: &str) -> Result<Value> {
        crate::from_json_in_place(text)
    }
}

type Sample = testkit::linear::Text;

fn own_places() -> Places {
    Places::new([Path::new("/a/b")], [Path::new("/a")])
}

fn calls() -> Vec<Call<Sample>> {
    calls![s =>
        Door::command(Door::Client, s.text());
        Door::text(Door::Client, s.text());
        Door::hint(Door::Client, &crate::error::Error::failed("it failed", s.text()));
        references::tokens(s.text(), true);
        references::tokens(s.text(), false);
        references::may_hold(s.text());
        references::open_address(s.text());
        Places::new([Path::new(s.text())], [Path::new(s.text())]);
        near::nearest(s.text(), [s.text(), "a"], 3);
        Places::without(&own_places(), s.text());
        places::without_folders(s.text(), ", ");
        places::without_paths(s.text());
        inert::inert(s.text());
        lines::begins_with_letter(s.text());
        lines::cut(s.text(), usize::MAX);
        lines::utf16_len(s.text());
        json::from_json(s.text());
        json::from_json_in_place(s.text());
        json::mended(s.text().as_bytes());
        inert::longest_run(s.text());
        marks::is_question(s.text());
        clean::clean(s.text(), 80);
        clean::clean(s.text(), usize::MAX);
        clean::clean_lines(s.text());
        lines::lines(s.text()).count();
        clean::without_controls(s.text());
        clean::harmless_json(s.text());
        clean::json_in_comment(s.text());
        clean::escape_in_json('\u{200b}', &mut s.owned());
        fence::Fences::is_code(&mut Fences::default(), s.text());
        columns::fit(s.text(), 80);
        columns::columns(s.text());
        columns::table(&[[s.owned(), s.owned(), s.owned()]], 80);
        columns::wrap(s.text(), 10);
        columns::wrap(s.text(), 80);
        columns::wrap_markdown(s.text(), 80);
        columns::rows(s.text(), 80);
        unseen::visible(s.text());
        numbers::number_of(2, s.text(), s.text());
    ]
}

#[test]
fn scrubbing_and_laying_out_text_is_linear() {
    testkit::linear::check(calls());
}

const EXEMPT: &testkit::linear::Exempt = &[(
    "looks at no text: it gives back, moves or changes a field",
    &[
        "Error::exit_code",
        "Error::failed",
        "Error::hint",
        "Error::into_hint",
        "Error::io",
        "Error::io_at",
        "Error::kind",
        "Error::nothing",
        "Error::too_much",
        "Error::usage",
        "door::call_in_folder",
        "door::call_program_by",
    ],
)];

testkit::check_every_call!(calls(), &[], EXEMPT);
