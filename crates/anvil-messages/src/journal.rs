//! The outcomes of recommendations, and how often a confidence was right.

use std::fmt::Write as _;

use anvil_core::journal::{Band, Calibration, Decision, Line};
use anvil_engine::DueReviews;
use anvil_text::door::Door;
use anvil_text::error::Error;
use anvil_text::{clean, fit, number_of, wrap};

/// Columns of the table before its plot.
const BEFORE_PLOT: usize = 49;

/// Columns of the plot, from 0 to 100 %: 4 percentage points each, or 5 on a narrow screen.
const PLOTS: [usize; 2] = [26, 21];

/// `Anvil: noted for "QUESTION": right (it was 80 % sure); look again on 2027-01-15.`
pub fn outcome_noted(line: &Line, columns: usize) -> String {
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
pub fn due_list(due: &[Decision], columns: usize, door: Door) -> String {
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
    let command = door.command("history ID --outcome WHAT");
    let how = format!("{command} notes it: right, wrong, mixed or abandoned.");
    out + "\n" + &wrap(&how, columns).join("\n")
}

/// The output of `anvil history --calibration`: a table with a plot next to it, and its meaning.
pub fn calibration(calibration: &Calibration, columns: usize) -> String {
    let mut summary = summary(calibration).into_iter();
    let mut out =
        wrap(&format!("Anvil: {}", summary.next().unwrap_or_default()), columns).join("\n") + "\n";
    let width = if columns < BEFORE_PLOT + PLOTS[0] { PLOTS[1] } else { PLOTS[0] };
    let scale = format!("{:<width$}100", "0", width = width - 3);
    let _ = write!(
        out,
        "\n  {:<11} {:>5} {:>5}  {:<20}  {scale}\n",
        "confidence", "cases", "right", "share, 95 % interval"
    );
    for band in &calibration.bands {
        let [share, low, high] = band.was;
        let range = format!("{} to {} %", band.from, band.to);
        let share = format!("{share:>3.0} % ({low:.0} to {high:.0} %)");
        let Band { count, right, .. } = band;
        let plot = plot(band, width);
        let _ = writeln!(out, "  {range:<11} {count:>5} {right:>5}  {share:<20}  {plot}");
    }
    out.push_str("\n  ● share that was right  ─ its interval  │ what was said  ◆ both\n");
    for line in summary {
        let _ = write!(out, "\n  {}", wrap(&line, columns - 2).join("\n  "));
    }
    out
}

/// One sentence each: the number of cases, the score, and the cases that are left out.
fn summary(calibration: &Calibration) -> Vec<String> {
    let cases = if calibration.is_of_few() {
        number_of(calibration.counted as usize, "case says little", "cases say little")
    } else {
        number_of(calibration.counted as usize, "case", "cases")
    };
    let mut sentences =
        vec![format!("how often a confidence was right, in this project. {cases}.")];
    if let Some(brier) = calibration.brier {
        let interval = match brier.interval {
            Some([low, high]) => format!("95 % interval {low:.2} to {high:.2}"),
            None => "one case has no interval".to_owned(),
        };
        sentences.push(format!("Brier score: {:.2} ({interval}).", brier.score));
        sentences.push("0 is perfect; always saying 50 % earns 0.25.".to_owned());
    }
    sentences.extend(left_out(calibration));
    sentences
}

fn left_out(calibration: &Calibration) -> Option<String> {
    let left = number_of(calibration.left_out as usize, "outcome is", "outcomes are");
    (calibration.left_out > 0)
        .then(|| format!("{left} left out: mixed, abandoned, or without a percentage."))
}

/// The error if no outcome counts.
pub fn nothing_to_calibrate(calibration: &Calibration) -> Error {
    let left = left_out(calibration).map(|left| format!("; {}", left.trim_end_matches('.')));
    let left = left.unwrap_or_default();
    Error::nothing(
        format!("no outcome in this project counts yet{left}"),
        "`anvil history ID --outcome right` notes one",
    )
}

/// A band on a scale from 0 to 100 %, `width` columns wide.
fn plot(band: &Band, width: usize) -> String {
    let [share, low, high] = band.was.map(|percent| column(percent, width));
    let stated = column(band.stated, width);
    (0..width)
        .map(|at| match at {
            at if at == share && at == stated => '◆',
            at if at == share => '●',
            at if at == stated => '│',
            at if (low..=high).contains(&at) => '─',
            _ => '·',
        })
        .collect()
}

/// The column of a percentage on a scale that is `width` columns wide.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 25")]
fn column(percent: f64, width: usize) -> usize {
    let last = f64::from(u8::try_from(width - 1).unwrap_or(u8::MAX));
    (percent.clamp(0.0, 100.0) / 100.0 * last).round() as usize
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

    #[test]
    fn a_plot_shows_stated_confidence_and_actual_share() {
        let right = |count, total| -> Vec<Decision> {
            let outcome = |at| if at < count { Outcome::Right } else { Outcome::Wrong };
            (0..total).map(|at| decision(80, outcome(at))).collect()
        };
        let plot_of =
            |decisions: &[Decision]| plot(&Calibration::from_decisions(decisions).bands[0], 26);
        assert_eq!(plot_of(&right(8, 10)), "············────────◆────·");
        assert_eq!(plot_of(&right(5, 10)), "······───────●──────│·····");
        assert_eq!(plot_of(&right(1, 1)), "·····───────────────│────●");
        assert_eq!(
            plot(&Calibration::from_decisions(&right(5, 10)).bands[0], 21),
            "·····─────●─────│····"
        );
    }

    fn fits(screen: &str, width: usize) {
        assert!(screen.lines().all(|line| columns(line) <= width), "{screen}");
    }

    #[test]
    fn the_widest_table_fits_the_screen() {
        let mut decisions = Vec::new();
        for percent in 0..=100 {
            let right = (0..120).map(|_| decision(percent, Outcome::Right));
            decisions.extend(
                right.chain([decision(percent, Outcome::Wrong), decision(percent, Outcome::Mixed)]),
            );
        }
        let few = vec![decision(80, Outcome::Right); 19];
        for width in [client_columns(None), USUAL_COLUMNS] {
            let screen = calibration(&Calibration::from_decisions(&decisions), width);
            fits(&screen, width);
            assert!(
                screen.contains("12221 cases.") && screen.contains("101 outcomes are left out"),
                "{screen}"
            );
            fits(&calibration(&Calibration::from_decisions(&few), width), width);
        }
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
            fits(&due_list(std::slice::from_ref(&one), width, Door::Shell), width);
            fits(&outcome_noted(&line, width), width);
        }
    }

    #[test]
    fn fewer_than_20_cases_say_little() {
        let sentences = |count: usize| {
            summary(&Calibration::from_decisions(&vec![decision(80, Outcome::Right); count]))
        };
        assert!(
            sentences(1)[0].ends_with("1 case says little.")
                && sentences(1)[1].contains("one case has no interval")
        );
        assert!(sentences(19)[0].ends_with("19 cases say little."));
        assert!(sentences(20)[0].ends_with("20 cases."));
    }
}
