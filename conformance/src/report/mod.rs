//! Reports of a run: terminal, JSON, JUnit and HTML, all written from one model.

mod compare;
pub(crate) mod gap;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod model;
mod pretty;
pub(crate) mod progress;
pub(crate) mod proof;
pub(crate) mod redact;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod terminal;
#[cfg(test)]
mod tests;
mod view;
pub(crate) mod words;
