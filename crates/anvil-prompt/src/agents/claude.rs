//! The output of `claude -p --output-format stream-json`: one event a line, the last one `result`
//! (measured on 2.1.330).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::own_words::kind_of_status;
use super::printed::{AgentAnswer, Failure, Figures, Printed, Retry, misshapen};
use anvil_core::attempt::FailureKind;
use anvil_core::reply::Usage;
use anvil_core::transcript::count_words;
use anvil_text::from_json;

/// The last event. Its keys have no order. An invalid number does not invalidate the reply.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Ended {
    is_error: bool,
    num_turns: Option<Box<RawValue>>,
    result: String,
    subtype: String,
    stop_reason: Option<String>,
    terminal_reason: Option<String>,
    api_error_status: Option<Box<RawValue>>,
    api_error: Option<String>,
    total_cost_usd: Option<Box<RawValue>>,
    #[serde(rename = "modelUsage")]
    usage: Option<Box<RawValue>>,
}

impl Ended {
    /// The tokens of all models, and the model that wrote most. The event's field `usage` is empty
    /// if the run was cut off.
    fn figures(&self) -> Figures {
        let models: BTreeMap<String, BTreeMap<String, Box<RawValue>>> =
            parse_value(self.usage.as_deref()).unwrap_or_default();
        let usages: Vec<(&String, Usage)> =
            models.iter().map(|(name, model)| (name, usage(model))).collect();
        Figures {
            model: usages
                .iter()
                .max_by_key(|(_, usage)| usage.out)
                .map(|(name, _)| (*name).clone()),
            usage: usages.iter().map(|(_, usage)| *usage).reduce(Usage::plus),
            cost: parse_value(self.total_cost_usd.as_deref()),
        }
    }
}

fn usage(model: &BTreeMap<String, Box<RawValue>>) -> Usage {
    let count = |name: &str| parse_value(model.get(name).map(|raw| &**raw)).unwrap_or(0_u64);
    Usage {
        fresh: count("inputTokens").saturating_add(count("cacheCreationInputTokens")),
        cached: count("cacheReadInputTokens"),
        out: count("outputTokens"),
    }
}

