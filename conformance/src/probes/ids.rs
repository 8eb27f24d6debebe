//! Ids in paths (§1.1, §5.3, A10), and what the operation answers when all is well.

use super::prelude::*;
use crate::snapshot::kind::of_fixture;

const CONCURRENT: usize = 6;
const TWO_ORGANIZATIONS: [Role; 2] = [Role::All, Role::OtherOrganization];

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    answers(subject, probes);
    if subject.has_id() {
        unknown_ids(subject, probes);
    }
    if let Some(theirs) = subject.id_fixture(&subject.theirs) {
        let clause = subject.clause_of("organisation", "§5.3");
        let case = subject.case("id.foreign", clause, async move |subject, context| {
            foreign_id(subject, context, theirs).await
        });
        let case = case
            .says("{operation} answers another organisation's id like an unknown one.")
            .keys(TWO_ORGANIZATIONS)
            .fixtures([theirs]);
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
    if subject.recipe.effect == Effect::Consuming {
        return;
    }
    let case = subject.case("answer.concurrent", clause, async |subject, context| {
        let first = answer(subject, context).await?;
        let request = subject.own(context).with(&context.all()?);
        for response in context.send_all(vec![request; CONCURRENT]).await? {
            response.is(first.status.as_u16())?;
            if subject.is_read() && !subject.is_list() {
                // Another client may change the rest meanwhile.
                for pointer in ["/data/id", "/data/createdAt"] {
                    let (once, again) = (first.at(pointer), response.at(pointer));
                    response.same("Equal requests are answered differently.", once, again)?;
                }
            }
        }
        Ok(())
    });
    let case = case.says("{operation} answers equal requests at the same time alike.");
    probes.push(subject.on_own(case).shares_fault_of("answer"));
}

async fn answer(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult<Response> {
    let request = subject.own(context).with(&context.all()?);
    let first = context.send(request).await?;
    let stage = Check::reached(&first);
    first.must(
        matches!(stage, Some(Check::State | Check::Done)),
        "The valid request was refused.",
        "a success, or a refusal of the state that the fixture is in",
    )?;
    // A list has a snapshot of two short pages already: `page.again`.
    if !subject.is_list() {
        let is_new = matches!(first.status.as_u16(), 201 | 202);
        let random: &[&str] = if is_new { &["/data/id", "/data/createdAt"] } else { &[] };
        context.snapshot_of_random(&first, random);
    }
    Ok(first)
}

fn unknown_ids(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let unknown = subject.case("id.unknown", "§7.404", async move |subject, context| {
        let request = subject.unknown(context).with(&context.all()?);
        let response = context.expect(request, NOT_FOUND).await?;
        context.snapshot(&response);
        Ok(())
    });
    let similar = subject.case("id.unknown.similar", "§7.404", async |subject, context| {
        let what = || CaseOutcome::missing("a fixture for the operation's id");
        let own = context.fixture(subject.own_fixture().ok_or_else(what)?)?;
        let others = nearly(&own);
        not_found(subject, context, others.iter().filter(|other| **other != own)).await
    });
    let case = subject.case("id.unknown.of-another-kind", "§7.404", async |subject, context| {
        let own = subject.own_fixture().and_then(of_fixture);
        let others = SUBJECTS.iter().filter_map(Subject::own_fixture);
        // Two fixtures may be of one kind.
        let others = others.filter(|other| own != of_fixture(*other));
        let ids = others.filter_map(|other| context.deployment().fixture(other));
        let ids: Vec<String> = ids.collect();
        CaseOutcome::missing_if(ids.is_empty(), "a fixture of another kind")?;
        not_found(subject, context, ids.iter()).await
    });
    probes.extend([
        unknown.says("{operation} of an id that nothing has is 404.").by_decision().fault(
            "{operation} of an unknown id is 403.",
            subject.answers(404, INSUFFICIENT_SCOPE),
        ),
        similar
            .says("{operation} of an id much like a known one is 404.")
            .by_decision()
            .shares_fault_of("id.unknown"),
        case.says("{operation} of the id of something else is 404.")
            .requests(16)
            .by_decision()
            .shares_fault_of("id.unknown"),
    ]);
}

async fn not_found(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    ids: impl Iterator<Item = &String>,
) -> CaseResult {
    let key = context.all()?;
    for id in ids.filter(|id| !id.is_empty()) {
        context.expect(subject.about(context, id).with(&key), NOT_FOUND).await?;
    }
    Ok(())
}

impl Subject {
    fn about(&self, context: &CaseContext<'_>, id: &str) -> Request {
        self.to(context, self.path(|_| escaped(id)))
    }

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
    for (place, fixture) in &subject.theirs {
        let Some(member) = place.strip_prefix('/') else { continue };
        let name = format!("body.{}.foreign", kebab(member));
        let case = subject.case(&name, "A10", async move |subject, context| {
            let (theirs, key) = (context.fixture(*fixture)?, context.all()?);
            let request = |context: &CaseContext<'_>, id: &str| {
                let body = body_with(subject, context, member, Some(&id.into()));
                bare(&(subject.own(context), key.clone())).json(&body)
            };
            let unknown = context.expect(request(context, UNKNOWN_ID), INVALID_REFERENCE).await?;
            let foreign = context.expect(request(context, &theirs), INVALID_REFERENCE).await?;
            is_alike(&foreign, &unknown, [&theirs])?;
            let issues = foreign.at("/error/details/issues").to_string();
            let is_named = issues.contains(&format!("\"/{member}\""));
            foreign.that(is_named, "The issues do not name the reference.", member, &issues)
        });
        let case = case.keys(TWO_ORGANIZATIONS).fixtures([*fixture]).says(&format!(
            "{{operation}} answers another organisation's {member} like an unknown one."
        ));
        probes.push(case.fault_by_hand("foreign-reference-told"));
    }
}

