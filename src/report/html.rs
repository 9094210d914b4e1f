//! The report as a page of its own: one file that asks nobody for anything, for a screen, a phone, paper and a voice.

use std::fmt::Write as _;

use super::arguments::Argument;
use super::asides::{asides, judges, time};
use super::board::board;
use super::checked;
use super::claims::{Claims, anchor, made};
use super::escape::escaped;
use super::map::{self, Map};
use super::model::{BEGINNING_MISSING, Model};
use super::part::Part;
use super::rich::rich;
use super::signs;
use crate::debate::Phase;
use crate::ledger::{after_percent, what_to_do, without_verdict};
use crate::seats::Effort;
use crate::text;

pub(super) const STYLE: &str = include_str!("page.css");

/// Nothing is loaded, run, sent or framed. The style stands in the page.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Renders a debate.
#[must_use]
pub fn html(model: &Model) -> String {
    let mut main = String::with_capacity(model.sections.iter().map(|part| part.text.len() * 5 / 4 + 600).sum());
    let mut contents = Vec::new();
    let claims = Claims::of(model);
    verdict(model, &claims, &mut contents, &mut main);
    glance(model, &claims, &mut contents, &mut main);
    synthesis(model, &claims, &mut contents, &mut main);
    if judges(model, &claims, &mut main) {
        contents.push(Entry::outer("judges", "The judges"));
    }
    record(model, &claims, &mut contents, &mut main);
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
    if text::clean(&model.question, 200) != model.question {
        out.push_str("<blockquote>");
        rich(&model.question, 2, &mut claims.before(0), &mut out);
        out.push_str("</blockquote>\n");
    }
    let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escaped(&model.about().join(" · ")));
    if let Some(position) = &model.options.position {
        let _ = write!(out, "<p class=\"quiet\">{}:</p>\n<blockquote>", model.leaned());
        rich(position, 2, &mut claims.before(0), &mut out);
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
    escaped(&text::clean(text, most))
}

fn verdict(model: &Model, claims: &Claims<'_>, contents: &mut Vec<Entry>, out: &mut String) {
    contents.push(Entry::outer("verdict", "Verdict"));
    out.push_str("<section id=\"verdict\" class=\"card\" aria-labelledby=\"verdict-title\">\n<h2 id=\"verdict-title\">Verdict</h2>\n");
    if model.synthesis_lacks_beginning() {
        let _ = writeln!(out, "<p>{BEGINNING_MISSING}</p>");
    }
    if let Some(undisposed) = checked::undisposed(&model.ledger) {
        let _ = writeln!(out, "<p class=\"quiet\">{undisposed}: <a href=\"#checked\">checked by Anvil</a>.</p>");
    }
    if let Some(contradicted) = model.synthesis.and_then(|_| checked::contradicted(&model.ledger)) {
        out.push_str("<p>");
        claims.before(usize::MAX).write(&contradicted, false, out);
        out.push_str("</p>\n");
    }
    let verdict = &model.verdict;
    let mut known = claims.before(model.synthesis.unwrap_or_default());
    match (&verdict.recommendation, model.synthesis) {
        (Some(recommendation), _) => {
            out.push_str("<div class=\"lead\">");
            rich(recommendation, 3, &mut known, out);
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
            let percent = verdict.confidence_percent.filter(|_| label == "Confidence");
            let class = if percent.is_some() { " class=\"sure\"" } else { "" };
            let _ = write!(out, "<div{class}><dt>{label}</dt><dd>");
            if let Some(percent) = percent {
                let _ = write!(out, "<p class=\"figure\">{percent}\u{a0}%</p>");
            }
            match text.as_deref().map(|text| if percent.is_some() { after_percent(text) } else { text }) {
                Some(text) => rich(text, 3, &mut known, out),
                None => out.push_str("<p class=\"quiet\">not stated</p>"),
            }
            out.push_str("</dd></div>\n");
        }
        out.push_str("</dl>\n");
    }
    // Without a recommendation all of the synthesis stands below.
    if let (Some(_), Some(steps)) = (&verdict.recommendation, &verdict.what_to_do) {
        out.push_str("<div class=\"steps\">\n<h3>What to do</h3>");
        rich(steps, 4, &mut known, out);
        out.push_str("</div>\n");
    }
    out.push_str("</section>\n");
}

