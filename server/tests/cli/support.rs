//! Runs commands of a program against a test's own database. A command sees none of our own
//! environment that it would read. The tests of `payout-devdata` include this file too.

use std::process::{Command, Output, Stdio};

use payout_database::TestDatabase;

use crate::PROGRAM;

/// A test's database and the folder of its files.
pub(crate) struct Deployment {
    pub(crate) database: TestDatabase,
    pub(crate) folder: tempfile::TempDir,
}

impl Deployment {
    pub(crate) async fn create() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { database: TestDatabase::create().await, folder }
    }

    /// A command as the server's role, with the owner's URL for commands that need it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(self.folder.path());
        command.env("DATABASE_URL", self.database.app_url());
        command.env("DATABASE_OWNER_URL", self.database.owner_url());
        command.args(arguments);
        command
    }

    /// Runs a command that must succeed; returns its standard output.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the program runs");
        assert!(output.status.success(), "{arguments:?}: {}", errors(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs a command that must fail with this exit code; returns its standard error.
    pub(crate) fn reject(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", errors(&output));
        assert!(output.stdout.is_empty(), "{arguments:?} printed a result");
        errors(&output)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("the folder is ours");
        path.to_str().expect("a plain path").to_owned()
    }

    /// One value, read as the superuser.
    pub(crate) async fn value(&self, query: &'static str) -> String {
        use sqlx::Connection as _;
        let mut connection =
            sqlx::PgConnection::connect(&self.database.superuser_url()).await.expect("connected");
        sqlx::query_scalar(query).fetch_one(&mut connection).await.expect("a value")
    }
}

/// The program without the environment variables that it would read.
pub(crate) fn program(folder: &std::path::Path) -> Command {
    let mut command = Command::new(PROGRAM);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let is_read = ["DATABASE_", "OTEL_", "PAYOUT_", "RUST_LOG"];
        if is_read.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.env("PAYOUT_DATA_DIR", folder).stdin(Stdio::null());
    // Tests run side by side, and no balancer watches them.
    command.env("PAYOUT_HEALTH_LISTEN", "127.0.0.1:0").env("PAYOUT_LAME_DUCK_SECONDS", "0");
    command
}

pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
