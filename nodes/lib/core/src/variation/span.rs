//! A number that is fixed or drawn from a range: `0.5` or `[0.4, 1.2]`.

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// Both ends are the same for a fixed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Least value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
}

impl Span {
    /// The value at a share of the way from `low` to `high`; exactly `low` when the ends are equal.
    #[must_use]
    pub fn at(&self, share: f64) -> f64 {
        if self.high > self.low { self.low + share * (self.high - self.low) } else { self.low }
    }
}

struct SpanVisitor;

impl<'de> Visitor<'de> for SpanVisitor {
    type Value = Span;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, or a range [low, high]")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Span, E> {
        Ok(Span { low: value, high: value })
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Span, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Span, E> {
        self.visit_f64(value as f64)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Span, A::Error> {
        let mut next = |index| items.next_element::<f64>()?.ok_or_else(|| A::Error::invalid_length(index, &self));
        let span = Span { low: next(0)?, high: next(1)? };
        if items.next_element::<f64>()?.is_some() {
            return Err(A::Error::invalid_length(3, &self));
        }
        Ok(span)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpanVisitor)
    }
}
