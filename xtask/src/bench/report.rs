//! A report: tables for people (Markdown) and for programs (JSON), goals, the machine.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{stat::formatted, subject::Findings};

#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) subject: &'static str,
    pub(crate) machine: String,
    pub(crate) setting: String,
    pub(crate) findings: Findings,
}

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) title: &'static str,
    /// Heads with units; also the keys in JSON.
    pub(crate) columns: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Text(String),
    /// With this number of digits after the point.
    Number(f64, usize),
    /// Not measured, or not available on this system.
    Absent,
}

#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// Such as `2,000 lines take less than 200 ms`.
    pub(crate) claim: String,
    pub(crate) measured: f64,
    pub(crate) bound: Bound,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
    Below(f64),
}

impl Goal {
    pub(crate) fn new(
        claim: impl Into<String>,
        measured: Option<f64>,
        bound: Bound,
    ) -> Option<Self> {
        Some(Self { claim: claim.into(), measured: measured?, bound })
    }

    pub(crate) fn is_reached(&self) -> bool {
        match self.bound {
            Bound::AtLeast(bound) => self.measured >= bound,
            Bound::AtMost(bound) => self.measured <= bound,
            Bound::Below(bound) => self.measured < bound,
        }
    }
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn number(value: Option<f64>, digits: usize) -> Self {
        value.map_or(Self::Absent, |value| Self::Number(value, digits))
    }

    pub(crate) fn count(count: usize) -> Self {
        Self::Number(count as f64, 0)
    }

    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(value, digits) => formatted(*value, *digits),
            Self::Absent => "–".to_owned(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(value, _) => ((value * 1e3).round() / 1e3).into(),
            Self::Absent => Value::Null,
        }
    }
}

impl Report {
    pub(crate) fn holds(&self) -> bool {
        self.findings.goals.iter().all(Goal::is_reached)
    }

    pub(crate) fn markdown(&self) -> String {
        let Self { subject, machine, setting, findings } = self;
        let mut text = format!("## {subject}\n\n{machine} {setting}\n");
        for table in &findings.tables {
            let _ = write!(text, "\n### {}\n\n{}", table.title, table.markdown());
        }
        if !findings.goals.is_empty() {
            let _ = write!(text, "\n### Goals\n\n{}", self.goals().markdown());
        }
        text
    }

    pub(crate) fn json(&self) -> Value {
        let Self { subject, machine, setting, findings } = self;
        let tables = findings.tables.iter();
        let table = |table: &Table| json!({ "title": table.title, "rows": table.json() });
        json!({
            "subject": subject,
            "machine": machine,
            "setting": setting,
            "tables": tables.map(table).collect::<Vec<_>>(),
            "goals": self.goals().json(),
        })
    }

    fn goals(&self) -> Table {
        let goals = self.findings.goals.iter();
        let row = |goal: &Goal| {
            let verdict = if goal.is_reached() { "reached" } else { "MISSED" };
            let measured = Cell::Number(goal.measured, 2);
            vec![Cell::text(&goal.claim), measured, Cell::text(verdict)]
        };
        Table {
            title: "Goals",
            columns: vec!["goal", "measured", "verdict"],
            rows: goals.map(row).collect(),
        }
    }
}

impl Table {
    fn markdown(&self) -> String {
        let heads = self.columns.iter().map(|head| (*head).to_owned()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::shown).collect());
        let lines: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
        let columns: Vec<(usize, bool)> = (0..self.columns.len())
            .map(|column| {
                let widths = lines.iter().map(|line| line[column].chars().count());
                let mut cells = self.rows.iter().map(|row| &row[column]);
                let is_numeric = cells.all(|cell| !matches!(cell, Cell::Text(_)));
                (widths.max().unwrap_or(0), is_numeric)
            })
            .collect();
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            for (cell, (width, is_numeric)) in line.iter().zip(&columns) {
                let _ = match is_numeric {
                    true => write!(text, "| {cell:>width$} "),
                    false => write!(text, "| {cell:<width$} "),
                };
            }
            text.push_str("|\n");
            if index == 0 {
                for (width, is_numeric) in &columns {
                    let end = if *is_numeric { ":" } else { "-" };
                    let _ = write!(text, "|{}{end}", "-".repeat(width + 1));
                }
                text.push_str("|\n");
            }
        }
        text
    }

    fn json(&self) -> Vec<Value> {
        let object = |row: &Vec<Cell>| {
            let fields = self.columns.iter().zip(row);
            let fields = fields.map(|(head, cell)| ((*head).to_owned(), cell.json()));
            Value::Object(fields.collect::<Map<_, _>>())
        };
        self.rows.iter().map(object).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let findings = Findings {
            tables: vec![Table {
                title: "Documents",
                columns: vec!["kind", "documents/s"],
                rows: vec![
                    vec![Cell::text("25 lines"), Cell::Number(1_234.5, 1)],
                    vec![Cell::text("2,000"), Cell::Absent],
                ],
            }],
            goals: vec![Goal {
                claim: "it is fast".to_owned(),
                measured: 0.9,
                bound: Bound::AtLeast(1.0),
            }],
        };
        Report {
            subject: "statements",
            machine: "Some CPU, 2 cores; commit 0123abc.".to_owned(),
            setting: "PostgreSQL 15.8.".to_owned(),
            findings,
        }
    }

    #[test]
    fn table_aligns_its_columns_and_shows_absent_cells() {
        let expected = "\
## statements

Some CPU, 2 cores; commit 0123abc. PostgreSQL 15.8.

### Documents

| kind     | documents/s |
|----------|------------:|
| 25 lines |     1,234.5 |
| 2,000    |           – |

### Goals

| goal       | measured | verdict |
|------------|---------:|---------|
| it is fast |     0.90 | MISSED  |
";
        assert_eq!(report().markdown(), expected);
    }

    #[test]
    fn json_has_numbers_to_a_thousandth_and_null_for_absent_cells() {
        let json = report().json();
        let rows = &json["tables"][0]["rows"];
        assert_eq!(rows[0]["documents/s"].to_string(), "1234.5");
        assert!(rows[1]["documents/s"].is_null());
        assert_eq!(json["goals"][0]["verdict"], "MISSED");
        assert_eq!(Cell::Number(1.0 / 3.0, 0).json().to_string(), "0.333");
    }

    #[test]
    fn one_missed_goal_is_enough() {
        let mut report = report();
        assert!(!report.holds());
        report.findings.goals[0].measured = 1.0;
        assert!(report.holds());
    }

    #[test]
    fn bounds_include_or_exclude_their_value() {
        let goal = |bound| Goal::new("", Some(1.0), bound).unwrap().is_reached();
        assert!(goal(Bound::AtLeast(1.0)) && goal(Bound::AtMost(1.0)));
        assert!(!goal(Bound::Below(1.0)));
        assert!(Goal::new("", None, Bound::AtLeast(1.0)).is_none());
    }
}
