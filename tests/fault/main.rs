//! The team as real processes, with something broken.
