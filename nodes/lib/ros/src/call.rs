//! Service calls with an end-to-end wall deadline.

use futures::task::noop_waker_ref;
use r2r::{Client, Node, WrappedServiceTypeSupport};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// Nobody answered in time.
    #[error("{what} did not answer within {limit_ms} ms")]
    Silent {
        /// Service or action.
        what: String,
        /// Wall time allowed, ms.
        limit_ms: u128,
    },
    /// rcl refused.
    #[error("{what}: {reason}")]
    Ros {
        /// Service or action.
        what: String,
        /// Its words.
        reason: String,
    },
    /// The process is asked to end.
    #[error("{what} was given up: the process ends")]
    Ending {
        /// Service or action.
        what: String,
    },
}

type Answer<T> = Pin<Box<dyn Future<Output = r2r::Result<T>> + Send>>;

/// One service, called from here.
pub struct Caller<S: WrappedServiceTypeSupport + 'static> {
    name: Arc<str>,
    client: Arc<Client<S>>,
    found: Arc<AtomicBool>,
}

impl<S: WrappedServiceTypeSupport> Clone for Caller<S> {
    fn clone(&self) -> Self {
        Self { name: Arc::clone(&self.name), client: Arc::clone(&self.client), found: Arc::clone(&self.found) }
    }
}

impl<S: WrappedServiceTypeSupport> std::fmt::Debug for Caller<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Caller({})", self.name)
    }
}

impl<S: WrappedServiceTypeSupport> Caller<S>
where
    S::Request: Send + Sync,
    S::Response: Send,
{
    pub(crate) fn new(name: &str, client: Client<S>) -> Self {
        Self { name: name.into(), client: Arc::new(client), found: Arc::default() }
    }

    /// Name of the service.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits within `limit` until there is a server.
    pub fn appear(&self, limit: Duration) -> Pending<()> {
        let (client, found) = (Arc::clone(&self.client), Arc::clone(&self.found));
        let answer: Answer<()> = Box::pin(async move {
            if !found.load(Ordering::Relaxed) {
                let available = Node::is_available(&*client)?;
                available.await?;
                found.store(true, Ordering::Relaxed);
            }
            Ok(())
        });
        Pending::new(&self.name, limit, answer)
    }

    /// Sends a request. A server that is not there yet is waited for within `limit`.
    pub fn start(&self, request: S::Request, limit: Duration) -> Pending<S::Response> {
        let (client, found) = (Arc::clone(&self.client), Arc::clone(&self.found));
        let answer: Answer<S::Response> = if found.load(Ordering::Relaxed) {
            match client.request(&request) {
                Ok(future) => Box::pin(future),
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        } else {
            Box::pin(async move {
                let available = Node::is_available(&*client)?;
                available.await?;
                found.store(true, Ordering::Relaxed);
                let answer = client.request(&request)?;
                answer.await
            })
        };
        Pending::new(&self.name, limit, answer)
    }
}

/// An answer that is under way.
pub struct Pending<T> {
    what: String,
    limit: Duration,
    deadline: Instant,
    answer: Answer<T>,
}

impl<T> std::fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pending({})", self.what)
    }
}

impl<T> Pending<T> {
    pub(crate) fn new(what: &str, limit: Duration, answer: Answer<T>) -> Self {
        Self { what: what.to_owned(), limit, deadline: Instant::now() + limit, answer }
    }

    /// The answer, an error after the deadline, or nothing yet. For a loop that spins in between.
    pub fn poll(&mut self) -> Option<Result<T, CallError>> {
        self.poll_with(noop_waker_ref())
    }

    /// Waits for the answer, for a thread other than the one that spins. `ending` is asked every 50 ms.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn wait(mut self, ending: &dyn Fn() -> bool) -> Result<T, CallError> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        loop {
            if let Some(answer) = self.poll_with(&waker) {
                return answer;
            }
            if ending() {
                return Err(CallError::Ending { what: self.what });
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            std::thread::park_timeout(left.min(Duration::from_millis(50)));
        }
    }

    fn poll_with(&mut self, waker: &Waker) -> Option<Result<T, CallError>> {
        match self.answer.as_mut().poll(&mut Context::from_waker(waker)) {
            Poll::Ready(Ok(answer)) => Some(Ok(answer)),
            Poll::Ready(Err(error)) => Some(Err(CallError::Ros { what: self.what.clone(), reason: error.to_string() })),
            Poll::Pending if Instant::now() >= self.deadline => {
                Some(Err(CallError::Silent { what: self.what.clone(), limit_ms: self.limit.as_millis() }))
            }
            Poll::Pending => None,
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_a_typed_error_within_the_limit() {
        let begun = Instant::now();
        let pending: Pending<u8> = Pending::new("/x", Duration::from_millis(60), Box::pin(std::future::pending()));
        let error = pending.wait(&|| false).unwrap_err();
        assert_eq!(error, CallError::Silent { what: "/x".into(), limit_ms: 60 });
        assert!(begun.elapsed() < Duration::from_millis(500));
    }

    #[test]
    fn an_ending_process_gives_up_at_once() {
        let pending: Pending<u8> = Pending::new("/x", Duration::from_secs(60), Box::pin(std::future::pending()));
        assert!(matches!(pending.wait(&|| true), Err(CallError::Ending { .. })));
        let mut ready = Pending::new("/x", Duration::ZERO, Box::pin(std::future::ready(Ok(3))));
        assert_eq!(ready.poll(), Some(Ok(3)));
    }
}
