//! The outcomes of recommendations.

use std::fmt::Write as _;

use super::Door;
use anvil_core::journal::{Decision, Line};
use anvil_engine::DueReviews;
use anvil_text::{Verb, clean, fit, number_of, wrap};

/// `Anvil: noted for "QUESTION": right (it was 80 % sure); look again on 2027-01-15.`
pub fn outcome_lines(line: &Line, columns: usize) -> String {
    let question = clean(&line.question, 60);
    let what = line.outcome.map(|outcome| {
        let sure = line.confidence.map_or("it gave no percentage".to_owned(), |percent| {
            format!("it was {percent}% sure")
        });
        format!("{} ({sure})", outcome.word())
    });
    let review = line.review.map(|day| format!("review on {day}"));
    let parts: Vec<String> = what.into_iter().chain(review).collect();
    wrap(&format!("Anvil: noted for \"{question}\": {}.", parts.join("; ")), columns).join("\n")
}

/// A line at the start of a session: `Anvil: a review is due since 2027-01-15: "QUESTION". …`
pub fn reviews_due(due: &DueReviews) -> String {
    let day = due.first.review.map(|day| format!(" since {day}")).unwrap_or_default();
    let question = clean(&due.first.question, 40);
    let count = match due.count {
        1 => format!("a review is due{day}: \"{question}\""),
        count => format!("{count} reviews are due, the first{day}: \"{question}\""),
    };
    format!("Anvil: {count}. /anvil:history --due says how to answer.")
}

/// The output of `anvil history --due`.
pub fn due_list(due: &[Decision], columns: usize, door: &Door) -> String {
    let count = number_of(due.len(), "review is due", "reviews are due");
    let mut out = format!("Anvil: {count}, the oldest first. What became of it?\n");
    for decision in due {
        let day = decision.review.map(|day| day.to_string()).unwrap_or_default();
        let question = fit(&clean(&decision.question, 2 * columns), columns - 14);
        let _ = write!(out, "\n  {day:<10}  {question}");
        if let Some(percent) = decision.confidence {
            let _ = write!(out, "\n{:14}it was {percent}% sure", "");
        }
        let _ = writeln!(out, "\n{:14}{}", "", clean(&decision.id, 100));
    }
    let command = door.command(Verb::History.with("ID --outcome WHAT"));
    let how = format!("{command} notes it: right, wrong, mixed or abandoned.");
    out + "\n" + &wrap(&how, columns).join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{USUAL_COLUMNS, client_columns};
    use anvil_core::journal::Outcome;
    use anvil_text::columns;

    fn decision(confidence: u8, outcome: Outcome) -> Decision {
        Decision {
            id: "a".into(),
            question: "Why?".into(),
            confidence: Some(confidence),
            outcome: Some(outcome),
            note: None,
            review: None,
        }
    }

    fn fits(screen: &str, width: usize) {
        assert!(screen.lines().all(|line| columns(line) <= width), "{screen}");
    }

    #[test]
    fn notes_and_due_reviews_fit_the_screen() {
        let id = anvil_store::new_id(&"abcdefg ".repeat(4), jiff::Timestamp::UNIX_EPOCH, "");
        let question = "Should we do it? ".repeat(20);
        let day = jiff::civil::date(2027, 1, 15);
        let one = Decision { id, question, review: Some(day), ..decision(100, Outcome::Right) };
        let line = Line {
            at: jiff::Timestamp::UNIX_EPOCH,
            id: one.id.clone(),
            question: one.question.clone(),
            confidence: None,
            outcome: Some(Outcome::Abandoned),
            note: None,
            review: Some(day),
        };
        for width in [client_columns(None), USUAL_COLUMNS] {
            fits(&due_list(std::slice::from_ref(&one), width, &Door::default()), width);
            fits(&outcome_lines(&line, width), width);
        }
    }
}
