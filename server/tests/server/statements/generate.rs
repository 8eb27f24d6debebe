//! Calls that make a document or none (§4.7, S1–S8): rows that no request writes, two servers,
//! uploads at once. The suite sees no tables, and no payout of 20,000 lines.

use std::{collections::BTreeSet, time::Duration};

use futures_util::{TryStreamExt as _, future::join_all};

use super::*;
use crate::support::dataset::*;

/// On an idle server the operation begins beside its admission.
#[tokio::test]
async fn rejected_call_makes_no_document() {
    let server = TestServer::start().await;
    crate::support::log::begin();
    server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    server.set_limits(MAIN, 1000, Some(0)).await;
    server.statement(ONE_LINE).expect(402).await;
    server.set_limits(MAIN, 1, None).await;
    server.statement(ONE_LINE).expect(429).await;
    let made = "SELECT count(*) FROM assets WHERE payout_id";
    let made: i64 = server.value(format!("{made} = '{ONE_LINE}'")).await;
    assert_eq!((made, intents(&server).await), (0, 0));
    let lines = crate::support::log::lines();
    assert!(!lines.iter().any(|line| line.contains("was not admitted")), "it is no failure");
}

#[tokio::test]
async fn repeated_call_reads_no_lines() {
    let server = TestServer::start().await;
    let first = generate(&server, FORTY_ONE).await;
    let role = payout_database::testing::TEST_APP;
    server.execute(format!("REVOKE ALL ON commission_lines FROM {role}")).await;
    server.get(Key::MAIN, "/api/v1/commission-lines").expect(500).await;
    assert_eq!(generate(&server, FORTY_ONE).await.asset_id, first.asset_id);
}

#[tokio::test]
async fn incomplete_billing_is_rejected_although_a_document_exists() {
    let server = TestServer::start().await;
    let first = generate(&server, ONE_LINE).await;
    server.execute("UPDATE billing_information SET city = NULL").await;
    let rejected = server.statement(ONE_LINE).expect(422).await;
    assert_eq!(rejected.code(), "NO_BILLING_INFO");
    assert!(rejected.text.contains("incomplete: city."), "{}", rejected.text);
    server.execute("UPDATE billing_information SET city = 'Hamburg'").await;
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, first.asset_id);
}

#[tokio::test]
async fn payout_of_more_lines_than_a_statement_prints_is_rejected() {
    let server = TestServer::start().await;
    server
        .execute(format!(
            "INSERT INTO commission_lines (organization_id, id, partner_id, payout_id, description,
                                           amount, source_amount, currency, status, plan_name,
                                           period_end)
             SELECT organization_id, 'cln_many_' || n, partner_id, payout_id, 'one of many', 0, 0,
                    currency, status, plan_name, period_end
               FROM commission_lines, generate_series(1, 20000) AS n WHERE id = '{ITS_LINE}'"
        ))
        .await;
    let rejected = server.statement(ONE_LINE).expect(422).await;
    assert_eq!(rejected.code(), "STATEMENT_TOO_LARGE");
    server.detach(ITS_LINE).expect(200).await;
    generate(&server, ONE_LINE).await;
}

