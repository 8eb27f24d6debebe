//! Sessions as snapshots: lines, and what each of them prints, with names for what differs from run
//! to run.

use std::{process::Command, sync::LazyLock};

use regex::{Captures, Regex};

/// The ids of the data set begin so, and stay.
const OF_DATA_SET: &str = "01JV3N8Q5R";

/// Ids, keys, links and addresses, which differ from run to run. They are compiled once, because a
/// debug build takes longer for that than most lines of a session take to run.
static IDS: LazyLock<Regex> = LazyLock::new(|| {
    let ids = [
        concat!(
            r"\b(org|key|ptn|pay|pbt|cln|cmt|frm|fsb|pse|afl|clk|cnv|crm|syn|tmpl|ast|pdf)",
            r"_([0-9A-Z]{26})\b"
        ),
        r"\b(pcp)_(?:live|test)_\w{38}\b",
        r"\bhttps?://[\w.:/]+/statements/\S+signature=[\w-]+",
        r"\bhttps?://[\w.:/]+/portal/enter/[\w.-]+",
        r"\bhttps?://[\w.:/]+/r/[\w-]{12}",
        // Request ids, UUIDs, and the addresses of servers.
        r"\b01[0-9A-Z]{24}\b",
        r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
        r"\b127\.0\.0\.1:\d+\b",
    ];
    Regex::new(&ids.join("|")).expect("a pattern")
});

/// Texts and their names: those of `let`, and of the ids and keys of this run, by their kind and in
/// the order of their appearance: `<org 1>`, `<pcp 1>`.
#[derive(Default)]
pub(crate) struct Names(Vec<(String, String)>);

impl Names {
    /// The text with names in place of ids.
    pub(crate) fn give(&mut self, text: &str) -> String {
        let name = |found: &Captures<'_>| {
            let id = &found[0];
            if found.get(2).is_some_and(|it| it.as_str().starts_with(OF_DATA_SET)) {
                return id.to_owned();
            }
            if let Some((_, name)) = self.0.iter().find(|(known, _)| known == id) {
                return name.clone();
            }
            let is_link = ["signature=", "/portal/enter/", "/r/"].iter().any(|it| id.contains(it));
            let other = if is_link { "link" } else { "value" };
            let kind = found.get(1).or(found.get(3)).map_or(other, |kind| kind.as_str());
            let prefix = format!("<{kind} ");
            let number = self.0.iter().filter(|(_, name)| name.starts_with(&prefix)).count() + 1;
            let name = format!("<{kind} {number}>");
            self.0.push((id.to_owned(), name.clone()));
            name
        };
        IDS.replace_all(text, name).into_owned()
    }

    /// The text with ids in place of names.
    pub(crate) fn take(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (id, name)| text.replace(name, id))
    }

    /// Names a text, which was another one before.
    pub(crate) fn set(&mut self, name: &str, text: &str) {
        let name = format!("{{{name}}}");
        self.0.retain(|(_, known)| *known != name);
        self.0.push((text.to_owned(), name));
    }

    /// Runs each line, with ids in place of names; returns the lines with what they print, where
    /// that is not `None`. `# comment` runs nothing, `let NAME = TEXT` sets `{NAME}` of later
    /// lines, and an indented line continues the one before it.
    pub(crate) async fn transcript(
        &mut self,
        lines: &str,
        mut run: impl AsyncFnMut(&str) -> Option<String>,
    ) -> String {
        let mut transcript = String::new();
        for line in lines.trim().replace("\n  ", " ").lines() {
            let taken = self.take(line);
            if line.starts_with('#') {
                transcript += &format!("{line}\n\n");
            } else if let Some((name, text)) =
                taken.strip_prefix("let ").and_then(|set| set.split_once(" = "))
            {
                self.set(name, text);
            } else if let Some(printed) = run(&taken).await {
                transcript += &format!("$ {line}\n{}\n", self.give(&printed));
            }
        }
        transcript
    }
}

/// Both outputs of a command, and its exit code where it fails.
pub(crate) fn printed(command: &mut Command) -> String {
    let output = command.output().expect("the program runs");
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
    match output.status.code() {
        Some(0) => printed,
        Some(code) => format!("{printed}exit {code}\n"),
        None => panic!("{command:?} was killed"),
    }
}

/// The words of a line; every other part between quotes is one word.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}
