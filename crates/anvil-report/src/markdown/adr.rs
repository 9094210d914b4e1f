//! The debate as a decision record, in the form of MADR 4.0. Its status is "proposed", because
//! Anvil does not decide.

use std::fmt::Write as _;

use super::inert::{paragraph, plain, quoted};
use crate::authored::{authored, degraded_line};
use crate::checked;
use crate::decision::AdrRecord;
use crate::mark::marked_with;
use crate::model::{Model, considered::Considered};
use anvil_core::ledger::{Claim, Id, Verdict, VerdictWord};
use anvil_core::options::Mode;
use anvil_core::place::Seat;
use anvil_text::inert;

/// Renders a debate. `record`: the decision as a record of its project.
pub fn adr(model: &Model, record: Option<&AdrRecord>) -> String {
    let title = anvil_text::clean(&model.question, 200);
    let number = record.and_then(|record| record.decision.number);
    let number = number.map(|number| format!("{number:04}. ")).unwrap_or_default();
    let mut out = format!(
        "---\nstatus: proposed\ndate: {}\n---\n\n# {number}{}\n\n",
        model.day(),
        title.replace('<', "&lt;")
    );
    context(model, &title, &mut out);
    drivers(model, &mut out);
    options(model, &mut out);
    outcome(model, &mut out);
    confirmation(model, &mut out);
    pros_and_cons(model, &mut out);
    more(model, record, &mut out);
    let comment = record.and_then(|record| record.decision.comment());
    marked_with(&inert(&out), comment.as_deref())
}

fn context(model: &Model, title: &str, out: &mut String) {
    out.push_str("## Context and Problem Statement\n\n");
    let question = if title == model.question { plain(title) } else { quoted(&model.question) };
    let _ = writeln!(out, "{}\n", question.trim_end());
    if let Some(position) = &model.options.position {
        let _ = writeln!(out, "{}:\n\n{}", model.leaned(), quoted(position));
    }
    if let Some(material) = &model.options.context {
        let _ = writeln!(out, "What was argued from: {}\n", line(material));
    }
}

/// The claims of each side, each with its result. The claims of an option are listed with the
/// option.
fn drivers(model: &Model, out: &mut String) {
    if !model.considered.is_empty() || model.arguments.is_empty() {
        return;
    }
    out.push_str("## Decision Drivers\n\n");
    let is_attack_first = model.options.mode == Mode::DevilsAdvocate.word();
    let mut sides: Vec<(String, Vec<&Claim>)> = Vec::new();
    for argument in &model.arguments {
        let Some(claim) = model.ledger.claim(argument.id) else { continue };
        let title = match claim.id.seat() {
            Seat::Advocate | Seat::Critic if model.standing.motion().is_none() => {
                format!("By the {}", claim.id.seat())
            }
            Seat::Advocate if !is_attack_first => "For it".to_owned(),
            Seat::Critic if is_attack_first => "For it".to_owned(),
            Seat::Advocate | Seat::Critic => "Against it".to_owned(),
            Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => {
                format!("By {}", line(&argument.by))
            }
        };
        match sides.iter_mut().find(|(known, _)| *known == title) {
            Some((_, claims)) => claims.push(claim),
            None => sides.push((title, vec![claim])),
        }
    }
    for (title, claims) in sides {
        let _ = writeln!(out, "{title}:\n");
        for claim in claims {
            driver(claim, out);
        }
        out.push('\n');
    }
}

/// `* A2: One endpoint can starve every other page (weakened)`
fn driver(claim: &Claim, out: &mut String) {
    let became = claim.outcome();
    let _ = writeln!(out, "* {}", line(&format!("{}: {} ({became})", claim.id, claim.sentence)));
}

/// The options of the decision. Without options: the motion or not, and the recommendation of a
/// verdict on a condition.
fn options(model: &Model, out: &mut String) {
    out.push_str("## Considered Options\n\n");
    let among = &model.ledger.among;
    let verdict = model.verdict();
    let word = verdict.map(|verdict| &verdict.word);
    if among.are_typed || matches!(word, Some(VerdictWord::Option(_))) {
        for name in &among.names {
            let _ = writeln!(out, "* {}", line(name));
        }
    } else {
        let _ = writeln!(out, "* {}\n* {}", motion(model), not_motion(model));
    }
    let lead = verdict.filter(|_| word == Some(&VerdictWord::Depends));
    if let Some(lead) = lead.and_then(|verdict| verdict.recommendation.as_ref()) {
        let _ = writeln!(out, "* {}", line(lead));
    }
    out.push('\n');
}

/// The motion as an option: `Move the cache to Redis`.
fn motion(model: &Model) -> String {
    model.standing.motion().map_or_else(|| "Yes".to_owned(), |motion| capital(&line(motion)))
}

