//! Numbers for readers.

use jiff::Timestamp;

/// A number with a comma between its thousands: `1,204`.
pub fn group(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size: `812 bytes`, `48.2 kB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..=999 => format!("{bytes} bytes"),
        1_000..=999_999 => format!("{} kB", with_tenths(bytes, 1_000)),
        _ => format!("{} MB", with_tenths(bytes, 1_000_000)),
    }
}

fn with_tenths(bytes: u64, unit: u64) -> String {
    format!("{}.{}", bytes / unit, bytes % unit / (unit / 10))
}

/// `1 file`, `12,345 files`.
pub fn files(count: usize) -> String {
    format!("{} {}", group(count), if count == 1 { "file" } else { "files" })
}

/// `1 reply`, `3 replies`.
pub fn number_of(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `1 word`, `1,204 words`.
pub fn words(count: usize) -> String {
    if count == 1 { "1 word".to_owned() } else { format!("{} words", group(count)) }
}

/// `3 invisible characters`.
pub fn unseen(count: usize) -> String {
    number_of(count, "invisible character", "invisible characters")
}

/// The age: `just now`, `4 min ago`, `3 h ago`, `2 days ago`.
pub fn age(now: Timestamp, then: Timestamp) -> String {
    let minutes = now.duration_since(then).as_mins();
    match minutes {
        ..=0 => "just now".to_owned(),
        1..=119 => format!("{minutes} min ago"),
        120..=2_879 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1_440),
    }
}

/// `34 s`, `4 min 12 s`, `1 h 10 min`
pub fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let all: Vec<String> = [0, 999, 1_204, 1_234_567].into_iter().map(group).collect();
        assert_eq!(all, ["0", "999", "1,204", "1,234,567"]);
    }

    #[test]
    fn sizes_have_a_readable_unit() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1.0 kB"),
            (48_260, "48.2 kB"),
            (1_250_000, "1.2 MB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn ages_have_the_largest_useful_unit() {
        let then = Timestamp::UNIX_EPOCH;
        let after = |seconds: i64| age(Timestamp::from_second(seconds).unwrap(), then);
        assert_eq!(after(59), "just now");
        assert_eq!(after(60), "1 min ago");
        assert_eq!(after(7_199), "119 min ago");
        assert_eq!(after(7_200), "2 h ago");
        assert_eq!(after(3 * 86_400), "3 days ago");
        assert_eq!(age(then, Timestamp::from_second(60).unwrap()), "just now");
    }
}
