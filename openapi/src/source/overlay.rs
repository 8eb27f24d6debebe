//! Overlays (OpenAPI Overlay 1.0): files whose actions change a document that stays as it is. What
//! an action adds has its place in the overlay.

use std::sync::Arc;

use serde_json::Value;
use serde_json_path::JsonPath;

use super::tree::{Origin, Source};
use crate::{
    error::DocumentError,
    pointer::{self, join},
};

/// Applies the overlay in the text of the file `name` to a document.
pub(super) fn apply(source: &mut Source, name: &str, text: &str) -> Result<(), DocumentError> {
    let overlay = Source::read(name, text)?;
    let version = overlay.value().get("overlay").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("1.0.") {
        let problem = "the member `overlay` with the version is missing, or the version is unknown";
        return Err(overlay.error("/overlay", problem).with_help("begin it with `overlay: 1.0.0`"));
    }
    let Some(actions) = overlay.value().get("actions").and_then(Value::as_array) else {
        let error = overlay.error("", "an overlay has a list of `actions`");
        return Err(error.with_help("write `actions: [{ target: $.info, update: { … } }]`"));
    };
    source.files.push(Arc::clone(&overlay.files[0]));
    let actions = actions.iter().enumerate();
    DocumentError::all(actions.map(|(index, action)| {
        let at = join("/actions", &index.to_string());
        act(source, &overlay, &at, action)
    }))
}

fn act(
    source: &mut Source,
    overlay: &Source,
    at: &str,
    action: &Value,
) -> Result<(), DocumentError> {
    let known = ["target", "description", "update", "remove"];
    let unknown = action.as_object().into_iter().flatten().map(|(name, _)| name);
    if let Some(name) =
        unknown.into_iter().find(|name| !known.contains(&name.as_str()) && !name.starts_with("x-"))
    {
        let error = overlay.error(&join(at, name), "an action of Overlay 1.0 has no such member");
        return Err(error.with_help(format!("known: {}", known.join(", "))));
    }
    let target = action.get("target").and_then(Value::as_str).unwrap_or_default();
    let at_target = join(at, "target");
    let path = JsonPath::parse(target).map_err(|error| {
        let problem = format!("`{target}` is not a JSONPath of RFC 9535: {error}");
        overlay.error(&at_target, problem).with_help("write it as `$.paths['/loans'].get`")
    })?;
    let located = path.query_located(source.value());
    let found: Vec<String> = located.locations().map(|it| it.to_json_pointer()).collect();
    if found.is_empty() {
        let error = overlay.error(&at_target, format!("`{target}` matches nothing"));
        return Err(error.with_help("correct the target, or remove the action"));
    }
    if action.get("remove") == Some(&Value::Bool(true)) {
        // From the end, so that indexes of elements stay those that were found.
        found.iter().rev().for_each(|pointer| remove(source, pointer));
        return Ok(());
    }
    let at_update = join(at, "update");
    let Some(update) = action.get("update") else {
        let error = overlay.error(at, "the action has neither `update` nor `remove: true`");
        return Err(error.with_help("say what the target gets"));
    };
    DocumentError::all(found.iter().map(|pointer| {
        let from = Origin { file: source.files.len() - 1, pointer: at_update.clone() };
        match source.value().pointer(pointer) {
            Some(Value::Object(_)) if update.is_object() => merge(source, pointer, update, from),
            Some(Value::Array(elements)) => {
                let element = join(pointer, &elements.len().to_string());
                put(source, pointer, &element, update, from);
            }
            _ => {
                let problem = format!("`{target}` leads to {pointer}, which cannot get this");
                let help = "an object gets an object, a list gets an element; of another value \
                            let the target be the object around it";
                return Err(overlay.error(&at_update, problem).with_help(help));
            }
        }
        Ok(())
    }))
}

/// Merges an object into one of the document: objects member by member, lists one after the other.
fn merge(source: &mut Source, at: &str, update: &Value, from: Origin) {
    for (name, new) in update.as_object().into_iter().flatten() {
        let (to, from) = (join(at, name), from.join(name));
        match (source.value().pointer(&to), new) {
            (Some(Value::Object(_)), Value::Object(_)) => merge(source, &to, new, from),
            (Some(Value::Array(old)), Value::Array(new)) => {
                let first = old.len();
                for (index, element) in new.iter().enumerate() {
                    let (to_element, from) =
                        (join(&to, &(first + index).to_string()), from.join(&index.to_string()));
                    put(source, &to, &to_element, element, from);
                }
            }
            _ => put(source, at, &to, new, from),
        }
    }
}

/// Puts a value into the object or at the end of the list at `owner`.
fn put(source: &mut Source, owner: &str, to: &str, new: &Value, from: Origin) {
    let name = pointer::tokens(to).last().unwrap_or_default().into_owned();
    match source.value.pointer_mut(owner) {
        Some(Value::Object(members)) => drop(members.insert(name, new.clone())),
        Some(Value::Array(elements)) => elements.push(new.clone()),
        _ => return,
    }
    source.forget(to);
    source.moved.insert(to.to_owned(), from);
}

fn remove(source: &mut Source, at: &str) {
    let Some(owner) = pointer::parent(at) else { return };
    let name = pointer::tokens(at).last().unwrap_or_default().into_owned();
    let count = match source.value.pointer_mut(owner) {
        Some(Value::Object(members)) => return drop(members.shift_remove(&name)),
        Some(Value::Array(elements)) => elements.len(),
        _ => return,
    };
    let Ok(removed) = name.parse::<usize>() else { return };
    // Those after it move up, with what was moved into them before.
    let element = |index: usize| join(owner, &index.to_string());
    let mut moved = Vec::new();
    for index in removed + 1..count {
        let from = element(index);
        moved.push((element(index - 1), source.written_at(&from)));
        let inside = source.moved.iter().filter_map(|(to, origin)| {
            let rest = to.strip_prefix(from.as_str()).filter(|rest| rest.starts_with('/'))?;
            Some((format!("{}{rest}", element(index - 1)), origin.clone()))
        });
        moved.extend(inside);
    }
    (removed..count).for_each(|index| source.forget(&element(index)));
    source.moved.extend(moved);
    if let Some(Value::Array(elements)) = source.value.pointer_mut(owner) {
        elements.remove(removed);
    }
}

impl Origin {
    fn join(&self, name: &str) -> Self {
        Self { file: self.file, pointer: join(&self.pointer, name) }
    }
}

impl Source {
    /// Forgets where the members below a pointer were written.
    fn forget(&mut self, at: &str) {
        self.moved.retain(|to, _| {
            to.strip_prefix(at).is_none_or(|rest| !rest.is_empty() && !rest.starts_with('/'))
        });
    }
}
