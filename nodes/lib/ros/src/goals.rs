//! Action servers. The protocol of ROS actions is served over its three services and two topics by a
//! state machine of our own ([`book`]): it cancels a goal that was canceled before it was accepted,
//! takes a second cancel without harm, and hands out why a goal was refused to whoever asks for the
//! result of a refused goal.

pub mod book;
pub mod server;

pub use book::{GoalId, GoalStatus};
pub use server::{ActionServer, Event, NewGoal, Refused, id_of};
