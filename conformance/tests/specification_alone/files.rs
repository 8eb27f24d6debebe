//! PDFs and the links to them, and what the hooks of the target file write.

use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

/// How long a link lives: short, so that a case can wait for it.
const LIFETIME_SECONDS: u64 = 5;
/// Letters of the text of a PDF.
const WIDTH: usize = 800;

pub(crate) struct Files {
    folder: PathBuf,
    documents: HashMap<String, Vec<u8>>,
}

/// A document, with a link to it.
pub(crate) struct Signed {
    pub(crate) asset: String,
    pub(crate) path: String,
    pub(crate) expires: u64,
    pub(crate) is_uploaded: bool,
}

fn hash(parts: &[&[u8]]) -> String {
    hex::encode(&Sha256::digest(parts.join(&b'|'))[..8])
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs()
}

impl Files {
    pub(crate) fn new(folder: PathBuf) -> Self {
        let documents = HashMap::new();
        fs::write(folder.join("upload-batch.uploaded"), pdf("scanned")).expect("a folder");
        Self { folder, documents }
    }

    /// What a hook wrote; an empty text where it cleared it.
    pub(crate) fn hooked(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    pub(crate) fn written_at(&self, name: &str) -> DateTime<Utc> {
        let metadata = fs::metadata(self.folder.join(name));
        metadata.and_then(|metadata| metadata.modified()).map_or_else(|_| Utc::now(), Into::into)
    }

    fn uploaded(&self, payout: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join(format!("upload-{payout}"))).ok()
    }

    /// The document of a payout: the uploaded one, or one with this text, note and template.
    pub(crate) fn sign(&mut self, payout: &str, text: &str) -> Signed {
        let uploaded = self.uploaded(payout);
        let is_uploaded = uploaded.is_some();
        let bytes = uploaded.unwrap_or_else(|| {
            let note = self.hooked(&format!("note-{payout}"));
            pdf(&format!("{text} {:?} {:?}", note, self.hooked("template")))
        });
        let asset = hash(&[payout.as_bytes(), &bytes]);
        self.documents.insert(asset.clone(), bytes);
        let expires = now() + LIFETIME_SECONDS;
        let path = format!("/files/{asset}?until={expires}&mac={}", mac(&asset, expires));
        Signed { asset, path, expires, is_uploaded }
    }

    /// What a link leads to, if it is unchanged and has not expired.
    pub(crate) fn follow(&self, path: &str, query: &str) -> Option<Vec<u8>> {
        let asset = path.strip_prefix("/files/")?;
        let (until, given) = query.strip_prefix("until=")?.split_once("&mac=")?;
        let expires = until.parse().ok()?;
        let is_signed = given == mac(asset, expires) && now() < expires;
        self.documents.get(asset).filter(|_| is_signed).cloned()
    }
}

fn mac(asset: &str, expires: u64) -> String {
    hash(&[b"a secret", asset.as_bytes(), &expires.to_be_bytes()])
}

/// A PDF of one page with one line of text, in ASCII. Its offsets are those of a text so wide.
fn pdf(text: &str) -> Vec<u8> {
    let text = text.replace(|letter: char| "()\\".contains(letter) || !letter.is_ascii(), " ");
    assert!(text.len() <= WIDTH, "{text}");
    include_str!("page.pdf.txt").replace("{TEXT}", &format!("{text:<WIDTH$}")).into()
}
