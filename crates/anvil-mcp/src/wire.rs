//! The server's standard input and output.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use anvil_text::from_json;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetExtensions as _,
    JsonRpcMessage, JsonRpcRequest, ProtocolVersion, RequestId, ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Stdin, Stdout};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

/// Most bytes of a line.
const MAX_LINE: usize = 10 * 1024 * 1024;

/// Most values of a line. Each costs some hundred bytes of memory, whatever its length.
const MAX_VALUES: usize = 10_000;

/// Most messages of a batch.
const MAX_BATCH: usize = 100;

/// Bytes at the beginning and end of a longer line that are searched for its id.
const ENDS: usize = 256;

/// Most calls at once; one with a long line or many values counts as several.
const MAX_CALLS: usize = 32;

/// Most calls that wait for room, counted in the same way. Until then lines are read, so that a
/// cancelled call ends; further lines wait.
const MAX_WAITING: u32 = 128;

/// The length of a line that counts as one more call.
const BYTES_OF_CALL: usize = 1024 * 1024;

/// The values of a line that count as one more call.
const VALUES_OF_CALL: usize = 1_000;

/// Most answers that wait for their reader. No line is read until he has read some.
const MAX_UNREAD: usize = 32;

/// The client's lines. Each that can't be read has an answer, but no notification and no answer of
/// the client has one. A message before `initialize` that is not a request is skipped: it would end
/// the server.
pub(crate) struct Wire {
    input: BufReader<Stdin>,
    /// The line so far: the server stops waiting for it whenever an answer is ready.
    line: ClientLine,
    /// The messages that need no room.
    messages: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// The calls that wait for room, each with the calls that it counts as.
    waiting: VecDeque<(JsonRpcRequest<ClientRequest>, u32)>,
    calls: Arc<Semaphore>,
    output: Arc<Mutex<Stdout>>,
    unread: Arc<Semaphore>,
    /// The answers that are not those of a call.
    refusals: JoinSet<io::Result<()>>,
    batches: Vec<Batch>,
    has_begun: bool,
    /// The agreed version of the protocol has batches: 2025-03-26 alone does.
    has_batches: bool,
    /// The client has closed its end.
    is_over: bool,
    has_left: watch::Sender<bool>,
}

/// A batch whose answers are not complete.
#[derive(Default)]
struct Batch {
    /// The requests without an answer.
    open: Vec<RequestId>,
    answers: Vec<TxJsonRpcMessage<RoleServer>>,
}

impl Wire {
    /// Its receiver tells when the client has left.
    pub(crate) fn standard() -> (Self, watch::Receiver<bool>) {
        let (has_left, leaves) = watch::channel(false);
        let wire = Self {
            input: BufReader::new(tokio::io::stdin()),
            line: ClientLine::default(),
            messages: VecDeque::new(),
            waiting: VecDeque::new(),
            calls: Arc::new(Semaphore::new(MAX_CALLS)),
            output: Arc::new(Mutex::new(tokio::io::stdout())),
            unread: Arc::new(Semaphore::new(MAX_UNREAD)),
            refusals: JoinSet::new(),
            batches: Vec::new(),
            has_begun: false,
            has_batches: false,
            is_over: false,
            has_left,
        };
        (wire, leaves)
    }

    /// The next line. `None`: the client has left.
    async fn next_line(&mut self) -> Option<ClientLine> {
        drop(self.unread.acquire().await);
        loop {
            let available = self.input.fill_buf().await.ok()?;
            let end = memchr::memchr(b'\n', available);
            let is_over = end.is_some() || available.is_empty();
            let count = end.map_or(available.len(), |at| at + 1);
            self.line.add(&available[..count]);
            self.input.consume(count);
            if is_over {
                return Some(std::mem::take(&mut self.line)).filter(|line| line.length > 0);
            }
        }
    }

