//! Attacks on the portal: addresses of others, hostile texts, secrets in the wrong places, too
//! much.

use std::collections::HashMap;

use poem::http::Method;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::{ANA, JO, PORTAL_PARTNER, Visitor, jo, link, with};
use crate::support::{
    Key, TestServer,
    dataset::{FORTY_ONE, NORDWIND},
    log,
};

const SCRIPT: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";

/// Ids of every organisation, each with whether it is this partner's to see.
async fn ids(server: &TestServer, query: &str, partner: &str) -> Vec<(String, bool)> {
    let query = sqlx::query_as(AssertSqlSafe(query.to_owned())).bind(partner);
    query.fetch_all(&server.superuser).await.unwrap()
}

const PAYOUTS: &str = "
SELECT id, partner_id = $1 AND stage IN ('APPROVED', 'PENDING_INVOICE', 'SCHEDULED',
                                         'PENDING_PAYMENT', 'PAID', 'FAILED')
  FROM payouts";
const SUBMISSIONS: &str = "SELECT id, partner_id IS NOT DISTINCT FROM $1 FROM form_submissions";
const FORMS: &str = "
SELECT form.id, published_version IS NOT NULL
                AND form.organization_id = partner.organization_id
  FROM forms AS form, partners AS partner WHERE partner.id = $1";

#[tokio::test]
async fn what_is_of_another_partner_or_hidden_does_not_exist() {
    let server = TestServer::start().await;
    for (partner, email) in [(NORDWIND, JO), (PORTAL_PARTNER, ANA)] {
        let visitor = Visitor::enter(&server, partner, email).await;
        let mut seen = Vec::new();
        for (folder, query) in
            [("payouts", PAYOUTS), ("submissions", SUBMISSIONS), ("forms", FORMS)]
        {
            for (id, is_own) in ids(&server, query, partner).await {
                let expected = if is_own { 200 } else { 404 };
                let page = format!("/portal/{folder}/{id}");
                assert_eq!(visitor.get(&page).await.status, expected, "{partner} {page}");
                if folder == "payouts" && !is_own {
                    let statement = format!("{page}/statement");
                    assert_eq!(visitor.get(&statement).await.status, 404, "{statement}");
                    // Without a token the form says nothing about the payout.
                    let comment = format!("{page}/comments");
                    let sent = visitor.post(&comment, &HashMap::new()).await;
                    assert_eq!(sent.status, 403, "{comment}");
                }
                seen.push(is_own);
            }
        }
        assert!(seen.iter().any(|is_own| *is_own) && seen.iter().any(|is_own| !is_own));
    }
}

