//! Commands in the texts that a user reads are values: a door spells them.

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Lit};

use super::code::sources;
use super::is_in;

/// The crates and folders with texts for a user, and one file whose text anybody reads in an issue.
const SPOKEN: [&str; 8] = ["messages", "run", "cli", "hook", "engine", "store", "prompt", "system"];
const POSTED: &str = "engine/issues/comment";

/// The commands that pass no door.
#[derive(Default)]
struct Bare(Vec<String>);

impl Bare {
    fn look(&mut self, text: &str) {
        if text.contains("`anvil ") {
            self.0.push(text.to_owned());
        }
    }
}

impl<'a> Visit<'a> for Bare {
    fn visit_attribute(&mut self, _: &'a Attribute) {}

    fn visit_expr(&mut self, expr: &'a Expr) {
        let passes = match expr {
            // The page of a verb's options is not made for one shell.
            Expr::MethodCall(call) => call.method == "help",
            _ => false,
        };
        if !passes {
            visit::visit_expr(self, expr);
        }
    }

    fn visit_lit(&mut self, literal: &'a Lit) {
        if let Lit::Str(text) = literal {
            self.look(&text.value());
        }
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.look(&call.tokens.to_string());
    }
}

#[test]
fn a_command_in_a_message_is_a_value_for_the_door_of_its_reader() {
    let spoken = |source: &&super::Source| {
        is_in(source, &SPOKEN) && source.place != POSTED && source.code.contains("`anvil ")
    };
    let mut bare = Bare::default();
    for source in sources().iter().filter(spoken) {
        // An attribute before that of the tests may be the last line.
        let end = source.code.rfind("\n#[").filter(|end| !source.code[end + 1..].contains('\n'));
        let code = end.map_or(&*source.code, |end| &source.code[..end]);
        bare.visit_file(&syn::parse_file(code).unwrap());
    }
    assert!(bare.0.is_empty(), "{:#?}", bare.0);
    let forgets = "fn f() { g(\"`anvil tasks` shows it\"); h(&format!(\"`anvil undo {n}`\")) }";
    bare.visit_file(&syn::parse_file(forgets).unwrap());
    assert_eq!(bare.0.len(), 2, "{:?}", bare.0);
}
