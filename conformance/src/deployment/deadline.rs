//! The deadline of a run: no wait lasts longer, and no case starts after it.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::exchange::ClientError;

/// The deadline of a short run: a request may be repeated in the two minutes after its own.
pub(crate) const MIN: Duration = Duration::from_secs(300);

#[derive(Debug)]
pub(crate) struct Deadline {
    begun: Instant,
    time: Mutex<Duration>,
    has_stopped: AtomicBool,
}

impl Default for Deadline {
    fn default() -> Self {
        Self { begun: Instant::now(), time: Mutex::new(MIN), has_stopped: AtomicBool::new(false) }
    }
}

impl Deadline {
    /// Sets how long the run may take, from its beginning.
    pub(crate) fn set(&self, time: Duration) {
        *self.time.lock() = time;
    }

    pub(crate) fn time(&self) -> Duration {
        *self.time.lock()
    }

    /// Waits, or returns at once that the deadline does not allow it, and what the wait was for.
    pub(crate) async fn sleep(&self, time: Duration, what_for: &str) -> Result<(), ClientError> {
        if self.begun.elapsed() + time > self.time() {
            self.has_stopped.store(true, Ordering::Relaxed);
            return Err(ClientError::Deadline(format!("{}; {what_for}", self.sentence())));
        }
        tokio::time::sleep(time).await;
        Ok(())
    }

    /// Returns why no case may start any more.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.begun.elapsed() < self.time() {
            return Ok(());
        }
        self.has_stopped.store(true, Ordering::Relaxed);
        Err(self.sentence())
    }

    pub(crate) fn stop(&self) -> Option<String> {
        self.has_stopped.load(Ordering::Relaxed).then(|| self.sentence())
    }

    fn sentence(&self) -> String {
        format!("the deadline is over (--deadline {})", self.time().as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn wait_within_the_deadline_is_made_and_one_beyond_it_is_not() {
        let deadline = Deadline::default();
        deadline.set(Duration::from_secs(90));
        let minute = Duration::from_secs(60);
        deadline.sleep(minute, "a header").await.unwrap();
        assert_eq!((deadline.begun.elapsed(), deadline.stop()), (minute, None));
        let refused = deadline.sleep(minute, "a header").await.unwrap_err().to_string();
        assert_eq!(refused, "the deadline is over (--deadline 90); a header");
        assert_eq!(deadline.begun.elapsed(), minute);
        assert!(deadline.stop().is_some() && deadline.check().is_ok());
        tokio::time::sleep(minute).await;
        assert!(deadline.check().is_err());
    }
}
