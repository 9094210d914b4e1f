//! The report as a page of its own: one file that asks nobody for anything, for a screen, a phone, paper and a voice.

use std::fmt::Write as _;

use super::fates::Fate;
use super::model::{Model, Part};
use super::picture::{picture, told};
use super::rich::{escaped, rich};
use super::verdict::without_verdict;
use crate::debate::Phase;
use crate::say;
use crate::transcript::Kind;

const STYLE: &str = include_str!("page.css");

/// Nothing is loaded, run, sent or framed. The style stands in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Renders a debate.
#[must_use]
pub fn html(model: &Model) -> String {
    let mut main = String::with_capacity(model.sections.iter().map(|part| part.text.len() * 5 / 4 + 600).sum());
    let mut contents = Vec::new();
    verdict(model, &mut contents, &mut main);
    glance(model, &mut contents, &mut main);
    synthesis(model, &mut contents, &mut main);
    record(model, &mut contents, &mut main);
    facts(model, &mut contents, &mut main);
    let title = line(&model.question, 200);
    let mut out = String::with_capacity(main.len() + STYLE.len() + 4096);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"Anvil {}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n\
         <header>\n<p class=\"quiet\">A structured debate by Anvil, {}</p>\n<h1>{title}</h1>\n",
        env!("CARGO_PKG_VERSION"),
        model.day(),
    );
    if say::clean(&model.question, 200) != model.question {
        out.push_str("<blockquote>");
        rich(&model.question, 2, &mut out);
        out.push_str("</blockquote>\n");
    }
    let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escaped(&model.about().join(" · ")));
    if let Some(position) = &model.options.position {
        let _ = write!(out, "<p class=\"quiet\">{}:</p>\n<blockquote>", model.leaned());
        rich(position, 2, &mut out);
        out.push_str("</blockquote>\n");
    }
    out.push_str("</header>\n<div class=\"page\">\n<nav aria-label=\"Contents\">\n<ul>\n");
    for Entry { id, title, is_inner } in contents {
        let class = if is_inner { " class=\"inner\"" } else { "" };
        let _ = writeln!(out, "<li{class}><a href=\"#{id}\">{title}</a></li>");
    }
    let _ = write!(out, "</ul>\n</nav>\n<main id=\"main\">\n{main}</main>\n</div>\n</body>\n</html>\n");
    out
}

/// A line of the contents.
struct Entry {
    id: String,
    title: String,
    is_inner: bool,
}

impl Entry {
    fn outer(id: &str, title: &str) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), is_inner: false }
    }
}

/// One line of text, escaped.
fn line(text: &str, most: usize) -> String {
    escaped(&say::clean(text, most))
}

fn verdict(model: &Model, contents: &mut Vec<Entry>, out: &mut String) {
    contents.push(Entry::outer("verdict", "Verdict"));
    out.push_str("<section id=\"verdict\" class=\"card\" aria-labelledby=\"verdict-title\">\n<h2 id=\"verdict-title\">Verdict</h2>\n");
    let verdict = &model.verdict;
    match (&verdict.recommendation, model.synthesis) {
        (Some(recommendation), _) => {
            out.push_str("<div class=\"lead\">");
            rich(recommendation, 3, out);
            out.push_str("</div>\n");
        }
        (None, Some(_)) => out.push_str(
            "<p>The synthesis does not state its recommendation in the usual form; it stands below as it was written.</p>\n",
        ),
        (None, None) => out.push_str("<p>There is no synthesis yet.</p>\n"),
    }
    if model.synthesis.is_some() {
        out.push_str("<dl>\n");
        for (label, text) in verdict.lines().into_iter().skip(1) {
            let _ = write!(out, "<dt>{label}</dt><dd>");
            if let ("Confidence", Some(percent)) = (label, verdict.confidence_percent) {
                let _ = write!(
                    out,
                    "<div class=\"bar\" aria-hidden=\"true\"><span style=\"width:{percent}%\"></span></div>"
                );
            }
            match text {
                Some(text) => rich(text, 3, out),
                None => out.push_str("<p class=\"quiet\">not stated</p>"),
            }
            out.push_str("</dd>\n");
        }
        out.push_str("</dl>\n");
    }
    out.push_str("</section>\n");
}

