//! What became of recommendations, and how often a confidence was right.

use std::fmt::Write as _;

use super::past::opening;
use crate::engine::{Calibrated, DueReviews};
use crate::error::Error;
use crate::journal::{Band, Calibration, Decision, Line};
use crate::text::{clean, fit, wrap};

/// Columns of the table before its plot.
const BEFORE_PLOT: usize = 49;

/// Columns of the plot, from 0 to 100 %: at 4 percentage points each, or where there is less room at 5.
const PLOTS: [usize; 2] = [26, 21];

/// `Anvil: noted for "QUESTION": right (it was 80 % sure); look again on 2027-01-15.`
#[must_use]
pub fn outcome_noted(line: &Line, columns: usize) -> String {
    let question = clean(&line.question, 60);
    let what = line.outcome.map(|outcome| {
        let sure =
            line.confidence.map_or("it gave no percentage".to_owned(), |percent| format!("it was {percent} % sure"));
        format!("{} ({sure})", outcome.word())
    });
    let review = line.review.map(|day| format!("look again on {day}"));
    let said: Vec<String> = what.into_iter().chain(review).collect();
    opening(&format!("Anvil: noted for \"{question}\": {}.", said.join("; ")), columns)
}

/// One line at the start of a session: `Anvil: a review is due since 2027-01-15: "QUESTION". …`
#[must_use]
pub fn reviews_due(due: &DueReviews) -> String {
    let day = due.first.review.map(|day| format!(" since {day}")).unwrap_or_default();
    let question = clean(&due.first.question, 40);
    let what = match due.count {
        1 => format!("a review is due{day}: \"{question}\""),
        count => format!("{count} reviews are due, the first{day}: \"{question}\""),
    };
    format!("Anvil: {what}. /anvil:history --due says how to answer.")
}

/// What `anvil history --due` shows. A line of it that is pasted into a shell is no outcome yet, and nothing but a command of Anvil's.
#[must_use]
pub fn due_list(due: &[Decision], columns: usize) -> String {
    let what = if due.len() == 1 { "1 review is due".to_owned() } else { format!("{} reviews are due", due.len()) };
    let mut out = format!("Anvil: {what}, the longest first. What became of it?\n");
    for decision in due {
        let day = decision.review.map(|day| day.to_string()).unwrap_or_default();
        let question = fit(&clean(&decision.question, 2 * columns), columns - 14);
        let _ = write!(out, "\n  {day:<10}  {question}");
        if let Some(percent) = decision.confidence {
            let _ = write!(out, "\n{:14}it was {percent} % sure", "");
        }
        let _ = write!(out, "\n  anvil outcome {} RESULT\n", clean(&decision.id, 100));
    }
    out.push_str("\nRESULT is right, wrong, mixed or abandoned; also for /anvil:outcome.");
    out
}

/// What `anvil calibration` shows: a table with a plot beside it, and what it means.
#[must_use]
pub fn calibration(calibrated: &Calibrated, columns: usize) -> String {
    let calibration = &calibrated.calibration;
    let mut summary = calibration_summary(calibrated).into_iter();
    let mut out = opening(&format!("Anvil: {}", summary.next().unwrap_or_default()), columns) + "\n";
    let width = if columns < BEFORE_PLOT + PLOTS[0] { PLOTS[1] } else { PLOTS[0] };
    let scale = format!("{:<width$}100", "0", width = width - 3);
    let _ = write!(
        out,
        "\n  {:<11} {:>5} {:>5}  {:<20}  {scale}\n",
        "confidence", "cases", "right", "share, 95 % interval"
    );
    for band in &calibration.bands {
        let [share, low, high] = band.was;
        let said = format!("{} to {} %", band.from, band.to);
        let share = format!("{share:>3.0} % ({low:.0} to {high:.0} %)");
        let _ = writeln!(out, "  {said:<11} {:>5} {:>5}  {share:<20}  {}", band.count, band.right, plot(band, width));
    }
    out.push_str("\n  ● share that was right  ─ its interval  │ what was said  ◆ both\n");
    for line in summary {
        let _ = write!(out, "\n  {}", wrap(&line, columns - 2).join("\n  "));
    }
    for (root, why) in &calibrated.unreadable {
        let _ = write!(out, "\n  not counted: {}: {}", clean(&root.display().to_string(), 200), clean(why, 200));
    }
    out
}

/// Sentences for the screen and the page: how many count, how good that is, and what is left out.
#[must_use]
pub fn calibration_summary(calibrated: &Calibrated) -> Vec<String> {
    let calibration = &calibrated.calibration;
    let place = match calibrated.projects {
        None => "this project".to_owned(),
        Some(1) => "1 project".to_owned(),
        Some(count) => format!("{count} projects"),
    };
    let cases = if calibration.counted == 1 { "1 case".to_owned() } else { format!("{} cases", calibration.counted) };
    let little = match (calibration.is_of_few(), calibration.counted) {
        (false, _) => "",
        (true, 1) => " says little",
        (true, _) => " say little",
    };
    let mut said = vec![format!("how often a confidence was right, in {place}. {cases}{little}.")];
    if let Some(brier) = calibration.brier {
        let interval = match brier.interval {
            Some([low, high]) => format!("95 % interval {low:.2} to {high:.2}"),
            None => "one case has no interval".to_owned(),
        };
        said.push(format!("Brier score: {:.2} ({interval}).", brier.score));
        said.push("0 is perfect; who always says 50 % earns 0.25.".to_owned());
    }
    said.extend(left_out(calibration));
    said
}

