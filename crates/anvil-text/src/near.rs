//! "Did you mean": the names that the user may have meant.

/// Longest text to compare, in characters. A longer one is near no name, and costs time.
const MAX_CHARS: usize = 100;

/// The names near the typed text, the nearest first: at most `most` typing errors, and at most one
/// in three letters.
pub fn nearest<'a>(
    typed: &str,
    names: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    if typed.chars().count() > MAX_CHARS {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(typed, name), name))
        .filter(|(typos, name)| *typos <= most.min(name.len() / 3))
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first_and_far_ones_are_left_out() {
        let names = ["rounds", "round", "mode", "pr"];
        assert_eq!(nearest("rouns", names, 2), ["round", "rounds"]);
        assert_eq!(nearest("ronuds", names, 1), ["rounds"]);
        assert_eq!(nearest("edom", names, 2), Vec::<&str>::new());
        assert_eq!(nearest("px", names, 2), Vec::<&str>::new());
        assert_eq!(nearest(&"rounds".repeat(20), names, 200), Vec::<&str>::new());
    }
}
