//! What command lines a launch file leads to.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod support;

use support::Prefix;

fn commands(body: &str, arguments: &[&str]) -> Result<Vec<String>, String> {
    let prefix = Prefix::new().node("n", "true");
    std::fs::write(prefix.path().join("f.yaml"), "").unwrap();
    prefix.file(
        "inner.launch.xml",
        "<arg name='color' default='red'/><arg name='size'/>
         <node pkg='p' exec='n' args='$(var color) $(var size) $(dirname)'/>",
    );
    let arguments: Vec<&str> = ["--print"].iter().chain(arguments).copied().collect();
    let (code, out, err) = prefix.run(body, &arguments);
    let root = prefix.path().to_str().unwrap();
    match code {
        0 => Ok(out.replace(root, "@").lines().map(str::to_owned).collect()),
        _ => Err(err.replace(root, "@")),
    }
}

#[test]
fn a_node_gets_names_parameters_and_remaps() {
    let body = r#"
      <set_parameter name="all" value="1"/>
      <set_remap from="x" to="y"/>
      <group>
        <push_ros_namespace namespace="team"/>
        <node pkg="p" exec="n" name="one" namespace="sub" args="a 'b c'" exec_name="label">
          <param name="i" value="7"/>
          <param name="s" value="7" type="str"/>
          <param name="f" value="1" type="float"/>
          <param name="outer"><param name="inner" value="true"/></param>
          <param from="f.yaml"/>
          <remap from="in" to="out"/>
        </node>
      </group>
      <node pkg="p" exec="n"/>"#;
    assert_eq!(
        commands(body, &[]).unwrap(),
        [
            "[label-1] @/lib/p/n a b c --ros-args -r __node:=one -r __ns:=/team/sub -p all:=1 \
             -p i:=7 -p s:=\"7\" -p f:=1.0 -p outer.inner:=true --params-file f.yaml -r x:=y -r in:=out",
            "[n-2] @/lib/p/n --ros-args -p all:=1 -r x:=y",
        ]
    );
}

#[test]
fn a_prefix_stands_before_the_command_and_may_be_empty() {
    let body = r#"
      <let name="nice" value="nice -n 5"/>
      <node pkg="p" exec="n" launch-prefix="$(var nice)"/>
      <executable cmd="sleep 1" launch-prefix="time 'a b'"/>
      <node pkg="p" exec="n" launch-prefix=""/>"#;
    assert_eq!(
        commands(body, &[]).unwrap(),
        ["[n-1] nice -n 5 @/lib/p/n --ros-args", "[sleep-2] time a b sleep 1", "[n-3] @/lib/p/n --ros-args"]
    );
}

#[test]
fn conditions_groups_and_variables() {
    let body = r#"
      <arg name="on" default="true"/>
      <let name="a" value="1"/>
      <group if="$(var on)"><let name="a" value="2"/><executable cmd="in $(var a)"/></group>
      <executable cmd="out $(var a)" unless="$(var on)"/>
      <executable cmd="/x/after $(var a)" if="$(not $(equals $(var a) 2))"/>"#;
    assert_eq!(
        commands(body, &[]).unwrap(),
        ["[in-1] in 2", "[after-2] /x/after 1"]
    );
    assert_eq!(
        commands(body, &["on:=False"]).unwrap(),
        ["[out-1] out 1", "[after-2] /x/after 1"]
    );
    assert!(
        commands(body, &["on:=maybe"])
            .unwrap_err()
            .contains("`maybe` is not a condition")
    );
}

#[test]
fn includes_pass_arguments_and_share_settings() {
    let body = r#"
      <include file="$(find-pkg-share p)/launch/inner.launch.xml"><arg name="size" value="xl"/></include>
      <executable cmd="after $(var color)"/>"#;
    let lines = commands(body, &["color:=blue"]).unwrap();
    assert_eq!(
        lines[0],
        "[n-1] @/lib/p/n blue xl @/share/p/launch --ros-args"
    );
    assert_eq!(lines[1], "[after-2] after blue");
    // What the include sets itself is not the caller's to give.
    assert!(
        commands(body, &["size:=m"])
            .unwrap_err()
            .contains("no argument `size` (allowed: color)")
    );
}

#[test]
fn errors_name_the_place() {
    for (body, expected) in [
        (
            "<arg name='a'/>",
            "t.launch.xml:2: <arg>: argument `a` is required",
        ),
        (
            "<include file='$(dirname)/inner.launch.xml'/>",
            "inner.launch.xml:2: <arg>: argument `size` is required",
        ),
        (
            "<include file='none.launch.xml'/>",
            "t.launch.xml:2: <include>: no file `none.launch.xml`",
        ),
        ("<include file='$(filename)'/>", "include each other"),
        (
            "<include file='$(filename)'/><include file='$(filename)'/>",
            "include each other",
        ),
        (
            "<node pkg='p' exec='zzz'/>",
            "<node>: executable `zzz` of package `p` not found; looked at @/lib/p/zzz",
        ),
        (
            "<node pkg='p' exec='n' name='a b'/>",
            "`a b` is not a node name",
        ),
        (
            "<node pkg='p' exec='n'><param name='x' value='1' type='number'/></node>",
            "param `x`: unknown type `number` (allowed: str,",
        ),
        (
            "<node pkg='p' exec='n'><param name='x'/></node>",
            "a param takes `from`",
        ),
        (
            "<node pkg='p' exec='n' output='paper'/>",
            "`output`: `paper` (allowed: screen,",
        ),
        (
            "<node pkg='p' exec='n' respawn='maybe'/>",
            "attribute `respawn`: `maybe`",
        ),
        (
            "<node pkg='p' exec='n' on_exit='cry'/>",
            "`on_exit`: `cry` (allowed: shutdown)",
        ),
        (
            "<let name='a' value='$(var b)'/>",
            "no argument or variable `b`",
        ),
        (
            "<arg name='a' default='c'><choice value='b'/></arg>",
            "argument a:=c (allowed: b)",
        ),
    ] {
        let error = commands(body, &[]).unwrap_err();
        assert!(error.contains(expected), "{body}\n{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn a_package_and_a_file_name_work_like_a_path() {
    let prefix = Prefix::new().node("n", "true");
    prefix.file("a.launch.xml", "<executable cmd='x'/>");
    let out = prefix
        .command(&["-p", "p", "a.launch.xml"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(out.stdout).unwrap(), "[x-1] x\n");
    let out = prefix.command(&["p", "b.launch.xml"]).output().unwrap();
    assert!(
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("no launch file `b.launch.xml`")
    );
}
