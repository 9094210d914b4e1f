//! How often a confidence was right, as a page of its own: a table and its picture.

use std::fmt::Write as _;

use super::escape::escaped;
use super::html::{POLICY, STYLE};
use crate::journal::{Band, Calibration};

/// The picture's own.
const PICTURE_STYLE: &str = "svg{display:block;width:100%;max-width:30rem;height:auto}svg text{fill:var(--muted);font-size:12px;font-family:inherit}figure{margin:1rem 0}";

/// Where the picture's scales begin, and how long they are.
const LEFT: f64 = 44.0;
const TOP: f64 = 12.0;
const SIDE: f64 = 300.0;

/// Renders it. `summary`: sentences that say what it means.
#[must_use]
pub fn calibration(calibration: &Calibration, summary: &[String]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"Anvil {}\">\n\
         <title>Calibration</title>\n<style>\n{STYLE}{PICTURE_STYLE}</style>\n</head>\n<body>\n\
         <header>\n<p class=\"quiet\">A journal of decisions by Anvil</p>\n<h1>Calibration</h1>\n</header>\n\
         <div class=\"page\">\n<main id=\"main\">\n<section class=\"card\">\n",
        env!("CARGO_PKG_VERSION"),
    );
    for (at, sentence) in summary.iter().enumerate() {
        let sentence = escaped(sentence);
        let _ = match (at, sentence.split_at_checked(1)) {
            (0, Some((first, rest))) => writeln!(out, "<p>{}{rest}</p>", first.to_uppercase()),
            _ => writeln!(out, "<p>{sentence}</p>"),
        };
    }
    out.push_str("</section>\n<section>\n<h2>The picture</h2>\n<figure>\n");
    picture(calibration, &mut out);
    out.push_str(
        "\n<figcaption>\n<p>Across: what the syntheses said. Up: the share that was right, with its 95 % interval. \
         On the dashed line both are the same; a point below it was too sure.</p>\n</figcaption>\n</figure>\n</section>\n",
    );
    table(calibration, &mut out);
    out.push_str("</main>\n</div>\n</body>\n</html>\n");
    out
}

fn across(percent: f64) -> f64 {
    LEFT + percent / 100.0 * SIDE
}

fn up(percent: f64) -> f64 {
    TOP + (100.0 - percent) / 100.0 * SIDE
}

fn picture(calibration: &Calibration, out: &mut String) {
    let bands: Vec<String> = calibration.bands.iter().map(in_words).collect();
    let _ = write!(
        out,
        "<svg role=\"img\" aria-labelledby=\"picture-title picture-text\" viewBox=\"0 0 360 344\" xmlns=\"http://www.w3.org/2000/svg\">\
         <title id=\"picture-title\">What was said, and what was right</title><desc id=\"picture-text\">{}</desc>",
        escaped(&bands.join(" "))
    );
    for percent in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let (x, y) = (across(percent), up(percent));
        let (right, bottom) = (across(100.0), up(0.0));
        let _ = write!(
            out,
            "<path d=\"M{LEFT} {y}H{right}M{x} {TOP}V{bottom}\" stroke=\"currentColor\" stroke-opacity=\".2\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{percent} %</text>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{percent}</text>",
            LEFT - 6.0,
            y + 4.0,
            bottom + 18.0,
        );
    }
    let _ = write!(
        out,
        "<path d=\"M{} {}L{} {}\" stroke=\"currentColor\" stroke-dasharray=\"5 4\"/>",
        across(0.0),
        up(0.0),
        across(100.0),
        up(100.0)
    );
    for band in &calibration.bands {
        let [share, low, high] = band.was.map(up);
        let x = across(band.said);
        let _ = write!(
            out,
            "<path d=\"M{:.1} {low:.1}h8m-4 0V{high:.1}m-4 0h8\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/>\
             <circle cx=\"{x:.1}\" cy=\"{share:.1}\" r=\"5\" fill=\"currentColor\"/>",
            x - 4.0
        );
    }
    out.push_str("</svg>");
}

/// `Of 5 that said 70 to 79 %, 3 were right.`
fn in_words(band: &Band) -> String {
    format!("Of {} that said {} to {} %, {} were right.", band.count, band.from, band.to, band.right)
}

fn table(calibration: &Calibration, out: &mut String) {
    out.push_str(
        "<section>\n<h2>The numbers</h2>\n<table>\n<thead><tr><th scope=\"col\">Confidence</th><th scope=\"col\">Cases</th>\
         <th scope=\"col\">Right</th><th scope=\"col\">Share</th><th scope=\"col\">95 % interval</th></tr></thead>\n<tbody>\n",
    );
    for Band { from, to, count, right, was: [share, low, high], .. } in &calibration.bands {
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{from} to {to} %</th><td>{count}</td><td>{right}</td><td>{share:.0} %</td><td>{low:.0} to {high:.0} %</td></tr>"
        );
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Decision, Outcome};

    #[test]
    fn the_page_draws_every_band_and_loads_nothing() {
        let decision = |confidence, outcome| Decision {
            id: "a".into(),
            question: "<script>".into(),
            confidence: Some(confidence),
            outcome: Some(outcome),
            note: Some("<script>".into()),
            review: None,
        };
        let cases = [decision(75, Outcome::Right), decision(75, Outcome::Wrong), decision(95, Outcome::Right)];
        let page = calibration(&Calibration::of(&cases), &["how <often>".into(), "left out".into()]);
        assert_eq!((page.matches("<circle").count(), page.matches("<tr><th scope=\"row\">").count()), (2, 2));
        // Half of those that said 75 % were right: in the middle, and three quarters along.
        assert!(page.contains("cx=\"269.0\" cy=\"162.0\""), "{page}");
        assert!(page.contains("<p>How &lt;often&gt;</p>\n<p>left out</p>"), "{page}");
        assert!(page.contains("Of 2 that said 70 to 79 %, 1 were right."), "{page}");
        for loads in ["<script", "src=", "href=", "url(", "@import"] {
            assert!(!page.contains(loads), "{loads}");
        }
    }
}
