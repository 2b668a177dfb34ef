//! What all providers do alike, each against a real server that speaks its wire format.

use super::test_server::*;
use super::*;
use crate::role::answers::DecisionProposal;
use crate::role::ask::checked;
use serde_json::json;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn error_body(words: &str) -> Vec<u8> {
    json!({"error": {"message": words}}).to_string().into_bytes()
}

#[test]
fn a_good_answer_comes_with_its_accounts() {
    for provider in PROVIDERS {
        let (url, seen) = serve(move |_, _| said(200, good(provider, &decision())));
        let mut client = client(provider, &url);
        let reply = client.complete(&request(10.0)).unwrap();
        assert_eq!(client.provider(), provider);
        assert_eq!((reply.tokens_in, reply.tokens_out, reply.tokens_cached), (11, 7, 4), "{provider}");
        assert_eq!((reply.model.as_str(), reply.tries), ("tiny-1", 1));
        assert!(reply.latency_s > 0.0 && reply.waited_s == 0.0);
        let proposal: DecisionProposal = checked(&request(1.0).schema, &reply.text).unwrap();
        assert!((proposal.formation.distance_m - 0.8).abs() < 1e-12);
        let seen = seen.recv().unwrap();
        assert!(!seen.path.contains(KEY), "{}", seen.path);
        assert_eq!(seen.headers.values().filter(|v| v.contains(KEY)).count(), 1, "{provider}");
        assert_eq!(client.take_failed(), Accounts::default());
    }
}

#[test]
fn a_busy_server_is_asked_again_with_growing_seeded_waits() {
    for provider in PROVIDERS {
        for status in [429, 500, 502, 503, 529] {
            let (url, _seen) = serve(move |n, _| if n < 2 { said(status, "{}") } else { said(200, good(provider, &decision())) });
            let clock = JumpClock::start();
            let reply = client_with(provider, &servers(&url), clock.clone()).complete(&request(60.0)).unwrap();
            let slept: Vec<f64> = clock.slept().iter().map(Duration::as_secs_f64).collect();
            assert_eq!((reply.tries, slept.len()), (3, 2), "{provider} {status}");
            assert!((0.5..=1.0).contains(&slept[0]) && (1.0..=2.0).contains(&slept[1]), "{slept:?}");
            assert!((reply.waited_s - slept.iter().sum::<f64>()).abs() < 1e-9);
        }
    }
}

#[test]
fn retry_after_is_kept_as_seconds_and_as_a_date() {
    for value in ["7", "Sun, 06 Nov 1994 08:49:37 GMT"] {
        let (url, _seen) = serve(move |n, _| match n {
            0 => Said { status: 429, headers: vec![("Retry-After", value.into()), ("Date", "Sun, 06 Nov 1994 08:49:30 GMT".into())], body: error_body("slow down") },
            _ => said(200, good("anthropic", &decision())),
        });
        let clock = JumpClock::start();
        let reply = client_with("anthropic", &servers(&url), clock.clone()).complete(&request(60.0)).unwrap();
        assert_eq!(reply.tries, 2);
        assert!(clock.slept()[0] >= Duration::from_secs(7) && clock.slept()[0] < Duration::from_secs(8), "{value}: {:?}", clock.slept());
    }
    let body = json!({"error": {"message": "quota", "details": [{"retryDelay": "4s"}]}}).to_string();
    let (url, _seen) = serve(move |n, _| if n == 0 { said(429, body.clone()) } else { said(200, good("gemini", &decision())) });
    let clock = JumpClock::start();
    client_with("gemini", &servers(&url), clock.clone()).complete(&request(60.0)).unwrap();
    assert!(clock.slept()[0] >= Duration::from_secs(4));
}

#[test]
fn retries_end_at_the_deadline_or_after_the_allowed_tries() {
    for provider in PROVIDERS {
        let (url, _seen) = serve(|_, _| said(503, error_body("overloaded")));
        let mut busy = client(provider, &url);
        let error = busy.complete(&request(60.0)).unwrap_err();
        assert_eq!(error, ModelError::Http { status: 503, reason: "overloaded".into() });
        assert_eq!(busy.take_failed().tries, 3);
        let (url, _seen) = serve(|_, _| Said { status: 429, headers: vec![("Retry-After", "30".into())], body: Vec::new() });
        let clock = JumpClock::start();
        let mut limited = client_with(provider, &servers(&url), clock.clone());
        assert_eq!(limited.complete(&request(5.0)).unwrap_err().to_string(), "the server answered with status 429");
        assert!(clock.slept().is_empty(), "no wait that ends after the deadline");
    }
}

