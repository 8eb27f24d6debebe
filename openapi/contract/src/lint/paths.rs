//! Rules about paths and their parameters.

use std::collections::BTreeMap;

use openapi_document::{Location, Method, pointer::join};

use super::context::{Context, Findings};

pub(super) fn path_parameter(context: &Context<'_>, found: &mut Findings) {
    for operation in context.document.operations() {
        let names = template_names(&operation.path);
        let declared = || {
            let parameters = operation.parameters.iter();
            parameters.filter(|parameter| parameter.location == Location::Path)
        };
        for name in &names {
            if !declared().any(|parameter| parameter.name == *name) {
                let problem = format!("the parameter `{name}` of the path is not declared");
                let fix = format!("add `{{name: {name}, in: path, required: true}}` with a schema");
                found.add(&operation.pointer, problem, fix);
            }
        }
        for parameter in declared() {
            if !names.contains(&parameter.name.as_str()) {
                let problem =
                    format!("the path {} has no `{{{}}}`", operation.path, parameter.name);
                let fix = "remove the parameter, or put it into the path";
                found.add(&parameter.pointer, problem, fix);
            }
        }
    }
}

pub(super) fn ambiguous_path(context: &Context<'_>, found: &mut Findings) {
    let mut seen: BTreeMap<(Vec<&str>, Method), &str> = BTreeMap::new();
    for operation in context.document.operations() {
        let path = operation.path.as_str();
        let shape = path.split('/').map(|part| if part.contains('{') { "{}" } else { part });
        // The same method of two such paths alone is ambiguous.
        let shape = (shape.collect::<Vec<_>>(), operation.method);
        let has_affixes = path
            .split('/')
            .any(|part| part.contains('{') && !(part.starts_with('{') && part.ends_with('}')));
        if has_affixes {
            continue;
        }
        match seen.get(&shape) {
            Some(first) if *first != path => {
                let problem = format!("a request cannot tell {path} from {first}");
                found.add(join("/paths", path), problem, "give one of them another segment");
            }
            Some(_) => {}
            None => drop(seen.insert(shape, path)),
        }
    }
}

fn template_names(path: &str) -> Vec<&str> {
    let parts = path.split('{').skip(1);
    parts.filter_map(|part| part.split_once('}').map(|(name, _)| name)).collect()
}
