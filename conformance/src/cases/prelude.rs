//! What almost every case uses.

pub(super) use hyper::Method;
pub(super) use serde_json::{Map, Value, json};

pub(super) use super::{LIST, UNKNOWN_ID, nearly, partner_path};
pub(super) use payout_conformance_macros::case;

pub(super) use crate::{
    case::{Case, CaseContext, CaseOutcome, CaseResult, Changes, errors::*},
    exchange::{Key, Request, Response},
    isolation::{LockedPartner, LockedPayout},
    secret::Secret,
    target::{Feature, Fixture, Hook, Role},
};
