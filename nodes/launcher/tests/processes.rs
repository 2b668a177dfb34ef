//! Real processes: exit codes, output, shutdown, and nothing left behind.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod support;

use std::time::{Duration, Instant};

use support::{Prefix, assert_gone, exists, signal, wait};

/// The promise for Ctrl-C, with room for a busy machine only on the test's side.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);
const TEST_LIMIT: Duration = Duration::from_secs(20);

fn pids(lines: &[String]) -> Vec<String> {
    lines
        .iter()
        .filter_map(|l| l.split_once("pid="))
        .map(|(_, pid)| pid.to_owned())
        .collect()
}

#[test]
fn output_is_prefixed_raw_or_in_a_log() {
    let prefix = Prefix::new().node("n", "echo out; echo err >&2; printf end");
    let (code, out, err) = prefix.run("<node pkg='p' exec='n'/>", &[]);
    assert_eq!((code, out.as_str()), (0, "[n-1] out\n[n-1] end\n"));
    assert!(err.contains("[n-1] err\n") && err.contains("[INFO] [n-1]: process started with pid"));
    let (_, out, _) = prefix.run("<node pkg='p' exec='n'/>", &["--raw", "n"]);
    assert_eq!(out, "out\nend");
    let (_, out, _) = prefix.run("<node pkg='p' exec='n' output='own_log'/>", &[]);
    assert_eq!(out, "");
    let log = std::fs::read_to_string(prefix.path().join("log/n-1.log")).unwrap();
    assert!(log.contains("out\n") && log.contains("err\n"), "{log}");
}

#[test]
fn exit_codes() {
    let prefix = Prefix::new()
        .node("seven", "exit 7")
        .node("good", "true")
        .node("killed", "kill -9 $$")
        .node("forever", "exec sleep 100");
    for (body, expected) in [
        ("<node pkg='p' exec='good'/>", 0),
        ("<node pkg='p' exec='seven'/><node pkg='p' exec='good'/>", 1),
        (
            "<node pkg='p' exec='seven' on_exit='shutdown'/><node pkg='p' exec='forever'/>",
            7,
        ),
        (
            "<node pkg='p' exec='good' on_exit='shutdown'/><node pkg='p' exec='forever'/>",
            0,
        ),
        (
            "<node pkg='p' exec='killed' on_exit='shutdown'/><node pkg='p' exec='forever'/>",
            137,
        ),
        (
            "<executable cmd='/no/such/program'/><node pkg='p' exec='forever'/>",
            1,
        ),
        ("<node pkg='p' exec='nothing'/>", 2),
        ("", 0),
    ] {
        assert_eq!(prefix.run(body, &[]).0, expected, "{body}");
    }
}

#[test]
fn environment_folder_and_respawn() {
    let prefix = Prefix::new()
        .node("show", "echo $A $B ${GONE-none} $PWD")
        .node("again", "echo x >> count; exit 3");
    let sub = prefix.path().canonicalize().unwrap().join("sub");
    std::fs::create_dir(&sub).unwrap();
    let body = format!(
        "<set_env name='A' value='1'/><set_env name='GONE' value='x'/><unset_env name='GONE'/>
         <node pkg='p' exec='show' cwd='{}'><env name='B' value='$(env A)2'/></node>
         <node pkg='p' exec='again' respawn='true' respawn_delay='0.01' respawn_max_retries='2'/>",
        sub.display()
    );
    let (code, out, _) = prefix.run(&body, &[]);
    assert_eq!(out, format!("[show-1] 1 12 none {}\n", sub.display()));
    assert_eq!(
        std::fs::read_to_string(prefix.path().join("count")).unwrap(),
        "x\nx\nx\n"
    );
    assert_eq!(code, 1);
}

#[test]
fn ctrl_c_ends_everything_in_time() {
    // One that obeys, one that ignores SIGINT, one that ignores all it can and has a child, one
    // that is frozen.
    let prefix = Prefix::new()
        .node("obeys", "echo pid=$$; exec sleep 100")
        .node(
            "stubborn",
            "trap '' INT; echo pid=$$; while true; do sleep 0.1; done",
        )
        .node(
            "deaf",
            "trap '' INT TERM; sleep 100 & echo pid=$!; echo pid=$$; while true; do wait; done",
        )
        .node("frozen", "echo pid=$$; kill -STOP $$; exec sleep 100");
    let body = "<node pkg='p' exec='obeys'/><node pkg='p' exec='stubborn'/>
                <node pkg='p' exec='deaf'/><node pkg='p' exec='frozen'/>";
    let (mut launcher, lines) = prefix.start(body, 5);
    let begin = Instant::now();
    signal(&launcher, "INT");
    let status = wait(&mut launcher, TEST_LIMIT);
    assert!(begin.elapsed() < SHUTDOWN_LIMIT, "{:?}", begin.elapsed());
    assert_eq!(status.code(), Some(0));
    assert_eq!(pids(&lines).len(), 5);
    pids(&lines).iter().for_each(|pid| assert_gone(pid));
}

#[test]
fn a_second_signal_hurries_and_the_required_code_is_kept() {
    let prefix = Prefix::new()
        .node(
            "main",
            "trap 'exit 4' INT; echo pid=$$; while true; do sleep 0.05; done",
        )
        .node(
            "deaf",
            "trap '' INT TERM; echo pid=$$; while true; do sleep 0.05; done",
        );
    let body = "<node pkg='p' exec='main' on_exit='shutdown'/><node pkg='p' exec='deaf'/>";
    let (mut launcher, lines) = prefix.start(body, 2);
    let begin = Instant::now();
    for _ in 0..3 {
        signal(&launcher, "TERM");
        std::thread::sleep(Duration::from_millis(500));
    }
    assert_eq!(wait(&mut launcher, TEST_LIMIT).code(), Some(4));
    assert!(
        begin.elapsed() < Duration::from_secs(3),
        "{:?}",
        begin.elapsed()
    );
    pids(&lines).iter().for_each(|pid| assert_gone(pid));
}

#[test]
fn children_die_with_a_killed_launcher() {
    let prefix = Prefix::new().node(
        "deaf",
        "trap '' INT TERM HUP; echo pid=$$; while true; do sleep 0.05; done",
    );
    let (mut launcher, lines) =
        prefix.start("<node pkg='p' exec='deaf'/><node pkg='p' exec='deaf'/>", 2);
    assert!(pids(&lines).iter().all(|pid| exists(pid)));
    signal(&launcher, "KILL");
    wait(&mut launcher, TEST_LIMIT);
    for pid in pids(&lines) {
        let end = Instant::now() + Duration::from_secs(2);
        // Whoever inherits the dead reaps them, or leaves a zombie: both are dead.
        let is_dead = || {
            std::fs::read_to_string(format!("/proc/{pid}/stat"))
                .map_or(true, |stat| stat.contains(") Z ") || stat.contains(") X "))
        };
        while !is_dead() {
            assert!(Instant::now() < end, "{pid} survives its launcher");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn no_zombie_while_others_run() {
    let prefix = Prefix::new()
        .node("short", "(sleep 0.3; true) & echo pid=$!; echo pid=$$")
        .node("long", "sleep 2; echo pid=$$; exec sleep 100");
    let body = "<node pkg='p' exec='short'/><node pkg='p' exec='long'/>";
    let (mut launcher, lines) = prefix.start(body, 3);
    for pid in &pids(&lines)[..2] {
        assert!(!exists(pid), "{pid} is a zombie");
    }
    signal(&launcher, "INT");
    assert_eq!(wait(&mut launcher, TEST_LIMIT).code(), Some(0));
}
