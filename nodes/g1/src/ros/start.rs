//! Opens the node: parameters, configuration, policy, topics.

use crate::ros::links::Links;
use crate::ros::pairing::Pairing;
use crate::ros::shell::{ENABLED, Shell};
use crate::ros::shown::Shown;
use crate::ros::skills::Skills;
use crate::ros::watchdog::Watchdog;
use crate::{G1, G1Config};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use troupe_core::robot::RobotConfig;
use troupe_policy::WalkPolicy;
use troupe_ros::diagnostics::Diagnostics;
use troupe_ros::mode::{Mode, WORDS};
use troupe_ros::params::Declared;
use troupe_ros::r2r::std_msgs::msg::String as Text;
use troupe_ros::settings::{RosSettings, wall};
use troupe_ros::RosNode;

/// Names the folder of fetched assets.
const ASSETS: &str = "TROUPE_ASSETS";

fn parameters() -> Vec<Declared> {
    vec![
        Declared::text("robot", "g1_0", "Namespace of the robot, also its name in team/state."),
        Declared::text("config", "config", "Folder with robots/ and nodes/."),
        Declared::one_of("mode", "lockstep", WORDS, "Whether simulated time waits for the robots."),
        Declared::flag(ENABLED, false, "Whether the robot may move.").live(),
        Declared::text("world", "", "Name of the world, which may name the robot's support and first step; given to every node of a team."),
        Declared::integer("seed", 0, [0, i64::MAX], "Seed of the run; given to every node of a team."),
    ]
}

/// Runs the node until Ctrl-C or SIGTERM.
///
/// # Errors
/// When parameters, configuration, policy or ROS fail at the start.
pub fn run() -> Result<()> {
    let mut ros = RosNode::open("g1", "", parameters())?;
    let (name, config, world, mode, simulated) = {
        let p = ros.parameters();
        let config = PathBuf::from(p.text("config"));
        (p.text("robot"), config, p.text("world"), Mode::from_word(&p.text("mode")), p.flag("use_sim_time"))
    };
    let settings = RosSettings::load(&config)?;
    let robot_file = config.join("robots/g1.yaml");
    let mut g1_config = G1Config::load(&config.join("nodes/g1.yaml"), &robot_file)?;
    if !world.is_empty() {
        g1_config = g1_config.in_world(&config.join("worlds").join(format!("{world}.yaml")), &name)?;
    }
    let joints = g1_config.joints.names.clone();
    let policy = policy(&g1_config)?;
    let mut links = Links::open(&mut ros, &name)?;
    describe(&mut links, &robot_file)?;
    let skills = Skills::open(&mut ros, &name, settings.tell.feedback_ticks)?;
    let diagnostics = Diagnostics::open(&mut ros, &format!("{name}: g1"), &name)?;
    let tell = &settings.tell;
    let shown = Shown::new(&name, joints, simulated, tell.joint_states_ticks, wall(tell.diagnostics_wall_s), diagnostics);
    let watchdog = Watchdog::new(&settings.watchdog, mode, simulated);
    tracing::info!(robot = %name, ?mode, "ready");
    let g1 = G1::new(g1_config, Box::new(policy), &name);
    Shell::new(ros, g1, links, skills, Pairing::new(mode), watchdog, shown).run();
    Ok(())
}

fn policy(config: &G1Config) -> Result<WalkPolicy> {
    let assets = std::env::var_os(ASSETS).with_context(|| format!("{ASSETS} is not set; `./run setup` fetches the assets and `./run env` prints it"))?;
    let file = Path::new(&assets).join(&config.settings.policy);
    let policy = WalkPolicy::load(&file)?;
    config.joints.check_policy(policy.metadata())?;
    Ok(policy)
}

fn describe(links: &mut Links, robot_file: &Path) -> Result<()> {
    let robot: RobotConfig = troupe_core::config::load(robot_file, std::fs::read_to_string(robot_file))?;
    let file = robot_file.parent().unwrap_or(Path::new("")).join(&robot.urdf);
    let data = std::fs::read_to_string(&file).with_context(|| format!("cannot read the robot description: {}", file.display()))?;
    links.description.publish(&Text { data })?;
    Ok(())
}
