//! A Messages API, a Responses API and two more on loopback that answer as a test's model says and record
//! every request.
//!
//! Invariants:
//! * Nothing here knows what a debate is; only the model (a closure) does.
//! * Every request to one of them is recorded before it is answered, with its
//!   unchanged body.
//! * Dropping the server ends every held answer, so no test leaves a thread waiting.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tiny_http::{Header, Method, Response, Server};

use crate::{more_apis, responses};

/// The size of one `text_delta`, so that a long reply arrives in many pieces like a real one.
const PIECE: usize = 2_000;

/// A held answer continues after this long even if nobody opens its gate.
const LONGEST_HOLD: Duration = Duration::from_mins(3);

/// Every tool call has its own id, across servers too: a resumed client has seen the earlier ids.
static TOOL_CALLS: AtomicUsize = AtomicUsize::new(1);

/// A held answer waits at this gate until the test opens it.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<AtomicBool>);

impl Gate {
    /// Releases every waiting and every later answer.
    pub(crate) fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn wait(&self, closing: &AtomicBool) {
        let deadline = Instant::now() + LONGEST_HOLD;
        while !self.0.load(Ordering::SeqCst)
            && !closing.load(Ordering::SeqCst)
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// One block of an assistant message.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// What the model says.
    Text(String),
    /// A call of the tool with this name and input.
    Tool(&'static str, Value),
}

/// How a message ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Normally.
    Whole,
    /// The token limit is reached.
    Cut,
    /// The provider stops it.
    Refused,
    /// The stream ends in the middle of its first block.
    Broken,
}

#[derive(Clone)]
enum Kind {
    Message { blocks: Vec<Block>, gate: Option<Gate>, end: End },
    Error(u16),
}

/// The mock's answer to one request.
#[derive(Clone)]
pub(crate) struct Answer {
    delay: Duration,
    kind: Kind,
}

impl Answer {
    /// A message of these blocks. It stops for a tool call if one of them is a tool call.
    pub(crate) fn blocks(blocks: Vec<Block>) -> Self {
        Self { delay: Duration::ZERO, kind: Kind::Message { blocks, gate: None, end: End::Whole } }
    }

    /// A message of one text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::blocks(vec![Block::Text(text.into())])
    }

    /// An error with this HTTP status in the API's own format.
    pub(crate) fn error(status: u16) -> Self {
        Self { delay: Duration::ZERO, kind: Kind::Error(status) }
    }

    /// Sets how it ends.
    pub(crate) fn ending(mut self, how: End) -> Self {
        if let Kind::Message { end, .. } = &mut self.kind {
            *end = how;
        }
        self
    }

    /// Waits this long before the first byte: a model that thinks.
    pub(crate) fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Streams half of the first text, then waits for the gate: a model in the middle of a
    /// sentence.
    pub(crate) fn held(mut self, at: &Gate) -> Self {
        if let Kind::Message { gate, .. } = &mut self.kind {
            *gate = Some(at.clone());
        }
        self
    }

    /// The tools that the message calls, each with its input.
    pub(crate) fn calls(&self) -> Vec<(&str, &Value)> {
        match &self.kind {
            Kind::Error(_) => Vec::new(),
            Kind::Message { blocks, .. } => blocks
                .iter()
                .filter_map(|block| match block {
                    Block::Text(_) => None,
                    Block::Tool(tool, input) => Some((*tool, input)),
                })
                .collect(),
        }
    }

    /// The texts of the message, in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        match &self.kind {
            Kind::Error(_) => Vec::new(),
            Kind::Message { blocks, .. } => blocks
                .iter()
                .filter_map(|block| match block {
                    Block::Text(text) => Some(text.clone()),
                    Block::Tool(..) => None,
                })
                .collect(),
        }
    }

    /// Whether the message ends in a tool call, so that the same turn continues with its result.
    pub(crate) fn calls_tool(&self) -> bool {
        matches!(&self.kind, Kind::Message { blocks, .. } if blocks.iter().any(|b| matches!(b, Block::Tool(..))))
    }

    /// Whether the API refused instead of answering.
    pub(crate) fn is_error(&self) -> bool {
        matches!(self.kind, Kind::Error(_))
    }
}

/// The API of the request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Api {
    Messages,
    Responses,
    Gemini,
    Chat,
}

impl Api {
    fn of(request: &tiny_http::Request) -> Option<Self> {
        let asks = |path| *request.method() == Method::Post && request.url().starts_with(path);
        match request.url() {
            _ if asks("/v1/responses") => Some(Self::Responses),
            _ if asks("/v1/chat/completions") => Some(Self::Chat),
            url if asks("/v1beta/") && url.contains("enerateContent") => Some(Self::Gemini),
            url if asks("/v1/messages") && !url.contains("count_tokens") => Some(Self::Messages),
            _ => None,
        }
    }
}

