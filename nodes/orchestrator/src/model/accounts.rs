//! What one model call cost, kept apart by kind (G-07).

use super::ModelReply;

/// Accounts of a call, whether or not it gave an answer. None is inferred from another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accounts {
    /// Tokens sent, cached ones included, as billed; 0 when the server does not say.
    pub tokens_in: u64,
    /// Tokens got, hidden reasoning included, as billed; 0 when the server does not say.
    pub tokens_out: u64,
    /// Of the tokens sent, those that the server had cached.
    pub tokens_cached: u64,
    /// Requests sent; 0 for a provider that sends none.
    pub tries: u32,
    /// Wall-clock s waited between tries and for the rate limit.
    pub waited_s: f64,
    /// Wall-clock s of the whole call, waits included.
    pub latency_s: f64,
}

impl Accounts {
    /// The accounts that a reply carries.
    #[must_use]
    pub fn of(reply: &ModelReply) -> Self {
        Self {
            tokens_in: reply.tokens_in,
            tokens_out: reply.tokens_out,
            tokens_cached: reply.tokens_cached,
            tries: reply.tries,
            waited_s: reply.waited_s,
            latency_s: reply.latency_s,
        }
    }

    /// Adds another call's.
    pub fn add(&mut self, other: Self) {
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.tokens_cached += other.tokens_cached;
        self.tries += other.tries;
        self.waited_s += other.waited_s;
        self.latency_s += other.latency_s;
    }
}
