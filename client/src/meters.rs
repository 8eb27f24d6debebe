//! The two meters that the headers of a response show. (§8)

use reqwest::header::{HeaderMap, HeaderName};

const RATE: [HeaderName; 2] = [
    HeaderName::from_static("x-ratelimit-limit-minute"),
    HeaderName::from_static("x-ratelimit-remaining-minute"),
];
const CREDITS: [HeaderName; 2] = [
    HeaderName::from_static("x-service-credits-limit-month"),
    HeaderName::from_static("x-service-credits-remaining-month"),
];

/// The requests of this minute and the credits of this month, as a response showed them.
///
/// ```
/// # fn run(response: payout_client::Response<payout_client::types::PayoutEnvelope>) {
/// if let Some(credits) = response.meters().credits {
///     println!("{} of {} credits are left this month", credits.remaining, credits.limit);
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meters {
    /// The requests of the organisation in this UTC minute; `None` if no API answered, but a proxy.
    pub rate: Option<Meter>,
    /// The credits of the organisation in this UTC month; `None` if the response was not metered,
    /// or the organisation has no limit.
    pub credits: Option<Meter>,
}

/// A limit, and what is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meter {
    /// The limit.
    pub limit: u64,
    /// The units that are left after the request.
    pub remaining: u64,
}

impl Meters {
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        Self { rate: Meter::read(headers, RATE), credits: Meter::read(headers, CREDITS) }
    }

    /// Keeps what a later response does not show.
    pub(crate) fn update(&mut self, later: Self) {
        self.rate = later.rate.or(self.rate);
        self.credits = later.credits.or(self.credits);
    }
}

impl Meter {
    fn read(headers: &HeaderMap, [limit, remaining]: [HeaderName; 2]) -> Option<Self> {
        let number = |name: HeaderName| headers.get(name)?.to_str().ok()?.parse().ok();
        Some(Self { limit: number(limit)?, remaining: number(remaining)? })
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::{Meter, Meters, RATE};

    fn headers(values: [&'static str; 2]) -> HeaderMap {
        RATE.into_iter().zip(values.map(|value| value.parse().unwrap())).collect()
    }

    #[test]
    fn meters_are_numbers_and_absent_ones_none() {
        let meters = Meters::read(&headers(["120", "7"]));
        assert_eq!(meters.rate, Some(Meter { limit: 120, remaining: 7 }));
        assert_eq!(meters.credits, None);
        assert_eq!(Meters::read(&headers(["120", "-1"])), Meters::default());
    }

    #[test]
    fn later_response_without_a_meter_keeps_the_earlier_one() {
        let mut seen = Meters::read(&headers(["120", "7"]));
        seen.update(Meters::default());
        assert_eq!(seen.rate, Some(Meter { limit: 120, remaining: 7 }));
    }
}
