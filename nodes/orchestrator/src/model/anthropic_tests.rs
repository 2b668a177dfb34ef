//! The wire format of provider `anthropic`.

use crate::model::test_server::*;
use crate::model::{LanguageModel, ModelError, ModelRequest};
use base64::Engine as _;
use serde_json::json;

#[test]
fn the_request_forces_a_tool_with_the_roles_schema() {
    let (url, seen) = serve(|_, _| said(200, good("anthropic", &decision())));
    client("anthropic", &url).complete(&request(10.0)).unwrap();
    let Seen { path, headers, body } = seen.recv().unwrap();
    assert_eq!(path, "/v1/messages");
    assert_eq!((headers["x-api-key"].as_str(), headers["anthropic-version"].as_str()), (KEY, "2023-06-01"));
    assert_eq!((body["model"].as_str(), body["system"].as_str(), body["max_tokens"].as_u64()), (Some("tiny"), Some("You decide."), Some(100)));
    assert_eq!(body["tool_choice"]["name"], body["tools"][0]["name"]);
    assert_eq!(body["tools"][0]["input_schema"]["additionalProperties"], false);
    assert_eq!(body["messages"], json!([{"role": "user", "content": [{"type": "text", "text": "What next?"}]}]));
}

#[test]
fn images_arrive_as_blocks_with_the_same_bytes() {
    let (url, seen) = serve(|_, _| said(200, good("anthropic", &decision())));
    let images = images();
    client("anthropic", &url).complete(&ModelRequest { images: images.clone(), ..request(10.0) }).unwrap();
    let body = seen.recv().unwrap().body;
    let blocks = body["messages"][0]["content"].as_array().unwrap();
    assert_eq!(blocks.len(), 5);
    for (image, pair) in images.iter().zip(blocks.chunks(2)) {
        assert_eq!(pair[0]["text"], image.caption.as_str());
        let source = &pair[1]["source"];
        assert_eq!((source["type"].as_str(), source["media_type"].as_str()), (Some("base64"), Some("image/png")));
        let data = source["data"].as_str().unwrap();
        assert_eq!(base64::engine::general_purpose::STANDARD.decode(data).unwrap(), image.png);
    }
}

#[test]
fn a_model_without_forced_calls_is_asked_for_json_output() {
    let (url, seen) = serve(|_, seen| {
        if seen.body.get("tool_choice").is_some() {
            return said(400, json!({"type": "error", "error": {"type": "invalid_request_error", "message": "tool_choice forces tool use"}}).to_string());
        }
        let body = json!({"model": "tiny-2", "stop_reason": "end_turn", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": decision().to_string()}],
                          "usage": {"input_tokens": 3, "output_tokens": 4}});
        said(200, body.to_string())
    });
    let mut client = client("anthropic", &url);
    let reply = client.complete(&request(10.0)).unwrap();
    assert_eq!((reply.text, reply.tokens_in, reply.tokens_cached), (decision().to_string(), 3, 0));
    assert_eq!(client.complete(&request(10.0)).unwrap().tries, 1);
    let last = seen.try_iter().last().unwrap().body;
    assert_eq!(last["output_config"]["format"]["type"], "json_schema");
}

#[test]
fn stop_reasons_are_typed_and_billed() {
    let usage = json!({"input_tokens": 9, "output_tokens": 2});
    for (message, error) in [
        (json!({"stop_reason": "refusal", "content": [{"type": "text", "text": "I will not."}]}), ModelError::Refused("I will not.".into())),
        (json!({"stop_reason": "refusal", "content": []}), ModelError::Refused("no reason given".into())),
        (json!({"stop_reason": "max_tokens", "content": [{"type": "tool_use", "input": {}}]}), ModelError::Truncated),
        (json!({"stop_reason": "end_turn", "content": []}), ModelError::Transport("the message has no content".into())),
    ] {
        let mut message = message;
        message["usage"] = usage.clone();
        let (url, _seen) = serve(move |_, _| said(200, message.to_string()));
        let mut client = client("anthropic", &url);
        assert_eq!(client.complete(&request(10.0)).unwrap_err(), error);
        assert_eq!(client.take_failed().tokens_in, 9);
    }
}
