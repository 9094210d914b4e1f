//! The server's standard input and output.

use std::io;

use anvil_text::from_json;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, BufReader, Empty, Stdin, Stdout};
use tokio::task::JoinSet;

/// Most bytes of a line.
const MAX_LINE: usize = 10 * 1024 * 1024;

/// Bytes at the beginning and end of a longer line that are searched for its id.
const ENDS: usize = 256;

/// The client's lines. Each that can't be read has an answer, but no notification and no answer of
/// the client has one. A message before `initialize` that is not a request is skipped: it would end
/// the server.
pub(crate) struct Wire {
    input: BufReader<Stdin>,
    /// The line so far: the server stops waiting for it whenever an answer is ready.
    line: ClientLine,
    output: AsyncRwTransport<RoleServer, Empty, Stdout>,
    /// The answers to unreadable lines.
    refusals: JoinSet<io::Result<()>>,
    has_begun: bool,
}

impl Wire {
    pub(crate) fn standard() -> Self {
        Self {
            input: BufReader::new(tokio::io::stdin()),
            line: ClientLine::default(),
            output: AsyncRwTransport::new_server(tokio::io::empty(), tokio::io::stdout()),
            refusals: JoinSet::new(),
            has_begun: false,
        }
    }

    /// The next line. `None`: the client has left.
    async fn next_line(&mut self) -> Option<ClientLine> {
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
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.output.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while let Some(line) = self.next_line().await {
            match line.read() {
                Ok(Some(message)) => {
                    let is_request = matches!(&message, ClientJsonRpcMessage::Request(_));
                    if let ClientJsonRpcMessage::Request(request) = &message {
                        self.has_begun |=
                            matches!(request.request, ClientRequest::InitializeRequest(_));
                    }
                    if is_request || self.has_begun {
                        return Some(message);
                    }
                }
                Ok(None) => {}
                Err(UnreadableLine { error, id }) => {
                    while self.refusals.try_join_next().is_some() {}
                    let answer = TxJsonRpcMessage::<RoleServer>::error(error, id);
                    self.refusals.spawn(self.output.send(answer));
                }
            }
        }
        while self.refusals.join_next().await.is_some() {}
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.close().await
    }
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

    /// The message. `None`: a blank line, or one that is not answered.
    fn read(&self) -> Result<Option<RxJsonRpcMessage<RoleServer>>, UnreadableLine> {
        if self.length > MAX_LINE {
            let error = ErrorData::invalid_request(anvil_messages::mcp::LINE_TOO_LONG, None);
            return Err(UnreadableLine { error, id: self.id() });
        }
        let line = self.beginning.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&self.beginning);
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        if let Ok(message) = from_json(line) {
            return Ok(Some(message));
        }
        let Ok(value) = from_json::<Value>(line) else {
            let error = ErrorData::parse_error(anvil_messages::mcp::LINE_UNREADABLE, None);
            return Err(UnreadableLine { error, id: self.id() });
        };
        let method = &value["method"];
        let id = value.get("id");
        let is_notification = method.is_string() && id.is_none();
        let is_answer =
            method.is_null() && (value.get("result").is_some() || value.get("error").is_some());
        if is_notification || is_answer {
            return Ok(None);
        }
        let error = ErrorData::invalid_request(anvil_messages::mcp::NO_MESSAGE, None);
        Err(UnreadableLine { error, id: id.and_then(|id| from_json(id.to_string()).ok()) })
    }

    /// The message's id, if it is at one of the ends.
    fn id(&self) -> Option<RequestId> {
        id_before(&String::from_utf8_lossy(&self.beginning))
            .or_else(|| id_after(&String::from_utf8_lossy(&self.end)))
    }
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
