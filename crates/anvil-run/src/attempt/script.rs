//! `script:FILE`: an agent that reads its replies from a file, each below a heading with its slot:
//! `# advocate, round 1`, `# synthesis`, `# judge 2`.
//!
//! The demo uses it, and tests of programs that build on Anvil. It runs as its own process, as
//! every agent does.

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// The hidden verb that prints a reply from a script.
pub const VERB: &str = "__script";

/// Exit code when the script has no reply for this slot.
const NO_REPLY: u8 = 1;

pub fn main(file: &OsStr, slot: &OsStr) -> ExitCode {
    // Read the prompt, as every agent does.
    let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
    let slot = slot.to_string_lossy();
    let text = match std::fs::read_to_string(Path::new(file)) {
        Ok(text) => text,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "the script can't be read: {error}");
            return ExitCode::from(NO_REPLY);
        }
    };
    let Some(reply) = reply(&text, &slot) else {
        let _ = writeln!(std::io::stderr(), "the script has no reply below a heading \"# {slot}\"");
        return ExitCode::from(NO_REPLY);
    };
    match std::io::stdout().lock().write_all(reply.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The text below the heading of a slot, up to the next heading of that level.
fn reply<'a>(text: &'a str, slot: &str) -> Option<&'a str> {
    let mut begins = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(title) = line.strip_prefix("# ") {
            if let Some(begins) = begins {
                return Some(text[begins..at].trim());
            }
            if title.trim().eq_ignore_ascii_case(slot) {
                begins = Some(at + line.len());
            }
        }
        at += line.len();
    }
    begins.map(|begins| text[begins..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_below_the_heading_of_its_slot() {
        let script = "Words before.\n# Advocate, round 1\n\nYes.\n\n## Why\n\nSo.\n\
                      # critic, round 1\nNo.\n# synthesis";
        assert_eq!(reply(script, "advocate, round 1"), Some("Yes.\n\n## Why\n\nSo."));
        assert_eq!(reply(script, "critic, round 1"), Some("No."));
        assert_eq!(reply(script, "synthesis"), Some(""));
        assert_eq!(reply(script, "critic, round 2"), None);
    }
}
