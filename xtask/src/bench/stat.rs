//! Medians and percentiles, and numbers as text.

use std::time::Duration;

/// The middle value; of an even count the lower one.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    percentile(&values, 50)
}

/// The smallest of the sorted values that at least `percent` per cent do not exceed.
pub(crate) fn percentile<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// In units of 10^6 bytes.
pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// `1234.56` with one digit is `1,234.6`.
pub(crate) fn formatted(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let whole = text.find('.').unwrap_or(text.len());
    let mut grouped = String::new();
    for (index, character) in text.char_indices() {
        if index > 0 && index < whole && (whole - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(character);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_rounded_and_grouped() {
        let value = 1_234_567.894;
        assert_eq!(formatted(value, 0), "1,234,568");
        assert_eq!(formatted(value, 1), "1,234,567.9");
        assert_eq!(formatted(value, 3), "1,234,567.894");
        assert_eq!(formatted(0.913, 2), "0.91");
        assert_eq!(formatted(100.0, 0), "100");
    }

    #[test]
    fn percentiles_are_measured_values() {
        let sorted: Vec<u64> = (1..=100).collect();
        assert_eq!(percentile(&sorted, 50), Some(50));
        assert_eq!(percentile(&sorted, 99), Some(99));
        assert_eq!(percentile(&[7], 99), Some(7));
        assert_eq!(percentile::<u64>(&[], 50), None);
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), Some(2.0));
    }
}
