//! Every line of the README's table of limits, over real sockets: what is within it passes, and what is beyond it ends.
//!
//! They refuse to wait for a time that is over: each waits for what the server does then.
//!
//! | file | claim |
//! |---|---|
//! | `client` | a client to the byte, and what a server counts |
//! | `slow` | silent, half-sent and dripping clients, and those that never read |
//! | `connections` | how many are open, in all and from one address |
//! | `heads`, `bodies` | how large a request may be |
//! | `keep_alive` | what a connection carries, and when it ends |
//! | `http2` | the same over HTTP/2 |
//! | `deadline` | a request has its time, and its work goes on |
//! | `held` | routes that a test holds |
//! | `shedding` | a noisy organisation is sent away, a quiet one served |
//! | `database` | a statement without an end |
//! | `drain` | a server that stops |
//! | `health` | the health port |

mod bodies;
mod client;
mod connections;
mod database;
mod deadline;
mod drain;
mod heads;
mod health;
mod held;
mod http2;
mod keep_alive;
mod shedding;
mod slow;
