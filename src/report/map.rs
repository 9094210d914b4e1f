//! The map of claims: who attacks whom, and what stands. An SVG of straight columns, the advocate's claims on the left and the
//! critic's on the right, a row for each round; voices are rows of one column.
//!
//! Shapes, signs and dashes say what colours say. Every node is a link; what a line means is told to the mouse and to a voice.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::escape::escaped;
use super::model::Model;
use super::{checked, signs};
use crate::debate::Seat;
use crate::ledger::{Claim, Disposition, Id, Label, Move, MoveKind};
use crate::text;

/// Most claims and moves that a reader can follow in a drawing.
const MAX_CLAIMS: usize = 40;
const MAX_MOVES: usize = 120;

/// All of it is as wide as a phone's screen without its margins.
const WIDTH: usize = 328;

/// The nodes of a claim, and of a move that no claim makes.
const CHIP: (usize, usize) = (100, 28);
const MOVE: (usize, usize) = (100, 24);

/// A map that is higher is printed on a page of its own.
const TALL: usize = 800;

const MARGIN: usize = 2;
const GAP: usize = 8;
const LABEL: usize = 24;

/// How far above the middle of a node arrows arrive, and below it all else. Lines leave in the middle: no head covers another,
/// and none stands where a line begins.
const PORT: usize = 7;

/// What became of it, as far as there is a map.
pub(super) enum Map {
    /// Nothing is on anything.
    Empty,
    /// There are more claims, or moves, than can be drawn.
    TooLarge,
    Drawn(String),
}

/// Draws the map.
pub(super) fn map(model: &Model) -> Map {
    let (claims, moves) = (&model.ledger.claims, &model.ledger.moves);
    if !moves.iter().any(|made| model.ledger.claim(made.target).is_some()) {
        return Map::Empty;
    }
    if claims.len() > MAX_CLAIMS || moves.len() > MAX_MOVES {
        return Map::TooLarge;
    }
    let layout = Layout::of(model);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg{} viewBox=\"0 0 {WIDTH} {}\" role=\"group\" aria-labelledby=\"map-title\" aria-describedby=\"map-text\">",
        if layout.height > TALL { " class=\"tall\"" } else { "" },
        layout.height
    );
    for (x, y, label) in &layout.labels {
        let _ = writeln!(out, "<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(label));
    }
    for (index, made) in moves.iter().enumerate() {
        edge(model, &layout, index, made, &mut out);
    }
    for claim in claims {
        chip(model, &layout, claim, &mut out);
    }
    for (index, made) in moves.iter().enumerate() {
        lone(model, &layout, index, made, &mut out);
    }
    out.push_str("</svg>\n");
    Map::Drawn(out)
}

/// The column of a node, and the middle of its height.
#[derive(Clone, Copy)]
struct Place {
    is_right: bool,
    y: usize,
}

impl Place {
    /// The side on which lines leave it and arrive.
    fn edge(self) -> usize {
        if self.is_right { WIDTH - MARGIN - CHIP.0 } else { MARGIN + CHIP.0 }
    }

    fn left(self) -> usize {
        if self.is_right { WIDTH - MARGIN - CHIP.0 } else { MARGIN }
    }
}

#[derive(Default)]
struct Layout {
    claims: HashMap<Id, Place>,
    /// The moves that no claim makes.
    moves: HashMap<usize, Place>,
    labels: Vec<(usize, usize, String)>,
    height: usize,
}

