//! The wire format of provider `openai`.

use crate::model::test_server::*;
use crate::model::{LanguageModel, ModelRequest};
use base64::Engine as _;
use serde_json::{Value, json};

#[test]
fn the_request_is_a_chat_with_a_schema() {
    let (url, seen) = serve(|_, _| said(200, good("openai", &decision())));
    client("openai", &url).complete(&request(10.0)).unwrap();
    let Seen { path, headers, body } = seen.recv().unwrap();
    assert_eq!(path, "/v1/chat/completions");
    assert_eq!(headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(body["response_format"]["type"], "json_schema");
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
    assert_eq!((body["seed"].as_u64(), body["max_tokens"].as_u64()), (Some(3), Some(100)));
    assert_eq!(body["messages"], json!([{"role": "system", "content": "You decide."}, {"role": "user", "content": "What next?"}]));
}

#[test]
fn images_arrive_as_data_urls_with_the_same_bytes() {
    let (url, seen) = serve(|_, _| said(200, good("openai", &decision())));
    let images = images();
    client("openai", &url).complete(&ModelRequest { images: images.clone(), ..request(10.0) }).unwrap();
    let body = seen.recv().unwrap().body;
    let parts = body["messages"][1]["content"].as_array().unwrap();
    assert_eq!(parts.len(), 5);
    for (image, pair) in images.iter().zip(parts.chunks(2)) {
        assert_eq!(pair[0], json!({"type": "text", "text": image.caption}));
        let data = pair[1]["image_url"]["url"].as_str().unwrap().strip_prefix("data:image/png;base64,").unwrap();
        assert_eq!(base64::engine::general_purpose::STANDARD.decode(data).unwrap(), image.png);
    }
    assert_eq!(parts[4]["text"], "What next?");
}

#[test]
fn the_other_response_format_follows_a_refusal_and_is_kept() {
    for status in [400, 422, 500] {
        let (url, seen) = serve(move |_, seen| {
            let old = seen.body["response_format"]["type"] == "json_object";
            if old { said(200, good("openai", &json!({}))) } else { said(status, "{}") }
        });
        let mut client = client("openai", &url);
        assert_eq!(client.complete(&request(10.0)).unwrap().tries, 2);
        client.complete(&request(10.0)).unwrap();
        let formats: Vec<Value> = seen.try_iter().map(|s| s.body["response_format"]["type"].clone()).collect();
        assert_eq!(formats, ["json_schema", "json_object", "json_object"], "{status}");
    }
}

#[test]
fn an_internal_error_after_an_answer_does_not_change_the_form() {
    let (url, seen) = serve(|n, _| if n == 1 { said(500, "{}") } else { said(200, good("openai", &decision())) });
    let mut client = client("openai", &url);
    client.complete(&request(10.0)).unwrap();
    assert_eq!(client.complete(&request(10.0)).unwrap().tries, 2);
    assert!(seen.try_iter().all(|s| s.body["response_format"]["type"] == "json_schema"));
}

#[test]
fn a_model_that_takes_no_temperature_and_the_newer_limit_is_learnt() {
    let (url, seen) = serve(|_, seen| {
        let complain = |words: &str| said(400, json!({"error": {"message": words}}).to_string());
        if seen.body.get("max_tokens").is_some() {
            return complain("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
        }
        if seen.body.get("temperature").is_some() {
            return complain("Unsupported value: 'temperature' does not support 0.2 with this model.");
        }
        said(200, good("openai", &decision()))
    });
    let mut client = client("openai", &url);
    assert_eq!(client.complete(&request(10.0)).unwrap().tries, 3);
    assert_eq!(client.complete(&request(10.0)).unwrap().tries, 1);
    let last = seen.try_iter().last().unwrap().body;
    assert_eq!((last["max_completion_tokens"].as_u64(), last["response_format"]["type"].as_str()), (Some(100), Some("json_schema")));
}

#[test]
fn refusals_and_the_token_limit_are_typed_and_billed() {
    for (choice, name) in [
        (json!({"message": {"refusal": "no"}}), "refused"),
        (json!({"message": {"content": null}, "finish_reason": "content_filter"}), "refused"),
        (json!({"message": {"content": "{"}, "finish_reason": "length"}), "truncated"),
        (json!({"message": {"content": null}}), "transport"),
    ] {
        let body = json!({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}).to_string();
        let (url, _seen) = serve(move |_, _| said(200, body.clone()));
        let mut client = client("openai", &url);
        assert_eq!(client.complete(&request(10.0)).unwrap_err().name(), name);
        let failed = client.take_failed();
        assert_eq!((failed.tokens_in, failed.tokens_out, failed.tries), (9, 2, 1));
    }
}
