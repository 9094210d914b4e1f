//! The key declarations of a source file, found line by line. Pure.
//!
//! Invariant: this is a search for line beginnings, not a parser. It may miss a declaration, or
//! take a line of a comment for one. It takes a bounded number of lines of a bounded width from any
//! text.

use std::path::Path;

use anvil_text::clean;

/// Most declarations of a file.
const MAX_LINES: usize = 40;

/// Most characters of one.
const MAX_WIDTH: usize = 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Rust,
    Python,
    Script,
    Go,
    Classes,
    C,
    Ruby,
    Php,
    Shell,
    Markdown,
}

impl Language {
    fn from_path(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => Self::Script,
            "go" => Self::Go,
            "java" | "kt" | "kts" | "cs" | "scala" | "swift" => Self::Classes,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => Self::C,
            "rb" => Self::Ruby,
            "php" => Self::Php,
            "sh" | "bash" | "zsh" => Self::Shell,
            "md" | "markdown" => Self::Markdown,
            _ => return None,
        })
    }

    /// True for a line that declares something. `indent` is its indentation.
    fn declares(self, indent: usize, line: &str) -> bool {
        let is_top = indent == 0;
        match self {
            Self::Rust => is_top && rust(line),
            Self::Python => {
                (is_top && begins(line, "class|def|async def"))
                    || (indent <= 4 && begins(line, "def|async def") && !line.contains("def _"))
            }
            Self::Script => is_top && script(line),
            Self::Go => is_top && begins(line, "func|type|package"),
            Self::Classes => indent <= 8 && classes(is_top, line),
            Self::C => is_top && c(line),
            Self::Ruby => indent <= 2 && begins(line, "class|module|def"),
            Self::Php => indent <= 4 && php(line),
            Self::Shell => is_top && shell(line),
            Self::Markdown => {
                is_top && line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
            }
        }
    }
}

/// True for a file that can be outlined.
pub(super) fn is_source(path: &Path) -> bool {
    Language::from_path(path).is_some()
}

/// The declarations in a source file, a line each.
pub(super) fn outline(path: &Path, text: &str) -> Vec<String> {
    let Some(language) = Language::from_path(path) else { return Vec::new() };
    let mut out = Vec::new();
    let mut is_fenced = false;
    let mut more = 0;
    for line in text.lines() {
        let bare = line.trim_start_matches([' ', '\t']);
        // A comment within a fence is no heading.
        if language == Language::Markdown && (bare.starts_with("```") || bare.starts_with("~~~")) {
            is_fenced = !is_fenced;
        }
        let indent = line
            .chars()
            .take_while(|char| [' ', '\t'].contains(char))
            .map(|char| if char == '\t' { 4 } else { 1 })
            .sum();
        if is_fenced || !language.declares(indent, bare) {
            continue;
        }
        if out.len() == MAX_LINES {
            more += 1;
            continue;
        }
        let bare = bare.trim_end().trim_end_matches(['{', '(', ':']).trim_end();
        let is_shell = language == Language::Shell;
        out.push(clean(if is_shell { bare.trim_end_matches("()") } else { bare }, MAX_WIDTH));
    }
    if more > 0 {
        out.push(format!("… ({more} more)"));
    }
    out
}

/// The text after the first of these words that begins the line; a space follows the word. The
/// words are divided by `|`.
fn after_word<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    words.split('|').find_map(|word| line.strip_prefix(word).filter(|tail| tail.starts_with(' ')))
}

fn begins(line: &str, words: &str) -> bool {
    after_word(line, words).is_some()
}

/// The line without modifiers such as `pub`.
fn without<'a>(mut line: &'a str, words: &str) -> &'a str {
    while let Some(tail) = after_word(line, words) {
        line = tail.trim_start();
    }
    line
}

fn rust(line: &str) -> bool {
    let mut line = line;
    if let Some(tail) = line.strip_prefix("pub(") {
        line = tail.split_once(") ").map_or("", |(_, tail)| tail);
    }
    let line = without(line, "pub|async|unsafe|default|extern \"C\"");
    begins(line, "fn|struct|enum|trait|impl|mod|type|union|const|static")
        || line.starts_with("impl<")
        || line.starts_with("macro_rules!")
}

fn script(line: &str) -> bool {
    let bare = without(line, "export|default|declare|async|abstract");
    if begins(bare, "function|class|interface|type|enum|namespace|module")
        || bare.starts_with("function*")
        || bare.starts_with("function(")
    {
        return true;
    }
    let is_value = begins(bare, "const|let|var");
    (is_value
        && (line.starts_with("export ")
            || bare.contains("=>")
            || bare.contains("= function")
            || bare.contains("= async")))
        || ["module.exports", "exports.", "export default "]
            .iter()
            .any(|word| line.starts_with(word))
}

fn classes(is_top: bool, line: &str) -> bool {
    const HOW: &str = "public|protected|internal|private|open|abstract|final|sealed|static|partial|\
        data|inline|override|suspend|async|virtual|readonly|inner|expect|actual|fileprivate|\
        indirect|implicit|case|companion";
    const KINDS: &str = "class|interface|enum|record|struct|object|trait|protocol|extension|\
        @interface|delegate|namespace|package|fun interface|typealias";
    let is_hidden = begins(line, "private|fileprivate");
    let bare = without(line, HOW);
    if begins(bare, KINDS) {
        return !is_hidden;
    }
    if begins(bare, "fun|func|def") {
        return !is_hidden && (is_top || bare.len() < line.len() || begins(line, "fun|func|def"));
    }
    begins(line, "public|protected|internal") && line.contains('(') && !line.ends_with(';')
}

