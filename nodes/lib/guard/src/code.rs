//! Codes of refusals before dispatch (CE-060 to CE-066).

use troupe_core::skill::SkillError;
use troupe_core::team::Finding;

/// Why a decision or policy is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// Structure of the decision or arguments of a call.
    Schema,
    /// Does not parse, or is too long or too deep to be parsed.
    Syntax,
    /// Not exactly one skill call.
    ActionCount,
    /// The last statement is not `stop()`.
    NoStop,
    /// Not a skill.
    Method,
    /// A construct outside the allow-list.
    Forbidden,
    /// A number outside its bounds.
    Bounds,
    /// NaN or infinite.
    Numeric,
    /// The robots' calls do not go together.
    Pair,
    /// Already rejected at this checkpoint.
    Duplicate,
    /// Not in this phase.
    Phase,
    /// Made for another checkpoint.
    Context,
    /// Made in an older epoch.
    Stale,
    /// Changes something outside its scope.
    Scope,
    /// Changes nothing inside its scope.
    Noop,
    /// Breaks a relation that evidence demands.
    Relation,
    /// Not one of the options that the method offers.
    Choice,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 17] = [
        Self::Schema,
        Self::Syntax,
        Self::ActionCount,
        Self::NoStop,
        Self::Method,
        Self::Forbidden,
        Self::Bounds,
        Self::Numeric,
        Self::Pair,
        Self::Duplicate,
        Self::Phase,
        Self::Context,
        Self::Stale,
        Self::Scope,
        Self::Noop,
        Self::Relation,
        Self::Choice,
    ];

    /// Text as in findings.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Schema => "E_SCHEMA",
            Self::Syntax => "E_SYNTAX",
            Self::ActionCount => "E_ACTION_COUNT",
            Self::NoStop => "E_NO_STOP",
            Self::Method => "E_METHOD",
            Self::Forbidden => "E_FORBIDDEN",
            Self::Bounds => "E_BOUNDS",
            Self::Numeric => "E_NUMERIC",
            Self::Pair => "E_PAIR",
            Self::Duplicate => "E_DUPLICATE",
            Self::Phase => "E_PHASE",
            Self::Context => "E_CONTEXT",
            Self::Stale => "E_STALE",
            Self::Scope => "E_SCOPE",
            Self::Noop => "E_NOOP",
            Self::Relation => "E_RELATION",
            Self::Choice => "E_CHOICE",
        }
    }

    /// A finding with this code about the pair; set `robot` for a single one.
    #[must_use]
    pub fn finding(self, message: impl Into<String>) -> Finding {
        Finding { code: self.text().into(), robot: String::new(), message: message.into() }
    }
}

/// Code of a call that is not a skill call inside the bounds.
pub(crate) fn of_skill_error(error: &SkillError) -> Code {
    match error {
        SkillError::Unknown(_) => Code::Method,
        SkillError::Missing { .. } | SkillError::Unexpected { .. } | SkillError::Direction(_) => Code::Schema,
        SkillError::Bounds { .. } => Code::Bounds,
        SkillError::NotFinite { .. } => Code::Numeric,
    }
}
