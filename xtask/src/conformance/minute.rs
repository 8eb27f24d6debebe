//! Waits for a second of the UTC minute: limits are counted by the minute, and its end is where a
//! careless suite fails.

use std::{
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const MINUTE: Duration = Duration::from_secs(60);

/// Waits for this second, with a message; one that has begun is waited for in the next minute.
pub(super) fn wait_for_second(second: u8) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let rest = until(second, now.unwrap_or_default());
    eprintln!("conformance: waiting {} s for second {second} of the minute", rest.as_secs());
    thread::sleep(rest);
}

/// How long it is until this second of a UTC minute begins; `now` is the time since 1970.
fn until(second: u8, now: Duration) -> Duration {
    let minute = MINUTE.as_nanos();
    let into = now.as_nanos() % minute;
    let wanted = Duration::from_secs(second.into()).as_nanos();
    let rest = (wanted + minute - into) % minute;
    Duration::from_nanos(u64::try_from(rest).expect("a minute's nanoseconds fit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_is_the_next_one_and_never_one_that_has_begun() {
        let at = |milliseconds: u64| Duration::from_millis(1_800_000_000_000 + milliseconds);
        for (second, milliseconds, rest) in [
            (55, 0, 55_000),
            (55, 54_250, 750),
            (55, 55_000, 0),
            (55, 55_001, 59_999),
            (0, 59_999, 1),
            (0, 0, 0),
        ] {
            assert_eq!(
                until(second, at(milliseconds)),
                Duration::from_millis(rest),
                "second {second} at {milliseconds} ms"
            );
        }
    }
}
