//! The server: answers the protocol's requests with the tools, the resources and the prompt.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptArgument,
    PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ResourceUpdatedNotificationParam, Role, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};

use super::calls::blocking;
use super::held::Held;
use super::outward::Outward;
use super::subscriptions::{Watched, watch};
use super::{resources, tools, uri};
use crate::error::Error;
use crate::messages;
use crate::system::world::World;
use crate::text::visible;

const PROMPT: &str = "debate";

/// The server of one client.
#[derive(Debug)]
pub(super) struct Server {
    world: World,
    held: Arc<Held>,
    watched: Watched,
}

impl Server {
    pub(super) fn new(world: World) -> Self {
        Self { world, held: Arc::default(), watched: Watched::default() }
    }

    fn wrong(&self, error: &Error) -> ErrorData {
        ErrorData::invalid_params(Outward::new(&self.world).error(error), None)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("anvil", env!("CARGO_PKG_VERSION")))
            .with_instructions(messages::mcp::INSTRUCTIONS)
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
        let cancelled = context.ct.cancelled();
        let called =
            tools::call(&self.world, &self.held, &request.name, arguments, client, cancelled);
        Ok(called.await.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let Some(from) = cursor.map_or(Some(0), |cursor| cursor.parse().ok()) else {
            let error = messages::mcp::wrong_arguments("the cursor is not one of this list");
            return Err(self.wrong(&error));
        };
        let world = self.world.at_this_moment();
        let listed = blocking(move || resources::list(&world, from)).await.flatten();
        let (resources, next) = listed.map_err(|error| self.wrong(&error))?;
        let mut listed = ListResourcesResult::with_all_items(resources);
        listed.next_cursor = next.map(|next| next.to_string());
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (world, held, uri) =
            (self.world.at_this_moment(), Arc::clone(&self.held), request.uri.clone());
        let read = blocking(move || resources::read(&world, &held, &uri)).await.flatten();
        let (text, mime) = read.map_err(|error| {
            ErrorData::resource_not_found(Outward::new(&self.world).error(&error), None)
        })?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(mime);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument = |name: &str, description: &str| {
            PromptArgument::new(name).with_description(description).with_required(false)
        };
        let arguments = vec![
            argument("question", messages::mcp::PROMPT_QUESTION),
            argument("seat", messages::mcp::PROMPT_SEAT),
        ];
        let prompt = Prompt::new(PROMPT, Some(messages::mcp::PROMPT), Some(arguments));
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != PROMPT {
            return Err(self.wrong(&messages::mcp::no_prompt(&request.name)));
        }
        let arguments = request.arguments.unwrap_or_default();
        let given = |name: &str| {
            let text = arguments.get(name)?.as_str()?.trim();
            (!text.is_empty()).then(|| visible(text).0.into_owned())
        };
        let text =
            messages::mcp::debate_prompt(given("question").as_deref(), given("seat").as_deref());
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    /// Clients of protocols before 2026-07-28 call this.
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if uri::parse(&request.uri).is_none() {
            return Err(self.wrong(&messages::mcp::no_resource(&request.uri)));
        }
        if self.watched.add(&self.world, &request.uri) {
            let (world, watched, peer) =
                (self.world.clone(), self.watched.clone(), context.peer.clone());
            tokio::spawn(async move {
                let tell = |uri: String| {
                    let peer = peer.clone();
                    let uri = ResourceUpdatedNotificationParam::new(uri);
                    async move { peer.notify_resource_updated(uri).await.is_ok() }
                };
                watch(&world, &watched, tell).await;
            });
        }
        Ok(())
    }

    /// Clients of protocols before 2026-07-28 call this.
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten();
        let known: Vec<String> = uris.filter(|uri| uri::parse(uri).is_some()).cloned().collect();
        let mut filter = SubscriptionFilter::new();
        filter.resource_subscriptions = (!known.is_empty()).then_some(known);
        Some(filter)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let watched = Watched::default();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            watched.add(&self.world, uri);
        }
        let tell = |uri: String| {
            let sink = context.sink().clone();
            async move { sink.notify_resource_updated(uri).await.is_ok() }
        };
        tokio::select! {
            () = context.cancelled() => {}
            () = watch(&self.world, &watched, tell) => {}
        }
        Ok(())
    }
}
