//! Claims about tables.
//!
//! They refuse to measure anything: the figures here are made up.

use super::*;
use crate::bench::gate::goals::tests::{contest, measured};

fn report() -> Measured {
    let slow = contest(8, contest(8, Vec::new(), 1).samples[0].clone(), 1);
    let fast = contest(256, slow.samples[0].clone(), 20);
    measured(vec![slow, fast], 800, None)
}

#[test]
fn every_row_has_a_cell_for_every_column() {
    let measured = report();
    let tables = [
        beside(&measured.contests),
        best(&measured.contests),
        overload(&measured.overload, measured.server_peak),
    ];
    for table in tables {
        let columns = table.columns.len();
        let fits = table.rows.iter().all(|row| row.len() == columns);
        assert!(fits, "{}", table.title);
    }
}

#[test]
fn server_on_most_connections_stands_beside_pgbench_at_its_best() {
    let mut measured = report();
    measured.contests[0].samples[0][0].rate = Figure::whole(2_000);
    let table = best(&measured.contests);
    let shown = |row: usize, column: usize| match &table.rows[row][column] {
        Cell::Figure(figure, digits) => figure.text(*digits),
        other => panic!("{other:?}"),
    };
    // The read alone was fastest on 8, and the server has 1,000 on 256.
    assert_eq!(
        [shown(0, 2), shown(0, 3), shown(0, 4), shown(0, 6)],
        ["8", "2,000", "256", "0.50"]
    );
    assert_eq!([shown(2, 5), shown(2, 6)], ["20", "2.00"]);
}