/// Filters by an id, which may be another organisation's.
fn filters(subject: &'static Subject, probes: &mut Vec<Probe>) {
    for parameter in subject.parameters(Location::Query) {
        let (name, place) = (parameter.name.as_str(), format!("?{}", parameter.name));
        let Some(theirs) = subject.theirs.get(&place).copied() else { continue };
        let ours = subject.ours.get(&place).copied();
        let case = format!("filter.{}", kebab(name));
        let case = subject.case(&case, "R10", async move |subject, context| {
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
        });
        let case = case.keys(TWO_ORGANIZATIONS).fixtures([theirs]).requests(24).says(&format!(
            "{{operation}} lists nothing for a {name} that is unknown or another organisation's."
        ));
        let again = subject.sends_again(move |request, response, upstream| {
            let is_meant = response.items().is_empty() && request.parameter(name).is_some();
            is_meant.then(|| upstream.in_role(Role::OtherOrganization, request))
        });
        let sentence = format!("{{operation}} filters another organisation's items by {name}.");
        probes.push(case.fault(&sentence, again.needs(&[Role::OtherOrganization])));
    }
}

/// Whose key is sent, and whose resource it names.
fn sides(
    context: &CaseContext<'_>,
    theirs: Fixture,
    ours: Option<Fixture>,
) -> CaseResult<Vec<(String, [Role; 2])>> {
    let mut sides = vec![(context.fixture(theirs)?, TWO_ORGANIZATIONS)];
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
    for (id, [asks, owns]) in sides(context, theirs, subject.own_fixture())? {
        let (asks, owns) = (context.key(asks)?, context.key(owns)?);
        if subject.recipe.effect == Effect::Nothing && subject.is_read() {
            // Its own organisation sees it, so it does exist.
            let control: Keyed = (subject.about(context, &id), owns);
            subject.passes(context, &control, Check::Resource).await?;
        }
        let foreign = context.expect(subject.about(context, &id).with(&asks), NOT_FOUND).await?;
        let unknown = context.send(subject.about(context, UNKNOWN_ID).with(&asks)).await?;
        if context.with_decisions() {
            is_alike(&foreign, &unknown, [&id])?;
        }
    }
    Ok(())
}

/// Requires equal responses about these ids and an unknown one.
pub(super) fn is_alike<'a>(
    foreign: &Response,
    unknown: &Response,
    ids: impl IntoIterator<Item = &'a String>,
) -> CaseResult {
    let ids: Vec<&str> = ids.into_iter().map(String::as_str).chain([UNKNOWN_ID]).collect();
    let body = |response: &Response| {
        let text = String::from_utf8_lossy(&response.body).into_owned();
        ids.iter().fold(text, |text, id| text.replace(id, "{id}"))
    };
    foreign.that(
        foreign.status == unknown.status && body(foreign) == body(unknown),
        "A foreign id and an unknown one are answered differently, so that existence shows.",
        &body(unknown),
        &body(foreign),
    )
}
