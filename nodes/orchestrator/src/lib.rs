//! Runs CoEvolve's loop; the only node that talks to models; keeps the ledger.
