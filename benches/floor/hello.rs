//! The floor of an event that is none of Anvil's business: a static program that says one line. It
//! must never do more.

fn main() {
    println!("Hello, world!");
}
