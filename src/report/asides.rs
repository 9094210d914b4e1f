//! What stands between the replies of a page: the user's directions, what fact-checkers found, and what each of several judges said.

use std::fmt::Write as _;

use super::claims::Claims;
use super::escape::escaped;
use super::judges::rows;
use super::model::{Aside, Model};
use super::rich::rich;
use crate::transcript::Kind;

/// Writes what stands before a section. A judgment is folded: the synthesis has what it comes to.
pub(super) fn asides(model: &Model, section: usize, is_in_round: bool, claims: &Claims<'_>, out: &mut String) {
    let level = if is_in_round { 4 } else { 3 };
    for (title, note) in model.asides_before(section) {
        let is_folded = note.of == Kind::Judgment;
        let (begins, ends) = if is_folded {
            (format!("<details class=\"round\">\n<summary><h{level}>{title}</h{level}></summary>\n"), "</details>")
        } else {
            (format!("<aside class=\"steering\"><h{level}>{title}</h{level}>"), "</aside>")
        };
        out.push_str(&begins);
        text(note, level + 1, claims, out);
        let _ = writeln!(out, "{ends}");
    }
}

fn text(note: &Aside, level: u8, claims: &Claims<'_>, out: &mut String) {
    if let Some(at) = &note.at {
        let _ = write!(out, "<p class=\"quiet\">{}</p>", time(at));
    }
    rich(&note.text, level, &mut claims.before(note.before), out);
}

/// What the judges say, side by side. False where one alone wrote the synthesis.
pub(super) fn judges(model: &Model, claims: &Claims<'_>, out: &mut String) -> bool {
    let rows = rows(model);
    let Some((head, rows)) = rows.split_first() else { return false };
    out.push_str(
        "<section id=\"judges\" aria-labelledby=\"judges-title\">\n<h2 id=\"judges-title\">The judges</h2>\n<table>\n<thead><tr>",
    );
    for cell in head {
        let _ = write!(out, "<th scope=\"col\">{cell}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            out.push_str(if at == 0 { "<tr><th scope=\"row\">" } else { "<td>" });
            claims.before(usize::MAX).write(cell, false, out);
            out.push_str(if at == 0 { "</th>" } else { "</td>" });
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
    true
}

/// `2026-11-21 01:55 UTC`
pub(super) fn time(at: &str) -> String {
    let shown = at.get(..16).unwrap_or(at).replace('T', " ");
    format!("<time datetime=\"{}\">{} UTC</time>", escaped(at), escaped(&shown))
}
