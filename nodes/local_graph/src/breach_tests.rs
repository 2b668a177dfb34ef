//! A model that errs on purpose: a breached safety limit costs one rejected transaction, no more (AR-107).

use crate::team::{Folders, LocalTeam};
use serde_json::json;
use std::path::{Path, PathBuf};
use troupe_core::evidence::{FailureType, Outcome};
use troupe_core::ledger::{Ledger, Record, read};
use troupe_core::skill::SkillCode;
use troupe_orchestrator::model::builtin::Builtin;
use troupe_orchestrator::model::{LanguageModel, ModelError, ModelReply, ModelRequest, RoleId};
use troupe_orchestrator::progress::Silent;
use troupe_orchestrator::run::{Hooks, run};
use troupe_orchestrator::setup::Setup;

/// Walks one robot into the other in its second decision; sensible before and after.
struct Errant {
    builtin: Builtin,
    decisions: u32,
}

impl LanguageModel for Errant {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        self.decisions += u32::from(request.role == RoleId::Orchestrator);
        let answer = match request.role {
            RoleId::Orchestrator if self.decisions == 2 => json!({
                "kind": "coordinated_alignment", "objective": "equalise_formation", "mode": "asym",
                "roles": ["reference", "corrector"], "formation": request.context["formation"],
                "evidence_required": [],
            }),
            RoleId::Coder if self.decisions == 2 && request.context["child"].is_null() => json!({ "policies": [
                { "robot": "g1_0", "source": "hold(duration_s=2.0)\nstop()" },
                { "robot": "g1_1", "source": "walk(distance_m=0.45, direction=\"left\", speed_mps=0.3)\nstop()" },
            ]}),
            _ => return self.builtin.complete(request),
        };
        Ok(ModelReply { text: answer.to_string(), ..ModelReply::default() })
    }
}

fn folders() -> Folders {
    let assets = std::env::var_os("TROUPE_ASSETS")
        .expect("TROUPE_ASSETS must name the folder of fetched assets; `./run setup` fetches them, `./run test` sets it");
    Folders { config: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config"), assets: PathBuf::from(assets) }
}

#[test]
fn a_breach_is_a_rejected_transaction_and_the_team_goes_on_after_the_restore() {
    let folders = folders();
    let mut setup = Setup::load(&folders.config, "transport", "l1", 0).unwrap();
    setup.task.budget_transactions = 4;
    let mut team = LocalTeam::new(&folders, "transport", "l1", 0).unwrap();
    let mut model = Errant { builtin: Builtin::new(setup.config.builtin), decisions: 0 };
    let mut bytes = Vec::new();
    let mut bank = troupe_coordination::experience::Bank::default();
    let hooks = Hooks { progress: &mut Silent, wall_s: &mut || 0.0, stills: None, experience: &mut bank };
    let ending = run(&mut team, &mut model, &setup, &mut Ledger::new(&mut bytes), hooks).unwrap();
    assert_eq!((ending.budget.transactions, ending.budget.rejected, ending.budget.accepted), (4, 1, 3));

    let (records, _) = read(bytes.as_slice()).unwrap();
    let transactions: Vec<&Record> = records.iter().filter(|r| r.event == "transaction").collect();
    let breached = &transactions[1].data;
    assert_eq!(breached["verdict"]["outcome"], json!(Outcome::Rejected));
    assert_eq!(breached["evidence"]["failure_type"], json!(FailureType::FormationDrift));
    let results = breached["results"].as_array().unwrap();
    assert!(results.iter().all(|r| r["code"] == json!(SkillCode::LimitBreached)), "{results:?}");
    let message = results[1]["message"].as_str().unwrap();
    assert!(message.contains("separation 0.") && message.contains("outside 0.6 to 2 m"), "{message}");
    let ended: Vec<u64> = results.iter().filter_map(|r| r["end_tick"].as_u64()).collect();
    assert!(ended[0].abs_diff(ended[1]) <= 1, "both stop together: {ended:?}");
    for after in &transactions[2..] {
        assert_eq!(after.data["verdict"]["outcome"], json!(Outcome::Accepted));
    }
}
