//! Makes faults of one operation. Requests for other operations pass unchanged.

use futures_util::future::BoxFuture;
use payout_openapi::Operation;

use crate::{
    Fault,
    fault::{Act, Exchange},
    message::{Request, Response},
    upstream::Upstream,
};

pub(super) struct Maker {
    operation: &'static Operation,
    /// As it begins the ids of its faults, such as `list-partners`.
    name: String,
    clause: &'static str,
    pub(super) faults: Vec<Fault>,
}

impl Maker {
    pub(super) fn new(operation: &'static Operation) -> Self {
        Self {
            operation,
            name: kebab(&operation.id),
            clause: clause(operation.description.as_deref().unwrap_or_default()),
            faults: Vec::new(),
        }
    }

    /// Changes the operation's requests before they are sent.
    pub(super) fn rewrite(
        &mut self,
        name: &str,
        what: String,
        rewrite: impl Fn(&mut Request) + Send + Sync + 'static,
    ) {
        let id = self.operation.id.as_str();
        let act = move |request: &mut Request| {
            if request.is(id) {
                rewrite(request);
            }
        };
        self.add(name, what, Vec::new(), Act::Rewrite(Box::leak(Box::new(act))));
    }

    /// Changes the responses to the operation's requests.
    pub(super) fn edit(
        &mut self,
        name: &str,
        what: String,
        edit: impl Fn(&Request, &mut Response) + Send + Sync + 'static,
    ) {
        let id = self.operation.id.as_str();
        let act = move |request: &Request, response: &mut Response| {
            if request.is(id) {
                edit(request, response);
            }
        };
        self.add(name, what, Vec::new(), Act::Edit(Box::leak(Box::new(act))));
    }

    /// Answers the operation's requests as it likes, with the keys of these roles.
    pub(super) fn exchange<F>(&mut self, name: &str, what: String, roles: Vec<String>, exchange: F)
    where
        F: for<'a> Fn(Request, &'a Upstream) -> BoxFuture<'a, Response>
            + Copy
            + Send
            + Sync
            + 'static,
    {
        let id = self.operation.id.as_str();
        let act: Box<Exchange> = Box::new(move |request, upstream| {
            if request.is(id) {
                return exchange(request, upstream);
            }
            Box::pin(async move { upstream.send(&request).await })
        });
        self.add(name, what, roles, Act::Exchange(Box::leak(act)));
    }

    /// The same for the requests for every operation.
    pub(super) fn exchange_all<F>(
        &mut self,
        name: &str,
        what: String,
        roles: Vec<String>,
        exchange: F,
    ) where
        F: for<'a> Fn(Request, &'a Upstream) -> BoxFuture<'a, Response> + Send + Sync + 'static,
    {
        self.add(name, what, roles, Act::Exchange(Box::leak(Box::new(exchange))));
    }

    fn add(&mut self, name: &str, what: String, roles: Vec<String>, act: Act) {
        let roles: Vec<&'static str> = roles.into_iter().map(|role| &*role.leak()).collect();
        // Faults live as long as the program.
        self.faults.push(Fault {
            id: format!("{}.{name}", self.name).leak(),
            clause: self.clause,
            sentence: what.leak(),
            roles: roles.leak(),
            act,
        });
    }
}

/// The first section of the specification that a description names, as in `(§3.1, §4.5, R11)`.
fn clause(description: &'static str) -> &'static str {
    let brackets = description.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
    let mut named = brackets.flat_map(|(inside, _)| inside.split(", "));
    named.find(|id| id.starts_with('§')).unwrap_or("§7")
}

/// `listPartners` as `list-partners`: so the ids of derived faults begin, and of the cases that
/// notice them.
#[must_use]
pub fn kebab(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() && !words.ends_with('-') {
            words.push('-');
        }
        let plain = letter.is_ascii_alphanumeric();
        words.push(if plain { letter.to_ascii_lowercase() } else { '-' });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_joined_by_hyphens() {
        assert_eq!(kebab("listCommissionLines"), "list-commission-lines");
        assert_eq!(kebab("partners:write"), "partners-write");
        assert_eq!(kebab("portal-sessions:write"), "portal-sessions-write");
    }
}
