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
            let is_new = |element: &&&Element| match *rule.get_ref().count.get_ref() {
                // Which of them is new, the ledger does not say.
                Count::Exactly(known) => found.len() > known,
                Count::Every(_) => self.is_kept_elsewhere(element),
            };
            let new = found.iter().filter(is_new);
            findings.extend(new.map(|element| unproved(document, element)));
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
        let (name, count) = (rule.name(), found.len());
        if count == 0 {
            return Some(format!("the rule of {name} matches no element; remove it"));
        }
        match *rule.count.get_ref() {
            Count::Every(_) => {
                let kept = found.iter().find(|element| self.is_kept_elsewhere(element))?;
                let kind = &kept.used.element;
                let kept = self.kinds[kind].by_type;
                Some(format!(
                    "the rule is of all {name}, and the emitted document has {kept} {kind}; give \
                     the others a rule with their count, or let the generator keep them"
                ))
            }
            Count::Exactly(known) if count < known => Some(format!(
                "the ledger has {known} of {name}, and {count} are left; lower the count with \
                 `contract round-trip --update`"
            )),
            Count::Exactly(known) if count > known => Some(format!(
                "{count} of {name} are not in the emitted document, and the ledger allows \
                 {known}; prove the others, or let the generator keep them"
            )),
            Count::Exactly(_) => None,
        }
    }

    /// Whether the emitted document has others of the element's kind.
    fn is_kept_elsewhere(&self, element: &Element) -> bool {
        self.kinds.get(&element.used.element).is_some_and(|kind| kind.by_type > 0)
    }

    fn at(&self, span: Range<usize>, message: String) -> Finding {
        let file = Arc::from(self.file.display().to_string());
        let place = Place { file, line: self.ledger.line(span), column: 1 };
        Finding { place, message, element: None }
    }
}
