//! `statements`, `assets sweep`, `organizations set-template`, `payouts set-po-number|set-note`.

use serde_json::{Value, json};

use crate::support::Deployment;

const MAIN: &str = "org_01JV3N8Q5R0000000000000001";
const NOBODY: &str = "org_01JV3N8Q5RHWXK2M4P6S7T9V0A";
const ONE_LINE: &str = "pay_01JV3N8Q5R0000000000000001";
const EMPTY: &str = "pay_01JV3N8Q5R0000000000000003";
const UPLOADED: &str = "pay_01JV3N8Q5R000000000000000D";

async fn seeded() -> Deployment {
    let deployment = Deployment::create().await;
    deployment.devdata(&["seed"]).await;
    deployment
}

fn show(deployment: &Deployment, payout: &str) -> Value {
    deployment.json(&["statements", "show", "--organization", MAIN, payout])
}

#[tokio::test]
async fn upload_holds_until_it_is_removed_and_every_pdf_is_kept() {
    let deployment = seeded().await;
    let before = show(&deployment, ONE_LINE);
    assert_eq!(before["assets"], json!([]));
    let response = before["answer"].as_str().unwrap();
    assert!(response.contains("a document of the present lines"), "{response}");

    let first = deployment.file("first.pdf", "%PDF-1.4 first");
    let second = deployment.file("second.pdf", "%PDF-1.4 second");
    for file in [&first, &second] {
        let message =
            deployment.run(&["statements", "upload", "--organization", MAIN, ONE_LINE, file]);
        assert!(message.starts_with("ast_"), "{message}");
    }
    let after = show(&deployment, ONE_LINE);
    let assets = after["assets"].as_array().unwrap();
    assert_eq!(assets.len(), 2);
    assert_eq!(assets[0]["withdrawnAt"], Value::Null);
    assert!(assets[1]["withdrawnAt"].is_string(), "superseded, but stored");
    assert!(after["answer"].as_str().unwrap().contains("the uploaded ast_"));

    let remove = ["statements", "remove-upload", "--organization", MAIN, ONE_LINE];
    assert!(deployment.run(&remove).contains("is kept, and no longer returned"));
    assert!(deployment.run(&remove).contains("nothing changed"));
    assert_eq!(show(&deployment, ONE_LINE)["assets"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn show_reports_what_a_request_would_be_answered() {
    let deployment = seeded().await;
    for (payout, response) in
        [(EMPTY, "422 NO_COMMISSION_LINES"), (UPLOADED, "200, the uploaded ast_")]
    {
        let message = deployment.run(&["statements", "show", "--organization", MAIN, payout]);
        assert!(message.contains(response), "{message}");
    }
    let no_billing = "org_01JV3N8Q5R0000000000000003";
    let payout = "pay_01JV3N8Q5R0300000000000001";
    let message = deployment.run(&["statements", "show", "--organization", no_billing, payout]);
    assert!(
        message.contains("422 NO_BILLING_INFO") && message.contains("set-billing"),
        "{message}"
    );
    let foreign = deployment.reject(1, &["statements", "show", "--organization", MAIN, payout]);
    assert!(foreign.contains("has no payout"), "{foreign}");
}

#[tokio::test]
async fn what_is_no_pdf_is_rejected_with_the_reason() {
    let deployment = seeded().await;
    let text = deployment.file("statement.txt", "Dear partner");
    let upload = |payout: &str, file: &str| {
        deployment.reject(1, &["statements", "upload", "--organization", MAIN, payout, file])
    };
    assert!(upload(ONE_LINE, &text).contains("does not begin with %PDF-"));
    assert!(upload(ONE_LINE, "/nowhere.pdf").contains("/nowhere.pdf cannot be read"));
    let pdf = deployment.file("a.pdf", "%PDF-1.4");
    assert!(upload("pay_none", &pdf).contains("has no payout pay_none"));
}

#[tokio::test]
async fn template_is_set_part_by_part_and_cleared() {
    let deployment = seeded().await;
    let set = |flags: &[&str]| {
        deployment.run(&[&["organizations", "set-template", MAIN][..], flags].concat())
    };
    assert!(set(&["--title", "Gutschrift", "--accent-colour", "#AA0000"]).contains("new template"));
    assert!(set(&["--footer", "Amtsgericht Hamburg\nHRB 1"]).contains("new template"));
    assert!(set(&["--title", "Gutschrift"]).contains("has not changed"));
    let stored =
        "SELECT concat_ws('|', title, accent_colour, footer) FROM payout.statement_templates
                   WHERE organization_id = 'org_01JV3N8Q5R0000000000000001'";
    assert_eq!(deployment.value(stored).await, "Gutschrift|#aa0000|Amtsgericht Hamburg\nHRB 1");
    assert!(set(&["--no-footer", "--no-title"]).contains("new template"));
    assert_eq!(deployment.value(stored).await, "#aa0000");
    let history = "SELECT count(*)::text FROM payout.history WHERE action = 'set_template'
                      AND organization_id = 'org_01JV3N8Q5R0000000000000001'";
    // The import itself writes no such row: the data set gives main no template.
    assert_eq!(deployment.value(history).await, "3");
}

#[tokio::test]
async fn template_that_cannot_be_printed_is_rejected() {
    let deployment = seeded().await;
    let no_png = deployment.file("logo.png", "GIF89a");
    let set = |code: i32, flags: &[&str]| {
        deployment.reject(code, &[&["organizations", "set-template", MAIN][..], flags].concat())
    };
    assert!(set(1, &["--logo", &no_png]).contains("logo.png"));
    assert!(set(2, &["--accent-colour", "red"]).contains("#0f5c6e"));
    assert!(set(2, &["--title", &"x".repeat(101)]).contains("1 to 100 characters"));
    assert!(set(2, &["--footer", &"x".repeat(501)]).contains("1 to 500 characters"));
    set(2, &["--footer", "x", "--no-footer"]);
    set(2, &[]);
    let unknown = deployment.reject(1, &["organizations", "set-template", NOBODY, "--title", "x"]);
    assert!(unknown.contains("`payout-server organizations list`"), "{unknown}");
}

#[tokio::test]
async fn po_number_and_note_are_set_and_cleared() {
    let deployment = seeded().await;
    let stored = "SELECT coalesce(po_number, 'none') || '|'
                    || coalesce(metadata ->> 'statementNote', 'none')
                    FROM payout.payouts WHERE id = 'pay_01JV3N8Q5R0000000000000001'";
    let payout = ["--organization", MAIN, ONE_LINE];
    let run = |command: &str, value: &str| {
        deployment.run(&[&["payouts", command][..], &payout, &[value]].concat())
    };
    assert!(run("set-po-number", "PO-9").contains("is changed"));
    assert!(run("set-po-number", "PO-9").contains("has not changed"));
    assert!(run("set-note", "Thank you\nfor May").contains("is changed"));
    assert_eq!(deployment.value(stored).await, "PO-9|Thank you\nfor May");
    run("set-po-number", "--clear");
    run("set-note", "--clear");
    assert_eq!(deployment.value(stored).await, "none|none");
    let history = "SELECT string_agg(action, ' ' ORDER BY sequence) FROM payout.history
                    WHERE resource_id = 'pay_01JV3N8Q5R0000000000000001'";
    let actions = "set_po_number set_note set_po_number set_note";
    assert_eq!(deployment.value(history).await, actions);
    let long = "x".repeat(2001);
    let rejected =
        deployment.reject(2, &[&["payouts", "set-note"][..], &payout, &[&long]].concat());
    assert!(rejected.contains("1 to 2000 characters"), "{rejected}");
    deployment.reject(2, &[&["payouts", "set-note"][..], &payout].concat());
    let absent =
        deployment.reject(1, &["payouts", "set-note", "--organization", MAIN, "pay_none", "x"]);
    assert!(absent.contains("has no payout pay_none"), "{absent}");
}

#[tokio::test]
async fn sweep_only_lists_unless_it_is_told_to_delete_and_keeps_young_objects() {
    let deployment = seeded().await;
    let left = format!("assets/{MAIN}/ast_01JV3N8Q5R0000000000000EF1.pdf");
    let path = deployment.folder.path().join(left);
    std::fs::write(&path, "%PDF-left behind").unwrap();
    assert!(deployment.run(&["assets", "sweep", "--delete"]).contains("removed: 0 objects"));
    let two_days_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 86_400);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(two_days_ago).unwrap();
    let listed = deployment.run(&["assets", "sweep"]);
    assert!(listed.contains(
        "would be removed: org_01JV3N8Q5R0000000000000001/ast_01JV3N8Q5R0000000000000EF1.pdf"
    ));
    assert!(listed.contains("payout-server assets sweep --delete") && path.exists(), "{listed}");
    // One of three objects is more than 1 %.
    let stopped = deployment.reject(1, &["assets", "sweep", "--delete"]);
    assert!(stopped.contains("nothing was removed: 1 of 3 objects have no row"), "{stopped}");
    assert!(stopped.contains("restored to an earlier time") && path.exists(), "{stopped}");
    let sweep = deployment.run(&["assets", "sweep", "--delete", "--yes-many"]);
    assert!(sweep.contains("removed: 1 objects"), "{sweep}");
    assert!(!path.exists());
}

#[tokio::test]
async fn reset_removes_the_pdfs_of_the_data_set() {
    let deployment = seeded().await;
    let folder = deployment.folder.path().join("assets").join(MAIN);
    let objects = || std::fs::read_dir(&folder).map_or(0, Iterator::count);
    assert_eq!(objects(), 1);
    let pdf = deployment.file("a.pdf", "%PDF-1.4");
    deployment.run(&["statements", "upload", "--organization", MAIN, ONE_LINE, &pdf]);
    assert_eq!(objects(), 2);
    deployment.devdata(&["seed", "--reset"]).await;
    assert_eq!(objects(), 1);
}

#[tokio::test]
async fn storage_that_cannot_be_used_is_rejected_with_what_mends_it() {
    let deployment = Deployment::create().await;
    let file = deployment.file("taken", "");
    let in_a_file = deployment.reject(1, &["serve", "--listen", "127.0.0.1:0", "--assets", &file]);
    assert!(in_a_file.contains("--assets"), "{in_a_file}");
    let bucket = ["serve", "--listen", "127.0.0.1:0", "--assets", "s3://statements"];
    let output = deployment.command(&bucket).env_remove("AWS_ACCESS_KEY_ID").output().unwrap();
    let message = crate::support::errors(&output);
    assert!(message.contains("AWS_ACCESS_KEY_ID is not set"), "{message}");
    let missing = ["serve", "--listen", "127.0.0.1:0", "--link-keys", "/nowhere/keys"];
    let message = deployment.reject(1, &missing);
    assert!(message.contains("/nowhere/keys does not exist"), "{message}");
}
