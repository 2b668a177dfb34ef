//! Synthetic team states and a verifier that has seen them, for tests.

use crate::config::Setup;
use crate::verifier::Verifier;
use std::path::Path;
use troupe_core::TICK_S;
use troupe_core::decision::{Decision, Formation, Kind, Mode, Objective, PolicyCode, Role};
use troupe_core::frames::{Planar, Pose, Twist};
use troupe_core::route::{Gate, Route, RouteReference, Segment, SegmentKind, Target};
use troupe_core::skill::SkillCode;
use troupe_core::state::{Contact, PayloadState, RobotMode, RobotState, TeamState};
use troupe_core::task::EndpointKind;
use troupe_core::team::{BeginRun, CheckpointInfo, ValidateRequest, ValidateResponse, VerifyRequest, VerifyResponse};

/// Shipped limits on a route of its own, so that a change of the world moves no test.
pub(crate) fn setup() -> Setup {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
    Setup { route: route(), ..Setup::load(&folder, &["transport"], "l1").unwrap() }
}

/// Straight along +x, a left corner, straight along +y, target; 2.4 m wide.
fn route() -> Route {
    let up = std::f64::consts::FRAC_PI_2;
    let segment = |id: &str, kind, start: [f64; 2], end: [f64; 2], position: [f64; 2], heading_rad| Segment {
        id: id.into(),
        kind,
        start,
        end,
        gate: Gate { position, heading_rad, width_m: 1.0, heading_tolerance_rad: 0.26 },
        left_boundary: vec![[-1.5, 1.2], [1.2, 1.2], [1.2, 3.4]],
        right_boundary: vec![[-1.5, -1.2], [3.6, -1.2], [3.6, 3.4]],
    };
    Route {
        segments: vec![
            segment("straight_a_middle", SegmentKind::Straight, [0.13, 0.0], [1.13, 0.0], [1.05, 0.0], 0.0),
            segment("corner_entry", SegmentKind::Straight, [1.13, 0.0], [2.13, 0.0], [2.03, 0.0], 0.0),
            segment("corner_exit", SegmentKind::Corner, [2.13, 0.0], [2.4, 0.0], [2.4, 0.45], up),
            segment("straight_b_middle", SegmentKind::Straight, [2.4, 0.53], [2.4, 1.28], [2.4, 1.23], up),
            segment("target_region", SegmentKind::Approach, [2.4, 1.28], [2.4, 2.03], [2.4, 1.97], up),
        ],
        target: Target { position: [2.4, 2.03, 0.84], heading_rad: up, radius_m: 0.3 },
    }
}

/// Namespaces of world L1.
pub(crate) fn robots() -> Vec<String> {
    vec!["g1_0".into(), "g1_1".into()]
}

fn contact(a: &str, b: &str) -> Contact {
    Contact { body_a: a.into(), body_b: b.into(), force_n: 2.0, impulse_ns: 0.04 }
}

/// Contacts of the payload with every robot's forearms.
pub(crate) fn arm_contacts() -> Vec<Contact> {
    robots().iter().map(|r| contact("payload", &format!("{r}/left_forearm"))).collect()
}

/// The payload on the stand, free of robots.
pub(crate) fn stand_contacts() -> Vec<Contact> {
    vec![contact("g1_0/foot", "floor"), contact("payload", "stand")]
}

fn robot(name: &str, at: Planar) -> RobotState {
    RobotState {
        robot: name.into(),
        kind: "g1".into(),
        base: Pose::upright([at.x, at.y, 0.76], at.yaw),
        twist: Twist::default(),
        torso_tilt_rad: 0.03,
        mode: RobotMode::Idle,
        controller_epoch: 0,
        privileged: true,
        pose_std_m: 0.0,
    }
}

