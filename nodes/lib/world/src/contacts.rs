//! Who pushed whom during a control tick: contact forces summed over the physics steps, by body name.

use mujoco_rs::prelude::{MjData, MjModel, MjtObjBase};
use std::collections::BTreeMap;
use troupe_core::state::Contact;

/// A body as contact reports name it; orders payload, robots, surroundings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BodyName {
    rank: u8,
    name: String,
}

/// Sums normal forces by pair of bodies.
#[derive(Clone, Debug)]
pub(crate) struct ContactSums {
    /// Distinct names, sorted.
    names: Vec<BodyName>,
    /// Index into `names` by geom.
    by_geom: Vec<usize>,
    sums: BTreeMap<(usize, usize), f64>,
}

impl ContactSums {
    /// Names every geom of the physics model.
    pub(crate) fn new(model: &MjModel, payload: &str) -> Self {
        let count = usize::try_from(model.ngeom()).unwrap_or(0);
        let named: Vec<BodyName> = (0..count)
            .map(|geom| body_of(model.id_to_name(MjtObjBase::mjOBJ_GEOM, geom).unwrap_or(""), payload))
            .collect();
        let mut names = named.clone();
        names.sort();
        names.dedup();
        let by_geom = named.iter().map(|n| names.binary_search(n).unwrap_or(0)).collect();
        Self { names, by_geom, sums: BTreeMap::new() }
    }

    /// Forgets the tick.
    pub(crate) fn clear(&mut self) {
        self.sums.clear();
    }

    /// Adds the contacts of the step just made.
    pub(crate) fn add(&mut self, data: &MjData<Box<MjModel>>) {
        for (index, contact) in data.contact().iter().enumerate() {
            let of = |geom: i32| usize::try_from(geom).ok().and_then(|g| self.by_geom.get(g)).copied();
            let [first, second] = contact.geom;
            if let (Some(a), Some(b), Ok(force)) = (of(first), of(second), data.try_contact_force(index)) {
                *self.sums.entry((a.min(b), a.max(b))).or_insert(0.0) += force[0];
            }
        }
    }

    /// The tick's contacts, sorted by `body_a`, then `body_b`; pairs without force are left out.
    pub(crate) fn report(&self, substeps: u32, timestep_s: f64) -> Vec<Contact> {
        let mut contacts: Vec<Contact> = self
            .sums
            .iter()
            .filter(|(_, sum)| **sum > 0.0)
            .filter_map(|((a, b), sum)| {
                Some(Contact {
                    body_a: self.names.get(*a)?.name.clone(),
                    body_b: self.names.get(*b)?.name.clone(),
                    force_n: sum / f64::from(substeps.max(1)),
                    impulse_ns: sum * timestep_s,
                })
            })
            .collect();
        contacts.sort_by(|l, r| (&l.body_a, &l.body_b).cmp(&(&r.body_a, &r.body_b)));
        contacts
    }
}

/// `payload`, `<robot>/<part>`, `wall`, `stand` or `floor` of a geom's name.
fn body_of(geom: &str, payload: &str) -> BodyName {
    if geom == payload {
        return BodyName { rank: 0, name: "payload".to_owned() };
    }
    let mut words = geom.split('/');
    let (first, second) = (words.next().unwrap_or(""), words.next());
    match (first, second) {
        ("wall" | "stand" | "floor", _) | (_, None) => BodyName { rank: 2, name: first.to_owned() },
        (robot, Some(part)) => BodyName { rank: 1, name: format!("{robot}/{part}") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geoms_are_named_by_body() {
        let name = |g: &str| body_of(g, "bar").name;
        assert_eq!(name("bar"), "payload");
        assert_eq!(name("g1_0/foot/left_ankle_roll_link/2"), "g1_0/foot");
        assert_eq!(name("g1_1/left_forearm"), "g1_1/left_forearm");
        assert_eq!(name("wall/3"), "wall");
        assert_eq!(name("floor"), "floor");
        assert!(body_of("bar", "bar") < body_of("a/torso", "bar") && body_of("z/foot", "bar") < body_of("floor", "bar"));
    }
}
