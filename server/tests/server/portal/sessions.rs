//! Links and sessions: how often they work, and when they end (X16).

use futures_util::future::join_all;
use serde_json::json;

use super::{ANA, JO, PORTAL_PARTNER, Visitor, jo, link};
use crate::support::{
    Key, TestServer,
    dataset::{MAIN, NORDWIND},
    organization,
};
use payout_server::portal::operator::{Ending, store};

#[tokio::test]
async fn reading_a_link_uses_nothing_up_and_its_form_is_accepted_once() {
    let server = TestServer::start().await;
    let link = link(&server, NORDWIND, JO).await;
    let mut visitor = Visitor::new(&server);
    let mut page = visitor.get(&link).await;
    for _ in 0..3 {
        page = visitor.get(&link).await;
        assert_eq!(page.status, 200, "{}", page.text);
    }
    let form = page.form("/enter/");
    assert_eq!(visitor.open(&link).await.status, 303);
    for gone in [visitor.get(&link).await, visitor.post(&link, &form).await] {
        assert_eq!(gone.status, 410);
        assert!(gone.text.contains("This link no longer works"));
        assert_eq!(gone.header("set-cookie"), "");
    }
    assert_eq!(visitor.get("/portal").await.status, 200);
}

#[tokio::test]
async fn link_opened_by_many_at_once_begins_one_session() {
    let server = TestServer::start().await;
    let link = link(&server, NORDWIND, JO).await;
    let visitor = Visitor::new(&server);
    let form = visitor.get(&link).await.form("/enter/");
    let opened = join_all((0..16).map(|_| visitor.post(&link, &form))).await;
    let mut statuses: Vec<u16> = opened.iter().map(|page| page.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![303], vec![410; 15]].concat());
    let begun = "SELECT count(*) FROM history WHERE action = 'open_portal_session'";
    assert_eq!(server.value::<i64>(begun).await, 1);
}

#[tokio::test]
async fn link_and_session_end_at_their_times() {
    let server = TestServer::start().await;
    let (first, second) = (link(&server, NORDWIND, JO).await, link(&server, NORDWIND, JO).await);
    let mut visitor = Visitor::new(&server);
    server.database.set_clock("2026-06-15T12:04:59.999Z").await.unwrap();
    assert_eq!(visitor.open(&first).await.status, 303);
    server.database.set_clock("2026-06-15T12:05:00.000Z").await.unwrap();
    assert_eq!(Visitor::new(&server).get(&second).await.status, 410);
    server.database.set_clock("2026-06-16T00:04:59.998Z").await.unwrap();
    assert_eq!(visitor.get("/portal").await.status, 200);
    server.database.set_clock("2026-06-16T00:04:59.999Z").await.unwrap();
    let ended = visitor.get("/portal").await;
    assert_eq!(ended.status, 403);
    assert!(ended.text.contains("You are not signed in"));
}

#[tokio::test]
async fn session_and_link_end_at_once_when_the_portal_is_no_longer_open_to_the_visitor() {
    let server = TestServer::start().await;
    let remove = format!("UPDATE portal_users SET removed_at = now() WHERE email = '{JO}'");
    let changes = [
        (NORDWIND, JO, "UPDATE partners SET experience_template_id = NULL"),
        (NORDWIND, JO, &*remove),
        (PORTAL_PARTNER, ANA, "UPDATE partners SET domain = 'another.example'"),
        (PORTAL_PARTNER, ANA, "UPDATE partners SET portal_access = 'RESTRICTED_USERS'"),
        (PORTAL_PARTNER, ANA, "UPDATE partners SET portal_access = NULL"),
    ];
    for (partner, email, change) in changes {
        let server = TestServer::start().await;
        let visitor = Visitor::enter(&server, partner, email).await;
        let unopened = link(&server, partner, email).await;
        assert_eq!(visitor.get("/portal/payouts").await.status, 200);
        let column = if change.contains("portal_users") { "partner_id" } else { "id" };
        let condition = if change.contains("WHERE") { "AND" } else { "WHERE" };
        server.execute(format!("{change} {condition} {column} = '{partner}'")).await;
        assert_eq!(visitor.get("/portal/payouts").await.status, 403, "{change}");
        assert_eq!(visitor.get(&unopened).await.status, 410, "{change}");
    }
    let visitor = jo(&server).await;
    let tenants = server.tenants().await;
    let mut transaction = tenants.write(&organization(MAIN)).await.unwrap();
    let other = Ending { email: Some("another@nordwind.example"), session_id: None };
    let own = Ending { email: Some("JO@nordwind.example"), session_id: None };
    assert_eq!(store::end_sessions(&mut transaction, NORDWIND, other).await.unwrap(), 0);
    assert_eq!(store::end_sessions(&mut transaction, NORDWIND, own).await.unwrap(), 1);
    transaction.commit().await.unwrap();
    assert_eq!(visitor.get("/portal").await.status, 403);
}

