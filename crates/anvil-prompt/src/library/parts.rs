//! The parts of a text of the library: the roles of a mode, the headings that a framework demands.
//! Pure.
//!
//! A heading is a line outside of fenced code.

/// The parts of a mode's text, each without its heading. `None`: the text does not have the part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roles<'a> {
    /// The text before the first part. It holds for all roles.
    pub stance: &'a str,
    /// `## Advocate`
    pub advocate: Option<&'a str>,
    /// `## Critic`
    pub critic: Option<&'a str>,
    /// `## Synthesizer`
    pub synthesizer: Option<&'a str>,
    /// `## Voice`
    pub voice: Option<&'a str>,
}

impl<'a> Roles<'a> {
    /// Divides a text. A heading that names no role, or a role for the second time, belongs to the
    /// part around it.
    pub fn parse(text: &'a str) -> Self {
        let mut roles = Self::default();
        let mut seen: Vec<String> = Vec::new();
        let mut open = (String::new(), 0);
        for line in lines(text) {
            let Some(name) = line.heading("## ").map(str::to_ascii_lowercase) else { continue };
            if roles.slot(&name).is_some() && !seen.contains(&name) {
                roles.fill(&open.0, &text[open.1..line.start]);
                seen.push(name.clone());
                open = (name, line.end);
            }
        }
        roles.fill(&open.0, &text[open.1..]);
        roles
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        match name {
            "advocate" => Some(&mut self.advocate),
            "critic" => Some(&mut self.critic),
            "synthesizer" => Some(&mut self.synthesizer),
            "voice" => Some(&mut self.voice),
            _ => None,
        }
    }

    fn fill(&mut self, name: &str, part: &'a str) {
        let part = part.trim();
        match self.slot(name) {
            Some(slot) => *slot = Some(part).filter(|part| !part.is_empty()),
            None => self.stance = part,
        }
    }
}

/// The headings that a framework demands: its `### ` lines.
pub(crate) fn required_headings(text: &str) -> Vec<&str> {
    lines(text).into_iter().filter_map(|line| line.heading("### ")).collect()
}

/// A line outside of fenced code, with its place in the text.
struct PartLine<'a> {
    start: usize,
    end: usize,
    text: &'a str,
}

impl<'a> PartLine<'a> {
    /// The words of the heading, if the line begins with `hashes`.
    fn heading(&self, hashes: &str) -> Option<&'a str> {
        let text = self.text.strip_prefix(hashes)?.trim();
        // Hashes after a space close a heading.
        let open = text.trim_end_matches('#');
        let text = if open.ends_with(char::is_whitespace) { open.trim_end() } else { text };
        Some(text).filter(|text| !text.is_empty())
    }
}

/// The headings of any level, and the bold beginnings of lines, outside of fenced code.
pub fn headings(text: &str) -> impl Iterator<Item = &str> {
    lines(text).into_iter().filter_map(|line| {
        let bold = || line.text.trim_start().strip_prefix("**")?.split("**").next();
        let level = line.text.len() - line.text.trim_start_matches('#').len();
        if level > 0 { line.heading(&line.text[..level]) } else { bold() }
    })
}

fn lines(text: &str) -> Vec<PartLine<'_>> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let end = start + whole.len();
        let line = whole.trim_end();
        match (fence, fence_of(line)) {
            (None, None) => found.push(PartLine { start, end, text: line }),
            (None, opening) => fence = opening,
            (Some(open), Some(closing))
                if closing.starts_with(open) && line.trim_start() == closing =>
            {
                fence = None;
            }
            (Some(_), _) => {}
        }
        start = end;
    }
    found
}

/// The three or more backticks or tildes at the beginning of a line.
fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|char| ['`', '~'].contains(char))?;
    let run = &line[..line.len() - line.trim_start_matches(mark).len()];
    (run.len() >= 3).then_some(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_divided_at_the_headings_of_its_roles() {
        let text = "Be kind.\n\n## ADVOCATE\n\nFor.\n\n## Notes\n\nStill for.\n## critic \
            ##\nAgainst.\n\n## Voice\n\n## Synthesizer\nJudge.\n";
        let roles = Roles {
            stance: "Be kind.",
            advocate: Some("For.\n\n## Notes\n\nStill for."),
            critic: Some("Against."),
            synthesizer: Some("Judge."),
            voice: None,
        };
        assert_eq!(Roles::parse(text), roles);
    }

    #[test]
    fn a_heading_without_a_role_does_not_divide_a_mode() {
        for text in [
            "",
            "only a stance",
            "### Advocate\nx",
            "##Advocate\nx",
            "## Advocates\nx",
            "```\n## Advocate\n```\nx",
            "~~~~ md\n## Critic\n~~~\n## Critic\n```\n## Critic",
        ] {
            assert_eq!(Roles::parse(text), Roles { stance: text, ..Roles::default() }, "{text}");
        }
        let twice = Roles::parse("## Critic\na\n## Critic\nb");
        assert_eq!((twice.stance, twice.critic), ("", Some("a\n## Critic\nb")));
        assert_eq!(
            Roles::parse("```\n```\n## Critic\na").critic,
            Some("a"),
            "a closed fence hides nothing"
        );
    }

    #[test]
    fn required_headings_have_three_hashes_outside_fences() {
        for (text, headings) in [
            (
                "### One\n\nx\n\n### Two ###\n#### Three\n## Four\n### C#\n###\n### #",
                vec!["One", "Two", "C#", "#"],
            ),
            ("```md\n### One\n```\n### Two", vec!["Two"]),
            ("  ### One\n> ### Two\n- ### Three", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(required_headings(text), headings, "{text}");
        }
    }
}
