//! Limits requests without a valid key, which it counts by client address in memory (A5). It never
//! touches an organisation's meter. Its table is bounded and is emptied each minute.

use std::{
    collections::HashMap,
    net::IpAddr,
    time::{SystemTime, UNIX_EPOCH},
};

use parking_lot::Mutex;

use super::admission::Allowance;

/// Addresses counted within one minute; those beyond share one counter.
const ADDRESSES_LIMIT: usize = 100_000;

/// Counts requests without a valid key, in fixed UTC minutes.
pub(super) struct AnonymousLimit {
    requests_per_minute: u32,
    current: Mutex<Minute>,
}

#[derive(Debug, Default)]
struct Minute {
    number: u64,
    by_address: HashMap<IpAddr, u32>,
    others: u32,
}

/// The limit of an address after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AnonymousAllowance {
    pub(super) rate: Allowance,
    /// The request was above the limit (429).
    pub(super) exceeded: bool,
    /// Seconds until the next minute begins, rounded up.
    pub(super) minute_ends_in_seconds: u64,
}

impl AnonymousLimit {
    pub(super) fn new(requests_per_minute: u32) -> Self {
        Self { requests_per_minute, current: Mutex::default() }
    }

    pub(super) fn count(&self, address: Option<IpAddr>) -> AnonymousAllowance {
        self.observe(address, seconds_since_epoch(), 1)
    }

    /// Returns what remains for `address` and counts nothing. A response that reports nothing about
    /// the key, such as a 503, uses it.
    pub(super) fn peek(&self, address: Option<IpAddr>) -> AnonymousAllowance {
        self.observe(address, seconds_since_epoch(), 0)
    }

    fn observe(&self, address: Option<IpAddr>, second: u64, requests: u32) -> AnonymousAllowance {
        let mut minute = self.current.lock();
        if minute.number != second / 60 {
            *minute = Minute { number: second / 60, ..Minute::default() };
        }
        let used = minute.counter(address);
        *used = used.saturating_add(requests);
        AnonymousAllowance {
            rate: Allowance {
                limit: self.requests_per_minute.into(),
                remaining: self.requests_per_minute.saturating_sub(*used).into(),
            },
            exceeded: *used > self.requests_per_minute,
            minute_ends_in_seconds: 60 - second % 60,
        }
    }
}

impl Minute {
    fn counter(&mut self, address: Option<IpAddr>) -> &mut u32 {
        let full = self.by_address.len() >= ADDRESSES_LIMIT;
        match address.map(rate_limit_key) {
            Some(address) if !full || self.by_address.contains_key(&address) => {
                self.by_address.entry(address).or_default()
            }
            _ => &mut self.others,
        }
    }
}

/// Returns the address under which limits count a client. An IPv6 subscriber owns a /64 and could
/// use a new address for each request, so the /64 is one client.
pub(crate) fn rate_limit_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6([a, b, c, d, 0, 0, 0, 0].into())
        }
        address @ IpAddr::V4(_) => address,
    }
}

fn seconds_since_epoch() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: u64 = 1_779_278_400;

    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn request_above_the_limit_is_rejected_until_the_minute_ends() {
        let limit = AnonymousLimit::new(2);
        let remaining = |second| {
            let allowance = limit.observe(address("192.0.2.1"), second, 1);
            (allowance.rate.remaining, allowance.exceeded)
        };
        assert_eq!(
            [remaining(NOON), remaining(NOON + 1), remaining(NOON + 59)],
            [(1, false), (0, false), (0, true)]
        );
        assert_eq!(remaining(NOON + 60), (1, false));
    }

    #[test]
    fn addresses_are_counted_separately_and_a_v6_network_together() {
        let limit = AnonymousLimit::new(1);
        assert!(!limit.observe(address("192.0.2.1"), NOON, 1).exceeded);
        assert!(!limit.observe(address("192.0.2.2"), NOON, 1).exceeded);
        assert!(!limit.observe(address("2001:db8::1"), NOON, 1).exceeded);
        assert!(limit.observe(address("2001:db8::2"), NOON, 1).exceeded);
        assert!(limit.observe(address("::ffff:192.0.2.1"), NOON, 1).exceeded);
    }

    #[test]
    fn peek_counts_nothing() {
        let limit = AnonymousLimit::new(1);
        assert_eq!(limit.observe(None, NOON, 0).rate.remaining, 1);
        assert_eq!(limit.observe(None, NOON, 1).minute_ends_in_seconds, 60);
    }

    #[test]
    fn addresses_beyond_the_limit_share_one_counter() {
        let limit = AnonymousLimit::new(1);
        for number in 0..u32::try_from(ADDRESSES_LIMIT).unwrap() {
            limit.observe(Some(IpAddr::V4(number.into())), NOON, 1);
        }
        assert!(!limit.observe(address("203.0.113.1"), NOON, 1).exceeded);
        assert!(limit.observe(address("203.0.113.2"), NOON, 1).exceeded);
    }
}
