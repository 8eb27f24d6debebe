//! Which elements are proved, and by what; and what is wrong with the ledger.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use openapi_document::{Document, Place};

use super::{
    compare::compare,
    element::{Outcome, Use},
    ledger::Ledger,
    proof::Proofs,
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
#[derive(Debug)]
pub struct Report {
    /// By kind of element.
    pub kinds: BTreeMap<String, Counts>,
    /// What the emitted document says alone, and the ledger knows.
    pub added: usize,
    /// What is to mend.
    pub findings: Vec<Finding>,
    /// The number of elements of each rule of the ledger.
    pub recorded: Vec<usize>,
    /// Rules for the elements that have none.
    pub suggestion: String,
}

/// The uses of one element, and the worst verdict of them.
struct Element {
    used: Use,
    verdict: Verdict,
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
    let mut report = Report {
        kinds: BTreeMap::new(),
        added: 0,
        findings: Vec::new(),
        recorded: vec![0; ledger.ledger.len()],
        suggestion: String::new(),
    };
    let mut proved = vec![0; ledger.proved.len()];
    let mut open: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for element in &elements {
        let Element { used, verdict, .. } = element;
        report.count(used, *verdict);
        match *verdict {
            Verdict::Type => {}
            Verdict::Case(rule) => proved[rule] += 1,
            Verdict::Ledger(rule) => report.recorded[rule] += 1,
            Verdict::Open => {
                *open.entry((used.element.clone(), word(&used.outcome))).or_default() += 1;
                report.findings.push(unproved(document, element));
            }
        }
    }
    report.suggestion = suggestion(&open);
    report.findings.sort_by(|one, other| one.place.cmp(&other.place));
    let rules = Rules { ledger, root, file: file.to_owned() };
    rules.check(&proved, &report.recorded, &mut report.findings);
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
            None => elements.push(Element { used, verdict, uses: 1 }),
            Some(known) => {
                known.uses += 1;
                if verdict > known.verdict {
                    (known.used, known.verdict) = (used, verdict);
                }
            }
        }
    }
    elements
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
    fn count(&mut self, used: &Use, verdict: Verdict) {
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

fn unproved(document: &Document, element: &Element) -> Finding {
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

/// Rules for what has none, for a person to complete.
fn suggestion(open: &BTreeMap<(String, &str), usize>) -> String {
    let rules = open.iter().map(|((element, emitted), count)| {
        let emitted = match *emitted {
            "missing" => String::new(),
            other => format!("emitted = \"{other}\"\n"),
        };
        format!(
            "[[ledger]]\nelements = [\"{element}\"]\n{emitted}count = {count}\nreason = \"…\"\n"
        )
    });
    rules.collect::<Vec<_>>().join("\n")
}

/// The rules of the ledger, which are findings where they are wrong.
struct Rules<'l> {
    ledger: &'l Ledger,
    root: &'l Path,
    file: PathBuf,
}

impl Rules<'_> {
    fn check(&self, proved: &[usize], recorded: &[usize], findings: &mut Vec<Finding>) {
        let proofs = Proofs::new(self.root);
        for (rule, count) in self.ledger.proved.iter().zip(proved) {
            let (span, rule) = (rule.span(), rule.get_ref());
            let lacking = proofs.lacking(&rule.by);
            for proof in &lacking {
                let message =
                    format!("there is no `{proof}`; name a test that there is, or write it");
                findings.push(self.finding(span.clone(), message));
            }
            if *count == 0 && lacking.is_empty() {
                let name = rule.name();
                let message = format!("the rule of {name} proves nothing; remove it");
                findings.push(self.finding(span, message));
            }
        }
        for (rule, found) in self.ledger.ledger.iter().zip(recorded) {
            let (span, rule) = (rule.span(), rule.get_ref());
            let (name, known) = (rule.name(), *rule.count.get_ref());
            let message = if *found == 0 {
                format!("the rule of {name} matches no element; remove it")
            } else if *found < known {
                format!(
                    "the ledger has {known} of {name}, and {found} are left; lower the count with \
                     `contract round-trip --update`"
                )
            } else if *found > known {
                format!(
                    "{found} of {name} are not in the emitted document, and the ledger allows \
                     {known}; prove the new ones, or let the generator keep them"
                )
            } else {
                continue;
            };
            findings.push(self.finding(span, message));
        }
    }

    fn finding(&self, span: std::ops::Range<usize>, message: String) -> Finding {
        let file = Arc::from(self.file.display().to_string());
        let place = Place { file, line: self.ledger.line(span), column: 1 };
        Finding { place, message, element: None }
    }
}
