//! The faults of statements: another fingerprint, another document that holds, other bytes.
//!
//! It refuses to touch what the active mutant does not break.

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::TimeDelta;

use super::{Mutant, is};
use crate::{
    id::Kind,
    statements::{
        fingerprint::Fingerprint,
        links::DownloadLink,
        model::{Inputs, State},
    },
};

/// Counts downloads.
static DOWNLOADS: AtomicU64 = AtomicU64::new(0);

/// What is known of a payout's statement, where the server knows `state`.
pub(crate) fn known(mut state: State) -> State {
    if is(Mutant::UploadRerendered) {
        state.uploaded = None;
    }
    if is(Mutant::NewAssetEachCall) || is(Mutant::RenameRebuilds) {
        state.current = None;
    }
    state
}

/// The fingerprint of what a statement prints, where the right one is `right`.
pub(crate) fn fingerprint(inputs: &Inputs, right: Fingerprint) -> Fingerprint {
    let mut inputs = inputs.clone();
    if is(Mutant::NoteIgnored) {
        inputs.note = None;
    } else if is(Mutant::PoNumberIgnored) {
        inputs.po_number = None;
    } else if is(Mutant::RenameRebuilds) {
        let title = &inputs.template.title;
        inputs.template.title = Some(format!("{title:?} {}", inputs.partner_name));
    } else if is(Mutant::NewAssetEachCall) {
        inputs.template.title = Some(Kind::Asset.mint());
    } else {
        return right;
    }
    Fingerprint::of(&inputs)
}

/// What is told of a link.
pub(crate) fn told(mut link: DownloadLink) -> DownloadLink {
    if is(Mutant::LinkEndsEarly) {
        link.expires_at += TimeDelta::hours(1);
    }
    link
}

/// What stands behind the PDF's last byte in this download.
pub(crate) fn appendix(is_uploaded: bool) -> Option<String> {
    if is(Mutant::OtherBytes) {
        let number = DOWNLOADS.fetch_add(1, Ordering::Relaxed);
        return Some(format!("\n% download {number}\n"));
    }
    (is(Mutant::UploadAltered) && is_uploaded)
        .then(|| "\n% passed on by payout-server\n".to_owned())
}
