//! Which keys an operation accepts (§5, A3): one valid key, once, in its header, with the scope of
//! `x-required-scope` (§5.5).

use super::prelude::*;
use crate::target::Keys;

/// A string that looks like a key but is none, and the fault that accepts it.
struct Altered {
    name: &'static str,
    what: &'static str,
    change: fn(&str) -> String,
    fault: &'static str,
    /// Returns true if a faulty deployment accepts the first string as the second, which is a key.
    accepts: fn(&str, &str) -> bool,
}

const ALTERED: [Altered; 6] = [
    Altered {
        name: "key.unknown",
        what: "a key that was never created",
        change: reversed,
        fault: "accepts any key",
        accepts: |_, _| true,
    },
    Altered {
        name: "key.altered.last-character",
        what: "a key with another last character",
        change: last_character,
        fault: "ignores the last character of a key",
        accepts: |sent, valid| {
            sent.len() == valid.len() && sent[..sent.len() - 1] == valid[..valid.len() - 1]
        },
    },
    Altered {
        name: "key.altered.other-case",
        what: "a key in letters of the other case",
        change: other_case,
        fault: "compares keys in any case",
        accepts: str::eq_ignore_ascii_case,
    },
    Altered {
        name: "key.altered.cut",
        what: "a key without its last character",
        change: |key| key[..key.len() - 1].to_owned(),
        fault: "accepts the beginning of a key",
        accepts: |sent, valid| valid.starts_with(sent),
    },
    Altered {
        name: "key.altered.longer",
        what: "a key with a further character",
        change: |key| format!("{key}0"),
        fault: "ignores what follows a key",
        accepts: |sent, valid| sent.starts_with(valid),
    },
    Altered {
        name: "key.altered.scheme",
        what: "a key after the name of a scheme",
        change: |key| format!("Bearer {key}"),
        fault: "takes off the name of a scheme",
        accepts: |sent, valid| sent.ends_with(valid),
    },
];

/// The keys of which one is sent by requests that change nothing.
const VALID: [Role; 2] = [Role::All, Role::Exhausted];

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let missing = subject.case("key.missing", "§5.4", async |subject, context| {
        let request = subject.harmless(context)?.0;
        let response = rejected(subject, context, request).await?;
        context.snapshot(&response);
        Ok(())
    });
    probes.push(missing.says("{operation} without a key is 401.").fault(
        "{operation} asks for no key.",
        subject.accepts(&[], |request, _| request.key == Key::None),
    ));
    for Altered { name, what, change, fault, accepts } in ALTERED {
        let case = altered(subject, name, "§5.4", change);
        let behaviour = subject.accepts(&[], move |request, keys| {
            let is_accepted = |sent: &str| {
                let mut valid = VALID.iter().filter_map(|role| keys.get(*role));
                valid.any(|valid| accepts(sent, valid.expose()))
            };
            request.only_key().is_some_and(is_accepted)
        });
        let case = case.says(&format!("{{operation}} with {what} is 401."));
        probes.push(case.fault(&format!("{{operation}} {fault}."), behaviour));
    }
    in_query(subject, probes);
    for role in [Role::Expired, Role::Revoked] {
        let name = role.name();
        let case = subject.case(&format!("key.{name}"), "§5.4", async move |subject, context| {
            // The answer may have been stored when a valid key asked for it.
            let request = subject.harmless(context)?.0.with(&context.key(role)?);
            rejected(subject, context, request).await.map(drop)
        });
        let case = case.says(&format!("{{operation}} with a key that is {name} is 401."));
        let case = case.keys([Role::All, role]);
        let sentence = format!("{{operation}} accepts a key that is {name}.");
        probes.push(case.fault(&sentence, subject.accepts_role(role)));
    }
    repeated_keys(subject, probes);
    scopes_of(subject, probes);
}

fn in_query(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let case = |name, names: &'static [&'static str]| {
        subject.case(name, "§5.2", async move |subject, context| {
            let (request, key) = subject.harmless(context)?;
            for name in names {
                rejected(subject, context, request.clone().query(name, key.expose())).await?;
            }
            Ok(())
        })
    };
    let own = case("key.in-query", &["x-api-key"]);
    let others = case("key.in-query.other-names", &["api_key", "apiKey"]);
    probes.extend([
        own.says("{operation} accepts no key in the query.").fault(
            "{operation} accepts a key in the query.",
            subject.rewrites(|request| {
                if let Some(key) = request.parameter("x-api-key") {
                    request.set_key(&Secret::new("KEY", key));
                    request.retain_parameters(|name, _| name != "x-api-key");
                }
            }),
        ),
        others
            .says("{operation} accepts no key in the query under another name.")
            .shares_fault_of("key.missing"),
    ]);
}

/// One key is sent, once.
fn repeated_keys(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let joined = altered(subject, "key.repeated.joined", "A3", |key| format!("{key}, {key}"));
    let repeated = subject.case("key.repeated", "A3", async |subject, context| {
        let (request, key) = subject.harmless(context)?;
        let twice = Key::Repeated(vec![key.clone(), key]);
        rejected(subject, context, request.with_key(twice)).await.map(drop)
    });
    probes.extend([
        joined
            .says("{operation} with two keys in one x-api-key, joined by a comma, is 401.")
            .shares_fault_of("key.altered.longer"),
        repeated.says("{operation} with x-api-key more than once is 401.").fault(
            "{operation} takes the first of several keys.",
            subject.rewrites(|request| {
                if let Some(first) = request.key.secrets().first().cloned() {
                    request.set_key(&first);
                }
            }),
        ),
    ]);
}

