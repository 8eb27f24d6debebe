//! Every line of the table in `LIMITS.md`, over real sockets: requests within a limit pass, and
//! requests beyond it end. The suite's client sends whole requests within them.
//!
//! | file | claim |
//! |---|---|
//! | `client` | a raw HTTP client, and the server's metrics |
//! | `slow` | silent, incomplete and dripping clients, and those that never read |
//! | `connections` | open connections, in all and from one address |
//! | `heads`, `bodies` | the size of a request |
//! | `keep_alive` | requests per connection, and when it ends |
//! | `http2` | the same over HTTP/2 |
//! | `deadline` | a request has a deadline, and its work continues |
//! | `held` | routes that a test holds |
//! | `shedding` | a busy organisation is rejected, a quiet one served |
//! | `database` | a statement that does not end |
//! | `pending_pool` | batches of one organisation take turns |
//! | `drain` | a stopping server |
//! | `health` | the health port |

mod bodies;
pub(crate) mod client;
mod connections;
mod database;
mod deadline;
mod drain;
mod heads;
mod health;
mod held;
mod http2;
mod keep_alive;
mod pending_pool;
mod shedding;
mod slow;