fn parse_value<T: DeserializeOwned>(value: Option<&RawValue>) -> Option<T> {
    from_json(value?.get()).ok()
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CallHead {
    r#type: String,
}

/// Facts from the lines before the last one.
#[derive(Default)]
struct Before {
    /// The client's name for an error.
    error: String,
    /// When the used-up quota is available again, in seconds since 1970.
    resets_at: Option<i64>,
    /// The texts of the newest message.
    texts: Vec<String>,
    /// The messages right before it that were cut off: it goes on with them, in the middle of a
    /// word. `result` has only the last message (2.1.331).
    cut: String,
}

impl Before {
    fn add(&mut self, kind: &str, event: &Value) {
        match kind {
            "rate_limit_event" => {
                let limit = &event["rate_limit_info"];
                self.resets_at =
                    limit["resetsAt"].as_i64().filter(|_| limit["status"] == "rejected");
            }
            _ if !event["parent_tool_use_id"].is_null() => {}
            "assistant" => {
                if let Some(error) = event["error"].as_str() {
                    error.clone_into(&mut self.error);
                }
                let blocks = event["message"]["content"].as_array().into_iter().flatten();
                let texts = blocks.filter_map(|block| block["text"].as_str().map(str::to_owned));
                self.texts.extend(texts);
            }
            "stream_event" => match event["event"]["type"].as_str() {
                Some("message_start") => self.texts.clear(),
                Some("message_delta") => match event["event"]["delta"]["stop_reason"].as_str() {
                    Some("max_tokens" | "pause_turn") => {
                        self.cut.push_str(&self.texts.join("\n\n"));
                        self.texts.clear();
                    }
                    Some("tool_use") => self.cut.clear(),
                    _ => {}
                },
                _ => {}
            },
            _ => {}
        }
    }

    /// The whole reply, from the text of its last message.
    fn whole(self, result: String) -> String {
        if self.cut.is_empty() { result } else { self.cut + &self.texts.join("\n\n") }
    }
}

/// Reads the output of an ended run.
pub fn answer(printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    let mut before = Before::default();
    let mut ended = None;
    let mut results = 0;
    for line in printed.output.split(|byte| *byte == b'\n') {
        // Most lines are pieces of text.
        if memchr::memmem::find(line, b"\"text_delta\"").is_some() {
            continue;
        }
        let Ok(head) = from_json::<CallHead>(line) else { continue };
        if head.r#type == "result" {
            results += 1;
            ended = from_json::<Ended>(line).ok();
            continue;
        }
        let Ok(event) = from_json::<Value>(line) else { continue };
        before.add(&head.r#type, &event);
    }
    let Some(ended) = ended else {
        // An event in JSON is no message for the user.
        let printed = Printed { output: b"", ..*printed };
        return Err(misshapen(&printed, "it ended without a result"));
    };
    let figures = ended.figures();
    if results > 1 {
        let two = Failure::new(FailureKind::Misshapen, &format!("it printed {results} replies"));
        return Err(Failure { figures, ..two });
    }
    match failure(&ended, &before, printed.code) {
        None => Ok(AgentAnswer { text: before.whole(ended.result), figures }),
        Some(kind) => {
            let message = if ended.result.is_empty() { &ended.subtype } else { &ended.result };
            // An empty account comes back by no clock.
            let is_limit = kind == FailureKind::Quota && before.error != "billing_error";
            let retry = before.resets_at.filter(|_| is_limit).map(Retry::At);
            Err(Failure { retry, figures, ..Failure::new(kind, message) })
        }
    }
}

/// The kind of failure, by the fields of the events. The text decides only if no field does.
fn failure(ended: &Ended, before: &Before, code: Option<i32>) -> Option<FailureKind> {
    let status: Option<u64> = parse_value(ended.api_error_status.as_deref());
    let terminal = ended.terminal_reason.as_deref().unwrap_or_default();
    let api_error = ended.api_error.as_deref().unwrap_or_default();
    let is_login = matches!(status, Some(401 | 403))
        || before.error == "authentication_failed"
        || ended.is_error && ended.result.starts_with("Not logged in");
    let is_quota = api_error == "usage_limit_reached"
        || before.error == "billing_error"
        || before.resets_at.is_some() && status == Some(429)
        || ended.is_error && ended.result.contains("API usage limits");
    Some(match status {
        _ if terminal == "aborted_streaming" => FailureKind::Interrupted,
        _ if ended.stop_reason.as_deref() == Some("refusal") => FailureKind::Refusal,
        _ if ended.subtype == "error_max_budget_usd" || is_quota => FailureKind::Quota,
        _ if is_login => FailureKind::Login,
        _ if terminal == "prompt_too_long" || api_error == "max_output_tokens" => {
            FailureKind::Rejected
        }
        Some(status) if ended.is_error => kind_of_status(status),
        _ if api_error == "connection_failed" || before.error == "server_error" => {
            FailureKind::Transient
        }
        _ if ended.is_error || ended.subtype != "success" || code != Some(0) => FailureKind::Crash,
        _ if parse_value::<f64>(ended.num_turns.as_deref()).is_none_or(|turns| turns == 0.0) => {
            FailureKind::Misshapen
        }
        _ => return None,
    })
}

/// The kind of failure that Claude Code reports in a conversation, where it has only a text:
/// `API Error: 529 {…}`. An unknown text is worth another try.
pub fn kind_of_api_error(text: &str) -> FailureKind {
    const KINDS: [(FailureKind, &[&str]); 3] = [
        (FailureKind::Quota, &["usage limit", "Credit balance", "hit your limit"]),
        (FailureKind::Login, &["/login", "Not logged in", "Invalid API key"]),
        (FailureKind::Rejected, &["Prompt is too long", "Usage Policy"]),
    ];
    for (kind, phrases) in KINDS {
        if phrases.iter().any(|phrase| text.contains(phrase)) {
            return kind;
        }
    }
    let status = text
        .strip_prefix("API Error: ")
        .map(|text| text.trim_start_matches("Repeated "))
        .and_then(|text| text.split_whitespace().next()?.parse().ok());
    match status.map(kind_of_status) {
        Some(FailureKind::Crash) | None => FailureKind::Transient,
        Some(kind) => kind,
    }
}

/// The client's report of an API error in a few words: `API error 529: Overloaded`.
pub fn brief_api_error(text: &str) -> String {
    let Some(report) = text.strip_prefix("API Error: ") else { return text.to_owned() };
    let (status, details) = report.split_once(' ').unwrap_or((report, ""));
    let (body, more) = match details.rfind('}') {
        Some(end) if details.starts_with('{') => details.split_at(end + 1),
        _ => ("", details),
    };
    let error = from_json::<Value>(body).ok();
    let message = error.as_ref().and_then(|error| error["error"]["message"].as_str());
    // An error of a proxy is a page.
    let more = more.trim_start_matches([' ', '·']).split('<').next().unwrap_or_default();
    let words = message.unwrap_or(more).trim().trim_end_matches('.');
    match (status.parse::<u16>(), words) {
        (Ok(status), "") => format!("API error {status}"),
        (Ok(status), words) => format!("API error {status}: {words}"),
        (Err(_), _) => format!("API error: {}", report.trim_end_matches('.')),
    }
}

/// Counts the words in the pieces of text that have arrived.
pub fn words_so_far(printed: &[u8]) -> usize {
    let mut text = String::new();
    for line in printed.split(|byte| *byte == b'\n') {
        if memchr::memmem::find(line, b"\"text_delta\"").is_some()
            && let Ok(event) = from_json::<Value>(line)
        {
            text.push_str(event["event"]["delta"]["text"].as_str().unwrap_or_default());
        }
    }
    count_words(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputFormat;

    #[test]
    fn an_api_error_of_a_conversation_is_sorted_by_its_status_and_words() {
        use FailureKind::{Login, Quota, Rejected, Transient};
        for (text, expected) in [
            ("API Error: 400 {\"type\":\"error\"}", Rejected),
            ("API Error: 529 {\"type\":\"error\"}", Transient),
            ("API Error: Repeated 529 Overloaded errors", Transient),
            ("API Error: 401 {} · Please run /login", Login),
            ("API Error (Request timed out.)", Transient),
            ("Claude AI usage limit reached|1795230000", Quota),
            ("Credit balance is too low", Quota),
            ("Invalid API key · Please run /login", Login),
            ("Prompt is too long", Rejected),
            ("Something else", Transient),
        ] {
            assert_eq!(kind_of_api_error(text), expected, "{text}");
        }
    }

    #[test]
    fn an_api_error_is_said_in_a_few_words() {
        for (text, brief) in [
            (
                r#"API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                "API error 529: Overloaded",
            ),
            ("API Error: 529", "API error 529"),
            ("API Error: 401 {} · Please run /login", "API error 401: Please run /login"),
            ("API Error: 500 <html><body>Bad", "API error 500"),
            ("API Error: Connection error.", "API error: Connection error"),
            ("API Error: Repeated 529 errors", "API error: Repeated 529 errors"),
            ("Prompt is too long", "Prompt is too long"),
        ] {
            assert_eq!(brief_api_error(text), brief);
        }
    }

    /// An event of several lines as one line.
    fn one_line(event: &str) -> String {
        event.lines().map(str::trim).collect()
    }

    /// The last line of a failed run, as 2.1.330 prints it, with the fields that show the kind.
    fn failed(terminal: &str, status: &str, result: &str) -> String {
        one_line(&format!(
            r#"{{"stop_reason":"stop_sequence","terminal_reason":"{terminal}",
                "is_error":true,"num_turns":1,
                "subtype":"success",{status}"result":"{result}","type":"result",
                "total_cost_usd":0}}"#
        ))
    }

    /// The line before it, with the client's own word for the error.
    fn synthetic(error: &str) -> String {
        one_line(&format!(
            r#"{{"type":"assistant","message":{{"model":"<synthetic>","content":[]}},
                "error":"{error}","is_api_error_message":true}}"#
        ))
    }

    fn kind(lines: &[String], code: i32) -> Result<String, FailureKind> {
        let printed = lines.join("\n");
        let printed = Printed { code: Some(code), output: printed.as_bytes(), stderr: b"" };
        crate::agents::answer(OutputFormat::Claude, &printed)
            .map(|answer| answer.text)
            .map_err(|failure| failure.kind)
    }

    #[test]
    fn only_a_limit_that_rejects_says_when_it_comes_back() {
        let retry = |status: &str, error: &str| {
            let printed = format!(
                r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"{status}","resetsAt":7}}}}
{{"type":"assistant","error":"{error}","message":{{"content":[]}}}}
{{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"num_turns":1,"result":"no"}}"#
            );
            let printed = Printed { code: Some(1), output: printed.as_bytes(), stderr: b"" };
            crate::agents::answer(OutputFormat::Claude, &printed).unwrap_err().retry
        };
        assert_eq!(retry("rejected", "rate_limit"), Some(Retry::At(7)));
        assert_eq!(retry("allowed_warning", "rate_limit"), None);
        assert_eq!(retry("rejected", "billing_error"), None, "an empty account");
    }

    #[test]
    fn the_fields_of_the_events_decide_the_kind_of_failure() {
        use FailureKind::{Interrupted, Login, Quota, Refusal, Rejected, Transient};
        let status = |status: u16| format!(r#""api_error_status":{status},"#);
        let limited = &one_line(
            r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected",
            "isUsingOverage":false}}"#,
        );
        let used_up = &one_line(
            r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected",
            "resetsAt":1795322800,"rateLimitType":"five_hour"}}"#,
        );
        let usage = r#""api_error_status":429,"api_error":"usage_limit_reached","#;
        let cut = r#""api_error_status":null,"api_error":"max_output_tokens","#;
        let lost = r#""api_error_status":null,"api_error":"connection_failed","#;
        let none = r#""api_error_status":null,"#;
        for (before, error, terminal, status, result, expected) in [
            (
                "",
                "server_error",
                "api_error",
                &*status(500),
                "API Error: 500 Internal server error.",
                Transient,
            ),
            (
                "",
                "server_error",
                "api_error",
                &status(529),
                "API Error: 529 Overloaded.",
                Transient,
            ),
            (
                "",
                "rate_limit",
                "api_error",
                &status(429),
                "API Error: Request rejected (429)",
                Transient,
            ),
            (
                limited,
                "rate_limit",
                "api_error",
                &status(429),
                "limiting requests (not your usage limit)",
                Transient,
            ),
            (
                used_up,
                "rate_limit",
                "api_error",
                usage,
                "You've hit your 5-hour limit · resets 4:46am (UTC)",
                Quota,
            ),
            ("", "billing_error", "api_error", &status(400), "Credit balance is too low", Quota),
            (
                "",
                "unknown",
                "api_error",
                &status(400),
                "API Error: 400 You have reached your specified API usage limits.",
                Quota,
            ),
            (
                "",
                "authentication_failed",
                "api_error",
                &status(401),
                "Invalid API key · Fix external API key",
                Login,
            ),
            (
                "",
                "authentication_failed",
                "api_error",
                &status(403),
                "Failed to authenticate. API Error: 403",
                Login,
            ),
            (
                "",
                "authentication_failed",
                "api_error",
                none,
                "Not logged in · Please run /login",
                Login,
            ),
            (
                "",
                "invalid_request",
                "prompt_too_long",
                &status(400),
                "Prompt is too long",
                Rejected,
            ),
            (
                "",
                "invalid_request",
                "image_error",
                &status(413),
                "Request too large (max 32MB).",
                Rejected,
            ),
            (
                "",
                "model_not_found",
                "api_error",
                &status(404),
                "There's an issue with the selected model (X).",
                Rejected,
            ),
            (
                "",
                "max_output_tokens",
                "api_error",
                cut,
                "API Error: the 128000 output token maximum.",
                Rejected,
            ),
            (
                "",
                "server_error",
                "api_error",
                lost,
                "API Error: Connection to the API was lost",
                Transient,
            ),
            (
                "",
                "server_error",
                "api_error",
                lost,
                "API Error: Connection refused (ECONNREFUSED)",
                Transient,
            ),
            // The text comes from the model or a gateway, and decides nothing.
            (
                "",
                "server_error",
                "api_error",
                &status(500),
                "rate limit, quota, Not logged in, refused",
                Transient,
            ),
        ] {
            let lines = [before.to_owned(), synthetic(error), failed(terminal, status, result)];
            assert_eq!(kind(&lines, 1), Err(expected), "{lines:#?}");
        }
        let refused = failed("api_error", none, "safeguards flagged this message")
            .replace("stop_sequence", "refusal");
        assert_eq!(kind(&[synthetic("invalid_request"), refused], 1), Err(Refusal));
        let stopped = &one_line(
            r#"{"type":"result","subtype":"error_during_execution","is_error":true,
            "terminal_reason":"aborted_streaming"}"#,
        );
        assert_eq!(kind(&[stopped.to_owned()], 0), Err(Interrupted));
        let budget = &one_line(
            r#"{"type":"result","subtype":"error_max_budget_usd","is_error":true,
            "terminal_reason":"budget_exhausted","stop_reason":"end_turn",
            "errors":["Reached maximum budget ($0.001)"]}"#,
        );
        assert_eq!(kind(&[budget.to_owned()], 1), Err(Quota));
    }

    #[test]
    fn a_reply_has_the_tokens_of_all_models_and_the_cost() {
        let ended = |result: &str| {
            one_line(&format!(
                r#"{{"result":"{result}","usage":{{"input_tokens":0}},
                    "modelUsage":{{"a":{{"inputTokens":1200,"outputTokens":300,
                    "cacheReadInputTokens":7}},"b":{{"inputTokens":1}}}},"num_turns":1,
                    "is_error":false,"subtype":"success","stop_reason":"end_turn",
                    "terminal_reason":"completed","total_cost_usd":0.0108,"type":"result"}}"#
            ))
        };
        let delta = &one_line(
            r#"{"type":"stream_event","event":{"type":"content_block_delta",
            "delta":{"type":"text_delta","text":"Hello, you"}}}"#,
        );
        let printed = format!("{delta}\n{}\n", ended("Hello, you all."));
        let whole = Printed { code: Some(0), output: printed.as_bytes(), stderr: b"" };
        let expected = AgentAnswer {
            text: "Hello, you all.".to_owned(),
            figures: Figures {
                model: Some("a".to_owned()),
                usage: Some(Usage { fresh: 1_201, cached: 7, out: 300 }),
                cost: Some(0.0108),
            },
        };
        assert_eq!(answer(&whole), Ok(expected));
        assert_eq!(words_so_far(printed.as_bytes()), 2);
        for blank in ["", " \\n"] {
            assert_eq!(kind(&[ended(blank)], 0), Err(FailureKind::Empty));
        }
        assert_eq!(kind(&[delta.to_owned()], 0), Err(FailureKind::Misshapen));
        // An event in JSON is no message for the user.
        let killed = Printed { code: Some(143), output: delta.as_bytes(), stderr: b"" };
        let failure = answer(&killed).unwrap_err();
        assert_eq!(
            (failure.kind, &*failure.message),
            (FailureKind::Crash, "it ended with exit code 143")
        );
    }

    #[test]
    fn a_message_that_a_limit_has_cut_goes_on_in_the_next_one() {
        let said = |text: &str| {
            let texts = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
            format!(r#"{{"type":"assistant","message":{texts},"parent_tool_use_id":null}}"#)
        };
        let event = |fields: &str| format!(r#"{{"type":"stream_event","event":{{{fields}}}}}"#);
        let start = || event(r#""type":"message_start""#);
        let stop = |reason: &str| {
            event(&format!(r#""type":"message_delta","delta":{{"stop_reason":"{reason}"}}"#))
        };
        let result = |text: &str| {
            one_line(&format!(
                r#"{{"type":"result","subtype":"success","is_error":false,"num_turns":1,
                    "result":"{text}"}}"#
            ))
        };
        let message = |text: &str, reason: &str| [start(), said(text), stop(reason)].to_vec();
        let rele = "two rele";
        let ases = message("ases a day", "end_turn");
        for (messages, whole) in [
            (vec![message(rele, "max_tokens"), ases.clone()], "two releases a day"),
            (vec![message(rele, "pause_turn"), ases.clone()], "two releases a day"),
            (
                vec![message("two ", "max_tokens"), message("rele", "max_tokens"), ases.clone()],
                "two releases a day",
            ),
            (vec![message("I look.", "tool_use"), ases.clone()], "ases a day"),
            (vec![message("ases a day", "pause_turn")], "ases a day"),
            (vec![ases], "ases a day"),
        ] {
            let lines: Vec<String> =
                messages.into_iter().flatten().chain([result("ases a day")]).collect();
            assert_eq!(kind(&lines, 0), Ok(whole.to_owned()), "{lines:#?}");
        }
    }

    /// An invalid number does not invalidate the reply.
    #[test]
    fn an_impossible_number_is_dropped() {
        for number in
            ["1e308", "-1", "1e999", "\"x\"", "null", "[]", "18446744073709551615", "0.5e-400"]
        {
            let line = one_line(&format!(
                r#"{{"type":"result","subtype":"success","is_error":false,"num_turns":1,
                    "result":"Hello.","total_cost_usd":{number},"api_error_status":null,
                    "modelUsage":{{"a":{{"inputTokens":{number},"outputTokens":{number}}},
                    "b":{{"inputTokens":{number}}}}}}}"#
            ));
            let printed = Printed { code: Some(0), output: line.as_bytes(), stderr: b"" };
            let answer = crate::agents::answer(OutputFormat::Claude, &printed).unwrap();
            assert_eq!(answer.text, "Hello.", "{number}");
            let Figures { usage, cost, .. } = &answer.figures;
            assert!(cost.is_none_or(|cost| cost == 0.0), "{number}: {answer:?}");
            assert!(usage.is_none_or(|usage| usage.sum() == 0), "{number}: {answer:?}");
        }
    }
}
