//! Responses as the document shows them: its examples word for word, and the statuses of a failing
//! server. The suite compares no example, and provokes no failure.
//!
//! | file | owns |
//! |---|---|
//! | `document` | whether a response is one that the document lists |
//! | `fixtures`, `bodies` | a request for each operation, and bodies that it rejects |
//! | `examples` | each example of a response is one that the server gives |
//! | `statuses` | 408, 409, 500 and 503 of each operation |

mod bodies;
mod document;
mod examples;
mod fixtures;
mod statuses;
