// Holds a seat in the debate of this folder by the official client: node mcp.mjs SERVER SEAT. Prints a line of JSON for each reply.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [server, seat] = process.argv.slice(2);
const client = new Client({ name: "typescript", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: server, stderr: "inherit" }));

// The client checks what comes back against the tool's own schema, of the tools that it has listed.
const { tools } = await client.listTools();
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent;
};
const print = (value) => console.log(JSON.stringify(value));

print({ tools: tools.map((tool) => tool.name), prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name) });
const wrong = await client.callTool({ name: "debate_start", arguments: { question: "Another one?", replace: true } });
print({ refused: wrong.isError === true && wrong.content[0].text });

for (;;) {
  const claimed = await call("task_claim", { seat, wait_s: 20 });
  if (claimed.state === "over" || claimed.state === "nothing") break;
  if (claimed.state !== "write") continue;
  const round = Number(claimed.task.split("-").pop());
  const reply = `**C${round}. The money is not there in year ${round}.** attacks A${round}: nobody has it [reasoning].`;
  const done = await call("task_submit", { token: claimed.token, reply });
  print({ task: claimed.task, state: done.state, sees: claimed.prompt.includes(`silts up, says survey ${round}`) });
}
// The last reply is the synthesizer's.
const waits = Date.now() + 30_000;
const isOver = async () => (await call("debate_status", {})).status === "completed";
while (!(await isOver()) && Date.now() < waits) {
  await new Promise((done) => setTimeout(done, 100));
}
const { report } = await call("debate_report", {});
const { claims } = JSON.parse((await call("debate_report", { format: "json" })).report);
print({ report, claims: claims.map((claim) => claim.id) });
await client.close();