#[test]
fn other_statuses_are_not_tried_again() {
    for status in [401, 403, 404, 302] {
        let (url, seen) = serve(move |_, _| Said { status, headers: vec![("Location", "/elsewhere".into())], body: error_body("no") });
        assert_eq!(client("gemini", &url).complete(&request(5.0)).unwrap_err(), ModelError::Http { status, reason: "no".into() });
        assert_eq!(seen.try_iter().count(), 1);
    }
}

#[test]
fn a_server_that_hangs_or_trickles_ends_at_the_deadline() {
    let slow = |provider: &'static str, url: String| {
        std::thread::spawn(move || {
            let start = Instant::now();
            let error = client(provider, &url).complete(&request(0.4)).unwrap_err();
            assert_eq!(error, ModelError::Timeout { limit_ms: 400 }, "{provider}");
            assert!(start.elapsed() < Duration::from_secs(2), "{provider}: {:?}", start.elapsed());
        })
    };
    let mut all = Vec::new();
    for provider in PROVIDERS {
        let (url, _seen) = serve(|_, _| {
            std::thread::sleep(Duration::from_secs(20));
            said(200, "")
        });
        all.push(slow(provider, url));
        let url = raw(|_, mut stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
            while stream.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(30));
            }
        });
        all.push(slow(provider, url));
    }
    for one in all {
        one.join().unwrap();
    }
}

#[test]
fn a_stream_cut_in_mid_body_is_tried_again_and_typed() {
    for provider in PROVIDERS {
        let whole = good(provider, &decision());
        let url = raw(move |n, mut stream| {
            let sent = if n < 1 { &whole[..whole.len() / 2] } else { &whole[..] };
            let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", whole.len());
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(sent);
        });
        assert_eq!(client(provider, &url).complete(&request(10.0)).unwrap().tries, 2, "{provider}");
        let url = raw(|_, mut stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"model\":\r\n");
        });
        let mut cut = client(provider, &url);
        assert_eq!(cut.complete(&request(10.0)).unwrap_err(), ModelError::Truncated, "{provider}");
        assert_eq!(cut.take_failed().tries, 3);
    }
}

#[test]
fn bodies_that_are_no_answer_are_typed() {
    for provider in PROVIDERS {
        let whole = good(provider, &decision());
        let half = whole[..whole.len() / 2].to_vec();
        let cases = [(half, "truncated"), (b"<html>".to_vec(), "transport"), (b"[]".to_vec(), "transport"), (vec![b' '; 10_000_000], "too_large")];
        for (body, name) in cases {
            let (url, _seen) = serve(move |_, _| said(200, body.clone()));
            assert_eq!(client(provider, &url).complete(&request(20.0)).unwrap_err().name(), name, "{provider}");
        }
    }
    let url = raw(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        let _ = stream.write_all(&vec![b' '; 10_000_000]);
    });
    let error = client("gemini", &url).complete(&request(20.0)).unwrap_err();
    assert_eq!(error, ModelError::TooLarge { limit: 1 << 20 });
}

#[test]
fn nobody_listening_is_a_transport_error() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for provider in PROVIDERS {
        let mut client = client(provider, &format!("http://127.0.0.1:{port}"));
        assert_eq!(client.complete(&request(30.0)).unwrap_err(), ModelError::Transport("cannot connect".into()));
        assert_eq!(client.take_failed().tries, 3);
    }
}

