//! The provider against a real HTTP server on this machine.

use super::*;
use crate::model::RoleId;
use crate::role::answers::DecisionProposal;
use crate::role::ask::{checked, schema_of};
use serde_json::Value;
use std::io::Cursor;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

const KEY: &str = "sk-not-a-real-key-000";

/// Starts a server whose answers come from `answer`; returns its URL and the bodies that it gets.
fn server(answer: impl Fn(usize, &Value) -> (u16, Vec<u8>) + Send + 'static) -> (String, Receiver<(Value, String)>) {
    let server = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.server_addr().to_ip().unwrap());
    let (send, receive) = channel();
    thread::spawn(move || {
        for (n, mut request) in server.incoming_requests().enumerate() {
            let mut text = String::new();
            request.as_reader().read_to_string(&mut text).unwrap();
            let body: Value = serde_json::from_str(&text).unwrap_or_default();
            let auth = request.headers().iter().find(|h| h.field.equiv("Authorization"));
            let auth = auth.map(|h| h.value.to_string()).unwrap_or_default();
            let (status, data) = answer(n, &body);
            let length = data.len();
            let response =
                tiny_http::Response::new(tiny_http::StatusCode(status), vec![], Cursor::new(data), Some(length), None);
            let _ = request.respond(response);
            if send.send((body, auth)).is_err() {
                return;
            }
        }
    });
    (url, receive)
}

/// Accepts one connection and reads the head of its request.
fn asked(listener: &std::net::TcpListener) -> std::net::TcpStream {
    let (mut stream, _) = listener.accept().unwrap();
    let mut head = Vec::new();
    let mut chunk = [0; 4096];
    while !head.windows(4).any(|w| w == b"\r\n\r\n") {
        let n = stream.read(&mut chunk).unwrap();
        head.extend_from_slice(&chunk[..n]);
    }
    stream
}

fn client(url: &str) -> OpenAi {
    let config = ServerConfig {
        url: url.into(),
        model: "tiny".into(),
        response_format: ResponseFormat::JsonSchema,
        body_limit_bytes: 1 << 20,
    };
    OpenAi::new(config, Some(KEY.into())).unwrap()
}

fn request(timeout_s: f64) -> ModelRequest {
    ModelRequest {
        role: RoleId::Orchestrator,
        system: "You decide.".into(),
        prompt: "What next?".into(),
        context: Value::Null,
        schema: schema_of::<DecisionProposal>(),
        attempt: 1,
        seed: 3,
        temperature: 0.2,
        timeout_s,
        max_tokens: 64,
    }
}

