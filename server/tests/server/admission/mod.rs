//! A8: batches decide as a plain model decides one request after another, and no response leaves
//! before its charge is durable. The suite sees neither batches nor what a crash keeps.

mod batches;
mod reference;
