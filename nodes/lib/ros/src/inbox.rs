//! What has arrived on a topic or service, taken without waiting.

use futures::Stream;
use futures::task::noop_waker_ref;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Messages or requests that a spin has put aside. r2r keeps ten per topic: take them after every spin.
pub struct Inbox<T> {
    stream: Pin<Box<dyn Stream<Item = T> + Send>>,
}

impl<T> std::fmt::Debug for Inbox<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Inbox")
    }
}

impl<T> Inbox<T> {
    /// Over r2r's stream.
    pub fn new(stream: impl Stream<Item = T> + Send + 'static) -> Self {
        Self { stream: Box::pin(stream) }
    }

    /// The oldest one that has not been taken.
    pub fn take(&mut self) -> Option<T> {
        // No waker is needed: the loop asks again after its next spin.
        match self.stream.as_mut().poll_next(&mut Context::from_waker(noop_waker_ref())) {
            Poll::Ready(item) => item,
            Poll::Pending => None,
        }
    }

    /// The newest one; all older ones are dropped.
    pub fn newest(&mut self) -> Option<T> {
        let mut newest = None;
        while let Some(item) = self.take() {
            newest = Some(item);
        }
        newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_in_order_and_never_waits() {
        let mut inbox = Inbox::new(futures::stream::iter([1, 2, 3]));
        assert_eq!((inbox.take(), inbox.newest(), inbox.take()), (Some(1), Some(3), None));
        let mut silent: Inbox<u8> = Inbox::new(futures::stream::pending());
        assert_eq!(silent.take(), None);
    }
}
