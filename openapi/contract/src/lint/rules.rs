//! The table of rules.

use serde::Serialize;
use strum::{Display, EnumString, IntoStaticStr};

use super::{
    context::{Context, Findings},
    discriminators, examples, extensions, generation, names, null, operations, paths, ranges,
    recursion, responses, schemas, unused,
};
use crate::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Display, EnumString, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// The command fails.
    Error,
    /// The finding is printed.
    Warning,
    /// The rule is not checked.
    Off,
}

type Check = for<'d> fn(&Context<'d>, &mut Findings);

pub struct Rule {
    pub id: &'static str,
    /// The severity, unless the configuration sets another one.
    pub severity: Severity,
    /// A page with the reason for the rule, and examples.
    pub page: &'static str,
    /// `None` for `document`: loading reports its findings.
    pub(super) check: Option<Check>,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.id)
    }
}

/// A row of the table: the page is the file of the rule's name.
macro_rules! rules {
    ($($id:literal $severity:ident $check:expr;)+) => {
        &[$(Rule {
            id: $id,
            severity: Severity::$severity,
            page: include_str!(concat!("../../lint/", $id, ".md")),
            check: $check,
        }),+]
    };
}

/// All rules, by the part of the document that they check.
pub static RULES: &[Rule] = rules! {
    "document" Error None;
    "operation-id" Error Some(names::operation_id);
    "operation-id-collision" Error Some(names::operation_id_collision);
    "component-name" Error Some(names::component_name);
    "enum-collision" Error Some(names::enum_collision);
    "path-parameter" Error Some(paths::path_parameter);
    "ambiguous-path" Error Some(paths::ambiguous_path);
    "operation-tag" Warning Some(operations::operation_tag);
    "operation-summary" Off Some(operations::operation_summary);
    "body-of-get" Warning Some(operations::body_of_get);
    "required-scope" Error Some(operations::required_scope);
    "security-scheme" Error Some(operations::security_scheme);
    "success-response" Error Some(responses::success_response);
    "error-body" Warning Some(responses::error_body);
    "error-schema" Warning Some(responses::error_schema);
    "error-codes" Error Some(responses::error_codes);
    "unauthorized-response" Warning Some(responses::unauthorized_response);
    "pattern" Error Some(schemas::pattern);
    "required-property" Warning Some(schemas::required_property);
    "enum-type" Error Some(examples::enum_type);
    "discriminator" Error Some(discriminators::discriminator);
    "closed-part" Error Some(discriminators::closed_part);
    "empty-range" Error Some(ranges::empty_range);
    "endless-schema" Error Some(recursion::endless_schema);
    "required-default" Warning Some(schemas::required_default);
    "reference-siblings" Warning Some(schemas::reference_siblings);
    "nullable-without-effect" Warning Some(null::nullable_without_effect);
    "array-items" Error Some(schemas::array_items);
    "example-valid" Error Some(examples::example_valid);
    "default-valid" Error Some(examples::default_valid);
    "transitions" Error Some(extensions::transitions);
    "resource-reference" Error Some(extensions::resource_reference);
    "time-limit" Error Some(extensions::time_limit);
    "begins-with-read" Error Some(extensions::begins_with_read);
    "unused-component" Warning Some(unused::unused_component);
    "generation" Warning Some(generation::generation);
};

pub(super) fn rule(id: &str) -> Result<&'static Rule> {
    let found = RULES.iter().find(|rule| rule.id == id);
    found.ok_or_else(|| {
        let known: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        format!("there is no rule `{id}`; the rules are {}", known.join(", ")).into()
    })
}
