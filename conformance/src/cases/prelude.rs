//! Imports of every case.

pub(super) use hyper::Method;
pub(super) use payout_conformance_macros::case;
pub(super) use serde_json::{Map, Value, json};

pub(super) use super::{
    LIST, UNKNOWN_ID, dataset,
    money::{
        account::{self, Account},
        concurrently,
        document::{Document, follow, statement},
        each_concurrently, instant, payout,
    },
    nearly,
    walk::{
        LARGEST, LINES, PARTNERS, Walk, find_line, first_cursor, first_pages, ids, known,
        lines_of_payout, next_cursor,
    },
};
pub(super) use crate::{
    case::{CaseContext, CaseOutcome, CaseResult, errors::*},
    exchange::{Key, Request, Response, headers::*, request::escaped},
    isolation::{ChangedPartner, NAME_MARKER, NOTE, marked_name, marker, partner_path},
    secret::Secret,
    target::{Feature, Fixture, Hook, Role},
};
