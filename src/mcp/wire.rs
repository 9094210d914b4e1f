//! Standard input and output, as the server has them.

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{Stdin, Stdout};

/// The client's lines. What comes before a session has begun and can't begin one is passed over: it would end the server.
pub(super) struct Wire {
    lines: AsyncRwTransport<RoleServer, Stdin, Stdout>,
    has_begun: bool,
}

impl Wire {
    /// Standard input and output.
    pub(super) fn standard() -> Self {
        let (input, output) = rmcp::transport::stdio();
        Self { lines: AsyncRwTransport::new_server(input, output), has_begun: false }
    }
}

impl Transport<RoleServer> for Wire {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.lines.receive().await?;
            match &message {
                ClientJsonRpcMessage::Request(request) => {
                    self.has_begun |= matches!(request.request, ClientRequest::InitializeRequest(_));
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
