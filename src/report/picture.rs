//! The picture of a debate as SVG: how many words each side spent in each round, and what became of its arguments.

use std::fmt::Write as _;

use super::dispositions::Disposition;
use super::model::{Argument, Model};
use super::rich::escaped;
use crate::debate::Phase;
use crate::text;

/// Most rows that are drawn.
const MAX_ROWS: usize = 100;
/// Narrow enough for its words to be read on a phone.
const WIDTH: usize = 400;
const LINE: usize = 24;

/// A round, or the turn of a voice.
struct Row<'a> {
    /// Above its bars.
    label: String,
    /// Left and right; a voice stands on the right.
    sides: [Option<Side<'a>>; 2],
}

struct Side<'a> {
    class: &'static str,
    words: usize,
    arguments: Vec<&'a Argument>,
}

/// Where the parts of a row stand.
struct Plan {
    /// Where bars begin, left and right.
    left: usize,
    right: usize,
    /// The longest bar.
    longest: usize,
    chip: usize,
}

const SEATS: Plan = Plan { left: 194, right: 206, longest: 116, chip: 48 };
const VOICES: Plan = Plan { left: 0, right: 0, longest: 300, chip: 66 };

/// Draws a debate; nothing where nobody has argued.
pub(super) fn picture(model: &Model, out: &mut String) {
    let rows = rows(model);
    let most = rows.iter().flat_map(|row| row.sides.iter().flatten()).map(|side| side.words).max().unwrap_or(0).max(1);
    if rows.is_empty() {
        return;
    }
    // A file that was edited can have seats and voices.
    let has_seats = rows.iter().flat_map(|row| row.sides.iter().flatten()).any(|side| side.class != "voice");
    let plan = if has_seats { SEATS } else { VOICES };
    let mut body = String::new();
    let mut top = 0;
    if has_seats {
        let _ =
            write!(body, "<text class=\"advocate\" x=\"{}\" y=\"14\" text-anchor=\"end\">Advocate</text>", plan.left);
        let _ = write!(body, "<text class=\"critic\" x=\"{}\" y=\"14\">Critic</text>", plan.right);
        top += 26;
    }
    for row in &rows {
        top += draw(row, &plan, most, top, &mut body) + 10;
    }
    let _ = write!(
        out,
        "<svg role=\"img\" aria-labelledby=\"picture-title picture-text\" viewBox=\"0 0 {WIDTH} {top}\" xmlns=\"http://www.w3.org/2000/svg\">\
         <title id=\"picture-title\">Words and arguments, round by round</title><desc id=\"picture-text\">{}</desc>{body}</svg>",
        escaped(&told(model))
    );
}

/// One sentence a side: what became of its arguments.
pub(super) fn told(model: &Model) -> String {
    let mut sides: Vec<&Argument> = Vec::new();
    for argument in &model.arguments {
        if sides.iter().all(|side| side.by != argument.by) {
            sides.push(argument);
        }
    }
    let side = |first: &Argument| {
        let own = || model.arguments.iter().filter(|argument| argument.by == first.by);
        let dispositions = Disposition::ALL.into_iter().map(Some).chain([None]);
        let count =
            |disposition: Option<Disposition>| own().filter(|argument| argument.disposition == disposition).count();
        let counts: Vec<String> = dispositions
            .filter(|disposition| count(*disposition) > 0)
            .map(|disposition| format!("{} {}", count(disposition), Disposition::told(disposition)))
            .collect();
        format!("{}: {} of {}.", text::clean(&model.title(first.section), 60), counts.join(", "), own().count())
    };
    sides.into_iter().map(side).collect::<Vec<_>>().join(" ")
}

