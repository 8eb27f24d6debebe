//! What almost every case uses.

pub(super) use hyper::Method;
pub(super) use serde_json::{Map, Value, json};

pub(super) use super::{LIST, UNKNOWN_ID, nearly, partner_path};
pub(super) use crate::{
    case::{Case, CaseContext, CaseOutcome, CaseResult, Changes, Running, errors::*},
    exchange::{Key, Request, Response},
    secret::Secret,
    target::{Feature, Fixture, Hook, Role},
};
