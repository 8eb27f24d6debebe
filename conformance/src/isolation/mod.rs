//! One run at a time changes an organisation, restores what its cases changed, and recognises
//! changes by other clients. Each value is in the journal before its first change.

mod foreign;
mod marker;
mod partner;
mod payout;
mod restore;
mod texts;

pub(crate) use foreign::beside_others;
pub(crate) use marker::{Marker, Unmarked, holder, refusal};
pub(crate) use partner::{ChangedPartner, partner_path};
pub(crate) use payout::NOTE;
pub(crate) use restore::{end_run, is_undone_by_originals, recover};
pub(crate) use texts::{NAME_MARKER, is_marked, marked_name, marker};
