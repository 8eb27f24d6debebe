use std::fs;
use std::path::Path;

use super::super::released;
use super::*;

fn reasons(sql: &str) -> Vec<String> {
    let rejections = inspect(sql).statements.into_iter().filter_map(Result::err);
    rejections.map(|found| format!("{}: {}", found.tokens.join(" "), found.reason)).collect()
}

/// Name and text of each file.
fn fixtures(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/migrations").join(folder);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_migration_after_the_first_is_harmless() {
    for migration in &released()[1..] {
        let found = reasons(migration.sql.as_str());
        assert!(found.is_empty(), "migration {}: {found:#?}", migration.version);
    }
}

#[test]
fn harmless_fixtures_pass_and_name_their_tables() {
    let fixtures = fixtures("harmless");
    assert_eq!(fixtures.len(), 10);
    for (name, sql) in &fixtures {
        assert_eq!(reasons(sql), [""; 0], "{name}");
    }
    let of = |file: &str| {
        let (_, sql) = fixtures.iter().find(|(name, _)| name.contains(file)).unwrap();
        inspect(sql).tables().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of("9001"), ["commission_lines"]);
    assert_eq!(of("9002"), ["commission_lines"]);
    assert_eq!(of("9005"), ["organizations"]);
    assert_eq!(of("9006"), ["channels", "commission_lines"]);
    assert_eq!(of("9008"), ["meters"]);
}

#[test]
fn rejected_fixtures_are_rejected_for_their_reason() {
    let fixtures = fixtures("rejected");
    assert_eq!(fixtures.len(), 22);
    for (name, sql) in fixtures {
        let expected = sql.lines().find_map(|line| line.strip_prefix("-- rejected: ")).unwrap();
        let found = reasons(&sql);
        assert!(found.iter().any(|reason| reason.contains(expected)), "{name}: {found:#?}");
    }
}
