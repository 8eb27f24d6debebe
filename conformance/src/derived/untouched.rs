//! Faults of members that an operation must not touch: one of them is lost, in the answer
//! or where the resource is read afterwards.

use std::collections::HashSet;

use hyper::Method;
use openapi_document::{Method as DocumentedMethod, Operation, Shape};
use serde_json::{Map, Value, json};

use super::maker::Maker;
use crate::{
    document::kebab,
    effects::{self, Thing},
    exchange::{Request, Response},
    proxy::upstream::Upstream,
};

/// One member that an operation loses.
struct Loss {
    operation: &'static str,
    /// The thing that loses it.
    thing: Thing,
    member: &'static str,
    shape: Shape,
    /// The members of the thing that the operation's own body may set.
    settable: Vec<&'static str>,
}

/// Ids of the resources that an operation was about, and of the one that it answered with last.
#[derive(Default)]
struct Touched {
    ids: HashSet<String>,
    last: Value,
}

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    if operation.method == DocumentedMethod::Get {
        return;
    }
    let answered = effects::answered(&operation.id);
    for thing in Thing::ALL {
        let is_answered = answered == Some(thing);
        let changes = effects::changes(&operation.id, thing);
        let members = match thing {
            Thing::Payout | Thing::Neighbour if is_about_lines(operation) => thing.members(),
            Thing::Pending if !changes.is_empty() && answered != Some(Thing::Line) => {
                thing.members()
            }
            _ if is_answered => thing.members(),
            _ => continue,
        };
        let names: Vec<&'static str> = members.iter().map(|(name, _)| *name).collect();
        // Equal neighbours are compared as a whole: one member stands for all.
        let is_tried = |name: &str| match thing {
            Thing::Neighbour => name == "updatedAt",
            _ => name != "id" && !changes.contains(&name),
        };
        for (member, shape) in members.into_iter().filter(|(name, _)| is_tried(name)) {
            let is_settable = is_answered && !changes.is_empty();
            let settable = if is_settable { names.clone() } else { Vec::new() };
            let loss = || Loss {
                operation: &operation.id,
                thing,
                member,
                shape: shape.clone(),
                settable: settable.clone(),
            };
            if is_answered {
                in_answer(maker, loss());
            }
            in_reads(maker, loss());
        }
    }
}

/// Returns true if the operation is about the lines of a payout, or the payout that has them.
fn is_about_lines(operation: &Operation) -> bool {
    let answered = effects::answered(&operation.id);
    let is_payout = operation.path.contains("/payouts/{");
    answered == Some(Thing::Line) || is_payout
}

fn in_answer(maker: &mut Maker, loss: Loss) {
    let name = format!("untouched.answer.{}", kebab(loss.member));
    let sentence = format!("{{operation}} answers another {} than there is.", loss.member);
    maker.edit(&name, &sentence, move |request, response| {
        if response.has_status(200) && !loss.is_set_by(request) {
            response.edit_resources(|resource| loss.lose(resource));
        }
    });
}

fn in_reads(maker: &mut Maker, loss: Loss) {
    let (thing, member) = (loss.thing.name(), loss.member);
    let name = format!("untouched.{thing}.{}", kebab(member));
    let words = thing.replace('-', " ");
    let sentence = format!("{{operation}} changes {member}, which a {words} is to keep.");
    let loss: &'static Loss = Box::leak(Box::new(loss));
    maker.exchange_all(&name, &sentence, &[], move |request, upstream| {
        Box::pin(exchange(loss, request, upstream))
    });
}

async fn exchange(loss: &'static Loss, request: Request, upstream: &Upstream) -> Response {
    let before = match request.id() {
        Some(id) if request.is(loss.operation) => current(&request, id, upstream).await,
        _ => Value::Null,
    };
    let mut response = upstream.send(&request).await;
    let Some(data) = response.data() else { return response };
    if request.is(loss.operation) {
        let is_set = loss.is_set_by(&request);
        let ids = [&data["id"], &data["payoutId"], &before["id"], &before["payoutId"]];
        let ids = ids.into_iter().filter_map(Value::as_str).map(str::to_owned);
        upstream.remember(|touched: &mut Touched| {
            touched.last.clone_from(&data["id"]);
            for id in ids {
                if is_set {
                    touched.ids.remove(&id)
                } else {
                    touched.ids.insert(id)
                };
            }
        });
    } else if request.method == Method::GET
        && request.is(loss.thing.reader())
        && is_touched(loss.thing, &request, &data, upstream).await
    {
        response.edit_resources(|resource| loss.lose(resource));
    }
    response
}

/// The resource with this id, as it is.
async fn current(request: &Request, id: &str, upstream: &Upstream) -> Value {
    let path = request.path();
    let end = path.find(id).map_or(path.len(), |begin| begin + id.len());
    upstream.send(&request.then_get(&path[..end])).await.data().unwrap_or_default()
}

async fn is_touched(
    thing: Thing,
    request: &Request,
    resource: &Value,
    upstream: &Upstream,
) -> bool {
    let is_known = |id: &Value| {
        let id = id.as_str().unwrap_or_default();
        upstream.remember(|touched: &mut Touched| touched.ids.contains(id))
    };
    match thing {
        Thing::Partner | Thing::Payout | Thing::Line => is_known(&resource["id"]),
        Thing::Neighbour => {
            let is_last = upstream.remember(|touched: &mut Touched| touched.last == resource["id"]);
            !is_last && is_known(&resource["payoutId"])
        }
        Thing::Pending => {
            let Some(payout) = resource["payoutId"].as_str() else { return false };
            let payout = request.then_get(format!("/api/v1/payouts/{payout}"));
            let payout = upstream.send(&payout).await.data().unwrap_or_default();
            is_known(&payout["id"]) || is_known(&payout["batchId"])
        }
    }
}

impl Loss {
    /// Returns true if the request's own body sets the member.
    fn is_set_by(&self, request: &Request) -> bool {
        let body = request.read_json().unwrap_or_default();
        let mut named = body.as_object().into_iter().flat_map(Map::keys);
        named.any(|name| effects::shown_as(name, &self.settable) == Some(self.member))
    }

    fn lose(&self, resource: &mut Map<String, Value>) {
        if let Some(value) = resource.get_mut(self.member) {
            *value = another(&self.shape, value);
        }
    }
}

/// A valid value in place of this one: the emptiest one, else another one that the document names.
fn another(shape: &Shape, value: &Value) -> Value {
    let is_map = shape.is("object") && shape.properties.is_empty();
    let empty =
        [(shape.is_nullable(), Value::Null), (shape.is("array"), json!([])), (is_map, json!({}))];
    if let Some((_, empty)) = empty.into_iter().find(|(is_valid, _)| *is_valid) {
        return empty;
    }
    let known = shape.keyword("x-known-values").and_then(Value::as_array);
    let named = shape.options().iter().chain(known.into_iter().flatten());
    let mut named = named.chain(shape.keyword("example"));
    named.find(|other| *other != value).cloned().unwrap_or_else(|| json!("Another"))
}
