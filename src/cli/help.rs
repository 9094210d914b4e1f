//! What `anvil --help` and `--version` say. `anvil help VERB` is made from the definitions.

/// Version, commit and target.
pub(super) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("ANVIL_BUILD"), ")");

/// Columns of a screen that help is made for.
pub(super) const COLUMNS: usize = 80;

/// One screen of 80 columns and 24 rows, with a row left for the prompt.
pub(super) const HELP: &str = "\
Stress-test an idea by a structured debate, inside Claude Code
Usage: anvil COMMAND [OPTIONS]   `anvil help COMMAND` tells more; -V, --version

  demo                           a whole debate between scripted debaters
  install, uninstall             the plugin for Claude Code; again: upgrade it
  start QUESTION                 prepare a debate, for /anvil:resume to begin
  run, agents, attempts, brief   argue it between programs: claude, codex, …
  tasks, join, workers           divide it: who writes what; take a seat
  status [--watch]               where it stands; live
  steer, synthesize, rounds      direct it: the next phase, the end, its length
  again, undo, redo, cancel      a new cycle; phases back and forth; archive it
  checkpoints, restore, log      its states; bring one back; what happened
  report, open, claims [ID]      as a document; in the browser; its claims
  history, show ID, search TEXT  the debates of this project
  outcome, calibration           what became of it; how often it was right
  archive prune --keep N         remove old ones for good; says first which
  list, config, doctor           what can be used; what holds; what is wrong
  body, publish N, pull N        a debate in an issue: filters; to it, from it
  completions SHELL, man         for your shell; the manual
  statusline, hook               what Claude Code calls
Examples: anvil start \"Should we drop IE 11?\" --rounds 2 --mode philosopher
          anvil report --open; anvil status --watch; anvil doctor --json
Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 nothing to do it to.
";
