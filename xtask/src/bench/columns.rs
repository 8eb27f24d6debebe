//! Columns that tables of several subjects have in common.
//!
//! It refuses a head without its unit.

use super::{
    figure::Figure,
    report::{Cell, Column},
    rounds::Summary,
};

/// Columns by the name in JSON and the head for people.
pub(crate) fn columns(names: &[(&'static str, &'static str)]) -> Vec<Column> {
    names
        .iter()
        .map(|(name, head)| Column { name, head })
        .collect()
}

/// Columns of what a load measured; [`load`] fills them.
pub(crate) fn load_columns() -> Vec<Column> {
    columns(&[
        ("perSecond", "per second"),
        ("medianMilliseconds", "median ms"),
        ("slowMilliseconds", "99 % ms"),
        ("serverCpuMicroseconds", "server CPU µs"),
        ("postgresCpuMicroseconds", "Postgres CPU µs"),
        ("loadCpuMicroseconds", "load CPU µs"),
    ])
}

/// What a load measured.
pub(crate) fn load(summary: &Summary) -> [Cell; 6] {
    [
        Cell::figure(summary.rate, 0),
        Cell::figure(summary.median_latency, 2),
        Cell::figure(summary.slow_latency, 2),
        Cell::figure(summary.server_cpu, 0),
        Cell::figure(summary.postgres_cpu, 0),
        Cell::figure(summary.load_cpu, 0),
    ]
}

/// A number of things.
pub(crate) fn count(count: usize) -> Cell {
    let count = u64::try_from(count).expect("64 bits");
    Cell::figure(Figure::whole(count), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_of_a_load_has_its_cell() {
        let figure = Figure::whole(1);
        let summary = Summary {
            rate: figure,
            turned_away: figure,
            median_latency: figure,
            slow_latency: figure,
            server_cpu: None,
            postgres_cpu: None,
            load_cpu: None,
        };
        assert_eq!(load(&summary).len(), load_columns().len());
    }
}
