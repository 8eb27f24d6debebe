//! Ids in paths (§1.1, §5.3, A10), and what the operation answers when all is well.

use openapi_document::Location;
use serde_json::json;

use super::{
    SUBJECTS,
    bodies::bare,
    fields::body_with,
    probe::{Behaviour, Probe},
    recipes::Effect,
    stage::Stage,
    subject::{Keyed, Subject},
};
use crate::{
    case::{
        CaseContext, CaseOutcome, CaseResult,
        errors::{INSUFFICIENT_SCOPE, INVALID_REFERENCE, NOT_FOUND},
    },
    cases::{UNKNOWN_ID, nearly},
    document::kebab,
    exchange::{Response, request::escaped},
    snapshot::kind::of_fixture,
    target::{Fixture, Role},
};

const CONCURRENT: usize = 6;
const TWO_ORGANIZATIONS: &[Role] = &[Role::All, Role::OtherOrganization];

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    answers(subject, probes);
    if subject.has_id() {
        unknown_ids(subject, probes);
    }
    if let Some(theirs) = subject.id_fixture(subject.recipe.foreign) {
        let clause = subject.clause_of("organisation", "§5.3");
        let case = subject.case("id.foreign", clause, async move |subject, context| {
            foreign_id(subject, context, theirs).await
        });
        let case = case
            .says("{operation} answers another organisation's id like an unknown one.")
            .keys(TWO_ORGANIZATIONS)
            .fixtures(vec![theirs].leak());
        let sentence = "{operation} reaches another organisation's data.";
        probes.push(case.fault(sentence, subject.reaches_other_organization()));
    }
    filters(subject, probes);
    references(subject, probes);
}

fn answers(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let clause = subject.clause_or("§2.5.single");
    let case = subject.case("answer", clause, async move |subject, context| {
        answer(subject, context).await.map(drop)
    });
    let case = case.says("{operation} answers as the document says.");
    probes.push(subject.on_own(case).fault(
        "{operation} leaves out a required field.",
        subject.edits(|_, response| {
            response.edit_resources(|resource| {
                let first = resource.keys().next().cloned();
                first.and_then(|name| resource.shift_remove(&name));
            });
            if response.rejects_state() {
                response.edit_json(|body| {
                    body["error"].as_object_mut().and_then(|error| error.shift_remove("message"));
                });
            }
        }),
    ));
    if subject.recipe.effect != Effect::Consuming {
        let case = subject.case("answer.concurrent", clause, concurrent);
        let case = case.says("{operation} answers equal requests at the same time alike.");
        probes.push(subject.on_own(case).shares_fault_of("answer"));
    }
}

fn unknown_ids(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let unknown = subject.case("id.unknown", "§7.404", async move |subject, context| {
        let request = subject.unknown(context).with(&context.all()?);
        let response = context.expect(request, NOT_FOUND).await?;
        context.snapshot(&response);
        Ok(())
    });
    let similar = subject.case("id.unknown.similar", "§7.404", similar);
    let other = subject.case("id.unknown.of-another-kind", "§7.404", of_another_kind);
    probes.extend([
        unknown.says("{operation} of an id that nothing has is 404.").by_decision().fault(
            "{operation} of an unknown id is 403.",
            subject.answers(404, INSUFFICIENT_SCOPE),
        ),
        similar
            .says("{operation} of an id much like a known one is 404.")
            .by_decision()
            .shares_fault_of("id.unknown"),
        other
            .says("{operation} of the id of something else is 404.")
            .requests(16)
            .by_decision()
            .shares_fault_of("id.unknown"),
    ]);
}

impl Subject {
    fn reaches_other_organization(&'static self) -> Behaviour {
        if self.is_read() {
            let again = self.sends_again(|request, response, upstream| {
                let is_unknown = response.has_status(404);
                is_unknown.then(|| upstream.in_role(Role::OtherOrganization, request))
            });
            return again.needs(&[Role::OtherOrganization]);
        }
        // Whatever it did there could not be undone, so it only shows that the id exists.
        self.edits(|request, response| {
            if response.has_status(404) && request.id().is_some_and(|id| id.contains('_')) {
                response.set_code(INSUFFICIENT_SCOPE.0, INSUFFICIENT_SCOPE.1);
            }
        })
    }
}

