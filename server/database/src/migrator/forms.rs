//! The statements that a migration may have, with the lock of each and what it does meanwhile:
//! requests wait for a lock at most 1 s, and then fail. A test rejects every other statement.

use std::sync::LazyLock;

use regex::Regex;

use super::statements::{matched, statements};

/// The form of a migration, which the first line of its file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Transaction,
    /// `-- no-transaction`: one statement with CONCURRENTLY.
    Concurrent,
    /// `-- table by table`: a policy for each of several tables.
    Tables,
    /// `-- in pieces`: one statement, run for each thousand rows of each organisation.
    Pieces,
}

pub(super) struct File {
    pub(super) kind: Kind,
    pub(super) statements: Vec<Statement>,
}

pub(super) struct Statement {
    pub(super) text: String,
    /// `None` if it is not known to be harmless.
    pub(super) form: Option<&'static Form>,
    /// The tables that it locks, as far as they exist before the file.
    pub(super) tables: Vec<String>,
}

/// A form, the strongest lock of such statements, and what they do meanwhile.
pub(super) struct Form {
    form: &'static str,
    pub(super) lock: &'static str,
    pub(super) effect: &'static str,
    /// Harmless only where the same file creates the table.
    is_of_new_table: bool,
    /// Fails with `duplicate_object` where an earlier run has executed it.
    is_repeatable: bool,
}

const BRIEF: &str = "changes the catalog alone";
const SCANS: &str = "scans while reads and writes go on";
const NEW: &str = "creates a table, or belongs to one that this file creates";
const BUILDS: &str = "works while reads and writes go on, and waits for older transactions to end";
const FILLS: &str = "changes or reads 1,000 rows in each transaction";

static HARMLESS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let lines = include_str!("forms.txt").lines().filter(|line| !line.starts_with('#'));
    let fields = lines.map(|line| line.splitn(3, " | ").collect::<Vec<_>>());
    let form = |fields: Vec<&'static str>| Form {
        form: fields[2],
        lock: fields[0],
        effect: match fields[1] {
            "brief" | "repeatable" => BRIEF,
            "scans" => SCANS,
            "new" | "of_new" => NEW,
            "inserts" => "inserts the rows that the file has",
            "builds" => BUILDS,
            "fills" => FILLS,
            other => unreachable!("forms.txt has the effect {other}"),
        },
        is_of_new_table: fields[1] == "of_new",
        is_repeatable: fields[1] == "repeatable",
    };
    fields.map(form).collect()
});

impl Kind {
    pub(super) fn how(self) -> &'static str {
        match self {
            Self::Transaction => "in one transaction",
            Self::Concurrent => "without a transaction",
            Self::Tables => "table by table, each in its own transaction",
            Self::Pieces => "in pieces, each in its own transaction",
        }
    }

    fn allows(self, form: &Form) -> bool {
        match self {
            Self::Transaction => ![BUILDS, FILLS].contains(&form.effect),
            Self::Concurrent => form.effect == BUILDS,
            Self::Tables => form.is_repeatable,
            Self::Pieces => form.effect == FILLS,
        }
    }
}

impl File {
    pub(super) fn read(sql: &str) -> Self {
        let kind = match sql {
            _ if sql.starts_with("-- no-transaction\n") => Kind::Concurrent,
            _ if sql.starts_with("-- table by table\n") => Kind::Tables,
            _ if sql.starts_with("-- in pieces\n") => Kind::Pieces,
            _ => Kind::Transaction,
        };
        let texts = statements(sql);
        let created: Vec<String> =
            texts.iter().filter_map(|text| matched("CREATE TABLE @ ()", text)).flatten().collect();
        let read = |text| Statement::read(kind, text, &created);
        Self { kind, statements: texts.into_iter().map(read).collect() }
    }

    pub(super) fn tables(&self) -> Vec<&str> {
        let tables = self.statements.iter().flat_map(|statement| &statement.tables);
        let mut tables: Vec<&str> = tables.map(String::as_str).collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }
}

impl Statement {
    fn read(kind: Kind, text: String, created: &[String]) -> Self {
        let mut found = HARMLESS
            .iter()
            .filter(|form| kind.allows(form))
            .filter_map(|form| Some((form, matched(form.form, &text)?)));
        let found = found.find(|(form, tables)| {
            !form.is_of_new_table || tables.iter().all(|table| created.contains(table))
        });
        let (form, mut tables) =
            found.map_or((None, Vec::new()), |(form, tables)| (Some(form), tables));
        // A new table's foreign keys lock the other table for a moment.
        if form.is_some_and(|form| form.effect == NEW) {
            let references = Regex::new("(?i)REFERENCES ([a-z_]+)").expect("a constant expression");
            tables.extend(references.captures_iter(&text).map(|found| found[1].to_owned()));
        }
        tables.retain(|table| !created.contains(table));
        Self { text, form, tables }
    }
}

#[cfg(test)]
mod tests;