fn glance(model: &Model, claims: &Claims<'_>, contents: &mut Vec<Entry>, out: &mut String) {
    let mut shown = String::new();
    board(model, claims, &mut shown);
    if shown.is_empty() {
        return;
    }
    contents.push(Entry::outer("glance", "At a glance"));
    out.push_str(
        "<section id=\"glance\" aria-labelledby=\"glance-title\">\n<h2 id=\"glance-title\">At a glance</h2>\n",
    );
    out.push_str(&shown);
    if !model.arguments.is_empty() {
        draw(model, contents, out);
        arguments(model, claims, contents, out);
        findings(model, claims, out);
    }
    out.push_str("</section>\n");
}

/// Who attacks whom.
fn draw(model: &Model, contents: &mut Vec<Entry>, out: &mut String) {
    match map::map(model) {
        Map::Empty => {}
        Map::TooLarge => {
            let _ = writeln!(out, "<p class=\"quiet\">{}</p>", map::too_large(model));
        }
        Map::Drawn(map) => {
            contents.push(Entry { id: "map".to_owned(), title: "The map of claims".to_owned(), is_inner: true });
            let _ = write!(
                out,
                "<details open class=\"round\">\n<summary><h3 id=\"map-title\">The map of claims</h3></summary>\n\
                 <figure class=\"map\" id=\"map\">\n{map}<figcaption id=\"map-text\">{}</figcaption>\n</figure>\n</details>\n",
                map::legend(model)
            );
        }
    }
}

