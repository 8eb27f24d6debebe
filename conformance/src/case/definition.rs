//! What a case is.
//!
//! It refuses a case without a clause: what nobody promised, nobody can break.

use std::fmt;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{context::CaseContext, outcome::CaseOutcome};
use crate::{
    clause::{Clause, Source},
    target::{Feature, Fixture, Hook, Role},
};

/// A case under way.
pub type Running<'context> = BoxFuture<'context, Result<(), CaseOutcome>>;

/// One behaviour.
#[derive(Clone, Copy)]
pub struct Case {
    /// `subject.behaviour`, such as `partners.get.by-external-id`; stable, for it is what expectations and people name.
    pub id: &'static str,
    /// What is proved, as one sentence about a deployment that keeps the clause.
    pub sentence: &'static str,
    /// The id of the [`Clause`].
    pub clause: &'static str,
    /// `operationId`, where it is about one operation.
    pub operation: Option<&'static str>,
    /// Keys it cannot do without.
    pub keys: &'static [Role],
    /// Fixtures it cannot do without.
    pub fixtures: &'static [Fixture],
    /// Operator hooks it cannot do without.
    pub hooks: &'static [Hook],
    /// What the deployment must have besides.
    pub features: &'static [Feature],
    /// What it does to the deployment.
    pub changes: Changes,
    /// Whether it waits for the end of a minute, and so runs only where that was asked for.
    pub waits_for_minute: bool,
    /// Whether it counts what its organisation spends, and so runs when no other case of the run does.
    pub counts: bool,
    /// How many requests it makes at most.
    pub requests: u32,
    /// The case itself.
    pub run: for<'context> fn(&'context mut CaseContext<'_>) -> Running<'context>,
}

/// What a case does to the deployment, beside counting requests and credits.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Changes {
    /// Nothing.
    Nothing,
    /// Uses up what a minute or a month allows, in an organisation that is there for that.
    Allowance,
    /// Makes documents, or changes data and changes it back.
    Restored,
    /// Changes what no request changes back.
    Irreversible,
}

impl Case {
    /// A case about what the clause says, which needs the key with all scopes and changes nothing.
    #[must_use]
    pub const fn new(
        id: &'static str,
        sentence: &'static str,
        clause: &'static str,
        run: for<'context> fn(&'context mut CaseContext<'_>) -> Running<'context>,
    ) -> Self {
        Self {
            id,
            sentence,
            clause,
            operation: None,
            keys: &[Role::All],
            fixtures: &[],
            hooks: &[],
            features: &[],
            changes: Changes::Nothing,
            waits_for_minute: false,
            counts: false,
            requests: 8,
            run,
        }
    }

    /// About one operation.
    #[must_use]
    pub const fn on(mut self, operation: &'static str) -> Self {
        self.operation = Some(operation);
        self
    }

    /// With these keys in place of the one with all scopes.
    #[must_use]
    pub const fn keys(mut self, keys: &'static [Role]) -> Self {
        self.keys = keys;
        self
    }

    /// With these fixtures.
    #[must_use]
    pub const fn fixtures(mut self, fixtures: &'static [Fixture]) -> Self {
        self.fixtures = fixtures;
        self
    }

    /// With these operator hooks.
    #[must_use]
    pub const fn hooks(mut self, hooks: &'static [Hook]) -> Self {
        self.hooks = hooks;
        self
    }

    /// With these features.
    #[must_use]
    pub const fn features(mut self, features: &'static [Feature]) -> Self {
        self.features = features;
        self
    }

    /// With these changes.
    #[must_use]
    pub const fn changes(mut self, changes: Changes) -> Self {
        self.changes = changes;
        self
    }

    /// It waits for the end of a minute.
    #[must_use]
    pub const fn waits_for_minute(mut self) -> Self {
        self.waits_for_minute = true;
        self
    }

    /// It counts what its organisation spends: what other cases spend meanwhile would hide a fault.
    #[must_use]
    pub const fn counts(mut self) -> Self {
        self.counts = true;
        self
    }

    /// With so many requests at most.
    #[must_use]
    pub const fn requests(mut self, requests: u32) -> Self {
        self.requests = requests;
        self
    }

    /// The clause.
    ///
    /// # Panics
    /// There is none with this id; a test holds that every case's exists.
    #[must_use]
    pub fn clause(&self) -> &'static Clause {
        Clause::find(self.clause).expect("a test holds that every case's clause exists")
    }

    /// Whether it proves a decision, and not the specification.
    #[must_use]
    pub fn proves_decision(&self) -> bool {
        self.clause().source() == Source::Decision
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id)
    }
}

/// `runs!(name)`: the async function `name(&mut CaseContext)` as a case's `run`.
macro_rules! runs {
    ($name:ident) => {
        |context| Box::pin($name(context))
    };
}
pub(crate) use runs;
