//! Selects the version of the interface for a request, and writes the headers of a version that
//! will end (§9, R12, X12).

use poem::http::{HeaderMap, HeaderName, HeaderValue};

use crate::contract::{
    Problem, VERSIONS, Version,
    types::{ErrorCode, SupportedVersionsDetails},
};

const VERSION: &str = "api-version";
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// Returns the version of a new key, which its requests get if they name none.
pub fn newest() -> &'static str {
    VERSIONS[VERSIONS.len() - 1].name
}

/// Returns the version that a request names, or a 400 if it is not supported.
pub(super) fn requested(
    versions: &'static [Version],
    headers: &HeaderMap,
) -> Result<Option<&'static Version>, Problem> {
    let Some(name) = headers.get(VERSION) else {
        return Ok(None);
    };
    let found = versions.iter().find(|version| name == version.name);
    found.map(Some).ok_or_else(|| unsupported(versions))
}

fn unsupported(versions: &[Version]) -> Problem {
    let supported: Vec<_> = versions.iter().map(|version| version.name).collect();
    let message = format!(
        "The {VERSION} is not supported. Supported versions: {}. \
         Send one of them, or omit the header.",
        supported.join(", ")
    );
    let supported_versions = supported.into_iter().map(str::to_owned).collect();
    let details = SupportedVersionsDetails { supported_versions };
    Problem::new(ErrorCode::UnsupportedApiVersion, message).with_details(details)
}

/// Returns the version that a key was made with. A key ends before its version does: it is valid
/// for a year at most, and a version ends a year after its deprecation or later.
pub(super) fn of_key(versions: &'static [Version], name: &str) -> &'static Version {
    versions.iter().find(|version| version.name == name).unwrap_or(&versions[0])
}

pub(super) fn write(version: &Version, headers: &mut HeaderMap) {
    if let Some(deprecation) = version.deprecation {
        headers.insert(DEPRECATION, HeaderValue::from_static(deprecation.deprecated));
        headers.insert(SUNSET, HeaderValue::from_static(deprecation.sunset));
    }
}