#[tokio::test]
async fn texts_of_others_are_shown_and_never_run() {
    let server = TestServer::start().await;
    let quoted = SCRIPT.replace('\'', "''");
    server
        .execute(format!(
            "UPDATE partners SET name = '{quoted}' WHERE id = '{NORDWIND}';
             UPDATE organizations SET name = '{quoted}';
             UPDATE commission_lines SET description = '{quoted}', plan_name = '{quoted}';
             UPDATE payouts SET po_number = '{quoted}';
             ALTER TABLE comments DISABLE TRIGGER ALL; UPDATE comments SET text = '{quoted}'"
        ))
        .await;
    let visitor = jo(&server).await;
    let payout = format!("/portal/payouts/{FORTY_ONE}");
    let comment = with(visitor.get(&payout).await.form("/comments"), "text", SCRIPT);
    assert_eq!(visitor.post(&format!("{payout}/comments"), &comment).await.status, 303);
    let form = "/portal/forms/frm_01JV3N8Q5R0000000000000001";
    let filled = with(visitor.get(form).await.form("/forms/"), "field.unknown", SCRIPT);
    let rejected = visitor.post(form, &with(filled, "field.company", SCRIPT)).await;
    assert_eq!(rejected.status, 422);
    let filled = with(visitor.get(form).await.form("/forms/"), "field.company", SCRIPT);
    let sent = visitor.post(form, &filled).await;
    let submission = sent.header("location").to_owned();
    let mut pages = vec![rejected];
    for path in ["/portal", "/portal/commissions", "/portal/payouts", &payout, form, &submission] {
        pages.push(visitor.get(path).await);
    }
    for page in pages {
        assert!(page.text.contains("&lt;script&gt;alert(1)"), "{}", page.text);
        assert!(!page.text.contains("<script") && !page.text.contains("<img"), "{}", page.text);
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"));
        assert_eq!(page.header("x-frame-options"), "DENY");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn api_accepts_no_cookie_and_the_portal_no_key() {
    let server = TestServer::start().await;
    let visitor = jo(&server).await;
    let cookie = visitor.cookie.clone().unwrap();
    let request = server.request(Method::GET, "/api/v1/partners").header("cookie", &cookie);
    request.expect(401).await;
    let (_, ticket) = cookie.split_once('=').unwrap();
    let request = server.request(Method::GET, "/api/v1/partners").header("x-api-key", ticket);
    request.expect(401).await;
    let mut stranger = Visitor::new(&server);
    stranger.headers = vec![("x-api-key", server.key(Key::MAIN).to_owned())];
    assert_eq!(stranger.get("/portal").await.status, 403);
    for path in ["/portal/api/v1/partners", "/portal/../api/v1/partners", "/portal/docs"] {
        assert_ne!(visitor.get(path).await.status, 200, "{path}");
    }
}

/// Texts of every table and of the log.
async fn everything_stored(server: &TestServer) -> String {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT relname::text FROM pg_class
          WHERE relnamespace = 'payout'::regnamespace AND relkind IN ('r', 'p')",
    )
    .fetch_all(&server.superuser)
    .await
    .unwrap();
    let mut stored = log::lines().join("\n");
    for table in tables {
        let query = format!("SELECT coalesce(string_agg(row::text, ' '), '') FROM {table} AS row");
        stored += &server.value::<String>(query).await;
    }
    stored
}

#[tokio::test]
async fn link_cookie_and_token_are_in_no_table_and_in_no_log() {
    log::begin();
    let server = TestServer::start().await;
    let link = link(&server, NORDWIND, JO).await;
    let mut visitor = Visitor::new(&server);
    let token = visitor.get(&link).await.form("/enter/")["token"].clone();
    visitor.open(&link).await;
    let path = link.split_once("/portal").unwrap().1;
    for misspelt in
        [format!("/portal{path}/"), format!("/portal//{path}"), format!("/Portal{path}")]
    {
        visitor.get(&misspelt).await;
    }
    let page = format!("/portal/payouts/{FORTY_ONE}");
    let form = with(visitor.get(&page).await.form("/comments"), "text", "Hello");
    visitor.post(&format!("{page}/comments"), &form).await;
    let sign_out = visitor.get(&page).await.form("/sign-out")["token"].clone();
    let secret = |ticket: &str| ticket.rsplit('.').next().unwrap().to_owned();
    let cookie = visitor.cookie.clone().unwrap();
    let stored = everything_stored(&server).await;
    for secret in [secret(&link), secret(&cookie), token, form["token"].clone(), sign_out] {
        assert!(secret.len() > 40, "{secret}");
        assert!(!stored.contains(&secret), "{secret} is stored or logged");
    }
    assert!(stored.contains("open_portal_session") && stored.contains("/portal/enter/…"));
    let history: Value = server
        .value(
            "SELECT jsonb_agg(jsonb_build_array(action, actor = resource_id, after ->> 'email',
                                                after ->> 'visitor') ORDER BY sequence)
               FROM history WHERE actor LIKE 'pse\\_%'",
        )
        .await;
    let expected =
        json!([["open_portal_session", true, JO, null], ["create_comment", false, null, JO],]);
    assert_eq!(history, expected);
}

