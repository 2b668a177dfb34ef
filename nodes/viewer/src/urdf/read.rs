//! Reads a URDF. Shapes that are no primitives (meshes) are left out.

use super::body::{Body, Joint, Link, Shape, Visual};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// Colour of a shape without a material.
const GREY: [u8; 4] = [150, 150, 155, 255];

/// Why a robot description cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrdfError {
    /// No XML.
    #[error("not XML: {0}")]
    Xml(String),
    /// An element lacks something.
    #[error("line {line}: <{element}> lacks {what}")]
    Lacks {
        /// Where.
        line: u32,
        /// Its name.
        element: String,
        /// What is missing.
        what: String,
    },
    /// A value that is no list of finite numbers of the right length.
    #[error("line {line}: {attribute}=\"{value}\"; required: {required} finite numbers")]
    Numbers {
        /// Where.
        line: u32,
        /// Its name.
        attribute: String,
        /// As written.
        value: String,
        /// How many.
        required: usize,
    },
    /// A joint type that is not drawn.
    #[error("joint `{joint}`: type `{given}` is not one of revolute, continuous, fixed")]
    JointType {
        /// Its name.
        joint: String,
        /// As written.
        given: String,
    },
    /// Links and joints are not one tree.
    #[error("links and joints are not one tree: {0}")]
    Tree(String),
}

/// Parses URDF text.
///
/// # Errors
/// [`UrdfError`].
pub fn parse(text: &str) -> Result<Body, UrdfError> {
    let document = Document::parse(text).map_err(|e| UrdfError::Xml(e.to_string()))?;
    let robot = document.root_element();
    let mut colours = BTreeMap::new();
    for material in children(robot, "material") {
        if let Some(colour) = children(material, "color").next() {
            colours.insert(attribute(material, "name")?, rgba(colour)?);
        }
    }
    let mut shapes = BTreeMap::new();
    for link in children(robot, "link") {
        let visuals = children(link, "visual").map(|v| visual(v, &colours)).collect::<Result<Vec<_>, _>>()?;
        shapes.insert(attribute(link, "name")?, visuals.into_iter().flatten().collect::<Vec<_>>());
    }
    let joints = children(robot, "joint").map(joint).collect::<Result<Vec<_>, _>>()?;
    tree(shapes, joints)
}

/// A joint with the names of its parent and child.
type Tie<'a> = (&'a str, &'a str, Joint);

fn tree<'a>(mut shapes: BTreeMap<&'a str, Vec<Visual>>, joints: Vec<Tie<'a>>) -> Result<Body, UrdfError> {
    let is_child = |link: &str| joints.iter().any(|(_, child, _)| *child == link);
    let mut roots = shapes.keys().filter(|link| !is_child(link));
    let (root, more) = (roots.next().copied(), roots.next());
    let root = root.ok_or_else(|| UrdfError::Tree("no base".to_owned()))?;
    if let Some(more) = more {
        return Err(UrdfError::Tree(format!("`{root}` and `{more}` both have no parent")));
    }
    let visuals = shapes.remove(root).unwrap_or_default();
    let mut links = vec![Link { name: root.to_owned(), parent: None, path: root.to_owned(), joint: None, visuals }];
    let mut next = 0;
    while let Some((name, path)) = links.get(next).map(|l| (l.name.clone(), l.path.clone())) {
        for (_, child, joint) in joints.iter().filter(|(parent, _, _)| *parent == name) {
            // Each link is taken out once, so that a second parent or a ring is found and ends here.
            let visuals = shapes.remove(child).ok_or_else(|| UrdfError::Tree(format!("`{child}` is unknown or has two parents")))?;
            let path = format!("{path}/{child}");
            links.push(Link { name: (*child).to_owned(), parent: Some(next), path, joint: Some(joint.clone()), visuals });
        }
        next += 1;
    }
    match shapes.keys().next() {
        Some(left) => Err(UrdfError::Tree(format!("`{left}` is not tied to `{root}`"))),
        None => Ok(Body { links }),
    }
}

fn joint<'a>(node: Node<'a, '_>) -> Result<Tie<'a>, UrdfError> {
    let name = attribute(node, "name")?;
    let end = |which: &'static str| {
        let found = children(node, which).next().ok_or_else(|| lacks(node, format!("<{which}>")))?;
        attribute(found, "link")
    };
    let axis = match attribute(node, "type")? {
        "fixed" => None,
        "revolute" | "continuous" => {
            let given = children(node, "axis").next().map_or(Ok([1.0, 0.0, 0.0]), |a| numbers(a, "xyz", [1.0, 0.0, 0.0]))?;
            let axis = Unit::try_new(Vector3::from(given), 1e-9).ok_or_else(|| lacks(node, "a direction in <axis>".to_owned()))?;
            Some(axis)
        }
        other => return Err(UrdfError::JointType { joint: name.to_owned(), given: other.to_owned() }),
    };
    Ok((end("parent")?, end("child")?, Joint { name: name.to_owned(), origin: origin(node)?, axis }))
}

