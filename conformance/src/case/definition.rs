//! The definition of a case: one behaviour, the clause it proves, what it needs and what it
//! changes.

use std::fmt;

use futures_util::future::LocalBoxFuture;
use openapi_document::{Method, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaseContext, CaseOutcome};
use crate::{
    clause::{Clause, Source},
    document::DOCUMENT,
    target::{Feature, Fixture, Hook, Role},
};

pub(crate) type Running<'context> = LocalBoxFuture<'context, Result<(), CaseOutcome>>;
/// The function of a case, which may know the operation that the case was derived from.
pub(crate) type Run =
    dyn for<'context> Fn(&'context mut CaseContext<'_>) -> Running<'context> + Send + Sync;

#[derive(Clone, Copy)]
pub(crate) struct Case {
    /// `subject.behaviour`, such as `partners.get.by-external-id`; stable, because expectations
    /// name it.
    pub(crate) id: &'static str,
    /// One sentence about a deployment that conforms.
    pub(crate) sentence: &'static str,
    pub(crate) clause: &'static str,
    /// `operationId`, where it is about one operation.
    pub(crate) operation: Option<&'static str>,
    pub(crate) keys: &'static [Role],
    pub(crate) fixtures: &'static [Fixture],
    pub(crate) hooks: &'static [Hook],
    pub(crate) features: &'static [Feature],
    pub(crate) changes: Changes,
    /// The case waits for the end of a minute, and so runs only with `--patient`.
    pub(crate) waits_for_minute: bool,
    /// The case runs alone, because it measures what its organisation spends, or gives it credits
    /// that would mislead others.
    pub(crate) exclusive: bool,
    pub(crate) is_derived: bool,
    /// Its expectation rests on a decision, even if the clause is of the specification.
    pub(crate) is_by_decision: bool,
    /// The case sends random requests, as many as `--generate` says.
    pub(crate) is_generated: bool,
    /// The most requests that it sends, with those that restore what it changed. Before each
    /// further one the run's budget is asked.
    pub(crate) requests: u32,
    pub(crate) run: &'static Run,
}

/// What a case changes in the deployment, besides using requests and credits.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Changes {
    /// Nothing.
    Nothing,
    /// Uses up the allowance of a minute or a month, of an organisation made for that.
    Allowance,
    /// Makes documents, or changes data and restores it.
    Restored,
    /// Changes what no request can restore.
    Irreversible,
}

impl Case {
    /// A case that needs the key with all scopes, and does nothing.
    pub(crate) const NONE: Self = Self {
        id: "",
        sentence: "",
        clause: "",
        operation: None,
        keys: &[Role::All],
        fixtures: &[],
        hooks: &[],
        features: &[],
        changes: Changes::Nothing,
        waits_for_minute: false,
        exclusive: false,
        is_derived: false,
        is_by_decision: false,
        is_generated: false,
        requests: 8,
        run: &|_| Box::pin(async { Ok(()) }),
    };

    /// Returns true if the case is about no operation that may change something.
    pub(crate) fn only_reads(&self) -> bool {
        let is_own = |operation: &&Operation| Some(operation.id.as_str()) == self.operation;
        let operation = DOCUMENT.operations().iter().find(is_own);
        operation.is_none_or(|operation| operation.method == Method::Get)
    }

    /// Sets the sentence, in which `{operation}` stands for the operation.
    pub(crate) fn says(mut self, sentence: &str) -> Self {
        self.sentence = sentence.replace("{operation}", self.operation.unwrap_or_default()).leak();
        self
    }

    /// Sets the keys, in place of the one with all scopes.
    pub(crate) fn keys(mut self, keys: impl IntoIterator<Item = Role>) -> Self {
        self.keys = keys.into_iter().collect::<Vec<_>>().leak();
        self
    }

    pub(crate) fn fixtures(mut self, fixtures: impl IntoIterator<Item = Fixture>) -> Self {
        self.fixtures = fixtures.into_iter().collect::<Vec<_>>().leak();
        self
    }

    pub(crate) const fn changes(mut self, changes: Changes) -> Self {
        self.changes = changes;
        self
    }

    pub(crate) const fn by_decision(mut self) -> Self {
        self.is_by_decision = true;
        self
    }

    pub(crate) const fn requests(mut self, requests: u32) -> Self {
        self.requests = requests;
        self
    }

    pub(crate) fn clause(&self) -> &'static Clause {
        Clause::find(self.clause).expect("a test proves that every case's clause exists")
    }

    /// Returns true if it proves a decision rather than the specification.
    pub(crate) fn proves_decision(&self) -> bool {
        self.is_by_decision || self.clause().source() == Source::Decision
    }
}

/// A case as `#[case]` registers it, without its id, which is its place.
pub(crate) struct Registered {
    /// The module of its function, as `module_path!` names it.
    pub(crate) module: &'static str,
    pub(crate) line: u32,
    pub(crate) name: &'static str,
    pub(crate) case: Case,
}

inventory::collect!(Registered);

impl fmt::Debug for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id)
    }
}
