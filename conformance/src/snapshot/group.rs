//! A case's answers as texts, those of one operation and status together.
//!
//! It refuses to number a name twice: names are of the case, and hold in all of its texts.

use std::collections::BTreeMap;

use super::{
    accepted,
    binder::Binder,
    judge::Subject,
    kind,
    places::{Places, Schema, UNROUTED},
    text::{self, Entry},
};
use crate::{
    case::{Stop, scene::Exchange},
    exchange::Answer,
    laws::Laws,
};

/// All answers of one case that belong to one operation and status.
#[derive(Debug)]
pub(super) struct Group<'places> {
    /// As the accepted text is named.
    pub(super) name: String,
    /// What the document says of their bodies.
    pub(super) schema: Option<Schema<'places>>,
    /// Requests and answers.
    pub(super) entries: Vec<Entry>,
    /// Index of each entry's first exchange.
    pub(super) exchanges: Vec<usize>,
}

/// What becomes a group: requests, answers and exchanges, in their order.
#[derive(Default)]
struct Gathered<'places> {
    schema: Option<Schema<'places>>,
    texts: Vec<(String, String)>,
    exchanges: Vec<usize>,
}

/// The answers that a case took, as texts.
pub(super) fn gather<'places>(
    places: &'places Places,
    subject: Subject<'_>,
) -> Vec<Group<'places>> {
    if subject.taken.is_empty() {
        return Vec::new();
    }
    let mut binder = Binder::default();
    for (id, identity) in subject.fixtures {
        binder.learn_id(id, identity);
    }
    for exchange in subject.exchanges {
        if let Some(answer) = answer(exchange)
            && let Some(json) = &answer.json
            && let Some(schema) =
                places.body(operation(subject.laws, exchange), answer.status.as_u16())
        {
            binder.learn(json, schema);
        }
    }
    let mut groups: BTreeMap<String, Gathered<'_>> = BTreeMap::new();
    for taken in subject.taken {
        let Some(exchange) = subject.exchanges.get(taken.exchange) else {
            continue;
        };
        let Some(answer) = answer(exchange) else {
            continue;
        };
        let (operation, status) = (operation(subject.laws, exchange), answer.status.as_u16());
        let schema = places.body(operation, status);
        let hidden = |text: &str| subject.redaction.replace(text, kind::KEY);
        let target = binder.target(&hidden(&exchange.call.target));
        let answer = hidden(&text::answer(&mut binder, answer, schema, &taken.drawn));
        let gathered = groups
            .entry(accepted::name(operation, status, subject.case.id))
            .or_default();
        gathered.schema = schema;
        // Of neighbours that are answered alike, the first exchange stands for all.
        if gathered
            .texts
            .last()
            .is_none_or(|(_, last)| *last != answer)
        {
            gathered.exchanges.push(taken.exchange);
        }
        let request = format!("{} {target}", exchange.call.method);
        gathered.texts.push((request, answer));
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

/// The answer of the API; a link's stands outside it.
fn answer(exchange: &Exchange) -> Option<&Answer> {
    match (&exchange.answer, &exchange.address) {
        (Ok(answer), None) => Some(answer),
        _ => None,
    }
}

fn operation<'laws>(laws: &'laws Laws, exchange: &Exchange) -> &'laws str {
    laws.operation(&exchange.call).unwrap_or(UNROUTED)
}

impl Group<'_> {
    /// The failure, shown by the first answer that differs.
    pub(super) fn differs(&self, accepted: &str, text: String) -> Stop {
        let reviewed: Vec<String> = text::answers(accepted)
            .map(|(head, body)| format!("{head}\n\n{body}").trim_end().to_owned())
            .collect();
        let entries = self.entries.iter().zip(&self.exchanges).enumerate();
        let mut differing = entries.filter(|(index, (entry, _))| {
            reviewed.get(*index).map(String::as_str) != Some(entry.answer.trim_end())
        });
        let first = differing.next().map(|(_, (_, exchange))| *exchange);
        Stop::failed(
            format!("The answer differs from its snapshot {}.", self.name),
            accepted,
            text,
            first.or_else(|| self.exchanges.last().copied()),
        )
    }
}
