//! What was measured, as tables to read and as JSON: the figures, what they must reach, the machine, how to read them.
//!
//! It refuses a figure without its unit: each column's head names it.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{figure::Figure, machine::Machine};

/// One run.
#[derive(Debug)]
pub(crate) struct Report {
    /// What the run is about, as it is named on the command line.
    pub(crate) subject: &'static str,
    pub(crate) machine: Machine,
    /// What was run beside, and for how long.
    pub(crate) setting: String,
    pub(crate) tables: Vec<Table>,
    pub(crate) goals: Vec<Goal>,
    /// How to read the figures, a sentence or two each.
    pub(crate) reading: Vec<String>,
}

/// Figures that belong together.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) title: &'static str,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A column: its name in JSON, and its head with the unit for people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) head: &'static str,
}

/// One value of a table.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Text(String),
    /// With so many digits after the point for people; JSON has them all.
    Figure(Figure, u32),
    /// Not measured in this row, or not told by this system.
    Absent,
}

/// What a figure must reach.
#[derive(Debug)]
pub(crate) struct Goal {
    /// Such as `2,000 lines take less than 200 ms`.
    pub(crate) claim: String,
    pub(crate) measured: Cell,
    pub(crate) holds: bool,
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn figure(figure: impl Into<Option<Figure>>, digits: u32) -> Self {
        figure
            .into()
            .map_or(Self::Absent, |figure| Self::Figure(figure, digits))
    }

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Figure(figure, digits) => figure.text(*digits),
            Self::Absent => "–".to_owned(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Figure(figure, _) => figure.json(),
            Self::Absent => Value::Null,
        }
    }
}

impl Report {
    /// Whether every goal was reached.
    pub(crate) fn holds(&self) -> bool {
        self.goals.iter().all(|goal| goal.holds)
    }

    /// Markdown, which a terminal shows as well as a browser.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n", self.subject);
        let machine = &self.machine;
        let _ = writeln!(
            text,
            "{}, {} cores, {}; commit {}. {}",
            machine.processor, machine.cores, machine.system, machine.commit, self.setting
        );
        for table in &self.tables {
            let _ = write!(text, "\n### {}\n\n{}", table.title, table.markdown());
        }
        if !self.goals.is_empty() {
            let _ = write!(text, "\n### Goals\n\n{}", self.goals().markdown());
        }
        text.push_str("\n### How to read it\n\n");
        for sentence in &self.reading {
            let _ = writeln!(text, "- {sentence}");
        }
        text
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        let machine = &self.machine;
        let tables = self.tables.iter();
        let goals = self.goals.iter();
        json!({
            "subject": self.subject,
            "machine": {
                "processor": machine.processor,
                "cores": machine.cores,
                "system": machine.system,
                "commit": machine.commit,
            },
            "setting": self.setting,
            "tables": tables.map(|table| json!({ "title": table.title, "rows": table.json() })).collect::<Vec<_>>(),
            "goals": goals
                .map(|goal| json!({ "claim": goal.claim, "measured": goal.measured.json(), "holds": goal.holds }))
                .collect::<Vec<_>>(),
            "reading": self.reading,
        })
    }

    fn goals(&self) -> Table {
        let row = |goal: &Goal| {
            let verdict = if goal.holds { "reached" } else { "MISSED" };
            vec![
                Cell::text(&goal.claim),
                goal.measured.clone(),
                Cell::text(verdict),
            ]
        };
        Table {
            title: "Goals",
            columns: vec![
                Column {
                    name: "claim",
                    head: "goal",
                },
                Column {
                    name: "measured",
                    head: "measured",
                },
                Column {
                    name: "holds",
                    head: "",
                },
            ],
            rows: self.goals.iter().map(row).collect(),
        }
    }
}

impl Table {
    fn markdown(&self) -> String {
        let heads: Vec<String> = self
            .columns
            .iter()
            .map(|column| column.head.to_owned())
            .collect();
        let rows = self
            .rows
            .iter()
            .map(|row| row.iter().map(Cell::shown).collect());
        let lines: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
        let count = |text: &String| text.chars().count();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                lines
                    .iter()
                    .map(|line| count(&line[column]))
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let numeric: Vec<bool> = (0..self.columns.len())
            .map(|column| self.is_numeric(column))
            .collect();
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            for ((cell, width), numeric) in line.iter().zip(&widths).zip(&numeric) {
                let _ = match numeric {
                    true => write!(text, "| {cell:>width$} "),
                    false => write!(text, "| {cell:<width$} "),
                };
            }
            text.push_str("|\n");
            if index == 0 {
                for (width, numeric) in widths.iter().zip(&numeric) {
                    let end = if *numeric { ":" } else { "-" };
                    let _ = write!(text, "|{}{end}", "-".repeat(width + 1));
                }
                text.push_str("|\n");
            }
        }
        text
    }

    fn is_numeric(&self, column: usize) -> bool {
        self.rows
            .iter()
            .all(|row| !matches!(row[column], Cell::Text(_)))
    }

    fn json(&self) -> Vec<Value> {
        let object = |row: &Vec<Cell>| {
            let fields = self.columns.iter().zip(row);
            let fields = fields.map(|(column, cell)| (column.name.to_owned(), cell.json()));
            Value::Object(fields.collect::<Map<_, _>>())
        };
        self.rows.iter().map(object).collect()
    }
}

#[cfg(test)]
mod tests;