#[tokio::test]
async fn requests_above_the_limits_are_refused_by_address_and_by_session() {
    let server = TestServer::start_with(|options| options.anonymous_requests_per_minute = 6).await;
    let visitor = jo(&server).await;
    // The link's page, its form, and these.
    for _ in 0..4 {
        assert_eq!(visitor.get("/portal").await.status, 200);
    }
    let refused = visitor.get("/portal").await;
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").parse::<u64>().unwrap() <= 60);
    let trusting = server
        .replica_with(|options| options.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()])
        .await;
    let mut many = Visitor { base: trusting.base_url().parse().unwrap(), ..visitor };
    let mut statuses = Vec::new();
    for address in 1..=7 {
        many.headers = vec![("x-forwarded-for", format!("192.0.2.{address}"))];
        statuses.push(many.get("/portal").await.status.as_u16());
    }
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 429]);
}

#[tokio::test]
async fn body_above_the_limit_is_413_and_the_longest_comment_is_accepted() {
    let server = TestServer::start().await;
    let visitor = jo(&server).await;
    let page = format!("/portal/payouts/{FORTY_ONE}");
    let form = visitor.get(&page).await.form("/comments");
    let address = format!("{page}/comments");
    let huge = with(form.clone(), "text", &"x".repeat(256 * 1024));
    assert_eq!(visitor.post(&address, &huge).await.status, 413);
    let long = with(form.clone(), "text", &"x".repeat(10_001));
    let rejected = visitor.post(&address, &long).await;
    assert_eq!(rejected.status, 422);
    assert!(rejected.text.contains("must have at most 10000 characters"), "{}", rejected.text);
    for empty in ["", " \r\n "] {
        assert_eq!(visitor.post(&address, &with(form.clone(), "text", empty)).await.status, 422);
    }
    let longest = with(form, "text", &"\u{1f600}".repeat(10_000));
    assert_eq!(visitor.post(&address, &longest).await.status, 303);
}

#[tokio::test]
async fn portal_with_a_host_of_its_own_is_on_no_other() {
    let server = TestServer::start_with(|options| {
        options.portal.portal_url = Some("https://partners.example/start".parse().unwrap());
    })
    .await;
    let link = link(&server, NORDWIND, JO).await;
    assert!(link.starts_with("https://partners.example/start/portal/enter/"), "{link}");
    let path = link.strip_prefix("https://partners.example").unwrap();
    let mut visitor = Visitor::new(&server);
    let elsewhere = visitor.get(path).await;
    assert_eq!(elsewhere.status, 404);
    assert!(elsewhere.text.contains("\"NOT_FOUND\""), "{}", elsewhere.text);
    visitor.headers = vec![("host", "PARTNERS.example".to_owned())];
    let form = visitor.get(path).await.form("/enter/");
    // The proxy may have removed the base path.
    let opened = visitor.post(path.strip_prefix("/start").unwrap(), &form).await;
    assert_eq!((opened.status.as_u16(), opened.header("location")), (303, "/start/portal"));
    let cookie = opened.header("set-cookie");
    assert!(cookie.starts_with("__Secure-payout-portal="), "{cookie}");
    let attributes = "; Path=/start/portal; Max-Age=43200; HttpOnly; SameSite=Lax; Secure";
    assert!(cookie.ends_with(attributes), "{cookie}");
}

#[tokio::test]
async fn unknown_cursors_fields_and_methods_change_nothing() {
    let server = TestServer::start().await;
    let visitor = jo(&server).await;
    for path in ["/portal/payouts?after=x", "/portal/commissions?after=%00", "/portal/unknown"] {
        assert_eq!(visitor.get(path).await.status, 404, "{path}");
    }
    let page = visitor.post("/portal/payouts", &HashMap::new()).await;
    assert_eq!((page.status.as_u16(), page.header("allow")), (405, "GET, HEAD"));
    assert_eq!(Visitor::new(&server).get("/portal/enter/x").await.status, 410);
}
