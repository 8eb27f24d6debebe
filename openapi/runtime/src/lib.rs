//! What a server needs beside the code that `contract codegen` generates for it: it reads requests
//! with every violation at once, finds the operation of a request, and limits responses to the
//! documented statuses. It knows no document; the generated code says what it needs to know in
//! [`ErrorCode`] and [`Operations`].

mod accept;
#[cfg(feature = "poem-openapi")]
mod argument;
mod codes;
mod content;
mod cursor;
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

#[cfg(feature = "poem-openapi")]
pub use self::argument::Argument;
pub use self::{
    accept::Accept,
    codes::{ErrorCode, FillError},
    content::{Content, MediaType, Written, json_response, text_response},
    cursor::{Cursor, CursorError, ListFingerprint, Position},
    money::{Money, MoneyError, MoneySum},
    nullable::{MaybeUndefined, Nullable},
    problem::{
        AnsweredCode, Cause, ISSUES_LIMIT, Issue, IssueCode, Location, Problem, message_with,
        shortened,
    },
    reading::{File, RequestForm},
    references::References,
    responses::{Answer, DocumentedHeaders, Joined},
    router::{Found, Idempotency, OperationInfo, Operations, PathValues, RequiredProof, find},
    scalars::{RequestTimestamp, Timestamp, TimestampError, UnknownValue},
    service::{BODY_LIMIT, Contract, Service},
    versions::{Deprecation, Version},
};
#[doc(hidden)]
pub use fancy_regex;
