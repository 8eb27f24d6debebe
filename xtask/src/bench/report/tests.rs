//! Claims about reports.
//!
//! They refuse to measure anything: the figures here are made up.

use super::*;

fn report() -> Report {
    let figure = |thousandths| Cell::figure(Figure::from_thousandths(thousandths), 1);
    Report {
        subject: "statements",
        machine: Machine {
            processor: "Some CPU".to_owned(),
            cores: 2,
            system: "linux x86_64".to_owned(),
            commit: "0123abc".to_owned(),
        },
        setting: "PostgreSQL 15.8.".to_owned(),
        tables: vec![Table {
            title: "Documents",
            columns: vec![
                Column {
                    name: "kind",
                    head: "kind",
                },
                Column {
                    name: "rate",
                    head: "documents/s",
                },
            ],
            rows: vec![
                vec![Cell::text("25 lines"), figure(1_234_500)],
                vec![Cell::text("2,000"), Cell::Absent],
            ],
        }],
        goals: vec![Goal {
            claim: "it is fast".to_owned(),
            measured: figure(900),
            holds: false,
        }],
        reading: vec!["More is better.".to_owned()],
    }
}

#[test]
fn table_aligns_its_columns_and_shows_what_is_absent() {
    let expected = "\
## statements

Some CPU, 2 cores, linux x86_64; commit 0123abc. PostgreSQL 15.8.

### Documents

| kind     | documents/s |
|----------|------------:|
| 25 lines |     1,234.5 |
| 2,000    |           – |

### Goals

| goal       | measured |        |
|------------|---------:|--------|
| it is fast |      0.9 | MISSED |

### How to read it

- More is better.
";
    similar_lines(&report().markdown(), expected);
}

#[test]
fn json_has_every_figure_unrounded_and_null_for_what_is_absent() {
    let json = report().json();
    assert_eq!(json["tables"][0]["rows"][0]["rate"].to_string(), "1234.5");
    assert!(json["tables"][0]["rows"][1]["rate"].is_null());
    assert_eq!(json["goals"][0]["holds"], false);
    assert_eq!(json["machine"]["cores"], 2);
}

#[test]
fn one_missed_goal_is_enough() {
    let mut report = report();
    assert!(!report.holds());
    report.goals[0].holds = true;
    assert!(report.holds());
}

fn similar_lines(found: &str, expected: &str) {
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}
