//! `organizations`: create, list, show, limits, billing.

use serde_json::json;

use crate::{closed_output::ends_the_same_without_a_reader, support::Deployment};

#[tokio::test]
async fn create_prints_the_id_and_list_shows_defaults() {
    let deployment = Deployment::create().await;
    let id = deployment.run(&["organizations", "create", "--name", "Nordwind"]);
    let listed = deployment.json(&["organizations", "list"]);
    assert_eq!(listed[0]["id"], id.trim());
    assert_eq!(listed[0]["requestsPerMinute"], 120);
    assert_eq!(listed[0]["creditsPerMonth"], 10_000);
    assert!(deployment.run(&["organizations", "list"]).contains("Nordwind"));
}

#[tokio::test]
async fn commands_end_the_same_without_a_reader() {
    let deployment = Deployment::create().await;
    deployment.run(&["organizations", "create", "--name", "Nordwind"]);
    for arguments in [&["organizations", "list"][..], &["organizations", "list", "--json"]] {
        ends_the_same_without_a_reader(|| deployment.command(arguments));
    }
}

#[tokio::test]
async fn limits_change_one_by_one_and_are_kept_in_the_history() {
    let deployment = Deployment::create().await;
    let id = deployment.run(&[
        "organizations",
        "create",
        "--name",
        "O",
        "--credits-per-month",
        "unlimited",
    ]);
    let id = id.trim();
    deployment.run(&["organizations", "set-limits", id, "--requests-per-minute", "7"]);
    let shown = deployment.json(&["organizations", "show", id]);
    assert_eq!(shown["organization"]["requestsPerMinute"], 7);
    assert_eq!(shown["organization"]["creditsPerMonth"], json!(null));
    deployment.run(&["organizations", "set-limits", id, "--credits-per-month", "0"]);
    let shown = deployment.json(&["organizations", "show", id]);
    assert_eq!(shown["organization"]["requestsPerMinute"], 7);
    assert_eq!(shown["organization"]["creditsPerMonth"], 0);
    let actions = "SELECT string_agg(action, ' ' ORDER BY sequence) FROM payout.history";
    assert_eq!(deployment.value(actions).await, "create_organization set_limits set_limits");
}

#[tokio::test]
async fn used_credits_are_set_for_the_present_month_and_kept_in_the_history() {
    let deployment = Deployment::create().await;
    deployment.database.set_clock("2026-06-15T12:00:00Z").await.unwrap();
    let id = deployment.run(&["organizations", "create", "--name", "O"]);
    let id = id.trim();
    // A meter of the month before, and one of a clock that was ahead.
    for month in ["2026-05-01", "2026-06-01", "2027-01-01"] {
        let mut owner = connect(&deployment).await;
        sqlx::query("UPDATE meters SET month = $1::text::timestamptz, month_used = 7")
            .bind(month)
            .execute(&mut owner)
            .await
            .unwrap();
        let set = ["organizations", "set-used", "--organization", id, "--credits", "120"];
        let expected = format!("{id}: 120 credits used in 2026-06, before: 7 in {}\n", &month[..7]);
        assert_eq!(deployment.run(&set), expected);
        let shown = deployment.json(&["organizations", "show", id]);
        assert_eq!(shown["organization"]["creditsThisMonth"], 120);
    }
    let history = "SELECT string_agg(action || (before ->> 'creditsUsed')
                                            || (after ->> 'creditsUsed'), ' ' ORDER BY sequence)
                     FROM payout.history WHERE action = 'set_used'";
    assert_eq!(deployment.value(history).await, "set_used7120 set_used7120 set_used7120");
    let other = "org_01JV3N8Q5RHWXK2M4P6S7T9V0A";
    let set = ["organizations", "set-used", "--organization", other, "--credits", "1"];
    assert!(deployment.reject(1, &set).contains("there is no organisation"));
}

async fn connect(deployment: &Deployment) -> sqlx::PgConnection {
    use sqlx::ConnectOptions as _;
    let options = payout_database::owner_connect_options(deployment.database.owner_url());
    options.unwrap().connect().await.unwrap()
}

