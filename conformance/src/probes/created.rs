//! What an operation makes anew each time: the answer shows what the body says, and the document's
//! default of what it leaves out. It is made in the organisation of `sandbox`, and stays there.

use super::prelude::*;

type Members = Map<String, Value>;

/// Members that name what is made: with the same one nothing is made.
const UNIQUE: [&str; 2] = ["idempotencyKey", "externalKey"];

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    if subject.recipe.creates.is_none() {
        return;
    }
    let case = subject
        .case("answer.members", subject.clause_or("§2.5.single"), shows_members)
        .says("{operation} answers what the body says, and the defaults of what it leaves out.")
        .by_decision();
    let example = subject.example().unwrap_or_default();
    probes.push(subject.creating(case).requests(12).fault(
        "{operation} makes the document's example of every body.",
        subject.edits(move |_, response| {
            response.edit_resources(|resource| {
                for (name, value) in example.as_object().into_iter().flatten() {
                    resource.entry(name).and_modify(|shown| shown.clone_from(value));
                }
            });
        }),
    ));
}

/// Bodies that together have every value that is known to be valid by itself, and the valid body.
fn bodies(subject: &Subject, valid: &Members) -> Vec<Members> {
    let all: Vec<_> = subject.members().collect();
    let mut fixed = UNIQUE.to_vec();
    for (name, member) in &all {
        // What exists has any text as its id, and a period has an order.
        let is_id = member.is("string")
            && ["maxLength", "pattern", "enum"].iter().all(|it| member.keyword(it).is_none());
        let place = format!("/{name}");
        let mut references = subject.operation.references.iter();
        let is_reference = references.any(|reference| reference.member == place);
        fixed.extend((is_id || is_reference).then_some(name.as_str()));
        let earlier = member.keyword("x-later-than").and_then(Value::as_str);
        fixed.extend(earlier.into_iter().flat_map(|earlier| [earlier, name]));
    }
    let varied = all.iter().filter(|(name, _)| !fixed.contains(&name.as_str()));
    let members: Vec<(&String, Vec<Value>)> = varied
        .map(|(name, member)| (name, values::accepted(member)))
        .filter(|(_, accepted)| !accepted.is_empty())
        .collect();
    let rounds = members.iter().map(|(_, values)| values.len()).max().unwrap_or_default();
    let round = |number: usize| {
        let mut body = valid.clone();
        for (name, values) in &members {
            body.insert((*name).clone(), values[number % values.len()].clone());
        }
        body
    };
    (0..rounds).map(round).chain([valid.clone()]).collect()
}

async fn shows_members(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let valid = subject.created_body(context);
    let valid = valid.ok_or_else(|| CaseOutcome::missing("a body that creates something"))?;
    let mut last = None;
    for body in bodies(subject, &valid.as_object().cloned().unwrap_or_default()) {
        let request = subject.created(context, &body.clone().into())?;
        let response = context.send(request).await?;
        response.must(
            Check::reached(&response) == Some(Check::Done),
            "The valid request was refused.",
            "a success",
        )?;
        for (name, member) in subject.members() {
            let default = || member.keyword("default").cloned();
            let expected = body.get(&name).cloned().or_else(default);
            // Not every resource shows what it was made from.
            let is_shown = response.at("/data").get(&name).is_some();
            if let Some(expected) = expected.filter(|_| is_shown) {
                response.has(&format!("/data/{name}"), expected)?;
            }
        }
        last = Some(response);
    }
    // The answer of one whose own request succeeds is shown by that.
    if let Some(created) = last.filter(|_| subject.recipe.effect == Effect::Nothing) {
        context.snapshot_of_random(created.is(201)?, &["/data/createdAt", "/data/submittedAt"]);
    }
    Ok(())
}
