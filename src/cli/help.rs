//! What `anvil --help` and `--version` say. `anvil help VERB` is made from the definitions.

/// Version, commit and target.
pub(super) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("ANVIL_BUILD"), ")");

/// Columns of a screen that help is made for.
const COLUMNS: usize = 80;

/// One screen of 80 columns and 24 rows, with a row left for the prompt.
pub(super) const HELP: &str = "\
Stress-test an idea by a structured debate, inside Claude Code
Usage: anvil COMMAND [OPTIONS]   `anvil help COMMAND` tells more; -V, --version

  demo                           a whole debate between scripted debaters
  install, uninstall             the plugin for Claude Code; again: upgrade it
  start QUESTION                 prepare a debate, for /anvil:resume to begin
  status [--watch]               where it stands; live
  steer, synthesize, rounds      direct it: the next phase, the end, its length
  again, cancel                  open it for a new cycle; move it to the archive
  undo, redo                     take phases back, and bring them back
  checkpoints, restore, log      its states; bring one back; what happened
  report [ID], open [ID]         as Markdown, page or JSON; in the browser
  history, show ID, search TEXT  the debates of this project
  archive prune --keep N         remove old ones for good; says first which
  list, config                   what a debate can use; what holds here
  body, publish N, pull N        a debate in an issue: filters; to it, from it
  doctor                         why nothing happens, and what to do about it
  completions SHELL, man         for your shell; the manual
  statusline, hook               what Claude Code calls

Examples: anvil start \"Should we drop IE 11?\" --rounds 2 --mode philosopher
          anvil report --open; anvil status --watch; anvil doctor --json
Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 nothing to do it to.
";

/// The text with no line wider than a screen, as long as there are blanks in it: what goes on begins where the words of the line did,
/// behind the name of an option.
pub(super) fn wrapped(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words = line.trim_start();
        let margin = line.len() - words.len();
        // Two blanks stand between a name and what it means.
        let named = words.find("  ").map_or(0, |at| words.len() - words[at..].trim_start().len());
        let margin = " ".repeat(margin + named);
        let (head, said) = line.split_at(margin.len());
        out.push_str(head);
        let mut used = head.chars().count();
        for (at, word) in said.split(' ').enumerate() {
            let wide = word.chars().count();
            if at > 0 && used + 1 + wide > COLUMNS {
                out.push('\n');
                out.push_str(&margin);
                used = margin.len();
            } else if at > 0 {
                out.push(' ');
                used += 1;
            }
            out.push_str(word);
            used += wide;
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_on_below_its_own_words() {
        let long = "word ".repeat(30);
        let text = wrapped(&format!("Usage: x\n\n  -o <A>  {long}\n{}", "y".repeat(90)));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["Usage: x", ""]);
        assert!(lines[2].starts_with("  -o <A>  word word") && lines[2].len() <= COLUMNS, "{text}");
        assert!(lines[3].starts_with("          word") && lines[3].len() <= COLUMNS, "{text}");
        assert_eq!(text.matches("word").count(), 30);
        assert_eq!(lines.last().unwrap().len(), 90);
    }
}
