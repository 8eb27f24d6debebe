//! The portal of a partner: the links into it (X16), and its pages (X17). A visitor sees one
//! partner of one organisation, and is let in by the database, anew for each page.
//!
//! | module | owns |
//! |---|---|
//! | [`handlers`] | the operation that makes a link |
//! | `ticket` | what a link and a cookie hold |
//! | [`model`], `store` | sessions: made, begun, used, ended |
//! | [`pages`] | what the pages show, from the tables, behind the partner's wall |
//! | [`site`] | the pages over HTTP: addresses, cookies, forms, templates |
//! | [`operator`] | what operators do with users and sessions |
//! | [`options`] | the flags |

pub mod handlers;
pub mod model;
pub mod operator;
pub mod options;
pub mod pages;
pub mod site;
mod store;
mod ticket;

pub use handlers::PortalLinks;
pub use options::{PortalAddress, PortalOptions};
pub use site::Portal;
pub(crate) use site::host;