    /// The next message of those that need no room.
    fn next_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while let Some(message) = self.messages.pop_front() {
            match &message {
                JsonRpcMessage::Request(_) => self.has_begun = true,
                JsonRpcMessage::Notification(notification) => {
                    if let ClientNotification::CancelledNotification(cancelled) =
                        &notification.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        // A cancelled call has no answer.
                        self.waiting.retain(|(call, _)| call.id != *id);
                        self.close_in_batch(id, None);
                    }
                }
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
            if self.has_begun {
                return Some(message);
            }
        }
        None
    }

    /// Waits until there is room for the first call that waits; without one, for ever.
    fn room(&self) -> impl Future<Output = Option<OwnedSemaphorePermit>> + use<> {
        let calls = Arc::clone(&self.calls);
        let size = self.waiting.front().map(|(_, size)| *size);
        async move {
            match size {
                Some(size) => calls.acquire_many_owned(size).await.ok(),
                None => std::future::pending().await,
            }
        }
    }

    /// The first call that waits, with its room.
    fn next_call(&mut self, room: OwnedSemaphorePermit) -> Option<RxJsonRpcMessage<RoleServer>> {
        let (mut call, _) = self.waiting.pop_front()?;
        // The room is free when the call has dropped its context.
        call.request.extensions_mut().insert(Arc::new(room));
        Some(JsonRpcMessage::Request(call))
    }

    /// Takes a message that was read. `calls`: what a call counts as.
    fn add(&mut self, message: RxJsonRpcMessage<RoleServer>, calls: u32) {
        match message {
            JsonRpcMessage::Request(call)
                if !matches!(call.request, ClientRequest::InitializeRequest(_)) =>
            {
                self.waiting.push_back((call, calls));
            }
            message => self.messages.push_back(message),
        }
    }

    /// Reads a line: its messages come next, and what can't be read is answered.
    fn take(&mut self, line: &ClientLine) {
        let values = count_values(&line.beginning);
        let calls = 1 + line.length / BYTES_OF_CALL + values / VALUES_OF_CALL;
        let calls = u32::try_from(calls).unwrap_or(u32::MAX);
        match line.read(values, self.has_batches) {
            Ok(Line::Nothing) => {}
            Ok(Line::Message(message)) => self.add(*message, calls),
            Ok(Line::Batch(values)) => self.take_batch(values, calls),
            Err(error) => self.refuse(answer_to(error)),
        }
    }

    fn take_batch(&mut self, values: Vec<Value>, calls: u32) {
        let mut batch = Batch::default();
        for value in values {
            match read_message(&value) {
                Ok(Some(message)) => {
                    if let JsonRpcMessage::Request(request) = &message {
                        let id = &request.id;
                        if batch.open.contains(id)
                            || self.batches.iter().any(|other| other.open.contains(id))
                        {
                            let error =
                                ErrorData::invalid_request(anvil_messages::mcp::SAME_ID, None);
                            let id = Some(id.clone());
                            batch.answers.push(answer_to(UnreadableLine { error, id }));
                            continue;
                        }
                        batch.open.push(id.clone());
                    }
                    self.add(message, calls);
                }
                Ok(None) => {}
                Err(error) => batch.answers.push(answer_to(error)),
            }
        }
        self.batches.push(batch);
        self.send_whole_batches();
    }

    /// Takes the answer to a request of a batch. Gives it back if the request is of none.
    fn close_in_batch(
        &mut self,
        id: &RequestId,
        answer: Option<TxJsonRpcMessage<RoleServer>>,
    ) -> Option<TxJsonRpcMessage<RoleServer>> {
        let of_batch = self
            .batches
            .iter_mut()
            .find_map(|batch| Some((batch.open.iter().position(|open| open == id)?, batch)));
        let Some((at, batch)) = of_batch else { return answer };
        batch.open.swap_remove(at);
        batch.answers.extend(answer);
        self.send_whole_batches();
        None
    }

    fn send_whole_batches(&mut self) {
        let whole = self.batches.extract_if(.., |batch| batch.open.is_empty());
        let answers: Vec<_> =
            whole.map(|batch| batch.answers).filter(|answers| !answers.is_empty()).collect();
        for batch in &answers {
            self.refuse(batch);
        }
    }

    /// Sends an answer that is not that of a call.
    fn refuse(&mut self, answer: impl Serialize) {
        while self.refusals.try_join_next().is_some() {}
        let written = self.write(serde_json::to_vec(&answer));
        self.refusals.spawn(written);
    }

    /// Writes a line. Until it is read, it counts as unread.
    fn write(
        &self,
        line: serde_json::Result<Vec<u8>>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static + use<> {
        let unread = Arc::clone(&self.unread).try_acquire_owned();
        let output = Arc::clone(&self.output);
        async move {
            let mut line = line?;
            line.push(b'\n');
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await?;
            drop(unread);
            Ok(())
        }
    }
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let id = match &item {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(agreed) = &response.result {
                    self.has_batches = agreed.protocol_version == ProtocolVersion::V_2025_03_26;
                }
                Some(response.id.clone())
            }
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let item = match id {
            Some(id) => self.close_in_batch(&id, Some(item)),
            None => Some(item),
        };
        let written = item.map(|item| self.write(serde_json::to_vec(&item)));
        async move {
            match written {
                Some(written) => written.await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.next_message() {
                return Some(message);
            }
            if self.is_over && self.waiting.is_empty() {
                break;
            }
            let waiting: u32 = self.waiting.iter().map(|(_, calls)| calls).sum();
            let reads_on = !self.is_over && waiting < MAX_WAITING;
            let room = self.room();
            tokio::select! {
                biased;
                room = room => return self.next_call(room?),
                line = self.next_line(), if reads_on => match line {
                    Some(line) => self.take(&line),
                    None => self.is_over = true,
                },
            }
        }
        self.has_left.send_replace(true);
        while self.refusals.join_next().await.is_some() {}
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.lock().await.shutdown().await
    }
}

