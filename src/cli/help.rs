//! What `anvil --help` and `--version` say. `anvil help VERB` is made from the definitions.

/// Version, commit and target.
pub(super) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("ANVIL_BUILD"), ")");

/// One screen.
pub(super) const HELP: &str = "\
Stress-test an idea by a structured debate, inside Claude Code

Usage: anvil COMMAND [OPTIONS]

  demo                              a whole debate between scripted debaters; no account
  install, uninstall                the plugin for Claude Code; install again upgrades it
  start QUESTION                    prepare a debate; /anvil:resume in Claude Code begins it
  status [--watch]                  where the debate of this project stands; live
  steer, synthesize, rounds, again  direct it: a word for the next phase, the end, its length
  undo, redo                        take phases back, and bring them back
  checkpoints, restore, log         the states it was in; bring one back; what happened
  cancel                            move the unfinished debate to the archive
  report [ID], open [ID]            a debate as Markdown, page or JSON; its page in the browser
  history, show ID, search TEXT     the debates of this project
  archive prune --keep N            remove old ones for good; says first which
  list, config                      what a debate can use; what holds here for each option
  body                              a debate in the body of an issue: embed, extract, check
  publish N, pull N                 to and from an issue on GitHub, Gitea, Forgejo
  doctor                            why nothing happens, and what to do about it
  completions SHELL, man            for your shell; the manual
  statusline, hook                  what Claude Code calls

`anvil help COMMAND` tells more of one; -V, --version names the build.

Examples:
  anvil start \"Should we drop IE 11?\" --rounds 2 --mode devils-advocate --position \"Yes\"
  anvil undo 2 && anvil steer \"look at what it costs to run\"
  anvil doctor --json

Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 nothing to do it to.
";
