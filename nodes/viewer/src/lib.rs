//! Shows and records the graph with rerun; publishes nothing.
