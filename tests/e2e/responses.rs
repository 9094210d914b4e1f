//! The Responses API: the [`mock`](crate::mock)'s answers in the shapes that codex reads.

use std::io;

use serde_json::{Value, json};

use crate::mock::{End, Hold, Stream, Used};

/// Streams this text, up to its end if it has one, and then tool calls. Without text there is no
/// message.
pub(crate) fn stream(
    out: &mut Stream,
    (text, used): (&str, Used),
    calls: &[(&str, &Value)],
    end: End,
    hold: Hold,
) -> io::Result<()> {
    out.event(&json!({"type": "response.created", "response": {"id": "resp_1"}}))?;
    if !text.is_empty() {
        out.event(
            &json!({"type": "response.output_item.added", "output_index": 0, "item": item(&[])}),
        )?;
        out.pieces(text, hold, |piece| {
            let at = json!({"item_id": "msg_1", "output_index": 0, "content_index": 0});
            merged(json!({"type": "response.output_text.delta", "delta": piece}), at)
        })?;
    }
    if end == End::Broken {
        return Ok(());
    }
    if !text.is_empty() && end != End::Cut {
        let content = match end {
            End::Refused => json!({"type": "refusal", "refusal": text}),
            _ => json!({"type": "output_text", "text": text, "annotations": []}),
        };
        out.event(&json!({"type": "response.output_item.done", "output_index": 0, "item": item(&[content])}))?;
    }
    for (at, (tool, input)) in calls.iter().enumerate() {
        // The name of a server's tool includes the server's name.
        let (namespace, name) = tool.rsplit_once("__").unwrap_or(("", tool));
        let id = format!("call_{at}");
        let call = json!({"type": "function_call", "id": id, "call_id": id, "namespace": namespace, "name": name,
            "arguments": input.to_string()});
        out.event(&json!({"type": "response.output_item.done", "output_index": at, "item": call}))?;
    }
    let response = json!({"id": "resp_1", "usage": {
        "input_tokens": used.fresh + used.cached,
        "input_tokens_details": {"cached_tokens": used.cached},
        "output_tokens": used.out, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used.sum(),
    }});
    let how = match end {
        End::Cut => {
            let why = json!({"incomplete_details": {"reason": "max_output_tokens"}});
            json!({"type": "response.incomplete", "response": merged(response, why)})
        }
        _ => json!({"type": "response.completed", "response": response}),
    };
    out.event(&how)
}

fn item(content: &[Value]) -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "content": content})
}

fn merged(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}
