//! The controller as a whole: every code, stopping, restoring, random sequences, the real policy.

mod codes;
mod latches;
mod properties;
mod real_policy;
mod restoring;
mod rig;
mod skills;
mod stopping;
mod vendor;
