//! Bounds resources: a caller beyond the bound waits briefly, then gives up.

mod fair;
mod fair_queue;
mod turns;

pub(crate) use fair::{Client, FairPermit, FairPermits, Overloaded};
pub(crate) use fair_queue::Capacity;
pub(crate) use turns::{QueueFull, Turn, Turns, Waiting};
