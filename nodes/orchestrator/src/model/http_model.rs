//! A provider that asks a server: retries, rate limit, accounts and batches over any wire format.

use super::accounts::Accounts;
use super::dialect::Dialect;
use super::http::{Fault, Http, KeyHeader, Post, Reply};
use super::http_config::{RetryConfig, ServerConfig, ServersConfig};
use super::http_error::{Complaint, one_line};
use super::key::Secret;
use super::rate::RateLimit;
use super::retry::{Clock, RETRYABLE, wait};
use super::{LanguageModel, ModelError, ModelReply, ModelRequest};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One provider's wire format. It never sees the key.
pub trait Wire: Send + Sync {
    /// Provider name.
    fn provider(&self) -> &'static str;
    /// Where the key goes.
    fn key_header(&self) -> KeyHeader;
    /// The request.
    fn post(&self, request: &ModelRequest, dialect: Dialect) -> Post;
    /// Reads the body of a success.
    ///
    /// # Errors
    /// When it is not of the protocol.
    fn read(&self, body: &[u8]) -> Result<Answer, serde_json::Error>;
    /// Whether its model takes images.
    fn takes_images(&self) -> bool {
        true
    }
    /// Whether servers are known that answer an unknown form of structured output with an internal error.
    fn hides_unknown_form(&self) -> bool {
        false
    }
}

/// A body of the protocol, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The answer, or why there is none although the server answered.
    pub text: Result<String, ModelError>,
    /// Model as it names itself.
    pub model: String,
    /// Sent, cached ones included.
    pub tokens_in: u64,
    /// Got, hidden reasoning included.
    pub tokens_out: u64,
    /// Sent and cached.
    pub tokens_cached: u64,
}

/// A client of one server. See [`super::openai`], [`super::anthropic`] and [`super::gemini`].
pub struct HttpModel {
    wire: Box<dyn Wire>,
    http: Http,
    key: Option<Secret>,
    retry: RetryConfig,
    parallel: usize,
    body_limit: usize,
    clock: Arc<dyn Clock>,
    rate: Mutex<RateLimit>,
    dialect: Mutex<Dialect>,
    answered: AtomicBool,
    failed: Accounts,
}

/// A failure, whether it may pass, and how long the server asks to wait.
struct Failure {
    error: ModelError,
    passing: bool,
    asked: Option<Duration>,
}

impl HttpModel {
    /// A client of `server`.
    ///
    /// # Errors
    /// Words, when no client can be built.
    pub fn new(
        wire: Box<dyn Wire>,
        server: &ServerConfig,
        shared: &ServersConfig,
        key: Option<Secret>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let http = Http::new(&server.url, server.body_limit_bytes, wire.key_header(), key.as_ref(), clock.clone())?;
        Ok(Self {
            wire,
            http,
            key,
            retry: shared.retry,
            parallel: shared.parallel as usize,
            body_limit: server.body_limit_bytes,
            clock,
            rate: Mutex::new(RateLimit::new(shared.rate)),
            dialect: Mutex::new(Dialect::default()),
            answered: AtomicBool::new(false),
            failed: Accounts::default(),
        })
    }

    /// One call within its deadline. Calls that run side by side differ by `stream`.
    fn call(&self, request: &ModelRequest, stream: u64) -> Result<ModelReply, (ModelError, Accounts)> {
        let start = self.clock.now();
        let deadline = start + Duration::try_from_secs_f64(request.timeout_s).unwrap_or_default();
        let mut accounts = Accounts::default();
        let outcome = self.tried(request, stream, deadline, &mut accounts);
        accounts.latency_s = self.clock.now().saturating_sub(start).as_secs_f64();
        match outcome {
            Ok((text, model)) => Ok(ModelReply {
                text,
                model,
                tokens_in: accounts.tokens_in,
                tokens_out: accounts.tokens_out,
                tokens_cached: accounts.tokens_cached,
                tries: accounts.tries,
                waited_s: accounts.waited_s,
                latency_s: accounts.latency_s,
            }),
            Err(error) => Err((self.scrubbed(error), accounts)),
        }
    }

    /// Text and model of the first try that succeeds.
    fn tried(
        &self,
        request: &ModelRequest,
        stream: u64,
        deadline: Duration,
        accounts: &mut Accounts,
    ) -> Result<(String, String), ModelError> {
        let mut dialect = *locked(&self.dialect);
        let (mut failures, mut form_changed) = (0, false);
        loop {
            let ticket = self.admitted(request, deadline, accounts)?;
            accounts.tries += 1;
            let reply = self.http.exchange(&self.wire.post(request, dialect), deadline);
            let failure = match reply {
                Ok(reply) if (200..300).contains(&reply.status) => {
                    // What works is kept for the next call.
                    *locked(&self.dialect) = dialect;
                    self.answered.store(true, Ordering::Relaxed);
                    return self.answered(&reply, ticket, accounts);
                }
                Ok(reply) => {
                    let complaint = Complaint::read(&reply.body);
                    let next = dialect.after(&complaint.message, form_changed).filter(|_| matches!(reply.status, 400 | 422));
                    if let Some(next) = next {
                        form_changed |= next.other_form != dialect.other_form;
                        dialect = next;
                        continue;
                    }
                    // An internal error may mean the form only as long as no request was ever answered.
                    let unproven = self.wire.hides_unknown_form() && !self.answered.load(Ordering::Relaxed);
                    dialect.other_form ^= unproven && reply.status == 500;
                    self.refused(&reply, complaint)
                }
                Err(fault) => self.faulted(fault, request),
            };
            failures += 1;
            if !failure.passing || failures >= self.retry.tries {
                return Err(failure.error);
            }
            let pause = wait(&self.retry, request.seed, stream, failures, failure.asked);
            if self.clock.now().saturating_add(pause) >= deadline {
                return Err(failure.error);
            }
            let words = self.scrubbed(failure.error).to_string();
            tracing::warn!("provider {}: {words}; next try in {:.1} s", self.wire.provider(), pause.as_secs_f64());
            self.pause(pause, accounts);
        }
    }

