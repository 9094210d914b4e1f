//! The grammar of the two lines that gates use. Anything outside the grammar is not read.

use proptest::prelude::*;

use super::{Synthesis, VerdictWord};
use crate::domain::debate::Alternatives;

fn call(text: &str) -> Option<VerdictWord> {
    Synthesis::parse(text, &Alternatives::default()).word
}

fn percent(text: &str) -> Option<u8> {
    Synthesis::parse(text, &Alternatives::default()).verdict.percent()
}

#[test]
fn a_verdict_is_one_of_three_words_and_nothing_else() {
    for (value, expected) in [
        ("do", Some(VerdictWord::Do)),
        ("DO", Some(VerdictWord::Do)),
        ("Do.", Some(VerdictWord::Do)),
        ("do not", Some(VerdictWord::DoNot)),
        ("**do not**", Some(VerdictWord::DoNot)),
        ("do **not**", Some(VerdictWord::DoNot)),
        ("_Do_ *not*.", Some(VerdictWord::DoNot)),
        ("depends", Some(VerdictWord::Depends)),
        ("***Depends.***", Some(VerdictWord::Depends)),
        ("do (2 of 3 judges)", Some(VerdictWord::Do)),
        ("do not (5 of 5 judges).", Some(VerdictWord::DoNot)),
        // Copies of the list of choices.
        ("do, do not or depends", None),
        ("do | do not | depends", None),
        ("do / do not", None),
        ("do or do not", None),
        ("do/do not", None),
        ("do, do not", None),
        ("do no such thing", None),
        ("do absolutely not", None),
        ("do never", None),
        ("do nothing", None),
        ("do n't", None),
        ("do <b>not</b>", None),
        ("do&#32;not", None),
        ("do&nbsp;not", None),
        ("&#100;o", None),
        ("~~do~~ do not", None),
        ("~~do not~~ do", None),
        ("do <!-- not -->", None),
        ("do [not](x)", None),
        ("do ![not](x)", None),
        ("`do`", None),
        ("do\\.", None),
        ("do\u{200b}not", None),
        ("d\u{43e}", None),
        // Forms that are not guessed any more.
        ("don't", None),
        ("don’t", None),
        ("do it", None),
        ("depends on the load", None),
        ("it depends", None),
        ("do, with a canary", None),
        ("do not yet", None),
        ("not do", None),
        ("\"do\"", None),
        ("do!", None),
        ("do..", None),
        ("do?", None),
        ("do:", None),
        ("do *not", None),
        ("(do)", None),
        ("yes", None),
        ("none that more than half of 2 judges share: 1 for do, 1 for do not", None),
        ("do (1 of 2 judges)", None),
        ("do (1 of 3 judges)", None),
        ("do (4 of 3 judges)", None),
        ("do (0 of 0 judges)", None),
        ("do (2 of 3 judges) not", None),
        ("do (+2 of 3 judges)", None),
        ("(2 of 3 judges)", None),
        ("", None),
    ] {
        assert_eq!(call(&format!("**Verdict:** {value}\n\nMore.")), expected, "{value}");
    }
}

