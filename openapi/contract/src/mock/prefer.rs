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
            match part.trim().split_once('=').map(|(name, value)| (name, value.trim_matches('"'))) {
                Some(("code", code)) => {
                    let status = code.parse().ok().filter(|code| (100..600).contains(code));
                    let problem = || format!("`Prefer: code={code}`: a status has three digits");
                    preference.status = Some(status.ok_or_else(problem)?);
                }
                Some(("example", name)) => preference.example = Some(name.to_owned()),
                // Preferences of others, such as `return=minimal`.
                _ => {}
            }
        }
        Ok(preference)
    }
}
