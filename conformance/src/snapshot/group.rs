//! A case's responses as texts, grouped by operation and status. Names of values hold in all of
//! them.

use std::collections::BTreeMap;

use super::{
    accepted,
    judge::Subject,
    kind,
    normalizer::Normalizer,
    places::{Places, UNROUTED},
    text::{self, Entry},
};

/// All responses of one case by the names of their snapshots: by operation and status.
pub(super) fn gather(places: &Places, subject: Subject<'_>) -> BTreeMap<String, Vec<Entry>> {
    let mut groups: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    if subject.taken.is_empty() {
        return groups;
    }
    let operation = |request| subject.invariants.operation(request).unwrap_or(UNROUTED);
    let mut normalizer = Normalizer::default();
    for (id, identity) in subject.fixtures {
        normalizer.learn_id(id, identity);
    }
    for (request, response) in subject.exchanges.iter().flatten() {
        let body = places.body(operation(request), response.status.as_u16());
        if let (Some(json), Some(body)) = (&response.json, body) {
            normalizer.learn(json, body, "");
        }
    }
    for taken in subject.taken {
        let Some((request, response)) = subject.exchanges.get(taken.exchange).copied().flatten()
        else {
            continue;
        };
        let (operation, status) = (operation(request), response.status.as_u16());
        let body = places.body(operation, status);
        let hidden = |text: &str| subject.redaction.replace(text, kind::KEY);
        let target = normalizer.target(&hidden(&request.target));
        let text = text::response(&mut normalizer, response, body, &taken.random);
        let code = || match response.text("/error/code") {
            "" => accepted::SUCCESS,
            code => code,
        };
        let name = accepted::name(operation, status, subject.case.unwrap_or_else(code));
        let entries = groups.entry(name).or_default();
        let request = format!("{} {target}", request.method);
        let response = hidden(&text);
        // Neighbours with the same response share an entry, and its first exchange.
        match entries.last_mut().filter(|last| last.response == response) {
            Some(last) => last.requests.push(request),
            None => {
                let requests = vec![request];
                entries.push(Entry { requests, response, exchange: taken.exchange });
            }
        }
    }
    groups
}
