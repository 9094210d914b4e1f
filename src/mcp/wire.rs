//! The server's standard input and output.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use tokio::io::{AsyncRead, ReadBuf, Stdin, Stdout};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::messages;

/// Most bytes of a line.
const MAX_LINE: usize = 10 * 1024 * 1024;

/// Bytes at a line's beginning and end that are searched for its id.
const ENDS: usize = 256;

/// The client's lines. A message before `initialize` that is not a request is skipped: it would end
/// the server.
pub(super) struct Wire {
    lines: AsyncRwTransport<RoleServer, Measured<Stdin>, Stdout>,
    /// The ids of lines that were too long, where they could be read.
    too_long: UnboundedReceiver<Option<RequestId>>,
    has_begun: bool,
}

impl Wire {
    pub(super) fn standard() -> Self {
        let (input, output) = rmcp::transport::stdio();
        let (sender, too_long) = unbounded_channel();
        let input = Measured { input, line: Line::default(), too_long: sender };
        let lines = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_LINE);
        Self { lines, too_long, has_begun: false }
    }

    /// Answers a line that was dropped. The answer is on its way when this returns, even if the
    /// caller does not wait for it.
    fn refuse(&mut self, id: Option<RequestId>) -> tokio::task::JoinHandle<io::Result<()>> {
        let error = ErrorData::invalid_request(messages::mcp::LINE_TOO_LONG, None);
        tokio::spawn(self.lines.send(TxJsonRpcMessage::<RoleServer>::error(error, id)))
    }
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = tokio::select! {
                biased;
                Some(id) = self.too_long.recv() => {
                    self.refuse(id);
                    continue;
                }
                message = self.lines.receive() => message,
            };
            let Some(message) = message else {
                // The client wrote a line that was too long, and left.
                while let Ok(id) = self.too_long.try_recv() {
                    let _ = self.refuse(id).await;
                }
                return None;
            };
            match &message {
                ClientJsonRpcMessage::Request(request) => {
                    self.has_begun |=
                        matches!(request.request, ClientRequest::InitializeRequest(_));
                    return Some(message);
                }
                _ if self.has_begun => return Some(message),
                _ => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close().await
    }
}

/// An input that measures its lines: the transport drops a line that is too long without an answer.
struct Measured<R> {
    input: R,
    line: Line,
    too_long: UnboundedSender<Option<RequestId>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Measured<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.input).poll_read(context, buffer))?;
        for part in buffer.filled()[before..].split_inclusive(|byte| *byte == b'\n') {
            this.line.add(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut this.line);
                if line.length > MAX_LINE {
                    // The server is ending if the channel is closed.
                    let _ = this.too_long.send(line.id());
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// The parts of a line that are kept while it is read.
#[derive(Debug, Default)]
struct Line {
    length: usize,
    beginning: Vec<u8>,
    end: Vec<u8>,
}

/// A message, reduced to its id.
#[derive(Deserialize)]
struct Identified {
    id: RequestId,
}

impl Line {
    fn add(&mut self, part: &[u8]) {
        self.length = self.length.saturating_add(part.len());
        let room = ENDS.saturating_sub(self.beginning.len()).min(part.len());
        self.beginning.extend_from_slice(&part[..room]);
        self.end.extend_from_slice(&part[part.len().saturating_sub(ENDS)..]);
        self.end.drain(..self.end.len().saturating_sub(ENDS));
    }

    /// The message's id, if it stands before or after the long part.
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
    serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(&before).ok()?;
    let value = after.trim_start().strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<RequestId>();
    let id = values.next()?.ok()?;
    // A number may have more digits than were kept.
    (values.byte_offset() < value.len()).then_some(id)
}

/// Finds the id among the last members of the object: from it to the end of the line, only the
/// opening brace is missing.
fn id_after(end: &str) -> Option<RequestId> {
    let at = end.rfind("\"id\"")?;
    let is_name = end[..at].trim_end().ends_with([',', '{']);
    let found: Option<Identified> = serde_json::from_str(&format!("{{{}", &end[at..])).ok();
    found.filter(|_| is_name).map(|found| found.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(line: &str) -> Option<RequestId> {
        let mut kept = Line::default();
        line.as_bytes().chunks(100).for_each(|part| kept.add(part));
        assert!(
            kept.length == line.len() && kept.beginning.len() <= ENDS && kept.end.len() <= ENDS
        );
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
