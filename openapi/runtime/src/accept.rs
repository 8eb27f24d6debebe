//! The header `Accept` (RFC 9110, 12.5.1): what a caller can read.

use poem::http::{HeaderMap, header::ACCEPT};

/// The media types that a caller accepts, each with its weight in thousandths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accept(Vec<(String, u32)>);

impl Accept {
    /// A caller that sends none accepts everything.
    pub fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let ranges = values.flat_map(|value| value.split(',')).filter_map(|range| {
            let mut parts = range.split(';').map(|part| part.trim().to_ascii_lowercase());
            let name = parts.next().filter(|name| !name.is_empty())?;
            let weight = parts.find_map(|part| part.strip_prefix("q=").map(thousandths));
            Some((name, weight.unwrap_or(1000)))
        });
        Self(ranges.collect())
    }

    /// The one of these media types that the caller prefers, or the first of several. `None` if it
    /// accepts none of them.
    pub fn best_of<'o>(&self, offered: &[&'o str]) -> Option<&'o str> {
        let weighed = offered.iter().rev().map(|media_type| (self.weight(media_type), *media_type));
        let best = weighed.max_by_key(|(weight, _)| *weight);
        best.filter(|(weight, _)| *weight > 0).map(|(_, media_type)| media_type)
    }

    /// The weight by the most specific range that has the media type.
    fn weight(&self, media_type: &str) -> u32 {
        let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let of_type = format!("{}/*", essence.split('/').next().unwrap_or_default());
        let ranges = [essence.as_str(), &of_type, "*/*"];
        let found = ranges.iter().find_map(|range| self.0.iter().find(|(name, _)| name == range));
        found.map_or(if self.0.is_empty() { 1000 } else { 0 }, |(_, weight)| *weight)
    }
}

/// `0.5` is 500; what is no weight is as good as none.
fn thousandths(text: &str) -> u32 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction:0<3}");
    digits.parse().map_or(1000, |weight: u32| weight.min(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_specific_range_decides_and_the_first_of_equals_is_best() {
        for (accept, expected) in [
            ("", Some("application/json")),
            ("*/*", Some("application/json")),
            ("application/pdf", Some("application/pdf")),
            ("Application/PDF; q=0.4, application/*;q=0.3", Some("application/pdf")),
            ("application/*;q=0.5, application/json;q=0.1", Some("application/pdf")),
            ("application/json;q=0, */*", Some("application/pdf")),
            ("text/html", None),
        ] {
            let mut headers = HeaderMap::new();
            if !accept.is_empty() {
                headers.insert(ACCEPT, accept.parse().unwrap());
            }
            let best = Accept::of(&headers).best_of(&["application/json", "application/pdf"]);
            assert_eq!(best, expected, "{accept}");
        }
    }
}
