//! The schema of one question: the role's schema with the names and counts of the present case.
//!
//! Servers that constrain decoding then cannot answer with a wrong number of entries or an unknown name. The
//! host checks answers against the role's own schema all the same.

use super::context::RoleContext;
use crate::model::{ModelRequest, RoleId};
use serde::Deserialize;
use serde_json::{Value, json};
use troupe_coordination::catalog::CATALOG;
use troupe_coordination::phase::check_decision;
use troupe_core::decision::{Kind, Objective};

/// Predicates that one decision may ask for, at most.
const EVIDENCE_MOST: usize = 4;

/// `schema` of `role`, narrowed to phases, robots and predicates of `context`.
#[must_use]
pub fn narrowed(role: RoleId, schema: &Value, context: &RoleContext) -> Value {
    let mut schema = schema.clone();
    let robots: Vec<&str> = context.observation.robots.iter().map(|r| r.robot.as_str()).collect();
    match role {
        RoleId::Planner => {
            let phases: Vec<&str> = context.plan.iter().map(|p| p.id.as_str()).collect();
            exactly(&mut schema, "/properties/phases", phases.len());
            one_of(&mut schema, "/$defs/PhaseProposal/properties/phase_id", &phases);
        }
        RoleId::Orchestrator => {
            let predicates: Vec<&str> = context.predicates.iter().map(String::as_str).collect();
            exactly(&mut schema, "/properties/roles", robots.len());
            one_of(&mut schema, "/properties/evidence_required/items", &predicates);
            set(&mut schema, "/properties/evidence_required", "maxItems", json!(EVIDENCE_MOST));
        }
        RoleId::Coder => {
            exactly(&mut schema, "/properties/policies", robots.len());
            one_of(&mut schema, "/$defs/PolicyCode/properties/robot", &robots);
        }
        RoleId::Writer => {
            set(&mut schema, "/properties/claims", "maxItems", json!(1));
            if let Some(executed) = &context.executed {
                let effects: Vec<&str> = executed.effects.iter().map(String::as_str).collect();
                one_of(&mut schema, "/$defs/Claim/properties/effect", &effects);
            }
        }
        // Their lists are optional; the host checks their lengths.
        RoleId::Evaluator | RoleId::Reviser => {}
    }
    schema
}

/// The schema of a question about a decision as a choice between whole decisions, one for each kind that is
/// legal now, with the mode, roles and objectives that go with it. Only for servers that turn a schema into a
/// grammar: those that take `json_schema` in its strict form allow no choice at the root.
#[must_use]
pub fn by_kind(request: &ModelRequest) -> Value {
    let mut schema = request.schema.clone();
    let Ok(context) = RoleContext::deserialize(&request.context) else { return schema };
    if request.role != RoleId::Orchestrator {
        return schema;
    }
    let (active, robots) = (context.phase_id.as_str(), context.observation.robots.len());
    let legal = CATALOG.iter().filter(|e| check_decision(active, e.kind, active, context.stage).is_ok());
    let choices: Vec<Value> = legal
        .map(|entry| {
            let supports = if entry.support.is_some() { robots } else { 1 };
            let roles: Vec<_> = (0..supports).map(|support| entry.roles(robots, support)).collect();
            let placing = entry.kind == Kind::Lifecycle;
            let objectives: Vec<_> = Objective::ALL.iter().filter(|o| (**o == Objective::Place) == placing).collect();
            let mut choice = schema.clone();
            if let Value::Object(map) = &mut choice {
                map.remove("$defs");
            }
            for (field, values) in
                [("kind", json!([entry.kind])), ("mode", json!([entry.mode])), ("roles", json!(roles)), ("objective", json!(objectives))]
            {
                set(&mut choice, "/properties", field, json!({ "enum": values }));
            }
            choice
        })
        .collect();
    set(&mut schema, "", "anyOf", json!(choices));
    schema
}

fn exactly(schema: &mut Value, place: &str, count: usize) {
    set(schema, place, "minItems", json!(count));
    set(schema, place, "maxItems", json!(count));
}

fn one_of(schema: &mut Value, place: &str, names: &[&str]) {
    if !names.is_empty() {
        set(schema, place, "enum", json!(names));
    }
}

fn set(schema: &mut Value, place: &str, key: &str, value: Value) {
    if let Some(Value::Object(map)) = schema.pointer_mut(place) {
        map.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::answers::{CodeProposal, DecisionProposal, PlanProposal};
    use crate::role::ask::schema_of;
    use schemars::JsonSchema;

    fn changed<T: JsonSchema>(places: &[&str], change: impl Fn(&mut Value)) {
        let whole = schema_of::<T>();
        let mut narrow = whole.clone();
        change(&mut narrow);
        for place in places {
            assert!(whole.pointer(place).is_some(), "{place}");
            assert_ne!(whole.pointer(place), narrow.pointer(place), "{place}");
        }
    }

    /// The places exist in the schemas that the answer types give.
    #[test]
    fn every_place_is_there_and_changes() {
        changed::<PlanProposal>(&["/properties/phases", "/$defs/PhaseProposal/properties/phase_id"], |s| {
            exactly(s, "/properties/phases", 6);
            one_of(s, "/$defs/PhaseProposal/properties/phase_id", &["a"]);
        });
        changed::<DecisionProposal>(&["/properties/roles", "/properties/evidence_required/items"], |s| {
            exactly(s, "/properties/roles", 2);
            one_of(s, "/properties/evidence_required/items", &["support"]);
        });
        changed::<CodeProposal>(&["/properties/policies", "/$defs/PolicyCode/properties/robot"], |s| {
            exactly(s, "/properties/policies", 2);
            one_of(s, "/$defs/PolicyCode/properties/robot", &["g1_0"]);
        });
    }

    #[test]
    fn a_narrow_schema_refuses_other_names_and_counts() {
        let mut schema = schema_of::<CodeProposal>();
        exactly(&mut schema, "/properties/policies", 2);
        one_of(&mut schema, "/$defs/PolicyCode/properties/robot", &["g1_0", "g1_1"]);
        let policy = |robot: &str| json!({ "robot": robot, "source": "stop()" });
        let holds = |policies: Value| jsonschema::is_valid(&schema, &json!({ "policies": policies }));
        assert!(holds(json!([policy("g1_0"), policy("g1_1")])));
        assert!(!holds(json!([policy("g1_0")])));
        assert!(!holds(json!([policy("g1_0"), policy("g1_7")])));
    }
}
