//! The debate as a decision record, in the form of MADR 4.0. Its status is "proposed", because
//! Anvil does not decide.

use std::fmt::Write as _;

use pulldown_cmark::{Event, Parser, Tag};

use super::buildable::buildable;
use super::inert::{paragraph, plain, quote_without_html};
use crate::authored::{author_line, degraded_line};
use crate::checked;
use crate::decision::AdrRecord;
use crate::mark::mark_with;
use crate::model::{Model, POSITION, considered::Considered};
use anvil_core::ledger::{Claim, ClaimResult, Id, Verdict, VerdictWord};
use anvil_core::options::Mode;
use anvil_core::place::Seat;
use anvil_text::inert;

/// Titles of claims.
const FOR: &str = "For it";
const AGAINST: &str = "Against it";

/// Longest decision that is a title, in characters.
const MAX_TITLE: usize = 120;

/// Renders a debate. `record`: the decision as a record of its project.
pub fn adr(model: &Model, record: Option<&AdrRecord>) -> String {
    let heading = record.and_then(|record| record.heading.clone());
    let heading = heading.unwrap_or_else(|| decision_line(model));
    let mut out = format!("# {}\n\n", line(&heading));
    context(model, &mut out);
    drivers(model, &mut out);
    options(model, &mut out);
    outcome(model, &mut out);
    pros_and_cons(model, &mut out);
    more(model, record, &mut out);
    let front = format!("---\nstatus: proposed\ndate: {}\n---\n\n", model.day());
    let text = front + &buildable(&inert(&out));
    let dialect = record.map(|record| record.dialect).unwrap_or_default();
    let comment = record.and_then(|record| record.decision.comment(dialect));
    mark_with(&text, comment.as_deref(), dialect)
}

/// The decision in one line without a full stop: `Keep the monolith, enforce boundaries in CI`. It is
/// the title of its record. Without a verdict it is the question.
pub fn decision_line(model: &Model) -> String {
    let Some(verdict) = model.verdict() else { return title(&model.question) };
    let recommended = verdict.recommendation.as_deref().map(title);
    let recommended = recommended.filter(|text| !text.is_empty());
    let is_short = |text: &String| text.chars().count() <= MAX_TITLE;
    let chosen = || match &verdict.word {
        VerdictWord::Do => model.standing.motion().map(title),
        VerdictWord::DoNot => model.standing.motion().map(|motion| title(&format!("not {motion}"))),
        VerdictWord::Option(name) => Some(title(name)),
        VerdictWord::Depends => None,
    };
    if let Some(text) = recommended.clone().filter(is_short) {
        return text;
    }
    let other = chosen().or(recommended).unwrap_or_else(|| title(&model.question));
    anvil_text::clean(&other, MAX_TITLE)
}

/// The first sentence of a text, as a title.
fn title(text: &str) -> String {
    let text = anvil_text::clean(text, 1_000);
    let ends = text.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let mut ends = ends.filter(|end| text[*end..].starts_with(' '));
    let first = ends.next().map_or(&*text, |end| &text[..end]);
    capital(first.trim_end_matches(['.', '。', ' ']))
}

fn context(model: &Model, out: &mut String) {
    out.push_str("## Context and Problem Statement\n\n");
    let question = anvil_text::clean(&model.question, 200);
    if question == model.question {
        paragraph_of(&question, out);
    } else {
        let _ = writeln!(out, "{}\n", quote_without_html(&model.question).trim_end());
    }
    if let Some(position) = &model.options.position {
        let _ = writeln!(out, "{}:\n\n{}", POSITION, quote_without_html(position));
    }
    if let Some(material) = &model.options.context {
        let _ = writeln!(out, "What was argued from: {}\n", line(material));
    }
}

