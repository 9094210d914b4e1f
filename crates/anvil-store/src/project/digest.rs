//! Secrets and digests, in hexadecimal digits.

use sha2::{Digest as _, Sha256};

/// A secret of 128 bits from the system.
///
/// # Panics
/// If the system has no random bytes, as the standard library does.
pub fn token() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .unwrap_or_else(|error| panic!("the system has no random bytes: {error}"));
    hex(&bytes)
}

/// The SHA-256 of a text.
pub fn digest(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