fn not_motion(model: &Model) -> String {
    model
        .standing
        .motion()
        .map_or_else(|| "No".to_owned(), |motion| format!("Not: {}", line(motion)))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn option(model: &Model, verdict: &Verdict) -> String {
    match &verdict.word {
        VerdictWord::Do => motion(model),
        VerdictWord::DoNot => not_motion(model),
        VerdictWord::Depends => line(verdict.recommendation.as_deref().unwrap_or("It depends")),
        VerdictWord::Option(name) => line(name),
    }
}

/// Each option with its line of the synthesis, and the claims for and against it.
fn pros_and_cons(model: &Model, out: &mut String) {
    if model.considered.is_empty() {
        return;
    }
    out.push_str("## Pros and Cons of the Options\n\n");
    for Considered { name, line: stated, pros, cons, .. } in &model.considered {
        let _ = writeln!(out, "### {}\n", line(name));
        if let Some(stated) = stated {
            paragraph(stated, out);
        }
        for (title, ids) in [("For it", pros), ("Against it", cons)] {
            let mut claims = ids.iter().filter_map(|id| model.ledger.claim(*id)).peekable();
            if claims.peek().is_some() {
                let _ = writeln!(out, "{title}:\n");
                claims.for_each(|claim| driver(claim, out));
                out.push('\n');
            }
        }
    }
}

fn outcome(model: &Model, out: &mut String) {
    out.push_str("## Decision Outcome\n\n");
    if let Some(degraded) = degraded_line(&model.authors) {
        paragraph(&degraded, out);
    }
    let Some(verdict) = model.verdict() else {
        let headline = model.standing.headline();
        let text =
            if headline.is_empty() { "There is no synthesis yet".to_owned() } else { headline };
        paragraph(&format!("{text}."), out);
        return;
    };
    let _ = writeln!(out, "Chosen option: \"{}\".\n", option(model, verdict));
    if let Some(recommendation) = &verdict.recommendation
        && verdict.word != VerdictWord::Depends
    {
        paragraph(&anvil_text::clean(recommendation, usize::MAX), out);
    }
    if let Some(why) = &verdict.why {
        paragraph(why, out);
    }
    paragraph(&format!("{}.", verdict.headline()), out);
    let motion = verdict.motion.iter().map(|motion| ("Motion", motion));
    let cautions = verdict.cautions.iter().map(|caution| ("Caution", caution));
    for (label, text) in motion.chain(cautions) {
        paragraph(&format!("{label}: {}", anvil_text::clean(text, usize::MAX)), out);
    }
}

fn confirmation(model: &Model, out: &mut String) {
    let Some(verdict) = model.verdict() else { return };
    let mut lines = String::new();
    for (label, text) in [("Look again if", &verdict.flips_if), ("Still unknown", &verdict.unknown)]
    {
        if let Some(text) = text {
            let _ = writeln!(lines, "* {label}: {}", line(text));
        }
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "### Confirmation\n\n{lines}");
    }
}

fn rests_on(model: &Model) -> &[Id] {
    model.verdict().and_then(|verdict| verdict.rests_on.as_deref()).unwrap_or_default()
}

fn more(model: &Model, record: Option<&AdrRecord>, out: &mut String) {
    out.push_str("## More Information\n\n");
    if let Some((title, file)) = record.and_then(|record| record.supersedes.as_ref()) {
        let _ = writeln!(out, "Supersedes {}.\n", link(title, file));
    }
    let mut rests_on = rests_on(model).iter().filter_map(|id| model.ledger.claim(*id)).peekable();
    if rests_on.peek().is_some() {
        out.push_str("The decision rests on:\n\n");
        for claim in rests_on {
            let became = claim.outcome();
            let seen = checked::cited(claim.citation.as_ref());
            let ground = checked::ground(&claim.ground) + &seen;
            let item = format!("{}: {} ({ground}; {became})", claim.id, claim.sentence);
            let _ = writeln!(out, "* {}", line(&item));
        }
        out.push('\n');
    }
    if let Some(standing) = checked::standing(&model.ledger) {
        let _ = writeln!(out, "{standing}.\n");
    }
    let about = model.about().join(", ").replace(['*', '_', '<'], " ");
    let id = model.id.replace('`', "");
    let _ = writeln!(out, "Proposed by a structured debate of Anvil, `{id}`: {about}.\n");
    if let Some(authored) = authored(&model.authors) {
        paragraph(&format!("{authored}."), out);
    }
}

/// A link to a file in the folder of the record. No character of its title means anything in a
/// link's text, and none of its name in an address.
fn link(title: &str, file: &str) -> String {
    let is_live = |char: char| char.is_ascii_punctuation() && !"'\",.:?+-()/".contains(char);
    let title = anvil_text::clean(&title.replace(is_live, " "), 200);
    let address = file.bytes().fold(String::new(), |mut address, byte| {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
        address
    });
    format!("[{title}]({address})")
}

fn line(text: &str) -> String {
    let line = anvil_text::clean(text, 1_000);
    // A sentence that would start or end a block is quoted, but a part of a line can't be quoted.
    let shown = plain(&format!("* {line}"));
    shown.strip_prefix("* ").map_or_else(
        || line.replace(['<', '`', '[', '*', '_', '#'], " "),
        |shown| shown.trim_end().to_owned(),
    )
}
