//! How simulated time passes, as a parameter.

/// Words of the parameter `mode`.
pub const WORDS: &[&str] = &["lockstep", "realtime"];

/// How time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Time waits for the robots.
    Lockstep,
    /// It does not.
    Realtime,
}

impl Mode {
    /// From the parameter; anything but `lockstep` is real time.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        if word == "lockstep" { Self::Lockstep } else { Self::Realtime }
    }
}
