//! Sessions: files of commands and queries, one after the other, and all that they print as a
//! snapshot.

use std::{path::Path, process::Command};

use sqlx::{AssertSqlSafe, ConnectOptions as _};

use crate::{
    PROGRAM,
    closed_output::ends_the_same_without_a_reader,
    named::{Names, printed, words},
    support::Deployment,
};

impl Deployment {
    /// Runs each line; returns what a reader of the terminal would see. A line is a command of the
    /// program; `sql` and a statement of one value or none; `devdata` and a command of that
    /// program; `file`, a name and a text; or `sh` and a command of the shell in `{folder}`, the
    /// folder of the files. `'…'` is one word. `{program}` is the path of the program;
    /// `{database}`, `{app}` and `{owner}` are the name and the URLs of the database.
    pub(crate) async fn session(&self, names: &mut Names, lines: &str) -> String {
        let options = payout_database::owner_connect_options(&self.database.superuser_url());
        let mut superuser = options.expect("our own URL").connect().await.expect("connected");
        let folder = self.folder.path().to_str().expect("a plain path");
        for (name, text) in [
            ("folder", folder),
            ("program", PROGRAM),
            ("database", self.database.name()),
            ("app", self.database.app_url()),
            ("owner", self.database.owner_url()),
        ] {
            names.set(name, text);
        }
        let run = async |line: &str| {
            let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
            let printed = match first {
                "file" => {
                    let (name, text) = rest.split_once(' ').expect("a name and a text");
                    self.file(name, text);
                    return None;
                }
                "devdata" => {
                    self.devdata(&words(rest)).await;
                    return None;
                }
                "sql" => {
                    let query = sqlx::query_scalar::<_, Option<String>>(AssertSqlSafe(rest));
                    let value = query.fetch_optional(&mut superuser).await.expect(line);
                    value.flatten().unwrap_or_default() + "\n"
                }
                "sh" => printed(&mut self.shell(rest)),
                _ => printed(&mut self.command(&words(line))),
            };
            Some(printed.replace(folder, "{folder}").replace(self.database.name(), "{database}"))
        };
        names.transcript(lines, run).await
    }

    /// A command of the shell, in the folder of the files and with the environment of the program.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut shell = Command::new("sh");
        for (name, value) in self.command(&[]).get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let programs = Path::new(PROGRAM).parent().expect("a folder").display();
        let path = std::env::var("PATH").expect("text");
        shell.env("PATH", format!("{programs}:{path}")).args(["-eu", "-c", script]);
        shell.current_dir(self.folder.path()).stdin(std::process::Stdio::null());
        shell
    }
}

/// Each session has a database of its own, whose clock stands at noon of 15 June 2026.
#[tokio::test]
async fn each_session_prints_what_its_snapshot_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(crate::FOLDER);
    let files = std::fs::read_dir(folder.join("sessions")).unwrap();
    let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() > 2, "{files:?}");
    for file in files {
        let lines = std::fs::read_to_string(&file).unwrap();
        let deployment = Deployment::at_noon().await;
        let session = deployment.session(&mut Names::default(), &lines).await;
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder.join("snapshots"));
        let name = file.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_snapshot!(name, session));
    }
}

#[tokio::test]
async fn commands_end_the_same_without_a_reader() {
    let deployment = Deployment::create().await;
    for arguments in crate::READ {
        ends_the_same_without_a_reader(|| deployment.command(arguments));
    }
}
