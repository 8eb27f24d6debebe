//! Imports of every probe.

pub(super) use hyper::{
    HeaderMap, Method,
    header::{CONTENT_TYPE, HeaderValue},
};
pub(super) use openapi_document::{Location, Operation, Shape};
pub(super) use serde_json::{Map, Value, json};

pub(super) use super::{
    SUBJECTS,
    bodies::{JSON, bare},
    checks::Check,
    fields::{Field, body_with},
    keys::other_role,
    probe::{Behaviour, Probe, edits_every, exchanges, rewrites_every},
    recipes::Effect,
    subject::{
        CURSOR, Keyed, LIMIT, Subject, passes_the_form, with_key, with_unknown_parameter,
        with_unknown_version,
    },
    values::{self, Wrong, as_text},
};
pub(super) use crate::{
    case::{Case, CaseContext, CaseOutcome, CaseResult, Changes, errors::*},
    cases::{LIST, UNKNOWN_ID, nearly},
    document::{DOCUMENT, UNKNOWN_NAME, is_opaque, kebab},
    exchange::{Key, Request, Response, headers::*, request::escaped},
    isolation::marker,
    proxy::Upstream,
    secret::Secret,
    target::{Fixture, Role},
};
