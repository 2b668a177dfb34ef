//! One attempt of a role call: question, answer, schema check, record for the ledger.

use crate::config::RoleConfig;
use crate::model::accounts::Accounts;
use crate::model::image::ImagePart;
use crate::model::{LanguageModel, ModelError, ModelRequest, RoleId, prompt_hash};
use crate::role::context::RoleContext;
use crate::role::{narrow, prompt};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use troupe_core::identity::{identity, sha256_hex};

/// Why an attempt gave nothing usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// No answer.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// The answer is not of the role's schema.
    #[error("E_SCHEMA: {0}")]
    Schema(String),
}

/// One attempt with its accounts.
#[derive(Clone, Debug)]
pub struct Attempt<T> {
    /// Data of the `model_call` event.
    pub event: Value,
    /// Tokens sent.
    pub tokens_in: u64,
    /// Tokens got.
    pub tokens_out: u64,
    /// Of the tokens sent, those that the server had cached.
    pub tokens_cached: u64,
    /// The answer.
    pub outcome: Result<T, AskError>,
}

/// What is asked, apart from the context.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Who is asked.
    pub role: RoleId,
    /// Numbers of the role.
    pub config: RoleConfig,
    /// Sampling seed.
    pub seed: u64,
    /// 1-based attempt.
    pub attempt: u32,
    /// Why earlier attempts were refused, shown to the model.
    pub refusals: &'a [String],
    /// What the model sees besides the words.
    pub images: &'a [ImagePart],
}

/// Asks once and checks the answer against the schema of `T` before reading it.
pub fn ask<T: DeserializeOwned + JsonSchema>(
    model: &mut dyn LanguageModel,
    question: Question<'_>,
    context: &RoleContext,
) -> Attempt<T> {
    let schema = schema_of::<T>();
    let request = ModelRequest {
        role: question.role,
        system: prompt::system(question.role).to_owned(),
        prompt: prompt::prompt(question.role, context, question.refusals),
        context: serde_json::to_value(context).unwrap_or_default(),
        schema: narrow::narrowed(question.role, &schema, context),
        attempt: question.attempt,
        seed: question.seed,
        temperature: question.config.temperature,
        timeout_s: question.config.timeout_s,
        max_tokens: question.config.max_tokens,
        images: question.images.to_vec(),
    };
    let reply = model.complete(&request);
    let mut event = json!({
        "role": question.role.name(),
        "provider": model.provider(),
        "attempt": question.attempt,
        "prompt_hash": prompt_hash(&request),
        "template_hash": sha256_hex(prompt::template(question.role).as_bytes()),
        "schema_hash": identity(&schema).unwrap_or_default(),
        "temperature": question.config.temperature,
        "seed": question.seed,
    });
    let mut set = |key: &str, value: Value| {
        if let Value::Object(map) = &mut event {
            map.insert(key.to_owned(), value);
        }
    };
    if !request.images.is_empty() {
        set("images", json!(request.images.iter().map(ImagePart::sha256).collect::<Vec<_>>()));
    }
    let accounts = reply.as_ref().map_or_else(|_| model.take_failed(), Accounts::of);
    let outcome = match reply {
        Ok(reply) => {
            let outcome = checked::<T>(&schema, &reply.text).map_err(AskError::Schema);
            set("model", json!(reply.model));
            set("text", json!(reply.text));
            outcome
        }
        Err(error) => Err(AskError::Model(error)),
    };
    let Accounts { tokens_in, tokens_out, tokens_cached, tries, waited_s, latency_s } = accounts;
    for (key, value) in [
        ("tokens_in", json!(tokens_in)),
        ("tokens_out", json!(tokens_out)),
        ("tokens_cached", json!(tokens_cached)),
        ("tries", json!(tries)),
        ("waited_s", json!(waited_s)),
        ("latency_s", json!(latency_s)),
    ] {
        set(key, value);
    }
    match &outcome {
        Ok(_) => set("outcome", json!("valid")),
        Err(AskError::Schema(reason)) => {
            set("outcome", json!("schema"));
            set("error", json!(reason));
        }
        Err(AskError::Model(error)) => {
            set("outcome", json!(error.name()));
            set("error", json!(error.to_string()));
        }
    }
    Attempt { event, tokens_in, tokens_out, tokens_cached, outcome }
}

