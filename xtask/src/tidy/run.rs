//! The command itself: every rule on every file.
//!
//! It refuses to stop at the first finding: one run tells all.

use std::path::Path;

use super::{
    exceptions::{self, EXCEPTIONS},
    finding::Finding,
    rules::RULES,
    tree::{Tree, TreeError},
};

/// Checks the project below `root`, and prints what it finds. `true` where there is nothing to mend.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn run(root: &Path) -> Result<bool, TreeError> {
    let findings = findings(root)?;
    for finding in &findings {
        println!("{finding}");
    }
    for rule in RULES
        .iter()
        .filter(|rule| findings.iter().any(|finding| finding.rule == rule.id))
    {
        println!("\n{}: {}", rule.id, rule.why);
    }
    match findings.len() {
        0 => println!("tidy: {} rules hold", RULES.len()),
        count => println!("\ntidy: {count} to mend"),
    }
    Ok(findings.is_empty())
}

fn findings(root: &Path) -> Result<Vec<Finding>, TreeError> {
    let tree = Tree::read(root)?;
    let findings = RULES
        .iter()
        .flat_map(|rule| (rule.check)(&tree, rule))
        .collect();
    Ok(exceptions::apply(findings, EXCEPTIONS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let findings: Vec<_> = findings(root)
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(findings.is_empty(), "\n{}", findings.join("\n"));
    }

    #[test]
    fn rules_have_ids_of_their_own_and_exceptions_name_rules() {
        let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len());
        assert!(
            EXCEPTIONS
                .iter()
                .all(|exception| ids.contains(&exception.rule))
        );
    }
}
