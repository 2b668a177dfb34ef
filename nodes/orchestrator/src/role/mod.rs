//! The model roles: what they see, what they answer, and the checks on the way (G-08, G-09).

pub mod answers;
pub mod ask;
pub mod context;
pub mod example;
pub mod narrow;
pub mod plan_check;
pub mod prompt;
