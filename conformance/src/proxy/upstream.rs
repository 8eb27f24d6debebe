//! The deployment behind the proxy: sends requests to it, and keeps what a fault remembers of
//! earlier ones.

use std::{
    any::{Any, TypeId},
    collections::{HashMap, HashSet},
    sync::{Mutex, PoisonError},
};

use hyper::{HeaderMap, header};
use serde_json::Value;

use crate::{
    exchange::{
        Key, Request, Response,
        headers::{CREDITS_REMAINING, ORIGIN},
        transport::{self, Pool},
    },
    secret::Secret,
    target::{Keys, Role},
};

/// Pages of a list that a fault reads at most.
const PAGE_LIMIT: usize = 50;
/// Headers of one connection, which HTTP forbids to pass on (RFC 9110 §7.6.1), and those that each
/// hop writes itself.
const OF_ONE_CONNECTION: [header::HeaderName; 4] =
    [header::CONNECTION, header::TE, header::TRANSFER_ENCODING, header::UPGRADE];

/// The deployment, as one fault knows it.
#[derive(Debug)]
pub(crate) struct Upstream {
    /// Scheme and authority, for requests that name no other.
    origin: String,
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
struct WorkingKeys(Vec<Secret>);

/// Credits that each organisation lost, or got back where negative.
#[derive(Default)]
struct Charged(HashMap<Role, i64>);

impl Upstream {
    pub(crate) fn new(origin: &str, pool: Pool, keys: Keys) -> Self {
        let origin = origin.trim_end_matches('/').to_owned();
        Self { origin, pool, keys, memory: Mutex::default() }
    }

    /// Sends a request. Where no response comes the proxy answers 502 and says why.
    pub(crate) async fn send(&self, request: &Request) -> Response {
        let mut request = request.clone();
        let origin = request.headers.remove(ORIGIN);
        let origin = origin.as_ref().and_then(|origin| origin.to_str().ok());
        let origin = origin.unwrap_or(&self.origin);
        let address = format!("{origin}{}", request.target);
        let mut response =
            transport::send(&self.pool, &address, &request).await.unwrap_or_else(|error| {
                Response::bad_gateway(&format!("{origin} did not answer: {error}"))
            });
        response.headers = without_connection_headers(response.headers);
        if let Key::Secret(key) = &request.key
            && response.is_success()
        {
            self.remember(|WorkingKeys(keys)| {
                if !keys.contains(key) {
                    keys.push(key.clone());
                }
            });
        }
        response
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
    pub(crate) fn in_role(&self, role: Role, request: &Request) -> Request {
        self.keys.get(role).map_or_else(|| request.clone(), |key| request.clone().with(key))
    }

    /// The request with a key that may do everything in the same organisation.
    pub(crate) fn with_all_scopes(&self, request: &Request) -> Request {
        match request.only_key() {
            Some(key) if self.keys.organization_of(key) == Role::All => {
                self.in_role(Role::All, request)
            }
            _ => request.clone(),
        }
    }

    /// Keys that were valid at some time: those of the target file, and those of requests that
    /// succeeded.
    pub(crate) fn known_keys(&self) -> Vec<Secret> {
        let working = self.remember(|WorkingKeys(keys)| keys.clone());
        self.keys.iter().map(|(_, key)| key.clone()).chain(working).collect()
    }

    pub(crate) fn has_worked(&self, key: &str) -> bool {
        self.remember(|WorkingKeys(keys)| keys.iter().any(|known| known.expose() == key))
    }

    /// The organisation that pays for a request.
    pub(crate) fn organization(&self, request: &Request) -> Role {
        self.keys.organization_of(request.only_key().unwrap_or_default())
    }

    /// Shows the organisation's credits without what earlier responses cost more than they said,
    /// and charges what this one costs.
    pub(crate) fn charge(&self, request: &Request, response: &mut Response, cost: i64) {
        let organization = self.organization(request);
        let charged = self.remember(|Charged(charged)| {
            let before = charged.entry(organization).or_default();
            std::mem::replace(before, *before + cost)
        });
        let remaining = response.number(CREDITS_REMAINING).filter(|_| !response.has_status(402));
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

    /// Counts the calls, this one included.
    pub(crate) fn count(&self) -> u64 {
        self.remember(|Count(count)| {
            *count += 1;
            *count
        })
    }

    /// The resource whose id is in the path of a request, as it is now.
    pub(crate) async fn resource(&self, request: &Request) -> Option<Value> {
        request.id()?;
        let template = request.operation()?.path.split('/');
        let depth = template.take_while(|segment| !segment.starts_with('{')).count() + 1;
        let path: Vec<&str> = request.path().split('/').take(depth).collect();
        let read = request.then_get(path.join("/"));
        self.send(&self.with_all_scopes(&read)).await.data()
    }

    /// All items of a list, read with this request's key and filters.
    pub(crate) async fn walk(&self, request: &Request) -> Vec<Value> {
        let mut items = Vec::new();
        let mut page = request.with_parameter("limit", "100");
        page.retain_parameters(|name, _| name != "cursor");
        for _ in 0..PAGE_LIMIT {
            let body = self.send(&page).await.json.unwrap_or_default();
            items.extend(body["data"].as_array().cloned().unwrap_or_default());
            let Some(cursor) = body["pagination"]["nextCursor"].as_str() else {
                break;
            };
            page = page.with_parameter("cursor", cursor);
        }
        items
    }
}

/// Removes the headers that each connection has of its own.
pub(super) fn without_connection_headers(mut headers: HeaderMap) -> HeaderMap {
    for name in OF_ONE_CONNECTION {
        headers.remove(name);
    }
    headers
}
