//! The same node libraries in one process without DDS, for studies and fast tests.

pub mod crew;
