//! Making material is linear.

use crate::*;
use testkit::calls;
use testkit::linear::Call;

/// A document of ordinary characters, as far as one may be as long as the text.
fn original(sample: &Sample) -> Original {
    let text: String =
        sample.text().chars().filter(|char| !char.is_control()).take(50_000).collect();
    Original::of_bytes(format!("a{text}").replace("[masked: ", "").as_bytes(), "a")
        .expect("ordinary characters")
}

type Sample = testkit::linear::Text;

fn calls() -> Vec<Call<Sample>> {
    calls![s =>
        masked_text(s.text(), usize::MAX, "a.md");
        masked_line(s.text(), 100);
        masking::mask(s.owned());
        masking::mask_and_keep(s.owned());
        Original::of_bytes(s.text().as_bytes(), s.text());
        Original::masked_note(&original(s), s.text());
        Original::restored(&original(s), s.text());
        Original::shown(&original(s));
        masking::line(s.text(), 100);
        masking::without_torn_end(s.text());
        outline::outline(Path::new("a.rs"), s.text());
        outline::outline(Path::new("a.py"), s.text());
        text::storable(s.text());
        text::fenced("a", &text::Text::whole(s.owned()), 1_000);
        text::fit(&text::Text::whole(s.owned()), 1_000);
        masking::counted(1);
        text::Text::masked(s.owned(), 1);
        text::Text::whole(s.owned());
        text::of_bytes(s.text().as_bytes());
        names::line(Path::new(s.text()));
        secrets::looks_secret(Path::new(s.text()));
        secrets::is_secret_folder(Path::new(s.text()));
        outline::is_source(Path::new(s.text()));
        saved_name(Path::new(s.text()), Path::new("/a"), None);
        changes::from_patch("a", s.text(), false);
    ]
}

#[test]
fn masking_and_outlining_are_linear() {
    testkit::linear::check(calls());
}

const EXEMPT: &testkit::linear::Exempt = &[
    (
        "looks at no text: it gives back, moves or changes a field",
        &["Text::masks", "Unreadable::reason"],
    ),
    (
        "reads the disk, up to a limit and until a deadline; the text that it finds goes through \
            what is called here",
        &[
            "Binaries::add",
            "CitedFiles::add",
            "CitedFiles::in_checkout",
            "CitedFiles::is_asked",
            "CitedFiles::is_masked",
            "CitedFiles::is_shown",
            "CitedFiles::line",
            "CitedFiles::name_of",
            "CitedFiles::read",
            "CitedFiles::text",
            "History::commit",
            "History::life",
            "History::read",
            "History::replaced",
            "History::time_of",
            "OldTexts::is_text",
            "OldTexts::newest",
            "OldTexts::read",
            "Binaries::summary",
            "Listing::add",
            "Listing::left_out",
            "Original::read",
            "text::bytes",
            "Listing::sort",
            "Names::file",
            "Names::folder",
            "Names::new",
            "Names::pattern",
            "SourcePart::new",
            "SourcePart::render",
            "Paths::source",
            "MaterialSource::new",
            "MaterialSource::render",
            "MaterialSource::skipped",
            "changes::source",
            "deadline::in_time",
            "folder::list",
            "folder::listed",
            "gather",
            "listing::is_hidden",
            "listing::is_own",
            "names::parts",
            "names::real",
            "pull_request::source",
            "read_text",
            "recheck",
            "recheck::recheck_with",
            "snapshot::snapshot",
            "source::compose",
            "source::shared",
            "document::bytes_without_links",
            "text::open_without_links",
            "text::read",
            "text::sniff",
            "tree::source",
            "walk::through",
        ],
    ),
];

testkit::check_every_call!(calls(), &[], EXEMPT);
