//! Faults of members that an operation must not touch: one of them is lost, in the response or
//! where the resource is read afterwards.

use std::collections::HashSet;

use strum::IntoEnumIterator as _;

use crate::{
    probes::{
        prelude::*,
        recipes::{self, Thing},
    },
    proxy::Fault,
};

#[derive(Clone)]
struct Loss {
    operation: &'static str,
    thing: Thing,
    member: String,
    shape: Shape,
    /// The members of the thing that the operation's own body may set.
    settable: Vec<String>,
}

/// Ids of the resources that an operation was about, and of the one that it answered with last.
#[derive(Default)]
struct Touched {
    ids: HashSet<String>,
    last: Value,
}

/// The faults that the case of an operation must notice.
pub(super) fn faults(subject: &'static Subject, case: &Case) -> Vec<Fault> {
    let answered = recipes::answered(&subject.operation.id);
    let mut faults = Vec::new();
    for thing in Thing::iter() {
        let is_answered = answered == Some(thing);
        for loss in losses(subject, thing, answered) {
            let member = kebab(&loss.member);
            if is_answered {
                let sentence =
                    format!("{{operation}} answers another {} than there is.", loss.member);
                let own = loss.clone();
                let behaviour = subject.edits(move |request, response| {
                    if response.has_status(200) && !own.is_set_by(request) {
                        response.edit_resources(|resource| own.lose(resource));
                    }
                });
                faults.push(case.own_fault(&format!("answer.{member}"), &sentence, behaviour));
            }
            let words = thing.name().replace('-', " ");
            let sentence =
                format!("{{operation}} changes {}, which a {words} is to keep.", loss.member);
            let loss: &'static Loss = Box::leak(Box::new(loss));
            let behaviour =
                exchanges(move |request, upstream| Box::pin(exchange(loss, request, upstream)));
            let name = format!("{}.{member}", thing.name());
            faults.push(case.own_fault(&name, &sentence, behaviour));
        }
    }
    faults
}

/// The members that a thing keeps, if its case looks at it.
fn losses(subject: &'static Subject, thing: Thing, answered: Option<Thing>) -> Vec<Loss> {
    let id = subject.operation.id.as_str();
    let (is_answered, changes) = (answered == Some(thing), recipes::changes(id, thing));
    let is_about_lines =
        answered == Some(Thing::Line) || subject.operation.path.contains("/payouts/{");
    let is_looked_at = match thing {
        Thing::Payout | Thing::NeighbourLine if is_about_lines => true,
        Thing::PendingLine if !changes.is_empty() && answered != Some(Thing::Line) => true,
        _ => is_answered,
    };
    if !is_looked_at {
        return Vec::new();
    }
    let members = thing.members();
    let names = members.iter().map(|(name, _)| name.clone()).collect();
    let settable = if is_answered && !changes.is_empty() { names } else { Vec::new() };
    // Equal neighbours are compared as a whole: one member stands for all.
    let is_tried = |name: &str| match thing {
        Thing::NeighbourLine => name == "updatedAt",
        _ => name != "id" && !changes.contains(&name),
    };
    let tried = members.into_iter().filter(|(name, _)| is_tried(name));
    let loss = |(member, shape)| {
        let settable = settable.clone();
        Loss { operation: id, thing, member, shape, settable }
    };
    tried.map(loss).collect()
}

async fn exchange(loss: &'static Loss, request: Request, upstream: &Upstream) -> Response {
    let before = match request.is(loss.operation) {
        true => upstream.resource(&request).await.unwrap_or_default(),
        false => Value::Null,
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
        Thing::NeighbourLine => {
            let is_last = upstream.remember(|touched: &mut Touched| touched.last == resource["id"]);
            !is_last && is_known(&resource["payoutId"])
        }
        Thing::PendingLine => {
            let Some(payout) = resource["payoutId"].as_str() else { return false };
            let payout = request.then_get(format!("/api/v1/payouts/{payout}"));
            let payout = upstream.send(&payout).await.data().unwrap_or_default();
            is_known(&payout["id"]) || is_known(&payout["batchId"])
        }
    }
}

impl Loss {
    fn is_set_by(&self, request: &Request) -> bool {
        let body = request.read_json().unwrap_or_default();
        let mut named = body.as_object().into_iter().flat_map(Map::keys);
        let settable: Vec<&str> = self.settable.iter().map(String::as_str).collect();
        named.any(|name| recipes::shown_as(name, &settable) == Some(&self.member))
    }

    fn lose(&self, resource: &mut Map<String, Value>) {
        if let Some(value) = resource.get_mut(&self.member) {
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
