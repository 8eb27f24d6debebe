//! What `contract codegen` would reject, in its words.

use std::collections::BTreeSet;

use super::{
    Finding,
    context::{Context, Findings},
};
use crate::codegen::{coverage, without_operations};

const RULE: &str = "generation";

pub(super) fn generation(context: &Context<'_>, found: &mut Findings) {
    let kept = without_operations(context.document, &context.config.leave_out);
    found.located = match kept.and_then(|kept| coverage(&kept, context.config)) {
        Ok(coverage) => coverage.left_out.into_iter().flat_map(|(_, reasons)| reasons).collect(),
        Err(rejected) => rejected,
    };
    let mut seen = BTreeSet::new();
    found.located.retain(|diagnostic| seen.insert(diagnostic.to_string()));
}

/// Another rule says the same in other words where it finds something at the same place.
pub(super) fn keep_news(findings: &mut Vec<Finding>) {
    let place = |it: &Finding| (it.file.clone(), it.line, it.column);
    let others = findings.iter().filter(|finding| finding.rule != RULE);
    let known: BTreeSet<_> = others.map(place).collect();
    findings.retain(|finding| finding.rule != RULE || !known.contains(&place(finding)));
}
