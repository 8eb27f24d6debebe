//! Commands of `payout-server` for what no request of the API can do.

use std::collections::BTreeMap;

use payout_server::tools::Environment;
use serde_json::Value;

use super::{Context, MAIN, organization_of};

/// Commands by the name of a hook.
pub(super) type Hooks = BTreeMap<&'static str, Vec<String>>;

/// Hook, organisation, and command. A value that begins with a dash must not become a flag, so
/// placeholders follow `--` or `=`. The suite fills all but `{organization}` and `{environment}`.
const HOOKS: [(&str, &str, &str); 11] = [
    ("set_note", MAIN, "payouts set-note --organization {organization} -- {payout} {note}"),
    ("clear_note", MAIN, "payouts set-note --organization {organization} --clear -- {payout}"),
    (
        "set_po_number",
        MAIN,
        "payouts set-po-number --organization {organization} -- {payout} {po_number}",
    ),
    (
        "clear_po_number",
        MAIN,
        "payouts set-po-number --organization {organization} --clear -- {payout}",
    ),
    ("set_template", MAIN, "organizations set-template {organization} --title={title}"),
    ("clear_template", MAIN, "organizations set-template {organization} --no-title"),
    (
        "upload_statement",
        MAIN,
        "statements upload --organization {organization} -- {payout} {file}",
    ),
    ("remove_upload", MAIN, "statements remove-upload --organization {organization} -- {payout}"),
    (
        "create_key",
        MAIN,
        "keys create --organization {organization} --all-scopes --json \
         --environment {environment} --name={name}",
    ),
    ("revoke_key", MAIN, "keys revoke -- {key_id}"),
    (
        "set_credits",
        "exhausted",
        "organizations set-limits {organization} --credits-per-month={credits}",
    ),
];

/// The hooks for the organisations that have a fixed id.
pub(super) fn hooks(dataset: &Value, context: &Context) -> Hooks {
    let environment = match context.environment {
        Environment::Live => "live",
        Environment::Test => "test",
    };
    let program = [
        context.server.to_string_lossy().into_owned(),
        "--data-dir".to_owned(),
        context.data_dir.to_string_lossy().into_owned(),
    ];
    let hooks = HOOKS.iter().filter_map(|(name, organization, command)| {
        let id = organization_of(dataset, organization)["id"].as_str()?;
        let fill =
            |word: &str| word.replace("{organization}", id).replace("{environment}", environment);
        let words = command.split(' ').map(fill);
        Some((*name, program.iter().cloned().chain(words).collect()))
    });
    hooks.collect()
}
