//! The calls of `transcript`.

use crate::linear::{Call, Sample, calls, check};
use crate::linear::{NOW, slot};
use crate::transcript::*;

/// A transcript, built entry by entry.
fn built(entries: &Entries) -> String {
    let mut body = open("a");
    let mut last = LastRound::default();
    for entry in &entries.0 {
        entry.append_after(&mut body, &mut last);
    }
    body
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        count_words(s.text());
        normalise(s.text());
        open(s.text());
        question(s.text());
        question(s.body());
        question(&open(s.text()));
        append(&mut s.owned(), slot(Seat::Advocate, 1), Some(s.text()), NOW, s.text());
        append(&mut s.owned(), slot(Seat::Voice(1), 1), Some(s.text()), NOW, s.text());
        Author::new(s.text(), Some(s.text()), Some(s.text()));
        ShortName::new(s.text());
        ShortName::serialize(s.text(), serde_json::value::Serializer);
        ShortName::serialize_all(&[s.owned()], serde_json::value::Serializer);
        Author::instead_of(Author::person(), s.text());
        Author::map(&Author::new(s.text(), None, None), str::to_owned);
        append_note(&mut s.owned(), NoteKind::Steering, NOW, s.text());
        Entries::prior_debate(s.entries());
        append_cycle(&mut s.owned(), 2, NOW, s.text());
        retitle(s.text(), s.text());
        retitle(s.body(), s.text());
        quote(s.text(), &mut String::new());
        read::parse(s.text());
        read::parse(s.body());
        read::ends_with(s.text(), s.text());
        read::ends_with(s.body(), s.text());
        read::last_text(s.text());
        read::last_text(s.body());
        read::unquote(s.text());
        skipped::skipped(s.debate(), s.entries());
        headings::Heading::read(s.text());
        headings::is_mark(s.text());
        headings::has_too_many_headings(s.text().as_bytes());
        headings::headings(s.text());
        headings::headings(s.body());
        headings::last_line(s.text(), "#");
        headings::lines_of_headings(s.text()).count();
        reach::reach_of_orderly(s.text(), s.debate().schedule());
        reach::reach_of_orderly(s.body(), s.debate().schedule());
        reach::words_marked(s.text());
        reach::words_marked(s.body());
        reach::line_of_round(s.text(), 1);
        reach::line_of_round(s.body(), 1);
        reach::begins_cycle(s.text(), 2);
        reach::line_of_first_round(s.text());
        reach::lines_of_material(s.text());
        Entry::place(&s.entries().0[0]);
        Entry::words(&s.entries().0[0]);
        Entry::append_to(&s.entries().0[0], &mut s.owned());
        Entry::append_after(&s.entries().0[0], &mut s.owned(), &mut LastRound::default());
        built(s.entries());
        Entries::replies(s.entries()).count();
        Entries::hide_attacks(&mut s.entries().clone(), 1);
        Entries::motion(s.entries());
        Entries::notes(s.entries()).count();
        Entries::cycles(s.entries()).count();
        Entries::last_cycle(s.entries());
        Entries::places_in(s.entries(), 1, s.debate().schedule()).count();
        Entry::is_of(&s.entries().0[0], s.debate().schedule());
        Entries::synthesis(s.entries());
        Entries::judgments(s.entries()).count();
        Entries::repeat_of(s.entries(), &s.entries().0[0]);
        Entries::block_text(s.entries(), &s.entries().0[0]);
        Entries::is_of_judges(s.entries(), &s.entries().0[0]);
        Entries::judgments_before(s.entries(), 5).count();
        Entries::written(s.entries()).count();
        Entries::words(s.entries());
    ]
}

#[test]
fn reading_and_writing_a_transcript_is_linear() {
    check(calls());
}
