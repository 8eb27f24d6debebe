//! The server's own statements, for pgbench: `server/.sqlx` describes each `query!` of the server.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{Result, deployment::failed};

const FOLDER: &str = "server/.sqlx";

#[derive(Debug)]
pub(crate) struct ServerStatements(Vec<String>);

impl ServerStatements {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut statements = Vec::new();
        for entry in fs::read_dir(root.join(FOLDER)).map_err(failed("read server/.sqlx"))? {
            let described: Value = serde_json::from_slice(&fs::read(entry?.path())?)?;
            statements.extend(described["query"].as_str().map(str::to_owned));
        }
        Ok(Self(statements))
    }

    /// The statement with this text in it, and these SQL expressions in place of its parameters.
    pub(crate) fn with(&self, text: &str, arguments: &[&str]) -> Result<String> {
        let mut found = self.0.iter().filter(|statement| statement.contains(text));
        let (Some(statement), None) = (found.next(), found.next()) else {
            return Err(
                format!("not one statement of the server, in {FOLDER}, has {text:?}").into()
            );
        };
        let mut statement = statement.trim().to_owned();
        // From the last on: `$1` begins `$12`.
        for (index, argument) in arguments.iter().enumerate().rev() {
            statement = statement.replace(&format!("${}", index + 1), &format!("({argument})"));
        }
        if statement.contains('$') {
            let count = arguments.len();
            return Err(
                format!("the statement with {text:?} has more than {count} parameters").into()
            );
        }
        // pgbench takes a colon for a variable, even in a literal.
        let statement = without_marks(&statement);
        Ok(statement.replace("HH24:MI:SS", "HH24' || chr(58) || 'MI' || chr(58) || 'SS"))
    }
}

/// The statement without what sqlx reads in the names of columns: `"amount: Amount"`, `"is!"`,
/// `"id?"`. They would be names of variables of pgbench.
fn without_marks(statement: &str) -> String {
    let parts = statement.split('"').enumerate().map(|(index, part)| match index % 2 {
        0 => part,
        _ => part.split([':', '!', '?']).next().unwrap_or_default(),
    });
    parts.collect::<Vec<_>>().join("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements() -> ServerStatements {
        let of = |text: &str| text.to_owned();
        ServerStatements(vec![
            of("SELECT $1, $12, $2, $3"),
            of("SELECT 'HH24:MI:SS' AS \"a!\", 1 AS \"b?\", 2 AS \"c: some::Type\""),
            of("SELECT 1"),
        ])
    }

    #[test]
    fn parameters_are_replaced_whole() {
        let arguments: Vec<String> = (1..=12).map(|number| format!("a{number}")).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let statement = statements().with("$12", &arguments).unwrap();
        assert_eq!(statement, "SELECT (a1), (a12), (a2), (a3)");
        assert!(statements().with("$12", &arguments[..2]).is_err());
    }

    #[test]
    fn text_is_as_pgbench_reads_it() {
        let statement = statements().with("HH24", &[]).unwrap();
        let expected = "SELECT 'HH24' || chr(58) || 'MI' || chr(58) || 'SS' AS \"a\", 1 AS \"b\", \
                        2 AS \"c\"";
        assert_eq!(statement, expected);
    }

    #[test]
    fn text_must_be_in_one_statement() {
        assert!(statements().with("SELECT", &[]).is_err());
        assert!(statements().with("UPDATE", &[]).is_err());
    }
}