#[tokio::test]
async fn signing_out_ends_this_session_alone() {
    let server = TestServer::start().await;
    let (visitor, elsewhere) = (jo(&server).await, jo(&server).await);
    let form = visitor.get("/portal").await.form("/sign-out");
    let out = visitor.post("/portal/sign-out", &form).await;
    assert_eq!(out.status, 200, "{}", out.text);
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{:?}", out.headers);
    assert_eq!(visitor.get("/portal").await.status, 403);
    assert_eq!(elsewhere.get("/portal").await.status, 200);
}

/// Each has the organisation, a user or a domain that lets it in; the rest stay out.
#[tokio::test]
async fn addresses_are_compared_without_ascii_case_and_domains_whole() {
    let server = TestServer::start().await;
    let lets_in = [
        (NORDWIND, "JO@Nordwind.Example", 201),
        (NORDWIND, "jö@nordwind.example", 422),
        (NORDWIND, "other@nordwind.example", 422),
        (PORTAL_PARTNER, "a@PORTAL.example", 201),
        (PORTAL_PARTNER, "a@sub.portal.example", 422),
        (PORTAL_PARTNER, "a@notportal.example", 422),
        (PORTAL_PARTNER, "portal.example@elsewhere.example", 422),
        // The Kelvin sign is no letter of ASCII.
        (PORTAL_PARTNER, "a@portal.examp\u{212a}e", 422),
    ];
    for (partner, email, status) in lets_in {
        let body = json!({ "partnerId": partner, "email": email });
        server.post(Key::MAIN, "/api/v1/portal-sessions").json(&body).expect(status).await;
    }
}

#[tokio::test]
async fn ten_thousand_open_sessions_slow_no_visitor_and_end_with_one_command() {
    let server = TestServer::start().await;
    server
        .execute(format!(
            "INSERT INTO portal_sessions
                    (organization_id, id, partner_id, email, link_hash, link_expires_at,
                     cookie_hash, opened_at, expires_at)
             SELECT '{MAIN}', 'pse_' || number, '{NORDWIND}', '{JO}', sha256(number::text::bytea),
                    now(), sha256(number::text::bytea), now(), '2100-01-01'
               FROM generate_series(1, 10000) AS number"
        ))
        .await;
    let visitor = jo(&server).await;
    assert_eq!(visitor.get("/portal").await.status, 200);
    let tenants = server.tenants().await;
    let mut transaction = tenants.write(&organization(MAIN)).await.unwrap();
    let ended = store::end_sessions(&mut transaction, NORDWIND, Ending::default()).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(ended, 10_001);
    assert_eq!(visitor.get("/portal").await.status, 403);
}

#[tokio::test]
async fn portal_of_a_stopped_organization_is_503_and_its_links_and_sessions_are_kept() {
    let server = TestServer::start().await;
    let visitor = Visitor::enter(&server, NORDWIND, JO).await;
    let unopened = link(&server, NORDWIND, JO).await;
    let form = visitor.get(&unopened).await.form("/enter/");
    let stop = format!("UPDATE organizations SET stopped_at = now() WHERE id = '{MAIN}'");
    server.execute(stop).await;
    for page in [
        visitor.get("/portal").await,
        visitor.get(&unopened).await,
        visitor.post(&unopened, &form).await,
    ] {
        assert_eq!(page.status, 503, "{}", page.text);
    }
    server.execute("UPDATE organizations SET stopped_at = NULL").await;
    assert_eq!(visitor.get("/portal").await.status, 200);
    assert_eq!(Visitor::new(&server).open(&unopened).await.status, 303);
}
