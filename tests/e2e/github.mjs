// GitHub's API over TLS, as far as gh asks it for one issue: node github.mjs FOLDER.
// The folder holds cert.pem and key.pem; issue.json, comments.json and log.jsonl are written there, the port to the standard output.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";

const folder = process.argv[2];
const file = (name) => join(folder, name);
const read = (name, otherwise) => (existsSync(file(name)) ? JSON.parse(readFileSync(file(name), "utf8")) : otherwise);
const TOKEN = "token e2e-dummy";
const ISSUE = "/api/v3/repos/octo/hello/issues/7";
// GitHub refuses a longer one, and gives comments in pages.
const MOST = 65536;
const PAGE = 2;

const server = createServer({ key: readFileSync(file("key.pem")), cert: readFileSync(file("cert.pem")) }, (request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const text = Buffer.concat(parts).toString("utf8");
    const { method, headers } = request;
    const url = new URL(request.url, "https://localhost");
    const answer = (status, value) => {
      appendFileSync(file("log.jsonl"), JSON.stringify({ method, path: request.url, agent: headers["user-agent"], status }) + "\n");
      // Who asks for a script gets one, whose status is within.
      const callback = method === "GET" && url.searchParams.get("callback");
      const type = callback ? "application/javascript" : "application/json";
      response.writeHead(callback ? 200 : status, { "content-type": `${type}; charset=utf-8` });
      response.end(callback ? `/**/${callback}(${JSON.stringify({ meta: { status }, data: value })})` : JSON.stringify(value));
    };
    if (headers.authorization !== TOKEN) return answer(401, { message: "Bad credentials" });
    const given = text === "" ? {} : JSON.parse(text);
    if ((given.body ?? "").length > MOST) return answer(422, { message: "Validation Failed" });
    const issue = read("issue.json", { number: 7, title: "What to do?", body: null });
    const comments = read("comments.json", []);
    switch (`${method} ${url.pathname}`) {
      case `GET ${ISSUE}`:
        return answer(200, issue);
      case `PATCH ${ISSUE}`:
        Object.assign(issue, given);
        writeFileSync(file("issue.json"), JSON.stringify(issue));
        return answer(200, issue);
      case `POST ${ISSUE}/comments`:
        comments.push({ id: 100 + comments.length, user: { login: "octo" }, body: given.body });
        writeFileSync(file("comments.json"), JSON.stringify(comments));
        return answer(201, comments.at(-1));
      case `GET ${ISSUE}/comments`: {
        const page = Number(url.searchParams.get("page") ?? 1);
        return answer(200, comments.slice((page - 1) * PAGE, page * PAGE));
      }
      default:
        return answer(404, { message: "Not Found" });
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
