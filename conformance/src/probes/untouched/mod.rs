//! Members that a success neither sets nor moves, and every resource beside the changed one, stay
//! as they were. A case makes a payout with lines in the organisation of `sandbox`, with a value in
//! each member, and reads all of it before and after each request. Partners are fixtures, because
//! no request sets all their members.

mod losses;

use openapi_document::Method;

use super::{
    prelude::*,
    probe::Evidence,
    recipes::{Thing, Touch, changes, shown_as},
};
use crate::{
    cases::{
        life::{Owner, PAYOUTS, made},
        partners::shows,
    },
    isolation::{marked_name, partner_path},
};

const PARTNERS: &str = "/api/v1/partners";
const LINES: &str = "/api/v1/commission-lines";
/// The operation that makes the last things of a scene.
const MAKER: &str = "createCommissionLine";

/// Things by their role, each with its path, and as it was made or found first.
struct Scene(Vec<(Thing, String, Value)>);

type Seen = Vec<(Thing, Value)>;

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    if subject.recipe.touches.is_empty() {
        return;
    }
    let is_patch = subject.operation.method == Method::Patch;
    let clause = if is_patch { "R2.absent" } else { subject.clause_or("R2.absent") };
    let case = subject
        .case("untouched", clause, untouched)
        .says("{operation} changes only the members that its body names, and those that follow.")
        .by_decision();
    let partner = partner_of(subject);
    let case = if partner == Some(Fixture::Partner) {
        case.changes(Changes::Restored).requests(36)
    } else {
        case.keys([Role::Sandbox]).changes(Changes::Irreversible).requests(64)
    };
    let case = case.fixtures(partner);
    let faults = losses::faults(subject, &case);
    probes.push(Probe { case, evidence: Evidence::Faults(faults) });
}

fn partner_of(subject: &Subject) -> Option<Fixture> {
    let is_about_one = subject.recipe.touches.iter().any(|touch| touch.about == Thing::Partner);
    let fixture = subject.own_fixture().unwrap_or(Fixture::SandboxPartner);
    is_about_one.then_some(fixture)
}

async fn untouched(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    for touch in &subject.recipe.touches {
        let scene = match partner_of(subject) {
            Some(fixture) => Scene::of_partner(context, fixture).await?,
            None => Scene::make(context, takes_all(subject)).await?,
        };
        let mut before = scene.read(context).await?;
        for body in bodies(subject, touch, context, &before) {
            before = stays(subject, context, touch.about, &scene, before, &body).await?;
        }
    }
    Ok(())
}

/// Returns true if the operation takes the pending lines of every partner.
fn takes_all(subject: &Subject) -> bool {
    let has = |name: &str| subject.members().any(|(member, _)| member == name);
    has("attachPendingLines") && !has("partnerId")
}

/// The bodies that a touch stands for, one after the other.
fn bodies(subject: &Subject, touch: &Touch, context: &CaseContext<'_>, seen: &Seen) -> Vec<Value> {
    if touch.body.is_empty() {
        return vec![Value::Null];
    }
    let named = touch.body.iter();
    let mut members: Map<String, Value> =
        named.map(|(name, value)| (name.clone(), filled(value, seen))).collect();
    let about = thing(seen, touch.about);
    for (place, fixture) in &touch.places {
        let name = place.trim_start_matches('/');
        // A value in place of null cannot be taken away again.
        let is_shown = shown(name, about).is_some_and(|shown| !about[shown].is_null());
        if let Some(id) = context.deployment().fixture(*fixture).filter(|_| is_shown) {
            members.insert(name.to_owned(), id.into());
        }
    }
    if subject.operation.method == Method::Patch {
        members.into_iter().map(|(name, value)| json!({ name: value })).collect()
    } else {
        vec![members.into()]
    }
}

/// A value of a recipe's body, with what is seen in place of its name.
fn filled(value: &Value, seen: &Seen) -> Value {
    let Some(named) = value.as_str().and_then(|text| text.strip_prefix('$')) else {
        return value.clone();
    };
    let Some((name, pointer)) = named.split_once('/') else { return marked_name().into() };
    let found = seen.iter().find(|(thing, _)| thing.name() == name);
    let found = found.and_then(|(_, shown)| shown.pointer(&format!("/{pointer}")));
    found.cloned().unwrap_or_default()
}

fn thing(seen: &Seen, thing: Thing) -> &Value {
    let found = seen.iter().find(|(other, _)| *other == thing);
    found.map_or(&Value::Null, |(_, shown)| shown)
}

