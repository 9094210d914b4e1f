//! `anvil completions SHELL`: a script for a shell, from the definitions of the command line.
//!
//! Own code: `clap_complete` and `clap_mangen` would take more than the program has left below its 3 MiB.

use std::fmt::Write as _;

use clap::builder::ValueHint;
use clap::{Arg, Command, ValueEnum};

/// The shells that are known.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

/// A verb, and what can stand behind it.
struct Verb {
    name: String,
    about: String,
    options: Vec<Word>,
    /// The words one of which stands there, where they are known.
    operands: Vec<String>,
}

/// An option.
struct Word {
    name: String,
    about: String,
    takes_value: bool,
    /// The words one of which is its value, where they are known.
    values: Vec<String>,
}

pub(super) fn run(command: &Command, shell: Shell) -> crate::error::Result<()> {
    let verbs: Vec<Verb> = command.get_subcommands().map(Verb::of).collect();
    let script = match shell {
        Shell::Bash => bash(&verbs),
        Shell::Zsh => zsh(&verbs),
        Shell::Fish => fish(&verbs),
        Shell::Powershell => powershell(&verbs),
    };
    super::print(script.trim_end())
}

impl Verb {
    fn of(command: &Command) -> Self {
        // What stands behind `archive prune` may stand behind `archive`: a shell completes words, it does not check them.
        let nested = || command.get_subcommands().filter(|nested| nested.get_name() != "help");
        let own = || command.get_arguments().chain(nested().flat_map(Command::get_arguments));
        let shown = || own().filter(|argument| !argument.is_hide_set());
        let option = |argument: &Arg| {
            Some(Word {
                name: format!("--{}", argument.get_long()?),
                about: about(argument.get_help()),
                takes_value: argument.get_action().takes_values(),
                values: values(argument),
            })
        };
        Self {
            name: command.get_name().to_owned(),
            about: about(command.get_about()),
            options: shown().filter_map(option).collect(),
            operands: nested()
                .map(|nested| nested.get_name().to_owned())
                .chain(shown().filter(|argument| argument.is_positional()).flat_map(values))
                .collect(),
        }
    }

    /// All the words that can stand behind it.
    fn words(&self) -> String {
        let options = self.options.iter().map(|option| option.name.as_str());
        self.operands.iter().map(String::as_str).chain(options).collect::<Vec<_>>().join(" ")
    }
}

/// The first line of a help text.
fn about(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(|help| help.to_string().lines().next().unwrap_or_default().to_owned()).unwrap_or_default()
}

fn values(argument: &Arg) -> Vec<String> {
    if !argument.get_action().takes_values() || argument.get_value_hint() != ValueHint::Unknown {
        return Vec::new();
    }
    argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
}

fn names(verbs: &[Verb]) -> String {
    verbs.iter().map(|verb| verb.name.as_str()).collect::<Vec<_>>().join(" ")
}

fn bash(verbs: &[Verb]) -> String {
    let mut values = String::new();
    let mut words = String::new();
    for verb in verbs {
        for option in verb.options.iter().filter(|option| option.takes_value) {
            let _ = match option.values.as_slice() {
                [] => writeln!(
                    values,
                    "    {}:{}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;",
                    verb.name, option.name
                ),
                known => writeln!(values, "    {}:{}) words='{}' ;;", verb.name, option.name, known.join(" ")),
            };
        }
        let _ = writeln!(words, "    {}) words='{} --help' ;;", verb.name, verb.words());
    }
    format!(
        "_anvil() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb='' words=''
  if [ \"$COMP_CWORD\" -gt 1 ]; then verb=${{COMP_WORDS[1]}}; fi
  case \"$verb:$prev\" in
{values}  esac
  [ -n \"$words\" ] || case \"$verb\" in
    '') words='{} help --help --version' ;;
    help) words='{}' ;;
{words}  esac
  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))
}}
complete -o bashdefault -o default -F _anvil anvil",
        names(verbs),
        names(verbs)
    )
}

fn zsh(verbs: &[Verb]) -> String {
    let safe = |text: &str| text.replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:");
    let mut described = String::new();
    let mut cases = String::new();
    for verb in verbs {
        let _ = writeln!(described, "    '{}:{}'", verb.name, safe(&verb.about));
        let _ = write!(cases, "    {}) _arguments '--help[Print help]'", verb.name);
        for option in &verb.options {
            let value = match (option.takes_value, option.values.as_slice()) {
                (false, _) => String::new(),
                (true, []) => ":value:_files".to_owned(),
                (true, known) => format!(":value:({})", known.join(" ")),
            };
            let _ = write!(cases, " '{}[{}]{value}'", option.name, safe(&option.about));
        }
        let operands =
            if verb.operands.is_empty() { "_files".to_owned() } else { format!("({})", verb.operands.join(" ")) };
        let _ = writeln!(cases, " '*:operand:{operands}' ;;");
    }
    format!(
        "#compdef anvil
_anvil() {{
  local -a verbs
  verbs=(
{described}  )
  if (( CURRENT == 2 )); then _describe -t commands 'anvil command' verbs; return; fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{cases}    help) _describe -t commands 'anvil command' verbs ;;
  esac
}}
compdef _anvil anvil"
    )
}

fn fish(verbs: &[Verb]) -> String {
    let safe = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    let mut out = String::new();
    for verb in verbs {
        let (name, about) = (&verb.name, safe(&verb.about));
        let _ = writeln!(out, "complete -c anvil -n __fish_use_subcommand -f -a {name} -d '{about}'");
        let only = format!("complete -c anvil -n '__fish_seen_subcommand_from {name}'");
        if !verb.operands.is_empty() {
            let _ = writeln!(out, "{only} -f -a '{}'", verb.operands.join(" "));
        }
        for option in &verb.options {
            let value = match (option.takes_value, option.values.as_slice()) {
                (false, _) => String::new(),
                (true, []) => " -r".to_owned(),
                (true, known) => format!(" -x -a '{}'", known.join(" ")),
            };
            let _ = writeln!(out, "{only} -l {}{value} -d '{}'", &option.name[2..], safe(&option.about));
        }
    }
    out
}

fn powershell(verbs: &[Verb]) -> String {
    let mut cases = String::new();
    for verb in verbs {
        let _ = writeln!(cases, "    '{}' {{ '{} --help' }}", verb.name, verb.words());
    }
    format!(
        "Register-ArgumentCompleter -Native -CommandName anvil -ScriptBlock {{
  param($word, $line, $cursor)
  $parts = @($line.CommandElements | ForEach-Object {{ $_.ToString() }})
  $verb = if ($parts.Count -gt 2 -or ($parts.Count -eq 2 -and -not $word)) {{ $parts[1] }} else {{ '' }}
  $words = switch ($verb) {{
    '' {{ '{} help --help --version' }}
{cases}  }}
  -split $words | Where-Object {{ $_ -like \"$word*\" }} |
    ForEach-Object {{ [System.Management.Automation.CompletionResult]::new($_) }}
}}",
        names(verbs)
    )
}