#[test]
fn a_wrong_schema_is_an_answer_that_the_check_refuses() {
    for provider in PROVIDERS {
        let mut wrong = decision();
        wrong["kind"] = json!(7);
        let mut unknown = decision();
        unknown["speed"] = json!(0.5);
        for answer in [wrong, unknown, json!([]), json!("text")] {
            let (url, _seen) = serve(move |_, _| said(200, good(provider, &answer)));
            let reply = client(provider, &url).complete(&request(10.0)).unwrap();
            checked::<DecisionProposal>(&request(1.0).schema, &reply.text).unwrap_err();
        }
    }
}

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_key_that_a_server_echoes_is_in_no_error_answer_or_log() {
    let (buffer, made) = (Buffer::default(), Buffer::default());
    made.clone().0.lock().unwrap().clear();
    let log = buffer.clone();
    let writer = move || log.clone();
    let level = tracing_subscriber::filter::LevelFilter::TRACE;
    tracing_subscriber::fmt().with_max_level(level).with_writer(writer).try_init().unwrap();
    for provider in PROVIDERS {
        // Cut in the middle of the key, a shortened message would leave half of it.
        let long = format!("{}{KEY}", "x".repeat(290));
        for (status, words) in [(500, format!("bad key {KEY}\n")), (401, format!("Bearer {KEY}")), (400, long), (503, KEY.into())] {
            let (url, _seen) = serve(move |_, _| said(status, error_body(&words)));
            let error = client(provider, &url).complete(&request(60.0)).unwrap_err();
            let text = format!("{error} {error:?}");
            assert!(!text.contains("sk-not") && text.contains(&status.to_string()), "{text}");
        }
        let mut echo = decision();
        echo["objective"] = json!(KEY);
        let body = String::from_utf8(good(provider, &echo)).unwrap().replace("tiny-1", KEY);
        let (url, _seen) = serve(move |_, _| said(200, body.clone()));
        let reply = client(provider, &url).complete(&request(60.0)).unwrap();
        assert!(!format!("{reply:?}").contains("sk-not") && reply.text.contains("[key]") && reply.model == "[key]");
        let (url, _seen) = serve(|_, _| said(200, format!("{{\"choices\": \"{KEY}\", \"content\": \"{KEY}\", \"candidates\": \"{KEY}\"}}")));
        let error = client(provider, &url).complete(&request(60.0)).unwrap_err().to_string();
        assert!(error.contains("[key]") && !error.contains("sk-not"), "{error}");
    }
    let log = String::from_utf8_lossy(&buffer.0.lock().unwrap()).into_owned();
    assert!(log.contains("next try in") && log.contains("[key]"), "{log}");
    assert!(!log.contains("sk-not"), "{log}");
}

#[test]
fn a_batch_runs_side_by_side_in_order_and_within_bounds() {
    let (open, most) = (Arc::new(Mutex::new(0u32)), Arc::new(Mutex::new(0u32)));
    let (o, m) = (open.clone(), most.clone());
    let (url, _seen) = serve(move |_, seen| {
        {
            let mut open = o.lock().unwrap();
            *open += 1;
            let mut most = m.lock().unwrap();
            *most = (*most).max(*open);
        }
        std::thread::sleep(Duration::from_millis(60));
        *o.lock().unwrap() -= 1;
        let n = seen.body["seed"].as_u64().unwrap();
        if n == 4 { said(404, "{}") } else { said(200, good("openai", &json!({ "n": n }))) }
    });
    let mut config = servers(&url);
    config.parallel = 3;
    let mut client = client_with("openai", &config, JumpClock::start());
    let requests: Vec<_> = (0..9).map(|seed| ModelRequest { seed, ..request(10.0) }).collect();
    let start = Instant::now();
    let replies = client.complete_many(&requests);
    assert!(start.elapsed() < Duration::from_millis(480), "{:?}", start.elapsed());
    assert_eq!(*most.lock().unwrap(), 3);
    for (n, reply) in replies.iter().enumerate() {
        match reply {
            Ok(reply) => assert_eq!(reply.text, json!({ "n": n }).to_string()),
            Err(error) => assert_eq!((n, error.name()), (4, "http")),
        }
    }
    assert_eq!(client.take_failed().tries, 1);
    assert!(client.complete_many(&[]).is_empty());
    assert_eq!(scripted::Scripted::new(["a".into()]).complete_many(&requests[..2]).iter().filter(|r| r.is_ok()).count(), 1);
}

#[test]
fn the_rate_limit_waits_or_says_that_it_cannot() {
    let (url, _seen) = serve(|_, _| said(200, good("gemini", &decision())));
    let mut config = servers(&url);
    config.rate.requests_per_minute = 2;
    let clock = JumpClock::start();
    let mut client = client_with("gemini", &config, clock.clone());
    client.complete(&request(10.0)).unwrap();
    client.complete(&request(10.0)).unwrap();
    assert_eq!(client.complete(&request(10.0)).unwrap_err(), ModelError::RateLimit);
    assert_eq!(client.take_failed().tries, 0);
    let reply = client.complete(&request(120.0)).unwrap();
    assert!(reply.waited_s > 55.0 && reply.waited_s <= 60.0, "{}", reply.waited_s);
}

#[test]
fn images_change_the_hash_of_a_prompt() {
    let plain = request(1.0);
    let with = |images| prompt_hash(&ModelRequest { images, ..plain.clone() });
    let mut other = test_server::images();
    other[1].png[9] ^= 1;
    let hashes = [prompt_hash(&plain), with(test_server::images()), with(other), with(test_server::images()[..1].to_vec())];
    for (i, a) in hashes.iter().enumerate() {
        assert!(hashes[..i].iter().all(|b| a != b));
    }
    assert_eq!(with(Vec::new()), hashes[0]);
}
