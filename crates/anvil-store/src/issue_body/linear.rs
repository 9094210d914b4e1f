//! The calls of `issue_body`.

use crate::issue_body::*;
use crate::linear::{Call, Sample, calls, check};

fn carried(sample: &Sample) -> PortableDebate {
    PortableDebate { revision: 1, state: sample.state().clone() }
}

fn with_block(sample: &Sample, inner: &str) -> String {
    format!("{}\n\n<!-- anvil-state\n{inner}\n-->\n\n{}", sample.text(), sample.text())
}

fn embedded(sample: &Sample) -> String {
    with_block(sample, &carried(sample).to_json())
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        block::contains(s.text());
        block::contains(&with_block(s, s.text()));
        block::line_of_key(s.text(), &(0..s.text().len()), "critic");
        block::strip(s.text());
        block::strip(&with_block(s, s.text()));
        block::find(s.text());
        block::find(&with_block(s, s.text()));
        block::put(s.text(), None, "<!-- anvil-state\n{}\n-->");
        embed(s.text(), &carried(s));
        embed(&embedded(s), &carried(s));
        embed(&with_block(s, s.text()), &carried(s));
        embed_long(&embedded(s), &carried(s));
        extract(s.text());
        extract(&with_block(s, s.text()));
        extract(&embedded(s));
        room(&embedded(s), &carried(s));
        PortableDebate::digest(&carried(s));
        PortableDebate::digest_here(&carried(s));
        PortableDebate::has_options_of(&carried(s), &carried(s));
        PortableDebate::has_all_of(&carried(s), &carried(s));
        document::BlockDocument::new(&carried(s), &sections::Sections::from_state(s.state()), Packing::Deflated);
        PortableDebate::new(s.state().clone(), 1);
        sections::ReadEntry::parse(&serde_json::json!({ "kind": s.text(), "text": s.text() }));
        document::BlockDocument::read(s.text());
        PortableDebate::to_json(&carried(s));
        sections::Sections::from_state(s.state());
        escape::units(s.text());
        escape::unescape(s.text());
    ]
}

#[test]
fn reading_and_writing_an_issue_body_is_linear() {
    check(calls());
}
