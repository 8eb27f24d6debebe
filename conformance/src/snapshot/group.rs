//! A case's responses as texts, those of one operation and status together.
//!
//! It refuses to number a name twice: names are of the case, and hold in all of its texts.

use std::collections::BTreeMap;

use super::{
    accepted,
    judge::Subject,
    kind,
    normalizer::Normalizer,
    places::{Places, Schema, UNROUTED},
    text::{self, Entry},
};
use crate::{
    case::{CaseOutcome, context::Exchange},
    exchange::Response,
    invariants::Invariants,
};

/// All responses of one case that belong to one operation and status.
#[derive(Debug)]
pub(super) struct Group<'places> {
    /// As the accepted text is named.
    pub(super) name: String,
    /// What the document says of their bodies.
    pub(super) schema: Option<Schema<'places>>,
    /// Requests and responses.
    pub(super) entries: Vec<Entry>,
    /// Index of each entry's first exchange.
    pub(super) exchanges: Vec<usize>,
}

/// What becomes a group: requests, responses and exchanges, in their order.
#[derive(Default)]
struct Gathered<'places> {
    schema: Option<Schema<'places>>,
    texts: Vec<(String, String)>,
    exchanges: Vec<usize>,
}

/// The responses that a case took, as texts.
pub(super) fn gather<'places>(
    places: &'places Places,
    subject: Subject<'_>,
) -> Vec<Group<'places>> {
    if subject.taken.is_empty() {
        return Vec::new();
    }
    let mut normalizer = Normalizer::default();
    for (id, identity) in subject.fixtures {
        normalizer.learn_id(id, identity);
    }
    for exchange in subject.exchanges {
        if let Some(response) = response(exchange)
            && let Some(json) = &response.json
            && let Some(schema) = places.body(
                operation(subject.invariants, exchange),
                response.status.as_u16(),
            )
        {
            normalizer.learn(json, schema);
        }
    }
    let mut groups: BTreeMap<String, Gathered<'_>> = BTreeMap::new();
    for taken in subject.taken {
        let Some(exchange) = subject.exchanges.get(taken.exchange) else {
            continue;
        };
        let Some(response) = response(exchange) else {
            continue;
        };
        let (operation, status) = (
            operation(subject.invariants, exchange),
            response.status.as_u16(),
        );
        let schema = places.body(operation, status);
        let hidden = |text: &str| subject.redaction.replace(text, kind::KEY);
        let target = normalizer.target(&hidden(&exchange.request.target));
        let response = hidden(&text::response(
            &mut normalizer,
            response,
            schema,
            &taken.random,
        ));
        let gathered = groups
            .entry(accepted::name(operation, status, subject.case.id))
            .or_default();
        gathered.schema = schema;
        // Of neighbours that are answered alike, the first exchange stands for all.
        if gathered
            .texts
            .last()
            .is_none_or(|(_, last)| *last != response)
        {
            gathered.exchanges.push(taken.exchange);
        }
        let request = format!("{} {target}", exchange.request.method);
        gathered.texts.push((request, response));
    }
    let groups = groups.into_iter();
    groups
        .map(|(name, gathered)| Group {
            name,
            schema: gathered.schema,
            entries: text::join(gathered.texts),
            exchanges: gathered.exchanges,
        })
        .collect()
}

/// The response of the API; a link's stands outside it.
fn response(exchange: &Exchange) -> Option<&Response> {
    match (&exchange.response, &exchange.address) {
        (Ok(response), None) => Some(response),
        _ => None,
    }
}

fn operation<'invariants>(
    invariants: &'invariants Invariants,
    exchange: &Exchange,
) -> &'invariants str {
    invariants.operation(&exchange.request).unwrap_or(UNROUTED)
}

impl Group<'_> {
    /// The failure, shown by the first response that differs.
    pub(super) fn differs(&self, accepted: &str, text: String) -> CaseOutcome {
        let reviewed: Vec<String> = text::responses(accepted)
            .map(|(head, body)| format!("{head}\n\n{body}").trim_end().to_owned())
            .collect();
        let entries = self.entries.iter().zip(&self.exchanges).enumerate();
        let mut differing = entries.filter(|(index, (entry, _))| {
            reviewed.get(*index).map(String::as_str) != Some(entry.response.trim_end())
        });
        let first = differing.next().map(|(_, (_, exchange))| *exchange);
        CaseOutcome::failed(
            format!("The response differs from its snapshot {}.", self.name),
            accepted,
            text,
            first.or_else(|| self.exchanges.last().copied()),
        )
    }
}
