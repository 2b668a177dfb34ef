//! Validates before dispatch, measures, judges, owns checkpoints, milestones and endpoints.