/// Ids in bodies, which may be another organisation's.
fn references(subject: &'static Subject, probes: &mut Vec<Probe>) {
    for (place, fixture) in subject.recipe.foreign {
        let Some(member) = place.strip_prefix('/') else { continue };
        let name = format!("body.{}.foreign", kebab(member));
        let case = subject.case(&name, "A10", async move |subject, context| {
            let theirs = context.fixture(*fixture)?;
            foreign_reference(subject, context, member, &theirs).await
        });
        let case = case
            .says(&format!(
                "{{operation}} answers another organisation's {member} like an unknown one."
            ))
            .keys(TWO_ORGANIZATIONS)
            .fixtures(std::slice::from_ref(fixture));
        probes.push(case.fault_by_hand("foreign-reference-told"));
    }
}

async fn foreign_reference(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    member: &str,
    theirs: &str,
) -> CaseResult {
    let key = context.all()?;
    let request = |context: &CaseContext<'_>, id: &str| {
        let body = body_with(subject, context, member, Some(&id.into()));
        bare(&(subject.own(context), key.clone())).json(&body)
    };
    let unknown = context.expect(request(context, UNKNOWN_ID), INVALID_REFERENCE).await?;
    let foreign = context.expect(request(context, theirs), INVALID_REFERENCE).await?;
    is_alike(&foreign, &unknown, theirs)?;
    let issues = foreign.at("/error/details/issues").to_string();
    let is_named = issues.contains(&format!("\"/{member}\""));
    foreign.that(is_named, "The issues do not name the reference.", member, &issues)
}

/// Filters by an id, which may be another organisation's.
fn filters(subject: &'static Subject, probes: &mut Vec<Probe>) {
    for parameter in subject.parameters(Location::Query) {
        let place = format!("?{}", parameter.name);
        let fixture = |places: &[(&str, Fixture)]| {
            places.iter().find(|(known, _)| *known == place).map(|(_, fixture)| *fixture)
        };
        let (name, Some(theirs)) = (parameter.name.as_str(), fixture(subject.recipe.foreign))
        else {
            continue;
        };
        let ours = fixture(subject.recipe.own);
        let case_name = format!("filter.{}", kebab(name));
        let case = subject.case(&case_name, "R10", async move |subject, context| {
            foreign_filter(subject, context, name, theirs, ours).await
        });
        let case = case
            .says(&format!(
                "{{operation}} lists nothing for a {name} that is unknown or another \
                 organisation's."
            ))
            .keys(TWO_ORGANIZATIONS)
            .fixtures(vec![theirs].leak())
            .requests(24);
        let again = subject.sends_again(move |request, response, upstream| {
            let is_meant = response.items().is_empty() && request.parameter(name).is_some();
            is_meant.then(|| upstream.in_role(Role::OtherOrganization, request))
        });
        let sentence = format!("{{operation}} filters another organisation's items by {name}.");
        probes.push(case.fault(&sentence, again.needs(&[Role::OtherOrganization])));
    }
}