/// JSON schema of an answer type.
#[must_use]
pub fn schema_of<T: JsonSchema>() -> Value {
    schemars::schema_for!(T).to_value()
}

/// Reads model text as `T`: JSON first, then the schema, then the type.
///
/// # Errors
/// Words that tell the model what is wrong.
pub fn checked<T: DeserializeOwned>(schema: &Value, text: &str) -> Result<T, String> {
    let value: Value = serde_json::from_str(text.trim()).map_err(|e| format!("not a JSON document: {e}"))?;
    let validator = jsonschema::validator_for(schema).map_err(|e| format!("schema of the role: {e}"))?;
    if let Some(error) = validator.iter_errors(&value).next() {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { "the answer".to_owned() } else { place };
        return Err(shortened(&format!("{place}: {error}")));
    }
    serde_json::from_value(value).map_err(|e| shortened(&e.to_string()))
}

/// Keeps a refusal short, whatever the model wrote.
fn shortened(text: &str) -> String {
    const LIMIT: usize = 400;
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    text.chars().take(LIMIT).chain("…".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::answers::{CodeProposal, DecisionProposal, PlanProposal};
    use proptest::prelude::*;

    fn decision() -> Value {
        json!({
            "kind": "coordinated_pivot", "objective": "rotate_at_corner", "mode": "asym",
            "roles": ["inner_support", "outer_mover"],
            "formation": {"distance_m": 0.8, "heading_offset_rad": 0.0}, "evidence_required": []
        })
    }

    #[test]
    fn a_good_answer_is_read() {
        let schema = schema_of::<DecisionProposal>();
        checked::<DecisionProposal>(&schema, &decision().to_string()).unwrap();
    }

    /// CE-R2.
    #[test]
    fn unknown_fields_missing_fields_and_foreign_words_are_refused() {
        let schema = schema_of::<DecisionProposal>();
        let refuse = |change: fn(&mut Value)| {
            let mut value = decision();
            change(&mut value);
            checked::<DecisionProposal>(&schema, &value.to_string()).unwrap_err()
        };
        assert!(refuse(|v| v["theta"] = json!(0.4)).contains("theta"));
        assert!(refuse(|v| v["formation"]["colour"] = json!("red")).contains("colour"));
        assert!(refuse(|v| { v.as_object_mut().unwrap().remove("mode"); }).contains("mode"));
        assert!(refuse(|v| v["kind"] = json!("fly")).contains("fly"));
        assert!(checked::<DecisionProposal>(&schema, "{\"kind\": ").unwrap_err().contains("not a JSON document"));
    }

    #[test]
    fn ce_r3_a_coder_cannot_touch_the_decision() {
        let schema = schema_of::<CodeProposal>();
        let policies = json!([{"robot": "a", "source": "hold(1)\nstop()"}]);
        checked::<CodeProposal>(&schema, &json!({ "policies": policies }).to_string()).unwrap();
        for field in ["kind", "objective", "mode", "roles", "checkpoint_id"] {
            let mut answer = json!({ "policies": policies });
            answer[field] = json!("sync");
            assert!(checked::<CodeProposal>(&schema, &answer.to_string()).unwrap_err().contains(field));
        }
    }

    #[test]
    fn schemas_forbid_additional_properties() {
        for schema in [schema_of::<DecisionProposal>(), schema_of::<PlanProposal>(), schema_of::<CodeProposal>()] {
            assert_eq!(schema["additionalProperties"], json!(false));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        /// G-09: mutated outputs give typed refusals or valid answers, never a panic.
        #[test]
        fn mutated_answers_never_panic(position in 0usize..400, byte in any::<u8>(), cut in 0usize..400) {
            let schema = schema_of::<DecisionProposal>();
            let mut bytes = decision().to_string().into_bytes();
            let at = position % bytes.len();
            bytes[at] = byte;
            bytes.truncate(cut.max(1));
            let _ = checked::<DecisionProposal>(&schema, &String::from_utf8_lossy(&bytes));
        }
    }
}
