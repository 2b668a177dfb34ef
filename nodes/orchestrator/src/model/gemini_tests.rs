//! The wire format of provider `gemini`.

use crate::model::test_server::*;
use crate::model::{LanguageModel, ModelError, ModelRequest};
use base64::Engine as _;
use serde_json::json;

#[test]
fn the_request_has_a_schema_and_the_key_in_a_header() {
    let (url, seen) = serve(|_, _| said(200, good("gemini", &decision())));
    client("gemini", &url).complete(&request(10.0)).unwrap();
    let Seen { path, headers, body } = seen.recv().unwrap();
    assert_eq!(path, "/v1beta/models/tiny:generateContent");
    assert_eq!(headers["x-goog-api-key"], KEY);
    assert_eq!(body["systemInstruction"]["parts"][0]["text"], "You decide.");
    assert_eq!(body["contents"], json!([{"role": "user", "parts": [{"text": "What next?"}]}]));
    let generation = &body["generationConfig"];
    assert_eq!(generation["responseMimeType"], "application/json");
    assert_eq!(generation["responseJsonSchema"]["additionalProperties"], false);
    assert_eq!((generation["maxOutputTokens"].as_u64(), generation["seed"].as_u64()), (Some(100), Some(3)));
}

#[test]
fn images_arrive_as_inline_data_with_the_same_bytes() {
    let (url, seen) = serve(|_, _| said(200, good("gemini", &decision())));
    let images = images();
    client("gemini", &url).complete(&ModelRequest { images: images.clone(), ..request(10.0) }).unwrap();
    let body = seen.recv().unwrap().body;
    let parts = body["contents"][0]["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 5);
    for (image, pair) in images.iter().zip(parts.chunks(2)) {
        assert_eq!(pair[0]["text"], image.caption.as_str());
        assert_eq!(pair[1]["inlineData"]["mimeType"], "image/png");
        let data = pair[1]["inlineData"]["data"].as_str().unwrap();
        assert_eq!(base64::engine::general_purpose::STANDARD.decode(data).unwrap(), image.png);
    }
}

#[test]
fn an_older_server_gets_the_narrower_schema() {
    let (url, seen) = serve(|_, seen| {
        if seen.body["generationConfig"].get("responseJsonSchema").is_some() {
            return said(400, json!({"error": {"message": "Unknown name \"responseJsonSchema\""}}).to_string());
        }
        said(200, good("gemini", &decision()))
    });
    let mut client = client("gemini", &url);
    client.complete(&request(10.0)).unwrap();
    assert_eq!(client.complete(&request(10.0)).unwrap().tries, 1);
    let schema = seen.try_iter().last().unwrap().body["generationConfig"]["responseSchema"].to_string();
    assert!(schema.contains("distance_m") && !schema.contains("$ref") && !schema.contains("additionalProperties"), "{schema}");
}

#[test]
fn finish_reasons_and_blocked_prompts_are_typed_and_billed() {
    for (answer, error) in [
        (json!({"promptFeedback": {"blockReason": "SAFETY"}}), ModelError::Refused("the prompt is blocked: SAFETY".into())),
        (json!({"candidates": [{"finishReason": "PROHIBITED_CONTENT"}]}), ModelError::Refused("finished for PROHIBITED_CONTENT".into())),
        (json!({"candidates": [{"finishReason": "MAX_TOKENS", "content": {"parts": [{"text": "{"}]}}]}), ModelError::Truncated),
        (json!({"candidates": [{"finishReason": "STOP", "content": {}}]}), ModelError::Transport("the candidate has no text".into())),
        (json!({"candidates": []}), ModelError::Transport("the response has no candidate".into())),
    ] {
        let mut answer = answer;
        answer["usageMetadata"] = json!({"promptTokenCount": 9});
        let (url, _seen) = serve(move |_, _| said(200, answer.to_string()));
        let mut client = client("gemini", &url);
        assert_eq!(client.complete(&request(10.0)).unwrap_err(), error);
        assert_eq!(client.take_failed().tokens_in, 9);
    }
}
