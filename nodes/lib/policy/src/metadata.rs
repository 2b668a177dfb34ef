//! What a walking policy says about itself, and the check against the robot's description.

use crate::error::PolicyError;
use crate::observation::ACTIONS;
use std::path::Path;

/// Largest relative difference of a gain that counts as equal.
const GAIN_TOLERANCE: f64 = 1e-6;

/// From the model's `metadata_props`.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Joints in the order of the action.
    pub joint_names: Vec<String>,
    /// Stiffness it was trained with, N m/rad.
    pub kp: Vec<f64>,
    /// Damping it was trained with, N m s/rad.
    pub kd: Vec<f64>,
}

impl Metadata {
    /// Reads the pairs of `metadata_props`; `file` is for messages.
    ///
    /// # Errors
    /// [`PolicyError::Metadata`] naming the key that is absent, malformed or of the wrong length.
    pub fn from_properties(file: &Path, properties: &[(String, String)]) -> Result<Self, PolicyError> {
        Ok(Self {
            joint_names: list(file, properties, "dof_names")?,
            kp: list(file, properties, "kp")?,
            kd: list(file, properties, "kd")?,
        })
    }

    /// Compares with the robot's description: name, kp and kd of each joint in motor order.
    ///
    /// # Errors
    /// [`PolicyError::Mismatch`] naming the first joint that differs.
    pub fn check<'a>(&self, joints: impl IntoIterator<Item = (&'a str, f64, f64)>) -> Result<(), PolicyError> {
        let mut joints = joints.into_iter();
        for ((expected, kp), kd) in self.joint_names.iter().zip(&self.kp).zip(&self.kd) {
            let (name, found_kp, found_kd) = joints.next().unwrap_or(("", f64::NAN, f64::NAN));
            let mismatch = |key, expected: String, found: String| {
                Err(PolicyError::Mismatch { key, joint: name.to_owned(), expected, found })
            };
            if name != expected {
                return mismatch("joint name", format!("`{expected}`"), format!("`{name}`"));
            }
            for (key, expected, found) in [("kp", *kp, found_kp), ("kd", *kd, found_kd)] {
                let equal = (expected - found).abs() <= GAIN_TOLERANCE * expected.abs();
                if !equal {
                    return mismatch(key, expected.to_string(), found.to_string());
                }
            }
        }
        Ok(())
    }
}

fn list<T: serde::de::DeserializeOwned>(
    file: &Path,
    properties: &[(String, String)],
    key: &'static str,
) -> Result<Vec<T>, PolicyError> {
    let wrong = |reason: String| PolicyError::Metadata { file: file.to_owned(), key, reason };
    let text = properties
        .iter()
        .find_map(|(k, v)| (k == key).then_some(v))
        .ok_or_else(|| wrong("absent; dof_names, kp and kd are needed".to_owned()))?;
    let values: Vec<T> = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
    if values.len() != ACTIONS {
        return Err(wrong(format!("has {} entries, {ACTIONS} are needed", values.len())));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties() -> Vec<(String, String)> {
        let names: Vec<String> = (0..ACTIONS).map(|i| format!("joint_{i}")).collect();
        vec![
            ("dof_names".into(), serde_json::to_string(&names).unwrap()),
            ("kp".into(), serde_json::to_string(&[40.0; 29]).unwrap()),
            ("kd".into(), serde_json::to_string(&[2.5; 29]).unwrap()),
        ]
    }

    fn read(properties: &[(String, String)]) -> Result<Metadata, PolicyError> {
        Metadata::from_properties(Path::new("walk.onnx"), properties)
    }

    #[test]
    fn an_absent_or_short_list_is_named() {
        let absent = read(&properties()[..2]).unwrap_err().to_string();
        assert!(absent.contains("walk.onnx") && absent.contains("`kd`") && absent.contains("absent"), "{absent}");
        let mut short = properties();
        short[1].1 = "[1.0]".into();
        assert!(read(&short).unwrap_err().to_string().contains("1 entries"));
        short[1].1 = "[".into();
        assert!(matches!(read(&short), Err(PolicyError::Metadata { key: "kp", .. })));
    }

    #[test]
    fn a_robot_that_differs_is_refused() {
        let metadata = read(&properties()).unwrap();
        let names = metadata.joint_names.clone();
        let robot = |kp: f64| names.iter().map(move |n| (n.as_str(), kp, 2.5));
        assert!(metadata.check(robot(40.0)).is_ok());
        let error = metadata.check(robot(41.0)).unwrap_err().to_string();
        assert!(error.contains("kp 40") && error.contains("41") && error.contains("joint_0"), "{error}");
        assert!(metadata.check(robot(40.0).take(28)).is_err());
        assert!(metadata.check(robot(40.0).skip(1)).unwrap_err().to_string().contains("joint name"));
    }
}
