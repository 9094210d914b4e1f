use anvil_context::*;
use crate::linear::{Call, Sample, calls, check};

/// A document of ordinary characters, as far as one may be as long as the text.
fn original(sample: &Sample) -> Original {
    let text: String =
        sample.text().chars().filter(|char| !char.is_control()).take(50_000).collect();
    Original::of_bytes(format!("a{text}").replace("[masked: ", "").as_bytes(), "a")
        .expect("ordinary characters")
}

pub(crate) fn calls() -> Vec<Call> {
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
        names::line(Path::new(s.text()));
        secrets::looks_secret(Path::new(s.text()));
        secrets::is_secret_folder(Path::new(s.text()));
        outline::is_source(Path::new(s.text()));
        tree::shown("a", Path::new(s.text()));
        saved_name(Path::new(s.text()), Path::new("/a"), None);
        changes::from_patch("a", s.text(), false);
    ]
}

#[test]
fn masking_and_outlining_are_linear() {
    check(calls());
}