fn c(line: &str) -> bool {
    if begins(line, "struct|class|enum|union|typedef|namespace")
        || line.starts_with("template")
        || line.starts_with("extern \"C\"")
    {
        return true;
    }
    let is_named = line.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    let word =
        line.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').next().unwrap_or("");
    let is_statement = [
        "if", "for", "while", "switch", "return", "else", "do", "case", "default", "goto", "using",
    ]
    .contains(&word);
    let before = line.split_once('(').map(|(before, _)| before.trim_end());
    let has_two_words = before
        .is_some_and(|before| before.contains([' ', '*', '&']) && !before.contains(['=', ';']));
    is_named && !is_statement && has_two_words
}

fn php(line: &str) -> bool {
    let bare = without(line, "abstract|final|readonly|public|protected|static");
    begins(bare, "class|interface|trait|enum|function|namespace")
}

fn shell(line: &str) -> bool {
    let named = match line.strip_prefix("function ") {
        Some(tail) => tail.split([' ', '(', '{']).next(),
        None => line.split_once("()").map(|(name, _)| name.trim_end()),
    };
    named.is_some_and(|name| {
        !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || "_-.:".contains(char))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlined(name: &str, text: &str) -> Vec<String> {
        outline(Path::new(name), text)
    }

    #[test]
    fn declarations_are_found_in_every_language() {
        let rust = "//! Doc\nuse x;\npub struct A {\n    field: u8,\n}\n\
                    impl<T> A {\n    pub fn inner() {}\n}\n\
                    pub async fn b() -> u8 {\n    let x = 1;\n}\nmacro_rules! m {\n";
        assert_eq!(
            outlined("a.rs", rust),
            ["pub struct A", "impl<T> A", "pub async fn b() -> u8", "macro_rules! m"]
        );
        let python = "import x\nclass A(B):\n    def run(self):\n        def inner(): pass\n    \
                      def _own(self):\nasync def main():\nx = 1\n";
        assert_eq!(outlined("a.py", python), ["class A(B)", "def run(self)", "async def main()"]);
        let script = "import a from 'a'\nexport default class A extends B {\n  method() {}\n}\n\
                      const x = 1\nconst f = (a) => a\n\
                      export const y = 2\ninterface I {\nexport async function g() {\n\
                      module.exports = f\n";
        let expected = [
            "export default class A extends B",
            "const f = (a) => a",
            "export const y = 2",
            "interface I",
            "export async function g()",
            "module.exports = f",
        ];
        assert_eq!(outlined("a.ts", script), expected);
        let go = "package main\nimport \"fmt\"\ntype A struct {\n\tx int\n}\nfunc (a A) Run() \
                  error {\n\treturn nil\n}\n";
        assert_eq!(
            outlined("a.go", go),
            ["package main", "type A struct", "func (a A) Run() error"]
        );
        let java = "import x;\npublic final class A {\n    private int x;\n    \
                    public int run(int a) {\n        call(x);\n    }\n}\n";
        assert_eq!(outlined("A.java", java), ["public final class A", "public int run(int a)"]);
        let kotlin =
            "data class A(val x: Int)\nfun main() {\n    println()\n}\nprivate fun own() {}\n";
        assert_eq!(outlined("a.kt", kotlin), ["data class A(val x: Int)", "fun main()"]);
        let csharp = "namespace N {\n    public class A {\n        \
                      public void Run() {\n            Call();\n";
        assert_eq!(
            outlined("a.cs", csharp),
            ["namespace N", "public class A", "public void Run()"]
        );
        let c = "#include <x.h>\nstruct a {\n    int x;\n};\nstatic int run(int a)\n\
                 {\n    return f(a);\n}\nint x = f(1);\nreturn (x);\n";
        assert_eq!(outlined("a.c", c), ["struct a", "static int run(int a)"]);
        let ruby = "module M\n  class A\n    def deep\n  def run\nend\nputs 1\n";
        assert_eq!(outlined("a.rb", ruby), ["module M", "class A", "def run"]);
        let php = "<?php\nfinal class A {\n    public function run() {\n        return x();\n    \
                   private function own() {\n";
        assert_eq!(outlined("a.php", php), ["final class A", "public function run()"]);
        let shell = "set -e\nrun() {\n  x=$(ls)\n}\nfunction other {\necho \"a()\"\n";
        assert_eq!(outlined("a.sh", shell), ["run", "function other"]);
        let markdown = "# Title\ntext\n#tag\n```sh\n# comment\n```\n## Second\n";
        assert_eq!(outlined("a.md", markdown), ["# Title", "## Second"]);
        assert!(outlined("a.txt", "class A:").is_empty() && !is_source(Path::new("Makefile")));
    }

    #[test]
    fn an_outline_is_bounded() {
        let text = format!("fn {}() {{\n", "a".repeat(1_000)).repeat(100);
        let lines = outlined("a.rs", &text);
        assert_eq!(lines.len(), MAX_LINES + 1);
        assert_eq!(lines[MAX_LINES], "… (60 more)");
        assert!(lines.iter().all(|line| line.chars().count() <= MAX_WIDTH + 1));
    }
}