/// What is wrong, without judging who is right.
fn findings(model: &Model, claims: &Claims<'_>, out: &mut String) {
    out.push_str("<div id=\"checked\">\n<h3>Checked by Anvil</h3>\n");
    let findings = model.findings();
    if findings.is_empty() {
        out.push_str(
            "<p class=\"quiet\">Ids, quotes, grants and the account of the synthesis: nothing is wrong.</p>\n",
        );
    } else {
        out.push_str("<ul>\n");
        for finding in findings {
            out.push_str("<li>");
            claims.before(usize::MAX).write(&finding, false, out);
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</div>\n");
}

/// Every argument with its claim and what became of it, open: the links of the page are described by it.
fn arguments(model: &Model, claims: &Claims<'_>, contents: &mut Vec<Entry>, out: &mut String) {
    contents.push(Entry { id: "arguments".to_owned(), title: "The claims".to_owned(), is_inner: true });
    out.push_str(
        "<details open class=\"round\">\n<summary><h3>The claims</h3></summary>\n<div id=\"arguments\">\n<table class=\"claims\">\n\
         <thead><tr><th scope=\"col\">Claim</th><th scope=\"col\">What it says, its ground, what happened to it, and what became of it</th></tr></thead>\n<tbody>\n",
    );
    for (index, argument) in model.arguments.iter().enumerate() {
        let anchor = anchor(argument);
        let _ = write!(out, "<tr id=\"row-{anchor}\"><th scope=\"row\">");
        claims.link(index, "", out);
        let _ = write!(
            out,
            "<p class=\"quiet\">{}</p></th><td><div id=\"claim-{anchor}\">",
            escaped(&made(model, argument))
        );
        rich(&argument.claim, 4, &mut claims.before(argument.section + 1), out);
        out.push_str("</div><p class=\"quiet\">");
        let ground = checked::ground_and_check(&argument.ground, argument.check.as_ref());
        let ground = ground.trim_end_matches('.').to_owned();
        let told = if argument.happened.is_empty() { ground } else { format!("{ground}; {}", argument.happened) };
        claims.before(usize::MAX).write(&text::clean(&told, 2_000), false, out);
        let _ = write!(
            out,
            "</p><div class=\"fate\"><b id=\"fate-{anchor}\" class=\"{}\">{} {}</b>",
            signs::class(argument.disposition),
            signs::mark(argument.disposition),
            checked::outcome(argument.disposition)
        );
        if let Some(why) = &argument.why {
            rich(why, 4, &mut claims.before(model.synthesis.unwrap_or_default()), out);
        }
        out.push_str("</div></td></tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n</details>\n");
}

fn synthesis(model: &Model, claims: &Claims<'_>, contents: &mut Vec<Entry>, out: &mut String) {
    let Some(text) = model.synthesis_text() else { return };
    let text = if model.verdict.recommendation.is_some() {
        without_verdict(&what_to_do(text).map_or_else(|| text.to_owned(), |(_, rest)| rest))
    } else {
        text.to_owned()
    };
    if text.trim().is_empty() {
        return;
    }
    contents.push(Entry::outer("synthesis", "Synthesis"));
    out.push_str(
        "<section id=\"synthesis\" aria-labelledby=\"synthesis-title\">\n<h2 id=\"synthesis-title\">Synthesis</h2>\n",
    );
    rich(&text, 3, &mut claims.before(model.synthesis.unwrap_or_default()), out);
    out.push_str("\n</section>\n");
}

fn record(model: &Model, claims: &Claims<'_>, contents: &mut Vec<Entry>, out: &mut String) {
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
        if let Some(said) = model.opening(part.cycle).filter(|_| is_new_cycle) {
            let _ = write!(out, "<aside class=\"steering\"><h3>Cycle {}</h3>", part.cycle);
            rich(said, 4, &mut claims.before(index), out);
            out.push_str("</aside>\n");
        }
        if is_last_synthesis {
            asides(model, index, false, claims, out);
            continue;
        }
        if open.is_none() {
            number += 1;
            let title = group_title(model, index);
            // On what the details hold: a link to that opens them.
            let id = format!("part-{number}");
            let _ = write!(
                out,
                "<details open class=\"round\">\n<summary><h3>{title}</h3></summary>\n<div class=\"sides\" id=\"{id}\">\n"
            );
            contents.push(Entry { id, title, is_inner: true });
            open = Some(group);
        }
        asides(model, index, true, claims, out);
        article(model, index, part, claims, out);
    }
    if open.is_some() {
        out.push_str("</div>\n</details>\n");
    }
    asides(model, model.sections.len(), false, claims, out);
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

fn article(model: &Model, index: usize, part: &Part, claims: &Claims<'_>, out: &mut String) {
    let class = match part.of {
        Phase::Advocate => "advocate",
        Phase::Critic => "critic",
        Phase::Stakeholder | Phase::Persona => "voice",
        Phase::Synthesizer => "synthesis",
    };
    let _ = write!(
        out,
        "<article class=\"{class}\" id=\"reply-{}\">\n<h4>{}</h4>\n<p class=\"quiet\">{} words",
        index + 1,
        line(&model.title(index), 200),
        part.words
    );
    if let Some(at) = &part.at {
        let _ = write!(out, ", {}", time(at));
    }
    out.push_str("</p>\n");
    if part.beginning_missing {
        let _ = writeln!(out, "<p>{BEGINNING_MISSING}</p>");
    }
    let mut known = claims.in_reply(index);
    let mut text = String::with_capacity(part.text.len() * 5 / 4);
    rich(&part.text, 5, &mut known, &mut text);
    let mut own = model.arguments.iter().enumerate().filter(|(_, argument)| argument.section == index).peekable();
    if own.peek().is_some() {
        out.push_str("<ul class=\"fates\" aria-label=\"Claims first made here\">");
        for (argument, Argument { disposition, .. }) in own {
            let _ = write!(out, "<li class=\"{}\">", signs::class(*disposition));
            let told = format!(" {}", checked::outcome(*disposition));
            // One whose place is not found in the text has it here.
            if known.has_marked(argument) {
                claims.link(argument, &told, out);
            } else {
                claims.origin(argument, &told, out);
            }
            out.push_str("</li>");
        }
        out.push_str("</ul>\n");
    }
    out.push_str(&text);
    out.push_str("\n</article>\n");
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
        (asked.fact_check.is_some(), "with fact-checks"),
        (asked.interactive, "steered behind each round"),
    ] {
        fact("Option", if set { what } else { "" });
    }
    fact("Context from", asked.context.as_deref().unwrap_or_default());
    fact("Follows", asked.follow_up.as_deref().unwrap_or_default());
    fact("Versus", asked.versus.as_deref().unwrap_or_default());
    fact("Skipped", model.skipped.as_deref().unwrap_or_default());
    fact("Words", &model.words.to_string());
    fact("Programs took", &model.effort.as_ref().map(Effort::line).unwrap_or_default());
    fact("Started", &model.started_at);
    fact("Last change", &model.updated_at);
    for note in model.notes.iter().filter(|note| note.of.is_material()) {
        fact("Material", &format!("{}, {} words, in the debate's file", note.kind.replace('_', " "), note.words));
    }
    fact("The debate's file", &model.files.debate);
    for report in &model.files.reports {
        fact("Report", report);
    }
    out.push_str("</dl>\n</section>\n");
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::hostile::HOSTILE;
    use super::super::{Files, Source};
    use super::*;
    use crate::debate::{Debate, Mode, Named, Slot};
    use crate::transcript::{self, Entries, What};

    type Filed = transcript::Entry;

    /// A start tag with its attributes, or an end tag: every `<` of a page begins one.
    fn tags(page: &str) -> Vec<(String, Vec<(String, String)>)> {
        let (before, after) = page.split_once("<style>").unwrap();
        let page = format!("{before}{}", after.split_once("</style>").unwrap().1);
        let page = page.strip_prefix("<!doctype html>").unwrap();
        let tag = |text: &str| {
            let (inside, outside) = text.split_once('>').unwrap();
            assert!(!outside.contains('>'), "{text}");
            let (name, mut rest) = inside.split_once(' ').unwrap_or((inside, ""));
            let mut attributes = Vec::new();
            while !rest.is_empty() {
                let (key, after) = rest.split_once("=\"").unwrap_or((rest, "\""));
                let (value, after) = after.split_once('"').unwrap();
                attributes.push((key.trim().to_owned(), value.to_owned()));
                rest = after.trim_start();
                // `open` has no value.
                if let Some((name, key)) = attributes.last().unwrap().0.clone().split_once(' ') {
                    assert_eq!(name, "open");
                    attributes.last_mut().unwrap().0 = key.to_owned();
                }
            }
            (name.to_owned(), attributes)
        };
        page.split('<').skip(1).map(tag).collect()
    }

    /// Everything about a page that holds whatever its texts say.
    fn check(page: &str) {
        let tags = tags(page);
        let known = "html head meta title body a header p h1 h2 h3 h4 h5 h6 div nav ul li main section dl dt dd figure figcaption \
                     details summary table caption thead tbody tr th td article aside time span blockquote pre code ol em \
                     strong del br hr b i svg g path circle text";
        let attributes = "charset http-equiv content name class href id aria-labelledby aria-label aria-describedby aria-hidden hidden rel \
                          scope colspan datetime start lang open role viewBox d x y cx cy r";
        let mut open = Vec::new();
        let (mut ids, mut targets, mut level) = (Vec::new(), Vec::new(), 0);
        for (name, found) in &tags {
            if let Some(end) = name.strip_prefix('/') {
                assert_eq!(open.pop(), Some(end), "{page}");
                continue;
            }
            assert!(known.split_whitespace().any(|known| known == name), "<{name}>");
            assert!(name != "a" || !open.contains(&"a"), "a link in a link: {page}");
            if !["meta", "br", "hr"].contains(&name.as_str()) {
                open.push(name.as_str());
            }
            for (key, value) in found {
                assert!(attributes.split_whitespace().any(|known| known == key), "{name} {key}=\"{value}\"");
                match key.as_str() {
                    "id" => ids.push(value.clone()),
                    "aria-describedby" | "aria-labelledby" => targets.extend(value.split(' ').map(str::to_owned)),
                    "href" if value.starts_with('#') => targets.push(value[1..].to_owned()),
                    "href" => {
                        let live = ["http://", "https://", "mailto:"];
                        assert!(live.iter().any(|scheme| value.to_ascii_lowercase().starts_with(scheme)), "{value}");
                    }
                    _ => {}
                }
            }
            if let Some(number) = name.strip_prefix('h').and_then(|number| number.parse::<u8>().ok()) {
                assert!(number <= level + 1, "h{number} behind h{level}: {page}");
                assert!(number > 1 || level == 0, "one h1");
                level = number;
            }
        }
        assert_eq!(open, [""; 0], "something is open");
        let mut single = ids.clone();
        single.sort_unstable();
        single.dedup();
        assert_eq!(single.len(), ids.len(), "an id stands twice: {ids:?}");
        assert!(targets.iter().all(|target| ids.contains(target)), "{targets:?} {ids:?}");
        // What joins letters and emoji, and selects a variant of one, may stay.
        let joins = |char: char| {
            let code = u32::from(char);
            matches!(code, 0x34F | 0x200C..=0x200D | 0x180B..=0x180F | 0xFE00..=0xFE0F | 0xE0100..=0xE01EF)
        };
        assert!(page.chars().all(|char| char == '\n' || text::is_shown(char) || joins(char)));
    }

    fn at(phase: Phase, round: u8) -> Slot {
        Slot { phase, round }
    }

    fn filed(what: What, text: &str, begins: usize) -> Filed {
        let is_persona = matches!(what, What::Reply(slot) if slot.phase == Phase::Persona);
        let voice = is_persona.then(|| text.to_owned());
        let (at, text) = (Some(Timestamp::UNIX_EPOCH), text.to_owned());
        Filed { what, cycle: 1, voice, at, beginning_missing: false, text, begins }
    }

    fn page(debate: &Debate, mut entries: Vec<Filed>) -> String {
        entries.sort_unstable_by_key(|entry| entry.begins);
        let note = entries.iter().find(|entry| matches!(entry.what, What::Note(_)));
        let opening = note.map(|note| Filed { what: What::Cycle, cycle: 2, ..note.clone() });
        entries.extend(opening);
        let source = Source { debate, entries: &Entries(entries), places: &crate::text::Places::default() };
        html(&Model::of(&source, &Files { debate: debate.question.clone(), reports: vec![debate.question.clone()] }))
    }

    #[test]
    fn a_page_of_hostile_texts_loads_nothing_and_is_well_formed() {
        for text in HOSTILE {
            let mut debate = Debate::new("x".to_owned(), (*text).to_owned(), 1, Timestamp::UNIX_EPOCH);
            let named = || Some((*text).to_owned());
            (debate.options.position, debate.options.focus, debate.options.context_source, debate.options.follow_up) =
                (named(), named(), named(), named());
            debate.options.versus = named();
            debate.options.mode = Mode::Custom((*text).to_owned());
            debate.options.framework = Some(Named { name: (*text).to_owned(), text: None });
            let claim =
                format!("**A1. {text}** {text} [evidence: {text}]\n\n{text}\n\n**Repairs A1:** \"{text}\" {text}");
            let synthesis = format!(
                "**Recommendation:** {text}\n**Confidence:** {text}\n**Would flip if:** {text}\n\n- **A1** fell: {text}\n\n{text}"
            );
            let kinds = transcript::Kind::ALL.into_iter().enumerate();
            let notes: Vec<Filed> = kinds.map(|(index, kind)| filed(What::Note(kind), text, index + 1)).collect();
            let seats = [(Phase::Advocate, 1, claim.as_str()), (Phase::Critic, 1, text), (Phase::Synthesizer, 1, text)];
            let voices = [(Phase::Persona, 1, *text), (Phase::Persona, 2, &claim)];
            for (spoken, count) in [(&seats[..], 1), (&voices[..], 3)] {
                debate.options.voices = vec![Named { name: (*text).to_owned(), text: None }; count];
                let ended = [(Phase::Synthesizer, 1, synthesis.as_str())];
                let spoken = spoken.iter().chain(&ended).enumerate();
                let reply = |(index, (phase, round, text)): (usize, &(Phase, u8, &str))| {
                    filed(What::Reply(at(*phase, *round)), text, 2 * index)
                };
                let mut entries: Vec<Filed> = spoken.map(reply).collect();
                if let Some(last) = entries.last_mut() {
                    last.cycle = 2;
                }
                debate.progress.cycle = 2;
                entries.extend(notes.iter().cloned());
                check(&page(&debate, entries));
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn any_transcript_makes_a_well_formed_page(
            replies in proptest::collection::vec((0..5_usize, 0..4_u8, 1..4_u32, proptest::sample::select(HOSTILE), ".*"), 0..9),
            notes in proptest::collection::vec((0..5_usize, 0..12_usize, proptest::sample::select(HOSTILE)), 0..5),
            voices in 0..4_usize,
            cycle in 1..4_u32,
        ) {
            let mut debate = Debate::new("x".to_owned(), "Why?".to_owned(), 3, Timestamp::UNIX_EPOCH);
            debate.options.voices = vec![Named { name: "x".to_owned(), text: None }; voices];
            debate.progress.cycle = cycle;
            let replies = replies.into_iter().enumerate().map(|(begins, (phase, round, cycle, text, other))| {
                let text = format!("**A{round}. {text}** {other}\n**Attacks A1:** \"{text}\" {other}\n\n- **A1** fell: {text}");
                Filed { cycle, ..filed(What::Reply(at(Phase::ALL[phase], round)), &text, 2 * begins) }
            });
            let notes = notes.into_iter().map(|(kind, begins, text)| {
                filed(What::Note(transcript::Kind::ALL[kind]), text, 2 * begins + 1)
            });
            check(&page(&debate, replies.chain(notes).collect()));
        }
    }

    #[test]
    fn the_style_asks_for_nothing_and_a_page_without_texts_is_small() {
        for word in ["url(", "@import", "@font-face", "http:", "https:", "//", "expression", "</"] {
            assert!(!STYLE.contains(word), "{word}");
        }
        let mut debate = Debate::new("x".to_owned(), "Why?".to_owned(), 3, Timestamp::UNIX_EPOCH);
        assert!(page(&debate, Vec::new()).contains("There is no synthesis yet."));
        debate.options.max_rounds = 10;
        let rounds = (1..=10).flat_map(|round| [at(Phase::Advocate, round), at(Phase::Critic, round)]);
        let entries: Vec<Filed> = rounds
            .enumerate()
            .map(|(index, slot)| {
                let side = if slot.phase == Phase::Advocate { 'A' } else { 'C' };
                let first = (slot.round - 1) * 4;
                let claims: Vec<String> =
                    (first + 1..=first + 4).map(|number| format!("**{side}{number}.**")).collect();
                filed(What::Reply(slot), &claims.join("\n"), index)
            })
            .collect();
        let page = page(&debate, entries);
        check(&page);
        assert!(page.len() < 105_000, "{} bytes for ten rounds of four arguments a side", page.len());
    }

    #[test]
    fn colours_can_be_told_apart_on_a_screen_by_day_and_by_night() {
        let palette = |css: &str| -> Vec<(String, [f64; 3])> {
            let inside = css.split_once(":root{").unwrap().1.split_once('}').unwrap().0;
            let colour = |hex: &str| {
                let hex =
                    if hex.len() == 3 { hex.chars().flat_map(|char| [char, char]).collect() } else { hex.to_owned() };
                [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0)
            };
            inside
                .split(';')
                .map(|line| line.split_once(":#").unwrap())
                .map(|(name, hex)| (name.to_owned(), colour(hex)))
                .collect()
        };
        let light = |colour: [f64; 3]| {
            let linear =
                colour.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        for css in [STYLE, STYLE.split_once("prefers-color-scheme:dark").unwrap().1] {
            let palette = palette(css);
            let of = |name: &str| palette.iter().find(|(known, _)| known == name).unwrap().1;
            let contrast = |one: &str, other: &str| {
                let (one, other) = (light(of(one)), light(of(other)));
                (one.max(other) + 0.05) / (one.min(other) + 0.05)
            };
            for ground in ["--bg", "--card", "--tint"] {
                for ink in ["--ink", "--muted", "--link"] {
                    assert!(contrast(ink, ground) >= 4.5, "{ink} on {ground}: {:.2}", contrast(ink, ground));
                }
                for mark in ["--for", "--against", "--good", "--part", "--bad"] {
                    assert!(contrast(mark, ground) >= 3.0, "{mark} on {ground}: {:.2}", contrast(mark, ground));
                }
            }
        }
    }
}