fn left_out(calibration: &Calibration) -> Option<String> {
    let what = "mixed, abandoned, or without a percentage";
    match calibration.left_out {
        0 => None,
        1 => Some(format!("1 outcome is left out: {what}.")),
        count => Some(format!("{count} outcomes are left out: {what}.")),
    }
}

/// There is nothing to count.
#[must_use]
pub fn nothing_to_calibrate(calibrated: &Calibrated) -> Error {
    let place = calibrated.projects.map_or("in this project", |_| "in any project of the list");
    let left =
        left_out(&calibrated.calibration).map(|left| format!("; {}", left.trim_end_matches('.'))).unwrap_or_default();
    Error::nothing(format!("no outcome {place} counts yet{left}"), "`anvil outcome ID right` or `wrong` notes one down")
}

/// What `anvil config calibration-list` shows.
#[must_use]
pub fn calibration_list(roots: Option<&[std::path::PathBuf]>) -> String {
    let Some(roots) = roots else {
        return "Anvil: calibration-list is off: no project is remembered.".to_owned();
    };
    let what = match roots.len() {
        0 => "it is empty".to_owned(),
        1 => "it holds 1 project".to_owned(),
        count => format!("it holds {count} projects"),
    };
    let mut out = format!("Anvil: calibration-list is on: {what}.");
    for root in roots {
        let _ = write!(out, "\n  {}", clean(&root.display().to_string(), 400));
    }
    out
}

/// A band on a scale from 0 to 100 % of so many columns.
fn plot(band: &Band, width: usize) -> String {
    let last = f64::from(u8::try_from(width - 1).unwrap_or(u8::MAX));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 25")]
    let column = |percent: f64| (percent.clamp(0.0, 100.0) / 100.0 * last).round() as usize;
    let [share, low, high] = band.was.map(column);
    let said = column(band.said);
    let mark = |at: usize| match at {
        at if at == share && at == said => '◆',
        at if at == share => '●',
        at if at == said => '│',
        at if (low..=high).contains(&at) => '─',
        _ => '·',
    };
    (0..width).map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Outcome;
    use crate::messages::{CLIENT_COLUMNS, USUAL_COLUMNS};
    use crate::text::columns;

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

    fn calibrated(decisions: &[Decision]) -> Calibrated {
        Calibrated { calibration: Calibration::of(decisions), projects: None, unreadable: Vec::new() }
    }

    #[test]
    fn a_plot_shows_what_was_said_and_what_was_right() {
        let right = |count, total| -> Vec<Decision> {
            let outcome = |at| if at < count { Outcome::Right } else { Outcome::Wrong };
            (0..total).map(|at| decision(80, outcome(at))).collect()
        };
        let plot_of = |decisions: &[Decision]| plot(&Calibration::of(decisions).bands[0], 26);
        assert_eq!(plot_of(&right(8, 10)), "············────────◆────·");
        assert_eq!(plot_of(&right(5, 10)), "······───────●──────│·····");
        assert_eq!(plot_of(&right(1, 1)), "·····───────────────│────●");
        assert_eq!(plot(&Calibration::of(&right(5, 10)).bands[0], 21), "·····─────●─────│····");
    }

    fn fits(screen: &str, width: usize) {
        // The client breaks what a message begins with.
        let own = screen.lines().skip(usize::from(width == CLIENT_COLUMNS));
        assert!(own.into_iter().all(|line| columns(line) <= width), "{screen}");
    }

    #[test]
    fn the_widest_table_fits_the_screen() {
        let mut decisions = Vec::new();
        for percent in 0..=100 {
            let right = (0..120).map(|_| decision(percent, Outcome::Right));
            decisions.extend(right.chain([decision(percent, Outcome::Wrong), decision(percent, Outcome::Mixed)]));
        }
        let few = vec![decision(80, Outcome::Right); 19];
        let across = Calibrated { projects: Some(1_000), ..calibrated(&few) };
        for width in [CLIENT_COLUMNS, USUAL_COLUMNS] {
            let screen = calibration(&calibrated(&decisions), width);
            fits(&screen, width);
            assert!(screen.contains("12221 cases.") && screen.contains("101 outcomes are left out"), "{screen}");
            fits(&calibration(&calibrated(&few), width), width);
            fits(&calibration(&across, width), width);
        }
    }

    #[test]
    fn what_is_noted_and_what_is_due_fit_the_screen() {
        let id = crate::state::new_id(&"abcdefg ".repeat(4), jiff::Timestamp::UNIX_EPOCH, "");
        let (question, day) = ("Should we do it? ".repeat(20), jiff::civil::date(2027, 1, 15));
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
        for width in [CLIENT_COLUMNS, USUAL_COLUMNS] {
            fits(&due_list(std::slice::from_ref(&one), width), width);
            fits(&outcome_noted(&line, width), width);
        }
    }

    #[test]
    fn few_cases_say_little() {
        let said = |count: usize| calibration_summary(&calibrated(&vec![decision(80, Outcome::Right); count]));
        assert!(said(1)[0].ends_with("1 case says little.") && said(1)[1].contains("one case has no interval"));
        assert!(said(19)[0].ends_with("19 cases say little."));
        assert!(said(20)[0].ends_with("20 cases."));
    }
}
