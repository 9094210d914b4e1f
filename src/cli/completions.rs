//! `anvil completions SHELL`: a script for a shell, from the definitions of the command line.
//!
//! Own code: `clap_complete` and `clap_mangen` would take more than the program has left below its 3 MiB.

use std::fmt::Write as _;

use clap::{Arg, Command, ValueEnum};

use crate::library::{Shelf, built_in_names, focus_names};

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
    /// A debate's id can stand there.
    takes_id: bool,
}

/// An option.
struct Word {
    name: String,
    about: String,
    value: Value,
}

/// What stands behind an option.
enum Value {
    /// Nothing, or only with `=` between.
    None,
    /// One of these words, or something else where a person may have words of their own.
    Known(Vec<String>),
    Path,
    /// A number or a text.
    Free,
}

/// How values that name a path are called in the help.
const PATHS: [&str; 7] = ["PATH", "DIR", "FILE", "RESULT", "A", "WHO", "BODY"];

/// The ids of the debates here, as the JSON of `history` has them.
const IDS: &str = r#"history --json 2>/dev/null | sed -n 's/^ *"id": "\([^"]*\)".*/\1/p'"#;

pub(super) fn run(command: &Command, shell: Shell) -> crate::error::Result<()> {
    let verbs: Vec<Verb> = command.get_subcommands().map(Verb::of).collect();
    // Another tool has the same name: what asks for ids asks this one.
    let program = std::env::current_exe().map_or_else(|_| "anvil".to_owned(), |path| path.display().to_string());
    let script = match shell {
        Shell::Bash => bash(&verbs, &quoted(&program)),
        Shell::Zsh => zsh(&verbs, &quoted(&program)),
        Shell::Fish => fish(&verbs, &program),
        Shell::Powershell => powershell(&verbs, &program),
    };
    super::print(script.trim_end())
}

fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', "'\\''"))
}

impl Verb {
    fn of(command: &Command) -> Self {
        // What stands behind `archive prune` may stand behind `archive`: a shell completes words, it does not check them.
        let nested = || command.get_subcommands().filter(|nested| nested.get_name() != "help");
        let own = || command.get_arguments().chain(nested().flat_map(Command::get_arguments));
        let shown = || own().filter(|argument| !argument.is_hide_set());
        let mut options: Vec<Word> = Vec::new();
        for argument in shown() {
            let Some(name) = argument.get_long().map(|long| format!("--{long}")) else { continue };
            if !options.iter().any(|known| known.name == name) {
                options.push(Word { name, about: about(argument.get_help()), value: value(argument) });
            }
        }
        let operands = || shown().filter(|argument| argument.is_positional());
        Self {
            name: command.get_name().to_owned(),
            about: about(command.get_about()),
            options,
            operands: nested().map(|nested| nested.get_name().to_owned()).chain(operands().flat_map(known)).collect(),
            takes_id: operands().any(|argument| argument.get_id() == "id"),
        }
    }

    /// All the words that can stand behind it.
    fn words(&self) -> String {
        let options = self.options.iter().map(|option| option.name.as_str());
        self.operands.iter().map(String::as_str).chain(options).chain(["--help"]).collect::<Vec<_>>().join(" ")
    }
}

/// The first line of a help text.
fn about(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(|help| help.to_string().lines().next().unwrap_or_default().to_owned()).unwrap_or_default()
}

fn value(argument: &Arg) -> Value {
    if !argument.get_action().takes_values() || argument.is_require_equals_set() {
        return Value::None;
    }
    let called = argument.get_value_names().and_then(<[_]>::first).map(ToString::to_string).unwrap_or_default();
    match known(argument) {
        known if !known.is_empty() => Value::Known(known),
        _ if PATHS.contains(&called.as_str()) => Value::Path,
        _ => Value::Free,
    }
}

/// The words one of which it takes, or those that Anvil brings along.
fn known(argument: &Arg) -> Vec<String> {
    if !argument.get_action().takes_values() {
        return Vec::new();
    }
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    match argument.get_id().as_str() {
        "mode" => owned(built_in_names(Shelf::Modes)),
        "personas" => owned(built_in_names(Shelf::Personas)),
        "framework" => owned(built_in_names(Shelf::Frameworks)),
        "focus" => owned(focus_names()),
        "boundary" => argument.get_value_names().map(|names| owned(names[0].split('|').collect())).unwrap_or_default(),
        _ => argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
    }
}

fn names(verbs: &[Verb]) -> String {
    verbs.iter().map(|verb| verb.name.as_str()).collect::<Vec<_>>().join(" ")
}