fn completion(content: &str) -> Vec<u8> {
    json!({
        "model": "tiny-1", "choices": [{"message": {"content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7}
    })
    .to_string()
    .into_bytes()
}

fn decision() -> Value {
    json!({"kind": "coordinated_linear_transport", "objective": "advance_segment", "mode": "sync",
           "roles": ["peer", "peer"], "formation": {"distance_m": 0.8, "heading_offset_rad": 0.0},
           "evidence_required": []})
}

#[test]
fn a_good_answer_comes_with_its_accounts() {
    let (url, seen) = server(|_, _| (200, completion(&decision().to_string())));
    let reply = client(&url).complete(&request(10.0)).unwrap();
    assert_eq!((reply.tokens_in, reply.tokens_out, reply.model.as_str()), (11, 7, "tiny-1"));
    let (body, auth) = seen.recv().unwrap();
    assert_eq!(body["response_format"]["type"], "json_schema");
    assert_eq!((body["seed"].as_u64(), body["max_tokens"].as_u64()), (Some(3), Some(64)));
    assert_eq!(auth, format!("Bearer {KEY}"));
    checked::<DecisionProposal>(&schema_of::<DecisionProposal>(), &reply.text).unwrap();
}

#[test]
fn the_other_response_format_follows_a_refusal_and_is_kept() {
    for status in [400, 422, 500] {
        let (url, seen) = server(move |_, body| {
            let old = body["response_format"]["type"] == "json_object";
            if old { (200, completion("{}")) } else { (status, b"{}".to_vec()) }
        });
        let mut client = client(&url);
        client.complete(&request(10.0)).unwrap();
        client.complete(&request(10.0)).unwrap();
        let formats: Vec<String> =
            seen.iter().take(3).map(|(b, _)| b["response_format"]["type"].as_str().unwrap().to_owned()).collect();
        assert_eq!(formats, ["json_schema", "json_object", "json_object"], "{status}");
    }
}

#[test]
fn an_internal_error_after_an_answer_is_one() {
    let asked = std::sync::atomic::AtomicU32::new(0);
    let (url, seen) = server(move |_, _| {
        let first = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        if first { (200, completion("{}")) } else { (500, b"oops".to_vec()) }
    });
    let mut client = client(&url);
    client.complete(&request(10.0)).unwrap();
    assert_eq!(client.complete(&request(10.0)), Err(ModelError::Http { status: 500 }));
    assert_eq!(seen.try_iter().count(), 2);
}

#[test]
fn a_server_that_hangs_gives_a_typed_timeout_inside_the_deadline() {
    let (url, _seen) = server(|_, _| {
        thread::sleep(Duration::from_secs(20));
        (200, completion("{}"))
    });
    let start = Instant::now();
    let error = client(&url).complete(&request(0.5)).unwrap_err();
    assert_eq!(error, ModelError::Timeout { limit_ms: 500 });
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_body_that_trickles_ends_at_the_deadline() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        use std::io::Write;
        let mut stream = asked(&listener);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
    });
    let start = Instant::now();
    let error = client(&url).complete(&request(0.6)).unwrap_err();
    assert_eq!(error.name(), "timeout", "{error}");
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn failures_of_a_server_are_typed() {
    let whole = completion(&decision().to_string());
    let cut = whole[..whole.len() / 2].to_vec();
    let length = json!({"choices": [{"message": {"content": "{"}, "finish_reason": "length"}]}).to_string().into_bytes();
    let refusal = json!({"choices": [{"message": {"refusal": "no"}}]}).to_string().into_bytes();
    let cases: [(u16, Vec<u8>, &str); 6] = [
        (500, b"oops".to_vec(), "http"),
        (200, cut, "truncated"),
        (200, length, "truncated"),
        (200, refusal, "refused"),
        (200, b"<html>".to_vec(), "transport"),
        (200, vec![b' '; 10_000_000], "too_large"),
    ];
    for (status, body, name) in cases {
        let (url, _seen) = server(move |_, _| (status, body.clone()));
        assert_eq!(client(&url).complete(&request(20.0)).unwrap_err().name(), name);
    }
}

#[test]
fn a_large_body_without_a_length_is_refused_too() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        use std::io::Write;
        let mut stream = asked(&listener);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        let _ = stream.write_all(&vec![b' '; 10_000_000]);
    });
    let error = client(&url).complete(&request(20.0)).unwrap_err();
    assert_eq!(error, ModelError::TooLarge { limit: 1 << 20 });
}

#[test]
fn nobody_listening_is_a_transport_error() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = client(&format!("http://127.0.0.1:{port}")).complete(&request(5.0)).unwrap_err();
    assert_eq!(error.name(), "transport");
}

#[test]
fn wrong_schema_and_unknown_fields_are_refused_and_the_key_is_nowhere() {
    use crate::model::LanguageModel as _;
    let mut wrong = decision();
    wrong["kind"] = json!(7);
    let mut unknown = decision();
    unknown["speed"] = json!(KEY);
    for answer in [wrong, unknown] {
        let (url, _seen) = server(move |_, _| (200, completion(&answer.to_string())));
        let mut client = client(&url);
        let reply = client.complete(&request(10.0)).unwrap();
        assert!(!reply.text.contains(KEY));
        assert_eq!(client.provider(), "openai");
        checked::<DecisionProposal>(&schema_of::<DecisionProposal>(), &reply.text).unwrap_err();
    }
}

#[test]
fn local_addresses_are_known() {
    for url in ["http://localhost:80", "http://127.0.0.1:8000", "http://[::1]:9"] {
        assert!(is_local(url), "{url}");
    }
    assert!(!is_local("https://api.example.org"));
}
