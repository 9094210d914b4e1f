#!/usr/bin/env python3
"""Records two debates in the real Claude Code client as pictures that move.

    docs/pictures/record.py ANVIL docs/pictures

ANVIL is the program. The client runs in tmux against an API on loopback, which answers with the
scripted replies: those of `anvil demo`, and those about a plan below. Needs tmux, and once:
npm --prefix tests/e2e ci
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENT = ROOT / "tests/e2e/node_modules/claude-2.1.332/bin/claude.exe"
SCRIPT = ROOT / "src/cli/demo"
DEMO = ["1-advocate", "1-critic", "2-advocate", "2-critic", "synthesis"]
QUESTION = "Should we split our Rails monolith into microservices?"
KEY = "sk-ant-dummy"

PLAN = """# Move the orders to their own database

1. Copy the table on Friday at 18:00.
2. Point the shop at the copy.
3. Delete the old table.
"""
REVISED = """# Move the orders to their own database

1. Copy the table on Monday at 10:00, and count the rows on both sides.
2. Point the shop at the copy, with a flag that points it back.
3. Delete the old table after two weeks.
"""
CASE = """**A1. Three steps are few enough to check.** Each can be undone before the next \
[reasoning]."""
ATTACK = """**C1. Nobody is there on Friday at 18:00.** The on-call engineer is alone until Monday \
[evidence: the rota].

**C2. The plan has no way back.** Orders that are written after step 2 are lost with the copy \
[reasoning].
**Attacks A1:** "Each can be undone before the next" is untrue of step 3."""
JUDGEMENT = """The steps are right and their order is. The day is not, and a way back is missing.

### What to change in the plan

1. Copy on Monday morning (C1).
2. Add a flag that points the shop back, and keep the old table for two weeks (C2).

