//! When a failed request is sent again: exponential back-off with seeded jitter, or when the server says.

use super::http_config::RetryConfig;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Statuses after which the same request may succeed later.
pub const RETRYABLE: [u16; 5] = [429, 500, 502, 503, 529];

/// Longest wait that a server may ask for; anything longer is past every deadline.
const LONGEST: Duration = Duration::from_secs(86_400);

/// Time as the retries see it, so that tests need not wait.
pub trait Clock: Send + Sync {
    /// Time since a fixed moment; never goes back.
    fn now(&self) -> Duration;
    /// Seconds since 1970, UTC.
    fn unix_s(&self) -> u64;
    /// Waits.
    fn sleep(&self, time: Duration);
}

/// The computer's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// Counts from here.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn unix_s(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Wait before the try after `tries` failed ones. The back-off doubles from `first_wait_s` up to `max_wait_s`;
/// the jitter takes up to half of it away. A server's own wait `asked` is kept and only lengthened, by up to
/// `first_wait_s`. Calls that run side by side differ by `stream`.
#[must_use]
pub fn wait(config: &RetryConfig, seed: u64, stream: u64, tries: u32, asked: Option<Duration>) -> Duration {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng.set_word_pos(2 * u128::from(tries));
    let unit = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let seconds = |s: f64| Duration::try_from_secs_f64(s).unwrap_or(LONGEST).min(LONGEST);
    match asked {
        Some(asked) => asked.min(LONGEST) + seconds(config.first_wait_s * unit),
        None => {
            let exponent = i32::try_from(tries.saturating_sub(1)).unwrap_or(i32::MAX).min(60);
            seconds((config.first_wait_s * 2f64.powi(exponent)).min(config.max_wait_s) * (1.0 - 0.5 * unit))
        }
    }
}

/// Reads `retry-after`: seconds, or an HTTP date, which is compared with the server's own `date` if it sent one.
#[must_use]
pub fn retry_after(value: &str, server_date: Option<&str>, unix_s: u64) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST));
    }
    let now = server_date.and_then(http_date).unwrap_or(unix_s);
    http_date(value).map(|then| Duration::from_secs(then.saturating_sub(now)).min(LONGEST))
}

/// Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, preferred form).
#[must_use]
pub fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = fields.as_slice() else { return None };
    let month = MONTHS.iter().position(|m| m == month)?;
    let (day, year): (i64, i64) = (day.parse().ok()?, year.parse().ok()?);
    let clock: Vec<u64> = time.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [h @ 0..24, m @ 0..60, s @ 0..=60] = *clock.as_slice() else { return None };
    if !(1..=31).contains(&day) || !(1970..=9999).contains(&year) {
        return None;
    }
    // Years are counted from March, so that the leap day comes last.
    let month = i64::try_from(month).ok()?;
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    u64::try_from(days).ok().map(|days| days * 86_400 + h * 3600 + m * 60 + s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CONFIG: RetryConfig = RetryConfig { tries: 5, first_wait_s: 1.0, max_wait_s: 20.0 };

    #[test]
    fn dates_are_read() {
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
        for bad in ["", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT"] {
            assert_eq!(http_date(bad), None, "{bad}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let date = Some("Sun, 06 Nov 1994 08:49:30 GMT");
        assert_eq!(retry_after(" 7 ", None, 0), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("0.5", None, 0), Some(Duration::from_millis(500)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", date, 0), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", None, 784_111_770), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", None, 784_111_999), Some(Duration::ZERO));
        assert_eq!(retry_after("1e300", None, 0), Some(LONGEST));
        for bad in ["-1", "soon", "NaN"] {
            assert_eq!(retry_after(bad, None, 0), None, "{bad}");
        }
    }

    #[test]
    fn waits_double_and_seeds_and_streams_differ() {
        for tries in 1..8 {
            let full = (2f64.powi(tries - 1)).min(20.0);
            let got = wait(&CONFIG, 7, 0, tries as u32, None).as_secs_f64();
            assert!(got >= 0.5 * full && got <= full, "{tries}: {got}");
        }
        assert_eq!(wait(&CONFIG, 7, 0, 1, None), wait(&CONFIG, 7, 0, 1, None));
        assert_ne!(wait(&CONFIG, 7, 0, 1, None), wait(&CONFIG, 8, 0, 1, None));
        assert_ne!(wait(&CONFIG, 7, 0, 1, None), wait(&CONFIG, 7, 1, 1, None));
        let asked = wait(&CONFIG, 7, 0, 1, Some(Duration::from_secs(30)));
        assert!(asked >= Duration::from_secs(30) && asked < Duration::from_secs(31));
    }

    proptest! {
        #[test]
        fn any_header_is_read_without_panic(value in "\\PC{0,40}", date in "\\PC{0,40}", unix in any::<u64>(), tries in any::<u32>()) {
            let asked = retry_after(&value, Some(&date), unix);
            prop_assert!(asked.is_none_or(|d| d <= LONGEST));
            let _ = wait(&CONFIG, unix, unix, tries, asked);
        }
    }
}
