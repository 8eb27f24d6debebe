//! An in-process server for the tests of code that uses this client.

mod answer;
mod documented;
mod http;
mod report;
mod server;
mod surprise;
mod walk;

pub use self::{
    answer::Answer,
    report::{Entry, Report, Verdict},
    server::{Request, Server},
    surprise::Surprise,
    walk::{Walk, every_documented_answer, every_surprise},
};
