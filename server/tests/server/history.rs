//! The history: one row per mutation with actor, request id, and the state before and after; none
//! where nothing changed. No operation shows it, so the suite cannot see it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{
    named::Names,
    support::{
        TestRequest, TestResponse, TestServer,
        commission::{line, may, patch, post},
        dataset::*,
    },
};

/// Actor, action, resource, and its state before and after.
type Row = (String, String, String, Option<Value>, Option<Value>);

/// Requests in their order, and the rows of history that each of them leaves.
struct Story<'a> {
    server: &'a TestServer,
    names: Names,
    text: String,
}

impl Story<'_> {
    /// Sends a request, and writes down what it leaves.
    async fn request(&mut self, what: &str, request: TestRequest) -> TestResponse {
        let id = what.replace(' ', "-");
        let response = request.header("x-request-id", &id).send().await;
        writeln!(self.text, "{what}: {}", response.status.as_u16()).unwrap();
        let rows = "SELECT actor, action, resource_id, before, after FROM history
                     WHERE request_id = $1
                     ORDER BY action, after ->> 'partnerId', after ->> 'currency', resource_id";
        let rows: Vec<Row> =
            sqlx::query_as(rows).bind(id).fetch_all(&self.server.superuser).await.unwrap();
        for (actor, action, resource, before, after) in rows {
            let row = format!(
                "  {actor} {action} {resource}\n    before {}\n    after  {}\n",
                before.unwrap_or_default(),
                after.unwrap_or_default()
            );
            self.text += &self.names.give(&row);
        }
        response
    }
}

#[tokio::test]
async fn each_mutation_leaves_its_rows_and_a_request_that_changes_nothing_leaves_none() {
    let server = TestServer::start().await;
    let mut story = Story { server: &server, names: Names::default(), text: String::new() };
    let on = |path: &str, body: &Value| post(&server, path, body);

    let mut body = json!({ "name": "Later active", "domain": "later.example" });
    let partner = story.request("create a partner", on("partners", &body)).await.id();
    body["experienceTemplateId"] = json!("tmpl_01JV3N8Q5R0000000000000001");
    story.request("match it by its domain", on("partners", &body)).await;
    let access = json!({ "portalAccess": "RESTRICTED_USERS" });
    body["portalAccess"] = access["portalAccess"].clone();
    story.request("open a portal", server.update(&partner, body)).await;
    story.request("open a portal without a template", server.update(BARE, access)).await;
    let change = json!({ "name": "Renamed", "domain": null });
    story.request("update by CRM id", server.update(NORDWIND_EXTERNAL, change)).await;
    for (what, body) in [
        ("update nothing", json!({})),
        ("update to the same name", json!({ "name": "Bare Minimum Ltd" })),
        ("update to an unknown tier", json!({ "name": "x", "tierId": "tier_none" })),
    ] {
        story.request(what, server.update(BARE, body)).await;
    }
    story.request("update nobody", server.update(NO_PARTNER, json!({ "name": "x" }))).await;

    let mut body = may(Some(&partner));
    body["poNumber"] = json!("PO-1");
    body["metadata"] = json!({ "statementNote": "Thank you." });
    let payout = story.request("create a payout", on("payouts", &body)).await.id();
    let mut body = line(&partner, "4.00");
    body["sourceAmount"] = json!("40.00");
    let made = story.request("create a line", on("commission-lines", &body)).await.id();
    let path = format!("commission-lines/{made}");
    let attach = json!({ "payoutId": payout });
    story.request("attach it", on(&format!("{path}/attach"), &attach)).await;
    story.request("attach it again", on(&format!("{path}/attach"), &attach)).await;
    let amount = json!({ "amount": "2.00" });
    story.request("change it", patch(&server, &path, amount.clone())).await;
    story.request("change it to the same", patch(&server, &path, amount)).await;
    story.request("make a statement", server.statement(&payout)).await;
    story.request("make it again", server.statement(&payout)).await;
    let change = json!({ "poNumber": "PO-8", "stage": "APPROVED" });
    let path = format!("payouts/{payout}");
    story.request("approve the payout", patch(&server, &path, change.clone())).await;
    story.request("approve it again", patch(&server, &path, change)).await;
    story.request("detach the line", server.detach(&made)).await;
    story.request("detach it again", server.detach(&made)).await;
    story.request("detach a foreign line", server.detach(FOREIGN_LINE)).await;
    story
        .request("attach it once more", on(&format!("commission-lines/{made}/attach"), &attach))
        .await;
    let body = json!({ "reason": "CUSTOM", "note": "Returned." });
    story
        .request("decline the last line", on(&format!("commission-lines/{made}/decline"), &body))
        .await;
    story.request("create a batch", on("payout-batches", &may(None))).await;
    insta::assert_snapshot!(story.text);
}
