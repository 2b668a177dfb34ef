//! scratch
#![allow(clippy::unwrap_used, missing_docs, clippy::indexing_slicing)]
use troupe_core::skill::*;
use troupe_local_graph::crew::Crew;
use std::path::Path;
fn main() {
    let seed: u64 = std::env::args().nth(1).map_or(0, |s| s.parse().unwrap());
    let assets = std::env::var("TROUPE_ASSETS").unwrap();
    let mut crew = Crew::load(Path::new("config"), Path::new(&assets), "l1", seed).unwrap();
    let t = std::time::Instant::now();
    let mut last = None; let mut n = 0u64;
    let mut maxtilt: f64 = 0.0; let mut both = (0u64, 0u64);
    macro_rules! obs { () => { &mut |s: &troupe_core::state::TeamState| { n += 1; if !s.payload().unwrap().held { maxtilt = maxtilt.max(s.payload().unwrap().tilt_rad); both.1 += 1; if s.supports("g1_0") && s.supports("g1_1") { both.0 += 1; } } last = Some(s.clone()); } } }
    let goal = |crew: &mut Crew, calls: [SkillCall; 2]| -> Vec<SkillGoal> { let e = crew.bridge().context_epoch(); let t = crew.bridge().tick() + 1; calls.into_iter().map(|call| SkillGoal { call, transaction_id: "t".into(), context_epoch: e, start_tick: t, deadline_s: 30.0 }).collect() };
    crew.reset(seed, obs!()).unwrap();
    let g = goal(&mut crew, [SkillCall::InitSupport; 2]);
    let d = crew.dispatch(&g, 2000, obs!()).unwrap();
    println!("init {:?}", d);
    crew.place_payload(obs!()).unwrap();
    crew.window(60, false, obs!()).unwrap();
    let w = |d: f64, dir, v| SkillCall::Walk { distance_m: d, direction: dir, speed_mps: v };
    let mut plan = vec![];
    for _ in 0..6 { plan.push([w(0.333, Direction::Forward, 0.25); 2]); }
    let y = 15f64.to_radians();
    for _ in 0..6 { plan.push([SkillCall::Turn { yaw_rad: y, speed_rps: 0.25 }, SkillCall::Arc { distance_m: 0.8 * y, yaw_rad: y, speed_mps: 0.2 }]); }
    for _ in 0..5 { plan.push([w(std::env::args().nth(2).map_or(0.28, |s| s.parse().unwrap()), Direction::Forward, 0.25); 2]); }
    for calls in [vec![[SkillCall::LowerToTarget; 2], [SkillCall::Release; 2], [SkillCall::Retreat { distance_m: 0.5 }; 2]]].concat() { plan.push(calls); }
    for calls in plan {
        let g = goal(&mut crew, calls);
        match crew.dispatch(&g, 2000, obs!()) { Ok(d) => {
            let s = last.clone().unwrap(); let p = s.payload().unwrap();
            let r: Vec<String> = s.robots.iter().zip(&d.results).map(|(r, q)| { let b = r.base.planar(); format!("[{:.3} {:.3} {:.1}° {:?} d=({:.3},{:.3},{:.1}°) coast {:.3} settled {}]", b.x, b.y, b.yaw.to_degrees(), q.code, q.displacement.x, q.displacement.y, q.displacement.yaw.to_degrees(), q.coast_m, q.settled) }).collect();
            println!("{} {} ticks pay ({:.3} {:.3} {:.3}) tilt {:.1} yaw {:.1} sup {}{} {}", calls[0].name(), d.closed_tick - d.start_tick, p.pose.position[0], p.pose.position[1], p.pose.position[2], p.tilt_rad.to_degrees(), p.pose.yaw().to_degrees(), s.supports("g1_0") as u8, s.supports("g1_1") as u8, r.join(" ")); }
            Err(e) => { println!("ERR {e}"); break; } }
    }
    let s = t.elapsed().as_secs_f64();
    println!("{n} ticks {:.1} s wall, {:.1}x; maxtilt {:.1} both {:.3}; contacts {:?}", s, n as f64 * 0.02 / s, maxtilt.to_degrees(), both.0 as f64 / both.1 as f64, last.unwrap().contacts.iter().map(|c| format!("{}~{}", c.body_a, c.body_b)).collect::<Vec<_>>());
}
