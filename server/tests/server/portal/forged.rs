//! Forms that no page of the session had (X17).

use std::collections::HashMap;

use super::{ANA, JO, PORTAL_PARTNER, Visitor, jo, link, with};
use crate::support::{
    TestServer,
    dataset::{FORTY_ONE, NORDWIND},
};

async fn comments(server: &TestServer) -> i64 {
    server.value("SELECT count(*) FROM comments WHERE source = 'PORTAL'").await
}

#[tokio::test]
async fn form_needs_a_token_of_its_own_page_session_and_id() {
    let server = TestServer::start().await;
    let (visitor, other) = (jo(&server).await, jo(&server).await);
    let before = comments(&server).await;
    let page = format!("/portal/payouts/{FORTY_ONE}");
    let address = format!("{page}/comments");
    let own = with(visitor.get(&page).await.form("/comments"), "text", "Hello");
    let foreign = other.get(&page).await.form("/comments");
    let sign_out = visitor.get(&page).await.form("/sign-out");
    let without = |name: &str| {
        let mut form = own.clone();
        form.remove(name);
        form
    };
    let forged = [
        HashMap::new(),
        without("token"),
        without("id"),
        with(own.clone(), "token", ""),
        with(own.clone(), "token", &foreign["token"]),
        with(own.clone(), "token", &sign_out["token"]),
        with(own.clone(), "id", &foreign["id"]),
        with(foreign, "text", "Hello"),
    ];
    for form in forged {
        let refused = visitor.post(&address, &form).await;
        assert_eq!(refused.status, 403, "{form:?}");
        assert!(refused.text.contains("This form was not accepted"));
    }
    assert_eq!(visitor.post("/portal/sign-out", &own).await.status, 403);
    assert_eq!(comments(&server).await, before);
    assert_eq!(visitor.post(&address, &own).await.status, 303);
    assert_eq!(comments(&server).await, before + 1);
}

#[tokio::test]
async fn form_of_another_site_is_refused_also_at_the_entrance() {
    let server = TestServer::start().await;
    let link = link(&server, NORDWIND, JO).await;
    let mut visitor = Visitor::new(&server);
    let form = visitor.get(&link).await.form("/enter/");
    assert_eq!(visitor.post(&link, &HashMap::new()).await.status, 403);
    for site in ["cross-site", "same-site"] {
        visitor.headers = vec![("sec-fetch-site", site.to_owned())];
        assert_eq!(visitor.post(&link, &form).await.status, 403, "{site}");
    }
    visitor.headers = vec![("sec-fetch-site", "same-origin".to_owned())];
    assert_eq!(visitor.open(&link).await.status, 303);
}

#[tokio::test]
async fn session_is_never_one_that_the_visitor_brought() {
    let server = TestServer::start().await;
    let planted = Visitor::enter(&server, PORTAL_PARTNER, ANA).await.cookie;
    let link = link(&server, NORDWIND, JO).await;
    let mut visitor = Visitor { cookie: planted.clone(), ..Visitor::new(&server) };
    assert_eq!(visitor.open(&link).await.status, 303);
    assert_ne!(visitor.cookie, planted);
    let page = visitor.get("/portal").await;
    assert!(page.text.contains("Nordwind Handels GmbH"), "{}", page.text);
    // Which of two was meant is not known.
    let both = format!("{}; {}", visitor.cookie.clone().unwrap(), planted.unwrap());
    visitor.cookie = Some(both);
    assert_eq!(visitor.get("/portal").await.status, 403);
}

#[tokio::test]
async fn form_that_is_sent_twice_counts_once() {
    let server = TestServer::start().await;
    let visitor = jo(&server).await;
    let before = comments(&server).await;
    let page = format!("/portal/payouts/{FORTY_ONE}");
    let comment = with(visitor.get(&page).await.form("/comments"), "text", "Once");
    for _ in 0..2 {
        let sent = visitor.post(&format!("{page}/comments"), &comment).await;
        assert_eq!(sent.header("location"), format!("{page}#comments"));
    }
    assert_eq!(comments(&server).await, before + 1);

    let form = "/portal/forms/frm_01JV3N8Q5R0000000000000001";
    let filled = with(visitor.get(form).await.form("/forms/"), "field.company", "Acme");
    let mut locations = Vec::new();
    for _ in 0..2 {
        let sent = visitor.post(form, &filled).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
        locations.push(sent.header("location").to_owned());
    }
    assert_eq!(locations[0], locations[1]);
    let sent = visitor.get(&locations[0]).await;
    assert!(sent.text.contains("Acme"), "{}", sent.text);
    let by = "SELECT count(*) FROM form_submissions WHERE email = 'jo@nordwind.example'
                 AND fields ->> 'company' = 'Acme'";
    assert_eq!(server.value::<i64>(by).await, 1);
}
