//! The server: answers the protocol's requests with the tools and the prompt.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, JsonObject, ListPromptsResult, ListToolsResult,
    PaginatedRequestParams, Prompt, PromptArgument, PromptMessage, Role, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use tokio::sync::watch;

use super::held::Held;
use super::outward;
use super::tools;
use crate::error::McpError;
use anvil_system::world::World;
use anvil_text::error::Error;
use anvil_text::visible;

const PROMPT: &str = "debate";

/// The server of one client.
#[derive(Debug)]
pub(crate) struct McpServer {
    world: World,
    held: Arc<Held>,
    /// True: the client has left.
    leaves: watch::Receiver<bool>,
}

impl McpServer {
    pub(crate) fn new(world: World, leaves: watch::Receiver<bool>) -> Self {
        Self { world, held: Arc::default(), leaves }
    }

    fn wrong(&self, error: &Error) -> ErrorData {
        ErrorData::invalid_params(outward::error(&self.world, error), None)
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("anvil", env!("CARGO_PKG_VERSION")))
            .with_instructions(anvil_messages::mcp::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let arguments = request.arguments.unwrap_or_default();
        let mut leaves = self.leaves.clone();
        let cancelled = async {
            tokio::select! {
                () = context.ct.cancelled() => {}
                _ = leaves.wait_for(|has_left| *has_left) => {}
            }
        };
        let called =
            tools::call(&self.world, &self.held, &request.name, arguments, client, cancelled);
        Ok(called.await.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let arguments = vec![
            optional_argument("question", anvil_messages::mcp::PROMPT_QUESTION),
            optional_argument("seat", anvil_messages::mcp::PROMPT_SEAT),
        ];
        let prompt = Prompt::new(PROMPT, Some(anvil_messages::mcp::PROMPT), Some(arguments));
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != PROMPT {
            return Err(self.wrong(&McpError::NoPrompt(request.name).into()));
        }
        let arguments = request.arguments.unwrap_or_default();
        let question = argument_text(&arguments, "question");
        let seat = argument_text(&arguments, "seat");
        let text = anvil_messages::mcp::debate_prompt(question.as_deref(), seat.as_deref());
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }
}

fn optional_argument(name: &str, description: &str) -> PromptArgument {
    PromptArgument::new(name).with_description(description).with_required(false)
}

/// The text of an argument of a prompt, if it is not blank.
fn argument_text(arguments: &JsonObject, name: &str) -> Option<String> {
    let text = arguments.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| visible(text).0.into_owned())
}
