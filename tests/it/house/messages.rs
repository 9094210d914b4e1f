//! Every text that a user can meet, in one list that can be read aloud.
//!
//! `UPDATE_EXPECT=1 cargo test --test it house::messages` writes it anew; read the difference like
//! any other change.

use std::fmt::Write as _;

use expect_test::expect_file;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use testkit::host::Host;

use super::code::{Source, sources};
use super::is_in;

/// Files whose texts no user meets.
const NOT_SHOWN: [&str; 17] = [
    // What a model is told.
    "prompt/prompt",
    "eval/prompts",
    "eval/tasks",
    // What other programs are told, or print.
    "prompt/agents/claude",
    "prompt/agents/codex",
    "prompt/agents/profiles",
    "context/pull_request",
    "hook/line",
    // Words that are looked for in a question, a file or a page.
    "core/debate/alternatives",
    "core/debate/motion",
    "core/debate/question",
    "context/masking",
    "context/outline",
    "context/secrets",
    "context/walk",
    "report/mark",
    "text/references",
];

/// The texts in code, without those in attributes.
fn texts(tokens: TokenStream, found: &mut Vec<String>) {
    let mut is_after_hash = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                if !(is_after_hash && group.delimiter() == Delimiter::Bracket) {
                    texts(group.stream(), found);
                }
                is_after_hash = false;
            }
            TokenTree::Literal(literal) => {
                let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                found.extend(text.ok().map(|text| text.value()));
                is_after_hash = false;
            }
            // `#![…]` is an attribute too.
            TokenTree::Punct(punct) => {
                is_after_hash = punct.as_char() == '#' || (is_after_hash && punct.as_char() == '!');
            }
            TokenTree::Ident(_) => is_after_hash = false,
        }
    }
}

/// Two words at least, outside of the places for values, and no HTML.
fn is_sentence(text: &str) -> bool {
    let mut plain = String::new();
    let mut depth = 0;
    for char in text.chars() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth <= 0 => plain.push(char),
            _ => {}
        }
    }
    let is_word = |word: &&str| word.chars().filter(|char| char.is_alphabetic()).count() > 1;
    plain.split_whitespace().filter(is_word).count() > 1 && !text.starts_with('<')
}

#[test]
fn every_message_is_in_the_list() {
    let mut list = String::from("The help\n\n");
    list.push_str(&Host::new().run(&["help", "--all"]).out);
    for source in sources().iter().filter(|source| !is_in(source, &NOT_SHOWN)) {
        let Source { path, code, .. } = source;
        let mut found = Vec::new();
        texts(code.parse().unwrap(), &mut found);
        found.retain(|text| is_sentence(text));
        if found.is_empty() {
            continue;
        }
        writeln!(list, "\n{path}\n").unwrap();
        for text in found {
            writeln!(list, "  {}", text.replace('\n', "\n    ")).unwrap();
        }
    }
    expect_file!["../console/messages.txt"].assert_eq(&list);
}

#[test]
fn a_text_in_an_attribute_is_no_message() {
    let code = r#"#![doc = "of a file"] #[help = "of an item"] fn f() { g!("a message", '#'); }"#;
    let mut found = Vec::new();
    texts(code.parse().unwrap(), &mut found);
    assert_eq!(found, ["a message"]);
    assert!(is_sentence("{name} is not a folder") && !is_sentence("{a long name}: gone"));
}
