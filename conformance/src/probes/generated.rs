//! Random requests (`--generate N`): valid ones and almost valid ones, from the schemas of the
//! parameters and the body. A request is accepted exactly when its schemas accept it. The seed
//! decides the requests; a failure is reduced to the smallest request that still shows it.

use openapi_document::{Direction, Validator};
use proptest::{
    collection::vec,
    prelude::{BoxedStrategy, Just, Strategy as _, any, prop_oneof},
    strategy::ValueTree as _,
    test_runner::{Config, RngAlgorithm, RngSeed, TestRunner},
};

use super::prelude::*;
use crate::verdict::Verdict;

/// Requests that reduce a failure, at most.
pub(crate) const REDUCTIONS: u32 = 64;
/// Letters of one to four bytes, and what careless parsers stumble on.
const LETTERS: [char; 12] = ['a', 'Z', '0', ' ', '"', '\\', '%', 'ä', '—', '𝄞', '\0', '\u{202e}'];

#[derive(Clone, Debug)]
struct Generated {
    query: Vec<(&'static str, String)>,
    body: Option<Value>,
}

/// Decides what the document says of a generated request.
struct Rules {
    parameters: Vec<(&'static str, Shape, Validator)>,
    body: Option<(Shape, Validator)>,
}

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let case = subject
        .case("generated", "R4.422", generated)
        .says("{operation} accepts a random request exactly when the document does.")
        .by_decision();
    let case = Case { is_generated: true, ..case };
    probes.push(case.without_fault("Random requests notice what the probes of one value notice."));
}

async fn generated(subject: &'static Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let rules = Rules::of(subject.operation);
    let strategy = rules.strategy();
    let seed = RngSeed::Fixed(context.deployment().seed);
    let config =
        Config { rng_seed: seed, rng_algorithm: RngAlgorithm::ChaCha, ..Config::default() };
    let mut runner = TestRunner::new(config);
    while context.requests_left() > REDUCTIONS {
        let mut tree = strategy.new_tree(&mut runner).expect("the strategies reject nothing");
        let Err(mut failure) = attempt(subject, context, &rules, tree.current()).await else {
            continue;
        };
        // The smallest request that fails, too.
        while context.requests_left() > 1 && tree.simplify() {
            match attempt(subject, context, &rules, tree.current()).await {
                Err(smaller) if smaller.verdict == Verdict::Fail => failure = smaller,
                _ if tree.complicate() => {}
                _ => break,
            }
        }
        return Err(failure);
    }
    Ok(())
}

async fn attempt(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    rules: &Rules,
    generated: Generated,
) -> CaseResult {
    let (request, key) = subject.varied(context)?;
    let request = match &generated.body {
        Some(body) => Request { headers: HeaderMap::new(), ..request }.json(body),
        None => request,
    };
    let with = |request: Request, (name, value): &(&str, String)| request.query(name, value);
    let request = generated.query.iter().fold(request.with(&key), with);
    let response = context.send(request).await?;
    let is_valid = rules.accept(&generated);
    let reached = Check::reached(&response);
    let is_accepted = Check::passed_the_form(&response);
    let expected = if is_valid {
        "the document accepts this request: a response of a later check"
    } else {
        "the document rejects this request: 422"
    };
    response.must(
        is_accepted == is_valid && (is_accepted || reached == Some(Check::Rule)),
        "The deployment and the document do not agree about a request.",
        expected,
    )
}

impl Rules {
    fn of(operation: &'static Operation) -> Self {
        let rules = |pointer: &str| {
            let shape = DOCUMENT.shape(pointer).ok()?;
            Some((shape, DOCUMENT.validator(pointer, Direction::Request).ok()?))
        };
        let parameters = operation.parameters.iter().filter_map(|parameter| {
            let is_of_query = parameter.location == Location::Query;
            let (shape, validator) = rules(parameter.schema_pointer.as_deref()?)?;
            (is_of_query && !is_opaque(&shape)).then_some((
                parameter.name.as_str(),
                shape,
                validator,
            ))
        });
        let media = operation.body.as_ref().and_then(|body| body.content.first());
        Self {
            parameters: parameters.collect(),
            body: media.and_then(|media| rules(media.schema_pointer.as_deref()?)),
        }
    }

