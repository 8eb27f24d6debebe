//! `GET /r/{code}` (X18).

use reqwest::Method;

use super::{CODE, click, new_link, target, visit};
use crate::support::{TestServer, current_minute, dataset::MAIN, log, until};
use payout_server::affiliate::{
    model::Rate,
    operator::{Disabled, store},
};
use rust_decimal::Decimal;

const CLICKS: &str = "SELECT count(*) FROM clicks WHERE id NOT LIKE 'clk_01JV3N8Q5R%'";

#[tokio::test]
async fn each_visit_is_a_click_and_leads_to_the_target_with_its_id() {
    let server = TestServer::start().await;
    let visited = visit(&server, Method::GET, CODE, &[]).await;
    assert_eq!(visited.status(), 302);
    let headers = visited.headers();
    assert_eq!(headers["cache-control"], "no-store");
    assert!(headers.contains_key("x-request-id") && !headers.contains_key("set-cookie"));
    let to = target(&visited);
    assert!(to.as_str().starts_with("https://shop.example/offer?from=partner&clickId=clk_"));
    let first = click(&server, CODE).await;
    let second = click(&server, CODE).await;
    assert_ne!(first, second);
    let stored = "SELECT string_agg(DISTINCT link_id || ' ' || organization_id, ',') FROM clicks
                   WHERE id NOT LIKE 'clk_01JV3N8Q5R%'";
    let expected = format!("afl_01JV3N8Q5R0000000000000001 {MAIN}");
    assert_eq!(server.value::<String>(stored).await, expected);
    assert_eq!(server.value::<i64>(CLICKS).await, 3);
}

#[tokio::test]
async fn what_is_no_visit_is_redirected_without_a_click() {
    let start = || {
        TestServer::start_with(|options| {
            options.anonymous_requests_per_minute = 2;
            options.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
        })
    };
    let from = |address: &'static str| ("x-forwarded-for", address);
    let server = start().await;
    let none = [
        (Method::HEAD, vec![from("192.0.2.1")]),
        (Method::GET, vec![from("192.0.2.1"), ("sec-purpose", "prefetch;prerender")]),
        (Method::GET, vec![from("192.0.2.1"), ("purpose", "preview")]),
    ];
    for (method, headers) in none {
        let visited = visit(&server, method, CODE, &headers).await;
        assert_eq!(visited.status(), 302);
        assert_eq!(target(&visited).as_str(), "https://shop.example/offer?from=partner");
    }
    assert_eq!(server.value::<i64>(CLICKS).await, 0);
    // Visits between which the server's minute ends are made once more, at a new server.
    let clicks = loop {
        let (server, begun, mut clicks) = (start().await, current_minute(), Vec::new());
        for address in ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"] {
            let visited = visit(&server, Method::GET, CODE, &[from(address)]).await;
            assert_eq!(visited.status(), 302);
            clicks.push(server.value::<i64>(CLICKS).await);
        }
        if current_minute() == begun {
            break clicks;
        }
    };
    // The third of one address is above its allowance; another address has its own.
    assert_eq!(clicks, [1, 2, 2, 3]);
}

#[tokio::test]
async fn unknown_and_disabled_links_are_one_page() {
    let server = TestServer::start().await;
    new_link(&server, "to-be-disabled", Rate::Percent(Decimal::TEN), [30, 90]).await;
    click(&server, "to-be-disabled").await;
    let mut transaction = server.write(MAIN).await;
    let disable = store::disable_link(&mut transaction, "to-be-disabled").await;
    assert_eq!(disable.unwrap(), Disabled::Now);
    transaction.commit().await.unwrap();
    let mut pages = Vec::new();
    for code in ["to-be-disabled", "nobody-has-this"] {
        let page = visit(&server, Method::GET, code, &[]).await;
        assert_eq!(page.status(), 404);
        assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("'none'"));
        pages.push(page.text().await.unwrap());
    }
    assert!(pages[0].contains("This link does not exist") && pages[0] == pages[1]);
    assert_eq!(server.value::<i64>(CLICKS).await, 1);
    let wrong = visit(&server, Method::POST, CODE, &[]).await;
    assert_eq!(wrong.status(), 405);
    assert_eq!(wrong.headers()["allow"], "GET, HEAD");
    // What is no code is no link, but an unknown path of the API.
    let api = visit(&server, Method::GET, "short", &[]).await;
    assert_eq!(api.status(), 404);
    assert!(api.text().await.unwrap().contains("NOT_FOUND"));
}

#[tokio::test]
async fn links_are_on_the_portals_host_alone_where_it_has_one() {
    let server = TestServer::start_with(|options| {
        options.portal.portal_url = Some("https://portal.example".parse().unwrap());
    })
    .await;
    let hosts = [("portal.example", 302), ("PORTAL.example", 302), ("api.example", 404)];
    for (host, status) in hosts {
        let visited = visit(&server, Method::GET, CODE, &[("host", host)]).await;
        assert_eq!(visited.status(), status, "{host}");
    }
}

#[tokio::test]
async fn without_a_database_the_visitor_gets_a_page_and_afterwards_the_link_works_again() {
    let server = TestServer::start().await;
    click(&server, CODE).await;
    server.disconnect("CONNECTION LIMIT 0").await;
    let page = visit(&server, Method::GET, CODE, &[]).await;
    assert_eq!(page.status(), 503);
    assert_eq!(page.headers()["retry-after"], "1");
    assert!(page.text().await.unwrap().contains("does not work right now"));
    server.disconnect("CONNECTION LIMIT -1").await;
    until(async || visit(&server, Method::GET, CODE, &[]).await.status() == 302).await;
}

#[tokio::test]
async fn visits_are_logged_by_their_path_and_counted_without_their_link() {
    let server = TestServer::start().await;
    click(&server, CODE).await;
    let counted = r#"payout_requests_total{operation="affiliate-link",status="302"} 1"#;
    until(async || server.metrics().contains(counted)).await;
    assert!(!server.metrics().contains(CODE));
    let logged = format!("/r/{CODE}");
    until(async || log::lines().iter().any(|line| line.contains(&logged))).await;
}

#[tokio::test]
async fn visitor_of_a_stopped_organization_is_asked_to_come_again_and_no_click_is_recorded() {
    let server = TestServer::start().await;
    let stop = format!("UPDATE organizations SET stopped_at = now() WHERE id = '{MAIN}'");
    server.execute(stop).await;
    for method in [Method::GET, Method::HEAD] {
        let visited = visit(&server, method, CODE, &[]).await;
        assert_eq!(visited.status(), 503);
        assert!(visited.headers().contains_key("retry-after"));
    }
    assert_eq!(server.value::<i64>(CLICKS).await, 0);
    server.execute("UPDATE organizations SET stopped_at = NULL").await;
    click(&server, CODE).await;
}
