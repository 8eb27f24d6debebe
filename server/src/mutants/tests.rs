//! The table holds together, and each of its mutants sits somewhere.
//!
//! It refuses to judge what a mutant breaks: that is the conformance suite's proof.

use std::{collections::HashSet, fs, path::Path};

use super::{Mutant, is};

#[test]
fn numbers_are_consecutive_and_names_unique() {
    let mut names = HashSet::new();
    for (index, mutant) in Mutant::ALL.iter().enumerate() {
        let info = mutant.info();
        assert_eq!(info.id, format!("M{:02}", index + 1));
        assert!(names.insert(info.name), "{} stands twice", info.name);
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(info.name.bytes().all(is_plain), "{}", info.name);
        assert!(info.sentence.ends_with('.'), "{}", info.sentence);
    }
}

#[test]
fn every_clause_is_a_section_or_a_decision() {
    for mutant in Mutant::ALL {
        let info = mutant.info();
        assert!(is_clause(info.clause), "{}: {}", info.id, info.clause);
    }
    for nothing in [
        "", "§", "§0", "§10.1", "§4.", "§4.7.", "§.5", "4.7", "R0", "R15", "X1", "r2", "A",
    ] {
        assert!(!is_clause(nothing), "{nothing}");
    }
}

/// A § of the specification, such as `4.5`, or the id of a decision, such as `R9`.
fn is_clause(clause: &str) -> bool {
    let within = |text: &str, last: u32| {
        let number = text
            .parse()
            .is_ok_and(|number: u32| (1..=last).contains(&number));
        number && !text.starts_with(['0', '+'])
    };
    match clause.split_at_checked(1) {
        Some(("V", number)) => within(number, 15),
        Some(("R", number)) => within(number, 14),
        Some(("A", number)) => within(number, 11),
        Some(("S", number)) => within(number, 10),
        _ => {
            let Some(section) = clause.strip_prefix('§') else {
                return false;
            };
            let mut parts = section.split('.');
            parts.next().is_some_and(|section| within(section, 9))
                && parts.all(|part| within(part, 99))
        }
    }
}

#[test]
fn every_mutant_sits_at_one_place_at_least() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut text = String::new();
    read(&source, &mut text);
    let named: HashSet<&str> = text
        .split("Mutant::")
        .skip(1)
        .map(|rest| {
            let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric());
            &rest[..end.unwrap_or(rest.len())]
        })
        .collect();
    for mutant in Mutant::ALL {
        let variant = format!("{mutant:?}");
        assert!(
            named.contains(variant.as_str()),
            "nothing asks for {variant}"
        );
    }
}

/// Every file of the sources but the tests of mutants.
fn read(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("mutants/tests.rs")
            && !path.ends_with("mutants/active.rs")
        {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn without_a_choice_no_mutant_is_active() {
    assert!(Mutant::ALL.iter().all(|mutant| !is(*mutant)));
}
