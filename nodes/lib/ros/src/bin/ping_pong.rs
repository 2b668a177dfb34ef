//! Round trip of one message between two processes: `ping_pong pong`, and `ping_pong ping COUNT`.
//!
//! Used by `./run bench`, which measures the same with rclpy. Prints `p50_us p99_us` on standard output.

use std::io::Write;
use std::time::{Duration, Instant};
use troupe_core::stats::quantile;
use troupe_ros::r2r::std_msgs::msg::UInt64;
use troupe_ros::{RosError, RosNode, qos};

const PING: &str = "/bench/ping";
const PONG: &str = "/bench/pong";
/// A lost answer ends the measurement.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() -> Result<(), RosError> {
    let arguments: Vec<String> = std::env::args().collect();
    let count: u64 = arguments.get(2).and_then(|c| c.parse().ok()).unwrap_or(2000);
    match arguments.get(1).map(String::as_str) {
        Some("pong") => pong(),
        Some("ping") => ping(count),
        _ => {
            let _ = writeln!(std::io::stderr(), "usage: ping_pong pong | ping [COUNT]");
            std::process::exit(2);
        }
    }
}

fn pong() -> Result<(), RosError> {
    let mut ros = RosNode::open("pong", "bench", Vec::new())?;
    let mut pings = ros.subscribe::<UInt64>(PING, qos::DEVICE)?;
    let pongs = ros.publish::<UInt64>(PONG, qos::DEVICE)?;
    while !ros.shutdown().requested() {
        ros.spin(Duration::from_millis(50));
        while let Some(message) = pings.take() {
            // A closing context is the only way to fail here; the loop then ends by itself.
            let _ = pongs.publish(&message);
        }
    }
    Ok(())
}

fn ping(count: u64) -> Result<(), RosError> {
    let mut ros = RosNode::open("ping", "bench", Vec::new())?;
    let pings = ros.publish::<UInt64>(PING, qos::DEVICE)?;
    let mut pongs = ros.subscribe::<UInt64>(PONG, qos::DEVICE)?;
    let mut times_us = Vec::new();
    let start = Instant::now();
    let mut number = 0;
    // The first answers show that both ends have found each other.
    while times_us.len() < count as usize + 100 && !ros.shutdown().requested() {
        number += 1;
        let sent = Instant::now();
        let _ = pings.publish(&UInt64 { data: number });
        loop {
            ros.spin(Duration::from_millis(20));
            if std::iter::from_fn(|| pongs.take()).any(|m| m.data == number) {
                times_us.push(sent.elapsed().as_secs_f64() * 1e6);
                break;
            }
            if sent.elapsed() > Duration::from_millis(200) {
                break;
            }
        }
        if times_us.is_empty() && start.elapsed() > PATIENCE {
            break;
        }
    }
    let counted = times_us.get(100..).unwrap_or_default();
    let at = |q| quantile(counted, q).unwrap_or(f64::NAN);
    let _ = writeln!(std::io::stdout(), "{:.1} {:.1}", at(0.5), at(0.99));
    Ok(())
}
