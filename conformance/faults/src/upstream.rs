//! The deployment behind the proxy: sends requests to it, and keeps what a fault remembers of
//! earlier ones.

use std::{
    any::{Any, TypeId},
    collections::{HashMap, HashSet},
    sync::{Mutex, PoisonError},
};

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{HeaderMap, header};

use crate::{
    keys::Keys,
    message::{CREDITS_REMAINING, Request, Response},
    transport::Pool,
};

/// The largest response that is passed on.
const BODY_LIMIT_BYTES: usize = 64 * 1_024 * 1_024;
/// Pages of a list that a fault reads at most.
const PAGE_LIMIT: usize = 50;
/// Headers of one connection, which HTTP forbids to pass on (RFC 9110 §7.6.1).
const OF_ONE_CONNECTION: [header::HeaderName; 4] =
    [header::CONNECTION, header::TE, header::TRANSFER_ENCODING, header::UPGRADE];

/// The deployment, as one fault knows it.
#[derive(Debug)]
pub(crate) struct Upstream {
    pool: Pool,
    keys: Keys,
    memory: Mutex<HashMap<TypeId, Box<dyn Any + Send>>>,
}

#[derive(Default)]
struct Count(u64);

/// Names of requests that have no response yet.
#[derive(Default)]
struct Running(HashSet<String>);

#[derive(Default)]
struct WorkingKeys(HashSet<String>);

/// Credits that each organisation lost, or got back where negative.
#[derive(Default)]
struct Charged(HashMap<&'static str, i64>);

impl Upstream {
    pub(crate) fn new(pool: Pool, keys: Keys) -> Self {
        Self { pool, keys, memory: Mutex::default() }
    }

    /// Sends a request. Where no response comes the proxy answers 502 and says why.
    pub(crate) async fn send(&self, request: &Request) -> Response {
        let response = self.exchange(request).await.unwrap_or_else(|error| {
            Response::bad_gateway(&format!("{} did not answer: {error}", request.origin))
        });
        if response.status.is_success()
            && let Some(key) = request.key()
        {
            self.remember(|WorkingKeys(keys)| keys.insert(key.to_owned()));
        }
        response
    }

    async fn exchange(
        &self,
        request: &Request,
    ) -> Result<Response, Box<dyn std::error::Error + Send + Sync>> {
        let uri = format!("{}{}", request.origin, request.target);
        let mut built = hyper::Request::builder().method(request.method.clone()).uri(uri);
        if let Some(headers) = built.headers_mut() {
            *headers = without_connection_headers(request.headers.clone());
            headers.remove(header::HOST);
            headers.remove(header::CONTENT_LENGTH);
        }
        let response = self.pool.request(built.body(Full::new(request.body.clone()))?).await?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, BODY_LIMIT_BYTES).collect().await?.to_bytes();
        Ok(Response {
            status: head.status,
            headers: without_connection_headers(head.headers),
            body,
        })
    }

    /// Sends a request, which `change` changes while another one of the same name runs.
    pub(crate) async fn send_concurrently(
        &self,
        name: Option<String>,
        mut request: Request,
        change: impl FnOnce(&mut Request),
    ) -> Response {
        let Some(name) = name else { return self.send(&request).await };
        let is_first = self.remember(|Running(names)| names.insert(name.clone()));
        if !is_first {
            change(&mut request);
        }
        let response = self.send(&request).await;
        if is_first {
            self.remember(|Running(names)| names.remove(&name));
        }
        response
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The request with the key of a role; without such a key the request itself.
    pub(crate) fn in_role(&self, role: &str, request: &Request) -> Request {
        self.keys.get(role).map_or_else(|| request.clone(), |key| request.with_key(key))
    }

    /// The request with a key that may do everything in the same organisation.
    pub(crate) fn with_all_scopes(&self, request: &Request) -> Request {
        match request.key() {
            Some(key) if self.keys.organization(key) == "all" => self.in_role("all", request),
            _ => request.clone(),
        }
    }

    /// Keys that were valid at some time: those of the target file, and those of requests that
    /// succeeded.
    pub(crate) fn known_keys(&self) -> Vec<String> {
        let working = self.remember(|WorkingKeys(keys)| keys.iter().cloned().collect::<Vec<_>>());
        self.keys.values().map(str::to_owned).chain(working).collect()
    }

    pub(crate) fn has_worked(&self, key: &str) -> bool {
        self.remember(|WorkingKeys(keys)| keys.contains(key))
    }

    /// The organisation that pays for a request.
    pub(crate) fn organization(&self, request: &Request) -> &'static str {
        self.keys.organization(request.key().unwrap_or_default())
    }

    /// Shows the organisation's credits without what earlier responses cost more than they said,
    /// and charges what this one costs.
    pub(crate) fn charge(&self, request: &Request, response: &mut Response, cost: i64) {
        let organization = self.organization(request);
        let charged = self.remember(|Charged(charged)| {
            let before = charged.entry(organization).or_default();
            std::mem::replace(before, *before + cost)
        });
        let remaining = response.number(&CREDITS_REMAINING).filter(|_| !response.is(402));
        if let Some(remaining) = remaining {
            let remaining = remaining.saturating_add_signed(-charged);
            response.set_number(CREDITS_REMAINING, remaining);
        }
    }

    /// Reads and changes what this fault remembers, one value of each type.
    pub(crate) fn remember<T: Default + Send + 'static, R>(
        &self,
        with: impl FnOnce(&mut T) -> R,
    ) -> R {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let value = memory.entry(TypeId::of::<T>()).or_insert_with(|| Box::<T>::default());
        with(value.downcast_mut().expect("each type has a value of its own"))
    }

    /// How often this was called, this time included.
    pub(crate) fn count(&self) -> u64 {
        self.remember(|Count(count)| {
            *count += 1;
            *count
        })
    }

    /// All items of a list, read with this request's key and filters.
    pub(crate) async fn walk(&self, request: &Request) -> Vec<serde_json::Value> {
        let mut items = Vec::new();
        let mut page = request.with_parameter("limit", "100");
        page.retain_parameters(|name, _| name != "cursor");
        for _ in 0..PAGE_LIMIT {
            let body = self.send(&page).await.json().unwrap_or_default();
            items.extend(body["data"].as_array().cloned().unwrap_or_default());
            let Some(cursor) = body["pagination"]["nextCursor"].as_str() else {
                break;
            };
            page = page.with_parameter("cursor", cursor);
        }
        items
    }
}

fn without_connection_headers(mut headers: HeaderMap) -> HeaderMap {
    for name in OF_ONE_CONNECTION {
        headers.remove(name);
    }
    headers
}
