//! Figures as people read them: exact to a thousandth, and what stands for many of them.
//!
//! It refuses floating point, as the whole project does: a rate is counted in thousandths.

use std::{num::NonZeroU128, time::Duration};

use serde_json::Value;

const THOUSAND: u128 = 1_000;

/// A rate, a ratio or a time; never negative, exact to a thousandth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Figure {
    thousandths: u64,
}

impl Figure {
    /// So many thousandths.
    pub(crate) const fn from_thousandths(thousandths: u64) -> Self {
        Self { thousandths }
    }

    /// So many, whole.
    pub(crate) fn whole(count: u64) -> Self {
        Self::from_thousandths(count.saturating_mul(1_000))
    }

    /// `part / whole`, rounded to a thousandth; zero where nothing was measured.
    pub(crate) fn quotient(part: u128, whole: u128) -> Self {
        let thousandths =
            NonZeroU128::new(whole).map_or(0, |whole| (part * THOUSAND + whole.get() / 2) / whole);
        Self::from_thousandths(u64::try_from(thousandths).unwrap_or(u64::MAX))
    }

    /// How often in a second.
    pub(crate) fn per_second(count: u64, elapsed: Duration) -> Self {
        Self::quotient(u128::from(count) * 1_000_000_000, elapsed.as_nanos())
    }

    /// A duration in milliseconds.
    pub(crate) fn milliseconds(duration: Duration) -> Self {
        Self::quotient(duration.as_nanos(), 1_000_000)
    }

    /// Microseconds of each of `count`.
    pub(crate) fn microseconds_each(duration: Duration, count: u64) -> Self {
        Self::quotient(duration.as_nanos(), u128::from(count) * THOUSAND)
    }

    /// A size in megabytes (10^6).
    pub(crate) fn megabytes(bytes: u64) -> Self {
        Self::quotient(bytes.into(), 1_000_000)
    }

    /// How many times `other` it is.
    pub(crate) fn times(self, other: Self) -> Self {
        Self::quotient(self.thousandths.into(), other.thousandths.into())
    }

    /// With so many digits after the point, at most three, rounded.
    pub(crate) fn text(self, digits: u32) -> String {
        let unit = 10_u64.pow(3_u32.saturating_sub(digits));
        let rounded = self.thousandths.saturating_add(unit / 2) / unit;
        let scale = 10_u64.pow(digits.min(3));
        let whole = grouped(rounded / scale);
        match digits {
            0 => whole,
            digits => format!(
                "{whole}.{:0width$}",
                rounded % scale,
                width = digits.min(3) as usize
            ),
        }
    }

    /// As a number of JSON; a whole one without a point.
    pub(crate) fn json(self) -> Value {
        let (whole, thousandths) = (self.thousandths / 1_000, self.thousandths % 1_000);
        if thousandths == 0 {
            return whole.into();
        }
        let text = format!("{whole}.{thousandths:03}");
        serde_json::from_str(&text).expect("digits and a point are a number")
    }
}

/// The middle one; of an even count the lower. `None` of nothing.
pub(crate) fn median<T: Copy + Ord>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    percentile(&values, 50)
}

/// The smallest of the sorted values that `percent` per cent do not exceed. `None` of nothing.
pub(crate) fn percentile<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// `12345` as `12,345`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_to_a_thousandth() {
        assert_eq!(Figure::quotient(2, 3), Figure::from_thousandths(667));
        assert_eq!(Figure::quotient(1, 3), Figure::from_thousandths(333));
        assert_eq!(Figure::quotient(7, 0), Figure::from_thousandths(0));
    }

    #[test]
    fn rates_times_and_sizes_have_their_units() {
        let second_and_half = Duration::from_millis(1_500);
        assert_eq!(
            Figure::per_second(3_000, second_and_half).text(1),
            "2,000.0"
        );
        assert_eq!(Figure::milliseconds(second_and_half).text(0), "1,500");
        assert_eq!(
            Figure::microseconds_each(second_and_half, 10_000).text(1),
            "150.0"
        );
        assert_eq!(Figure::megabytes(99_950_000).text(1), "100.0");
    }

    #[test]
    fn text_is_rounded_and_grouped() {
        let figure = Figure::from_thousandths(1_234_567_894);
        assert_eq!(figure.text(0), "1,234,568");
        assert_eq!(figure.text(1), "1,234,567.9");
        assert_eq!(figure.text(3), "1,234,567.894");
        assert_eq!(Figure::from_thousandths(913).text(2), "0.91");
    }

    #[test]
    fn json_is_exact() {
        assert_eq!(Figure::from_thousandths(913).json().to_string(), "0.913");
        assert_eq!(Figure::from_thousandths(12_000).json().to_string(), "12");
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let sorted: Vec<u64> = (1..=100).collect();
        assert_eq!(percentile(&sorted, 50), Some(50));
        assert_eq!(percentile(&sorted, 99), Some(99));
        assert_eq!(percentile(&[7], 99), Some(7));
        assert_eq!(percentile::<u64>(&[], 50), None);
        assert_eq!(median([3, 1, 2]), Some(2));
        assert_eq!(median([4, 1, 3, 2]), Some(2));
    }
}
