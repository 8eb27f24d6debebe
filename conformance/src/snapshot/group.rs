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
use crate::verdict::Diagnosis;

/// All responses of one case with one operation and status.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) entries: Vec<Entry>,
    pub(super) exchanges: Vec<usize>,
}

pub(super) fn gather(places: &Places, subject: Subject<'_>) -> Vec<Group> {
    if subject.taken.is_empty() {
        return Vec::new();
    }
    let operation = |request| subject.invariants.operation(request).unwrap_or(UNROUTED);
    let mut normalizer = Normalizer::default();
    for (id, identity) in subject.fixtures {
        normalizer.learn_id(id, identity);
    }
    for (request, response) in subject.exchanges.iter().flatten() {
        let schema = places.body(operation(request), response.status.as_u16());
        if let (Some(json), Some(schema)) = (&response.json, schema) {
            normalizer.learn(json, schema);
        }
    }
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for taken in subject.taken {
        let Some((request, response)) = subject.exchanges.get(taken.exchange).copied().flatten()
        else {
            continue;
        };
        let (operation, status) = (operation(request), response.status.as_u16());
        let schema = places.body(operation, status);
        let hidden = |text: &str| subject.redaction.replace(text, kind::KEY);
        let target = normalizer.target(&hidden(&request.target));
        let text = text::response(&mut normalizer, response, schema, &taken.random);
        let code = || match response.text("/error/code") {
            "" => accepted::SUCCESS,
            code => code,
        };
        let name = accepted::name(operation, status, subject.case.unwrap_or_else(code));
        let group = groups.entry(name.clone()).or_insert_with(|| Group {
            name,
            entries: Vec::new(),
            exchanges: Vec::new(),
        });
        let request = format!("{} {target}", request.method);
        let response = hidden(&text);
        // Neighbours with the same response share an entry, and its first exchange.
        match group.entries.last_mut().filter(|last| last.response == response) {
            Some(last) => last.requests.push(request),
            None => {
                group.exchanges.push(taken.exchange);
                group.entries.push(Entry { requests: vec![request], response });
            }
        }
    }
    groups.into_values().collect()
}

impl Group {
    /// Keeps the entries whose response satisfies this.
    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        let kept: Vec<bool> = self.entries.iter().map(|entry| keep(&entry.response)).collect();
        let mut of_entries = kept.iter();
        self.entries.retain(|_| of_entries.next() == Some(&true));
        let mut of_exchanges = kept.iter();
        self.exchanges.retain(|_| of_exchanges.next() == Some(&true));
    }

    /// The difference, shown by the first response that differs.
    pub(super) fn difference(&self, accepted: &str, text: String) -> Diagnosis {
        let reviewed: Vec<String> = text::responses(accepted)
            .map(|(head, body)| format!("{head}\n\n{body}").trim_end().to_owned())
            .collect();
        let entries = self.entries.iter().zip(&self.exchanges).enumerate();
        let mut differing = entries.filter(|(index, (entry, _))| {
            reviewed.get(*index).map(String::as_str) != Some(entry.response.trim_end())
        });
        let first = differing.next().map(|(_, (_, exchange))| *exchange);
        Diagnosis {
            what: format!("The response differs from its snapshot {}.", self.name),
            expected: Some(accepted.to_owned()),
            actual: Some(text),
            exchange: first.or_else(|| self.exchanges.last().copied()),
            missing: Vec::new(),
        }
    }
}
