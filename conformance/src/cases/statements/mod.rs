//! Statements (§2.4, §3.2, §4.7): one document for one state, another where one of the four
//! triggers changed, and an uploaded PDF unchanged. Every document is downloaded and compared byte
//! by byte.

use crate::cases::prelude::*;

mod printed;
mod rejected;
mod result;
mod triggers;
mod uploads;

pub(super) const CASES: [&[Case]; 5] =
    [result::CASES, rejected::CASES, triggers::CASES, uploads::CASES, printed::CASES];
