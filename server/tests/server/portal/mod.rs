//! The portal of a partner (X16, X17): in a real browser, under attack, and behind its wall.

mod attacks;
mod axe;
mod browser;
mod chromium;
mod forged;
mod pipe;
mod sessions;
mod wall;

use std::collections::HashMap;

use poem::http::StatusCode;
use reqwest::{Client, header::HeaderMap, redirect::Policy};
use serde_json::json;
use url::{Url, form_urlencoded};

use crate::support::{Key, Replica, dataset::NORDWIND};

/// Who may enter the portal of [`NORDWIND`].
const JO: &str = "jo@nordwind.example";
/// A partner of the same organisation whose portal is open to its domain.
const PORTAL_PARTNER: &str = "ptn_01JV3N8Q5R000000000000000G";
const ANA: &str = "ana@portal.example";

/// A new link into the portal.
async fn link(server: &Replica, partner: &str, email: &str) -> String {
    let request = server.post(Key::MAIN, "/api/v1/portal-sessions");
    let body = json!({ "partnerId": partner, "email": email });
    let response = request.json(&body).expect(201).await;
    response.text_at("/data/url").to_owned()
}

/// A browser without scripts and without comfort: it follows no redirect by itself.
#[derive(Clone)]
struct Visitor {
    client: Client,
    base: Url,
    cookie: Option<String>,
    headers: Vec<(&'static str, String)>,
}

struct Html {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Visitor {
    fn new(server: &Replica) -> Self {
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        let base = Url::parse(server.base_url()).unwrap();
        Self { client, base, cookie: None, headers: Vec::new() }
    }

    /// A visitor who has opened a new link.
    async fn enter(server: &Replica, partner: &str, email: &str) -> Self {
        let mut visitor = Self::new(server);
        let link = link(server, partner, email).await;
        assert_eq!(visitor.open(&link).await.status, 303);
        visitor
    }

    /// Sends the form of a link, and keeps the cookie.
    async fn open(&mut self, link: &str) -> Html {
        let page = self.get(link).await;
        if page.status != 200 {
            return page;
        }
        let opened = self.post(link, &page.form("/enter/")).await;
        let cookie = opened.headers.get("set-cookie");
        self.cookie = cookie.map(|cookie| {
            let cookie = cookie.to_str().unwrap();
            cookie.split(';').next().unwrap().to_owned()
        });
        opened
    }

    async fn get(&self, path: &str) -> Html {
        self.send(self.client.get(self.base.join(path).unwrap())).await
    }

    async fn post(&self, path: &str, fields: &HashMap<String, String>) -> Html {
        let mut body = form_urlencoded::Serializer::new(String::new());
        let body = body.extend_pairs(fields).finish();
        let request = self.client.post(self.base.join(path).unwrap()).body(body);
        self.send(request.header("content-type", "application/x-www-form-urlencoded")).await
    }

    async fn send(&self, mut request: reqwest::RequestBuilder) -> Html {
        let cookie = self.cookie.iter().map(|cookie| ("cookie", cookie));
        let headers = self.headers.iter().map(|(name, value)| (*name, value));
        for (name, value) in cookie.chain(headers) {
            request = request.header(name, value);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        Html { status, headers, text: response.text().await.unwrap() }
    }
}

impl Html {
    /// The hidden fields of the form whose address has this part.
    fn form(&self, part: &str) -> HashMap<String, String> {
        let text = self.text.replace("&#x2f;", "/");
        let mut forms = text.split("<form").skip(1);
        let form = forms.find(|form| form.split('>').next().unwrap().contains(part));
        let form = form.unwrap_or_else(|| panic!("no form {part} in {text}"));
        let form = form.split("</form>").next().unwrap();
        let attribute = |input: &str, name: &str| {
            let (_, value) = input.split_once(&format!("{name}=\"")).unwrap();
            value.split('"').next().unwrap().to_owned()
        };
        let inputs = form.split("<input").filter(|input| input.contains("type=\"hidden\""));
        inputs.map(|input| (attribute(input, "name"), attribute(input, "value"))).collect()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// The fields of a form, with one more.
fn with(mut form: HashMap<String, String>, name: &str, value: &str) -> HashMap<String, String> {
    form.insert(name.to_owned(), value.to_owned());
    form
}

/// A visitor of nordwind's portal.
async fn jo(server: &Replica) -> Visitor {
    Visitor::enter(server, NORDWIND, JO).await
}
