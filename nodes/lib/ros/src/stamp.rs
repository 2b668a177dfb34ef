//! Stamps: seconds of the core types from and to `builtin_interfaces/Time`.

use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use std::time::{SystemTime, UNIX_EPOCH};
use troupe_core::TICK_S;

/// The one world frame of all messages.
pub const WORLD: &str = "world";

/// A stamp from seconds, to the nearest nanosecond; negative or not finite becomes 0.
#[must_use]
pub fn to_wire(stamp_s: f64) -> Time {
    from_nanoseconds(if stamp_s.is_finite() { (stamp_s * 1e9).round().max(0.0) as u64 } else { 0 })
}

/// A stamp from whole nanoseconds.
#[must_use]
pub fn from_nanoseconds(total: u64) -> Time {
    let sec = i32::try_from(total / 1_000_000_000).unwrap_or(i32::MAX);
    Time { sec, nanosec: (total % 1_000_000_000) as u32 }
}

/// Seconds of a stamp.
#[must_use]
pub fn from_wire(time: &Time) -> f64 {
    nanoseconds(time) as f64 / 1e9
}

/// Seconds of the stamp of control tick `tick`. In simulation that is `tick` × 20 ms to the last bit,
/// which nanoseconds alone cannot carry; any other stamp is taken as it is.
#[must_use]
pub fn of_tick(time: &Time, tick: u64) -> f64 {
    let exact = tick as f64 * TICK_S;
    if to_wire(exact) == *time { exact } else { from_wire(time) }
}

/// Whole nanoseconds of a stamp.
#[must_use]
pub fn nanoseconds(time: &Time) -> i64 {
    i64::from(time.sec) * 1_000_000_000 + i64::from(time.nanosec)
}

/// The machine's own time, for hardware.
#[must_use]
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time { sec: i32::try_from(since.as_secs()).unwrap_or(i32::MAX), nanosec: since.subsec_nanos() }
}

/// A header in `frame_id`.
#[must_use]
pub fn header(stamp: Time, frame_id: &str) -> Header {
    Header { stamp, frame_id: frame_id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_stamps_survive_to_the_last_bit() {
        for tick in (0..2_000_000_u64).step_by(37) {
            let exact = tick as f64 * TICK_S;
            assert_eq!(of_tick(&to_wire(exact), tick).to_bits(), exact.to_bits());
        }
    }

    #[test]
    fn other_stamps_keep_their_nanoseconds() {
        let time = Time { sec: 1_700_000_000, nanosec: 123_456_789 };
        assert!((of_tick(&time, 5) - 1_700_000_000.123_456_789).abs() < 1e-6);
        assert_eq!(to_wire(f64::NAN), Time { sec: 0, nanosec: 0 });
        assert_eq!(nanoseconds(&time), 1_700_000_000_123_456_789);
    }
}
