//! One operation as the probes see it: its description in the document, its recipe, and the
//! requests that cases make of both.

use openapi_document::{Method as DocumentedMethod, Parameter};

use super::{
    prelude::*,
    recipes::{Places, Recipe, recipe},
};
use crate::{
    case::Run,
    clause::{Clause, Source},
    target::Profiles,
};

#[derive(Debug)]
pub(crate) struct Subject {
    pub(super) operation: &'static Operation,
    pub(super) recipe: &'static Recipe,
    /// Fixtures of the organisation under test for the ids in its requests.
    pub(super) ours: Places,
    /// Those of the organisation of `other_organization`.
    pub(super) theirs: Places,
    /// Begins the ids of its cases, such as `list-partners`.
    name: String,
    /// The clause that describes the operation, if there is one.
    clause: Option<&'static str>,
}

/// A request, and the key with which it gets past the checks before the one that is tested.
pub(super) type Keyed = (Request, Secret);

pub(super) const LIMIT: &str = "limit";
pub(super) const CURSOR: &str = "cursor";

pub(super) fn with_key((request, key): &Keyed) -> Request {
    request.clone().with(key)
}

pub(super) fn with_unknown_version(request: Request) -> Request {
    request.header(VERSION, "1999-01-01")
}

pub(super) fn with_unknown_parameter(request: Request) -> Request {
    request.query(UNKNOWN_NAME, "1")
}

/// Requires a response that a later check than that of the form gives.
pub(super) fn passes_the_form(response: &Response, what: &str) -> CaseResult {
    response.must(
        Check::passed_the_form(response),
        &format!("{what} is valid, and was not accepted."),
        "a response of a later check",
    )
}

impl Subject {
    pub(super) fn new(operation: &'static Operation) -> Self {
        let recipe = recipe(&operation.id);
        let [ours, theirs] = recipe.places(operation);
        let description = operation.description.as_deref().unwrap_or_default();
        let is_core = operation.profile.as_deref() == Some(Profiles::CORE);
        Self {
            operation,
            recipe,
            ours,
            theirs,
            name: kebab(&operation.id),
            clause: Clause::named_in(description)
                // Others than the core's rest on a decision.
                .find(|found| is_core || found.source() == Source::Decision)
                .map(|found| found.id),
        }
    }

    /// A case of this operation: its id is the operation's name and this one. [`Case::says`] adds
    /// its sentence.
    pub(super) fn case<F>(&'static self, name: &str, clause: &'static str, check: F) -> Case
    where
        F: AsyncFn(&'static Self, &mut CaseContext<'_>) -> CaseResult + Send + Sync + 'static,
    {
        // Cases live as long as the program.
        let id = format!("{}.{name}", self.name).leak();
        let check: &'static F = Box::leak(Box::new(check));
        let run: Box<Run> = Box::new(move |context| Box::pin(check(self, context)));
        let (operation, run) = (Some(self.operation.id.as_str()), Box::leak(run));
        Case { id, clause, operation, run, is_derived: true, ..Case::NONE }
    }

    /// The clause of the operation itself, or another one where the suite quotes none.
    pub(super) fn clause_or(&self, other: &'static str) -> &'static str {
        self.clause.unwrap_or(other)
    }

    /// The clause of a parameter or a member of the body, such as `§4.3.name`.
    pub(super) fn clause_of(&self, member: &str, other: &'static str) -> &'static str {
        let own = self.clause.map(|clause| format!("{clause}.{member}"));
        own.and_then(|id| Clause::find(&id)).map_or(other, |found| found.id)
    }

    pub(super) fn is_read(&self) -> bool {
        self.operation.method == DocumentedMethod::Get
    }

    pub(super) fn is_in_profile(&self, context: &CaseContext<'_>) -> bool {
        context.deployment().invariants.profile(&self.operation.id).is_some()
    }

    pub(super) fn method(&self) -> &'static str {
        self.operation.method.as_str()
    }

    /// Returns true if the path names something that may be unknown.
    pub(super) fn has_id(&self) -> bool {
        self.operation.path.contains('{') && self.operation.response(404).is_some()
    }

    pub(super) fn parameters(
        &self,
        location: Location,
    ) -> impl Iterator<Item = &'static Parameter> {
        let all = self.operation.parameters.iter();
        all.filter(move |parameter| parameter.location == location)
    }

    pub(super) fn shape(&self, name: &str) -> Option<Shape> {
        let parameter =
            self.parameters(Location::Query).find(|parameter| parameter.name == name)?;
        DOCUMENT.shape(parameter.schema_pointer.as_ref()?).ok()
    }

