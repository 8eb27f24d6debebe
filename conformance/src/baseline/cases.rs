//! Which responses each case got, as text: a line for each case, with the names of their files.

use std::{collections::BTreeMap, fmt};

/// A response in a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// The name of its file.
    pub(super) name: String,
    /// Its number there, from 1.
    pub(super) number: usize,
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { name, number: 1 } => formatter.write_str(name),
            Self { name, number } => write!(formatter, "{name}#{number}"),
        }
    }
}

/// Such as `a.case: getPayout/404_NOT_FOUND, getPayout/200_success#2`, whose `#2` is the second
/// response of a file.
pub(super) fn write(cases: &BTreeMap<String, Vec<Reference>>) -> String {
    let lines = cases.iter().map(|(case, references)| {
        let references = references.iter().map(Reference::to_string);
        format!("{case}: {}", references.collect::<Vec<_>>().join(", "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Reads what [`write`] wrote.
pub(super) fn read(text: &str) -> BTreeMap<String, Vec<Reference>> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let cases = lines.map(|(case, references)| {
        let references = references.split(", ").map(str::trim).filter(|one| !one.is_empty());
        let references = references.map(|one| {
            let (name, number) = one.split_once('#').unwrap_or((one, "1"));
            let number = number.parse().ok().filter(|number| *number > 0).unwrap_or(usize::MAX);
            Reference { name: name.to_owned(), number }
        });
        (case.to_owned(), references.collect())
    });
    cases.collect()
}