fn rows(model: &Model) -> Vec<Row<'_>> {
    let mut rows: Vec<((u32, u8), Row<'_>)> = Vec::new();
    for (index, part) in model.sections.iter().enumerate() {
        let (at, class) = match part.of {
            Phase::Synthesizer => continue,
            Phase::Advocate => (0, "advocate"),
            Phase::Critic => (1, "critic"),
            Phase::Stakeholder | Phase::Persona => (1, "voice"),
        };
        let arguments = model.arguments.iter().filter(|argument| argument.section == index).collect();
        let side = Side { class, words: part.words, arguments };
        let key = (part.cycle, part.round);
        if let Some((_, row)) = rows.last_mut().filter(|(known, row)| *known == key && row.sides[at].is_none()) {
            row.sides[at] = Some(side);
            continue;
        }
        if rows.len() == MAX_ROWS {
            break;
        }
        let label = match (class, part.cycle) {
            ("voice", _) => text::clean(&model.title(index), 32),
            (_, 1) => format!("Round {}", part.round),
            (_, cycle) => format!("Cycle {cycle}, {}", part.round),
        };
        let mut sides = [None, None];
        sides[at] = Some(side);
        rows.push((key, Row { label, sides }));
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Draws a row; gives back its height.
fn draw(row: &Row<'_>, plan: &Plan, most: usize, top: usize, out: &mut String) -> usize {
    let is_voice = row.sides[1].as_ref().is_some_and(|side| side.class == "voice");
    let (x, anchor) = if is_voice { (0, "start") } else { (WIDTH / 2, "middle") };
    let _ = write!(out, "<text x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>", top + 12, escaped(&row.label));
    let mut height = 34;
    for (at, side) in row.sides.iter().enumerate() {
        let Some(side) = side else { continue };
        let is_left = at == 0;
        let long = (side.words * plan.longest / most).max(2);
        let bar = if is_left { plan.left - long } else { plan.right };
        let (x, anchor) = if is_left { (bar - 6, "end") } else { (bar + long + 6, "start") };
        let _ = write!(
            out,
            "<rect class=\"{}\" x=\"{bar}\" y=\"{}\" width=\"{long}\" height=\"12\" rx=\"2\"></rect><text class=\"muted\" x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{} words</text>",
            side.class,
            top + 18,
            top + 28,
            side.words
        );
        let room = if is_left { plan.left } else { WIDTH - plan.right };
        let in_line = (room / plan.chip).max(1);
        for (index, argument) in side.arguments.iter().enumerate() {
            let (line, column) = (index / in_line, index % in_line);
            let beside = in_line.min(side.arguments.len() - line * in_line);
            let x =
                if is_left { plan.left - (beside - column) * plan.chip + 4 } else { plan.right + column * plan.chip };
            let y = top + 34 + line * LINE;
            chip(argument, (x, y), plan.chip - 4, out);
            height = height.max(34 + (line + 1) * LINE);
        }
    }
    height
}

fn chip(argument: &Argument, (x, y): (usize, usize), width: usize, out: &mut String) {
    let class = Disposition::class(argument.disposition);
    let _ = write!(
        out,
        "<rect class=\"chip {class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"19\" rx=\"4\"></rect><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{} {}</text>",
        x + width / 2,
        y + 14,
        escaped(&argument.number),
        Disposition::mark(argument.disposition)
    );
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::{Files, Source};
    use super::*;
    use crate::debate::{Debate, Slot};
    use crate::transcript::{Entries, Entry, What};

    /// Everything that is drawn for these replies lies in the picture.
    fn fits(replies: &[(Phase, u8, String)]) {
        let debate = Debate::new("x".to_owned(), "Why?".to_owned(), 3, Timestamp::UNIX_EPOCH);
        let reply = |(begins, (phase, round, text)): (usize, &(Phase, u8, String))| {
            let what = What::Reply(Slot { phase: *phase, round: *round });
            let voice = Some("a voice with a name that is far too long for its place".to_owned());
            Entry { what, cycle: 1, voice, at: None, beginning_missing: false, text: text.clone(), begins }
        };
        let entries = Entries(replies.iter().enumerate().map(reply).collect());
        let source = Source { debate: &debate, entries: &entries, places: &crate::text::Places::default() };
        let mut out = String::new();
        picture(&Model::of(&source, &Files::default()), &mut out);
        let number = |text: &str, key: &str| -> Option<usize> {
            let value = text.split_once(&format!(" {key}=\""))?.1.split_once('"')?.0;
            Some(value.parse().unwrap_or_else(|_| panic!("{value}")))
        };
        let height: usize = out.split_once("viewBox=\"0 0 400 ").unwrap().1.split_once('"').unwrap().0.parse().unwrap();
        let mut drawn = 0;
        for shape in out.split('<').filter(|text| text.starts_with("rect") || text.starts_with("text")) {
            let right = number(shape, "x").unwrap() + number(shape, "width").unwrap_or(0);
            let low = number(shape, "y").unwrap() + number(shape, "height").unwrap_or(0);
            assert!(right <= WIDTH && low <= height, "{shape}");
            drawn += 1;
        }
        assert!(drawn > 2 * replies.len().min(MAX_ROWS));
    }

    #[test]
    fn nothing_is_drawn_outside_of_the_picture() {
        let claims = |side: &str, count: usize| -> String {
            (1..=count).map(|number| format!("**{side}{number}. x**")).collect::<Vec<_>>().join("\n")
        };
        let seats = (1..=10)
            .flat_map(|round| [(Phase::Advocate, round, claims("A", 100)), (Phase::Critic, round, claims("C", 9))]);
        fits(&seats.collect::<Vec<_>>());
        fits(&(1..=200).map(|voice| (Phase::Persona, voice, claims(&format!("V{voice}."), 30))).collect::<Vec<_>>());
        fits(&[
            (Phase::Persona, 1, String::new()),
            (Phase::Advocate, 1, "word ".repeat(9_000)),
            (Phase::Persona, 1, "x".into()),
        ]);
    }
}
