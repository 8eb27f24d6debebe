//! Races, which the database decides: requests to two servers at once, and requests that wait for a
//! transaction. The suite reaches one server and holds no lock.

mod at_once;
mod waiting;
