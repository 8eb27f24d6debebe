//! Verdicts of people on changes, in `verdicts.txt`.

use openapi_contract::breaking::{Change, Direction, Level, changes};
use openapi_document::Document;

const TABLE: &str = include_str!("verdicts.txt");

/// Short names in the table.
const WORDS: [(&str, &str); 5] = [
    ("CARD", "{ $ref: '#/components/schemas/Card' }"),
    ("BANK", "{ $ref: '#/components/schemas/Bank' }"),
    ("THING", "{ $ref: '#/components/schemas/Thing' }"),
    (": K", ": { type: object, required: [kind], properties: { kind: { type: string } } }"),
    ("[K", "[{ type: object, required: [kind], properties: { kind: { type: string } } }"),
];

fn document(kind: &str, members: &str) -> Document {
    let members =
        WORDS.iter().fold(members.to_owned(), |text, (word, meant)| text.replace(word, meant));
    let members = members.replace("PATH", "{ name: id, in: path, required: true, schema: {} }");
    let body = "content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }";
    let (operation, components) = match kind {
        "schema" | "schema 3.1" => {
            let responses = format!("responses: {{ 200: {{ description: A, {body} }} }}");
            (format!("requestBody: {{ {body} }}, {responses}"), members)
        }
        "root" => ("responses: {}".to_owned(), members.replace("; ", "\n")),
        _ if members.contains("responses") => (members, String::new()),
        _ => (format!("responses: {{}}, {members}"), String::new()),
    };
    let components = match kind {
        "root" => components,
        _ => format!(
            "components:
  securitySchemes:
    k: {{ type: apiKey, in: header, name: k }}
    o: {{ type: http, scheme: bearer }}
  schemas: {{ {components} }}"
        ),
    };
    let version = if kind.ends_with("3.1") { "3.1.0" } else { "3.0.3" };
    let text = format!(
        "openapi: {version}
info: {{ title: T, version: '1' }}
paths: {{ '/a/{{id}}': {{ post: {{ operationId: a, {operation} }} }} }}
{components}
"
    );
    Document::parse("api.yaml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn verdict<'c>(changes: impl Iterator<Item = &'c Change>) -> &'static str {
    match changes.filter(|change| !change.hidden).map(|change| change.level).min() {
        Some(Level::Breaking) => "B",
        Some(Level::Warning) => "W",
        Some(Level::Compatible) => "C",
        None => "0",
    }
}

/// Returns the row with what is found instead, if that is something else.
fn fault(
    old: &Document,
    new: &Document,
    kind: &str,
    expected: &[&str],
    row: &str,
) -> Option<String> {
    let found = changes(old, new);
    let of = |direction| found.iter().filter(move |change| change.direction == direction);
    let verdicts = match kind {
        "schema" | "schema 3.1" => {
            vec![verdict(of(Direction::Request)), verdict(of(Direction::Response))]
        }
        _ => vec![verdict(found.iter())],
    };
    let rules: Vec<&str> = found.iter().map(|change| change.rule).collect();
    (verdicts != expected).then(|| format!("{row}\n    {verdicts:?} {rules:?}"))
}

#[test]
fn changes_are_judged_as_people_judge_them() {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    let (mut count, mut faults) = (0, Vec::new());
    for row in rows {
        let columns: Vec<&str> = row.split(" | ").collect();
        let [kind, expected @ .., old, new] = &columns[..] else { panic!("{row}") };
        let (old, new) = (document(kind, old), document(kind, new));
        faults.extend(fault(&old, &new, kind, expected, row));
        for same in [old, new] {
            assert_eq!(verdict(changes(&same, &same).iter()), "0", "{row}");
        }
        count += expected.len();
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count >= 84, "{count}");
}

#[test]
fn new_form_with_its_mapping_is_one_change() {
    let forms = |forms: &str, mapping: &str| {
        let union = format!(
            "oneOf: [{forms}], discriminator: {{ propertyName: kind, mapping: {{ {mapping} }} }}"
        );
        document("schema", &format!("Thing: {{ {union} }}, Card: K, Bank: K, Coin: K"))
    };
    let old = forms("CARD, BANK", "c: Card, b: Bank");
    let new =
        forms("CARD, BANK, { $ref: '#/components/schemas/Coin' }", "c: Card, b: Bank, o: Coin");
    let found = changes(&old, &new);
    let rules: Vec<&str> = found.iter().map(|change| change.rule).collect();
    assert_eq!(rules, ["response-alternative-added", "request-alternative-added"]);
}
