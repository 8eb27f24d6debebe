//! The statements that a migration may have, with the lock of each and what it does meanwhile:
//! requests wait for a lock at most 1 s, and then fail. A statement that is not known to be
//! harmless is rejected.

use super::statements::{inside, matched, statements};

/// How a file is applied; its first line says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All statements in one transaction.
    Transaction,
    /// `-- no-transaction`: one statement with CONCURRENTLY.
    Concurrent,
    /// `-- in pieces`: one UPDATE or DELETE, run for each thousand rows of each organisation.
    Pieces,
}

impl Kind {
    pub(super) fn how(self) -> &'static str {
        match self {
            Self::Transaction => "in one transaction",
            Self::Concurrent => "without a transaction",
            Self::Pieces => "in pieces, each in its own transaction",
        }
    }
}

/// A statement of a migration.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Statement<'a> {
    pub(super) tokens: Vec<&'a str>,
    /// The tables that it locks, as far as they exist before the file.
    pub(super) tables: Vec<&'a str>,
    /// The strongest lock that it takes on them; empty if it takes none.
    pub(super) lock: &'static str,
    pub(super) effect: &'static str,
}

/// A statement that is not known to be harmless, or a file that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rejection<'a> {
    pub(super) tokens: Vec<&'a str>,
    pub(super) reason: &'static str,
}

/// A migration's statements.
pub(super) struct File<'a> {
    pub(super) kind: Kind,
    pub(super) statements: Vec<Result<Statement<'a>, Rejection<'a>>>,
}

const BRIEF: &str = "changes the catalog alone";
const FILLS: &str = "changes 1,000 rows in each transaction";
const FILLS_ONE: &str = "changes the row of one organisation in each transaction";
const INSERTS: &str = "inserts the rows that the file has";
const BUILDS: &str = "works while reads and writes go on, and waits for older transactions to end";
const SCANS: &str = "scans while reads and writes go on";
const NEW: &str = "creates a table, or fills one that this file creates";
const EXCLUSIVE: &str = "ACCESS EXCLUSIVE";
const SHARE_ROW: &str = "SHARE ROW EXCLUSIVE";
const SHARE_UPDATE: &str = "SHARE UPDATE EXCLUSIVE";
const ROWS: &str = "ROW EXCLUSIVE";