#[test]
fn a_confidence_is_one_figure_at_the_start_of_its_line() {
    for (value, expected) in [
        ("72 %, because A2 survived, 90 % of it", Some(72)),
        ("**80%** because 3 of 4 hold", Some(80)),
        ("*80* %", Some(80)),
        ("about 60 percent", Some(60)),
        ("Roughly 60 per cent, as C1 holds", Some(60)),
        ("~5%", Some(5)),
        ("100 %.", Some(100)),
        ("0 %", Some(0)),
        ("70\u{a0}% Because it is so, or not", Some(70)),
        ("60 % – a guess", Some(60)),
        ("72 % (A2 survived; C1 is open)", Some(72)),
        ("72 %. A2 survived, at most.", Some(72)),
        ("60 %, the median of 3 judges (40 to 85 %)", Some(60)),
        ("90 %/20 %", None),
        ("90 % / 20 %", None),
        ("90 % or 10 %", None),
        ("90 or 10 %", None),
        ("90 % (or 10 %)", None),
        ("90 % – or ten", None),
        ("70 % at most", None),
        ("70 % (at most)", None),
        ("at most 70 %", None),
        ("at least 70 %", None),
        ("up to 70 %", None),
        ("no more than 70 %", None),
        ("under 70 %", None),
        ("<70 %", None),
        (">70 %", None),
        ("±70 %", None),
        ("70 % or less", None),
        ("70 % tops", None),
        ("70 % maximum because A1", None),
        ("60-70 %", None),
        ("60 - 70 %", None),
        ("60–70 %", None),
        ("60 %–70 %", None),
        ("60—70 %", None),
        ("60\u{2212}70 %", None),
        ("60 %\u{2212}70 %", None),
        ("60\u{2011}70 %", None),
        ("60 to 70 %", None),
        ("60 % to 70 %", None),
        ("60..70 %", None),
        ("60 % 20 %", None),
        ("90 % then 20 %, because", None),
        ("90 %; 20 % of nights, because", None),
        ("90 %: 20 if it rains", None),
        ("~~90 %~~ 20 %", None),
        ("~~90~~ 20 %", None),
        ("`90 %`", None),
        ("<b>90</b> %", None),
        ("90 % <!-- 20 % -->", None),
        ("90&#37;", None),
        ("9&#48; %", None),
        ("90\\%", None),
        ("high, 90 %", None),
        ("high (90 %)", None),
        ("90 confidence", None),
        ("72.5 %", None),
        ("7 of 10", None),
        ("70", None),
        ("-70 %", None),
        ("101 %", None),
        ("99999999999 %", None),
        ("70 %%", None),
        ("%", None),
    ] {
        assert_eq!(percent(&format!("**Confidence:** {value}\n\nMore.")), expected, "{value}");
    }
}

#[test]
fn quoted_lines_are_skipped_and_conflicting_lines_are_unreadable() {
    let asides = [
        "> x\n\n",
        "```\nx\n```\n\n",
        "~~~\nx\n~~~\n\n",
        "    x\n\n",
        "<!-- x -->\n\n",
        "<!--\nx\n-->\n\n",
        "~~x~~\n\n",
    ];
    for aside in asides {
        let quoted = |line: &str| aside.replace('x', line);
        let text = format!("{}**Verdict:** do not", quoted("**Verdict:** do"));
        assert_eq!(call(&text), Some(VerdictWord::DoNot), "{text}");
        assert_eq!(call(&quoted("**Verdict:** do")), None, "{aside}");
        let text = format!("{}**Confidence:** 20 %", quoted("**Confidence:** 90 %"));
        assert_eq!(percent(&text), Some(20), "{text}");
        assert_eq!(percent(&quoted("**Confidence:** 90 %")), None, "{aside}");
    }
    for (one, other) in
        [("do", "do not"), ("do", "depends"), ("do", "do it"), ("do / do not", "do")]
    {
        for between in ["\n\n", "\n", "\n\nMore.\n\n", "\n- "] {
            assert_eq!(
                call(&format!("**Verdict:** {one}{between}**Verdict:** {other}")),
                None,
                "{one}, {other}"
            );
        }
    }
    for (one, other) in [("90 %", "20 %"), ("90 %", "20 to 30 %"), ("low", "90 %")] {
        let text = format!(
            "**Confidence:** {one}, because A1.\n\nMore.\n\n**Confidence:** {other}, because C1."
        );
        assert_eq!(percent(&text), None, "{text}");
    }
    assert_eq!(percent("**Confidence:** 70 %, because A1.\n\n**Confidence:** 70 %"), Some(70));
}

/// A word in any case and with any emphasis.
fn dressed(word: &str) -> impl Strategy<Value = String> + use<> {
    let cases = [word.to_owned(), word.to_uppercase(), word[..1].to_uppercase() + &word[1..]];
    (
        prop::sample::select(cases.to_vec()),
        prop::sample::select(vec!["", "*", "**", "_", "__", "***"]),
    )
        .prop_map(|(word, mark)| format!("{mark}{word}{mark}"))
}

/// Text that turns a line into another sentence.
const MORE: [&str; 24] = [
    "not", "no", "never", "nothing", "or", "maybe", "yet", "it", "/", "|", "?", "!", "…", "&",
    "<b>", "~~x~~", "`x`", "&#32;", "12", "20 %", "do", "depends", "[x](y)", "x",
];

const VERDICTS: [VerdictWord; 3] = [VerdictWord::Do, VerdictWord::DoNot, VerdictWord::Depends];

