//! What a server needs beside the code that `contract codegen` generates for it: it reads requests
//! with every violation at once, finds the operation of a request, and limits responses to the
//! documented statuses. It knows no document; the generated code says what it needs to know in
//! [`ErrorCode`], [`Operations`] and [`OperationResponse`].

mod body;
mod codes;
mod content;
mod encoded;
pub mod json;
mod money;
mod nullable;
mod pointer;
mod problem;
pub mod reading;
mod references;
mod responses;
mod router;
mod scalars;
mod service;
mod versions;

pub use self::{
    body::Body,
    codes::ErrorCode,
    content::{Content, MediaType, Written, any_schema},
    encoded::Encoded,
    money::{Money, MoneyError, MoneySum},
    nullable::Nullable,
    problem::{
        AnsweredCode, Cause, ErrorBody, ISSUES_LIMIT, Issue, IssueCode, Location, Problem,
        message_with,
    },
    reading::RequestForm,
    references::References,
    responses::OperationResponse,
    router::{Found, Idempotency, OperationInfo, Operations, PathValues, find},
    scalars::{
        Cursor, CursorError, ListFingerprint, Position, RequestTimestamp, Timestamp,
        TimestampError, UnknownValue, parse,
    },
    service::{BODY_LIMIT, Contract, Service},
    versions::{Deprecation, Version},
};
#[doc(hidden)]
pub use fancy_regex;