/// A team with its payload centre at `payload`, side by side; robots `back_m` behind the bar.
pub(crate) fn team(payload: Planar, z_m: f64, back_m: f64, contacts: Vec<Contact>) -> TeamState {
    let beside = |y: f64| payload.compose(Planar { x: -back_m, y, yaw: 0.0 });
    let pose = Pose::upright([payload.x, payload.y, z_m], payload.yaw);
    TeamState {
        tick: 0,
        stamp_s: 0.0,
        context_epoch: 1,
        robots: vec![robot("g1_0", beside(0.4)), robot("g1_1", beside(-0.4))],
        payloads: vec![PayloadState {
            name: "payload".into(),
            pose,
            twist: Twist::default(),
            half_extents_m: [0.05, 0.65, 0.015],
            z_min_m: z_m - 0.015,
            tilt_rad: 0.02,
            mass_kg: 0.5,
            held: false,
        }],
        contacts,
        route: RouteReference {
            segment_id: "straight_a_middle".into(),
            direction: [1.0, 0.0],
            local_target: [1.13, 0.0],
            left_boundary: vec![],
            right_boundary: vec![],
            gate: Gate { position: [1.05, 0.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.26 },
        },
    }
}

/// Robots at `x`, facing +x, carrying.
pub(crate) fn carrying(x: f64) -> TeamState {
    team(Planar { x: x + 0.13, y: 0.0, yaw: 0.0 }, 0.915, 0.13, arm_contacts())
}

/// Carrying with the payload over the target.
pub(crate) fn over_target() -> TeamState {
    team(Planar { x: 2.4, y: 2.03, yaw: std::f64::consts::FRAC_PI_2 }, 0.915, 0.13, arm_contacts())
}

/// On the stand, robots `back_m` behind it.
pub(crate) fn on_stand(back_m: f64) -> TeamState {
    team(Planar { x: 2.4, y: 2.03, yaw: std::f64::consts::FRAC_PI_2 }, 0.855, back_m, stand_contacts())
}

/// The state with tick and stamp.
pub(crate) fn at_tick(mut state: TeamState, tick: u64) -> TeamState {
    state.tick = tick;
    state.stamp_s = tick as f64 * TICK_S;
    state
}

/// Two walk policies as a model would write them.
pub(crate) fn both(source: &str) -> Vec<PolicyCode> {
    robots().into_iter().map(|robot| PolicyCode { robot, source: source.into() }).collect()
}

/// A verifier in a run, with states up to `tick`.
pub(crate) struct Bench {
    pub verifier: Verifier,
    pub tick: u64,
    pub epoch: u32,
}

impl Bench {
    /// A run that began with `carrying(0.0)`.
    pub(crate) fn new() -> Self {
        Self::with(setup())
    }

    /// A run of a task whose endpoint is `endpoint`.
    pub(crate) fn of(endpoint: EndpointKind) -> Self {
        let mut setup = setup();
        setup.tasks[0].endpoint = endpoint;
        Self::with(setup)
    }

    fn with(setup: Setup) -> Self {
        let mut bench = Self { verifier: Verifier::new(setup).unwrap(), tick: 0, epoch: 1 };
        bench.show(&carrying(0.0), 60);
        let request = BeginRun { run_id: "r".into(), task_id: "transport".into(), tick: bench.tick };
        assert_eq!(bench.verifier.begin_run(&request), Ok("ckpt-0".into()));
        bench
    }

    /// Shows the same state for `ticks` more ticks.
    pub(crate) fn show(&mut self, state: &TeamState, ticks: u64) {
        for _ in 0..ticks {
            self.tick += 1;
            let mut next = at_tick(state.clone(), self.tick);
            next.context_epoch = self.epoch;
            self.verifier.observe(next);
        }
    }

    /// A decision for the present checkpoint and phase.
    pub(crate) fn decision(&self, kind: Kind, objective: Objective) -> Decision {
        let milestones = self.verifier.milestones();
        let phase = setup().route.segments.iter().find(|s| !milestones.contains(&s.id)).map_or("place".into(), |s| s.id.clone());
        let (mode, roles) = match kind {
            Kind::Pivot => (Mode::Asym, vec![Role::InnerSupport, Role::OuterMover]),
            Kind::Alignment => (Mode::Asym, vec![Role::Reference, Role::Corrector]),
            _ => (Mode::Sync, vec![Role::Peer; 2]),
        };
        Decision {
            id: String::new(),
            checkpoint_id: self.verifier.checkpoint_id().into(),
            context_epoch: self.epoch,
            phase_id: phase,
            kind,
            objective,
            mode,
            roles,
            formation: Formation { distance_m: 0.8, heading_offset_rad: 0.0 },
            evidence_required: vec![],
            parent_id: String::new(),
            scope: None,
            relations: vec![],
            strategy_ids: vec![],
        }
        .identified()
        .unwrap()
    }

    /// Validates.
    pub(crate) fn validate(&mut self, decision: &Decision, policies: &[PolicyCode]) -> ValidateResponse {
        self.verifier.validate(&ValidateRequest { decision: decision.clone(), policies: policies.to_vec() })
    }

    /// Judges and commits, with the checkpoint stored where one is asked for.
    pub(crate) fn verify(&mut self, request: &VerifyRequest) -> VerifyResponse {
        let judged = self.verifier.judge(request);
        let info = CheckpointInfo {
            id: judged.save.clone().unwrap_or_default(),
            parent: self.verifier.checkpoint_id().into(),
            trusted: true,
            digest: String::new(),
            tick: request.closed_tick,
            context_epoch: self.epoch,
            created_by: request.transaction_id.clone(),
        };
        self.verifier.commit(judged, Ok(info))
    }

    /// Request for a validated decision over the window since `start_tick`.
    pub(crate) fn request(&self, decision: &Decision, valid: &ValidateResponse, start_tick: u64) -> VerifyRequest {
        VerifyRequest {
            transaction_id: format!("t{start_tick}"),
            decision: decision.clone(),
            fingerprint: valid.fingerprint.clone(),
            calls: valid.calls.clone(),
            start_tick,
            closed_tick: self.tick,
            robot_codes: vec![SkillCode::None; 2],
        }
    }

    /// Validates, shows the outcome for a second, judges and commits.
    pub(crate) fn run(&mut self, kind: Kind, objective: Objective, policies: &[PolicyCode], end: &TeamState) -> VerifyResponse {
        let decision = self.decision(kind, objective);
        let valid = self.validate(&decision, policies);
        assert!(valid.ok, "{:?}", valid.findings);
        let start_tick = self.tick;
        self.show(end, 50);
        let request = self.request(&decision, &valid, start_tick);
        self.verify(&request)
    }

    /// Carries the payload over the target in accepted transactions.
    pub(crate) fn travel(&mut self) {
        let yaw = std::f64::consts::FRAC_PI_2;
        let walk = both("walk(0.4, 'forward', 0.25)\nstop()");
        for (x, y, yaw) in [(0.9, 0.0, 0.0), (1.5, 0.0, 0.0), (2.1, 0.0, 0.0), (2.4, 0.53, yaw), (2.4, 1.3, yaw), (2.4, 2.03, yaw)] {
            let end = team(Planar { x, y, yaw }, 0.915, 0.13, arm_contacts());
            let response = self.run(Kind::LinearTransport, Objective::AdvanceSegment, &walk, &end);
            assert_eq!(response.verdict.reasons, Vec::<String>::new(), "at {x} {y}");
        }
        assert_eq!(self.verifier.milestones().len(), 5);
    }
}
