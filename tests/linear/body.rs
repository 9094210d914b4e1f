use crate::linear::{Call, Sample, calls, check};
use crate::storage::issue_body::*;

fn carried(sample: &Sample) -> PortableDebate {
    PortableDebate { revision: 1, state: sample.state().clone() }
}

fn with_block(sample: &Sample, inner: &str) -> String {
    format!("{}\n\n<!-- anvil-state\n{inner}\n-->\n\n{}", sample.text(), sample.text())
}

fn embedded(sample: &Sample) -> String {
    with_block(sample, &carried(sample).to_json())
}

/// A debate with its sections in comments, and those comments.
fn in_comments(sample: &Sample) -> (Index, Vec<String>) {
    let (hashes, comments) =
        comments::split("a", sections::Sections::from_state(sample.state()).entries);
    let (keys, state) = (sample.state().keys(), sample.state().clone());
    (Index { revision: 1, keys, state, is_titled: true, hashes }, comments)
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
        embed_long(&embedded(s), &carried(s));
        embed_afresh(s.text(), &carried(s), false);
        embed_afresh(&with_block(s, s.text()), &carried(s), true);
        embed_in_comments(s.text(), &carried(s));
        extract(s.text());
        extract(&with_block(s, s.text()));
        extract(&embedded(s));
        relation::relation(&carried(s), &carried(s));
        document::Document::whole(&carried(s), &sections::Sections::from_state(s.state()), Packing::Deflated);
        document::Document::in_comments(&carried(s), true, vec![s.owned()]);
        PortableDebate::new(s.state().clone(), 1);
        comments::join(&in_comments(s).0, &in_comments(s).1);
        comments::split("a", sections::Sections::from_state(s.state()).entries);
        sections::ReadEntry::parse(&serde_json::json!({ "kind": s.text(), "text": s.text() }));
        sections::label(&serde_json::json!({ "kind": s.text() }));
        document::Document::read(s.text());
        PortableDebate::to_json(&carried(s));
        sections::Sections::from_state(s.state());
        escape::units(s.text());
        escape::escape(s.text());
        escape::unescape(s.text());
    ]
}

#[test]
fn reading_and_writing_an_issue_body_is_linear() {
    check(calls());
}