impl Layout {
    fn of(model: &Model) -> Self {
        let mut layout = Self::default();
        let mut row: Option<(u32, u8, bool)> = None;
        let mut ends = [0, 0];
        if model.sections.iter().any(|part| matches!(part.seat(), Seat::Advocate | Seat::Critic)) {
            for (is_right, name) in [(false, "Advocate"), (true, "Critic")] {
                layout.labels.push((Place { is_right, y: 0 }.left(), LABEL - GAP, name.to_owned()));
            }
            ends = [LABEL - GAP, LABEL - GAP];
        }
        for (section, part) in model.sections.iter().enumerate() {
            let seat = part.seat();
            if seat == Seat::Synthesizer {
                continue;
            }
            let is_voice = matches!(seat, Seat::Voice(_));
            let own = model.ledger.claims.iter().filter(|claim| claim.section == section);
            let lone = model.ledger.moves.iter().enumerate().filter(|(_, made)| made.section == section);
            let lone =
                lone.filter(|(_, made)| model.ledger.claim(made.target).is_some() && maker(model, made).is_none());
            let (own, lone): (Vec<&Claim>, Vec<usize>) = (own.collect(), lone.map(|(index, _)| index).collect());
            if own.is_empty() && lone.is_empty() {
                continue;
            }
            if is_voice || row != Some((part.cycle, part.round, is_voice)) {
                row = Some((part.cycle, part.round, is_voice));
                let top = ends[0].max(ends[1]) + LABEL;
                layout.labels.push((MARGIN, top - GAP, label(model, section, is_voice)));
                ends = [top, top];
            }
            let is_right = seat == Seat::Critic;
            let end = &mut ends[usize::from(is_right)];
            for claim in own {
                layout.claims.insert(claim.id, Place { is_right, y: *end + CHIP.1 / 2 });
                *end += CHIP.1 + GAP;
            }
            for index in lone {
                layout.moves.insert(index, Place { is_right, y: *end + MOVE.1 / 2 });
                *end += MOVE.1 + GAP;
            }
        }
        layout.height = ends[0].max(ends[1]) + MARGIN;
        layout
    }
}

fn label(model: &Model, section: usize, is_voice: bool) -> String {
    let part = &model.sections[section];
    let label = if is_voice { model.title(section) } else { format!("Round {}", part.round) };
    let cycle = if model.options.cycles > 1 { format!("Cycle {}: ", part.cycle) } else { String::new() };
    text::fit(&text::clean(&format!("{cycle}{label}"), 80), 40)
}

/// The claim that makes a move.
fn maker<'a>(model: &'a Model, made: &Move) -> Option<&'a Claim> {
    made.by.and_then(|by| model.ledger.claim(by))
}

fn is_against(made: &Move) -> bool {
    matches!(made.kind, MoveKind::Attack | MoveKind::Rebut | MoveKind::Withdraw)
}

fn edge(model: &Model, layout: &Layout, index: usize, made: &Move, out: &mut String) {
    let from = match maker(model, made) {
        Some(claim) => layout.claims.get(&claim.id),
        None => layout.moves.get(&index),
    };
    let (Some(&from), Some(&to)) = (from, layout.claims.get(&made.target)) else { return };
    let who = made.by.map_or_else(|| model.place(made.section), |by| by.to_string());
    let said = format!("{who} {} {}", made.kind.word().to_lowercase(), made.target);
    let (class, reach) = if is_against(made) { ("against", 8) } else { ("aids", 7) };
    let bend = if from.is_right == to.is_right {
        let far = (18 + from.y.abs_diff(to.y) / 4).min(100);
        if to.is_right { to.edge() - far } else { to.edge() + far }
    } else {
        WIDTH / 2
    };
    let (tip, y) = (to.edge(), if is_against(made) { to.y - PORT } else { to.y + PORT });
    let end = if to.is_right { tip - reach } else { tip + reach };
    let _ = write!(
        out,
        "<g class=\"{class}\"><title>{}</title><path class=\"line\" d=\"M{} {}C{bend} {} {bend} {y} {end} {y}\"></path>",
        escaped(&said),
        from.edge(),
        from.y,
        from.y
    );
    // Heads are drawn, so that they have the line's colour everywhere.
    if is_against(made) {
        let _ = write!(out, "<path class=\"head\" d=\"M{tip} {y}L{end} {}V{}Z\"></path>", y - 4, y + 4);
    } else {
        let middle = if to.is_right { tip - 4 } else { tip + 4 };
        let _ = write!(out, "<circle class=\"head\" cx=\"{middle}\" cy=\"{y}\" r=\"3\"></circle>");
    }
    out.push_str("</g>\n");
}