/// The member of a resource that shows what a member of a body sets.
fn shown<'a>(name: &'a str, resource: &'a Value) -> Option<&'a str> {
    let members: Vec<&str> =
        resource.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    shown_as(name, &members)
}

/// Requires that a request changes nothing but its effect; returns what is seen afterwards.
async fn stays(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    about: Thing,
    scene: &Scene,
    before: Seen,
    body: &Value,
) -> CaseResult<Seen> {
    let id = thing(&before, about)["id"].as_str().unwrap_or_default();
    let path = subject.path(|_| escaped(id));
    let request = bare(&(subject.to(context, path), context.all()?));
    let request = if body.is_null() { request } else { request.json(body) };
    let answer = context.send(request).await?;
    answer.must(answer.is_success(), "The valid request was refused.", "a success")?;
    let mut after = Vec::new();
    for ((thing, path, _), (_, was)) in scene.0.iter().zip(&before) {
        let changes = changes(&subject.operation.id, *thing);
        let read = context.ok(Request::get(path).with(&context.all()?)).await?;
        if answer.status == 200 && answer.at("/data/id") == &was["id"] {
            let named = body.as_object().into_iter().flat_map(Map::keys);
            let named = named.filter(|_| !changes.is_empty());
            let named = named.filter_map(|name| shown(name, was));
            let but: Vec<&str> = named.chain(changes.iter().copied()).collect();
            keeps(&answer, was, &but)?;
            shows(&read, was, &but)?;
            keeps(&read, answer.at("/data"), &[])?;
        } else {
            shows(&read, was, &changes)?;
        }
        after.push((*thing, read.at("/data").clone()));
    }
    Ok(after)
}

/// Requires that a response shows what another operation answered, but for these members. The
/// invariants judge which may be missing in one of the two.
fn keeps(response: &Response, was: &Value, but: &[&str]) -> CaseResult {
    let members = was.as_object().into_iter().flat_map(Map::keys).map(String::as_str);
    let missing = members.filter(|name| response.at("/data").get(name).is_none());
    shows(response, was, &missing.chain(but.iter().copied()).collect::<Vec<_>>())
}

impl Scene {
    /// A partner, which is restored after the case.
    async fn of_partner(context: &mut CaseContext<'_>, fixture: Fixture) -> CaseResult<Self> {
        let id = context.fixture(fixture)?;
        // A member that an earlier case lost is missing from now on.
        let was = context.will_change_partner(&id).await?;
        Ok(Self(vec![(Thing::Partner, partner_path(&id), was)]))
    }

    /// A payout with two lines, and a pending line, all of a new partner.
    async fn make(context: &mut CaseContext<'_>, is_early: bool) -> CaseResult<Self> {
        let is_known = context.deployment().invariants.profile(MAKER).is_some();
        CaseOutcome::missing_if(!is_known, format!("the operation {MAKER}"))?;
        let owner =
            if is_early { Owner::early(context).await? } else { Owner::new(context).await? };
        let members = json!({
            "currency": "USD",
            "poNumber": "PO-1",
            "metadata": { "statementNote": "Kept", "costCenter": "K-1" },
        });
        let payout = made(context, PAYOUTS, &owner.payout_body(members)).await?;
        let id = payout.text("/data/id");
        let mut things = vec![
            (Thing::Partner, format!("{PARTNERS}/{}", owner.partner), Value::Null),
            (Thing::Payout, format!("{PAYOUTS}/{id}"), payout.at("/data").clone()),
        ];
        for thing in [Thing::Line, Thing::NeighbourLine, Thing::PendingLine] {
            let mut members = json!({
                "currency": "USD",
                "sourceAmount": "101.00",
                "planName": "Kept",
                "idempotencyKey": marker(),
            });
            if thing != Thing::PendingLine {
                members["payoutId"] = id.into();
            }
            let line = owner.line(context, "10.10", members).await?;
            let path = format!("{LINES}/{}", line.text("/data/id"));
            things.push((thing, path, line.at("/data").clone()));
        }
        Ok(Self(things))
    }

    /// Reads everything, which is as it was made.
    async fn read(&self, context: &mut CaseContext<'_>) -> CaseResult<Seen> {
        let mut seen = Vec::new();
        for (thing, path, made) in &self.0 {
            let read = context.ok(Request::get(path).with(&context.all()?)).await?;
            let maker = if *thing == Thing::Partner { "updatePartner" } else { MAKER };
            keeps(&read, made, &changes(maker, *thing))?;
            seen.push((*thing, read.at("/data").clone()));
        }
        Ok(seen)
    }
}
