//! Messages from and to core types: one file per subject, `to_wire` and `from_wire` in each.
//!
//! `to_wire` cannot fail. `from_wire` refuses what makes no sense (an empty frame, an unknown name, a
//! fixed array of another length) and lets numbers that are not finite pass: whoever uses them checks.

pub mod budget;
pub mod checkpoint;
pub mod decision;
pub mod evidence;
pub mod geometry;
pub mod low_command;
pub mod low_state;
pub mod recovery;
pub mod requests;
pub mod route;
pub mod skill;
pub mod team_state;
pub mod verdict;
pub mod world;

/// Why a message does not make sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// A frame that is not the one required.
    #[error("{message}: frame_id is `{given}`; required: `{required}`")]
    Frame {
        /// Message.
        message: &'static str,
        /// As sent.
        given: String,
        /// What it must be.
        required: &'static str,
    },
    /// A name outside a closed set.
    #[error("{field} = `{given}` is not one of {allowed}")]
    Name {
        /// Field.
        field: &'static str,
        /// As sent.
        given: String,
        /// All names.
        allowed: String,
    },
    /// A number outside a closed set.
    #[error("{field} = {given} is not one of {allowed}")]
    Code {
        /// Field.
        field: &'static str,
        /// As sent.
        given: u64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// An array of the wrong length.
    #[error("{field} has {given} entries; required: {required}")]
    Length {
        /// Field.
        field: &'static str,
        /// As sent.
        given: usize,
        /// What it must be.
        required: usize,
    },
    /// A skill call whose parts do not fit.
    #[error(transparent)]
    Skill(#[from] troupe_core::skill::SkillError),
    /// The checksum is wrong.
    #[error("{message}: crc is {given:#010x}; computed: {computed:#010x}")]
    Crc {
        /// Message.
        message: &'static str,
        /// As sent.
        given: u32,
        /// As it should be.
        computed: u32,
    },
}

/// A fixed array from a slice.
pub(crate) fn array<T: Copy, const N: usize>(field: &'static str, values: &[T]) -> Result<[T; N], ConvertError> {
    <[T; N]>::try_from(values).map_err(|_| ConvertError::Length { field, given: values.len(), required: N })
}

/// A member of a closed set by name.
macro_rules! named {
    ($type:ty, $field:literal, $given:expr) => {
        <$type>::from_name($given).ok_or_else(|| $crate::convert::ConvertError::Name {
            field: $field,
            given: $given.to_owned(),
            allowed: <$type>::ALL.iter().map(|m| m.name()).collect::<Vec<_>>().join(", "),
        })
    };
}
pub(crate) use named;

#[cfg(test)]
mod tests;
