//! The pages of the rules are their tests: the first example breaks the rule, the second keeps it.

use super::*;

/// The findings of a rule in an example of its page, with the severity `error`.
fn found(rule: &'static Rule, example: &str) -> Vec<Finding> {
    found_in("3.0.3", rule, example)
}

fn found_in(version: &str, rule: &'static Rule, example: &str) -> Vec<Finding> {
    let paths = if example.contains("paths:") { "" } else { "paths: {}\n" };
    let head = format!("openapi: {version}\ninfo: {{ title: A library, version: \"1\" }}\n");
    let text = format!("{head}{paths}{example}");
    let mut severities: Severities = RULES.iter().map(|rule| (rule.id, Severity::Off)).collect();
    severities.insert(rule.id, Severity::Error);
    match Document::parse("library.yaml", &text) {
        Ok(document) => lint(&document, &severities),
        Err(DocumentError::Invalid(diagnostic)) => vec![of_invalid(*diagnostic)],
        Err(unreadable) => panic!("{unreadable}"),
    }
}

fn examples(rule: &Rule) -> Vec<&'static str> {
    let blocks = rule.page.split("```yaml\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default()).collect()
}

#[test]
fn each_page_has_an_example_that_breaks_the_rule_and_one_that_keeps_it() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n", rule.id)), "{rule:?}");
        let [bad, good] = examples(rule)[..] else {
            panic!("{rule:?}: a page has two examples");
        };
        let findings = found(rule, bad);
        assert!(!findings.is_empty(), "{rule:?}: the first example keeps the rule");
        assert!(findings.iter().all(|finding| finding.rule == rule.id), "{findings:?}");
        assert!(findings.iter().all(|finding| finding.line > 2), "{findings:?}");
        assert_eq!(found(rule, good), [], "{rule:?}: the second example breaks the rule");
    }
}

#[test]
fn every_page_belongs_to_a_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lint");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let id = path.file_stem().unwrap().to_str().unwrap();
        assert!(RULES.iter().any(|rule| rule.id == id), "{}", path.display());
    }
}

#[test]
fn severities_come_from_the_configuration() {
    let configured = |rule: &str, severity: &str| {
        severities(&BTreeMap::from([(rule.to_owned(), severity.to_owned())]))
    };
    assert_eq!(configured("operation-id", "off").unwrap()["operation-id"], Severity::Off);
    let unknown = configured("operation-ids", "off").unwrap_err().to_string();
    assert!(unknown.contains("no rule `operation-ids`") && unknown.contains("operation-id,"));
    let unknown = configured("operation-id", "loud").unwrap_err().to_string();
    assert!(unknown.contains("\"error\", \"warning\" or \"off\""), "{unknown}");
}

/// The generator writes the sign as a word.
#[test]
fn value_with_a_sign_is_no_collision() {
    let example = "components:\n  schemas:\n    Order: { type: string, enum: [year, -year] }\n";
    assert_eq!(found(rule("enum-collision").unwrap(), example), []);
}

/// A mapping may name a schema without its path.
#[test]
fn schema_that_a_mapping_names_is_used() {
    let example = "components:\n  schemas:\n    Book: { type: object }\n    Medium:\n      \
                   oneOf: [{ type: object }]\n      \
                   discriminator: { propertyName: kind, mapping: { book: Book } }\n";
    let found = found(rule("unused-component").unwrap(), example);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].pointer, "/components/schemas/Medium");
}

/// The pointers below the schema that `nullable-without-effect` names.
fn without_effect(version: &str, schema: &str) -> Vec<String> {
    let nullable = match version {
        "3.1.0" => "type: [string, 'null']",
        _ => "type: string, nullable: true",
    };
    let example = format!(
        "components:\n  schemas:\n    Text: {{ type: string }}\n    \
         NullableText: {{ {nullable} }}\n    It: {schema}\n"
    );
    let found = found_in(version, rule("nullable-without-effect").unwrap(), &example);
    let below = |finding: Finding| {
        finding.pointer.strip_prefix("/components/schemas/It").unwrap().to_owned()
    };
    found.into_iter().map(below).collect()
}

#[test]
fn null_without_effect_is_found_in_every_spelling_of_3_0() {
    for (schema, expected) in [
        ("{ nullable: true }", &["/nullable"][..]),
        ("{ nullable: true, properties: { a: {} } }", &["/nullable"]),
        ("{ nullable: true, $ref: '#/components/schemas/Text' }", &["/nullable"]),
        ("{ nullable: true, allOf: [{ $ref: '#/components/schemas/Text' }] }", &["/nullable"]),
        (
            "{ type: string, nullable: true, allOf: [{ $ref: '#/components/schemas/Text' }] }",
            &["/nullable"],
        ),
        ("{ type: string, nullable: true, enum: [a] }", &["/nullable"]),
        ("{ type: string, nullable: true, oneOf: [{ type: string }] }", &["/nullable"]),
        ("{ allOf: [{ type: string, nullable: true }, { type: string }] }", &["/allOf/0"]),
        ("{ type: string, anyOf: [{ type: string }, { enum: [null] }] }", &["/anyOf/1"]),
        (
            "{ oneOf: [{ $ref: '#/components/schemas/NullableText' }, { enum: [null] }] }",
            &["/oneOf/0", "/oneOf/1"],
        ),
    ] {
        assert_eq!(without_effect("3.0.3", schema), expected, "{schema}");
    }
}

#[test]
fn null_with_effect_is_no_finding_in_3_0() {
    for schema in [
        "{ type: string, nullable: true }",
        "{ type: string, nullable: false, allOf: [{ $ref: '#/components/schemas/Text' }] }",
        "{ type: string, nullable: true, enum: [a, null] }",
        "{ $ref: '#/components/schemas/NullableText' }",
        "{ allOf: [{ $ref: '#/components/schemas/NullableText' }], description: It. }",
        "{ anyOf: [{ $ref: '#/components/schemas/Text' }, { enum: [null] }] }",
        "{ oneOf: [{ $ref: '#/components/schemas/Text' }, { type: object, nullable: true, enum: \
         [null] }] }",
        "{ type: string, nullable: true, allOf: [{ maxLength: 3 }] }",
    ] {
        assert_eq!(without_effect("3.0.3", schema), [""; 0], "{schema}");
    }
}

#[test]
fn null_of_3_1_is_a_finding_only_where_it_is_never_valid() {
    for (schema, expected) in [
        ("{ anyOf: [{ $ref: '#/components/schemas/Text' }, { type: 'null' }] }", &[][..]),
        ("{ oneOf: [{ $ref: '#/components/schemas/Text' }, { type: 'null' }] }", &[]),
        ("{ oneOf: [{ type: 'null' }, { type: string }, { type: integer }] }", &[]),
        ("{ type: [string, 'null'], enum: [a, null] }", &[]),
        ("{ enum: [a, null] }", &[]),
        ("{ type: 'null' }", &[]),
        ("{ type: string, nullable: true }", &["/nullable"]),
        ("{ type: [string, 'null'], enum: [a] }", &["/type"]),
        ("{ type: [string, 'null'], $ref: '#/components/schemas/Text' }", &["/type"]),
    ] {
        assert_eq!(without_effect("3.1.0", schema), expected, "{schema}");
    }
}