const BETWEEN: [&str; 10] = ["-", " - ", "–", "—", "\u{2212}", " to ", "/", " or ", " and ", " "];

const LIMITS: [&str; 9] =
    ["at most", "at least", "or less", "or more", "tops", "maximum", "up to", "not", "hardly"];

/// Ends of a line `**Confidence:**` that change nothing.
const ENDS: [&str; 5] = ["", ".", ", because 3 of 4 hold", " because A1 or 20 %", ", 20 % or less"];

fn is_do_not(value: &str) -> bool {
    value.replace(['*', '_'], "").to_lowercase().trim_end_matches('.').starts_with("do not")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn only_a_verdict_of_the_grammar_is_read(
        (call_is, line) in prop::sample::select(VERDICTS.to_vec())
            .prop_flat_map(|call| {
                let word = dressed(call.word());
                (Just(call), word)
            }),
        end in prop::sample::select(vec!["", ".", " (2 of 3 judges)", " (3 of 4 judges)."]),
        more in prop::sample::select(MORE.to_vec()),
        at in 0_usize..3,
        wrap in 0_usize..5,
    ) {
        let whole = format!("**Verdict:** {line}{end}");
        prop_assert_eq!(call(&format!("Before.\n\n{whole}\n\nAfter.")), Some(call_is.clone()), "{}", whole);
        let value = match at {
            0 => format!("{more} {line}{end}"),
            1 => format!("{line} {more}{end}"),
            _ => format!("{line}{end} {more}"),
        };
        // "do" and "not" together are the other verdict.
        let is_other = is_do_not(&value)
            && line.len() < 7 + 4 && more == "not" && (at == 1 || at == 2 && end.is_empty());
        let read = call(&format!("**Verdict:** {value}"));
        let is_right = read.is_none() || is_other && read == Some(VerdictWord::DoNot);
        prop_assert!(is_right, "{}: {:?}", value, read);
        let aside = match wrap {
            0 => format!("> {whole}"),
            1 => format!("```\n{whole}\n```"),
            2 => format!("<!-- {whole} -->"),
            3 => format!("    {whole}"),
            _ => format!("~~{whole}~~"),
        };
        prop_assert_eq!(call(&aside), None, "{}", aside);
        let other = if call_is == VerdictWord::Do { "do not" } else { "do" };
        prop_assert_eq!(call(&format!("{whole}\n\nMore.\n\n**Verdict:** {other}")), None);
    }

    #[test]
    fn only_a_confidence_of_the_grammar_is_read(
        figure in 0_u8..=100,
        sign in prop::sample::select(vec!["%", " %", "\u{a0}%", " percent"]),
        mark in prop::sample::select(vec!["", "*", "**", "_"]),
        about in prop::sample::select(vec!["", "about ", "~"]),
        end in prop::sample::select(ENDS.to_vec()),
        between in prop::sample::select(BETWEEN.to_vec()),
        other in 0_u8..=100,
        limit in prop::sample::select(LIMITS.to_vec()),
        after in any::<bool>(),
        wrap in 0_usize..5,
    ) {
        let one = format!("{mark}{figure}{sign}{mark}");
        let whole = format!("**Confidence:** {about}{one}{end}");
        let inside = format!("Before.\n\n{whole}\n\nAfter.");
        prop_assert_eq!(percent(&inside), Some(figure), "{}", whole);
        let mut limited = if after { format!("{one} {limit}") } else { format!("{limit} {one}") };
        limited.push_str(end);
        let range = format!("{one}{between}{other} %{end}");
        let list = format!("{figure}{between}{other}{sign}{end}");
        for value in [range, list, limited] {
            // Two adjacent numbers are one number.
            prop_assert_eq!(percent(&format!("**Confidence:** {value}")), None, "{}", value);
        }
        let aside = match wrap {
            0 => format!("> {whole}"),
            1 => format!("~~~\n{whole}\n~~~"),
            2 => format!("<!--\n{whole}\n-->"),
            3 => format!("\t{whole}"),
            _ => format!("~~{whole}~~"),
        };
        prop_assert_eq!(percent(&aside), None, "{}", aside);
        if other != figure {
            let twice = format!("{whole}\n\nMore.\n\n**Confidence:** {other} %");
            prop_assert_eq!(percent(&twice), None);
        }
    }
}
