//! What stale answers are made of: each role's last answer at an earlier checkpoint.

use crate::model::RoleId;
use crate::role::context::RoleContext;
use std::collections::BTreeMap;
use troupe_coordination::phase::Stage;
use troupe_core::frames::{Planar, wrap};

/// The payload has left its checkpoint beyond this, m and rad; a restored world differs by less.
const MOVED: f64 = 0.02;

/// Own answers, of here and of before.
#[derive(Clone, Debug, Default)]
pub(super) struct Recall {
    place: Option<(Planar, Stage)>,
    here: BTreeMap<RoleId, String>,
    before: BTreeMap<RoleId, String>,
}

impl Recall {
    /// Takes note of where a question is asked. Where the payload was moved and nothing stands rejected, the
    /// last answers were accepted.
    pub(super) fn at(&mut self, context: &RoleContext) {
        let (payload, stage) = (context.observation.payload, context.stage);
        let moved = self.place.is_none_or(|(place, then)| {
            then != stage || place.distance(&payload) > MOVED || wrap(place.yaw - payload.yaw).abs() > MOVED
        });
        if !moved {
            return;
        }
        if context.rejected.is_empty() {
            self.before.append(&mut self.here);
        }
        self.place = Some((payload, stage));
    }

    /// Takes note of an answer.
    pub(super) fn gave(&mut self, role: RoleId, text: &str) {
        self.here.insert(role, text.to_owned());
    }

    /// The role's last answer of an earlier checkpoint, if it is another one.
    pub(super) fn earlier(&self, role: RoleId, now: &str) -> Option<String> {
        self.before.get(&role).filter(|text| *text != now).cloned()
    }
}