fn glance(model: &Model, contents: &mut Vec<Entry>, out: &mut String) {
    if model.sections.iter().all(|part| part.of == Phase::Synthesizer) {
        return;
    }
    contents.push(Entry::outer("glance", "At a glance"));
    out.push_str("<section id=\"glance\" aria-labelledby=\"glance-title\">\n<h2 id=\"glance-title\">At a glance</h2>\n<figure>\n");
    picture(model, out);
    let marks = Fate::ALL.into_iter().map(Some).chain([None]);
    let marks: Vec<String> = marks.map(|fate| format!("{} {}", Fate::mark(fate), Fate::told(fate))).collect();
    let _ = write!(
        out,
        "\n<figcaption>Bars: words. Boxes: arguments, where they were first made, and what the synthesis says of them: {}. {}</figcaption>\n</figure>\n",
        marks.join(", "),
        escaped(&told(model))
    );
    if !model.arguments.is_empty() {
        out.push_str(
            "<details>\n<summary>The arguments as a table</summary>\n<table>\n<caption>Every numbered argument, and what became of it</caption>\n\
             <thead><tr><th scope=\"col\">Number</th><th scope=\"col\">By</th><th scope=\"col\">Round</th><th scope=\"col\">Outcome</th><th scope=\"col\">Claim, and why</th></tr></thead>\n<tbody>\n",
        );
        for argument in &model.arguments {
            let round = round_of(model, argument.cycle, argument.round);
            let _ = write!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{round}</td><td>{} {}</td><td>",
                escaped(&argument.number),
                line(&argument.by, 60),
                Fate::mark(argument.fate),
                Fate::told(argument.fate)
            );
            rich(&argument.claim, 3, out);
            if let Some(why) = &argument.why {
                rich(why, 3, out);
            }
            out.push_str("</td></tr>\n");
        }
        out.push_str("</tbody>\n</table>\n</details>\n");
    }
    words(model, out);
    out.push_str("</section>\n");
}

/// What the bars of the picture show, as a table.
fn words(model: &Model, out: &mut String) {
    out.push_str(
        "<details>\n<summary>The words as a table</summary>\n<table>\n<caption>Words of each reply</caption>\n\
         <thead><tr><th scope=\"col\">Reply</th><th scope=\"col\">Round</th><th scope=\"col\">Words</th></tr></thead>\n<tbody>\n",
    );
    for (index, part) in model.sections.iter().enumerate() {
        let round = if part.of == Phase::Synthesizer { String::new() } else { round_of(model, part.cycle, part.round) };
        let title = line(&model.title(index), 60);
        let _ = writeln!(out, "<tr><th scope=\"row\">{title}</th><td>{round}</td><td>{}</td></tr>", part.words);
    }
    out.push_str("</tbody>\n</table>\n</details>\n");
}

fn round_of(model: &Model, cycle: u32, round: u8) -> String {
    if model.options.cycles > 1 { format!("{round} of cycle {cycle}") } else { round.to_string() }
}

fn synthesis(model: &Model, contents: &mut Vec<Entry>, out: &mut String) {
    let Some(text) = model.synthesis_text() else { return };
    let text = if model.verdict.recommendation.is_some() { without_verdict(text) } else { text.to_owned() };
    if text.trim().is_empty() {
        return;
    }
    contents.push(Entry::outer("synthesis", "Synthesis"));
    out.push_str(
        "<section id=\"synthesis\" aria-labelledby=\"synthesis-title\">\n<h2 id=\"synthesis-title\">Synthesis</h2>\n",
    );
    rich(&text, 3, out);
    out.push_str("\n</section>\n");
}

fn record(model: &Model, contents: &mut Vec<Entry>, out: &mut String) {
    if model.sections.is_empty() {
        return;
    }
    contents.push(Entry::outer("debate", "The debate"));
    out.push_str("<section id=\"debate\" aria-labelledby=\"debate-title\">\n<h2 id=\"debate-title\">The debate</h2>\n");
    let mut open: Option<(u32, u8, bool)> = None;
    let mut number = 0;
    for (index, part) in model.sections.iter().enumerate() {
        let is_new_cycle = part.cycle > 1 && open.is_none_or(|(cycle, ..)| cycle != part.cycle);
        let group = (part.cycle, part.round, part.of == Phase::Synthesizer);
        let is_last_synthesis = Some(index) == model.synthesis;
        if open.is_some() && (open != Some(group) || is_last_synthesis) {
            out.push_str("</div>\n</details>\n");
            open = None;
        }
        // A direction stands in the round that it was given in, or before the one that it opens.
        for note in model.steering_before(index) {
            steering(&note.text, note.at.as_deref(), open.is_some(), out);
        }
        if let Some(said) = model.opening(part.cycle).filter(|_| is_new_cycle) {
            let _ = write!(out, "<aside class=\"steering\"><h3>Cycle {}</h3>", part.cycle);
            rich(said, 4, out);
            out.push_str("</aside>\n");
        }
        if is_last_synthesis {
            continue;
        }
        if open.is_none() {
            number += 1;
            let title = group_title(model, index);
            let id = format!("part-{number}");
            let _ = write!(
                out,
                "<details open class=\"round\" id=\"{id}\">\n<summary><h3>{title}</h3></summary>\n<div class=\"sides\">\n"
            );
            contents.push(Entry { id, title, is_inner: true });
            open = Some(group);
        }
        article(model, index, part, out);
    }
    if open.is_some() {
        out.push_str("</div>\n</details>\n");
    }
    for note in model.steering_before(model.sections.len()) {
        steering(&note.text, note.at.as_deref(), false, out);
    }
    out.push_str("</section>\n");
}