    fn accept(&self, generated: &Generated) -> bool {
        let is_valid = |(name, value): &(&str, String)| {
            let rule = self.parameters.iter().find(|(known, ..)| known == name);
            rule.is_some_and(|(_, shape, validator)| {
                !value.contains('\0') && validator.is_valid(&of_query(shape, value))
            })
        };
        let is_body_valid = match (&self.body, &generated.body) {
            (Some((_, validator)), Some(body)) => {
                // Text of the API never contains it (R3).
                !body.to_string().contains("\\u0000") && validator.is_valid(body)
            }
            _ => true,
        };
        generated.query.iter().all(is_valid) && is_body_valid
    }

    fn strategy(&self) -> BoxedStrategy<Generated> {
        let parameters: Vec<BoxedStrategy<Option<(&'static str, String)>>> = self
            .parameters
            .iter()
            .map(|(name, shape, _)| {
                let name = *name;
                let text = value(shape).prop_map(move |value| Some((name, as_text(&value))));
                prop_oneof![2 => Just(None), 1 => text].boxed()
            })
            .collect();
        let body = self.body.as_ref().map(|(shape, _)| object(shape));
        let body = body.map_or(Just(None).boxed(), |body| body.prop_map(Some).boxed());
        (parameters, body)
            .prop_map(|(query, body)| Generated {
                query: query.into_iter().flatten().collect(),
                body,
            })
            .boxed()
    }
}

/// A query's text as the value that its schema describes; the text itself where it is no plain
/// number.
fn of_query(shape: &Shape, text: &str) -> Value {
    let number: Option<i64> = text.parse().ok();
    match number.filter(|number| shape.is("integer") && number.to_string() == text) {
        Some(number) => number.into(),
        None => text.into(),
    }
}

fn object(shape: &Shape) -> BoxedStrategy<Value> {
    let members: Vec<BoxedStrategy<Option<(String, Value)>>> = shape
        .properties
        .iter()
        .filter_map(|(name, pointer)| {
            let name = name.clone();
            let member = DOCUMENT.shape(pointer).ok()?;
            let is_required = shape.requires(&name);
            let some = value(&member).prop_map(move |value| Some((name.clone(), value)));
            let often = if is_required { 20 } else { 1 };
            Some(prop_oneof![1 => Just(None), often => some].boxed())
        })
        .collect();
    let unknown = prop_oneof![
        9 => Just(None),
        1 => Just(Some(("surprise".to_owned(), json!(1)))),
    ];
    (members, unknown)
        .prop_map(|(members, unknown)| {
            let members = members.into_iter().chain([unknown]).flatten();
            Value::Object(members.collect::<Map<_, _>>())
        })
        .boxed()
}

/// Mostly of the right type and near the bounds, sometimes anything.
fn value(shape: &Shape) -> BoxedStrategy<Value> {
    prop_oneof![8 => of_type(shape), 1 => anything()].boxed()
}

fn of_type(shape: &Shape) -> BoxedStrategy<Value> {
    let options = shape.options();
    if !options.is_empty() {
        return proptest::sample::select(options.to_vec()).boxed();
    }
    if shape.is("integer") {
        let bound = |name, other| shape.number(name).unwrap_or(other);
        let (least, most) = (bound("minimum", -3), bound("maximum", 1_000));
        return (least - 2..=most + 2).prop_map(Value::from).boxed();
    }
    if shape.is("boolean") {
        return any::<bool>().prop_map(Value::from).boxed();
    }
    let most = shape.number("maxLength").and_then(|most| usize::try_from(most).ok());
    let near = most.unwrap_or(8);
    let length = prop_oneof![3 => 0..8_usize, 1 => near.saturating_sub(1)..near + 2];
    // Most texts have plain letters only, so that most are valid.
    let letter = prop_oneof![30 => Just('x'), 1 => proptest::sample::select(LETTERS.to_vec())];
    let text = length.prop_flat_map(move |length| vec(letter.clone(), length));
    let text = text.prop_map(|letters| Value::from(letters.into_iter().collect::<String>()));
    if shape.is_nullable() {
        prop_oneof![4 => text, 1 => Just(Value::Null)].boxed()
    } else {
        text.boxed()
    }
}

fn anything() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!({})),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(json!("UNKNOWN")),
        Just(json!("")),
    ]
    .boxed()
}
