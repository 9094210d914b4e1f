//! A debate at a glance: who made which argument in which round, what became of each, and where voices stand.

use std::fmt::Write as _;

use super::arguments::Argument;
use super::checked::outcome;
use super::claims::Claims;
use super::escape::escaped;
use super::model::Model;
use super::part::is_voice;
use super::signs;
use super::stance::Stance;
use crate::debate::Phase;
use crate::ledger::Disposition;
use crate::text;

/// A round, or the turn of a voice.
struct Row {
    cycle: u32,
    round: u8,
    /// The sections of the advocate and the critic; a voice stands alone.
    cells: Cells,
}

enum Cells {
    Seats([Option<usize>; 2]),
    Voice(usize),
}

/// Writes the board; nothing where it would be empty.
pub(super) fn board(model: &Model, claims: &Claims<'_>, out: &mut String) {
    let rows = rows(model);
    let has_voices = rows.iter().any(|row| matches!(row.cells, Cells::Voice(_)));
    let has_seats = rows.iter().any(|row| matches!(row.cells, Cells::Seats(_)));
    if !has_voices && model.arguments.is_empty() {
        return;
    }
    out.push_str("<figure>\n");
    if has_voices {
        stances(model, out);
    }
    let class = if has_seats { "board" } else { "board voices" };
    let _ = write!(out, "<table class=\"{class}\">\n<thead><tr>");
    // A file that was edited can have seats and voices.
    let heads: &[&str] = if has_seats { &["Round", "Advocate", "Critic"] } else { &["Voice", "Claims"] };
    for head in heads {
        let _ = write!(out, "<th scope=\"col\">{head}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let mut cycle = 1;
    for row in &rows {
        if row.cycle != cycle {
            cycle = row.cycle;
            let _ = writeln!(out, "<tr><th scope=\"rowgroup\" colspan=\"{}\">Cycle {cycle}</th></tr>", heads.len());
        }
        match row.cells {
            Cells::Seats(sides) => {
                let _ = write!(out, "<tr><th scope=\"row\">{}</th>", row.round);
                for side in sides {
                    out.push_str("<td>");
                    if let Some(section) = side {
                        chips(model, claims, section, out);
                    }
                    out.push_str("</td>");
                }
            }
            Cells::Voice(section) => {
                let stance = model.sections[section].stance;
                let _ = write!(
                    out,
                    "<tr><th scope=\"row\"><a href=\"#reply-{}\">{}</a><p class=\"stance {}\">{} {}</p></th><td{}>",
                    section + 1,
                    escaped(&text::clean(&model.title(section), 60)),
                    Stance::class(stance),
                    Stance::sign(stance),
                    Stance::word(stance),
                    if has_seats { " colspan=\"2\"" } else { "" },
                );
                chips(model, claims, section, out);
                out.push_str("</td>");
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
    if !model.arguments.is_empty() {
        legend(model, out);
        // A voice's chips stand beside its name.
        if has_seats {
            let _ = writeln!(out, "<p>{}</p>", escaped(&summary(model)));
        }
        out.push_str("</figcaption>\n");
    }
    out.push_str("</figure>\n");
}

/// How many voices stand where, in the last cycle in which some spoke.
fn stances(model: &Model, out: &mut String) {
    let spoke = || model.sections.iter().filter(|part| is_voice(part.of));
    let last = spoke().map(|part| part.cycle).max();
    let last: Vec<Option<Stance>> = spoke().filter(|part| Some(part.cycle) == last).map(|part| part.stance).collect();
    out.push_str("<ul class=\"stances\" aria-label=\"Who stands where\">");
    for stance in Stance::ALL.into_iter().map(Some).chain([None]) {
        let count = last.iter().filter(|other| **other == stance).count();
        if count > 0 {
            let (class, sign, word) = (Stance::class(stance), Stance::sign(stance), Stance::word(stance));
            let _ = write!(out, "<li class=\"stance {class}\">{sign} {word}: {count}</li>");
        }
    }
    out.push_str("</ul>\n");
}

fn chips(model: &Model, claims: &Claims<'_>, section: usize, out: &mut String) {
    let own = || model.arguments.iter().enumerate().filter(|(_, argument)| argument.section == section);
    if own().next().is_none() {
        out.push_str("<p class=\"quiet\">none numbered</p>");
        return;
    }
    out.push_str("<ul class=\"fates\">");
    for (index, argument) in own() {
        let _ = write!(out, "<li class=\"{}\">", signs::class(argument.disposition));
        claims.link(index, &format!(" {}", signs::mark(argument.disposition)), out);
        out.push_str("</li>");
    }
    out.push_str("</ul>");
}

fn legend(model: &Model, out: &mut String) {
    out.push_str("<figcaption>\n<p>Each claim where it was first made, and what the synthesis says of it:</p>\n<ul class=\"legend\">");
    for disposition in Disposition::ALL.into_iter().map(Some).chain([None]) {
        if model.arguments.iter().any(|argument| argument.disposition == disposition) {
            let _ = write!(
                out,
                "<li class=\"{}\">{} {}</li>",
                signs::class(disposition),
                signs::mark(disposition),
                outcome(disposition)
            );
        }
    }
    out.push_str("</ul>\n");
}

/// One sentence a side: what became of its arguments.
fn summary(model: &Model) -> String {
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
            .map(|disposition| format!("{} {}", count(disposition), outcome(disposition)))
            .collect();
        format!("{}: {} of {}.", text::clean(&model.title(first.section), 60), counts.join(", "), own().count())
    };
    sides.into_iter().map(side).collect::<Vec<_>>().join(" ")
}

fn rows(model: &Model) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (section, part) in model.sections.iter().enumerate() {
        let at = match part.of {
            Phase::Synthesizer => continue,
            Phase::Advocate => 0,
            Phase::Critic => 1,
            Phase::Stakeholder | Phase::Persona => {
                rows.push(Row { cycle: part.cycle, round: part.round, cells: Cells::Voice(section) });
                continue;
            }
        };
        let open = rows.last_mut().filter(|row| (row.cycle, row.round) == (part.cycle, part.round));
        if let Some(Row { cells: Cells::Seats(sides), .. }) = open
            && sides[at].is_none()
        {
            sides[at] = Some(section);
        } else {
            let mut sides = [None, None];
            sides[at] = Some(section);
            rows.push(Row { cycle: part.cycle, round: part.round, cells: Cells::Seats(sides) });
        }
    }
    rows
}