#[tokio::test]
async fn credit_gives_back_credits_of_the_month_and_is_kept_in_the_history() {
    let deployment = Deployment::create().await;
    deployment.database.set_clock("2026-06-15T12:00:00Z").await.unwrap();
    let id = deployment.run(&["organizations", "create", "--name", "O"]);
    let id = id.trim();
    let credit = |credits: &'static str, rest: &[&'static str]| {
        let command = ["organizations", "credit", "--organization", id, "--credits", credits];
        [&command[..], rest].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let run = |command: Vec<String>| {
        deployment.run(&command.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let reject = |code, command: Vec<String>| {
        deployment.reject(code, &command.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert!(reject(1, credit("3", &[])).contains("has used no credits in 2026-06"));
    let used = "UPDATE payout.meters SET month = '2026-06-01T00:00:00Z', month_used = 10
                RETURNING organization_id";
    assert_eq!(deployment.value(used).await, id);
    assert!(run(credit("3", &[])).contains("7 credits used in 2026-06, before: 10"));
    assert!(run(credit("2", &["--month", "2026-06"])).contains("5 credits used in 2026-06"));
    let ended = reject(1, credit("2", &["--month", "2026-05"]));
    assert!(ended.contains("no credits in 2026-05: the latest use is of 2026-06"), "{ended}");
    assert!(run(credit("9", &[])).contains(": 0 credits used in 2026-06, before: 5"));
    reject(2, credit("0", &[]));
    reject(2, credit("1", &["--month", "June"]));
    let kept = "SELECT string_agg(concat_ws(' ', before->>'month', before->>'creditsUsed',
                                            after->>'creditsUsed'), ', ' ORDER BY sequence)
                  FROM payout.history WHERE action = 'credit'";
    let month = "2026-06-01T00:00:00Z";
    let expected = format!("{month} 10 7, {month} 7 5, {month} 5 0");
    assert_eq!(deployment.value(kept).await, expected);
}

#[tokio::test]
async fn show_names_what_billing_lacks_until_it_is_complete() {
    let deployment = Deployment::create().await;
    let id = deployment.run(&["organizations", "create", "--name", "O"]);
    let id = id.trim();
    let parts = [
        "--legal-name",
        "--address-line-1",
        "--postal-code",
        "--city",
        "--country",
        "--finance-email",
    ];
    for part in parts {
        assert!(deployment.run(&["organizations", "show", id]).contains(part), "{part}");
        deployment.run(&["organizations", "set-billing", id, part, "x"]);
    }
    assert!(
        deployment.run(&["organizations", "show", id]).contains("--company-number or --vat-number")
    );
    deployment.run(&["organizations", "set-billing", id, "--vat-number", "DE1"]);
    assert!(deployment.run(&["organizations", "show", id]).contains("billing           complete"));
}

#[tokio::test]
async fn unknown_organizations_and_values_out_of_bounds_are_rejected() {
    let deployment = Deployment::create().await;
    let nobody = "org_01JV3N8Q5RHWXK2M4P6S7T9V0A";
    for command in [
        vec!["organizations", "show", nobody],
        vec!["organizations", "set-limits", nobody, "--requests-per-minute", "1"],
        vec!["organizations", "set-billing", nobody, "--city", "Bremen"],
        vec!["organizations", "credit", "--organization", nobody, "--credits", "1"],
        vec!["keys", "create", "--organization", nobody, "--name", "n", "--all-scopes"],
    ] {
        let error = deployment.reject(1, &command);
        assert!(error.contains("`payout-server organizations list`"), "{error}");
    }
    for command in [
        vec!["organizations", "create", "--name", ""],
        vec!["organizations", "create", "--name", "n", "--requests-per-minute", "0"],
        vec!["organizations", "create", "--name", "n", "--credits-per-month", "-1"],
        vec!["organizations", "show", "main"],
        vec!["organizations", "set-limits", nobody],
        vec!["organizations", "set-billing", nobody],
    ] {
        deployment.reject(2, &command);
    }
}