/// The claims that the decision rests on, each with its ground.
fn drivers(model: &Model, out: &mut String) {
    let rests_on = model.verdict().and_then(|verdict| verdict.rests_on.as_deref());
    let claims = rests_on.unwrap_or_default().iter().filter_map(|id| model.ledger.claim(*id));
    let mut claims = claims.peekable();
    if claims.peek().is_none() {
        return;
    }
    out.push_str("## Decision Drivers\n\n");
    for claim in claims {
        let became = claim.outcome();
        let seen = checked::citation_note(claim.citation.as_ref());
        let ground = checked::ground(&claim.ground) + &seen;
        let item = format!("{}: {} ({ground}; {became})", claim.id, claim.sentence);
        let _ = writeln!(out, "* {}", line(&item));
    }
    out.push('\n');
}

/// The claims about a motion, each with the side that made it.
fn sides(model: &Model) -> Vec<(String, Vec<&Claim>)> {
    let is_attack_first = model.options.mode == Mode::DevilsAdvocate.word();
    let mut sides: Vec<(String, Vec<&Claim>)> = Vec::new();
    for argument in &model.arguments {
        let Some(claim) = model.ledger.claim(argument.id) else { continue };
        let title = match claim.id.seat() {
            Seat::Advocate | Seat::Critic if model.standing.motion().is_none() => {
                format!("By the {}", claim.id.seat())
            }
            Seat::Advocate if !is_attack_first => FOR.to_owned(),
            Seat::Critic if is_attack_first => FOR.to_owned(),
            Seat::Advocate | Seat::Critic => AGAINST.to_owned(),
            Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => {
                format!("By {}", line(&argument.by))
            }
        };
        match sides.iter_mut().find(|(known, _)| *known == title) {
            Some((_, claims)) => claims.push(claim),
            None => sides.push((title, vec![claim])),
        }
    }
    sides
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
    let depends = verdict.filter(|_| word == Some(&VerdictWord::Depends));
    if let Some(lead) = depends.and_then(lead) {
        let _ = writeln!(out, "* {lead}");
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
        VerdictWord::Depends => lead(verdict).unwrap_or_else(|| "It depends".to_owned()),
        VerdictWord::Option(name) => line(name),
    }
}

/// The recommendation as an option.
fn lead(verdict: &Verdict) -> Option<String> {
    let recommendation = line(verdict.recommendation.as_deref()?);
    Some(recommendation.trim_end_matches('.').to_owned())
}

/// Each option with its line of the synthesis, and the claims for and against it.
fn pros_and_cons(model: &Model, out: &mut String) {
    if model.arguments.is_empty() {
        return;
    }
    out.push_str("## Pros and Cons of the Options\n\n");
    if model.considered.is_empty() {
        let _ = writeln!(out, "### {}\n", motion(model));
        for (title, claims) in sides(model) {
            list(&title, claims.into_iter(), out);
        }
        if model.standing.motion().is_some() {
            let _ = writeln!(out, "### {}\n\nThe same, the other way round.\n", not_motion(model));
        }
        return;
    }
    for Considered { name, line: stated, pros, cons, .. } in &model.considered {
        let _ = writeln!(out, "### {}\n", line(name));
        if let Some(stated) = stated {
            paragraph_of(stated, out);
        }
        for (title, ids) in [(FOR, pros), (AGAINST, cons)] {
            list(title, ids.iter().filter_map(|id| model.ledger.claim(*id)), out);
        }
    }
}

fn list<'a>(title: &str, claims: impl Iterator<Item = &'a Claim>, out: &mut String) {
    let mut claims = claims.peekable();
    if claims.peek().is_some() {
        let _ = writeln!(out, "{title}:\n");
        claims.for_each(|claim| driver(claim, out));
        out.push('\n');
    }
}