fn bash(verbs: &[Verb], program: &str) -> String {
    let mut values = String::new();
    let mut words = String::new();
    for verb in verbs {
        for option in &verb.options {
            let then = match &option.value {
                Value::None => continue,
                Value::Known(known) => format!("words='{}'", known.join(" ")),
                Value::Path => "files=1".to_owned(),
                Value::Free => "return".to_owned(),
            };
            let _ = writeln!(values, "    {}:{}) {then} ;;", verb.name, option.name);
        }
        let ids = if verb.takes_id { format!(" words+=\" $({program} {IDS})\"") } else { String::new() };
        let _ = writeln!(words, "    {}) words='{}'{ids} ;;", verb.name, verb.words());
    }
    format!(
        "_anvil() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb='' words='' files=''
  COMPREPLY=()
  if [ \"$COMP_CWORD\" -gt 1 ]; then verb=${{COMP_WORDS[1]}}; fi
  case \"$verb:$prev\" in
{values}  esac
  if [ -n \"$files\" ]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null || :
    COMPREPLY=($(compgen -f -- \"$cur\"))
    return
  fi
  [ -n \"$words\" ] || case \"$verb\" in
    '') words='{} help --help --version' ;;
    help) words='{}' ;;
{words}  esac
  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))
}}
complete -F _anvil anvil",
        names(verbs),
        names(verbs)
    )
}

fn zsh(verbs: &[Verb], program: &str) -> String {
    let safe = |text: &str| text.replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:");
    let mut described = String::new();
    let mut cases = String::new();
    for verb in verbs {
        let _ = writeln!(described, "    '{}:{}'", verb.name, safe(&verb.about));
        let _ = write!(cases, "    {}) _arguments '--help[Print help]'", verb.name);
        for option in &verb.options {
            let value = match &option.value {
                Value::None => String::new(),
                Value::Known(known) => format!(":value:({})", known.join(" ")),
                Value::Path => ":path:_files".to_owned(),
                Value::Free => ":value: ".to_owned(),
            };
            let _ = write!(cases, " '{}[{}]{value}'", option.name, safe(&option.about));
        }
        let operands = match verb.operands.join(" ") {
            _ if verb.takes_id => "_anvil_ids".to_owned(),
            none if none.is_empty() => " ".to_owned(),
            known => format!("({known})"),
        };
        let _ = writeln!(cases, " '*:operand:{operands}' ;;");
    }
    format!(
        "#compdef anvil
_anvil_ids() {{
  compadd -- ${{(f)\"$({program} {IDS})\"}}
}}
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

fn fish(verbs: &[Verb], program: &str) -> String {
    let safe = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    let mut out = format!("function __anvil_ids\n  '{}' {IDS}\nend\n", safe(program));
    for verb in verbs {
        let (name, about) = (&verb.name, safe(&verb.about));
        let _ = writeln!(out, "complete -c anvil -n __fish_use_subcommand -f -a {name} -d '{about}'");
        let only = format!("complete -c anvil -n '__fish_seen_subcommand_from {name}'");
        if verb.takes_id {
            let _ = writeln!(out, "{only} -f -a '(__anvil_ids)'");
        } else {
            let _ = writeln!(out, "{only} -f -a '{}'", verb.operands.join(" "));
        }
        for option in &verb.options {
            let value = match &option.value {
                Value::None => String::new(),
                Value::Known(known) => format!(" -x -a '{}'", known.join(" ")),
                Value::Path => " -r -F".to_owned(),
                Value::Free => " -x".to_owned(),
            };
            let _ = writeln!(out, "{only} -l {}{value} -d '{}'", &option.name[2..], safe(&option.about));
        }
    }
    out
}

fn powershell(verbs: &[Verb], program: &str) -> String {
    let mut cases = String::new();
    let mut values = String::new();
    for verb in verbs {
        let ids = format!(
            " + @(& '{}' history --json 2>$null | ConvertFrom-Json | ForEach-Object {{ $_.id }})",
            program.replace('\'', "''")
        );
        let ids = if verb.takes_id { ids.as_str() } else { "" };
        let _ = writeln!(cases, "    '{}' {{ @(-split '{}'){ids} }}", verb.name, verb.words());
        for option in &verb.options {
            if let Value::Known(known) = &option.value {
                let _ = writeln!(values, "    '{} {}' {{ -split '{}' }}", verb.name, option.name, known.join(" "));
            }
        }
    }
    format!(
        "Register-ArgumentCompleter -Native -CommandName anvil -ScriptBlock {{
  param($word, $line, $cursor)
  $parts = @($line.CommandElements | ForEach-Object {{ $_.ToString() }})
  $verb = if ($parts.Count -gt 2 -or ($parts.Count -eq 2 -and -not $word)) {{ $parts[1] }} else {{ '' }}
  $before = if ($word) {{ $parts[-2] }} else {{ $parts[-1] }}
  $words = switch (\"$verb $before\") {{
{values}  }}
  if (-not $words) {{ $words = switch ($verb) {{
    '' {{ -split '{} help --help --version' }}
{cases}  }} }}
  $words | Where-Object {{ $_ -like \"$word*\" }} |
    ForEach-Object {{ [System.Management.Automation.CompletionResult]::new($_) }}
}}",
        names(verbs)
    )
}