/// One request that the client made, as the model sees it.
#[derive(Clone)]
pub(crate) struct Request {
    api: Api,
    /// The whole body.
    pub(crate) body: Value,
    /// Whether it belongs to the conversation; the client also sends requests of its own (titles,
    /// warm-ups).
    pub(crate) main: bool,
    /// The number of this main request, from 1; a side request has the number of the previous main
    /// one.
    pub(crate) number: usize,
}

impl Request {
    /// The `messages` of the body, or the other API's equivalent.
    pub(crate) fn messages(&self) -> &[Value] {
        let key = match self.api {
            Api::Messages | Api::Chat => "messages",
            Api::Responses => "input",
            Api::Gemini => "contents",
        };
        self.body[key].as_array().map_or(&[], Vec::as_slice)
    }

    /// The tokens that the API counts for it: other ones for each request.
    pub(crate) fn used(&self) -> Used {
        let number = self.number as u64;
        Used { fresh: 211 + 2 * number, cached: 1_000 * number, out: 50 + number }
    }

    /// The length of the JSON of all `messages`: the conversation's cost in this request.
    pub(crate) fn messages_bytes(&self) -> usize {
        self.body["messages"].to_string().len()
    }
}

/// The tokens of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// In, and not in the cache.
    pub(crate) fresh: u64,
    /// In, from the cache.
    pub(crate) cached: u64,
    pub(crate) out: u64,
}

impl Used {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            fresh: self.fresh + other.fresh,
            cached: self.cached + other.cached,
            out: self.out + other.out,
        }
    }

    pub(crate) fn sum(self) -> u64 {
        self.fresh + self.cached + self.out
    }

    /// In the API's format, with this number out: at its beginning a message has one.
    fn in_message(self, out: u64) -> Value {
        json!({
            "input_tokens": 11, "cache_creation_input_tokens": self.fresh - 11,
            "cache_read_input_tokens": self.cached, "output_tokens": out,
        })
    }
}

/// A request with its answer.
#[derive(Clone)]
pub(crate) struct Exchange {
    /// The request.
    pub(crate) request: Request,
    /// The model's answer.
    pub(crate) answer: Answer,
    /// Whether the whole answer was written to a client that was still connected.
    pub(crate) delivered: bool,
}

type Model = dyn Fn(&Request) -> Answer + Send + Sync;

