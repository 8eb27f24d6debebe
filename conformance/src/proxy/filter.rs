//! Filters in the language of jq, by which rows of tables change requests and responses. A filter
//! gets what it may change as JSON, and returns it changed; where it fails, nothing is changed.
//! `filter.jq` says what it gets, and defines what several rows use.

use std::sync::LazyLock;

use hyper::{HeaderMap, StatusCode, header::HeaderName};
use jaq_core::{
    Compiler, Ctx, Native, Vars,
    data::JustLut,
    load::{Arena, File, Loader},
    unwrap_valr,
};
use jaq_json::{Val, read};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::upstream::Upstream;
use crate::{
    exchange::{Request, Response},
    secret::Secret,
};

const DEFINITIONS: &str = include_str!("filter.jq");

type Compiled = jaq_core::compile::Filter<Native<JustLut<Val>>>;

/// Compiled where it is first used: all of them together take a second.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(crate) struct Filter(LazyLock<Compiled, Box<dyn FnOnce() -> Compiled + Send>>);

/// A filter keeps this from one response to the next.
struct Memory(Value);

impl Default for Memory {
    fn default() -> Self {
        Self(json!({}))
    }
}

impl From<String> for Filter {
    fn from(text: String) -> Self {
        Self(LazyLock::new(Box::new(move || compiled(&text))))
    }
}

fn compiled(text: &str) -> Compiled {
    let arena = Arena::default();
    let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let funs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let code = format!("{DEFINITIONS}{text}");
    let loaded = Loader::new(defs).load(&arena, File { code: &*code, path: () });
    let modules = loaded.unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let compiled = Compiler::default().with_funs(funs).compile(modules);
    compiled.unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

impl Filter {
    #[cfg(test)]
    pub(crate) fn compile(&self) {
        LazyLock::force(&self.0);
    }

    pub(crate) fn apply(&self, input: &Value) -> Option<Value> {
        let value = read::parse_single(input.to_string().as_bytes()).ok()?;
        let context = Ctx::<JustLut<Val>>::new(&self.0.lut, Vars::new([]));
        let output = self.0.id.run((context, value)).map(unwrap_valr).next()?.ok()?;
        serde_json::from_str(&output.to_string()).ok()
    }

    pub(crate) fn change_request(&self, request: &mut Request, before: Option<&Value>) {
        let mut seen = request.seen();
        seen["before"] = json!(before);
        if let Some(changed) = self.apply(&seen) {
            request.become_like(&seen, &changed);
        }
    }

    /// Returns the request to send in place of this one, if the filter gives another.
    pub(crate) fn change_response(
        &self,
        request: &Request,
        [before, after]: [Option<Value>; 2],
        response: &mut Response,
        upstream: &Upstream,
    ) -> Option<Request> {
        let mut asked = request.seen();
        asked["organization"] = upstream.organization(request).name().into();
        upstream.remember(|Memory(memory)| {
            let seen = json!({
                "request": asked,
                "before": before,
                "after": after,
                "status": response.status.as_u16(),
                "headers": of_headers(&response.headers),
                "body": response.json,
                "memory": memory,
            });
            let changed = self.apply(&seen)?;
            memory.clone_from(&changed["memory"]);
            let status = changed["status"].as_u64().and_then(|status| u16::try_from(status).ok());
            response.status = StatusCode::from_u16(status?).ok()?;
            change_headers(&mut response.headers, &seen["headers"], &changed["headers"]);
            if changed["body"] != seen["body"] {
                response.set_body(as_text(&changed["body"]));
            }
            let mut again = request.clone();
            again.become_like(&asked, changed.get("again")?);
            Some(again)
        })
    }
}

impl Request {
    /// The request as filters see it.
    fn seen(&self) -> Value {
        let query: Map<String, Value> =
            self.parameters().into_iter().map(|(name, value)| (name, value.into())).collect();
        json!({
            "operation": self.operation().map(|operation| &operation.id),
            "method": self.method.as_str(),
            "path": self.path(),
            "id": self.id(),
            "is_list": self.is_list(),
            "keys": self.key.secrets().iter().map(Secret::expose).collect::<Vec<_>>(),
            "query": query,
            "headers": of_headers(&self.headers),
            "body": self.read_json(),
        })
    }

    /// Changes what differs from what was seen.
    fn become_like(&mut self, seen: &Value, changed: &Value) {
        if changed["path"] != seen["path"] {
            self.target = self.target.replacen(self.path(), &as_text(&changed["path"]), 1);
        }
        if changed["query"] != seen["query"] {
            let query = changed["query"].as_object().into_iter().flatten();
            let query: Vec<_> = query.map(|(name, text)| (name.clone(), as_text(text))).collect();
            self.set_parameters(&query);
        }
        change_headers(&mut self.headers, &seen["headers"], &changed["headers"]);
        if changed["body"] != seen["body"] {
            self.set_json(&changed["body"]);
        }
    }
}

fn of_headers(headers: &HeaderMap) -> Value {
    let text = |value: &[u8]| Value::from(String::from_utf8_lossy(value));
    headers.iter().map(|(name, value)| (name.as_str(), text(value.as_bytes()))).collect()
}

/// Changes the headers that differ; a list is a header that is sent several times.
fn change_headers(headers: &mut HeaderMap, seen: &Value, changed: &Value) {
    let names = [seen, changed].map(|all| all.as_object().into_iter().flat_map(Map::keys));
    for name in names.into_iter().flatten().filter(|name| seen.get(name) != changed.get(name)) {
        let name: HeaderName = name.parse().expect("a header's name");
        headers.remove(&name);
        let values = match changed.get(name.as_str()) {
            Some(Value::Array(values)) => &values[..],
            Some(value) => std::slice::from_ref(value),
            None => &[],
        };
        for value in values {
            headers.append(&name, as_text(value).parse().expect("a header's value"));
        }
    }
}

/// A text as it is, and anything else as JSON.
fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