/// Pattern, lock and effect of every statement that is allowed in a transaction. An `ALTER TABLE`
/// with several actions counts as several statements.
const HARMLESS: [(&str, &str, &str); 28] = [
    ("CREATE OR? REPLACE? FUNCTION …", "", BRIEF),
    ("DROP FUNCTION …", "", BRIEF),
    ("DROP TABLE @", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ADD COLUMN _ TYPE", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ADD COLUMN _ TYPE DEFAULT CONST", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ADD COLUMN _ TYPE DEFAULT CONST NOT NULL", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ADD COLUMN _ TYPE NOT NULL DEFAULT CONST", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ DROP COLUMN _", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ALTER COLUMN _ SET DEFAULT …", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ALTER COLUMN _ DROP DEFAULT", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ALTER COLUMN _ DROP NOT NULL", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ALTER COLUMN _ SET STATISTICS _", SHARE_UPDATE, BRIEF),
    ("ALTER TABLE @ ALTER COLUMN _ SET|RESET ()", SHARE_UPDATE, BRIEF),
    ("ALTER TABLE @ SET|RESET ()", SHARE_UPDATE, BRIEF),
    ("ALTER TABLE @ ADD CONSTRAINT _ CHECK () NOT VALID", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ADD CONSTRAINT _ FOREIGN KEY () REFERENCES @ () NOT VALID", SHARE_ROW, BRIEF),
    ("ALTER TABLE @ ADD CONSTRAINT _ UNIQUE USING INDEX _", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ VALIDATE CONSTRAINT _", SHARE_UPDATE, SCANS),
    ("ALTER TABLE @ DROP CONSTRAINT _", EXCLUSIVE, BRIEF),
    ("ALTER TABLE @ ENABLE|FORCE ROW LEVEL SECURITY", EXCLUSIVE, BRIEF),
    ("CREATE POLICY _ ON @ …", EXCLUSIVE, BRIEF),
    ("ALTER POLICY _ ON @ …", EXCLUSIVE, BRIEF),
    ("DROP POLICY _ ON @", EXCLUSIVE, BRIEF),
    ("CREATE TRIGGER _ BEFORE|AFTER … ON @ …", SHARE_ROW, BRIEF),
    ("DROP TRIGGER _ ON @", EXCLUSIVE, BRIEF),
    ("INSERT INTO @ () VALUES …", ROWS, INSERTS),
    ("INSERT INTO @ VALUES …", ROWS, INSERTS),
    ("CREATE TABLE @ ()", SHARE_ROW, NEW),
];

/// Allowed for a table that the same file creates.
const ON_NEW_TABLES: [&str; 4] = [
    "CREATE UNIQUE? INDEX _ ON @ …",
    "ALTER TABLE @ …",
    "INSERT INTO @ …",
    "CREATE TABLE @ () WITH ()",
];

const CONCURRENT: [(&str, &str, &str); 2] = [
    ("CREATE UNIQUE? INDEX CONCURRENTLY IF NOT EXISTS _ ON @ …", SHARE_UPDATE, BUILDS),
    ("DROP INDEX CONCURRENTLY IF EXISTS _", SHARE_UPDATE, BUILDS),
];

const PIECES: [(&str, &str, &str); 4] = [
    ("UPDATE @ SET … WHERE organization_id = $1 AND id > $2 AND id <= $3 …", ROWS, FILLS),
    ("DELETE FROM @ WHERE organization_id = $1 AND id > $2 AND id <= $3 …", ROWS, FILLS),
    ("UPDATE @organizations SET … WHERE id = $1 …", ROWS, FILLS_ONE),
    // Tables of one row for each organisation.
    (
        "UPDATE @meters|billing_information|statement_templates SET … WHERE organization_id = $1 …",
        ROWS,
        FILLS_ONE,
    ),
];

/// Why a form is rejected, and what to write instead; the first that matches counts.
const REJECTED: [(&str, &str); 12] = [
    (
        "CREATE UNIQUE? INDEX …",
        "it blocks writes while it scans the table: write CREATE INDEX CONCURRENTLY IF NOT EXISTS, \
         alone in a file whose first line is `-- no-transaction`",
    ),
    (
        "DROP INDEX …",
        "it waits for every reader, and new ones wait for it: write DROP INDEX CONCURRENTLY IF \
         EXISTS, alone in a file whose first line is `-- no-transaction`",
    ),
    (
        "ALTER TABLE @ ADD COLUMN … GENERATED …",
        "it rewrites the table under ACCESS EXCLUSIVE: add a nullable column, which a trigger or \
         the server writes, and fill it in pieces",
    ),
    (
        "ALTER TABLE @ ADD COLUMN …",
        "it may rewrite or scan the table under ACCESS EXCLUSIVE: add a column of a plain type, \
         nullable or with a constant default, and its constraints by statements of their own",
    ),
    (
        "ALTER TABLE @ ALTER COLUMN _ SET NOT NULL",
        "it scans the table under ACCESS EXCLUSIVE: add a constraint CHECK (… IS NOT NULL) NOT \
         VALID, and validate it in the next file",
    ),
    (
        "ALTER TABLE @ ALTER COLUMN _ TYPE|SET …",
        "it may rewrite the table under ACCESS EXCLUSIVE: add a column of the new type, fill it in \
         pieces, and drop the old one a release later",
    ),
    (
        "ALTER TABLE @ ADD CONSTRAINT _ UNIQUE|PRIMARY|EXCLUDE …",
        "it builds an index under ACCESS EXCLUSIVE: create a unique index concurrently, and write \
         ADD CONSTRAINT … UNIQUE USING INDEX in the next file",
    ),
    (
        "ALTER TABLE @ ADD …",
        "it scans the table while writes wait: write ADD CONSTRAINT … NOT VALID, and VALIDATE \
         CONSTRAINT in the next file",
    ),
    (
        "ALTER TABLE @ RENAME …",
        "running servers know the old name: add the new one, and drop the old one a release later",
    ),
    (
        "UPDATE|DELETE …",
        "it locks all rows to its end: write it alone in a file whose first line is `-- in \
         pieces`, WHERE organization_id = $1 AND id > $2 AND id <= $3",
    ),
    ("DO …", "its statements cannot be checked: write them out"),
    (
        "…",
        "it is not known to be harmless: write it with the forms of migrator/forms.rs, or add its \
         form there with the lock that it takes",
    ),
];

/// Reads a migration.
pub(super) fn inspect(sql: &str) -> File<'_> {
    let kind = match sql {
        _ if sql.starts_with("-- no-transaction\n") => Kind::Concurrent,
        _ if sql.starts_with("-- in pieces\n") => Kind::Pieces,
        _ => Kind::Transaction,
    };
    let actions: Vec<_> = statements(sql).into_iter().flat_map(actions).collect();
    let created: Vec<&str> = actions
        .iter()
        .filter_map(|tokens| matched("CREATE TABLE @ () …", tokens)?.first().copied())
        .collect();
    let statements = actions.into_iter().map(|tokens| classify(kind, tokens, &created)).collect();
    let mut file = File { kind, statements };
    if let Some(reason) = file.broken_rule() {
        file.statements.push(Err(Rejection { tokens: Vec::new(), reason }));
    }
    file
}

impl File<'_> {
    /// The rules for a file of statements that are harmless each.
    fn broken_rule(&self) -> Option<&'static str> {
        let known: Vec<_> = self.statements.iter().flatten().collect();
        if self.kind != Kind::Transaction {
            return (self.statements.len() != 1)
                .then_some("a file without a transaction of its own has exactly one statement");
        }
        let scans = known.iter().filter(|statement| statement.effect == SCANS).count();
        if scans > 0 && scans < self.statements.len() {
            return Some(
                "VALIDATE CONSTRAINT scans for long, and the other statements' locks would last as \
                 long: put it into a file of its own",
            );
        }
        let locked = known.iter().filter(|statement| statement.effect == BRIEF);
        let mut tables: Vec<_> = locked.filter_map(|statement| statement.tables.first()).collect();
        tables.sort_unstable();
        tables.dedup();
        (tables.len() > 1).then_some(
            "it locks several tables, and could wait for one while requests wait for the other: \
             one file for each table",
        )
    }

    /// The tables that must be locked before the file runs.
    pub(super) fn tables(&self) -> Vec<&str> {
        let known = self.statements.iter().flatten();
        let mut tables: Vec<_> = known.flat_map(|statement| statement.tables.clone()).collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }
}

