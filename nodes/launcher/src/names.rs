//! Names of nodes and namespaces, by the rules of ROS 2.

use crate::error::Problem;

/// Checks a node's name: letters, digits and underscores, no digit first.
///
/// # Errors
/// A [`Problem`] that quotes the name.
pub fn check_node_name(name: &str) -> Result<(), Problem> {
    if is_token(name) {
        return Ok(());
    }
    Err(Problem::new(format!(
        "`{name}` is not a node name: letters, digits and underscores, no digit first"
    )))
}

/// Joins a pushed namespace and a relative one, and makes the result absolute. An absolute `name`
/// stands for itself. `None` when neither is given.
///
/// # Errors
/// A [`Problem`] when the result is not a valid namespace.
pub fn join_namespace(base: Option<&str>, name: Option<&str>) -> Result<Option<String>, Problem> {
    let name = name.filter(|n| !n.is_empty());
    let joined = match (base, name) {
        (None, None) => return Ok(None),
        (_, Some(name)) if name.starts_with('/') => name.to_owned(),
        (Some(base), None) => base.to_owned(),
        (base, Some(name)) => format!("{}/{name}", base.unwrap_or("").trim_end_matches('/')),
    };
    let trimmed = joined.trim_end_matches('/');
    if trimmed.is_empty() {
        return Ok(Some("/".to_owned()));
    }
    let tokens_are_good = trimmed.split('/').skip(1).all(is_token);
    if !trimmed.starts_with('/') || !tokens_are_good {
        return Err(Problem::new(format!(
            "`{joined}` is not a namespace: names of letters, digits and underscores joined by /"
        )));
    }
    Ok(Some(trimmed.to_owned()))
}

fn is_token(name: &str) -> bool {
    let first_is_good = name
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first_is_good && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_and_refuses() {
        let join = |base, name| join_namespace(base, name).unwrap();
        assert_eq!(join(None, None), None);
        assert_eq!(join(None, Some("g1_0")).as_deref(), Some("/g1_0"));
        assert_eq!(
            join(Some("/team"), Some("a/b")).as_deref(),
            Some("/team/a/b")
        );
        assert_eq!(join(Some("/team"), Some("/x")).as_deref(), Some("/x"));
        assert_eq!(join(Some("/team"), None).as_deref(), Some("/team"));
        assert_eq!(join(None, Some("/")).as_deref(), Some("/"));
        assert_eq!(join(Some("/"), Some("a")).as_deref(), Some("/a"));
        for bad in ["a-b", "1a", "a//b", "a b"] {
            assert!(join_namespace(None, Some(bad)).is_err(), "{bad}");
        }
        assert!(check_node_name("g1").is_ok());
        assert!(check_node_name("g1/x").is_err() && check_node_name("").is_err());
    }
}
