//! Who can touch whom: collision bits of MuJoCo's `contype` and `conaffinity`.
//!
//! Two geoms meet when one's type shares a bit with the other's affinity. A robot does not meet
//! itself; supports and chosen body parts meet the payload; everything meets walls, stand and floor.

const FOOT: u32 = 1;
const SUPPORT: u32 = 2;
const PAYLOAD: u32 = 4;
const BODY: u32 = 8;
const FIRST_ROBOT: u32 = 16;

/// `contype` and `conaffinity` of a geom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    pub(crate) contype: u32,
    pub(crate) conaffinity: u32,
}

impl Layer {
    /// Shown, never touched.
    pub(crate) const VISUAL: Self = Self { contype: 0, conaffinity: 0 };
    /// Floor, walls, stand.
    pub(crate) const STATIC: Self = Self { contype: 0, conaffinity: FOOT | PAYLOAD | BODY };
    /// The payload.
    pub(crate) const CARRIED: Self = Self { contype: PAYLOAD, conaffinity: SUPPORT };
    /// Spheres under the feet.
    pub(crate) const SOLE: Self = Self { contype: FOOT, conaffinity: 0 };
    /// Boxes that carry the payload.
    pub(crate) const CARRIER: Self = Self { contype: SUPPORT | BODY, conaffinity: 0 };

    /// Body capsule of robot `index` of `count`.
    pub(crate) fn body(index: usize, count: usize, payload: bool) -> Self {
        let others = (0..count).filter(|i| *i != index).map(robot).fold(0, |a, b| a | b);
        let carried = if payload { SUPPORT } else { 0 };
        Self { contype: BODY | carried | robot(index), conaffinity: others }
    }

    /// True when geoms of the two layers can touch.
    #[cfg(test)]
    pub(crate) fn meets(self, other: Self) -> bool {
        self.contype & other.conaffinity != 0 || other.contype & self.conaffinity != 0
    }
}

fn robot(index: usize) -> u32 {
    FIRST_ROBOT << index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_meet_as_described() {
        let torso = Layer::body(0, 2, true);
        let leg = Layer::body(0, 2, false);
        let other = Layer::body(1, 2, true);
        assert!(!torso.meets(torso) && !torso.meets(leg) && torso.meets(other) && leg.meets(other));
        assert!(torso.meets(Layer::CARRIED) && !leg.meets(Layer::CARRIED));
        for part in [torso, leg, Layer::SOLE, Layer::CARRIER, Layer::CARRIED] {
            assert!(part.meets(Layer::STATIC));
        }
        assert!(Layer::CARRIER.meets(Layer::CARRIED) && !Layer::SOLE.meets(Layer::CARRIED));
        assert!(!Layer::CARRIER.meets(torso) && !Layer::CARRIER.meets(other) && !Layer::STATIC.meets(Layer::STATIC));
    }
}
