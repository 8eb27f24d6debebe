//! A baseline: what a deployment answered, as a folder of files for `cargo insta review`. Our own
//! reviewed responses are one, compiled into the binary.
//!
//! A file is named `<operation>/<status>_<code>` for what the document describes, and
//! `<operation>/<status>_<case>` for what a case adds to it.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};

use super::{
    cases::{self, Reference},
    noise::Noise,
};
use crate::{
    secret::Redaction,
    snapshot::{
        kind,
        recording::{CaseRecording, Key, KnownCase, Observation, Recording, code_of},
        text::{self, Entry, Snapshot},
    },
};

/// `conformance/snapshots`: a folder for each operation.
static FOLDERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/snapshots");

/// The version of a baseline's files; `run` reads no other one.
pub(crate) const FORMAT: u32 = 3;
/// Names the responses that each case got: a snapshot as well, so that it is reviewed with the
/// others.
pub(super) const CASES: &str = "cases";
/// Accepted snapshots; those that wait for review end with `.snap.new`.
pub(super) const SNAPSHOT: &str = ".snap";

/// The description of a baseline, in `baseline.toml`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) format: u32,
    /// Version of `payout-conformance`.
    pub(crate) suite: String,
    /// `info.version` of the document.
    pub(crate) document: String,
    /// SHA-256 of the document.
    pub(crate) document_sha256: String,
    /// The target's name.
    pub(crate) target: String,
    pub(crate) base_url: String,
    pub(crate) recorded_at: String,
    /// How often it was recorded.
    pub(crate) recordings: usize,
    /// True if no case changed data.
    pub(crate) read_only: bool,
    /// True if cases of decisions were run.
    pub(crate) decisions: bool,
    pub(crate) profiles: Vec<String>,
    /// The places at which the recordings differed.
    #[serde(default)]
    pub(crate) noise: Vec<Noise>,
}

/// One file below its head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct File {
    /// The sentence and the requirement of its case.
    pub(super) description: String,
    pub(super) text: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Baseline {
    pub(crate) header: Header,
    pub(super) files: BTreeMap<String, File>,
    /// The responses that each case got, in order.
    pub(super) cases: BTreeMap<String, Vec<Reference>>,
}

/// A response as a baseline has it.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    /// The name of its file.
    pub(super) name: String,
    pub(super) key: Key,
    /// The requests of its entry there, one in each line.
    pub(super) requests: String,
    pub(super) snapshot: Snapshot,
}

impl Baseline {
    /// The reviewed responses of our own data set.
    pub(super) fn built_in() -> Self {
        let files = FOLDERS.files().chain(FOLDERS.dirs().flat_map(Dir::files));
        let files = files.filter_map(|file| {
            let name = file.path().to_str()?.strip_suffix(SNAPSHOT)?.replace('\\', "/");
            Some((name, File::read(file.contents_utf8()?)))
        });
        Self::from_files(Header::default(), files.collect())
    }

    /// The baseline of these files, of which one names the cases.
    pub(super) fn from_files(header: Header, mut files: BTreeMap<String, File>) -> Self {
        let cases = files.remove(CASES).map(|file| cases::read(&file.text));
        Self { header, files, cases: cases.unwrap_or_default() }
    }

    /// The baseline of what a run got. Each operation, status and code has a file; what a case got
    /// beside that is in a file of its own.
    pub(super) fn of(header: Header, recording: &Recording) -> Self {
        let mut drafts = Drafts::default();
        // Derived cases are about the code; other cases only provide what those lack.
        for is_first in [true, false] {
            for (id, case) in &recording.cases {
                for observation in &case.observations {
                    if is_first == (case.is_derived && observation.is_taken) {
                        drafts.offer(id, &case.description, observation);
                    }
                }
            }
        }
        let mut cases = BTreeMap::new();
        for (id, case) in &recording.cases {
            let references = case.observations.iter();
            let references = references.map(|one| drafts.reference(id, &case.description, one));
            let mut references: Vec<Reference> = references.collect();
            // How often a case repeats a request depends on what else is sent.
            references.dedup();
            if !references.is_empty() {
                cases.insert(id.clone(), references);
            }
        }
        let files = drafts.files.into_iter();
        let files = files.map(|(name, draft)| (name, draft.file())).collect();
        Self { header, files, cases }
    }