async fn answer(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult<Response> {
    let request = subject.own(context).with(&context.all()?);
    let first = context.send(request).await?;
    let stage = Stage::reached(&first);
    first.that(
        matches!(stage, Some(Stage::State | Stage::Done)),
        "The valid request was refused.",
        "a success, or a refusal of the state that the fixture is in",
        &first.status_and_body(),
    )?;
    // Of a list there is one with two short pages: `page.again`.
    if !subject.is_list() {
        let is_new = first.status == 201;
        let random: &[&str] = if is_new { &["/data/id", "/data/createdAt"] } else { &[] };
        context.snapshot_of_random(&first, random);
    }
    Ok(first)
}

async fn concurrent(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let first = answer(subject, context).await?;
    let request = subject.own(context).with(&context.all()?);
    for response in context.send_all(vec![request; CONCURRENT]).await? {
        response.is(first.status.as_u16())?;
        if subject.is_read() && !subject.is_list() {
            let (once, again) = (without_moving(&first), without_moving(&response));
            response.same("Equal requests are answered differently.", &once, &again)?;
        }
    }
    Ok(())
}

/// A resource without what another client may change meanwhile.
fn without_moving(response: &Response) -> serde_json::Value {
    json!([response.at("/data/id"), response.at("/data/createdAt")])
}

async fn similar(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let fixture = subject.id_fixture(subject.recipe.own);
    let what = || CaseOutcome::missing("a fixture for the operation's id");
    let own = context.fixture(fixture.ok_or_else(what)?)?;
    let others = nearly(&own);
    not_found(subject, context, others.iter().filter(|other| **other != own)).await
}

async fn of_another_kind(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let own = subject.id_fixture(subject.recipe.own);
    let others = SUBJECTS.iter().filter_map(|other| other.id_fixture(other.recipe.own));
    // Two fixtures may be of one kind.
    let others = others.filter(|other| own.and_then(of_fixture) != of_fixture(*other));
    let ids: Vec<String> = others.filter_map(|other| context.deployment().fixture(other)).collect();
    CaseOutcome::missing_if(ids.is_empty(), "a fixture of another kind")?;
    not_found(subject, context, ids.iter()).await
}

async fn not_found(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    ids: impl Iterator<Item = &String>,
) -> CaseResult {
    let key = context.all()?;
    for id in ids.filter(|id| !id.is_empty()) {
        let request = subject.to(context, subject.path(|_| escaped(id))).with(&key);
        context.expect(request, NOT_FOUND).await?;
    }
    Ok(())
}

/// Whose key is sent, and whose resource it names.
fn sides(
    context: &CaseContext<'_>,
    theirs: Fixture,
    ours: Option<Fixture>,
) -> CaseResult<Vec<(String, [Role; 2])>> {
    let mut sides = vec![(context.fixture(theirs)?, [Role::All, Role::OtherOrganization])];
    // A leak may be one-way.
    let own = ours.and_then(|fixture| context.fixture(fixture).ok());
    sides.extend(own.map(|own| (own, [Role::OtherOrganization, Role::All])));
    Ok(sides)
}

async fn foreign_id(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    theirs: Fixture,
) -> CaseResult {
    let ours = subject.id_fixture(subject.recipe.own);
    for (id, [asks, owns]) in sides(context, theirs, ours)? {
        let to = |context: &CaseContext<'_>, id: &str| {
            subject.to(context, subject.path(|_| escaped(id)))
        };
        let (asks, owns) = (context.key(asks)?, context.key(owns)?);
        if subject.recipe.effect == Effect::Nothing && subject.is_read() {
            // Its own organisation sees it, so it does exist.
            let control: Keyed = (to(context, &id), owns);
            subject.passes(context, &control, Stage::Resource).await?;
        }
        let foreign = context.send(to(context, &id).with(&asks)).await?;
        context.is_error(&foreign, NOT_FOUND)?;
        let unknown = context.send(to(context, UNKNOWN_ID).with(&asks)).await?;
        if context.with_decisions() {
            is_alike(&foreign, &unknown, &id)?;
        }
    }
    Ok(())
}

pub(super) fn is_alike(foreign: &Response, unknown: &Response, id: &str) -> CaseResult {
    let body = |response: &Response| {
        let text = String::from_utf8_lossy(&response.body).into_owned();
        text.replace(id, "{id}").replace(UNKNOWN_ID, "{id}")
    };
    foreign.that(
        foreign.status == unknown.status && body(foreign) == body(unknown),
        "A foreign id and an unknown one are answered differently, so that existence shows.",
        &body(unknown),
        &body(foreign),
    )
}

async fn foreign_filter(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    name: &str,
    theirs: Fixture,
    ours: Option<Fixture>,
) -> CaseResult {
    for (id, [asks, owns]) in sides(context, theirs, ours)? {
        let list = subject.own(context);
        let (asks, owns) = (context.key(asks)?, context.key(owns)?);
        let seen = context.given(list.clone().query(name, &id).with(&owns)).await?;
        let what = format!("items with the {name} {{operation}}");
        CaseOutcome::missing_if(seen.items().is_empty(), what)?;
        for id in [id.clone(), UNKNOWN_ID.to_owned()].iter().chain(&nearly(&id)) {
            let page = context.ok(list.clone().query(name, id).with(&asks)).await?;
            page.has("/data", json!([]))?.has("/pagination/nextCursor", json!(null))?;
        }
    }
    Ok(())
}