    /// Waits until the rate limit lets the request pass.
    fn admitted(&self, request: &ModelRequest, deadline: Duration, accounts: &mut Accounts) -> Result<u64, ModelError> {
        loop {
            let now = self.clock.now();
            let admitted = locked(&self.rate).admit(now, estimate(request));
            match admitted {
                Ok(ticket) => return Ok(ticket),
                Err(pause) if now.saturating_add(pause) >= deadline => return Err(ModelError::RateLimit),
                Err(pause) => self.pause(pause, accounts),
            }
        }
    }

    fn pause(&self, time: Duration, accounts: &mut Accounts) {
        self.clock.sleep(time);
        accounts.waited_s += time.as_secs_f64();
    }

    fn answered(&self, reply: &Reply, ticket: u64, accounts: &mut Accounts) -> Result<(String, String), ModelError> {
        let answer = self.wire.read(&reply.body).map_err(|e| {
            if e.is_eof() { ModelError::Truncated } else { ModelError::Transport(format!("not an answer of the protocol: {e}")) }
        })?;
        accounts.tokens_in += answer.tokens_in;
        accounts.tokens_out += answer.tokens_out;
        accounts.tokens_cached += answer.tokens_cached;
        if answer.tokens_in + answer.tokens_out > 0 {
            locked(&self.rate).settle(ticket, answer.tokens_in + answer.tokens_out);
        }
        let text = answer.text?;
        Ok(match &self.key {
            Some(key) => (key.scrub_answer(&text), key.scrub(&answer.model)),
            None => (text, answer.model),
        })
    }

    fn refused(&self, reply: &Reply, complaint: Complaint) -> Failure {
        Failure {
            error: ModelError::Http { status: reply.status, reason: complaint.message },
            passing: RETRYABLE.contains(&reply.status),
            asked: reply.retry_after.or(complaint.retry_after),
        }
    }

    fn faulted(&self, fault: Fault, request: &ModelRequest) -> Failure {
        let (error, passing) = match fault {
            Fault::Timeout => {
                (ModelError::Timeout { limit_ms: (request.timeout_s.clamp(0.0, 1e9) * 1e3) as u64 }, false)
            }
            Fault::TooLarge => (ModelError::TooLarge { limit: self.body_limit }, false),
            Fault::Cut => (ModelError::Truncated, true),
            // The URL is left out: it belongs to the user's settings, not into a ledger.
            Fault::Connect => (ModelError::Transport("cannot connect".into()), true),
            Fault::Exchange => (ModelError::Transport("the exchange failed".into()), true),
        };
        Failure { error, passing, asked: None }
    }

    /// The error with the key masked before it is shortened, so that no part of a key is left.
    fn scrubbed(&self, error: ModelError) -> ModelError {
        let clean = |text: String| one_line(&self.key.as_ref().map_or(text.clone(), |key| key.scrub(&text)));
        match error {
            ModelError::Http { status, reason } => ModelError::Http { status, reason: clean(reason) },
            ModelError::Transport(reason) => ModelError::Transport(clean(reason)),
            ModelError::Refused(reason) => ModelError::Refused(clean(reason)),
            other => other,
        }
    }
}

impl LanguageModel for HttpModel {
    fn provider(&self) -> &str {
        self.wire.provider()
    }

    fn sees(&self) -> bool {
        self.wire.takes_images()
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        self.call(request, 0).map_err(|(error, accounts)| {
            self.failed.add(accounts);
            error
        })
    }

    /// At most `server.parallel` requests are open at once; each has its own deadline from when it starts.
    fn complete_many(&mut self, requests: &[ModelRequest]) -> Vec<Result<ModelReply, ModelError>> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(requests.len()));
        let this: &Self = self;
        std::thread::scope(|scope| {
            for _ in 0..this.parallel.clamp(1, requests.len().max(1)) {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(request) = requests.get(index) else { return };
                        let outcome = this.call(request, index as u64);
                        locked(&done).push((index, outcome));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(index, _)| *index);
        let failed = &mut self.failed;
        done.into_iter()
            .map(|(_, outcome)| {
                outcome.map_err(|(error, accounts)| {
                    failed.add(accounts);
                    error
                })
            })
            .collect()
    }

    fn take_failed(&mut self) -> Accounts {
        std::mem::take(&mut self.failed)
    }
}

/// A rough count before the server's own: four bytes a token, 1500 an image, and the largest answer.
fn estimate(request: &ModelRequest) -> u64 {
    let bytes = request.system.len() + request.prompt.len() + request.schema.to_string().len();
    (bytes / 4 + 1500 * request.images.len()) as u64 + u64::from(request.max_tokens)
}

/// The value, also after another thread failed while it held the lock: every change is a single store.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
