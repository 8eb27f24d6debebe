//! Runs operator hooks: one process each, without a shell, killed after a timeout. The output of
//! `create_key` is never shown, as it contains a key.

use std::{
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use regex::Captures;
use serde::Deserialize;
use tokio::process;

use super::{
    commands::{Command, Commands, Hook, PLACEHOLDER},
    limits::Bounded,
};
use crate::{
    secret::{Redaction, Secret},
    visible::cut,
};

const TIMEOUT_SECONDS: u32 = 30;
/// How much of a hook's output is shown.
const SHOWN_LIMIT_CHARACTERS: usize = 2_000;
/// The placeholder in reports for a key that a hook created.
const CREATED_KEY: &str = "CREATED_KEY";

#[derive(Clone, Debug)]
pub(crate) struct Hooks {
    commands: Commands,
    folder: PathBuf,
    timeout: Duration,
    redaction: Redaction,
}

#[derive(Debug)]
pub(crate) struct CreatedKey {
    /// The id for `revoke_key`.
    pub(crate) id: String,
    /// The key itself; add it to the run's redaction.
    pub(crate) key: Secret,
}

/// What `create_key` prints.
#[derive(Deserialize)]
struct Printed {
    id: String,
    key: String,
}

impl Hooks {
    pub(super) fn new(commands: Commands, folder: PathBuf, redaction: Redaction) -> Self {
        let seconds = commands.timeout_seconds.map_or(TIMEOUT_SECONDS, Bounded::get);
        Self { timeout: Duration::from_secs(seconds.into()), commands, folder, redaction }
    }

    /// Whether the target file names it.
    pub(crate) fn has(&self, hook: Hook) -> bool {
        !self.commands.get(hook).is_empty()
    }

    /// Runs a hook with these values for its placeholders; returns its standard output, trimmed.
    /// Dropping the future kills the process.
    pub(crate) async fn run(&self, hook: Hook, values: &[(&str, &str)]) -> Result<String, String> {
        let command = self.commands.get(hook).first();
        let command = command.ok_or_else(|| {
            format!("the target file has no hook `{hook}`: cases that need it are skipped")
        })?;
        let arguments = fill(hook, command, values)?;
        // A path is relative to the target file's folder; a bare name is looked up in PATH.
        let program = Path::new(command.program());
        let is_path = program.components().count() > 1;
        let program = if is_path { self.folder.join(program) } else { program.to_owned() };
        let running = process::Command::new(program)
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let ended = tokio::time::timeout(self.timeout, running).await.map_err(|_| {
            format!(
                "the hook `{hook}` did not end within {:?} and was killed, so its work may be half \
                 done. Raise hooks.timeout_seconds if it needs longer",
                self.timeout
            )
        })?;
        let Output { status, stdout, stderr } = ended.map_err(|error| {
            format!(
                "the hook `{hook}` does not start: {}: {error}. Write an absolute path, a path \
                 from the target file's folder that begins with ./, or a name in PATH",
                command.program()
            )
        })?;
        let [output, errors] =
            [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        if status.success() {
            return Ok(output.trim().to_owned());
        }
        let shown = match hook {
            Hook::CreateKey => errors,
            _ => format!("{errors}\n{output}"),
        };
        let shown = cut(&self.redaction.apply(shown.trim()), SHOWN_LIMIT_CHARACTERS);
        let shown: String = shown.lines().map(|line| format!("\n  {line}")).collect();
        Err(format!("the hook `{hook}` failed ({status}){shown}"))
    }

    pub(crate) async fn create_key(&self, name: &str) -> Result<CreatedKey, String> {
        let hook = Hook::CreateKey;
        let printed = self.run(hook, &[("name", name)]).await?;
        let printed: Option<Printed> = serde_json::from_str(&printed).ok();
        let printed = printed.filter(|printed| !printed.id.is_empty() && !printed.key.is_empty());
        let Some(Printed { id, key }) = printed else {
            let message = "the hook `create_key` must print a JSON object with `id` and `key`; it \
                           printed something else, which is not shown";
            return Err(message.to_owned());
        };
        let key = Secret::new(CREATED_KEY, key);
        Ok(CreatedKey { id, key })
    }
}

/// One pass: braces within a value stay as they are.
fn fill(hook: Hook, command: &Command, values: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let value = |name: &str| values.iter().find(|(known, _)| *known == name);
    if let Some(name) = hook.placeholders().iter().find(|name| value(name).is_none()) {
        return Err(format!("the hook `{hook}` got no value for {{{name}}}: a bug of the case"));
    }
    let filled = |found: &Captures<'_>| value(&found[1]).map_or("", |(_, value)| value).to_owned();
    let arguments = command.arguments().iter();
    Ok(arguments.map(|text| PLACEHOLDER.replace_all(text, filled).into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hooks whose commands are one-line scripts; `$1` is the first placeholder.
    fn hooks(text: &str) -> Hooks {
        let commands: Commands = toml::from_str(text).unwrap();
        let redaction = Redaction::of([Secret::new("KEY_ALL", "hunter2")]);
        Hooks::new(commands, std::env::temp_dir(), redaction)
    }

    fn script(hook: Hook, line: &str) -> Hooks {
        let name = hook.name();
        let held: String =
            hook.placeholders().iter().map(|name| format!(", '{{{name}}}'")).collect();
        hooks(&format!("{name} = ['/bin/sh', '-c', '''{line}''', 'hook'{held}]"))
    }

    #[tokio::test]
    async fn value_reaches_the_program_as_one_argument_untouched() {
        let hooks = script(Hook::SetTemplate, "printf '<%s>' \"$@\"; echo");
        let title = "$(id) `id` \"q\" {title} {payout}; é\nnext";
        let printed = hooks.run(Hook::SetTemplate, &[("title", title)]).await;
        assert_eq!(printed.unwrap(), format!("<{title}>"));
    }

    #[tokio::test]
    async fn failing_hook_is_reported_with_its_output_and_without_secrets() {
        let hooks = script(Hook::ClearTemplate, "echo out hunter2; echo err hunter2 >&2; exit 3");
        let error = hooks.run(Hook::ClearTemplate, &[]).await.unwrap_err().to_string();
        assert!(error.contains("`clear_template`") && error.contains('3'), "{error}");
        assert!(error.contains("  out $KEY_ALL") && error.contains("  err $KEY_ALL"), "{error}");
    }

    #[tokio::test]
    async fn output_of_create_key_is_never_shown() {
        let hooks = script(Hook::CreateKey, "echo new-key; echo refused >&2; exit 1");
        let error = hooks.create_key("n").await.unwrap_err().to_string();
        assert!(error.contains("refused") && !error.contains("new-key"), "{error}");
        let hooks = script(Hook::CreateKey, "echo new-key");
        let error = hooks.create_key("n").await.unwrap_err().to_string();
        assert!(error.contains("`id` and `key`") && !error.contains("new-key"), "{error}");
    }

    #[tokio::test]
    async fn created_key_comes_with_its_id() {
        let hooks = script(Hook::CreateKey, r#"echo "{\"id\": \"key_$1\", \"key\": \"new-key\"}""#);
        let created = hooks.create_key("7").await.unwrap();
        assert_eq!((created.id.as_str(), created.key.expose()), ("key_7", "new-key"));
        assert!(!format!("{created:?}").contains("new-key"));
    }

    #[tokio::test]
    async fn hook_that_does_not_end_is_killed() {
        let mut hooks = hooks("clear_template = ['tail', '-f', '/dev/null']");
        hooks.timeout = Duration::from_millis(50);
        let error = hooks.run(Hook::ClearTemplate, &[]).await.unwrap_err();
        assert!(error.contains("did not end within"), "{error}");
        assert!(error.to_string().contains("hooks.timeout_seconds"), "{error}");
    }

    #[tokio::test]
    async fn absent_hook_missing_program_and_missing_value_are_distinguished() {
        let hooks =
            hooks("clear_template = ['./no-such-program']\nset_template = ['true', '{title}']");
        let error = hooks.run(Hook::SetNote, &[]).await.unwrap_err();
        assert!(error.contains("has no hook `set_note`"), "{error}");
        let error = hooks.run(Hook::ClearTemplate, &[]).await.unwrap_err().to_string();
        assert!(error.contains("./no-such-program") && error.contains("absolute path"), "{error}");
        let error = hooks.run(Hook::SetTemplate, &[("note", "x")]).await.unwrap_err().to_string();
        assert!(error.contains("{title}"), "{error}");
    }

    #[tokio::test]
    async fn path_is_relative_to_the_target_files_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("hooks")).unwrap();
        let path = folder.path().join("hooks/where");
        std::os::unix::fs::symlink("/bin/pwd", path).unwrap();
        let commands: Commands = toml::from_str("clear_template = ['hooks/where']").unwrap();
        let hooks = Hooks::new(commands, folder.path().to_owned(), Redaction::default());
        let printed = hooks.run(Hook::ClearTemplate, &[]).await.unwrap();
        assert_eq!(Path::new(&printed), folder.path().canonicalize().unwrap());
    }
}
