use super::*;
use crate::linear::{Call, calls, check};

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        masked_text(s.text(), usize::MAX, "a.md");
        masked_line(s.text(), 100);
        masking::mask(s.owned());
        masking::line(s.text(), 100);
        masking::without_torn_end(s.text());
        outline::outline(Path::new("a.rs"), s.text());
        outline::outline(Path::new("a.py"), s.text());
        text::storable(s.text());
        text::fenced("a", &text::Text::whole(s.owned()), 1_000);
        text::fit(&text::Text::whole(s.owned()), 1_000);
        changes::from_patch("a", s.text(), false);
    ]
}

#[test]
fn what_masks_and_outlines_material_takes_time_by_its_length() {
    check(&calls());
}
