//! The size of functions.

use super::code::{Function, sources};

const MOST_LINES: usize = 70;
/// With `self`.
const MOST_PARAMETERS: usize = 6;

fn fault(function: &Function) -> Option<String> {
    let mut faults = Vec::new();
    if function.lines > MOST_LINES {
        faults.push("lines");
    }
    if function.parameters > MOST_PARAMETERS {
        faults.push("parameters");
    }
    if function.has_two_bools_in_a_row {
        faults.push("bools");
    }
    (!faults.is_empty()).then(|| faults.join(" "))
}

#[test]
fn functions_are_short_and_take_few_parameters() {
    let functions = &sources().functions;
    assert!(functions.len() > 2000, "the sources are read wrongly");
    let found: Vec<_> =
        functions.iter().filter_map(|one| Some((one.name.as_str(), fault(one)?))).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn each_fault_of_a_function_is_found() {
    let long = format!("fn long() {{\n{}}}", "f();\n".repeat(MOST_LINES - 1));
    let short = format!("/// One.\n#[must_use]\nfn short() {{\n{}}}", "f();\n".repeat(68));
    let methods = "impl<T> Set<T> { fn many(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8) {}
        fn two(a: bool, b: bool) {} fn apart(a: bool, c: u8, b: bool) {} }
        #[cfg(test)] mod tests { fn two(a: bool, b: bool) {} }";
    let text = [&long, &short, methods].map(str::to_owned).join("\n");
    let sources = super::code::Sources::parse(&[("src/a/b.rs".into(), text)]);
    let faults = sources.functions.iter().filter_map(|one| Some((&*one.name, fault(one)?)));
    let expected =
        [("a/b::long", "lines"), ("a/b::Set::many", "parameters"), ("a/b::Set::two", "bools")];
    let expected = expected.map(|(name, fault)| (name, fault.to_owned()));
    assert_eq!(faults.collect::<Vec<_>>(), expected);
}
