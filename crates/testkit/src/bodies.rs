//! Bodies of issues: texts of people and their tools, and texts that would hide or forge a block.

use proptest::prelude::*;

/// Texts from real trackers.
pub const REAL: [&str; 15] = [
    "",
    "One line without an end",
    "## Bug\r\n\r\nSteps:\r\n\r\n1. Open it\r\n2. See\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n",
    "- [x] done\n- [ ] open\n  - nested\n    1. deeper\n\n       ```sh\n       make\n       ```\n",
    "> quoted by mail\n> > twice\n\nThanks 👍🏽 — grüße, 日本語 and العربية\n",
    "<details>\n<summary>Log</summary>\n\n```text\nerror: no\n```\n\n</details>\n",
    "<!-- Please fill this in -->\n\n### Version\n\n1.2\n<!-- x-state {\"a\":1} -->\n",
    "<!-- renovate-state\n{\"branch\":\"x\"}\n-->\n\nThis PR updates…\n\n---\n\n- [ ] <!-- rebase-check -->Rebase\n\n",
    "How the block looks:\n\n```html\n<!-- anvil-state\n{\"version\":1}\n-->\n```\n\nand inline `<!-- anvil-state` too.",
    "    <!-- anvil-state\n    {\"version\":1}\n    -->\n\n> <!-- anvil-state\n> {}\n> -->\n\n- <!-- anvil-state\n  {}\n  -->\n",
    "Fixes #12, cc @you\n\n<img src=\"a.png\">\n<br>\n\n[a]: https://example.com\n\n***\n\nTitle\n=====\n",
    "text\r\n\r\n~~~~\r\n<!-- anvil-state\r\n{}\r\n-->\r\n~~~\r\n~~~~\r\n\r\n<!-- anvil-statement -->\r\n\r\n\r\n",
    "### Describe the bug\n\n_No response_\n\n### Reproduction\n\n```js\nimport x from 'y'\n```\n\n### System Info\n\n```shell\nOS: Linux 6.8\n```\n\n### Validations\n\n- [X] I have read the guide\n",
    "<p align=\"center\">\n  <img src=\"https://example.com/a.png\" width=\"40%\">\n</p>\n\n<table>\n<tr><td>\n\n**a**\n\n</td><td>b</td></tr>\n</table>\n\n<sub>[^1]</sub>\n\n[^1]: a note\n",
    "Bumps [x](https://github.com/o/x) from 1 to 2.\r\n<details>\r\n<summary>Notes</summary>\r\n<blockquote>\r\n<h2>v2</h2>\r\n<ul>\r\n<li>a &amp; b</li>\r\n</ul>\r\n</blockquote>\r\n</details>\r\n<br />\r\n\r\n[//]: # (dependabot-start)\r\n[//]: # (dependabot-end)\r\n",
];

/// Constructs that stay open at the end.
pub const OPEN: [&str; 17] = [
    "```\ncode",
    "~~~~ rust\ncode\n~~~\n",
    "a\n\n<!-- never closed",
    "<!--",
    "<script>\nlet a = 1;\n\n",
    "<pre>\n\n",
    "<style>",
    "<textarea>\n",
    "<?php\n\n",
    "<!DOCTYPE",
    "<![CDATA[\n",
    "<div>\ntext",
    "```\n<!-- anvil-state\n{}\n-->",
    "- a\n\n  ```\n  code",
    // Lines that end in a carriage return, and a byte order mark.
    "<!---->\r```",
    "\u{feff}<!--",
    "\u{feff}```\n<!-- anvil-state",
];

/// Any of these, parts of them, and noise that resembles a block.
pub fn body() -> impl Strategy<Value = String> {
    let one = || prop_oneof![prop::sample::select(&REAL[..]), prop::sample::select(&OPEN[..])];
    prop_oneof![
        (one(), one()).prop_map(|(one, other)| format!("{one}{other}")),
        (one(), any::<prop::sample::Index>()).prop_map(|(one, at)| {
            let at = one.floor_char_boundary(at.index(one.len() + 1));
            one[..at].to_owned()
        }),
        any::<String>(),
        "(<!-- anvil-state|<!-- anvil-state\n\\{\\}\n-->|<!--|-->|```|~~~|    |\t|> |- |1. |<div>|</div>|<pre>|`|\n|\r\n|\r|\n\n|\\{\\}|a|\u{feff}|\\[a\\]: b|===|---|<a|\"){0,25}",
    ]
}
