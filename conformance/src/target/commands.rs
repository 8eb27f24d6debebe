//! Operator hooks in a target file: commands of the deployment's owner for what no request of the
//! API can do. There is no shell: a command is a list of arguments with placeholders.

use std::sync::LazyLock;

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use strum::EnumMessage as _;

use super::{limits::Bounded, table::table};

const ARGUMENTS_LIMIT: usize = 100;

/// A placeholder within an argument, such as `{payout}`; neither `{}` nor `{"a": 1}` is one.
pub(super) static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{([a-z_]+)\}").expect("a sound pattern"));

#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<String>")]
#[schemars(extend("minItems" = 1, "maxItems" = ARGUMENTS_LIMIT))]
pub(crate) struct Command(Vec<String>);

impl Command {
    /// The program: an absolute path, a path relative to the target file's folder, or a name in
    /// PATH.
    pub(crate) fn program(&self) -> &str {
        &self.0[0]
    }

    /// The arguments, with their placeholders.
    pub(crate) fn arguments(&self) -> &[String] {
        &self.0[1..]
    }
}

/// Without the arguments, which may hold a password.
impl std::fmt::Debug for Command {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} with {} arguments", self.program(), self.arguments().len())
    }
}

impl TryFrom<Vec<String>> for Command {
    type Error = String;

    fn try_from(words: Vec<String>) -> Result<Self, String> {
        if words.len() > ARGUMENTS_LIMIT {
            return Err(format!(
                "a hook has at most {ARGUMENTS_LIMIT} arguments; put more into a script"
            ));
        }
        match words.first() {
            Some(program) if !program.is_empty() && !PLACEHOLDER.is_match(program) => {
                Ok(Self(words))
            }
            _ => Err("a hook begins with its program; write a list such as [\"./set-note.sh\", \
                \"{payout}\", \"{note}\"]"
                .to_owned()),
        }
    }
}

table! {
    /// What the deployment's owner can do and no request of the API can.
    enum Hook;
    /// Commands of the deployment's owner, each a list: a program and its arguments, with
    /// placeholders that the suite fills. They run without a shell in the target file's folder,
    /// with the suite's environment, one at a time. Exit code 0 means success. Cases that need an
    /// absent hook are skipped.
    struct Commands of Command {
        /// How long one may take; then it is killed, and its case is an error. Default: 30.
        timeout_seconds: Option<Bounded<1, 600>>,
    }
    /// Sets the statement note of `{payout}` to `{note}`.
    SetNote = set_note: Option<Command>,
    /// Removes the statement note of `{payout}`.
    ClearNote = clear_note: Option<Command>,
    /// Sets the purchase-order number of `{payout}` to `{po_number}`.
    SetPoNumber = set_po_number: Option<Command>,
    /// Removes the purchase-order number of `{payout}`.
    ClearPoNumber = clear_po_number: Option<Command>,
    /// Changes the statement template of the organisation of the key `all`: its title becomes
    /// `{title}`.
    SetTemplate = set_template: Option<Command>,
    /// Restores the first title of the statement template.
    ClearTemplate = clear_template: Option<Command>,
    /// Makes the PDF in the file `{file}` the uploaded statement of `{payout}`.
    UploadStatement = upload_statement: Option<Command>,
    /// Removes the uploaded statement of `{payout}`.
    RemoveUpload = remove_upload: Option<Command>,
    /// Creates a key with all scopes for the organisation of the key `all`, called `{name}`; prints
    /// a JSON object with its `id` and the `key`.
    CreateKey = create_key: Option<Command>,
    /// Revokes the key whose `id` `create_key` printed: `{key_id}`.
    RevokeKey = revoke_key: Option<Command>,
    /// Sets the monthly credit allowance of the organisation of the key `exhausted` to `{credits}`;
    /// 0 restores it.
    SetCredits = set_credits: Option<Command>,
    /// Makes the expected line `{line}` of the organisation of the key `sandbox` pending.
    MatureLine = mature_line: Option<Command>,
}

impl Hook {
    /// The placeholders that its command must hold, and no other: those of its explanation.
    pub(crate) fn placeholders(self) -> Vec<&'static str> {
        let explanation = self.get_documentation().unwrap_or_default();
        let found = PLACEHOLDER.captures_iter(explanation);
        found.map(|found| found.extract::<1>().1[0]).collect()
    }
}

impl Commands {
    /// The first command with other placeholders than its hook's, and what to write.
    pub(crate) fn fault(&self) -> Option<(Hook, String)> {
        Hook::ALL.iter().find_map(|hook| {
            let command = self.get(*hook).first()?;
            let arguments = command.arguments().iter();
            let held = arguments.flat_map(|argument| PLACEHOLDER.captures_iter(argument));
            let held: Vec<&str> = held.map(|found| found.extract::<1>().1[0]).collect();
            let known = hook.placeholders();
            let is_sound = held.iter().all(|name| known.contains(name))
                && known.iter().all(|name| held.contains(name));
            let names: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
            let takes = if known.is_empty() { "none".to_owned() } else { names.join(", ") };
            let what = format!("the placeholders of the hook `{hook}` are {takes}, each needed");
            (!is_sound).then_some((*hook, what))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_not_shown() {
        let text = "set_note = [\"psql\", \"postgres://user:hunter2@h\", \"{payout}\", \"{note}\"]";
        let commands: Commands = toml::from_str(text).unwrap();
        let shown = format!("{commands:?}");
        assert!(shown.contains("psql with 3 arguments") && !shown.contains("hunter2"), "{shown}");
    }
}