/// What became of a claim: by the synthesis, and before there is one by the moves alone. Its class, its sign, its word.
fn standing(model: &Model, claim: &Claim) -> (Option<Disposition>, &'static str, &'static str) {
    if model.ledger.last_synthesis().is_some() {
        let disposition = claim.disposition;
        return (disposition, signs::mark(disposition), checked::outcome(disposition));
    }
    match claim.label {
        Label::In => (Some(Disposition::Survived), "+", "in"),
        Label::Out => (Some(Disposition::Fell), "−", "out"),
        Label::Undecided => (None, "?", "undecided"),
    }
}

fn chip(model: &Model, layout: &Layout, claim: &Claim, out: &mut String) {
    let Some(&place) = layout.claims.get(&claim.id) else { return };
    let (disposition, sign, word) = standing(model, claim);
    let (x, y) = (place.left(), place.y - CHIP.1 / 2);
    let _ = writeln!(
        out,
        "<a class=\"node {}\" href=\"#{}\"><title>{}</title><path class=\"box\" d=\"{}\"></path><text x=\"{}\" y=\"{}\">{} {sign}</text></a>",
        signs::class(disposition),
        claim.id,
        escaped(&format!("{} {word}: {}", claim.id, text::clean(&claim.sentence, 200))),
        outline(disposition, x, y),
        x + CHIP.0 / 2,
        place.y + 5,
        claim.id
    );
}

/// The shape of a node: round for what survived, cut for what fell, square for all else.
fn outline(disposition: Option<Disposition>, x: usize, y: usize) -> String {
    let (width, height) = CHIP;
    let cut = 8;
    let (inner, side, half) = (width - 2 * cut, height - 2 * cut, height / 2);
    match disposition {
        Some(Disposition::Survived) => format!(
            "M{} {y}h{}a{half} {half} 0 0 1 0 {height}h-{}a{half} {half} 0 0 1 0 -{height}z",
            x + half,
            width - height,
            width - height
        ),
        Some(Disposition::Fell) => {
            format!("M{} {y}h{inner}l{cut} {cut}v{side}l-{cut} {cut}h-{inner}l-{cut} -{cut}v-{side}z", x + cut)
        }
        Some(Disposition::Weakened) | None => format!("M{x} {y}h{width}v{height}h-{width}z"),
    }
}

/// A move that no claim makes is a small node of its own, which leads to its reply.
fn lone(model: &Model, layout: &Layout, index: usize, made: &Move, out: &mut String) {
    let Some(&place) = layout.moves.get(&index) else { return };
    let word = made.kind.word().to_lowercase();
    let quote = made.quote.as_deref().map(|quote| format!("“{quote}” ")).unwrap_or_default();
    let said =
        text::clean(&format!("{}, {word} {}: {quote}{}", model.place(made.section), made.target, made.reason), 300);
    let (x, y) = (place.left(), place.y - MOVE.1 / 2);
    let _ = writeln!(
        out,
        "<a class=\"node move\" href=\"#reply-{}\"><title>{}</title><path class=\"box\" d=\"M{x} {y}h{}v{}h-{}z\"></path><text x=\"{}\" y=\"{}\">{word} {}</text></a>",
        made.section + 1,
        escaped(&said),
        MOVE.0,
        MOVE.1,
        MOVE.0,
        x + MOVE.0 / 2,
        place.y + 4,
        made.target
    );
}

/// What the drawing means, in a sentence or two.
pub(super) fn legend(model: &Model) -> String {
    let signs = if model.ledger.last_synthesis().is_some() {
        "A round node survived, a dashed one was weakened, one with cut corners fell."
    } else {
        "There is no synthesis: by the moves alone a round node (+) is in, one with cut corners (−) is out."
    };
    format!(
        "Solid arrows attack, rebut or withdraw; dashed lines repair, support or grant. {signs} Every node leads to its claim \
         or its reply. The table below says the same in words."
    )
}

/// Why there is no drawing.
pub(super) fn too_large(model: &Model) -> String {
    format!(
        "The map of claims is left out: it draws up to {MAX_CLAIMS} claims and {MAX_MOVES} moves, and there are {} and {}. The table \
         below has them all.",
        model.ledger.claims.len(),
        model.ledger.moves.len()
    )
}