    /// This baseline without these secrets: some are known only when the run has ended.
    pub(crate) fn without(mut self, redaction: &Redaction) -> Self {
        for file in self.files.values_mut() {
            file.text = redaction.replace(&file.text, kind::KEY);
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Such as `312 responses of 640 cases in 190 files`.
    pub(crate) fn summary(&self) -> String {
        let responses: usize = self.cases.values().map(Vec::len).sum();
        let (cases, files) = (self.cases.len(), self.files.len());
        format!("{responses} responses of {cases} cases in {files} files")
    }

    /// The responses that each case got.
    pub(super) fn expected(&self) -> BTreeMap<&str, Vec<Expected>> {
        let cases = self.cases.iter();
        cases.map(|(case, references)| (case.as_str(), self.responses(references))).collect()
    }

    /// The responses that a case got, if the baseline has the case.
    pub(super) fn expected_of(&self, case: &str) -> Option<Vec<Expected>> {
        self.cases.get(case).map(|references| self.responses(references))
    }

    fn responses(&self, references: &[Reference]) -> Vec<Expected> {
        references.iter().filter_map(|reference| self.response(reference)).collect()
    }

    fn response(&self, Reference { name, number }: &Reference) -> Option<Expected> {
        let text = &self.files.get(name)?.text;
        let (requests, response) = text::entries(text).nth(number - 1)?;
        let snapshot = Snapshot::parse(response);
        let status = snapshot.status();
        let code = code_of(status, snapshot.code()).to_owned();
        let operation = name.split('/').next()?.to_owned();
        let key = Key { operation, status, code };
        Some(Expected { name: name.clone(), key, requests: requests.to_owned(), snapshot })
    }

    /// The baseline that a recording of some cases makes of this one: the others stay as they are.
    pub(super) fn updated(&self, recording: Recording, known: &[KnownCase]) -> Self {
        let mut all = Recording::default();
        for KnownCase { id, description, is_derived } in known {
            let Some(expected) = self.expected_of(id) else { continue };
            let case = CaseRecording {
                description: description.clone(),
                is_derived: *is_derived,
                has_passed: true,
                observations: expected.into_iter().map(Observation::from).collect(),
            };
            all.cases.insert((*id).to_owned(), case);
        }
        all.cases.extend(recording.cases);
        Self::of(self.header.clone(), &all)
    }

    /// All files, with the one that names the cases.
    pub(super) fn all_files(&self) -> BTreeMap<&str, File> {
        let files = self.files.iter().map(|(name, file)| (name.as_str(), file.clone()));
        let description = "The responses that each case got.".to_owned();
        let cases = File { description, text: cases::write(&self.cases) };
        files.chain([(CASES, cases)]).collect()
    }

    /// The files that are new or changed since an earlier baseline, and the names of those that
    /// nothing takes any more.
    pub(super) fn changes<'a>(&self, earlier: &'a Self) -> (BTreeMap<&str, File>, Vec<&'a str>) {
        let known = earlier.all_files();
        let mut files = self.all_files();
        files.retain(|name, file| known.get(name).is_none_or(|known| known.text != file.text));
        let gone = earlier.files.keys().filter(|name| !self.files.contains_key(*name));
        (files, gone.map(String::as_str).collect())
    }

    /// A case and a response that it got and no file holds.
    pub(super) fn missing(&self) -> Option<(&str, &Reference)> {
        let mut all = self.cases.iter().flat_map(|(case, references)| {
            references.iter().map(move |reference| (case.as_str(), reference))
        });
        all.find(|(_, reference)| self.response(reference).is_none())
    }
}

impl File {
    /// Reads a file of insta: its head is between two lines of `---`.
    pub(super) fn read(file: &str) -> Self {
        let file = file.replace("\r\n", "\n");
        let parts = file.strip_prefix("---\n").and_then(|head| head.split_once("\n---\n"));
        let (head, text) = parts.unwrap_or(("", &file));
        let description = head.lines().find_map(|line| line.strip_prefix("description: "));
        let description = description.unwrap_or_default();
        let quoted = serde_json::from_str(description);
        Self {
            description: quoted.unwrap_or_else(|_| description.to_owned()),
            text: text.trim().to_owned(),
        }
    }

    /// Writes the file as insta does.
    pub(super) fn write(&self, source: &str) -> String {
        let description = serde_json::Value::from(self.description.as_str());
        format!("---\nsource: {source}\ndescription: {description}\n---\n{}\n", self.text)
    }
}

/// Files that are being filled.
#[derive(Default)]
struct Drafts {
    files: BTreeMap<String, Draft>,
}

struct Draft {
    case: String,
    description: String,
    entries: Vec<Entry>,
}

impl Drafts {
    fn draft(&mut self, name: String, case: &str, description: &str) -> &mut Draft {
        let (case, description) = (case.to_owned(), description.to_owned());
        self.files.entry(name).or_insert(Draft { case, description, entries: Vec::new() })
    }

    /// Adds a response to the file of its code, if that has none yet, or belongs to the same case.
    fn offer(&mut self, case: &str, description: &str, observation: &Observation) {
        let draft = self.draft(observation.key.name(), case, description);
        if draft.case == case {
            draft.add(observation);
        }
    }

    /// Returns where the response is: in the file of its code, or in the case's own.
    fn reference(&mut self, case: &str, description: &str, observation: &Observation) -> Reference {
        let shared = observation.key.name();
        let own = observation.key.name_of(case);
        let response = observation.snapshot.to_string();
        let shared_draft = self.files.get(&shared);
        if let Some(index) = shared_draft.and_then(|draft| draft.position(&response)) {
            return Reference { name: shared, number: index + 1 };
        }
        let number = self.draft(own.clone(), case, description).add(observation);
        Reference { name: own, number }
    }
}

impl Draft {
    /// Adds a response unless the file has it; neighbours share an entry. Returns its number.
    fn add(&mut self, observation: &Observation) -> usize {
        let response = observation.snapshot.to_string();
        match self.position(&response) {
            Some(index) if index + 1 < self.entries.len() => index + 1,
            _ => {
                text::push(&mut self.entries, observation.request.clone(), response);
                self.entries.len()
            }
        }
    }

    fn position(&self, response: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.response == response)
    }

    fn file(self) -> File {
        File { description: self.description, text: text::write(&self.entries) }
    }
}

impl From<Expected> for Observation {
    fn from(Expected { key, requests: request, snapshot, .. }: Expected) -> Self {
        let (json, exchange, curl) = (None, 0, String::new());
        Self { key, request, snapshot, json, exchange, curl, is_taken: true }
    }
}

#[cfg(test)]
mod tests;