fn group_title(model: &Model, index: usize) -> String {
    let part = &model.sections[index];
    let title = match part.of {
        Phase::Advocate | Phase::Critic => format!("Round {}", part.round),
        Phase::Stakeholder | Phase::Persona => line(&model.title(index), 100),
        Phase::Synthesizer => "Synthesis".to_owned(),
    };
    if model.options.cycles > 1 { format!("Cycle {}: {title}", part.cycle) } else { title }
}

fn steering(text: &str, at: Option<&str>, is_in_round: bool, out: &mut String) {
    let level = if is_in_round { 4 } else { 3 };
    let _ = write!(out, "<aside class=\"steering\"><h{level}>Steering</h{level}>");
    if let Some(at) = at {
        let _ = write!(out, "<p class=\"quiet\">{}</p>", time(at));
    }
    rich(text, level + 1, out);
    out.push_str("</aside>\n");
}

fn article(model: &Model, index: usize, part: &Part, out: &mut String) {
    let class = match part.of {
        Phase::Advocate => "advocate",
        Phase::Critic => "critic",
        Phase::Stakeholder | Phase::Persona => "voice",
        Phase::Synthesizer => "synthesis",
    };
    let _ = write!(
        out,
        "<article class=\"{class}\">\n<h4>{}</h4>\n<p class=\"quiet\">{} words",
        line(&model.title(index), 200),
        part.words
    );
    if let Some(at) = &part.at {
        let _ = write!(out, ", {}", time(at));
    }
    out.push_str("</p>\n");
    let own: Vec<_> = model.arguments.iter().filter(|argument| argument.section == index).collect();
    if !own.is_empty() {
        out.push_str("<ul class=\"fates\" aria-label=\"Arguments first made here\">");
        for argument in own {
            let class = argument.fate.map_or("untold", Fate::word);
            let _ =
                write!(out, "<li class=\"{class}\">{} {}</li>", escaped(&argument.number), Fate::told(argument.fate));
        }
        out.push_str("</ul>\n");
    }
    rich(&part.text, 5, out);
    out.push_str("\n</article>\n");
}

/// `2026-11-21 01:55 UTC`
fn time(at: &str) -> String {
    let shown = at.get(..16).unwrap_or(at).replace('T', " ");
    format!("<time datetime=\"{}\">{} UTC</time>", escaped(at), escaped(&shown))
}

fn facts(model: &Model, contents: &mut Vec<Entry>, out: &mut String) {
    contents.push(Entry::outer("facts", "About this debate"));
    out.push_str("<section id=\"facts\" aria-labelledby=\"facts-title\">\n<h2 id=\"facts-title\">About this debate</h2>\n<dl class=\"facts\">\n");
    let mut fact = |label: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "<dt>{label}</dt><dd>{}</dd>", line(value, 1_000));
        }
    };
    let asked = &model.options;
    fact("Id", &model.id);
    fact("Status", &model.status.replace('_', " "));
    fact("Mode", &asked.mode);
    fact(if asked.takes_turns { "Voices spoke" } else { "Rounds argued" }, &asked.rounds.to_string());
    fact("Voices", &asked.voices.join(", "));
    fact("Focus", asked.focus.as_deref().unwrap_or_default());
    fact("Framework", asked.framework.as_deref().unwrap_or_default());
    for (set, what) in [
        (asked.blind, "blind openings"),
        (asked.research, "with research"),
        (asked.interactive, "steered behind each round"),
    ] {
        fact("Option", if set { what } else { "" });
    }
    fact("Context from", asked.context.as_deref().unwrap_or_default());
    fact("Follows", asked.follow_up.as_deref().unwrap_or_default());
    fact("Versus", asked.versus.as_deref().unwrap_or_default());
    fact("Skipped", model.skipped.as_deref().unwrap_or_default());
    fact("Words", &model.words.to_string());
    fact("Started", &model.started_at);
    fact("Last change", &model.updated_at);
    for note in model.notes.iter().filter(|note| note.of != Kind::Steering) {
        fact("Material", &format!("{}, {} words, in the debate's file", note.kind.replace('_', " "), note.words));
    }
    fact("The debate's file", &model.files.debate);
    for report in &model.files.reports {
        fact("Report", report);
    }
    out.push_str("</dl>\n</section>\n");
}
