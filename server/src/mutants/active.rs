//! Which mutant is active: chosen once, at the start of the process, by the variable `MUTANT`.
//!
//! It refuses an unknown number: a server that broke nothing would pass for one whose fault nobody finds.

use std::{env, sync::OnceLock};

use super::table::{Info, Mutant};

/// The variable that names the mutant.
const VARIABLE: &str = "MUTANT";

static ACTIVE: OnceLock<Option<Mutant>> = OnceLock::new();

/// Whether this mutant is active: none is before [`begin`].
#[inline]
pub(crate) fn is(mutant: Mutant) -> bool {
    ACTIVE.get() == Some(&Some(mutant))
}

/// Chooses the mutant of the variable, for good, and says so aloud.
///
/// # Errors
/// The variable names no mutant; the text names those that there are.
pub(crate) fn begin() -> Result<(), String> {
    let chosen = match env::var(VARIABLE) {
        Ok(id) => Some(find(&id)?),
        Err(env::VarError::NotPresent) => None,
        Err(env::VarError::NotUnicode(_)) => Some(find("�")?),
    };
    eprintln!("{}", warning(chosen));
    ACTIVE.get_or_init(|| chosen);
    Ok(())
}

/// All mutants as JSON: `[{"id", "name", "clause", "sentence"}]`.
pub(crate) fn listed() -> String {
    let all: Vec<Info> = Mutant::ALL.iter().map(|mutant| mutant.info()).collect();
    serde_json::to_string_pretty(&all).expect("texts alone")
}

fn find(id: &str) -> Result<Mutant, String> {
    let mut all = Mutant::ALL.iter();
    all.find(|mutant| mutant.info().id == id)
        .copied()
        .ok_or_else(|| {
            let known: Vec<&str> = Mutant::ALL.iter().map(|mutant| mutant.info().id).collect();
            format!(
                "{VARIABLE}={id} names no mutant. There are {}; `payout-server mutants` tells what each one breaks",
                known.join(", ")
            )
        })
}

fn warning(chosen: Option<Mutant>) -> String {
    match chosen.map(Mutant::info) {
        Some(Info {
            id,
            name,
            clause,
            sentence,
        }) => format!(
            "WARNING: THIS SERVER IS BROKEN ON PURPOSE: mutant {id} ({name}) breaks {clause}. {sentence}"
        ),
        None => format!(
            "WARNING: this server is built with the feature `mutants`, and must not serve anybody. No mutant is active; {VARIABLE}=M01 chooses one."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutant_is_found_by_its_number_alone() {
        assert_eq!(find("M07"), Ok(Mutant::RepeatedKeyAccepted));
        for unknown in ["", "M7", "m07", "M00", "M999", "repeated-key-accepted"] {
            let refusal = find(unknown).unwrap_err();
            assert!(refusal.contains("M01, M02"), "{refusal}");
        }
    }

    #[test]
    fn list_tells_four_things_of_each() {
        let listed: serde_json::Value = serde_json::from_str(&listed()).unwrap();
        let first = &listed[0];
        assert_eq!(first["id"], "M01");
        assert_eq!(first["name"], "key-from-query");
        assert_eq!(first["clause"], "§5.2");
        assert_eq!(first.as_object().map(serde_json::Map::len), Some(4));
        assert_eq!(listed.as_array().map(Vec::len), Some(Mutant::ALL.len()));
    }
}
