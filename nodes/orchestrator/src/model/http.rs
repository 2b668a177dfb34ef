//! One exchange with a model server: deadline over connecting and the whole body, body limit, no redirects.

use super::key::Secret;
use super::retry::{Clock, retry_after};
use reqwest::Url;
use reqwest::blocking::{Client, Response};
use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use serde_json::Value;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// What is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Post {
    /// Path that begins with the version of the protocol.
    pub path: String,
    /// Headers without the key.
    pub headers: Vec<(&'static str, &'static str)>,
    /// Body.
    pub body: Value,
}

/// What came back, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// The whole body.
    pub body: Vec<u8>,
}

/// Why nothing whole came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The deadline passed.
    Timeout,
    /// The body is larger than allowed.
    TooLarge,
    /// The connection ended in mid-body.
    Cut,
    /// No connection.
    Connect,
    /// Anything else below the protocol.
    Exchange,
}

/// Header and text before the key.
pub type KeyHeader = (&'static str, &'static str);

/// A client of one server.
pub struct Http {
    client: Client,
    base: String,
    body_limit: usize,
    key: Option<(&'static str, HeaderValue)>,
    clock: Arc<dyn Clock>,
}

impl Http {
    /// A client of the server at `url`.
    ///
    /// # Errors
    /// Words, when the URL or the key cannot be used; neither is repeated in them.
    pub fn new(
        url: &str,
        body_limit: usize,
        (header, before): KeyHeader,
        key: Option<&Secret>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let parsed = Url::parse(url).ok().filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
        let parsed = parsed.ok_or("the server's URL must begin with http:// or https:// and name a host")?;
        if !parsed.username().is_empty() || parsed.password().is_some() || parsed.query().is_some() {
            return Err("the server's URL holds credentials or a query; keys come only from the environment".into());
        }
        let local = is_local(&parsed);
        if key.is_some() && parsed.scheme() == "http" && !local {
            tracing::warn!("the key goes unencrypted to a server that is not on this machine");
        }
        let mut builder = Client::builder().redirect(reqwest::redirect::Policy::none());
        if local {
            // A proxy from the environment would send requests for this machine elsewhere.
            builder = builder.no_proxy();
        }
        let key = key.map(|key| HeaderValue::from_str(&format!("{before}{}", key.expose()))).transpose();
        let mut key = key.map_err(|_| "the key holds characters that no header can carry")?;
        if let Some(value) = &mut key {
            value.set_sensitive(true);
        }
        Ok(Self {
            client: builder.build().map_err(|e| e.without_url().to_string())?,
            base: url.trim_end_matches('/').to_owned(),
            body_limit,
            key: key.map(|value| (header, value)),
            clock,
        })
    }

    /// Sends `post` and reads the answer until `deadline` on the clock.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn exchange(&self, post: &Post, deadline: Duration) -> Result<Reply, Fault> {
        let left = deadline.saturating_sub(self.clock.now());
        if left.is_zero() {
            return Err(Fault::Timeout);
        }
        let mut request = self.client.post(join(&self.base, &post.path)).timeout(left).json(&post.body);
        for (name, value) in &post.headers {
            request = request.header(*name, *value);
        }
        if let Some((name, value)) = &self.key {
            request = request.header(*name, value.clone());
        }
        let response = request.send().map_err(|e| match e {
            e if e.is_timeout() => Fault::Timeout,
            e if e.is_connect() => Fault::Connect,
            _ => Fault::Exchange,
        })?;
        let status = response.status().as_u16();
        let retry_after = self.asked_wait(response.headers());
        let body = self.read(response, deadline)?;
        Ok(Reply { status, retry_after, body })
    }

    fn asked_wait(&self, headers: &HeaderMap) -> Option<Duration> {
        let text = |name| headers.get(name).and_then(|v: &HeaderValue| v.to_str().ok());
        retry_after(text(RETRY_AFTER)?, text(DATE), self.clock.unix_s())
    }

    fn read(&self, response: Response, deadline: Duration) -> Result<Vec<u8>, Fault> {
        let limit = self.body_limit as u64;
        let declared = response.content_length();
        if declared.is_some_and(|n| n > limit) {
            return Err(Fault::TooLarge);
        }
        let mut body = Vec::new();
        // One byte more than allowed tells a full answer from one that goes on.
        match response.take(limit + 1).read_to_end(&mut body) {
            Ok(_) if body.len() as u64 > limit => Err(Fault::TooLarge),
            Ok(_) if declared.is_some_and(|n| n > body.len() as u64) => Err(Fault::Cut),
            Ok(_) => Ok(body),
            Err(_) if self.clock.now() >= deadline => Err(Fault::Timeout),
            Err(e) if e.kind() == std::io::ErrorKind::TimedOut => Err(Fault::Timeout),
            Err(_) => Err(Fault::Cut),
        }
    }
}

/// Base and path, with the version once although both may name it.
fn join(base: &str, path: &str) -> String {
    let version = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let base = base.strip_suffix(version).filter(|b| b.ends_with('/')).unwrap_or(base);
    format!("{}{path}", base.trim_end_matches('/'))
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    matches!(host, "localhost" | "[::1]" | "0.0.0.0") || host.starts_with("127.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::retry::SystemClock;

    #[test]
    fn the_version_stands_once() {
        for base in ["http://h", "http://h/", "http://h/v1", "http://h/v1/"] {
            assert_eq!(join(base.trim_end_matches('/'), "/v1/messages"), "http://h/v1/messages");
        }
        assert_eq!(join("http://h/api", "/v1/m"), "http://h/api/v1/m");
        assert_eq!(join("http://hv1", "/v1/m"), "http://hv1/v1/m");
    }

    #[test]
    fn local_addresses_are_known() {
        let local = |url: &str| is_local(&Url::parse(url).unwrap());
        assert!(["http://localhost:80", "http://127.0.0.1:8000", "http://[::1]:9"].into_iter().all(local));
        assert!(!local("https://api.example.org") && !local("https://127.example.org.invalid".replace("127.", "a127.").as_str()));
    }

    #[test]
    fn urls_without_host_or_with_credentials_are_refused_unrepeated() {
        for url in ["", "127.0.0.1:80", "ftp://h", "http://user:hidden@h", "http://h/?key=hidden"] {
            let error = Http::new(url, 9, ("a", ""), None, Arc::new(SystemClock::start())).err().unwrap();
            assert!(error.contains("URL") && !error.contains("hidden"), "{error}");
        }
        let key = Secret::new("a\nb");
        let error = Http::new("http://h", 9, ("a", ""), key.as_ref(), Arc::new(SystemClock::start())).err().unwrap();
        assert!(error.contains("key") && !error.contains("a\nb"), "{error}");
    }
}
