//! Jobs that run side by side on threads.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use crate::Result;

/// Runs each job, at most this many at the same time, and returns their results in their order.
/// After an error no further job begins on its thread.
pub(crate) fn in_parallel<J: Send, T: Send>(
    threads: usize,
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    run: impl Fn(J) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let jobs = Mutex::new(jobs.into_iter().enumerate());
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || -> Result<Vec<(usize, T)>> {
        let mut results = Vec::new();
        while let Some((index, job)) = next() {
            results.push((index, run(job)?));
        }
        Ok(results)
    };
    let results = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = threads.into_iter().map(|thread| thread.join().expect("no job panics"));
        ended.collect::<Result<Vec<_>>>()
    })?;
    let mut results: Vec<_> = results.into_iter().flatten().collect();
    results.sort_by_key(|(index, _)| *index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_their_jobs() {
        let doubled = in_parallel(3, 0..100, |job| Ok(2 * job)).unwrap();
        assert!(doubled.into_iter().eq((0..100).map(|job| 2 * job)));
    }

    #[test]
    fn error_is_returned() {
        let failing = |job| if job == 7 { Err("seven".into()) } else { Ok(job) };
        assert_eq!(in_parallel(2, 0..9, failing).unwrap_err().to_string(), "seven");
    }
}
