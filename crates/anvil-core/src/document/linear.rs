//! The calls of `document`.

use crate::document::*;
use crate::linear::{Call, Sample, calls, check};

/// A document of a fixed size: what grows is the reply.
fn revision(shown: &str) -> Revision {
    let text: String = shown.chars().take(10_000).collect();
    let document = Document { name: "a.md".into(), sha256: Some(String::new()), text };
    Revision { text: document.text.clone(), document, changes: vec![], objections: vec![] }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        hunk::Hunk::read(s.text());
        hunk::Hunk::read(&s.text().replace('\n', "\n```old\n"));
        with_line_feeds(s.text());
        sha256(s.text().as_bytes());
        Document::of_entries(s.entries());
        Document::note(&Document { name: s.owned(), sha256: None, text: s.owned() });
        Revision::changes_of(&revision(s.text()), s.text());
        Revision::changes_of(&revision(s.text()), &s.text().replace('\n', "\n```old\n"));
        Revision::apply(&revision(s.text()), s.text());
        Revision::of_entries(s.entries(), &crate::ledger::Ledger::default());
        Revision::unanswered(&revision(s.text())).count();
        Revision::standing(&revision(s.text())).count();
        Revision::made(&revision(s.text())).count();
        Revision::summary(&revision(s.text()));
    ]
}

#[test]
fn documents_grow_with_the_text() {
    check(calls());
}