fn answer_to(UnreadableLine { error, id }: UnreadableLine) -> TxJsonRpcMessage<RoleServer> {
    TxJsonRpcMessage::<RoleServer>::error(error, id)
}

/// What a line is.
enum Line {
    /// It is blank, or is not answered.
    Nothing,
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Batch(Vec<Value>),
}

/// An unreadable line: the error, and the message's id if that is readable.
#[derive(Debug)]
struct UnreadableLine {
    error: ErrorData,
    id: Option<RequestId>,
}

/// A line of the client. Only the ends of a line that is too long are kept.
#[derive(Debug, Default)]
struct ClientLine {
    length: usize,
    beginning: Vec<u8>,
    end: Vec<u8>,
}

/// A message, reduced to its id.
#[derive(Deserialize)]
struct Identified {
    id: RequestId,
}

impl ClientLine {
    fn add(&mut self, part: &[u8]) {
        self.length = self.length.saturating_add(part.len());
        if self.length <= MAX_LINE {
            self.beginning.extend_from_slice(part);
        } else if self.beginning.len() > ENDS {
            self.beginning.truncate(ENDS);
            self.beginning.shrink_to_fit();
        }
        self.end.extend_from_slice(&part[part.len().saturating_sub(ENDS)..]);
        self.end.drain(..self.end.len().saturating_sub(ENDS));
    }

    /// `values`: how many it has.
    fn read(&self, values: usize, has_batches: bool) -> Result<Line, UnreadableLine> {
        let refused = |why: &'static str| {
            let error = ErrorData::invalid_request(why, None);
            Err(UnreadableLine { error, id: self.id() })
        };
        if self.length > MAX_LINE {
            return refused(anvil_messages::mcp::LINE_TOO_LONG);
        }
        let line = self.beginning.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&self.beginning);
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(Line::Nothing);
        }
        if values > MAX_VALUES {
            return refused(anvil_messages::mcp::LINE_OF_MANY);
        }
        if let Ok(message) = from_json(line) {
            return Ok(Line::Message(Box::new(message)));
        }
        match from_json(line) {
            Ok(Value::Array(values)) if has_batches && !values.is_empty() => {
                if values.len() > MAX_BATCH {
                    return refused(anvil_messages::mcp::LONG_BATCH);
                }
                Ok(Line::Batch(values))
            }
            Ok(value) => unknown(&value).map(|()| Line::Nothing),
            Err(_) => {
                let error = ErrorData::parse_error(anvil_messages::mcp::LINE_UNREADABLE, None);
                Err(UnreadableLine { error, id: self.id() })
            }
        }
    }

    /// The message's id, if it is at one of the ends.
    fn id(&self) -> Option<RequestId> {
        id_before(&String::from_utf8_lossy(&self.beginning))
            .or_else(|| id_after(&String::from_utf8_lossy(&self.end)))
    }
}

