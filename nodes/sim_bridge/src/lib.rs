//! The MuJoCo world behind the vendor's own topics, /clock and simulation_interfaces.