    pub(super) fn body(&self) -> Option<Shape> {
        let media = self.operation.body.as_ref()?.content.first()?;
        DOCUMENT.shape(media.schema_pointer.as_ref()?).ok()
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (String, Shape)> {
        let properties = self.body().map(|shape| shape.properties).unwrap_or_default();
        properties
            .into_iter()
            .filter_map(|(name, pointer)| Some((name, DOCUMENT.shape(&pointer).ok()?)))
    }

    /// The path with these ids in place of its parameters. One of a closed set has its example.
    pub(super) fn path(&self, id: impl Fn(&str) -> String) -> String {
        let value = |name: &str| self.of_closed_set(name).unwrap_or_else(|| id(name));
        let segments = self.operation.path.split('/').map(|segment| {
            let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            name.map_or_else(|| segment.to_owned(), value)
        });
        segments.collect::<Vec<_>>().join("/")
    }

    /// The example of a parameter of the path whose values are a closed set.
    fn of_closed_set(&self, name: &str) -> Option<String> {
        let parameter = self.parameters(Location::Path).find(|parameter| parameter.name == name)?;
        let shape = DOCUMENT.shape(parameter.schema_pointer.as_ref()?).ok()?;
        shape.keyword("enum")?;
        example(parameter)
    }

    /// A request to this path, without a key, as valid as the document's example or the recipe's
    /// body.
    pub(super) fn to(&self, context: &CaseContext<'_>, path: String) -> Request {
        let method =
            hyper::Method::from_bytes(self.method().as_bytes()).expect("a method of the document");
        let mut request = Request::new(method, path);
        for parameter in self.parameters(Location::Query).filter(|parameter| parameter.required) {
            let place = format!("?{}", parameter.name);
            let value = own(context, &self.ours, &place).or_else(|| example(parameter));
            request = request.query(&parameter.name, &value.unwrap_or_default());
        }
        match self.valid_body(context) {
            Some(body) => request.json(&body),
            None => request,
        }
    }

    pub(super) fn example(&self) -> Option<Value> {
        let media = self.operation.body.as_ref()?.content.first()?;
        media.examples.first().map(|example| example.value.clone())
    }

    pub(super) fn valid_body(&self, context: &CaseContext<'_>) -> Option<Value> {
        self.operation.body.as_ref()?;
        let body = self.recipe.body.clone().or_else(|| self.example())?;
        Some(with_fixtures(context, body, &self.ours))
    }

    /// The body of a request that creates something in the organisation of `sandbox`: what is
    /// required.
    pub(super) fn created_body(&self, context: &CaseContext<'_>) -> Option<Value> {
        let creates = self.recipe.creates.as_ref()?;
        let (mut body, shape) = (self.valid_body(context)?, self.body()?);
        let members = body.as_object_mut()?;
        members.retain(|name, _| shape.requires(name));
        members.extend(creates.members.clone());
        Some(with_fixtures(context, body, &creates.places))
    }

    /// The request with this body that creates something there.
    pub(super) fn created(&self, context: &CaseContext<'_>, body: &Value) -> CaseResult<Request> {
        let mut places = self.ours.clone();
        places.extend(self.recipe.creates.iter().flat_map(|creates| creates.places.clone()));
        let request = self.with_ids(context, &places);
        Ok(bare(&(request, context.all()?)).json(body))
    }

    /// The case in that organisation, where what it creates stays.
    pub(super) fn creating(&self, case: Case) -> Case {
        let fixtures = self.recipe.creates.iter().flat_map(|creates| creates.places.values());
        case.keys([Role::Sandbox]).fixtures(fixtures.copied()).changes(Changes::Irreversible)
    }

    /// A case about the own fixtures that lets its requests succeed.
    pub(super) fn on_own(&self, case: Case) -> Case {
        let case = case.keys([self.own_role()]).fixtures(self.own_fixture());
        case.changes(self.recipe.effect.changes())
    }

    /// The key of such a case. What stays is made in the organisation of `sandbox`, so that the
    /// organisation under test is the same in every run.
    pub(super) fn own_role(&self) -> Role {
        if self.recipe.effect == Effect::Consuming { Role::Sandbox } else { Role::All }
    }

    /// The request about the own fixtures; an unknown id stands for each that is missing.
    pub(super) fn own(&self, context: &CaseContext<'_>) -> Request {
        self.with_ids(context, &self.ours)
    }

    /// Like [`Subject::own`], about these fixtures.
    pub(super) fn with_ids(&self, context: &CaseContext<'_>, ids: &Places) -> Request {
        let id = |name: &str| own(context, ids, name);
        let id = |name: &str| escaped(&id(name).unwrap_or_else(|| UNKNOWN_ID.to_owned()));
        self.to(context, self.path(id))
    }

    pub(super) fn unknown(&self, context: &CaseContext<'_>) -> Request {
        self.to(context, self.path(|_| UNKNOWN_ID.to_owned()))
    }

    /// The fixture that stands for the last id of the path.
    pub(super) fn id_fixture(&self, places: &Places) -> Option<Fixture> {
        places.get(&self.parameters(Location::Path).last()?.name).copied()
    }

    /// [`Subject::id_fixture`] of the own fixtures.
    pub(super) fn own_fixture(&self) -> Option<Fixture> {
        self.id_fixture(&self.ours)
    }

    /// A valid request that changes nothing, even where it is accepted.
    pub(super) fn harmless(&self, context: &CaseContext<'_>) -> CaseResult<Keyed> {
        match self.recipe.effect {
            Effect::Nothing => Ok((self.own(context), context.all()?)),
            Effect::Repeatable | Effect::Consuming => self.without_effect(context),
        }
    }

    /// A valid request whose fields may be varied: whatever it says, nothing changes.
    pub(super) fn varied(&self, context: &CaseContext<'_>) -> CaseResult<Keyed> {
        if self.is_read() {
            Ok((self.own(context), context.all()?))
        } else {
            self.without_effect(context)
        }
    }

    /// About an unknown id or, where the path has none, without a credit: both are checked after
    /// the form and before anything is done.
    fn without_effect(&self, context: &CaseContext<'_>) -> CaseResult<Keyed> {
        CaseOutcome::missing_if(
            !context.judges("A.order"),
            "a control that succeeds and changes nothing: without decisions no order of checks \
             replaces it",
        )?;
        if self.has_id() {
            Ok((self.unknown(context), context.all()?))
        } else {
            Ok((self.own(context), context.key(Role::Exhausted)?))
        }
    }

    /// Requires that the valid request gets further than a check or, without decisions, succeeds.
    ///
    /// # Errors
    /// Inconclusive: it does not.
    pub(super) async fn passes(
        &self,
        context: &mut CaseContext<'_>,
        (request, key): &Keyed,
        check: Check,
    ) -> CaseResult {
        let request = request.clone().with(key);
        let with_decisions = context.with_decisions();
        let is_enough = |response: &Response| match Check::reached(response) {
            Some(reached) if with_decisions => reached > check,
            // A 422 of a line's or payout's state is the specification's own (§4.5, §4.7).
            reached => reached >= Some(Check::State),
        };
        if context.deployment().controls.get(&request).is_some_and(|known| is_enough(&known)) {
            return Ok(());
        }
        let response = context.send_control(request.clone()).await?;
        if is_enough(&response) {
            context.deployment().controls.keep(&request, &response);
            return Ok(());
        }
        if !with_decisions && Check::reached(&response).is_some_and(|reached| reached > check) {
            // Without an order of checks only a success proves that the refusal had this reason.
            let what = format!("a request of {} that may succeed", self.operation.id);
            return Err(CaseOutcome::missing(what));
        }
        Err(CaseOutcome::inconclusive(
            "The positive control did not get further, so a rejection would prove nothing.",
            if with_decisions { "a response of a later check" } else { "200" },
            response.status_and_body(),
            Some(response.exchange),
        ))
    }

    /// Requires that a request is rejected for its form, with these issues.
    pub(super) async fn rejects_form(
        &self,
        context: &mut CaseContext<'_>,
        control: &Keyed,
        request: Request,
        issues: &[&str],
    ) -> CaseResult<Response> {
        let response = self.rejects(context, control, request, VALIDATION_FAILED).await?;
        context.has_issues(&response, issues)?;
        Ok(response)
    }

    /// Requires that a request is rejected with this error, and that the valid one gets further.
    pub(super) async fn rejects(
        &self,
        context: &mut CaseContext<'_>,
        control: &Keyed,
        request: Request,
        error: Error,
    ) -> CaseResult<Response> {
        let check = Check::of(error).expect("an error of a check");
        let check = if check < Check::MediaType { check } else { Check::Rule };
        // What is not found is checked like the resource; its route is known from the control.
        self.passes(context, control, check).await?;
        let response = context.send(request).await?;
        context.is_error(&response, error)?;
        Ok(response)
    }
}

/// A body with the ids of these fixtures, as far as they are known.
fn with_fixtures(context: &CaseContext<'_>, mut body: Value, places: &Places) -> Value {
    for (place, fixture) in places {
        let id = context.deployment().fixture(*fixture);
        if let Some((member, id)) = place.strip_prefix('/').zip(id) {
            body[member] = id.into();
        }
    }
    body
}

fn own(context: &CaseContext<'_>, places: &Places, place: &str) -> Option<String> {
    context.deployment().fixture(*places.get(place)?)
}

fn example(parameter: &Parameter) -> Option<String> {
    let resolved = DOCUMENT.resolve(&parameter.pointer).ok()?;
    resolved.value.get("example").map(as_text)
}
