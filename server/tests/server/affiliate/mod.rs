//! Affiliate links, clicks, conversions and their reversal (X18–X20), beside what the suite sees.

mod conversions;
mod maturity;
mod races;
mod redirect;

use reqwest::{Client, Method, Response, redirect::Policy};
use serde_json::{Value, json};
use url::Url;

use crate::support::{
    Key, Replica, TestResponse, TestServer,
    dataset::{MAIN, NORDWIND},
};
use payout_server::affiliate::{
    model::{Amount, Rate},
    operator::{NewLink, store},
};

const CONVERSIONS: &str = "/api/v1/affiliate/conversions";
/// A link of main that pays 10 %, with a hold of 30 days and a window of 90.
const CODE: &str = "main-affiliate";

/// A visit, which follows no redirect.
async fn visit(server: &Replica, method: Method, code: &str, headers: &[(&str, &str)]) -> Response {
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let address = format!("{}/r/{code}", server.base_url());
    let request = headers.iter().fold(client.request(method, address), |request, (name, value)| {
        request.header(*name, *value)
    });
    request.send().await.unwrap()
}

fn target(visited: &Response) -> Url {
    Url::parse(visited.headers()["location"].to_str().unwrap()).unwrap()
}

/// A click on the link with this code.
async fn click(server: &Replica, code: &str) -> String {
    let visited = visit(server, Method::GET, code, &[]).await;
    assert_eq!(visited.status(), 302);
    let target = target(&visited);
    let click = target.query_pairs().find(|(name, _)| name == "clickId");
    click.expect("a click").1.into_owned()
}

/// A link of [`NORDWIND`] that pays this, with a hold and a window in days.
async fn new_link(server: &TestServer, code: &str, rate: Rate, days: [i32; 2]) {
    let mut transaction = server.write(MAIN).await;
    let link = NewLink {
        partner_id: NORDWIND,
        target_url: "https://shop.example/",
        plan_name: "Referral",
        rate: &rate,
        hold_days: days[0],
        window_days: days[1],
    };
    store::create_link(&mut transaction, code, &link).await.unwrap().expect("a free code");
    transaction.commit().await.unwrap();
}

fn fixed(value: &str, currency: &str) -> Rate {
    Rate::Fixed(Amount { value: value.parse().unwrap(), currency: currency.to_owned() })
}

async fn record(server: &Replica, body: Value, status: u16) -> TestResponse {
    server.post(Key::MAIN, CONVERSIONS).json(&body).expect(status).await
}

/// A conversion of an order of 100.00 EUR after a new click on [`CODE`].
async fn order(server: &Replica, external_id: &str) -> TestResponse {
    let click = click(server, CODE).await;
    let body = json!({
        "clickId": click, "externalId": external_id, "amount": "100.00", "currency": "EUR",
    });
    record(server, body, 201).await
}

async fn reverse(server: &Replica, conversion: &str) -> TestResponse {
    let path = format!("{CONVERSIONS}/{conversion}/reverse");
    server.post(Key::MAIN, &path).expect(200).await
}

async fn line_of(server: &Replica, conversion: &TestResponse) -> TestResponse {
    let line = conversion.text_at("/data/commissionLineId");
    server.get(Key::MAIN, &format!("/api/v1/commission-lines/{line}")).expect(200).await
}
