//! The addresses that a CRM may have. Its name is resolved once for each connection, every address
//! of the answer is checked, and these very addresses are connected to: a name that changes its
//! answer in between gains nothing.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, LazyLock},
};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// IANA's registry of special addresses, and all that is not unicast.
const SPECIAL_V4: [&str; 17] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/3",
];
/// Global unicast; every other address of IPv6 is special.
const UNICAST_V6: &str = "2000::/3";
/// Special addresses within it: of protocols, of documents, and those that contain one of IPv4.
const SPECIAL_V6: [&str; 5] =
    ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

static SPECIAL: LazyLock<Vec<IpNet>> = LazyLock::new(|| {
    let v4 = SPECIAL_V4.iter().map(|net| IpNet::V4(net.parse::<Ipv4Net>().expect("a network")));
    let v6 = SPECIAL_V6.iter().map(|net| IpNet::V6(net.parse::<Ipv6Net>().expect("a network")));
    v4.chain(v6).collect()
});
static UNICAST: LazyLock<Ipv6Net> = LazyLock::new(|| UNICAST_V6.parse().expect("a network"));

/// Returns true for an address of the public internet.
pub fn is_public(address: IpAddr) -> bool {
    let address = address.to_canonical();
    let is_special = SPECIAL.iter().any(|special| special.contains(&address));
    match address {
        IpAddr::V4(_) => !is_special,
        IpAddr::V6(address) => UNICAST.contains(&address) && !is_special,
    }
}

/// Which addresses a CRM may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Those of the public internet, over TLS.
    Public,
    /// Any, also without TLS: for a CRM in one's own network.
    Any,
}

/// The address is not one that a CRM may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the address is not one of the public internet")]
pub struct Forbidden;

impl Allowed {
    fn allows(self, address: IpAddr) -> bool {
        self == Self::Any || is_public(address)
    }

    /// Reads the URL that a CRM's objects are below. What its name resolves to is checked when it
    /// is used.
    pub fn base_url(self, text: &str) -> Result<Url, String> {
        let url: Url = text.parse().map_err(|error| format!("is no URL: {error}"))?;
        match (self, url.scheme()) {
            (_, "https") | (Self::Any, "http") => {}
            _ => return Err("must begin with https://".to_owned()),
        }
        let has_more = !url.username().is_empty()
            || url.password().is_some()
            || url.query().is_some()
            || url.fragment().is_some();
        if has_more {
            return Err("must have no user, password, query or fragment".to_owned());
        }
        self.check_literal(&url).map_err(|Forbidden| {
            "is no address of the public internet. For a CRM in your own network, give \
             --crm-allow-private-addresses to this command and to every server"
                .to_owned()
        })?;
        Ok(url)
    }

    /// Checks a host that is written as an address: no name of it is resolved.
    pub(super) fn check_literal(self, url: &Url) -> Result<(), Forbidden> {
        let address = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            _ => return Ok(()),
        };
        if self.allows(address) { Ok(()) } else { Err(Forbidden) }
    }
}

/// Resolves names by the system.
#[derive(Debug)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(Box::new(addresses.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}

/// Resolves a name once, and returns its addresses only where all are allowed.
#[derive(Clone)]
pub(super) struct CheckedResolver {
    pub(super) resolver: Arc<dyn Resolve>,
    pub(super) allowed: Allowed,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolving, allowed) = (self.resolver.resolve(name), self.allowed);
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = resolving.await?.collect();
            if addresses.is_empty() {
                return Err(io::Error::other("the name has no address").into());
            }
            if !addresses.iter().all(|address| allowed.allows(address.ip())) {
                return Err(Forbidden.into());
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_public_internet_alone_are_public() {
        for public in ["1.1.1.1", "104.16.0.1", "172.15.0.1", "2606:4700::1111", "2a00::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for special in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.31.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }

    #[test]
    fn url_of_a_crm_is_public_https_unless_any_is_allowed() {
        for (url, of_public, of_any) in [
            ("https://api.hubapi.com", true, true),
            ("https://crm.example/base/", true, true),
            ("http://crm.example", false, true),
            ("ftp://crm.example", false, false),
            ("https://127.0.0.1", false, true),
            // The parser of URLs knows every spelling of an address.
            ("https://0x7f.1", false, true),
            ("https://2130706433", false, true),
            ("https://[::ffff:a00:1]", false, true),
            ("https://[fe80::1]:8443/", false, true),
            ("https://user@crm.example", false, false),
            ("https://crm.example/?a=b", false, false),
            ("https://crm.example/#a", false, false),
            ("crm.example", false, false),
        ] {
            assert_eq!(Allowed::Public.base_url(url).is_ok(), of_public, "{url}");
            assert_eq!(Allowed::Any.base_url(url).is_ok(), of_any, "{url}");
        }
    }
}