/// The number of values in JSON, before anything is parsed: only marks outside of texts count.
fn count_values(json: &[u8]) -> usize {
    let mut is_text = false;
    let mut is_escaped = false;
    let mut marks = 0;
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => marks += 1,
            _ => {}
        }
    }
    marks
}

/// A message of a batch. `None`: it is not answered.
fn read_message(value: &Value) -> Result<Option<RxJsonRpcMessage<RoleServer>>, UnreadableLine> {
    match ClientJsonRpcMessage::deserialize(value) {
        Ok(message) => Ok(Some(message)),
        Err(_) => unknown(value).map(|()| None),
    }
}

/// A value that is no message. `Ok`: it is not answered.
fn unknown(value: &Value) -> Result<(), UnreadableLine> {
    let method = &value["method"];
    let id = value.get("id");
    let is_notification = method.is_string() && id.is_none();
    let is_answer =
        method.is_null() && (value.get("result").is_some() || value.get("error").is_some());
    if is_notification || is_answer {
        return Ok(());
    }
    let error = ErrorData::invalid_request(anvil_messages::mcp::NO_MESSAGE, None);
    Err(UnreadableLine { error, id: id.and_then(|id| from_json(id.to_string()).ok()) })
}

/// Finds the id among the first members of the object. The text before it must be a complete
/// object, so the id is not in a nested one.
fn id_before(beginning: &str) -> Option<RequestId> {
    let (before, after) = beginning.split_once("\"id\"")?;
    let before = before.trim_end();
    let before = format!("{}}}", before.strip_suffix(',').unwrap_or(before));
    from_json::<Map<_, Value>>(&before).ok()?;
    let value = after.trim_start().strip_prefix(':')?.trim_start();
    let end = match value.strip_prefix('"') {
        Some(text) => 2 + memchr::memchr2(b'"', b'\\', text.as_bytes())?,
        // A number may have more digits than were kept.
        None => value.find([',', '}'])?,
    };
    from_json(value.get(..end)?).ok()
}

/// Finds the id among the last members of the object: from it to the end of the line, only the
/// opening brace is missing.
fn id_after(end: &str) -> Option<RequestId> {
    let at = end.rfind("\"id\"")?;
    let is_name = end[..at].trim_end().ends_with([',', '{']);
    let found: Option<Identified> = from_json(format!("{{{}", &end[at..])).ok();
    found.filter(|_| is_name).map(|found| found.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(line: &str) -> Option<RequestId> {
        let mut kept = ClientLine::default();
        line.as_bytes().chunks(100).for_each(|part| kept.add(part));
        assert!(kept.length == line.len() && kept.end.len() <= ENDS);
        kept.beginning.truncate(ENDS);
        kept.id()
    }

    #[test]
    fn the_id_of_a_long_line_is_found_on_both_sides() {
        let long = "x".repeat(5_000);
        let seven = Some(RequestId::Number(7));
        for line in [
            format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"params\":{{\"a\":\"{long}\"}}}}\n"),
            format!("{{ \"id\" : 7 , \"params\":\"{long}\"}}\n"),
            format!("{{\"params\":{{\"a\":\"{long}\"}},\"jsonrpc\":\"2.0\",\"id\":7}}\r\n"),
            format!(
                "{{\"params\":{{\"id\":1,\"a\":\"{long}\"}}, \"id\": 7, \"jsonrpc\":\"2.0\"}}\n"
            ),
        ] {
            assert_eq!(id(&line), seven, "{line}");
        }
        assert_eq!(
            id(&format!("{{\"a\":\"{long}\",\"id\":\"b\"}}\n")),
            Some(RequestId::String("b".into()))
        );
        for line in [
            format!("{{\"params\":{{\"id\":7,\"a\":\"{long}\"}}}}\n"),
            format!("{{\"params\":{{\"a\":\"{long}\",\"id\":7}}}}\n"),
            format!("{{\"a\":\"{long}\",\"b,\\\"id\":7}}\n"),
            format!("{{\"a\":\"{long}\",\"id\":7.5}}\n"),
            format!("{long}\n"),
        ] {
            assert_eq!(id(&line), None, "{line}");
        }
    }
}
