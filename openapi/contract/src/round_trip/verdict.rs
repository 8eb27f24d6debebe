//! Which elements are proved, and by what.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use openapi_document::{Document, Place};

use super::{
    compare::compare,
    element::{Outcome, Use},
    ledger::Ledger,
    proof::Proofs,
    rules::Rules,
};

/// By what an element is proved, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The emitted document says the same.
    Type,
    /// A test of this rule proves it.
    Case(usize),
    /// By nothing; this rule of the ledger says why.
    Ledger(usize),
    /// By nothing, and no rule says why.
    Open,
}

/// How many elements have each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Proved by type.
    pub by_type: usize,
    /// Proved by a case.
    pub by_case: usize,
    /// In the ledger.
    pub in_ledger: usize,
    /// Neither.
    pub open: usize,
}

/// Something to mend: an element without a proof, or a rule that is wrong.
#[derive(Debug, Clone)]
pub struct Finding {
    /// In the document, or in the ledger.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// The kind of an element without a proof; none of a rule.
    pub element: Option<String>,
}

/// What the emitted document keeps of the document.
#[derive(Debug, Default)]
pub struct Report {
    /// By kind of element.
    pub kinds: BTreeMap<String, Counts>,
    /// What the emitted document says alone, and the ledger knows.
    pub added: usize,
    /// What is to mend.
    pub findings: Vec<Finding>,
    /// How many elements each rule of the ledger still has.
    pub recorded: Vec<usize>,
    /// Rules for the elements that have none.
    pub suggestion: String,
}

/// One element: the use with the worst verdict, and what the others have.
pub(super) struct Element {
    pub(super) used: Use,
    pub(super) verdicts: BTreeSet<Verdict>,
    uses: usize,
}

/// Compares the document with the emitted one, by the rules of the project at `root`; `file` is the
/// name of the ledger in places.
#[must_use]
pub fn judge(
    document: &Document,
    emitted: &Document,
    ledger: &Ledger,
    root: &Path,
    file: &Path,
) -> Report {
    let elements = elements(compare(document, emitted), ledger, root);
    let mut report = Report::default();
    for element in &elements {
        report.count(element);
        if element.verdict() == Verdict::Open {
            report.findings.push(unproved(document, element));
        }
    }
    report.suggestion = report.suggestion(&elements);
    let rules = Rules { ledger, root, file, elements: &elements, kinds: &report.kinds };
    report.recorded = rules.recorded();
    report.findings.extend(rules.findings(document));
    report.findings.sort_by(|one, other| one.place.cmp(&other.place));
    report
}

/// The elements in the order in which they are first used.
fn elements(uses: Vec<Use>, ledger: &Ledger, root: &Path) -> Vec<Element> {
    let mut proofs = Proofs::new(root);
    let mut indices = BTreeMap::new();
    let mut elements: Vec<Element> = Vec::new();
    for used in uses {
        let verdict = verdict(&used, ledger, &mut proofs);
        // Of added elements one place has several.
        let added = match &used.outcome {
            Outcome::Added(value) => Some(value.clone()),
            _ => None,
        };
        let index = *indices
            .entry((used.pointer.clone(), used.element.clone(), added))
            .or_insert(elements.len());
        match elements.get_mut(index) {
            None => {
                elements.push(Element { used, verdicts: BTreeSet::from([verdict]), uses: 1 });
            }
            Some(known) => {
                if verdict > known.verdict() {
                    known.used = used;
                }
                known.verdicts.insert(verdict);
                known.uses += 1;
            }
        }
    }
    elements
}

impl Element {
    /// The worst of its uses.
    pub(super) fn verdict(&self) -> Verdict {
        *self.verdicts.last().expect("an element has a use")
    }
}

fn verdict(used: &Use, ledger: &Ledger, proofs: &mut Proofs<'_>) -> Verdict {
    if used.outcome == Outcome::Kept {
        return Verdict::Type;
    }
    let mut proved = ledger.proved.iter().map(|rule| rule.get_ref());
    let proved = proved.position(|rule| rule.matches(used) && proofs.exist(&rule.by, used));
    let mut recorded = ledger.ledger.iter().map(|rule| rule.get_ref());
    proved
        .map(Verdict::Case)
        .or_else(|| recorded.position(|rule| rule.matches(used)).map(Verdict::Ledger))
        .unwrap_or(Verdict::Open)
}

impl Report {
    fn count(&mut self, element: &Element) {
        let (used, verdict) = (&element.used, element.verdict());
        if matches!(used.outcome, Outcome::Added(_)) {
            self.added += usize::from(verdict != Verdict::Open);
            return;
        }
        let counts = self.kinds.entry(used.element.clone()).or_default();
        *match verdict {
            Verdict::Type => &mut counts.by_type,
            Verdict::Case(_) => &mut counts.by_case,
            Verdict::Ledger(_) => &mut counts.in_ledger,
            Verdict::Open => &mut counts.open,
        } += 1;
    }

    /// Rules for what has none, for a person to complete.
    fn suggestion(&self, elements: &[Element]) -> String {
        let mut open: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for element in elements.iter().filter(|element| element.verdict() == Verdict::Open) {
            let Use { element, outcome, .. } = &element.used;
            *open.entry((element, word(outcome))).or_default() += 1;
        }
        let rules = open.iter().map(|((element, emitted), count)| {
            let is_every = self.kinds.get(*element).is_some_and(|kind| kind.by_type == 0);
            let (emitted, count) = match *emitted {
                "missing" if is_every => (String::new(), "\"all\"".to_owned()),
                "missing" => (String::new(), count.to_string()),
                other => (format!("emitted = \"{other}\"\n"), count.to_string()),
            };
            format!(
                "[[ledger]]\nelements = [\"{element}\"]\n{emitted}count = {count}\n\
                 reason = \"…\"\n"
            )
        });
        rules.collect::<Vec<_>>().join("\n")
    }

    /// Of all kinds together.
    #[must_use]
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for counts in self.kinds.values() {
            total.by_type += counts.by_type;
            total.by_case += counts.by_case;
            total.in_ledger += counts.in_ledger;
            total.open += counts.open;
        }
        total
    }
}

impl Counts {
    /// All elements.
    #[must_use]
    pub fn all(&self) -> usize {
        self.by_type + self.by_case + self.in_ledger + self.open
    }
}

/// An element without a proof, as a finding.
pub(super) fn unproved(document: &Document, element: &Element) -> Finding {
    let Element { used, uses, .. } = element;
    let Use { element: kind, subject, value, outcome, .. } = used;
    let more = match uses {
        1 => String::new(),
        count => format!(" (used {count} times)"),
    };
    let message = match outcome {
        Outcome::Added(theirs) => {
            format!("{subject}: the emitted document alone has {kind} {theirs}{more}")
        }
        Outcome::Changed(theirs) => {
            format!("{subject}: {kind} is {value}, and {theirs} in the emitted document{more}")
        }
        Outcome::Missing | Outcome::Kept => {
            format!("{subject}: {kind} {value} is not in the emitted document{more}")
        }
    };
    Finding { place: document.place(&used.pointer), message, element: Some(kind.clone()) }
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Kept | Outcome::Missing => "missing",
        Outcome::Changed(_) => "changed",
        Outcome::Added(_) => "added",
    }
}