struct Shared {
    model: Box<Model>,
    /// Whether side requests are recognized.
    sides: bool,
    /// The answer to them.
    side_answer: Mutex<&'static str>,
    log: Mutex<Vec<Exchange>>,
    changed: Condvar,
    closing: AtomicBool,
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Vec<Exchange>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn side_answer(&self) -> Answer {
        Answer::text(*self.side_answer.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn mark(&self, index: usize, delivered: bool) {
        self.log()[index].delivered = delivered;
        self.changed.notify_all();
    }
}

/// The running server.
pub(crate) struct Mock {
    port: u16,
    server: Arc<Server>,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

impl Mock {
    /// Starts a server on a free port of loopback that answers as `model` says.
    pub(crate) fn start(model: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::serving(true, Box::new(model))
    }

    /// Starts a server for programs that make only main requests: every request belongs to the
    /// conversation, even without tools.
    pub(crate) fn of_seats(model: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::serving(false, Box::new(model))
    }

    /// Answers side requests with this text from now on.
    pub(crate) fn sides_answer(&self, text: &'static str) {
        *self.shared.side_answer.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    fn serving(sides: bool, model: Box<Model>) -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a free port on loopback"));
        let port = server.server_addr().to_ip().expect("an IP address").port();
        let shared = Arc::new(Shared {
            model,
            sides,
            side_answer: Mutex::new("Fine."),
            log: Mutex::new(Vec::new()),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
        });
        let (listen, serve) = (Arc::clone(&server), Arc::clone(&shared));
        let listener = thread::spawn(move || {
            for request in listen.incoming_requests() {
                let shared = Arc::clone(&serve);
                thread::spawn(move || {
                    // Some tests kill a client in the middle of an answer: that is no fault of the
                    // mock.
                    let _ = serve_one(&shared, request);
                });
            }
        });
        Self { port, server, shared, listener: Some(listener) }
    }

    /// The address for `ANTHROPIC_BASE_URL`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Every request so far, oldest first, side requests included.
    pub(crate) fn all(&self) -> Vec<Exchange> {
        self.shared.log().clone()
    }

    /// The requests of the conversation so far, oldest first.
    pub(crate) fn main(&self) -> Vec<Exchange> {
        self.all().into_iter().filter(|exchange| exchange.request.main).collect()
    }

    /// Waits until the conversation's requests satisfy `done`; fails the test with `what` after
    /// `patience`.
    pub(crate) fn wait_until(
        &self,
        what: &str,
        patience: Duration,
        done: impl Fn(&[Exchange]) -> bool,
    ) {
        let deadline = Instant::now() + patience;
        let mut log = self.shared.log();
        loop {
            let main: Vec<Exchange> =
                log.iter().filter(|exchange| exchange.request.main).cloned().collect();
            if done(&main) {
                return;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "waited {patience:?} for {what}; {} main requests came",
                main.len()
            );
            log = self
                .shared
                .changed
                .wait_timeout(log, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        self.server.unblock();
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

fn serve_one(shared: &Shared, mut incoming: tiny_http::Request) -> io::Result<()> {
    let Some(api) = Api::of(&incoming) else {
        let status = if *incoming.method() == Method::Head { 200 } else { 404 };
        return incoming.respond(Response::empty(status));
    };
    let mut bytes = Vec::new();
    incoming.as_reader().read_to_end(&mut bytes)?;
    let body: Value = serde_json::from_slice(&bytes)?;
    let (index, request, answer) = record(shared, api, body);
    thread::sleep(answer.delay);
    // Marked before the last byte leaves, and unmarked if that fails: a client with the whole
    // answer may end, and its test may read the log, before this thread runs again.
    let sent = send(&request, &answer, incoming, &shared.closing, || shared.mark(index, true));
    if sent.is_err() {
        shared.mark(index, false);
    }
    sent
}

/// Sends the answer; calls `nearly_done` when only its end is missing.
fn send(
    request: &Request,
    answer: &Answer,
    incoming: tiny_http::Request,
    closing: &AtomicBool,
    nearly_done: impl FnOnce(),
) -> io::Result<()> {
    match &answer.kind {
        Kind::Error(status) => {
            let kind = match *status {
                401 => "authentication_error",
                402 => "billing_error",
                429 => "rate_limit_error",
                500 => "api_error",
                529 => "overloaded_error",
                _ => "invalid_request_error",
            };
            let body = match request.api {
                Api::Gemini => more_apis::gemini_error(*status),
                _ => {
                    json!({"type": "error", "error": {"type": kind, "message": "the mock says no"}})
                }
            }
            .to_string();
            nearly_done();
            incoming.respond(
                Response::from_string(body).with_status_code(*status).with_header(json_header()),
            )
        }
        Kind::Message { gate, end, .. } if request.api == Api::Responses => {
            let mut out = Stream { out: incoming.into_writer() };
            out.head()?;
            let hold = gate.as_ref().map(|gate| (gate, closing));
            let text = answer.texts().concat();
            responses::stream(&mut out, (&text, request.used()), &answer.calls(), *end, hold)?;
            nearly_done();
            out.end()
        }
        Kind::Message { end, .. } if matches!(request.api, Api::Gemini | Api::Chat) => {
            let (text, used) = (answer.texts().concat(), request.used());
            let events = match request.api {
                Api::Gemini => more_apis::gemini(&text, used, *end),
                _ => more_apis::chat(&text, used, *end),
            };
            nearly_done();
            let kind = Header::from_bytes("content-type", "text/event-stream").expect("valid");
            incoming.respond(Response::from_string(events).with_header(kind))
        }
        Kind::Message { blocks, gate, end } if request.body["stream"] == true => {
            let mut out = Stream { out: incoming.into_writer() };
            out.head()?;
            let message = message(request, &[], &Value::Null, 1);
            out.event(&json!({"type": "message_start", "message": message}))?;
            for (index, block) in blocks.iter().enumerate() {
                let gate = if index == 0 { gate.as_ref() } else { None };
                out.block(index, block, gate.map(|gate| (gate, closing)))?;
                if *end == End::Broken {
                    nearly_done();
                    return out.end();
                }
                out.event(&json!({"type": "content_block_stop", "index": index}))?;
            }
            let delta = json!({"stop_reason": stop_reason(answer), "stop_sequence": null});
            out.event(
                &json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": request.used().out}}),
            )?;
            nearly_done();
            out.event(&json!({"type": "message_stop"}))?;
            out.end()
        }
        Kind::Message { blocks, gate, .. } => {
            if let Some(gate) = gate {
                gate.wait(closing);
            }
            let content: Vec<Value> =
                blocks.iter().map(|block| content_block(block, true)).collect();
            let reason = json!(stop_reason(answer));
            let body = message(request, &content, &reason, request.used().out).to_string();
            nearly_done();
            incoming.respond(Response::from_string(body).with_header(json_header()))
        }
    }
}

/// Numbers the request, asks the model and logs both. The model runs under the log's lock, so that
/// its answers are in the order of the numbers.
fn record(shared: &Shared, api: Api, body: Value) -> (usize, Request, Answer) {
    let mut log = shared.log();
    let main = !shared.sides || is_main(&body);
    let number = log.iter().filter(|exchange| exchange.request.main).count() + usize::from(main);
    let request = Request { api, body, main, number };
    let answer = if main { (shared.model)(&request) } else { shared.side_answer() };
    log.push(Exchange { request: request.clone(), answer: answer.clone(), delivered: false });
    shared.changed.notify_all();
    (log.len() - 1, request, answer)
}

/// The conversation offers tools. The client's side requests (a title, a summary) do not. A
/// seat of a run has no tools.
fn is_main(body: &Value) -> bool {
    if body["messages"][0]["content"].to_string().contains("# One seat of a debate") {
        return true;
    }
    body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

fn json_header() -> Header {
    Header::from_bytes("content-type", "application/json").expect("a valid header")
}

fn stop_reason(answer: &Answer) -> &'static str {
    match &answer.kind {
        Kind::Message { end: End::Cut, .. } => "max_tokens",
        Kind::Message { end: End::Refused, .. } => "refusal",
        _ if answer.calls_tool() => "tool_use",
        _ => "end_turn",
    }
}

fn message(request: &Request, content: &[Value], stop_reason: &Value, out: u64) -> Value {
    json!({
        "id": format!("msg_{}_{}", if request.main { "main" } else { "side" }, request.number),
        "type": "message", "role": "assistant", "model": request.body["model"], "content": content,
        "stop_reason": stop_reason, "stop_sequence": null, "usage": request.used().in_message(out),
    })
}

/// The block in the API's format: whole, or empty for the start of a streamed one.
fn content_block(block: &Block, whole: bool) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": if whole { text } else { "" }}),
        Block::Tool(name, input) => {
            let id = format!("toolu_{}", TOOL_CALLS.fetch_add(1, Ordering::Relaxed));
            json!({"type": "tool_use", "id": id, "name": name, "input": if whole { input.clone() } else { json!({}) }})
        }
    }
}

/// Where a text is held back, and the gate that releases it.
pub(crate) type Hold<'a> = Option<(&'a Gate, &'a AtomicBool)>;

/// A response in chunks, written past the server's own buffering so that every event leaves at
/// once.
pub(crate) struct Stream {
    out: Box<dyn Write + Send>,
}

impl Stream {
    fn head(&mut self) -> io::Result<()> {
        self.out.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    }

    /// Sends one event.
    pub(crate) fn event(&mut self, event: &Value) -> io::Result<()> {
        let name = event["type"].as_str().unwrap_or_default();
        let text = format!("event: {name}\ndata: {event}\n\n");
        write!(self.out, "{:x}\r\n{text}\r\n", text.len())?;
        self.out.flush()
    }

    /// Sends a text as one event per piece; the second piece waits at the gate.
    pub(crate) fn pieces(
        &mut self,
        text: &str,
        hold: Hold,
        event: impl Fn(&str) -> Value,
    ) -> io::Result<()> {
        let size = if hold.is_some() { text.len() / 2 + 1 } else { PIECE };
        for (nth, piece) in pieces(text, size).enumerate() {
            if let (1, Some((gate, closing))) = (nth, hold) {
                gate.wait(closing);
            }
            self.event(&event(piece))?;
        }
        Ok(())
    }

    /// Sends a block without its end, which the caller sends.
    fn block(&mut self, index: usize, block: &Block, hold: Hold) -> io::Result<()> {
        let start = content_block(block, false);
        self.event(
            &json!({"type": "content_block_start", "index": index, "content_block": start}),
        )?;
        let delta =
            |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        match block {
            Block::Text(text) => {
                self.pieces(text, hold, |piece| delta(json!({"type": "text_delta", "text": piece})))
            }
            Block::Tool(_, input) => self.event(&delta(
                json!({"type": "input_json_delta", "partial_json": input.to_string()}),
            )),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"0\r\n\r\n")?;
        self.out.flush()
    }
}

/// Cuts a text into pieces of about `size` bytes, never inside a character.
fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut at = size.min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (piece, after) = rest.split_at(at);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
