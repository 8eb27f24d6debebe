//! Limits requests without a valid key, which it counts by client in memory (A5): by address, and
//! those of the portal by session too (X17). It never touches an organisation's meter. Its table is
//! bounded and is emptied each minute.

use std::{
    collections::HashMap,
    hash::Hash,
    net::IpAddr,
    time::{SystemTime, UNIX_EPOCH},
};

use parking_lot::Mutex;

use super::admission::Allowance;

/// Clients counted within one minute; those beyond share one counter.
const CLIENTS_LIMIT: usize = 100_000;

/// Counts requests without a valid key, in fixed UTC minutes.
pub(crate) struct AnonymousLimit<C = IpAddr> {
    requests_per_minute: u32,
    current: Mutex<Minute<C>>,
}

#[derive(Debug)]
struct Minute<C> {
    number: u64,
    by_client: HashMap<C, u32>,
    others: u32,
}

/// The limit of a client after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnonymousAllowance {
    pub(super) rate: Allowance,
    /// The request was above the limit (429).
    pub(crate) exceeded: bool,
    /// Seconds until the next minute begins, rounded up.
    pub(crate) minute_ends_in_seconds: u64,
}

impl AnonymousLimit {
    /// Counts a request by the address that it came from.
    pub(crate) fn count(&self, address: Option<IpAddr>) -> AnonymousAllowance {
        self.count_client(address.map(rate_limit_key))
    }

    /// Returns what remains for `address` and counts nothing. A response that reports nothing about
    /// the key, such as a 503, uses it.
    pub(super) fn peek(&self, address: Option<IpAddr>) -> AnonymousAllowance {
        self.observe(address.map(rate_limit_key), seconds_since_epoch(), 0)
    }
}

impl<C: Eq + Hash> AnonymousLimit<C> {
    pub(crate) fn new(requests_per_minute: u32) -> Self {
        Self { requests_per_minute, current: Mutex::new(Minute::new(0)) }
    }

    /// Counts a request of this client; `None` counts for those that are not known.
    pub(crate) fn count_client(&self, client: Option<C>) -> AnonymousAllowance {
        self.observe(client, seconds_since_epoch(), 1)
    }

    fn observe(&self, client: Option<C>, second: u64, requests: u32) -> AnonymousAllowance {
        let mut minute = self.current.lock();
        if minute.number != second / 60 {
            *minute = Minute::new(second / 60);
        }
        let used = minute.counter(client);
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

impl<C: Eq + Hash> Minute<C> {
    fn new(number: u64) -> Self {
        Self { number, by_client: HashMap::new(), others: 0 }
    }

    fn counter(&mut self, client: Option<C>) -> &mut u32 {
        let full = self.by_client.len() >= CLIENTS_LIMIT;
        match client {
            Some(client) if !full || self.by_client.contains_key(&client) => {
                self.by_client.entry(client).or_default()
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
        Some(rate_limit_key(text.parse().unwrap()))
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
        let limit = AnonymousLimit::<IpAddr>::new(1);
        assert_eq!(limit.observe(None, NOON, 0).rate.remaining, 1);
        assert_eq!(limit.observe(None, NOON, 1).minute_ends_in_seconds, 60);
    }

    #[test]
    fn addresses_beyond_the_limit_share_one_counter() {
        let limit = AnonymousLimit::new(1);
        for number in 0..u32::try_from(CLIENTS_LIMIT).unwrap() {
            limit.observe(Some(IpAddr::V4(number.into())), NOON, 1);
        }
        assert!(!limit.observe(address("203.0.113.1"), NOON, 1).exceeded);
        assert!(limit.observe(address("203.0.113.2"), NOON, 1).exceeded);
    }
}
