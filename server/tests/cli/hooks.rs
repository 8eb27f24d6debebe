//! The hooks of a target file, which the suite runs: here with values that look like flags.

use std::process::Output;

use serde_json::Value;

use crate::{
    PROGRAM,
    support::{Deployment, errors},
};

/// A deployment with the data set, and its target file.
async fn target() -> (Deployment, Value) {
    let deployment = Deployment::create().await;
    deployment.devdata(&["seed"]).await;
    let path = deployment.file("target.toml", "old");
    deployment.devdata(&["target", &path, "--server", PROGRAM]).await;
    let text = std::fs::read_to_string(&path).expect("written");
    (deployment, toml::from_str(&text).expect("TOML"))
}

/// Runs a hook as the suite does: with the placeholders filled in and the environment of the
/// server.
fn hook(deployment: &Deployment, target: &Value, name: &str, values: &[(&str, &str)]) -> Output {
    let words = target["hooks"][name].as_array().expect("a list").iter();
    let fill = |word: &Value| {
        let mut word = word.as_str().expect("text").to_owned();
        for (placeholder, value) in values {
            word = word.replace(&format!("{{{placeholder}}}"), value);
        }
        word
    };
    let words: Vec<String> = words.map(fill).collect();
    assert_eq!(words[0], PROGRAM);
    let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    deployment.command(&words).output().expect("the program runs")
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", errors(output));
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[tokio::test]
async fn hooks_of_a_target_take_values_that_look_like_flags() {
    let (deployment, target) = target().await;
    let run = |name: &str, values: &[(&str, &str)]| done(&hook(&deployment, &target, name, values));
    let fixture = |name: &str| target["fixtures"][name].as_str().unwrap();
    let noted = fixture("payout_noted");

    run("set_note", &[("payout", noted), ("note", "--clear")]);
    run("set_po_number", &[("payout", noted), ("po_number", "-7")]);
    let printed = "SELECT (metadata->>'statementNote') || ' ' || po_number FROM payout.payouts
                   WHERE id = 'pay_01JV3N8Q5R0000000000000006'";
    assert_eq!(deployment.value(printed).await, "--clear -7");
    run("clear_note", &[("payout", noted)]);
    run("clear_po_number", &[("payout", noted)]);
    let cleared =
        "SELECT (coalesce(metadata->>'statementNote', '') || coalesce(po_number, ''))::text
                   FROM payout.payouts WHERE id = 'pay_01JV3N8Q5R0000000000000006'";
    assert_eq!(deployment.value(cleared).await, "");

    let title = "SELECT coalesce(min(title), 'none') FROM payout.statement_templates
                 WHERE organization_id = 'org_01JV3N8Q5R0000000000000001'";
    run("set_template", &[("title", "--no-title")]);
    assert_eq!(deployment.value(title).await, "--no-title");
    run("clear_template", &[]);
    assert_eq!(deployment.value(title).await, "none");
}
