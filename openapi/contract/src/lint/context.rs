//! The document as the rules see it, and their findings.

use openapi_document::{Diagnostic, Document, Node, pointer::join};
use serde_json::Value;

use crate::codegen::Config;

pub(super) struct Context<'d> {
    pub(super) document: &'d Document,
    pub(super) config: &'d Config,
    /// All objects, parents before children.
    pub(super) nodes: Vec<Node<'d>>,
}

/// What a rule finds.
#[derive(Default)]
pub(super) struct Findings {
    /// Pointer, problem and fix.
    pub(super) added: Vec<(String, String, String)>,
    /// What another part of the program finds, with its place.
    pub(super) located: Vec<Diagnostic>,
}

impl Findings {
    pub(super) fn add(
        &mut self,
        pointer: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.added.push((pointer.into(), problem.into(), fix.into()));
    }
}

impl<'d> Context<'d> {
    pub(super) fn of(document: &'d Document, config: &'d Config) -> Self {
        Self { document, config, nodes: document.nodes() }
    }

    /// Returns the value at a pointer, as written.
    pub(super) fn written(&self, pointer: &str) -> Option<&'d Value> {
        self.document.value().pointer(pointer)
    }

    /// Returns name, pointer and value of each component of a section.
    pub(super) fn components(
        &self,
        section: &str,
    ) -> impl Iterator<Item = (&'d str, String, &'d Value)> + use<'d> {
        let at = join("/components", section);
        let members = self.written(&at).and_then(Value::as_object).into_iter().flatten();
        members.map(move |(name, value)| (name.as_str(), join(&at, name), value))
    }
}
