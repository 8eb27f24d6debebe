//! Validators of a document's schemas, each compiled once.

use std::{collections::BTreeMap, sync::Arc};

use openapi_document::{Direction, Document, Validator};

pub(crate) struct Validators<'d> {
    document: &'d Document,
    compiled: BTreeMap<(String, Direction), Option<Arc<Validator>>>,
}

impl<'d> Validators<'d> {
    pub(crate) fn of(document: &'d Document) -> Self {
        Self { document, compiled: BTreeMap::new() }
    }

    /// Returns the validator of the schema at a pointer; `None` if the schema cannot be used, which
    /// loading and other rules report.
    pub(crate) fn get(&mut self, schema: &str, direction: Direction) -> Option<Arc<Validator>> {
        let target = self.document.resolve(schema).ok()?.pointer;
        let compile = || self.document.validator(&target, direction).ok().map(Arc::new);
        self.compiled.entry((target.clone(), direction)).or_insert_with(compile).clone()
    }
}