fn outcome(model: &Model, out: &mut String) {
    out.push_str("## Decision Outcome\n\n");
    if let Some(degraded) = degraded_line(&model.authors) {
        paragraph_of(&degraded, out);
    }
    let Some(verdict) = model.verdict() else {
        let headline = model.standing.headline();
        let text =
            if headline.is_empty() { "There is no synthesis yet".to_owned() } else { headline };
        paragraph_of(&format!("{text}."), out);
        return;
    };
    let _ = writeln!(out, "Chosen option: \"{}\".\n", option(model, verdict));
    if let Some(why) = &verdict.why {
        paragraph_of(why, out);
    }
    paragraph_of(&format!("{}.", verdict.headline()), out);
    if let Some(motion) = &verdict.motion {
        paragraph_of(&format!("Motion: {}", anvil_text::clean(motion, usize::MAX)), out);
    }
    for caution in &verdict.cautions {
        paragraph_of(&format!("Caution: {}", anvil_text::clean(caution, usize::MAX)), out);
    }
    consequences(model, verdict, out);
    let steps = model.what_to_do.as_deref();
    let steps = steps.or(verdict.recommendation.as_deref());
    if let Some(steps) = steps.filter(|steps| !steps.trim().is_empty()) {
        out.push_str("### What to Do\n\n");
        paragraph_of(steps, out);
    }
    confirmation(model, verdict, out);
}

/// What the chosen option brings: the claims that survived, for it and against it.
fn consequences(model: &Model, verdict: &Verdict, out: &mut String) {
    let chosen = model.considered.iter().find(|option| match &verdict.word {
        VerdictWord::Option(name) => option.name == *name,
        _ => false,
    });
    let of_ids = |ids: &[Id]| ids.iter().filter_map(|id| model.ledger.claim(*id)).collect();
    let of_side = |title: &str| {
        let side = sides(model).into_iter().find(|(known, _)| known == title);
        side.map(|(_, claims)| claims).unwrap_or_default()
    };
    let (good, bad): (Vec<&Claim>, Vec<&Claim>) = match (&verdict.word, chosen) {
        (VerdictWord::Do, _) => (of_side(FOR), of_side(AGAINST)),
        (VerdictWord::DoNot, _) => (of_side(AGAINST), of_side(FOR)),
        (_, Some(option)) => (of_ids(&option.pros), of_ids(&option.cons)),
        (VerdictWord::Depends | VerdictWord::Option(_), None) => return,
    };
    let mut lines = String::new();
    for (word, claims) in [("Good", good), ("Bad", bad)] {
        for claim in claims.iter().filter(|claim| claim.result == Some(ClaimResult::Survived)) {
            let item = format!("{word}, because of {}: {}", claim.id, claim.sentence);
            let _ = writeln!(lines, "* {}", line(&item));
        }
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "### Consequences\n\n{lines}");
    }
}

/// When to look again.
fn confirmation(model: &Model, verdict: &Verdict, out: &mut String) {
    let known = [("Look again if", &verdict.flips_if), ("Still unknown", &verdict.unknown)];
    let known = known.into_iter().filter_map(|(label, text)| Some((label, text.clone()?)));
    let mut lines = String::new();
    for (label, text) in known.chain(model.note_lines()) {
        let _ = writeln!(lines, "* {label}: {}", line(&text));
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "### Confirmation\n\n{lines}");
    }
}

fn more(model: &Model, record: Option<&AdrRecord>, out: &mut String) {
    out.push_str("## More Information\n\n");
    if let Some((title, file)) = record.and_then(|record| record.supersedes.as_ref()) {
        let _ = writeln!(out, "Supersedes {}.\n", link(title, file));
    }
    if let Some(standing) = checked::standing(&model.ledger) {
        let _ = writeln!(out, "{standing}.\n");
    }
    let about = model.about().join(", ").replace(['*', '_', '<'], " ");
    let id = model.id.replace('`', "");
    let _ = writeln!(out, "Proposed by a structured debate of Anvil, `{id}`: {about}.\n");
    if let Some(authored) = author_line(&model.authors) {
        paragraph_of(&format!("{authored}."), out);
    }
}

/// A paragraph of a record. One with a heading is quoted: a heading of a record belongs to the
/// record, and names its status.
fn paragraph_of(text: &str, out: &mut String) {
    let has_heading =
        Parser::new(text).any(|event| matches!(event, Event::Start(Tag::Heading { .. })));
    if has_heading || !anvil_text::is_bounded(text) {
        let _ = writeln!(out, "{}", quote_without_html(text));
    } else {
        paragraph(text, out);
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
