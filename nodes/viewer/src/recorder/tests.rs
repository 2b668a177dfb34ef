//! A synthetic run, written to memory and to a file.

use super::*;
use crate::event::{Health, Pace};
use crate::testing;
use rerun::RecordingStreamBuilder;
use rerun::log::{Chunk, LogMsg};
use std::collections::BTreeSet;
use troupe_core::budget::Budget;
use troupe_core::decision::{Decision, Formation, Kind, Mode, Objective, Role};
use troupe_core::evidence::{Comparator, Evidence, Outcome, Predicate, Verdict, VerdictKind};
use troupe_core::team::CheckpointInfo;

fn events() -> Vec<Event> {
    let mut events: Vec<Event> = (0..50)
        .flat_map(|n| {
            let pace = Pace { tick_wall_ms: 4.0, tick_wall_max_ms: 9.0, lost_states: 0 };
            let angles_rad = BTreeMap::from([("left_knee_joint".to_owned(), 0.3 + 0.01 * n as f64)]);
            let joints = Joints { robot: "g1_0".into(), stamp_s: n as f64 * 0.1, angles_rad };
            [Event::State(Box::new(testing::state(n * 5)), pace), Event::Joints(joints)]
        })
        .collect();
    events.extend([
        Event::Picture(Picture { camera: "overview".into(), stamp_ns: 1_000_000_000, png: vec![137, 80, 78, 71] }),
        Event::Decision(Decision {
            id: "d".into(),
            checkpoint_id: "0123456789abcdef".into(),
            context_epoch: 0,
            phase_id: "straight".into(),
            kind: Kind::LinearTransport,
            objective: Objective::AdvanceSegment,
            mode: Mode::Sync,
            roles: vec![Role::Peer, Role::Peer],
            formation: Formation { distance_m: 0.8, heading_offset_rad: 0.0 },
            evidence_required: vec!["support".into()],
            parent_id: String::new(),
            scope: None,
            relations: vec![],
            strategy_ids: vec![],
        }),
        Event::Evidence(Evidence {
            id: "e".into(),
            transaction_id: "t1".into(),
            measured: vec![],
            predicates: vec![Predicate::measured("payload_tilt", 0.01, Comparator::Le, 0.3, "rad")],
            failure_type: None,
            failure_level: None,
            required_relations: vec![],
        }),
        Event::Verdict(Verdict {
            id: "v".into(),
            subject: "t1".into(),
            outcome: Outcome::Accepted,
            kind: VerdictKind::Progress,
            reasons: vec!["all hold".into()],
            milestones: vec!["straight_a_middle".into()],
        }),
        Event::Budget { run_id: "r".into(), budget: Budget::new(80) },
        Event::Checkpoint(CheckpointInfo {
            id: "c".into(),
            parent: String::new(),
            trusted: true,
            digest: String::new(),
            tick: 5,
            context_epoch: 0,
            created_by: String::new(),
        }),
        Event::Text("go".into()),
        Event::Stop(true),
        Event::Health(Health { name: "g1_0: g1".into(), level: 1, message: "slow".into(), values: vec![("tick_computing_p99_ms".into(), 2.0)] }),
    ]);
    events
}

fn look() -> Look {
    Look { arrow_m_per_n: 0.05, simulated: true }
}

fn run(stream: rerun::RecordingStream, look: Look) {
    let mut recorder = Recorder::new(stream, Arc::new(testing::scene()), look).unwrap();
    for event in events() {
        recorder.record(&event).unwrap();
    }
    recorder.note_dropped(3).unwrap();
    let tally = Tally { passed: 100, dropped: BTreeMap::from([("states", 3)]) };
    recorder.finish(&tally).unwrap();
}

/// Everything that was logged to the recording itself, not to its layout.
fn chunks(look: Look) -> Vec<Chunk> {
    let (stream, storage) = RecordingStreamBuilder::new("test").enabled(true).memory().unwrap();
    run(stream.clone(), look);
    recording(&stream, &storage)
}

