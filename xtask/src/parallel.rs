//! Jobs that run side by side on threads.

use rayon::{ThreadPoolBuilder, prelude::*};

use crate::Result;

/// Runs each job, at most this many at the same time, and returns their results in their order.
/// No further job begins after an error.
pub(crate) fn in_parallel<J: Send, T: Send>(
    threads: usize,
    jobs: Vec<J>,
    run: impl Fn(J) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    // A thread takes one job after the other, so that none waits for a long one.
    pool.install(|| jobs.into_par_iter().with_max_len(1).map(run).collect())
}
