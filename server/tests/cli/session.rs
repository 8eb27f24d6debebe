//! Sessions: files of commands and queries, one after the other, and all that they print as a
//! snapshot.

use std::{collections::BTreeMap, path::Path};

use sqlx::{AssertSqlSafe, ConnectOptions as _};

use crate::{
    closed_output::ends_the_same_without_a_reader,
    named::Names,
    support::{Deployment, errors},
};

impl Deployment {
    /// Runs each line; returns what a reader of the terminal would see. A line is a command of the
    /// program; a `# comment`; `sql` and a query of one value; `devdata` and a command of that
    /// program; `file`, a name and a text; or `let NAME = TEXT`, for `{NAME}` in later lines.
    ///
    /// `'…'` is one word, and an indented line continues the one before it. New ids have names, as
    /// `<org 1>`, in the lines too. `{folder}` is the folder of the files.
    pub(crate) async fn session(&self, names: &mut Names, lines: &str) -> String {
        let options = payout_database::owner_connect_options(&self.database.superuser_url());
        let mut superuser = options.expect("our own URL").connect().await.expect("connected");
        let folder = self.folder.path().to_str().expect("a plain path");
        let mut texts = BTreeMap::from([("{folder}".to_owned(), folder.to_owned())]);
        let mut transcript = String::new();
        for line in lines.trim().replace("\n  ", " ").lines() {
            let taken =
                texts.iter().fold(names.take(line), |line, (name, text)| line.replace(name, text));
            let (first, rest) = taken.split_once(' ').unwrap_or((taken.as_str(), ""));
            let printed = match first {
                "#" => String::new(),
                "let" => {
                    let (name, text) = rest.split_once(" = ").expect("a name and a text");
                    texts.insert(format!("{{{name}}}"), text.to_owned());
                    continue;
                }
                "file" => {
                    let (name, text) = rest.split_once(' ').expect("a name and a text");
                    self.file(name, text);
                    continue;
                }
                "devdata" => {
                    self.devdata(&words(rest)).await;
                    continue;
                }
                "sql" => {
                    let query = sqlx::query_scalar::<_, Option<String>>(AssertSqlSafe(rest));
                    query.fetch_one(&mut superuser).await.expect(line).unwrap_or_default() + "\n"
                }
                _ => self.printed(&words(&taken)),
            };
            let printed = names.give(&printed).replace(folder, "{folder}");
            let printed = printed.replace(self.database.name(), "{database}");
            let prompt = if first == "#" { "" } else { "$ " };
            transcript += &format!("{prompt}{line}\n{printed}\n");
        }
        transcript
    }

    /// Both outputs of a command, and its exit code where it fails.
    fn printed(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the program runs");
        let printed = String::from_utf8(output.stdout.clone()).expect("text") + &errors(&output);
        match output.status.code() {
            Some(0) => printed,
            Some(code) => format!("{printed}exit {code}\n"),
            None => panic!("{arguments:?} was killed"),
        }
    }
}

/// The words of a line; every other part between quotes is one word.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}

/// Each session has a database of its own, whose clock stands at noon of 15 June 2026.
#[tokio::test]
async fn each_session_prints_what_its_snapshot_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/sessions");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.collect();
    assert!(files.len() > 5, "{files:?}");
    for file in files {
        let lines = std::fs::read_to_string(&file).unwrap();
        let deployment = Deployment::at_noon().await;
        let session = deployment.session(&mut Names::default(), &lines).await;
        insta::assert_snapshot!(file.file_stem().unwrap().to_str().unwrap(), session);
    }
}

#[tokio::test]
async fn commands_end_the_same_without_a_reader() {
    let deployment = Deployment::create().await;
    deployment.run(&["organizations", "create", "--name", "Nordwind"]);
    for arguments in [&["organizations", "list"][..], &["organizations", "list", "--json"]] {
        ends_the_same_without_a_reader(|| deployment.command(arguments));
    }
}
