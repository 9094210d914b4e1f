//! What may not reach a screen.

/// Text that a terminal obeys instead of showing it: controls, escape sequences, direction marks.
pub fn steering(text: &str) -> Vec<char> {
    let steers = |char: char| {
        (char.is_control() && char != '\n')
            || matches!(char, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(|char| steers(*char)).collect()
}
