//! The floor of an event that does not concern Anvil: a static program that prints one line, and
//! does nothing else.

fn main() {
    println!("Hello, world!");
}