fn altered(
    subject: &'static Subject,
    name: &str,
    clause: &'static str,
    change: fn(&str) -> String,
) -> Case {
    subject.case(name, clause, async move |subject, context| {
        let (request, key) = subject.harmless(context)?;
        let request = request.with_key(Key::Altered(key.altered(change)));
        rejected(subject, context, request).await.map(drop)
    })
}

impl Subject {
    /// Sends refused requests of which `holds` is true with the key that has all scopes.
    pub(super) fn accepts(
        &'static self,
        roles: &[Role],
        holds: impl Fn(&Request, &Keys) -> bool + Send + Sync + 'static,
    ) -> Behaviour {
        let again = self.sends_again(move |request, response, upstream| {
            let is_refused = response.has_status(401) || response.has_status(403);
            let is_meant = is_refused && holds(request, upstream.keys());
            is_meant.then(|| upstream.in_role(Role::All, request))
        });
        again.needs(&[&[Role::All], roles].concat())
    }

    pub(super) fn accepts_role(&'static self, role: Role) -> Behaviour {
        self.accepts(&[role], move |request, keys| {
            request.only_key().is_some() && request.only_key() == keys.get(role).map(Secret::expose)
        })
    }
}

async fn rejected(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    request: Request,
) -> CaseResult<Response> {
    let control = subject.harmless(context)?;
    subject.rejects(context, &control, request, UNAUTHORIZED).await
}

fn scopes_of(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let Some(required) = subject.operation.scope.as_deref() else {
        return;
    };
    let example = other_role(subject);
    for (scope, role) in Role::of_scopes() {
        probes.push(if scope == required {
            is_enough(subject, scope, role)
        } else {
            is_not_enough(subject, scope, role, required, example == Some(role))
        });
    }
}

/// A key of the organisation under test that lacks the required scope.
pub(super) fn other_role(subject: &Subject) -> Option<Role> {
    let required = subject.operation.scope.as_deref();
    Role::of_scopes().find(|(scope, _)| Some(*scope) != required).map(|(_, role)| role)
}

fn is_enough(subject: &'static Subject, scope: &str, role: Role) -> Probe {
    let (name, clause) = (format!("scope.{}", kebab(scope)), subject.clause_or("§5.5"));
    let case = subject.case(&name, clause, async move |subject, context| {
        let (request, all) = subject.harmless(context)?;
        let request = match subject.recipe.effect {
            // The role's organisation has credits: the form, which is checked later, stops it.
            Effect::Consuming => with_unknown_parameter(request),
            _ => request,
        };
        let expected = context.send(request.clone().with(&all)).await?;
        let response = context.send(request.with(&context.key(role)?)).await?;
        // The key without credits belongs to another organisation, which has other resources.
        let is_enough = response.status == expected.status
            || Check::reached(&response).is_some_and(|stage| stage > Check::Scope);
        response.must(
            is_enough,
            "A key with the required scope is refused.",
            &expected.status_line(),
        )
    });
    case.says(&format!("{{operation}} requires no other scope than {scope}."))
        .keys([Role::All, role])
        .fault_by_hand("list-lines-needs-write")
}

fn is_not_enough(
    subject: &'static Subject,
    scope: &str,
    role: Role,
    required: &'static str,
    is_example: bool,
) -> Probe {
    let (name, clause) = (format!("scope.{}", kebab(scope)), subject.clause_or("§5.5"));
    let case = subject.case(&name, clause, async move |subject, context| {
        let control = subject.harmless(context)?;
        let request = control.0.clone().with(&context.key(role)?);
        let response =
            subject.rejects(context, &control, request.clone(), INSUFFICIENT_SCOPE).await?;
        if context.with_decisions() {
            response.has("/error/details/requiredScope", required)?;
        }
        if is_example {
            context.snapshot(&response);
        }
        // Another key is not needed for a part of the data.
        for (place, fixture) in &subject.ours {
            if let (Some(name), Ok(id)) = (place.strip_prefix('?'), context.fixture(*fixture)) {
                context.expect(request.clone().query(name, &id), INSUFFICIENT_SCOPE).await?;
            }
        }
        Ok(())
    });
    case.says(&format!("{{operation}} rejects a key that has only {scope}."))
        .keys([Role::All, role])
        .fault(&format!("{{operation}} is content with {scope}."), subject.accepts_role(role))
}

/// Returns a string as long as the key and of the same characters: only a look-up finds that it is
/// no key.
fn reversed(key: &str) -> String {
    let mut letters: Vec<char> = key.chars().collect();
    if let Some(tail) = letters.get_mut(9..) {
        tail.reverse();
    }
    letters.into_iter().collect()
}

fn last_character(key: &str) -> String {
    let (start, last) = key.split_at(key.len() - 1);
    format!("{start}{}", if last == "0" { '1' } else { '0' })
}

fn other_case(key: &str) -> String {
    let swap = |letter: char| match letter {
        'a'..='z' => letter.to_ascii_uppercase(),
        letter => letter.to_ascii_lowercase(),
    };
    key.chars().map(swap).collect()
}
