//! Changes that rebuild a statement, and those that do not (§4.7 rules 2 and 3, S5). The tests
//! change rows that no request changes, and the clock.

use std::time::Duration;

use payout_server::{
    id::OrganizationId,
    statements::template::{Template, store as templates},
};
use poem::http::Method;
use sqlx::AssertSqlSafe;

use super::{Statement, download, generate};
use crate::support::{Key, TestServer, dataset::*};

async fn sql(server: &TestServer, statement: &str) {
    let superuser = server.superuser().await;
    let done = sqlx::query(AssertSqlSafe(statement.to_owned())).execute(&superuser).await.unwrap();
    assert!(done.rows_affected() > 0, "{statement}");
}

/// Changes one column of the line that `forty-one` prints first.
async fn line(server: &TestServer, change: &str) {
    let first = "cln_01JV3N8Q5R0000000000000002";
    let statement = format!(
        "UPDATE payout.commission_lines SET {change}
          WHERE organization_id = '{MAIN}' AND id = '{first}'"
    );
    sql(server, &statement).await;
}

async fn payout(server: &TestServer, change: &str) {
    let statement = format!(
        "UPDATE payout.payouts SET {change}
          WHERE organization_id = '{MAIN}' AND id = '{FORTY_ONE}'"
    );
    sql(server, &statement).await;
}

async fn template(server: &TestServer, after: &Template) {
    let organization = OrganizationId::parse(MAIN).unwrap();
    let mut transaction = server.tenants().await.write(&organization).await.unwrap();
    let before = templates::lock_template(&mut transaction).await.unwrap().unwrap();
    templates::set_template(&mut transaction, &before, after).await.unwrap();
    transaction.commit().await.unwrap();
}

#[tokio::test]
async fn each_change_of_a_trigger_makes_another_document() {
    let server = TestServer::start().await;
    let mut seen = vec![generate(&server, FORTY_ONE).await.asset_id];
    let mut rebuilt = async |what: &str| {
        let statement = generate(&server, FORTY_ONE).await;
        assert!(!seen.contains(&statement.asset_id), "{what}");
        assert_eq!(generate(&server, FORTY_ONE).await.asset_id, statement.asset_id, "{what}");
        download(&server, &statement.url).await;
        seen.push(statement.asset_id);
    };
    // A payout's amount is the sum of its lines, so both change.
    payout(&server, "amount = amount + 1").await;
    for change in [
        "amount = amount + 1",
        "description = 'Another text'",
        "source_amount = 110.10",
        "plan_name = 'Another plan'",
        "period_end = period_end - interval '1 day'",
        // It is printed last then.
        "created_at = created_at + interval '1 hour', period_end = period_end + interval '1 day'",
    ] {
        line(&server, change).await;
        rebuilt(change).await;
    }
    payout(&server, "po_number = 'PO-9'").await;
    rebuilt("PO number").await;
    payout(&server, "metadata = '{\"statementNote\": \"Thank you\"}'").await;
    rebuilt("note").await;
    let titled = Template { title: Some("Gutschrift".into()), ..Template::default() };
    template(&server, &titled).await;
    rebuilt("title").await;
    let coloured = Template { accent_colour: Some("#aa0000".into()), ..titled };
    template(&server, &coloured).await;
    rebuilt("accent colour").await;
    let footed = Template { footer: Some("Amtsgericht Hamburg".into()), ..coloured };
    template(&server, &footed).await;
    rebuilt("footer").await;
    server.detach("cln_01JV3N8Q5R0000000000000003").expect(200).await;
    rebuilt("detached line").await;
    sql(
        &server,
        &format!(
            "UPDATE payout.commission_lines SET status = 'IN_PAYOUT', payout_id = '{FORTY_ONE}'
          WHERE organization_id = '{MAIN}' AND id = '{PENDING_LINE}'"
        ),
    )
    .await;
    payout(&server, "amount = amount + 5.05").await;
    rebuilt("attached line").await;
}

#[tokio::test]
async fn changes_of_anything_else_rebuild_nothing() {
    let server = TestServer::start().await;
    let first = generate(&server, FORTY_ONE).await;
    let bytes = download(&server, &first.url).await;
    for change in [
        format!("UPDATE payout.partners SET name = 'Renamed' WHERE organization_id = '{MAIN}'"),
        format!(
            "UPDATE payout.billing_information SET legal_name = 'Another GmbH'
               WHERE organization_id = '{MAIN}'"
        ),
        format!(
            "UPDATE payout.payouts SET stage = 'PAID', updated_at = service_now()
               WHERE organization_id = '{MAIN}'"
        ),
        format!(
            "UPDATE payout.payouts SET metadata = '{{\"other\": \"text\"}}'
               WHERE id = '{FORTY_ONE}'"
        ),
        format!(
            "UPDATE payout.commission_lines SET updated_at = service_now()
               WHERE payout_id = '{FORTY_ONE}'"
        ),
        // The lines of another payout, and the pending pool.
        format!(
            "UPDATE payout.commission_lines SET description = 'x'
               WHERE payout_id IS DISTINCT FROM '{FORTY_ONE}'"
        ),
    ] {
        sql(&server, &change).await;
        assert_eq!(generate(&server, FORTY_ONE).await.asset_id, first.asset_id, "{change}");
    }
    server.database.advance_clock(Duration::from_secs(40 * 86_400)).await.unwrap();
    let replica = server.replica().await;
    let path = format!("/api/v1/payouts/{FORTY_ONE}/statement");
    let request = replica.request(Method::POST, &path, server.key(Key::MAIN));
    let there = Statement::of(&request.expect(200).await);
    assert_eq!(there.asset_id, first.asset_id);
    assert_eq!(download(&server, &there.url).await, bytes, "40 days later, after a restart");
    assert_eq!(there.filename, first.filename, "fixed when it was made");
}
