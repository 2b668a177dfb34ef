//! A role's JSON schema in the narrower forms that servers take. The host checks answers against the full one.

use serde_json::{Map, Value, json};

/// Bounds that some servers refuse.
const BOUNDS: [&str; 11] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
];
/// Deepest reference that is followed.
const DEPTH: u32 = 32;

/// Without what no server needs: `oneOf` becomes `anyOf`, constants become enumerations.
#[must_use]
pub fn plain(schema: &Value) -> Value {
    each(schema, &|map| {
        for key in ["$schema", "title", "format", "default", "examples"] {
            map.shift_remove(key);
        }
        if let Some(value) = map.shift_remove("const") {
            if let Value::String(_) = value {
                map.insert("type".into(), json!("string"));
            }
            map.insert("enum".into(), json!([value]));
        }
        if let Some(one) = map.shift_remove("oneOf") {
            map.insert("anyOf".into(), one);
        }
        if let Some(words) = map.get("anyOf").and_then(words_of) {
            map.shift_remove("anyOf");
            map.insert("type".into(), json!("string"));
            map.insert("enum".into(), words);
        }
        if let Some(reference) = map.get("$ref").cloned() {
            // Strict servers allow nothing beside a reference; definitions stand at the root.
            map.retain(|key, _| key == "$defs");
            map.insert("$ref".into(), reference);
        }
    })
}

/// [`plain`] without bounds of numbers, lists and texts.
#[must_use]
pub fn unbounded(schema: &Value) -> Value {
    each(&plain(schema), &|map| map.retain(|key, _| !BOUNDS.contains(&key.as_str())))
}

/// [`unbounded`] with references replaced by what they name and without `additionalProperties`.
#[must_use]
pub fn inlined(schema: &Value) -> Value {
    let schema = unbounded(schema);
    let definitions = schema.get("$defs").cloned().unwrap_or_default();
    let whole = resolved(&schema, &definitions, DEPTH);
    each(&whole, &|map| map.retain(|key, _| key != "$defs" && key != "additionalProperties"))
}

/// Whether every object is closed and needs all its properties, as strict structured output demands.
#[must_use]
pub fn is_strict(schema: &Value) -> bool {
    let Value::Object(map) = schema else { return true };
    let strict_here = match map.get("properties").and_then(Value::as_object) {
        Some(properties) => {
            let required = map.get("required").and_then(Value::as_array).map_or(0, Vec::len);
            required == properties.len() && map.get("additionalProperties") == Some(&Value::Bool(false))
        }
        None => map.get("type") != Some(&json!("object")),
    };
    strict_here && children(map).all(is_strict)
}

/// The words of a list of string enumerations.
fn words_of(any: &Value) -> Option<Value> {
    let mut words = Vec::new();
    for item in any.as_array()? {
        if item.get("type")?.as_str()? != "string" {
            return None;
        }
        words.extend(item.get("enum")?.as_array()?.iter().cloned());
    }
    Some(Value::Array(words))
}

fn resolved(schema: &Value, definitions: &Value, depth: u32) -> Value {
    let named = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/"));
    match named.and_then(|name| definitions.get(name)) {
        Some(target) if depth > 0 => resolved(target, definitions, depth - 1),
        Some(_) => json!({}),
        None => match schema {
            Value::Object(map) => {
                map.iter().map(|(key, value)| (key.clone(), resolved(value, definitions, depth.saturating_sub(1)))).collect()
            }
            Value::Array(items) => items.iter().map(|v| resolved(v, definitions, depth.saturating_sub(1))).collect(),
            other => other.clone(),
        },
    }
}

/// Applies `change` to every schema, from the leaves up. Keys of `properties` and `$defs` are names, not schemas.
fn each(schema: &Value, change: &impl Fn(&mut Map<String, Value>)) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let named = |value: &Value| match value {
        Value::Object(items) => items.iter().map(|(name, item)| (name.clone(), each(item, change))).collect(),
        other => other.clone(),
    };
    let mut map: Map<String, Value> = map
        .iter()
        .map(|(key, value)| {
            let value = match (key.as_str(), value) {
                ("properties" | "$defs", value) => named(value),
                ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(items)) => {
                    items.iter().map(|item| each(item, change)).collect()
                }
                ("items" | "additionalProperties", value) => each(value, change),
                (_, value) => value.clone(),
            };
            (key.clone(), value)
        })
        .collect();
    change(&mut map);
    Value::Object(map)
}

fn children(map: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    map.iter().flat_map(|(key, value)| match (key.as_str(), value) {
        ("properties" | "$defs", Value::Object(items)) => items.values().collect::<Vec<_>>(),
        ("anyOf" | "oneOf" | "allOf", Value::Array(items)) => items.iter().collect(),
        ("items", value) => vec![value],
        _ => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::answers::{CodeProposal, DecisionProposal, PlanProposal};
    use crate::role::ask::schema_of;

    fn roles() -> [Value; 3] {
        [schema_of::<PlanProposal>(), schema_of::<DecisionProposal>(), schema_of::<CodeProposal>()]
    }

    #[test]
    fn the_roles_schemas_are_strict_and_lose_what_servers_refuse() {
        for schema in roles() {
            let sent = plain(&schema);
            assert!(is_strict(&sent), "{sent}");
            let text = sent.to_string();
            for key in ["$schema", "\"oneOf\"", "\"const\"", "\"format\":\"double\"", "\"title\""] {
                assert!(!text.contains(key), "{key} in {text}");
            }
            let flat = inlined(&schema).to_string();
            assert!(!flat.contains("$ref") && !flat.contains("additionalProperties"), "{flat}");
            assert!(jsonschema::validator_for(&sent).is_ok() && jsonschema::validator_for(&inlined(&schema)).is_ok());
        }
    }

    #[test]
    fn a_good_answer_fits_every_form_and_a_foreign_word_none() {
        let schema = schema_of::<DecisionProposal>();
        let good = json!({
            "kind": "coordinated_pivot", "objective": "rotate_at_corner", "mode": "asym",
            "roles": ["inner_support", "outer_mover"],
            "formation": {"distance_m": 0.8, "heading_offset_rad": 0.0}, "evidence_required": []
        });
        let mut bad = good.clone();
        bad["kind"] = json!("fly");
        for form in [plain(&schema), unbounded(&schema), inlined(&schema)] {
            assert!(jsonschema::is_valid(&form, &good), "{form}");
            assert!(!jsonschema::is_valid(&form, &bad), "{form}");
        }
    }

    #[test]
    fn properties_named_like_keywords_stay() {
        let schema = json!({"type": "object", "title": "T", "properties": {
            "title": {"type": "string", "format": "x"}, "minimum": {"type": "number", "minimum": 1}}});
        let kept = json!({"type": "object", "properties": {"title": {"type": "string"}, "minimum": {"type": "number"}}});
        assert_eq!(unbounded(&schema), kept);
        assert!(!is_strict(&kept));
    }

    #[test]
    fn references_that_go_round_end() {
        let schema = json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}});
        assert!(inlined(&schema).to_string().len() < 10_000);
    }
}
