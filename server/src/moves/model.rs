//! The manifest of an export, the receipt of its import, and the order in which tables are
//! imported.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The version of the folder's files. An import reads no other one.
pub const FORMAT: u32 = 1;

/// The description of an export; it is written last.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    pub format: u32,
    /// The number of the last migration: both cells have the same tables.
    pub schema_version: i64,
    pub organization_id: String,
    pub exported_at: DateTime<Utc>,
    /// In the order in which they are imported.
    pub tables: Vec<TableRows>,
    pub pdfs: Pdfs,
}

/// The rows of one table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableRows {
    pub name: String,
    pub columns: Vec<String>,
    pub rows: u64,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pdfs {
    pub count: u64,
    pub bytes: u64,
    /// Those whose rows say already that they are missing or wrong; they have no file.
    pub damaged: u64,
}

/// A verified import; the cell that the organisation left needs it to close its copy.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Receipt {
    pub organization_id: String,
    /// SHA-256 of the manifest, in hexadecimal digits.
    pub manifest_sha256: String,
    /// The cell that has the organisation now.
    pub cell: String,
}

/// A table with rows of organisations, as the catalog describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// The column with the organisation's id.
    pub owner: String,
    /// Columns that are moved, in the table's order.
    pub columns: Vec<String>,
    /// The columns of the primary key.
    pub key: Vec<String>,
    /// The other tables that its foreign keys refer to.
    pub parents: Vec<String>,
}

/// Sorts tables so that each comes after those that it refers to. `None` where they refer to each
/// other in a circle, or to a table that is not among them.
pub fn in_order(mut left: Vec<Table>) -> Option<Vec<Table>> {
    let mut sorted: Vec<Table> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_sorted = |parent: &String| sorted.iter().any(|table| table.name == *parent);
        let next = left.iter().position(|table| table.parents.iter().all(is_sorted))?;
        sorted.push(left.remove(next));
    }
    Some(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, parents: &[&str]) -> Table {
        Table {
            name: name.to_owned(),
            owner: "organization_id".to_owned(),
            columns: Vec::new(),
            key: Vec::new(),
            parents: parents.iter().map(|parent| (*parent).to_owned()).collect(),
        }
    }

    #[test]
    fn table_comes_after_those_that_it_refers_to() {
        let tables = vec![table("lines", &["payouts", "partners"]), table("partners", &[])];
        assert!(in_order(tables.clone()).is_none(), "payouts are not among them");
        let tables = [tables, vec![table("payouts", &["partners"])]].concat();
        let names: Vec<String> =
            in_order(tables).unwrap().into_iter().map(|table| table.name).collect();
        assert_eq!(names, ["partners", "payouts", "lines"]);
    }

    #[test]
    fn circle_has_no_order() {
        assert!(in_order(vec![table("a", &["b"]), table("b", &["a"])]).is_none());
    }
}
