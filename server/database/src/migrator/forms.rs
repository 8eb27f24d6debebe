//! The statements that a migration may have, with the lock of each and what it does meanwhile:
//! requests wait for a lock at most 1 s, and then fail. A test rejects every other statement.

use regex::Regex;

use super::statements::{matched, statements};

/// The form of a migration, which the first line of its file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All statements in one transaction.
    Transaction,
    /// `-- no-transaction`: one statement with CONCURRENTLY.
    Concurrent,
    /// `-- in pieces`: one statement, run for each thousand rows of each organisation.
    Pieces,
}

/// A migration.
pub(super) struct File {
    pub(super) kind: Kind,
    pub(super) statements: Vec<Statement>,
}

/// A statement of a migration.
pub(super) struct Statement {
    pub(super) text: String,
    /// `None` if it is not known to be harmless.
    pub(super) form: Option<&'static Form>,
    /// The tables that it locks, as far as they exist before the file.
    pub(super) tables: Vec<String>,
}

/// A form, the strongest lock of such statements, and what they do meanwhile.
pub(super) type Form = (&'static str, &'static str, &'static str);

const BRIEF: &str = "changes the catalog alone";
const SCANS: &str = "scans while reads and writes go on";
const NEW: &str = "creates a table, or belongs to one that this file creates";
const INSERTS: &str = "inserts the rows that the file has";
const BUILDS: &str = "works while reads and writes go on, and waits for older transactions to end";
const FILLS: &str = "changes or reads 1,000 rows in each transaction";
const EXCLUSIVE: &str = "ACCESS EXCLUSIVE";
const SHARE_ROW: &str = "SHARE ROW EXCLUSIVE";
const SHARE_UPDATE: &str = "SHARE UPDATE EXCLUSIVE";
const ROWS: &str = "ROW EXCLUSIVE";

const HARMLESS: [Form; 27] = [
    ("CREATE (?:OR REPLACE )?FUNCTION …", "no lock", BRIEF),
    ("DROP FUNCTION …", "no lock", BRIEF),
    ("CREATE TABLE @ ()", SHARE_ROW, NEW),
    ("DROP TABLE @", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ADD COLUMN _ TYPE", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ADD COLUMN _ TYPE DEFAULT CONSTANT(?: NOT NULL)?", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ADD COLUMN _ TYPE NOT NULL DEFAULT CONSTANT", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ DROP COLUMN _", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ALTER COLUMN _ SET DEFAULT CONSTANT", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ALTER COLUMN _ DROP (?:DEFAULT|NOT NULL)", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ALTER COLUMN _ SET STATISTICS [0-9]+", SHARE_UPDATE, BRIEF),
    ("ALTER TABLE @(?: ALTER COLUMN _)? (?:SET|RESET) ()", SHARE_UPDATE, BRIEF),
    ("ALTER TABLE @ ADD CONSTRAINT _ CHECK () NOT VALID", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ADD CONSTRAINT _ FOREIGN KEY () REFERENCES @ () NOT VALID", SHARE_ROW, BRIEF),
    ("ALTER TABLE @ ADD CONSTRAINT _ UNIQUE USING INDEX _", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ VALIDATE CONSTRAINT _", SHARE_UPDATE, SCANS),
    ("ALTER TABLE @ DROP CONSTRAINT _", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ (?:ENABLE|FORCE) ROW LEVEL SECURITY", EXCLUSIVE, BRIEF),
    ("(?:CREATE|ALTER) POLICY _ ON @ …", EXCLUSIVE, BRIEF),
    ("DROP (?:POLICY|TRIGGER) _ ON @", EXCLUSIVE, BRIEF),
    ("CREATE TRIGGER _ (?:BEFORE|AFTER) … ON @ …", SHARE_ROW, BRIEF),
    ("INSERT INTO @(?: ())? VALUES …", ROWS, INSERTS),
    ("CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS _ ON @ …", SHARE_UPDATE, BUILDS),
    ("DROP INDEX CONCURRENTLY IF EXISTS _", SHARE_UPDATE, BUILDS),
    (
        "UPDATE @ SET … WHERE organization_id = \\$1 AND id > \\$2 AND id <= \\$3\
         (?: AND _ IS NULL| AND ())?",
        ROWS,
        FILLS,
    ),
    (
        r"DELETE FROM @ WHERE organization_id = \$1 AND id > \$2 AND id <= \$3(?: AND ())?",
        ROWS,
        FILLS,
    ),
    (
        "INSERT INTO _ () SELECT … FROM @ WHERE organization_id = \\$1 AND id > \\$2 AND id <= \\$3\
         (?: AND ())?(?: GROUP BY …)? ON CONFLICT …",
        ROWS,
        FILLS,
    ),
];

/// Harmless where the same file creates the table.
const OF_NEW_TABLE: [Form; 2] =
    [("CREATE (?:UNIQUE )?INDEX _ ON @ …", SHARE_ROW, NEW), ("ALTER TABLE @ …", SHARE_ROW, NEW)];

impl Kind {
    pub(super) fn how(self) -> &'static str {
        match self {
            Self::Transaction => "in one transaction",
            Self::Concurrent => "without a transaction",
            Self::Pieces => "in pieces, each in its own transaction",
        }
    }

    fn allows(self, effect: &str) -> bool {
        match self {
            Self::Transaction => ![BUILDS, FILLS].contains(&effect),
            Self::Concurrent => effect == BUILDS,
            Self::Pieces => effect == FILLS,
        }
    }
}

impl File {
    /// Reads a migration.
    pub(super) fn read(sql: &str) -> Self {
        let kind = match sql {
            _ if sql.starts_with("-- no-transaction\n") => Kind::Concurrent,
            _ if sql.starts_with("-- in pieces\n") => Kind::Pieces,
            _ => Kind::Transaction,
        };
        let texts = statements(sql);
        let created: Vec<String> =
            texts.iter().filter_map(|text| matched("CREATE TABLE @ ()", text)).flatten().collect();
        let read = |text| Statement::read(kind, text, &created);
        Self { kind, statements: texts.into_iter().map(read).collect() }
    }

    /// The tables that its statements lock.
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
        let of_new_table = OF_NEW_TABLE
            .iter()
            .filter_map(|form| Some((form, matched(form.0, &text)?)))
            .filter(|(_, tables)| tables.iter().all(|table| created.contains(table)));
        let found = HARMLESS.iter().filter_map(|form| Some((form, matched(form.0, &text)?)));
        let found = of_new_table.chain(found).find(|(form, _)| kind.allows(form.2));
        let (form, mut tables) =
            found.map_or((None, Vec::new()), |(form, tables)| (Some(form), tables));
        // A new table's foreign keys lock the other table for a moment.
        if form.is_some_and(|form| form.2 == NEW) {
            let references = Regex::new("(?i)REFERENCES ([a-z_]+)").expect("a constant expression");
            tables.extend(references.captures_iter(&text).map(|found| found[1].to_owned()));
        }
        tables.retain(|table| !created.contains(table));
        Self { text, form, tables }
    }
}

#[cfg(test)]
mod tests;
