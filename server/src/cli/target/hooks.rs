//! This program as the operator of the server that is judged: what no call of the API can do.
//!
//! It refuses a value as a flag: one that begins with a dash follows `--` or `=`.

use std::{collections::BTreeMap, path::Path};

use super::file::Surroundings;
use crate::{gate::Environment, import::write::Imported};

/// Commands by the name of a hook.
pub(super) type Hooks = BTreeMap<&'static str, Vec<String>>;

/// The hooks of what was imported.
pub(super) fn hooks(imported: &[Imported], surroundings: &Surroundings) -> Hooks {
    let id_of = |name: &str| {
        let found = imported
            .iter()
            .find(|organization| organization.name == name);
        found.map(|organization| organization.id.as_str())
    };
    let environment = match surroundings.environment {
        Environment::Live => "live",
        Environment::Test => "test",
    };
    let mut hooks: Vec<(&'static str, Vec<&str>)> = Vec::new();
    if let Some(main) = id_of("main") {
        let payouts = |command| vec!["payouts", command, "--organization", main];
        let statements = |command| vec!["statements", command, "--organization", main];
        let template = |flag| vec!["organizations", "set-template", main, flag];
        let key = [
            "keys",
            "create",
            "--organization",
            main,
            "--all-scopes",
            "--json",
        ];
        hooks.extend([
            (
                "set_note",
                [payouts("set-note"), vec!["--", "{payout}", "{note}"]].concat(),
            ),
            (
                "clear_note",
                [payouts("set-note"), vec!["--clear", "--", "{payout}"]].concat(),
            ),
            (
                "set_po_number",
                [
                    payouts("set-po-number"),
                    vec!["--", "{payout}", "{po_number}"],
                ]
                .concat(),
            ),
            (
                "clear_po_number",
                [payouts("set-po-number"), vec!["--clear", "--", "{payout}"]].concat(),
            ),
            ("set_template", template("--title={title}")),
            ("clear_template", template("--no-title")),
            (
                "upload_statement",
                [statements("upload"), vec!["--", "{payout}", "{file}"]].concat(),
            ),
            (
                "remove_upload",
                [statements("remove-upload"), vec!["--", "{payout}"]].concat(),
            ),
            (
                "create_key",
                [&key[..], &["--environment", environment, "--name={name}"]].concat(),
            ),
            ("revoke_key", vec!["keys", "revoke", "--", "{key_id}"]),
        ]);
    }
    if let Some(exhausted) = id_of("exhausted") {
        let credits = "--credits-per-month={credits}";
        hooks.push((
            "set_credits",
            vec!["organizations", "set-limits", exhausted, credits],
        ));
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let begin = [
        text(&surroundings.program),
        "--data-dir".to_owned(),
        text(&surroundings.data_dir),
    ];
    let whole = |words: Vec<&str>| {
        let words = words.into_iter().map(str::to_owned);
        begin.iter().cloned().chain(words).collect()
    };
    hooks
        .into_iter()
        .map(|(name, words)| (name, whole(words)))
        .collect()
}