/// `ALTER TABLE t a, b` is `ALTER TABLE t a` and `ALTER TABLE t b`.
fn actions(tokens: Vec<&str>) -> Vec<Vec<&str>> {
    if matched("ALTER TABLE _ …", &tokens).is_none() {
        return vec![tokens];
    }
    let (head, rest) = tokens.split_at(3);
    rest.split(|token| *token == ",").map(|action| [head, action].concat()).collect()
}

fn classify<'a>(
    kind: Kind,
    tokens: Vec<&'a str>,
    created: &[&str],
) -> Result<Statement<'a>, Rejection<'a>> {
    let of_new_table = ON_NEW_TABLES.iter().find_map(|pattern| matched(pattern, &tokens));
    if let Some(table) = of_new_table
        && table.iter().all(|table| created.contains(table))
        && kind == Kind::Transaction
    {
        let tables = referenced(&tokens, created);
        return Ok(Statement { tokens, tables, lock: SHARE_ROW, effect: NEW });
    }
    let forms: &[_] = match kind {
        Kind::Transaction => &HARMLESS,
        Kind::Concurrent => &CONCURRENT,
        Kind::Pieces => &PIECES,
    };
    let form = forms
        .iter()
        .find_map(|(pattern, lock, effect)| Some((matched(pattern, &tokens)?, *lock, *effect)));
    let Some((mut tables, lock, effect)) = form else {
        let reason = REJECTED.iter().find(|(pattern, _)| matched(pattern, &tokens).is_some());
        let reason = reason.map_or("", |(_, reason)| reason);
        return Err(Rejection { tokens, reason });
    };
    tables.extend(referenced(&tokens, created));
    tables.retain(|table| !created.contains(table));
    Ok(Statement { tokens, tables, lock, effect })
}

/// The tables that a new table refers to; each is locked against writes for a moment.
fn referenced<'a>(tokens: &[&'a str], created: &[&str]) -> Vec<&'a str> {
    let groups = tokens.iter().filter(|token| token.starts_with('('));
    let within: Vec<&str> = groups.flat_map(|group| inside(group)).collect();
    let references = within.windows(2).filter(|pair| pair[0].eq_ignore_ascii_case("REFERENCES"));
    references.map(|pair| pair[1]).filter(|table| !created.contains(table)).collect()
}

#[cfg(test)]
mod tests;
