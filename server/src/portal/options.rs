//! The flags of the portal, with their names, defaults and bounds.

use std::{fmt, net::IpAddr};

use clap::{Args, value_parser};

use super::ticket::Ticket;
use crate::statements::links::PublicUrl;

/// Pages and links are below it.
pub(super) const FOLDER: &str = "/portal";

/// How the portal is reached and used. Only `serve` has these flags.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Portal")]
pub struct PortalOptions {
    /// Address under which partners reach their portal, where it has a host of its own; other hosts
    /// have no portal then [default: --public-url]
    #[arg(long, env = "PAYOUT_PORTAL_URL", value_name = "URL")]
    pub portal_url: Option<PublicUrl>,

    /// How long a link into the portal can be opened
    #[arg(long, env = "PAYOUT_PORTAL_LINK_SECONDS", default_value_t = 300,
          value_parser = value_parser!(u32).range(10..=3_600), value_name = "SECONDS")]
    pub portal_link_seconds: u32,

    /// How long a session in the portal lasts
    #[arg(long, env = "PAYOUT_PORTAL_SESSION_HOURS", default_value_t = 12,
          value_parser = value_parser!(u32).range(1..=168), value_name = "HOURS")]
    pub portal_session_hours: u32,

    /// Requests of the portal in flight, at most half of them one organisation's; those beyond wait
    /// for --queue-milliseconds; after it: 503
    #[arg(long, env = "PAYOUT_PORTAL_REQUESTS_IN_FLIGHT", default_value_t = 32,
          value_parser = value_parser!(u32).range(1..=100_000), value_name = "REQUESTS")]
    pub portal_requests_in_flight: u32,

    /// Connections to the database for what visitors of the portal change, and as many more for
    /// what they read
    #[arg(long, env = "PAYOUT_PORTAL_DATABASE_CONNECTIONS", default_value_t = 4,
          value_parser = value_parser!(u32).range(1..=500), value_name = "CONNECTIONS")]
    pub portal_database_connections: u32,
}

/// Where the portal is.
#[derive(Clone, Debug)]
pub struct PortalAddress {
    url: PublicUrl,
    /// It has a host of its own, and no other host has it.
    is_exclusive: bool,
}

impl fmt::Display for PortalAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{FOLDER}", self.url)
    }
}

impl PortalAddress {
    pub(crate) fn new(portal_url: Option<&PublicUrl>, public_url: &PublicUrl) -> Self {
        let url = portal_url.unwrap_or(public_url).clone();
        let is_exclusive = url.authority() != public_url.authority();
        Self { url, is_exclusive }
    }

    pub(crate) fn url(&self) -> &PublicUrl {
        &self.url
    }

    pub(super) fn link(&self, ticket: &Ticket) -> String {
        format!("{self}/enter/{}", ticket.write())
    }

    /// The path of its pages, as a browser sees it, without a slash at its end.
    pub(super) fn base(&self) -> String {
        format!("{}{FOLDER}", self.url.base_path())
    }

    /// Returns the path below the portal's folder, with its first slash, or empty; a proxy may
    /// leave the base path before it.
    pub(super) fn below_folder<'a>(&self, path: &'a str) -> Option<&'a str> {
        self.below(FOLDER, path)
    }

    /// The same below another folder of this address.
    pub(crate) fn below<'a>(&self, folder: &str, path: &'a str) -> Option<&'a str> {
        let below_base = path.strip_prefix(self.url.base_path());
        let mut paths = below_base.into_iter().chain([path]);
        let below = paths.find_map(|path| path.strip_prefix(folder))?;
        (below.is_empty() || below.starts_with('/')).then_some(below)
    }

    /// Whether a request to this host may see the portal.
    pub(crate) fn is_on(&self, host: Option<&str>) -> bool {
        !self.is_exclusive
            || host.is_some_and(|host| host.eq_ignore_ascii_case(self.url.authority()))
    }

    /// A browser takes a `Secure` cookie over plain HTTP nowhere, not even from this machine.
    pub(super) fn is_secure(&self) -> bool {
        !(self.url.is_plain() && self.is_loopback())
    }

    /// Whether visitors can enter: over plain HTTP to another machine, no browser sends the cookie.
    pub(crate) fn can_be_entered(&self) -> bool {
        !self.url.is_plain() || self.is_loopback()
    }

    fn is_loopback(&self) -> bool {
        let host = self.url.host();
        let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        host == "localhost" || address.is_some_and(|address| address.is_loopback())
    }
}
