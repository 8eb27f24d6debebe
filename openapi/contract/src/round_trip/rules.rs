//! What is wrong with the rules of the ledger: tests that do not exist, rules of nothing, and
//! counts that are too low or too high.

use std::{collections::BTreeMap, ops::Range, path::Path, sync::Arc};

use openapi_document::{Document, Place};

use super::{
    ledger::{Count, Ledger, Proved, Recorded},
    proof::lacking,
    verdict::{Counts, Element, Finding, Verdict, unproved},
};

pub(super) struct Rules<'l> {
    pub(super) ledger: &'l Ledger,
    pub(super) root: &'l Path,
    /// The name of the ledger in places.
    pub(super) file: &'l Path,
    pub(super) elements: &'l [Element],
    pub(super) kinds: &'l BTreeMap<String, Counts>,
}

impl Rules<'_> {
    /// How many elements each rule of the ledger has.
    pub(super) fn recorded(&self) -> Vec<usize> {
        let rules = 0..self.ledger.ledger.len();
        rules.map(|rule| self.of(Verdict::Ledger(rule)).count()).collect()
    }

    /// The elements with a use of this verdict.
    fn of(&self, verdict: Verdict) -> impl Iterator<Item = &Element> {
        self.elements.iter().filter(move |element| element.verdicts.contains(&verdict))
    }

    pub(super) fn findings(&self, document: &Document) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (index, rule) in self.ledger.proved.iter().enumerate() {
            let messages = self.of_proved(index, rule.get_ref());
            findings.extend(messages.into_iter().map(|message| self.at(rule.span(), message)));
        }
        for (index, rule) in self.ledger.ledger.iter().enumerate() {
            let found: Vec<_> = self.of(Verdict::Ledger(index)).collect();
            let Some(message) = self.of_recorded(rule.get_ref(), &found) else { continue };
            findings.push(self.at(rule.span(), message));
            // Which of them is new, the ledger does not say.
            let count = rule.get_ref().count.get_ref();
            if matches!(count, Count::Exactly(known) if found.len() > *known) {
                findings.extend(found.into_iter().map(|element| unproved(document, element)));
            }
        }
        findings
    }

    fn of_proved(&self, index: usize, rule: &Proved) -> Vec<String> {
        let lacking = lacking(self.root, &rule.by);
        if lacking.is_empty() && self.of(Verdict::Case(index)).next().is_none() {
            return vec![format!("the rule of {} proves nothing; remove it", rule.name())];
        }
        let lacking = lacking.into_iter();
        lacking
            .map(|proof| format!("there is no `{proof}`; name a test that there is, or write it"))
            .collect()
    }

    fn of_recorded(&self, rule: &Recorded, found: &[&Element]) -> Option<String> {
        let name = rule.name();
        let kept = |element: &&&Element| {
            self.kinds.get(&element.used.element).is_some_and(|kind| kind.by_type > 0)
        };
        match *rule.count.get_ref() {
            _ if found.is_empty() => {
                Some(format!("the rule of {name} matches no element; remove it"))
            }
            Count::Every(_) => found.iter().find(kept).map(|element| {
                let kind = &element.used.element;
                let kept = self.kinds[kind].by_type;
                format!(
                    "the rule is of all {name}, and the emitted document has {kept} {kind}; give \
                     the others a rule with their count, or let the generator keep them"
                )
            }),
            Count::Exactly(known) if found.len() < known => Some(format!(
                "the ledger has {known} of {name}, and {} are left; lower the count with `contract \
                 round-trip --update`",
                found.len()
            )),
            Count::Exactly(known) if found.len() > known => Some(format!(
                "{} of {name} are not in the emitted document, and the ledger allows {known}; \
                 prove the others, or let the generator keep them",
                found.len()
            )),
            Count::Exactly(_) => None,
        }
    }

    fn at(&self, span: Range<usize>, message: String) -> Finding {
        let file = Arc::from(self.file.display().to_string());
        let place = Place { file, line: self.ledger.line(span), column: 1 };
        Finding { place, message, element: None }
    }
}
