// Holds a session by the Agent SDK: node sdk.mjs CLAUDE PLUGIN PROMPT… Each prompt is sent when the
// one before has its result. `<Esc>` stops the answer to the prompt before it, `<wait>` waits for
// one more result. Prints each message as a line.
import { query } from "@anthropic-ai/claude-agent-sdk";

const [claude, plugin, ...prompts] = process.argv.slice(2);
let hasResult = () => {};
let begins = () => {};
const next = () => new Promise((done) => { hasResult = done; });
const begun = () => new Promise((done) => { begins = done; });

async function* words() {
  for (const [at, text] of prompts.entries()) {
    if (text === "<Esc>") continue;
    const result = next();
    if (text !== "<wait>") {
      const stops = prompts[at + 1] === "<Esc>" && begun();
      yield { type: "user", message: { role: "user", content: text }, parent_tool_use_id: null };
      if (stops) stops.then(() => session.interrupt());
    }
    await result;
  }
}

const session = query({
  prompt: words(),
  options: {
    pathToClaudeCodeExecutable: claude,
    plugins: [{ type: "local", path: plugin }],
    includePartialMessages: prompts.includes("<Esc>"),
  },
});
let texts = 0;
for await (const message of session) {
  console.log(JSON.stringify(message));
  if (message.type === "result") hasResult();
  // Half of the second text of the prompt has come.
  if (message.type === "stream_event" && message.event.type === "content_block_delta" && ++texts === 2) begins();
}
