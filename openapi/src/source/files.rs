//! A document in several files, read as one: what the document refers to in another file becomes a
//! component, and the path items of other files are put into their places. Only files below the
//! folder of the document are read.

use std::{collections::HashSet, fs, io, path::Path, sync::Arc};

use serde_json::Value;

use super::{
    names::{names, section},
    overlay::apply as apply_overlay,
    tree::{Origin, Source},
};
use crate::{
    error::DocumentError,
    pointer::{self, join},
    structure::{Kind, Node},
};

/// Reads the text of the file `path`, and the files that it refers to, with overlays.
pub(crate) fn read(path: &Path, text: &str, overlays: &[Text]) -> Result<Source, DocumentError> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new("."));
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    read_by(&path.display().to_string(), &own, text, overlays, &|below| of_folder(folder, below))
}

/// The name and the text of a file.
pub(crate) type Text = (String, String);

/// Reads the text of the file `name`, which is `own` in its folder, and other files of this folder.
pub(crate) fn read_by(
    name: &str,
    own: &str,
    text: &str,
    overlays: &[Text],
    open: Open<'_>,
) -> Result<Source, DocumentError> {
    let mut source = with_files(Source::read(name, text)?, own, open)?;
    for (name, text) in overlays {
        apply_overlay(&mut source, name, text)?;
    }
    // An addition of an overlay is a part of the document, and refers to files as that does.
    with_files(source, own, open)
}

/// Adds the files that a document refers to, which is `own` in its folder.
fn with_files(root: Source, own: &str, open: Open<'_>) -> Result<Source, DocumentError> {
    if !refers_to_files(root.value()) {
        return Ok(root);
    }
    let (paths, sources) = (vec![own.to_owned()], vec![root]);
    let mut files = Files { open, paths, sources, references: Vec::new(), found: Vec::new() };
    files.follow();
    files.check_versions();
    DocumentError::all(std::mem::take(&mut files.found).into_iter().map(Err))?;
    files.joined()
}

/// Reads a file by its path below the folder of the document; returns its name and its text.
pub(crate) type Open<'o> = &'o dyn Fn(&str) -> io::Result<Text>;

/// The error of a path that leads out of the folder.
const OUTSIDE: io::ErrorKind = io::ErrorKind::InvalidFilename;

fn of_folder(folder: &Path, below: &str) -> io::Result<(String, String)> {
    let whole = folder.join(below);
    // A symbolic link may leave the folder.
    if !whole.canonicalize()?.starts_with(folder.canonicalize()?) {
        return Err(OUTSIDE.into());
    }
    Ok((whole.display().to_string(), fs::read_to_string(&whole)?))
}

/// Returns true if a text in the place of a reference leaves the file.
fn refers_to_files(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, member)| match member {
            Value::String(text) if name == "$ref" => !text.starts_with('#'),
            Value::Object(names) if name == "mapping" => {
                refers_to_files(member)
                    || names.values().any(|text| text.as_str().is_some_and(is_file))
            }
            member => refers_to_files(member),
        }),
        Value::Array(elements) => elements.iter().any(refers_to_files),
        _ => false,
    }
}

/// Returns true for a text in a mapping that is a file, and no name of a component.
fn is_file(text: &str) -> bool {
    let path = text.split('#').next().unwrap_or_default();
    [".yaml", ".yml", ".json"].iter().any(|extension| path.ends_with(extension))
}

/// A problem, and its remedy.
type Problem = (String, String);

struct Files<'o> {
    open: Open<'o>,
    /// The files by their paths below the folder, the document's own first.
    paths: Vec<String>,
    sources: Vec<Source>,
    references: Vec<Reference>,
    found: Vec<DocumentError>,
}

/// A text that refers to a part of a file.
pub(super) struct Reference {
    pub(super) kind: Kind,
    /// Where the text is.
    pub(super) at: Origin,
    pub(super) target: Origin,
}

