//! Every migration after the first has only harmless statements, and the fixtures show that others
//! are rejected.

use std::fs;
use std::path::Path;

use super::super::released;
use super::*;

/// A form that is rejected; on the next line why, and what to write instead. The first that matches
/// counts.
const REMEDIES: &str = include_str!("../../../tests/migrations/remedies.txt");

fn faults(sql: &str) -> Vec<String> {
    let file = File::read(sql);
    // A file `-- table by table` has one rule, which all other statements break.
    let has_remedies = file.kind != Kind::Tables;
    let unknown =
        file.statements.iter().filter(|statement| has_remedies && statement.form.is_none());
    let remedy = |text: &str| {
        let mut lines = REMEDIES.lines();
        lines.find(|form| !form.starts_with(' ') && matched(form, text).is_some())?;
        Some(format!("{text}: {}", lines.next()?.trim()))
    };
    unknown
        .filter_map(|statement| remedy(&statement.text))
        .chain(broken_rule(&file).map(str::to_owned))
        .collect()
}

/// The rules for a file of statements that are harmless each.
fn broken_rule(file: &File) -> Option<&'static str> {
    if file.kind == Kind::Tables {
        // A policy has one table, a statement of no known form none.
        return (file.tables().len() != file.statements.len()).then_some(
            "a file `-- table by table` has one CREATE POLICY for each table, because a run that \
             was interrupted is repeated: one file for each other statement",
        );
    }
    if file.kind != Kind::Transaction {
        return (file.statements.len() != 1)
            .then_some("a file without a transaction of its own has exactly one statement");
    }
    let having = |effect| {
        file.statements
            .iter()
            .filter(move |statement| statement.form.is_some_and(|form| form.effect == effect))
    };
    let scans = having(SCANS).count();
    if scans > 0 && scans < file.statements.len() {
        return Some(
            "VALIDATE CONSTRAINT scans for long, and the other statements' locks would last as \
             long: put it into a file of its own",
        );
    }
    let mut tables: Vec<_> = having(BRIEF).filter_map(|locks| locks.tables.first()).collect();
    tables.sort_unstable();
    tables.dedup();
    (tables.len() > 1).then_some(
        "it locks several tables, and could wait for one while requests wait for the other: one \
         file for each table, or for CREATE POLICY one whose first line is `-- table by table`",
    )
}

/// Name and text of each file.
fn fixtures(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/migrations").join(folder);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    let mut files: Vec<_> = files.map(|path| (path.display().to_string(), text(&path))).collect();
    files.sort();
    files
}

#[test]
fn every_migration_after_the_first_is_harmless() {
    for migration in &released()[1..] {
        let found = faults(migration.sql.as_str());
        assert!(found.is_empty(), "migration {}: {found:#?}", migration.version);
    }
}

#[test]
fn harmless_fixtures_pass_and_name_their_tables() {
    let fixtures = fixtures("harmless");
    assert_eq!(fixtures.len(), 11);
    for (name, sql) in &fixtures {
        assert_eq!(faults(sql), [""; 0], "{name}");
    }
    let tables = fixtures.iter().map(|(name, sql)| {
        let name = name.rsplit('/').next().unwrap();
        format!("{name} {}", File::read(sql).tables().join(" ")).trim_end().to_owned() + "\n"
    });
    insta::assert_snapshot!(tables.collect::<String>());
}

#[test]
fn rejected_fixtures_are_rejected_for_their_reason() {
    let fixtures = fixtures("rejected");
    assert_eq!(fixtures.len(), 29);
    for (name, sql) in fixtures {
        let expected = sql.lines().find_map(|line| line.strip_prefix("-- rejected: ")).unwrap();
        let found = faults(&sql);
        assert!(found.iter().any(|reason| reason.contains(expected)), "{name}: {found:#?}");
    }
}
