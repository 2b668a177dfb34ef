//! Contract, graph, simulation and fault tests.