impl Files<'_> {
    /// Finds every reference of the document, and of the parts of files that it refers to.
    fn follow(&mut self) {
        let mut pending = vec![(Kind::Document, Origin { file: 0, pointer: String::new() })];
        let mut seen = HashSet::new();
        while let Some((kind, origin)) = pending.pop() {
            let value = self.sources[origin.file].value().pointer(&origin.pointer);
            let Some(value) = value.filter(|_| seen.insert(origin.clone())) else {
                continue;
            };
            let Origin { file, pointer } = origin;
            let node = Node { kind, pointer, value };
            let inside = node.children().into_iter().rev();
            let within = |pointer| Origin { file, pointer };
            pending.extend(inside.map(|child| (child.kind, within(child.pointer))));
            for (pointer, text, is_followed) in texts(&node, file) {
                let target = match is_followed {
                    true => self.target(file, &text),
                    false if file == 0 && text.starts_with('#') => continue,
                    false => Err((
                        format!("`{text}` is not followed into another file here"),
                        "write in the document what it refers to".to_owned(),
                    )),
                };
                match target {
                    Ok(target) => {
                        pending.push((kind, target.clone()));
                        let at = Origin { file, pointer };
                        self.references.push(Reference { kind, at, target });
                    }
                    Err((problem, help)) => {
                        let error = self.sources[file].error(&pointer, problem);
                        self.found.push(error.with_help(help));
                    }
                }
            }
        }
    }

    fn target(&mut self, from: usize, text: &str) -> Result<Origin, Problem> {
        let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
        let file = if path.is_empty() { from } else { self.open(from, path)? };
        let Some(pointer) = pointer::of_local_reference(&format!("#{fragment}")) else {
            let problem = format!("`$ref: {text}` is not a JSON pointer");
            return Err((problem, format!("write it as `{path}#/components/…`")));
        };
        let source = &self.sources[file];
        if source.value().pointer(&pointer).is_none() {
            return Err((format!("`$ref: {text}` leads nowhere"), source.nearby(&pointer)));
        }
        // What an overlay refers to may be a component already.
        let root = &self.sources[0];
        let is_here = |(_, from): &(&String, &Origin)| {
            root.files[from.file].name == source.files[0].name && from.pointer == pointer
        };
        if file != 0
            && let Some((to, _)) = root.moved.iter().find(is_here)
        {
            return Ok(Origin { file: 0, pointer: to.clone() });
        }
        Ok(Origin { file, pointer })
    }

    /// Returns the index of a file by its path relative to another one.
    fn open(&mut self, from: usize, path: &str) -> Result<usize, Problem> {
        let outside = || {
            let problem = format!("`{path}` is outside of the folder of the document");
            (problem, "copy the file below that folder, and refer to the copy".to_owned())
        };
        let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
        if has_scheme || path.starts_with("//") {
            let problem = format!("`{path}` is not a file: nothing is read from the network");
            return Err((problem, "save it beside the document, and refer to the copy".to_owned()));
        }
        let decoded = pointer::percent_decoded(path).unwrap_or_else(|| path.to_owned());
        if decoded.starts_with('/') {
            return Err(outside());
        }
        let mut parts: Vec<&str> = self.paths[from].split('/').collect();
        parts.pop();
        for part in decoded.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.pop().is_none() => return Err(outside()),
                ".." => {}
                name => parts.push(name),
            }
        }
        let below = parts.join("/");
        if let Some(known) = self.paths.iter().position(|known| *known == below) {
            return Ok(known);
        }
        let (name, text) = (self.open)(&below).map_err(|error| {
            if error.kind() == OUTSIDE {
                return outside();
            }
            let problem = format!("`{path}` cannot be read: {error}");
            let help = "paths are relative to the file that refers to them, those of an overlay to \
                        the document";
            (problem, help.to_owned())
        })?;
        let source = Source::read(&name, &text).map_err(|error| {
            (format!("`{path}` cannot be read: {error}"), "correct that file".to_owned())
        })?;
        self.paths.push(below);
        self.sources.push(source);
        Ok(self.sources.len() - 1)
    }

    /// A file that is a document itself has the version of the others.
    fn check_versions(&mut self) {
        let version = |source: &Source| {
            let version = source.value().get("openapi")?.as_str()?;
            Some(version.splitn(3, '.').take(2).map(str::to_owned).collect::<Vec<_>>().join("."))
        };
        let own = version(&self.sources[0]);
        let others = self.sources.iter().filter(|source| {
            let other = version(source);
            other.is_some() && own.is_some() && other != own
        });
        let problem = format!("this version is not that of {}", self.paths[0]);
        let help = "write all files of a document in one version of OpenAPI";
        let found: Vec<_> = others
            .map(|source| source.error("/openapi", problem.as_str()).with_help(help))
            .collect();
        self.found.extend(found);
    }

    /// Puts everything into the value of the document.
    fn joined(self) -> Result<Source, DocumentError> {
        let root = self.sources[0].value();
        let (names, wanted) = names(&self.references, root, &self.paths);
        let mut values: Vec<Value> = self.sources.iter().map(|it| it.value().clone()).collect();
        for Reference { kind, at, target } in &self.references {
            let text = match names.get(target) {
                Some(name) => format!("#{}", place_of(*kind, name)),
                // A path item is put into its place below.
                None if target.file != 0 => continue,
                None => format!("#{}", target.pointer.replace('%', "%25")),
            };
            if let Some(reference) = values[at.file].pointer_mut(&at.pointer) {
                *reference = text.as_str().into();
            }
            let renamed = names.get(target).zip(wanted.get(target));
            if let Some((_, wanted)) = renamed.filter(|(name, wanted)| name != wanted) {
                keep_implied_name(&mut values[at.file], &at.pointer, wanted, &text);
            }
        }
        let root = &self.sources[0];
        let mut moved = root.moved.clone();
        let origin = |target: &Origin| match target.file {
            0 => root.written_at(&target.pointer),
            file => Origin { file: root.files.len() - 1 + file, pointer: target.pointer.clone() },
        };
        let mut value = values[0].clone();
        let of = |origin: &Origin| values[origin.file].pointer(&origin.pointer).cloned();
        for Reference { kind, at, target } in &self.references {
            if let (Some(name), Some(part)) = (names.get(target), of(target)) {
                let to = place_of(*kind, name);
                insert(&mut value, &to, part);
                moved.insert(to, origin(target));
            } else if *kind == Kind::PathItem && at.file == 0 && target.file != 0 {
                let target = self.last_of(target)?;
                let to = pointer::parent(&at.pointer).unwrap_or_default().to_owned();
                let (Some(mut part), Some(place)) = (of(&target), value.pointer_mut(&to)) else {
                    continue;
                };
                // Members beside the reference stay.
                if let (Some(part), Some(own)) = (part.as_object_mut(), place.as_object_mut()) {
                    own.shift_remove("$ref");
                    for (name, member) in std::mem::take(own) {
                        let at = join(&to, &name);
                        moved.insert(at.clone(), root.written_at(&at));
                        part.insert(name, member);
                    }
                }
                *place = part;
                moved.insert(to, origin(&target));
            }
        }
        let others = self.sources[1..].iter().map(|source| &source.files[0]);
        let files = root.files.iter().chain(others).map(Arc::clone).collect();
        Ok(Source { files, value, moved })
    }

    /// Follows path items that refer to other ones.
    fn last_of(&self, first: &Origin) -> Result<Origin, DocumentError> {
        let (mut last, mut steps) = (first, 0);
        let is_next = |reference: &&Reference, from: &Origin| {
            reference.at.file == from.file && reference.at.pointer == join(&from.pointer, "$ref")
        };
        while let Some(next) = self.references.iter().find(|next| is_next(next, last)) {
            (last, steps) = (&next.target, steps + 1);
            if steps > self.references.len() {
                let problem = "the reference leads back to itself";
                return Err(self.sources[first.file].error(&first.pointer, problem));
            }
        }
        Ok(last.clone())
    }
}