fn recording(stream: &rerun::RecordingStream, storage: &rerun::sink::MemorySinkStorage) -> Vec<Chunk> {
    stream.flush_blocking().unwrap();
    storage
        .take()
        .into_iter()
        .filter_map(|message| match message {
            LogMsg::ArrowMsg(id, arrow) if id.is_recording() => Some(Chunk::from_arrow_msg(&arrow).unwrap()),
            _ => None,
        })
        .collect()
}

#[test]
fn everything_has_its_entity() {
    let paths: BTreeSet<String> = chunks(look()).iter().map(|c| c.entity_path().to_string()).collect();
    for path in [
        "/world/corridor/walls",
        "/world/corridor/stand",
        "/world/route/centre_line",
        "/world/route/target",
        "/world/route/gates/straight_a_middle",
        "/world/payload",
        "/world/payload/shape",
        "/world/contacts/supports",
        "/world/contacts/hits",
        "/world/g1_0/pelvis",
        "/world/g1_0/pelvis/visual_0",
        "/world/g1_1/pelvis/left_hip_pitch_link/left_hip_roll_link/left_hip_yaw_link/left_knee_link",
        "/camera/overview",
        "/curves/payload/tilt_rad",
        "/curves/payload/z_min_m",
        "/curves/support/g1_0_n",
        "/curves/robots/g1_1/torso_tilt_rad",
        "/curves/formation/distance_error_m",
        "/curves/route/progress_m",
        "/curves/margins/payload_tilt",
        "/curves/margins/wall_clearance_m",
        "/curves/time/tick_wall_ms",
        "/curves/time/real_time_factor",
        "/curves/viewer/dropped_events",
        "/curves/viewer/lost_states",
        "/curves/budget/transactions",
        "/text/plan",
        "/text/decision",
        "/text/verdict",
        "/text/evidence",
        "/text/budget",
        "/log",
    ] {
        assert!(paths.contains(path), "{path} is not in {paths:#?}");
    }
    assert!(paths.iter().any(|p| p.starts_with("/curves/nodes/g1_0")), "{paths:#?}");
}

#[test]
fn all_that_moves_lies_on_the_simulated_timeline_and_no_other() {
    for chunk in chunks(look()).iter().filter(|c| !c.is_static()) {
        let names: Vec<&str> = chunk.timelines().keys().map(|name| name.as_str()).collect();
        assert!(names.contains(&TIME) && names.contains(&TICK) && names.len() == 2, "{}: {names:?}", chunk.entity_path());
        let last = chunk.timelines().values().filter(|t| *t.name() == *TICK).map(|t| t.time_range().max().as_i64()).max();
        assert!(last.is_some_and(|tick| (0..=245).contains(&tick)), "{}: {last:?}", chunk.entity_path());
    }
}

#[test]
fn what_stands_still_is_static_and_nothing_else_is() {
    // What is logged before the first state, and from another thread than the one that made the recorder.
    let (stream, storage) = RecordingStreamBuilder::new("test").enabled(true).memory().unwrap();
    let mut recorder = Recorder::new(stream.clone(), Arc::new(testing::scene()), look()).unwrap();
    let early = std::thread::spawn(move || {
        recorder.record(&Event::Text("early".into())).unwrap();
        recorder.record(&Event::Budget { run_id: "r".into(), budget: Budget::new(80) }).unwrap();
    });
    early.join().unwrap();
    let early = recording(&stream, &storage);
    for chunk in early.iter().chain(&chunks(look())) {
        let path = chunk.entity_path().to_string();
        let standing = path == "/world"
            || ["/world/corridor", "/world/route/centre_line", "/world/route/target", "/__properties"].iter().any(|p| path.starts_with(p))
            || path.contains("/visual_")
            || ["imu_in_pelvis", "imu_in_torso", "head_camera"].iter().any(|link| path.ends_with(link));
        assert_eq!(chunk.is_static(), standing, "{path}");
    }
}

#[test]
fn a_file_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.rrd");
    run(RecordingStreamBuilder::new("test").enabled(true).save(&path).unwrap(), look());
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() > 20_000, "{}", bytes.len());
    assert_eq!(&bytes[..3], b"RRF");
}
