// GitHub's API over TLS, as far as gh asks it for one issue or pull request, and for a release:
// node github.mjs FOLDER ADDRESS PORT; port 0 is any free one.
// The folder holds cert.pem and key.pem; issue.json, pull.json, pull.diff, comments.json and log.jsonl are written there,
// the files of a release are in releases/OWNER/NAME/TAG; the port goes to the standard output.
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";

const [, , folder, address, port] = process.argv;
const file = (name) => join(folder, name);
const read = (name, otherwise) => (existsSync(file(name)) ? JSON.parse(readFileSync(file(name), "utf8")) : otherwise);
const write = (name, value) => writeFileSync(file(name), JSON.stringify(value));
const TOKEN = "token e2e-dummy";
// The account of the token, as REST names it.
const ACCOUNT = "octo";
const REPO = "/api/v3/repos/octo/hello";
const ISSUE = `${REPO}/issues/7`;
// GitHub refuses a longer one, and gives comments in pages.
const MOST = 65536;
const PAGE = 2;

// The repository me/hello is a fork.
const repository = (owner, parent = null) => ({
  id: `R_${owner}`,
  name: "hello",
  owner: { login: owner },
  viewerPermission: "WRITE",
  defaultBranchRef: { name: "main" },
  isPrivate: false,
  parent,
});
const REPOSITORIES = { octo: repository("octo"), me: repository("me", repository("octo")) };

// GitHub's answer to a query, with the errors in its own form.
function graphql({ query, variables }, comments) {
  const error = (message) => ({ errors: [{ type: "NOT_FOUND", path: ["repository"], message }] });
  const { owner, name, repo, number, pr_number, after } = variables ?? {};
  if (query.includes("release(")) return { data: { repository: { release: null } } };
  if (query.includes("repo_000")) {
    const asked = query.matchAll(/(repo_\d+): repository\(owner: "(.+?)", name: "hello"\)/g);
    return { data: { viewer: { login: ACCOUNT }, ...Object.fromEntries([...asked].map(([, as, of]) => [as, REPOSITORIES[of] ?? null])) } };
  }
  if (`${owner}/${name ?? repo}` !== "octo/hello") {
    return { data: { repository: null }, ...error(`Could not resolve to a Repository with the name '${owner}/${name ?? repo}'.`) };
  }
  if (query.includes("viewerDidAuthor")) {
    if (number !== 7) {
      const why = `Could not resolve to an issue or pull request with the number of ${number}.`;
      return { data: { repository: { issueOrPullRequest: null } }, ...error(why) };
    }
    const start = Number(after ?? 0);
    const end = start + PAGE;
    const nodes = comments
      .slice(start, end)
      .map(({ id, user, body }) => ({ databaseId: id, body, viewerDidAuthor: user.login === ACCOUNT }));
    const pageInfo = { hasNextPage: end < comments.length, endCursor: String(end) };
    return { data: { repository: { issueOrPullRequest: { comments: { nodes, pageInfo } } } } };
  }
  const pullRequest = pr_number === 7 || number === 7 ? read("pull.json", null) : null;
  if (pullRequest === null) return error(`Could not resolve to a PullRequest with the number of ${pr_number ?? number}.`);
  return { data: { repository: { pullRequest } } };
}

const server = createServer({ key: readFileSync(file("key.pem")), cert: readFileSync(file("cert.pem")) }, (request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const text = Buffer.concat(parts).toString("utf8");
    const { method, headers } = request;
    const url = new URL(request.url, `https://${headers.host}`);
    const log = (status) => {
      appendFileSync(file("log.jsonl"), JSON.stringify({ method, path: request.url, agent: headers["user-agent"], status }) + "\n");
    };
    const answer = (status, value) => {
      log(status);
      // Who asks for a script gets one, whose status is within.
      const callback = method === "GET" && url.searchParams.get("callback");
      const type = callback ? "application/javascript" : "application/json";
      response.writeHead(callback ? 200 : status, { "content-type": `${type}; charset=utf-8` });
      response.end(callback ? `/**/${callback}(${JSON.stringify({ meta: { status }, data: value })})` : JSON.stringify(value));
    };
    const give = (path) => {
      log(200);
      response.writeHead(200, { "content-type": "application/octet-stream" });
      response.end(readFileSync(path));
    };
    if (headers.authorization !== TOKEN) return answer(401, { message: "Bad credentials" });
    const given = text === "" ? {} : JSON.parse(text);
    if ((given.body ?? "").length > MOST) return answer(422, { message: "Validation Failed" });
    const issue = read("issue.json", { number: 7, title: "What to do?", body: null });
    const comments = read("comments.json", []);

    const release = url.pathname.match(/^\/api\/v3\/repos\/([\w.-]+\/[\w.-]+)\/releases\/tags\/([\w.-]+)$/);
    const tag = release && join("releases", release[1], release[2]);
    if (release && existsSync(file(tag))) {
      const asset = (name) => ({ name, size: statSync(file(join(tag, name))).size, url: `${url.origin}/api/v3/assets/${tag}/${name}` });
      return answer(200, { tag_name: release[2], assets: readdirSync(file(tag)).map(asset) });
    }
    const asset = url.pathname.match(/^\/api\/v3\/assets\/(releases\/[\w./-]+)$/);
    if (asset && existsSync(file(asset[1]))) return give(file(asset[1]));

    const [, id] = url.pathname.match(new RegExp(`^${REPO}/issues/comments/(\\d+)$`)) ?? [];
    if (id !== undefined) {
      const at = comments.findIndex((comment) => String(comment.id) === id);
      if (at < 0) return answer(404, { message: "Not Found" });
      // The token may write, so GitHub lets it change comments of others too.
      if (method === "PATCH") comments[at].body = given.body;
      const [comment] = method === "DELETE" ? comments.splice(at, 1) : [comments[at]];
      write("comments.json", comments);
      return answer(200, comment);
    }
    switch (`${method} ${url.pathname}`) {
      case "POST /api/graphql":
        return answer(200, graphql(given, comments));
      case `GET ${REPO}/pulls/7`:
        return give(file("pull.diff"));
      case `GET ${ISSUE}`:
        return answer(200, issue);
      case `PATCH ${ISSUE}`:
        Object.assign(issue, given);
        write("issue.json", issue);
        return answer(200, issue);
      case `POST ${ISSUE}/comments`:
        comments.push({ id: 100 + comments.length, user: { login: ACCOUNT }, body: given.body });
        write("comments.json", comments);
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
server.listen(Number(port), address, () => console.log(server.address().port));