/// The pointer of a component.
fn place_of(kind: Kind, name: &str) -> String {
    join(&join("/components", section(kind).unwrap_or_default()), name)
}

/// Pointers and texts of the references of an object, and whether they can be followed.
fn texts(node: &Node<'_>, file: usize) -> Vec<(String, String, bool)> {
    let Node { kind, pointer, value } = node;
    if let Some(text) = pointer::reference_in(value) {
        return vec![(join(pointer, "$ref"), text.to_owned(), section(*kind).is_some())];
    }
    let mut found = Vec::new();
    let unread: &[&str] = match kind {
        Kind::Operation => &["callbacks"],
        Kind::Response => &["links"],
        Kind::MediaType => &["encoding"],
        Kind::Components => &["callbacks", "links"],
        _ => &[],
    };
    for member in unread.iter().filter_map(|name| Some((join(pointer, name), value.get(*name)?))) {
        unread_texts(&member.0, member.1, &mut found);
    }
    let mapping = value.get("discriminator").and_then(|it| it.get("mapping")?.as_object());
    for (name, text) in mapping.filter(|_| *kind == Kind::Schema).into_iter().flatten() {
        let at = join(&join(&join(pointer, "discriminator"), "mapping"), name);
        let text = text.as_str().unwrap_or_default();
        if text.starts_with('#') || is_file(text) {
            found.push((at, text.to_owned(), true));
        } else if file != 0 && !text.contains('/') {
            // The name of a component of that file.
            found.push((at, format!("#/components/schemas/{text}"), true));
        }
    }
    found
}

/// References in objects that are not read, such as callbacks.
fn unread_texts(at: &str, value: &Value, found: &mut Vec<(String, String, bool)>) {
    if let Some(text) = pointer::reference_in(value) {
        found.push((join(at, "$ref"), text.to_owned(), false));
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        unread_texts(&join(at, name), member, found);
    }
}

/// A discriminator without mapping names the alternatives by their components. If one has another
/// name here, requests keep the name that was written.
fn keep_implied_name(value: &mut Value, at: &str, wanted: &str, reference: &str) {
    let parts = at.strip_suffix("/$ref").and_then(|part| part.rsplit_once('/'));
    let owner = parts
        .and_then(|(list, _)| list.strip_suffix("/oneOf").or_else(|| list.strip_suffix("/anyOf")));
    let owner = owner.and_then(|owner| value.pointer_mut(owner)?.get_mut("discriminator"));
    let Some(discriminator) = owner.and_then(Value::as_object_mut) else {
        return;
    };
    let mapping = discriminator.entry("mapping").or_insert_with(|| serde_json::json!({}));
    if let Some(mapping) = mapping.as_object_mut()
        && !mapping.values().any(|mapped| mapped == reference)
    {
        mapping.entry(wanted).or_insert_with(|| reference.into());
    }
}

/// Puts a component into the document.
fn insert(document: &mut Value, to: &str, part: Value) {
    let mut place = document;
    for token in pointer::tokens(to) {
        let Some(members) = place.as_object_mut() else { return };
        place = members.entry(&*token).or_insert_with(|| serde_json::json!({}));
    }
    *place = part;
}