```anvil
motion: carry out this plan
A1 weakened: step 3 has no way back
C1 survived: the rota shows it
C2 survived: nothing in the plan answers it
change 1 (C1): Monday morning, when the team is there
change 2 (C2): a flag, and two weeks
against: the plan is short, and each change makes it longer
recommendation: Move on Monday, with a way back.
verdict: do not
confidence: 80
rests on: C1, C2
flips if: the copy takes less than a minute
unknown: how long the copy takes
```"""

COLUMNS, ROWS = 96, 30
# Pixels of a character and of a line.
WIDTH, HEIGHT, MARGIN = 8.43, 19, 16
# Seconds: how often the screen is looked at, how long one picture stays at most, and the last one.
LOOK, LONGEST, LAST = 0.15, 1.2, 6
# A reply arrives in this many pieces, a piece in this many seconds.
PIECES, PIECE = 12, 0.12


class Api(BaseHTTPRequestHandler):
    """A Messages API that gives the scripted replies, one after another."""

    protocol_version = "HTTP/1.1"
    # Functions from the request to the blocks of the reply.
    replies = iter(())

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        # The client also asks for titles, without tools.
        is_debate = bool(body.get("tools"))
        blocks = next(self.replies)(body) if is_debate else [text("A decision")]
        if not body.get("stream"):
            return self.whole(body, blocks)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.event("message_start", message=self.message(body, []))
        for index, block in enumerate(blocks):
            is_text = block["type"] == "text"
            key, kind = ("text", "text_delta") if is_text else ("partial_json", "input_json_delta")
            whole = block["text"] if is_text else json.dumps(block["input"])
            begin = block | ({"text": ""} if is_text else {"input": {}})
            self.event("content_block_start", index=index, content_block=begin)
            size = len(whole) // PIECES + 1
            for at in range(0, len(whole), size):
                time.sleep(PIECE if is_debate and is_text else 0)
                delta = {"type": kind, key: whole[at : at + size]}
                self.event("content_block_delta", index=index, delta=delta)
            self.event("content_block_stop", index=index)
        reason = "end_turn" if blocks[-1]["type"] == "text" else "tool_use"
        end = {"stop_reason": reason, "stop_sequence": None}
        self.event("message_delta", delta=end, usage={"output_tokens": 500})
        self.event("message_stop")
        self.wfile.write(b"0\r\n\r\n")

    def whole(self, body, blocks):
        message = self.message(body, blocks)
        sent = json.dumps(message | {"stop_reason": "end_turn"}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def message(self, body, content):
        usage = {"input_tokens": len(json.dumps(body["messages"])) // 4, "output_tokens": 1}
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
            "content": content, "stop_reason": None, "stop_sequence": None, "usage": usage,
        }

    def event(self, name, **fields):
        text = f"event: {name}\ndata: {json.dumps({'type': name} | fields)}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
        self.wfile.flush()


def text(words):
    return {"type": "text", "text": words}


def call(tool, **values):
    return {"type": "tool_use", "id": f"toolu_{time.monotonic_ns()}", "name": tool, "input": values}


def write(plan):
    """Writes the plan into the file that the client names in its reminder."""

    def blocks(body):
        told = json.dumps(body["messages"])
        path = re.search(r"/[^\s\"`\\]*/\.claude/plans/[^\s\"`\\]*\.md", told)
        return [call("Write", file_path=path[0], content=plan)]

    return blocks


def say(words):
    return lambda _: [text(words)]


def first_debate(screen):
    screen.began = time.monotonic()
    screen.type(f"/anvil:debate {QUESTION}")
    screen.wait_for("Page:", 120)
    screen.rest(1)
    screen.type("/anvil:claims A1")
    screen.wait_for("Shown: 1.")
    screen.rest(1)


def plan(screen):
    screen.began = time.monotonic()
    screen.type("/anvil:debate --plan --rounds 1")
    screen.wait_for("before you see it")
    screen.rest(1)
    screen.type("Plan how we move the orders to their own database.")
    screen.wait_for("Would you like to proceed?", 120)
    screen.rest(1)


# A file's name, what is typed, arguments of the client, and the replies.
SCENES = [
    ("first-debate", first_debate, [],
     [say((SCRIPT / f"{name}.md").read_text().strip()) for name in DEMO]),
    ("plan", plan, ["--permission-mode", "plan"],
     [write(PLAN), lambda _: [call("ExitPlanMode")], say(CASE), say(ATTACK), say(JUDGEMENT),
      write(REVISED), lambda _: [call("ExitPlanMode")]]),
]


class Screen:
    """The client in a terminal of its own."""

    def __init__(self, folder, variables, client):
        self.socket = folder / "tmux"
        line = ["env", "-i"] + [f"{name}={value}" for name, value in variables.items()] + client
        size = ["-x", str(COLUMNS), "-y", str(ROWS), "-c", str(folder / "shop")]
        self.tmux("-f", "/dev/null", "new-session", "-d", *size, *line)
        self.tmux("set", "status", "off")
        self.pictures = []
        self.began = None

    def tmux(self, *args):
        line = ["tmux", "-u", "-S", str(self.socket), *args]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    def look(self):
        """Takes a picture if the recording has begun; returns the text."""
        shown = self.tmux("capture-pane", "-e", "-p", "-t", "0").rstrip("\n")
        # The folder is a temporary one.
        shown = shown.replace(str(self.socket.parent / "shop"), "~/shop").split("\n")
        if self.began is not None and (not self.pictures or self.pictures[-1][1] != shown):
            self.pictures.append((time.monotonic() - self.began, shown))
        return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(shown))

    def wait_for(self, words, patience=60):
        deadline = time.monotonic() + patience
        while words not in (text := self.look()):
            if time.monotonic() > deadline:
                sys.exit(f"waited for {words!r}; the screen shows:\n{text}")
            time.sleep(LOOK)

    def type(self, text):
        for at in range(0, len(text), 4):
            self.tmux("send-keys", "-l", "--", text[at : at + 4])
            time.sleep(0.07)
            self.look()
        self.wait_for(text)
        time.sleep(0.8)
        # A busy client may not take the first one.
        while text in self.look().rsplit("❯", 1)[-1]:
            self.tmux("send-keys", "Enter")
            self.rest(2)

    def rest(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.look()
            time.sleep(LOOK)


def record(program, scene, arguments, replies):
    """Argues a debate; returns its pictures: seconds, and the lines of the screen."""
    Api.replies = iter(replies)
    with tempfile.TemporaryDirectory(prefix="recording-") as name:
        folder = pathlib.Path(name)
        for part in ["home", "shop"]:
            (folder / part).mkdir()
        server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        known = {
            "hasCompletedOnboarding": True, "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY], "rejected": []},
            "projects": {str(folder / "shop"): project},
        }
        (folder / "home/.claude.json").write_text(json.dumps(known))
        variables = {
            "HOME": str(folder / "home"), "PATH": os.environ["PATH"], "TERM": "xterm-256color",
            "COLORTERM": "truecolor", "LANG": "C.UTF-8", "TMPDIR": str(folder),
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
            "ANTHROPIC_API_KEY": KEY, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1", "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1",
        }
        plugin = str(folder / "plugin")
        subprocess.run([program, "install", "--to", plugin], check=True, env=variables,
                       stdout=subprocess.DEVNULL)
        client = [str(CLIENT), "--plugin-dir", plugin, *arguments]
        screen = Screen(folder, variables, client)
        try:
            screen.wait_for("❯")
            time.sleep(2)
            scene(screen)
        finally:
            screen.tmux("kill-server")
            server.shutdown()
        return screen.pictures


def times(pictures):
    """Gives each picture its seconds: a pause in which nothing changes is cut short."""
    begins, now = [], 0.0
    for (at, lines), (after, _) in zip(pictures, pictures[1:] + [(float("inf"), None)]):
        begins.append((round(now, 2), lines))
        now += min(after - at, LONGEST)
    return begins, round(begins[-1][0] + LAST, 2)


# Signs that some fonts lack.
COMMON = str.maketrans("⎿⏵⏸", "└▸‖")

PALETTE = ["#484f58", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#c9d1d9",
           "#8b949e", "#ffa198", "#aff5b4", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#f0f6fc"]


def colour(number):
    """The colour of this number among 256."""
    if number < 16:
        return PALETTE[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    parts = [(number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6]
    return "#" + "".join(f"{55 + 40 * part if part else 0:02x}" for part in parts)


class Style:
    """What the escape sequences so far say of the next character."""

    def __init__(self):
        self.ink = self.ground = None
        self.flags = set()

    def apply(self, codes):
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code in (38, 48):
                if codes.pop(0) == 5:
                    value = colour(codes.pop(0))
                else:
                    value = "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))
                setattr(self, "ink" if code == 38 else "ground", value)
            elif code in (39, 49):
                setattr(self, "ink" if code == 39 else "ground", None)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.ink = colour(code - 30 if code < 90 else code - 82)
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.ground = colour(code - 40 if code < 100 else code - 92)
            elif code in (1, 2, 3, 7):
                self.flags.add({1: "bold", 2: "dim", 3: "italic", 7: "inverse"}[code])
            elif code in (22, 23, 27):
                self.flags -= {22: {"bold", "dim"}, 23: {"italic"}, 27: {"inverse"}}[code]

    def key(self):
        ink, ground = self.ink or "#c9d1d9", self.ground
        if "inverse" in self.flags:
            ink, ground = ground or "#0d1117", ink
        return ink, ground, frozenset(self.flags - {"inverse"})


def runs(line, style):
    """The parts of a line: column, text, and how it looks."""
    column = 0
    for at, part in enumerate(re.split(r"\x1b\[([0-9;]*)m", line)):
        if at % 2:
            style.apply(part)
        elif part:
            yield column, part, style.key()
            column += len(part)


def drawn(parts):
    """A line as SVG, at the height 0."""
    out = []
    for column, text, (ink, ground, flags) in parts:
        x, length = column * WIDTH, len(text) * WIDTH
        if ground:
            out.append(f'<rect x="{x:.1f}" y="-14" width="{length:.1f}" height="{HEIGHT}" '
                       f'fill="{ground}"/>')
        bare = text.strip()
        if not bare:
            continue
        x += (len(text) - len(text.lstrip())) * WIDTH
        look = f' fill="{ink}"' if ink != "#c9d1d9" else ""
        look += ' font-weight="700"' if "bold" in flags else ""
        look += ' font-style="italic"' if "italic" in flags else ""
        look += ' opacity=".65"' if "dim" in flags else ""
        out.append(f'<text x="{x:.1f}" textLength="{len(bare) * WIDTH:.1f}"{look}>'
                   f"{escape(bare.translate(COMMON))}</text>")
    return "".join(out)


def svg(pictures):
    """The pictures as one SVG without a script: a line that occurs twice is drawn once."""
    begins, total = times(pictures)
    lines, frames, keys = {}, [], []
    for at, (begin, shown) in enumerate(begins):
        end = begins[at + 1][0] if at + 1 < len(begins) else total
        style, uses = Style(), []
        for row, line in enumerate(shown[:ROWS]):
            text = drawn(list(runs(line, style)))
            if text:
                name = lines.setdefault(text, f"l{len(lines)}")
                uses.append(f'<use href="#{name}" y="{row * HEIGHT}"/>')
        frames.append(f'<g class="f" id="f{at}">{"".join(uses)}</g>')
        # The last picture stands where nothing moves.
        first, last = 100 * begin / total, 100 * end / total
        before = f"0%,{first:.3f}%{{visibility:hidden}}" if at else ""
        keys.append(f"@keyframes k{at}{{{before}{first + 0.001 if at else 0:.3f}%,{last:.3f}%"
                    f"{{visibility:visible}}{last + 0.001:.3f}%,100%{{visibility:hidden}}}}"
                    f"#f{at}{{animation:k{at} {total}s step-end infinite}}")
    width, height = COLUMNS * WIDTH + 2 * MARGIN, ROWS * HEIGHT + 2 * MARGIN
    defs = "".join(f'<g id="{name}">{text}</g>' for text, name in lines.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" role="img">'
        f"<title>A debate in Claude Code, with scripted replies</title>"
        "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',"
        f"monospace;white-space:pre}}.f{{visibility:hidden}}{''.join(keys)}"
        "@media(prefers-reduced-motion){.f{animation:none!important}"
        f"#f{len(frames) - 1}{{visibility:visible}}}}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/><defs>{defs}</defs>'
        f'<g transform="translate({MARGIN} {MARGIN + 14})" fill="#c9d1d9">{"".join(frames)}</g>'
        "</svg>\n"
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for name, scene, arguments, replies in SCENES:
        picture = svg(record(os.path.abspath(sys.argv[1]), scene, arguments, replies))
        path = pathlib.Path(sys.argv[2]) / f"{name}.svg"
        path.write_text(picture)
        print(f"{path}: {len(picture) // 1024} KB")
