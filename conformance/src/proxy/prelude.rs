//! Imports of every fault.

pub(crate) use std::collections::HashMap;

pub(crate) use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
pub(crate) use hyper::{
    HeaderMap, Method, StatusCode,
    header::{CONTENT_TYPE, RANGE},
};
pub(crate) use serde_json::{Value, json};

pub(crate) use super::{Fault, Upstream, fault};
pub(crate) use crate::{
    exchange::{Key, Request, Response, headers::*},
    secret::Secret,
    target::Role,
};
