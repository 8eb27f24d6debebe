//! Says what the changes mean for `info.version`, where it has the form of a semantic version, and
//! for the version of the client's crate.

use std::collections::BTreeMap;

use openapi_document::Document;
use serde::Serialize;
use strum::Display;

use super::{
    change::{Change, Direction, Level, fingerprint},
    rule::RULES,
    step::Location,
};

/// A version whose first number is greater is a date.
const GREATEST_MAJOR: u64 = 1900;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(super) enum Size {
    Minor,
    Major,
}

/// The versions of both documents, and what the changes ask of them.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Versions {
    old: String,
    new: String,
    /// `None` if only the documentation changes.
    pub(super) changes: Option<Size>,
    /// The least version that says so; `None` if the old version cannot say it, or is a date.
    least: Option<String>,
    pub(super) is_enough: bool,
    /// What the changes mean for the client's crate, whether or not they are accepted.
    pub(super) client: Option<Size>,
}

impl Versions {
    pub(super) fn of(
        old: &Document,
        new: &Document,
        changes: &[Change],
        client: Option<Size>,
    ) -> Self {
        let of_api = changes.iter().filter(|change| !change.hidden).map(|change| {
            if change.is_finding(Level::Breaking) { Size::Major } else { Size::Minor }
        });
        let size = of_api.max();
        let (old, new) = (old.version().to_owned(), new.version().to_owned());
        let least = size.and_then(|size| least(&old, size));
        let is_enough = match (size, &least, numbers(&old)) {
            (None, ..) | (Some(Size::Minor), _, None) => true,
            // A date, or a name: another one says that something breaks.
            (Some(Size::Major), _, None) => is_later(&old, &new),
            (_, least, Some(before)) => numbers(&new).is_none_or(|after| {
                let least =
                    least.as_deref().and_then(numbers).map_or(before.numbers, |it| it.numbers);
                after.numbers >= least
            }),
        };
        Self { old, new, changes: size, least, is_enough, client }
    }

    /// Returns the change that the rule `version-too-low` finds.
    pub(super) fn too_low(&self, document: &Document) -> Change {
        let rule = &RULES["version-too-low"];
        let (operation, direction) = ("the document", Direction::Response);
        let parts = [rule.id, &direction.to_string(), operation, &self.needed()];
        Change {
            rule: rule.id,
            level: rule.level,
            direction,
            locations: BTreeMap::from([(operation.to_owned(), Location::default())]),
            fingerprint: fingerprint(&parts),
            place: document.place("/info/version"),
            sentence: rule.sentence(&[("detail", &self.new), ("need", &self.needed())]),
            hidden: false,
            accepted: None,
        }
    }

    fn needed(&self) -> String {
        self.least.clone().unwrap_or_else(|| "a later one".to_owned())
    }

    /// Returns the lines of the report.
    pub(super) fn lines(&self) -> Vec<String> {
        let Self { old, new, changes, client, .. } = self;
        let of_document = changes.map(|size| {
            let (words, rest) = match self.is_enough {
                true => ("; the changes are", String::new()),
                false => (", too low: the changes are", format!(" and need {}", self.needed())),
            };
            format!("info.version: {old} -> {new}{words} {size}{rest}")
        });
        let of_client = client.map(|size| format!("client crate: the changes are {size}"));
        of_document.into_iter().chain(of_client).collect()
    }
}

/// A version of up to three numbers, such as `1.4`.
#[derive(Debug)]
struct Numbers {
    numbers: [u64; 3],
    /// How many of the numbers are written.
    count: usize,
    is_preview: bool,
}

fn numbers(version: &str) -> Option<Numbers> {
    let (version, _) = version.split_once('+').unwrap_or((version, ""));
    let (core, preview) = version.split_once('-').unwrap_or((version, ""));
    let written: Result<Vec<u64>, _> =
        core.trim_start_matches(['v', 'V']).split('.').map(str::parse).collect();
    let written = written.ok().filter(|all| all.len() <= 3 && all[0] < GREATEST_MAJOR)?;
    let number = |index: usize| written.get(index).copied().unwrap_or(0);
    let numbers = [number(0), number(1), number(2)];
    Some(Numbers { numbers, count: written.len(), is_preview: !preview.is_empty() })
}

/// Returns the least version after an old one that says what changes. Before 1.0 the second number
/// says what the first does later, and a preview promises nothing.
fn least(old: &str, size: Size) -> Option<String> {
    let Numbers { mut numbers, count, is_preview } = numbers(old)?;
    let index = usize::from(size == Size::Minor) + usize::from(numbers[0] == 0);
    if is_preview || index >= count {
        return None;
    }
    numbers[index] += 1;
    numbers[index + 1..].fill(0);
    Some(numbers[..count].iter().map(u64::to_string).collect::<Vec<_>>().join("."))
}

/// Returns true if a date or a name comes after another one.
fn is_later(old: &str, new: &str) -> bool {
    let is_date = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    if is_date(old) && is_date(new) { new > old } else { new != old }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_says_at_least_what_the_changes_are() {
        for (old, size, expected) in [
            ("1.2.3", Size::Major, Some("2.0.0")),
            ("1.2.3", Size::Minor, Some("1.3.0")),
            ("v1.2", Size::Minor, Some("1.3")),
            ("1", Size::Major, Some("2")),
            ("1", Size::Minor, None),
            ("0.3.1", Size::Major, Some("0.4.0")),
            ("0.3.1", Size::Minor, Some("0.3.2")),
            ("2.0.0-rc.1", Size::Major, None),
            ("1.2.3+build", Size::Minor, Some("1.3.0")),
            ("2026-05-20", Size::Major, None),
            ("2026.05", Size::Major, None),
        ] {
            assert_eq!(least(old, size).as_deref(), expected, "{old} {size}");
        }
    }
}