#[tokio::test]
async fn each_change_of_what_is_printed_makes_another_document_and_no_other_change_does() {
    let server = TestServer::start().await;
    let mut first = generate(&server, FORTY_ONE).await;
    // A payout's amount is the sum of its lines.
    server
        .execute(format!("UPDATE payouts SET amount = amount + 1 WHERE id = '{FORTY_ONE}'"))
        .await;
    let printed_first = "cln_01JV3N8Q5R0000000000000002";
    for change in [
        "amount = amount + 1",
        "description = 'Another text'",
        "source_amount = 110.10",
        "plan_name = 'Another plan'",
        "period_end = period_end - interval '1 day'",
        // It is printed last then.
        "created_at = created_at + interval '1 hour', period_end = period_end + interval '1 day'",
    ] {
        let line = format!("UPDATE commission_lines SET {change} WHERE id = '{printed_first}'");
        server.execute(line).await;
        let rebuilt = generate(&server, FORTY_ONE).await;
        assert_ne!(rebuilt.asset_id, first.asset_id, "{change}");
        first = rebuilt;
    }
    let bytes = download(&server, &first.url).await;
    let of_payout = format!("payout_id = '{FORTY_ONE}'");
    for change in [
        "UPDATE partners SET name = 'Renamed'",
        "UPDATE billing_information SET legal_name = 'Another GmbH'",
        "UPDATE payouts SET stage = 'PAID', metadata = '{\"other\": \"text\"}',
                            updated_at = service_now()",
        &format!("UPDATE commission_lines SET updated_at = service_now() WHERE {of_payout}"),
        // The lines of another payout, and the pending pool.
        &format!(
            "UPDATE commission_lines SET description = 'x' WHERE NOT coalesce({of_payout}, false)"
        ),
    ] {
        assert!(server.execute(change).await > 0, "{change}");
        assert_eq!(generate(&server, FORTY_ONE).await.asset_id, first.asset_id, "{change}");
    }
    server.database.advance_clock(Duration::from_secs(40 * 86_400)).await.unwrap();
    let replica = server.replica().await;
    let there = replica.statement(FORTY_ONE).expect(200).await;
    let there = Statement::of(&there);
    assert_eq!((&there.asset_id, &there.filename), (&first.asset_id, &first.filename));
    assert_eq!(download(&server, &there.url).await, bytes, "40 days later, after a restart");
}

#[tokio::test]
async fn concurrent_first_calls_on_two_servers_make_one_asset() {
    let server = TestServer::start().await;
    let replica = server.replica().await;
    let objects = async || -> usize {
        let objects: Vec<_> = server.storage().await.list().try_collect().await.unwrap();
        objects.len()
    };
    let before = objects().await;
    let statements = generate_at_once(&server, &replica, FORTY_ONE, 32).await;
    let ids: BTreeSet<&str> = statements.iter().map(|one| one.asset_id.as_str()).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let assets: i64 =
        server.value("SELECT count(*) FROM assets WHERE fingerprint IS NOT NULL").await;
    assert_eq!((assets, intents(&server).await), (1, 0));
    assert_eq!(server.history(FORTY_ONE).await.len(), 1);
    assert_eq!(objects().await, before + 1, "the losers have removed their files");
    let mut bytes = BTreeSet::new();
    for statement in &statements {
        bytes.insert(download(&server, &statement.url).await);
    }
    assert_eq!(bytes.len(), 1);
}

#[tokio::test]
async fn second_upload_supersedes_the_first_which_is_kept() {
    let server = TestServer::start().await;
    let rendered = generate(&server, ONE_LINE).await;
    let first = upload(&server, &b"%PDF-first"[..]).await;
    let link_to_first = generate(&server, ONE_LINE).await.url;
    let second = upload(&server, &b"%PDF-second"[..]).await;
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, second);
    assert_eq!(download(&server, &link_to_first).await, b"%PDF-first");
    assert_eq!(remove_upload(&server).await, Some(second.clone()));
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, rendered.asset_id);
    assert_eq!(remove_upload(&server).await, None);
    let id = |value: Option<Value>| Some(value?["assetId"].as_str()?.to_owned());
    let rows = server.history(ONE_LINE).await.into_iter();
    let rows: Vec<_> = rows.map(|row| (row.action, id(row.before), id(row.after))).collect();
    let expected = [
        ("generate_statement", None, Some(rendered.asset_id)),
        ("upload_statement", None, Some(first.clone())),
        ("upload_statement", Some(first), Some(second.clone())),
        ("remove_uploaded_statement", Some(second), None),
    ];
    assert_eq!(rows, expected.map(|(action, before, after)| (action.to_owned(), before, after)));
}

#[tokio::test]
async fn uploads_at_once_leave_one_that_holds() {
    let server = TestServer::start().await;
    let uploads = (0..8).map(|_| upload(&server, &b"%PDF-one of many"[..]));
    let ids = join_all(uploads).await;
    assert!(ids.contains(&generate(&server, ONE_LINE).await.asset_id));
    let counts =
        "SELECT count(*) || ' ' || count(*) FILTER (WHERE withdrawn_at IS NULL) FROM assets
                   WHERE payout_id";
    let counts: String = server.value(format!("{counts} = '{ONE_LINE}'")).await;
    assert_eq!(counts, "8 1", "all, and those that hold");
}