fn visual(node: Node<'_, '_>, colours: &BTreeMap<&str, [u8; 4]>) -> Result<Option<Visual>, UrdfError> {
    let geometry = children(node, "geometry").next().ok_or_else(|| lacks(node, "<geometry>".to_owned()))?;
    let Some(given) = geometry.children().find(Node::is_element) else {
        return Err(lacks(geometry, "a shape".to_owned()));
    };
    let number = |name: &str| -> Result<f64, UrdfError> {
        attribute(given, name)?;
        let [value] = numbers(given, name, [0.0])?;
        Ok(value)
    };
    let shape = match given.tag_name().name() {
        "box" => {
            attribute(given, "size")?;
            Shape::Box(numbers(given, "size", [0.0; 3])?.map(|s| 0.5 * s))
        }
        "cylinder" => Shape::Cylinder { radius_m: number("radius")?, length_m: number("length")? },
        "sphere" => Shape::Sphere(number("radius")?),
        _ => return Ok(None),
    };
    let material = children(node, "material").next();
    let own = material.and_then(|m| children(m, "color").next()).map(rgba).transpose()?;
    let shared = material.and_then(|m| m.attribute("name")).and_then(|name| colours.get(name).copied());
    Ok(Some(Visual { origin: origin(node)?, shape, rgba: own.or(shared).unwrap_or(GREY) }))
}

fn rgba(node: Node<'_, '_>) -> Result<[u8; 4], UrdfError> {
    Ok(numbers(node, "rgba", [0.6, 0.6, 0.6, 1.0])?.map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8))
}

fn origin(node: Node<'_, '_>) -> Result<Isometry3<f64>, UrdfError> {
    let Some(origin) = children(node, "origin").next() else { return Ok(Isometry3::identity()) };
    let [x, y, z] = numbers(origin, "xyz", [0.0; 3])?;
    let [roll, pitch, yaw] = numbers(origin, "rpy", [0.0; 3])?;
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_euler_angles(roll, pitch, yaw)))
}

fn children<'a, 'i>(node: Node<'a, 'i>, name: &'a str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |c| c.has_tag_name(name))
}

fn line(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

fn lacks(node: Node<'_, '_>, what: String) -> UrdfError {
    UrdfError::Lacks { line: line(node), element: node.tag_name().name().to_owned(), what }
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, UrdfError> {
    node.attribute(name).ok_or_else(|| lacks(node, name.to_owned()))
}

fn numbers<const N: usize>(node: Node<'_, '_>, name: &str, default: [f64; N]) -> Result<[f64; N], UrdfError> {
    let Some(value) = node.attribute(name) else { return Ok(default) };
    let parsed: Option<Vec<f64>> =
        value.split_whitespace().map(|w| w.parse().ok().filter(|v: &f64| v.is_finite())).collect();
    parsed.and_then(|v| <[f64; N]>::try_from(v).ok()).ok_or_else(|| UrdfError::Numbers {
        line: line(node),
        attribute: name.to_owned(),
        value: value.to_owned(),
        required: N,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use troupe_core::frames::Pose;

    fn shipped() -> String {
        std::fs::read_to_string(crate::testing::config_folder().join("../urdf/g1/g1.urdf")).unwrap()
    }

    #[test]
    fn the_shipped_robot_is_one_tree_that_stands() {
        let body = parse(&shipped()).unwrap();
        assert_eq!(body.links[0].name, "pelvis");
        assert_eq!(body.links.iter().filter_map(|l| l.joint.as_ref()?.axis).count(), 29);
        assert!(body.links.iter().enumerate().all(|(i, l)| l.parent.is_none_or(|p| p < i)));
        assert!(body.links.iter().filter(|l| !l.visuals.is_empty()).count() >= 29);
        let base = Pose::upright([0.0, 0.0, 0.79], 0.0);
        let straight = body.pose_of("left_ankle_roll_link", &base, &BTreeMap::new()).unwrap();
        assert!((0.0..0.1).contains(&straight.translation.z), "{straight}");
        let bent = BTreeMap::from([("left_knee_joint".to_owned(), 1.0)]);
        let bent = body.pose_of("left_ankle_roll_link", &base, &bent).unwrap();
        assert!(bent.translation.z > straight.translation.z + 0.1 && bent.translation.x < straight.translation.x, "{bent}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let joint = |kind: &str, parent: &str| {
            format!(r#"<robot><link name="a"/><link name="b"/><joint name="j" type="{kind}"><parent link="{parent}"/><child link="b"/></joint></robot>"#)
        };
        assert!(parse(&joint("revolute", "a")).is_ok());
        for (text, part) in [
            (joint("prismatic", "a"), "prismatic"),
            (joint("fixed", "c"), "`b` is not tied"),
            (joint("fixed", "b"), "not tied"),
            ("<robot/>".to_owned(), "no base"),
            (r#"<robot><link name="a"/><link name="b"/></robot>"#.to_owned(), "no parent"),
            (r#"<robot><link name="a"><visual><geometry><sphere radius="NaN"/></geometry></visual></link></robot>"#.to_owned(), "NaN"),
            (r#"<robot><link/></robot>"#.to_owned(), "lacks name"),
            ("<robot>".to_owned(), "not XML"),
        ] {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{error} lacks {part}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn damaged_text_never_panics(at in 0_usize..50_000, put in "[ -~]{0,6}", cut in 0_usize..40) {
            let text = shipped();
            let at = at % text.len();
            let (Some(head), Some(tail)) = (text.get(..at), text.get((at + cut).min(text.len())..)) else { return Ok(()) };
            let _ = parse(&format!("{head}{put}{tail}"));
        }
    }
}
