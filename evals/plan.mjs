// Does a model keep to the debate about its plan? Asks for a plan in plan mode after
// `/anvil:debate --plan`, looks at what comes to the dialog, and leaves it there.
//
//   npm --prefix tests/e2e ci
//   cd EMPTY_FOLDER && node ANVIL/evals/plan.mjs CLAUDE PLUGIN
//
// CLAUDE is the client's program, PLUGIN the folder of `anvil install --to`. Prints each check as a
// line; ends with 0 if all hold.
import { readFileSync } from "node:fs";
import { query } from "../tests/e2e/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs";

const [claude, plugin] = process.argv.slice(2);
const PROMPTS = [
  "/anvil:debate --plan --rounds 1",
  "Plan the move. A blog of 300 pages goes from a database to static files on one weekend; two " +
    "people work on it, and search must go on working. Ask me nothing, and write a short plan.",
];
let hasResult = () => {};
const dialogs = [];

async function* words() {
  for (const text of PROMPTS) {
    const result = new Promise((done) => { hasResult = done; });
    yield { type: "user", message: { role: "user", content: text }, parent_tool_use_id: null };
    await result;
  }
}

async function canUseTool(tool, input) {
  if (tool !== "ExitPlanMode") return { behavior: "allow", updatedInput: input };
  dialogs.push(input.plan);
  return { behavior: "deny", message: "That is enough.", interrupt: true };
}

const session = query({
  prompt: words(),
  options: {
    pathToClaudeCodeExecutable: claude,
    plugins: [{ type: "local", path: plugin }],
    permissionMode: "plan",
    canUseTool,
  },
});
try {
  for await (const message of session) {
    if (message.type === "result") hasResult();
  }
} catch (error) {
  // The client ends with an error after an interruption.
  if (dialogs.length === 0) throw error;
}

let state = "";
try {
  state = readFileSync(".claude/anvil-state.local.md", "utf8");
} catch {
  // No debate began.
}
const replies = state.match(/^### (Advocate|Critic)$|^## Synthesis$/gm) ?? [];
const checks = {
  "the dialog opens once": dialogs.length === 1,
  "the debate is complete": /^status: completed$/m.test(state),
  "all three replies are saved": replies.length === 3,
  "the revised plan is saved": /^### Revised Plan$/m.test(state),
};
for (const [check, holds] of Object.entries(checks)) console.log(`${holds ? "ok" : "FAILED"}: ${check}`);
process.exit(Object.values(checks).every(Boolean) ? 0 : 1);
