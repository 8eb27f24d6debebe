//! The header `Prefer: code=404, example=NAME`, by which a request chooses its answer.

use poem::http::HeaderMap;

/// What a request asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Preference {
    pub(super) status: Option<u16>,
    pub(super) example: Option<String>,
}

impl Preference {
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, String> {
        let mut preference = Self::default();
        let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
        for part in values.flat_map(|value| value.split([',', ';'])) {
            let Some((name, value)) = part.trim().split_once('=') else { continue };
            let value = value.trim_matches('"');
            // Others have a meaning elsewhere, such as `return=minimal`.
            if name.eq_ignore_ascii_case("code") {
                let status = value.parse().ok().filter(|code| (100..600).contains(code));
                let problem = || format!("`Prefer: code={value}`: a status is from 100 to 599");
                preference.status = Some(status.ok_or_else(problem)?);
            } else if name.eq_ignore_ascii_case("example") {
                preference.example = Some(value.to_owned());
            }
        }
        Ok(preference)
    }
}
