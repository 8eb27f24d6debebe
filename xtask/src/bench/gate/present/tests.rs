//! Claims about tables.
//!
//! They refuse to measure anything: the figures here are made up.

use super::*;
use crate::bench::gate::goals::tests::{contest, measured, sample};

#[test]
fn every_row_has_a_cell_for_every_column() {
    let slow = contest(8, sample(100, 1, 1, 1), 1);
    let mut fast = contest(256, sample(700, 1, 1, 1), 20);
    fast.best.push(slow.turns[3].clone());
    let measured = measured(vec![slow, fast], 800, None);
    let tables = [
        beside(&measured.contests),
        best(&measured.contests),
        overload(&measured.overload, measured.server_peak),
    ];
    assert_eq!((tables[0].rows.len(), tables[1].rows.len()), (10, 1));
    for table in tables {
        let columns = table.columns.len();
        let fits = table.rows.iter().all(|row| row.len() == columns);
        assert!(fits, "{}", table.title);
    }
}

#[test]
fn each_side_stands_beside_what_it_is_compared_with() {
    let contest = contest(8, sample(500, 50, 1, 1), 20);
    let shown = |side: Side| -> Vec<Option<String>> {
        let row = row(&contest, contest.of(side));
        let figure = |cell: &Cell| match cell {
            Cell::Figure(figure, digits) => Some(figure.text(*digits)),
            _ => None,
        };
        row[9..].iter().map(figure).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(shown(Side::Read), [None, None, None]);
    assert_eq!(shown(Side::Contract), [some("0.10"), None, None]);
    assert_eq!(
        shown(Side::Server),
        [some("0.50"), some("5.00"), some("0.50")]
    );
    assert_eq!(shown(Side::HotServer), [None, some("2.00"), some("0.00")]);
}

#[test]
fn hot_server_stands_beside_the_hot_statement_at_its_best() {
    let slow = contest(8, sample(500, 50, 1, 1), 20);
    let mut many = contest(256, sample(700, 1, 1, 1), 40);
    many.best.push(slow.turns[3].clone());
    let table = best(&[many]);
    let shown = |column: usize| match &table.rows[0][column] {
        Cell::Figure(figure, digits) => figure.text(*digits),
        other => panic!("{other:?}"),
    };
    // The statement has 10 a second on the one organisation, the server 40.
    assert_eq!([2, 3, 4, 5, 6].map(shown), ["8", "10", "256", "40", "4.00"]);
}
