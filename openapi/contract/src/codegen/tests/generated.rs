//! Comments at the end of each document of `tests/codegen/generated` say what is generated of it:
//! `# FILE: TEXT` where the file has this text, `# !FILE: TEXT` where it does not; `generated.rs`
//! is the client, and `operations.txt` the index.

use openapi_document::Document;

use super::{config, data, document, files, model_of, squeeze, squeezed};
use crate::codegen::{
    Artifact, Config, UnknownParameters, client, index, model::Model, read, server,
};

#[test]
fn generated_files_have_what_the_documents_say() {
    let mut wrong = Vec::new();
    for path in files("generated") {
        let text = std::fs::read_to_string(&path).unwrap();
        let expected: Vec<_> =
            text.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(": ")).collect();
        assert!(!expected.is_empty(), "{} expects nothing", path.display());
        let name = |file: &str| file.trim_start_matches('!').to_owned();
        let names: Vec<String> = expected.iter().map(|(file, _)| name(file)).collect();
        let document = document(&text);
        let model = read::read(&document, &[], &config()).unwrap();
        let is_wanted = |name: &str| names.iter().any(|wanted| wanted == name);
        let mut generated = server::files(&model, is_wanted).unwrap();
        if is_wanted("operations.txt") {
            let path = "openapi/operations.txt".to_owned();
            generated.push(Artifact { path, text: index::generate(&model) });
        }
        if is_wanted("generated.rs") {
            generated.push(client_of(&model, &document));
        }
        for (file, line) in expected {
            let is_expected = !file.starts_with('!');
            let file = &name(file);
            if squeezed(&generated, file).contains(&squeeze(line)) != is_expected {
                wrong.push(format!("{}: {file}: {line}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn client_of(model: &Model, document: &Document) -> Artifact {
    let client = model.config.client.as_ref().unwrap();
    let text = client::generate(model, document, client).unwrap();
    Artifact { path: "client/generated.rs".to_owned(), text }
}

#[test]
fn order_of_required_and_parameters_changes_no_signature() {
    let signatures = |text: &str| -> Vec<String> {
        let document = document(text);
        let model = model_of(&document, &[]);
        let text = squeeze(&client_of(&model, &document).text);
        let methods = text.split("pubfn").skip(1);
        methods.map(|method| method.split('{').next().unwrap_or_default().to_owned()).collect()
    };
    let relations = data("generated/client-of-relations.yaml");
    let line = |part: &str| relations.lines().find(|line| line.contains(part)).unwrap();
    let (pet, until) = (line("name: petId, in"), line("name: until, in"));
    let other = relations
        .replace("[name, start, petId, end]", "[end, petId, start, name]")
        .replace(until, "UNTIL")
        .replace(pet, until)
        .replace("UNTIL", pet);
    assert_ne!(other, relations);
    let mut found = [signatures(&relations), signatures(&other)];
    found.iter_mut().for_each(|signatures| signatures.sort());
    assert_eq!(found[0], found[1]);
}

#[test]
fn options_of_the_server_change_routes_queries_and_limits() {
    let mut config = config();
    let server = config.server.as_mut().unwrap();
    server.poem_openapi = true;
    server.unknown_parameters = UnknownParameters::Ignore;
    server.part_limit = Some(9);
    let read = |text: &str| read::read(&document(text), &[], &config);
    let has = |model: &Model, file: &str, text: &str| {
        let files = server::files(model, |name| name == file).unwrap();
        squeezed(&files, file).contains(&squeeze(text))
    };
    let base = read(&data("generated/base.yaml")).unwrap();
    let route = r#"path = "/things/:id", method = "patch", operation_id = "changeThing""#;
    assert!(has(&base, "routes.rs", route));
    assert!(has(&base, "routes.rs", "query: Query<Argument<"));
    assert!(has(&base, "decode.rs", "Reader::lenient(request)"));
    let mixed = data("generated/requests-have-types-of-their-own.yaml");
    let found = read(&mixed).unwrap_err();
    assert!(found[0].problem.contains("no route for the segment `{id}:renew`"), "{found:?}");
    let whole = read(&mixed.replace("{id}:renew", "{id}/renew")).unwrap();
    assert!(has(&whole, "decode.rs", "Part::Text),], Some(9)"));
}

#[test]
fn callbacks_are_a_note_of_coverage() {
    let document = document(&data("generated/requests-have-types-of-their-own.yaml"));
    let found = crate::codegen::coverage(&document, &config()).unwrap();
    assert_eq!((found.generated.len(), found.left_out.len()), (3, 0));
    let [note] = &found.notes[..] else { panic!("{:?}", found.notes) };
    assert!(note.to_string().starts_with("small.yaml:23:7: "), "{note}");
}

#[test]
fn what_is_left_out_is_not_generated() {
    let document = document(&data("rejected/part-with-not.yaml"));
    let mut config = Config { client: None, ..config() };
    assert!(crate::codegen::generate(&document, &[], &config).is_err());
    config.leave_out = vec!["createLoan".to_owned()];
    let artifacts = crate::codegen::generate(&document, &[], &config).unwrap();
    assert!(artifacts.iter().all(|file| !file.text.contains("createLoan")));
    assert!(artifacts.iter().any(|file| file.text.contains("listLoans")));
    config.leave_out.push("lend".to_owned());
    let error = crate::codegen::generate(&document, &[], &config).unwrap_err().to_string();
    assert!(error.contains("`leave-out` names `lend`"), "{error}");
}

#[test]
fn operation_that_the_client_cannot_have_is_left_out_of_it_alone() {
    let text = data("generated/base.yaml").replace("changeThing", "builder");
    let (document, mut config) = (document(&text), config());
    let found = crate::codegen::coverage(&document, &config).unwrap();
    assert_eq!((found.left_out.len(), &found.of_server[..]), (1, &["builder".to_owned()][..]));
    config.client.as_mut().unwrap().leave_out = found.of_server;
    let artifacts = crate::codegen::generate(&document, &[], &config).unwrap();
    let has = |end: &str| {
        let mut files = artifacts.iter().filter(|file| file.path.ends_with(end));
        files.any(|file| file.text.contains("fn builder("))
    };
    assert!(has("/traits.rs") && !has("generated.rs"));
}

#[test]
fn table_of_transitions_is_written_below_its_head() {
    let state = "state: { $ref: \"#/components/schemas/State\" }";
    let head = "description: |\n        Moves along:\n\n        | from | to |\n";
    let old = "        |---|---|\n        | old | gone |\n\n        More.\n";
    let text = data("generated/base.yaml")
        .replace(
            "x-known-values: [active, 2nd]",
            "x-known-values: [active, 2nd], x-transitions: \
                                                  { active: [2nd], 2nd: [] }",
        )
        .replace("        size: {", &format!("        {state}\n        size: {{"))
        .replace("description: Changes what the body names. (§1)\n", &format!("{head}{old}"));
    let written = crate::codegen::with_tables(&document(&text), &text);
    let new = "        |---|---|\n        | active | 2nd |\n        | 2nd |  |\n\n        More.\n";
    assert_eq!(written, text.replace(old, new));
    assert_eq!(crate::codegen::with_tables(&document(&written), &written), written);
}
