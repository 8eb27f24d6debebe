//! Isolation from other clients: a case locks what it changes, runs again where another run
//! disturbed it, and what it changed is restored and read again. The next run restores what a
//! killed run left.

mod partner;
mod payout;
mod restore;
mod retry;

pub(crate) use partner::{
    LockedPartner, NAME_MARKER, PARTNER_REQUESTS, lock_partner, marked_name, partner_path,
};
pub(crate) use payout::{
    LockedPayout, NOTE, PAYOUT_REQUESTS, can_lock, has_marker, lock_payout, marker, retry_locked,
    unlocked_payout,
};
pub(crate) use restore::{end_run, is_undone_by_originals, recover};
pub(crate) use retry::{repeat, retry};
