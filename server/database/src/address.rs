//! The address of a database, as `DATABASE_URL` has it: libpq's form, without what the driver
//! would ignore. A connection that leaves the machine is encrypted unless the address names
//! another `sslmode`.

use std::{fs::File, net::IpAddr, str::FromStr as _};

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use url::Url;

/// Parameters that the driver keeps.
const PARAMETERS: [&str; 12] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "user",
];
/// The value of `sslrootcert` that stands for the authorities that the system trusts.
const SYSTEM: &str = "system";

/// Why an address cannot be used. Never shows the address itself, which may hold a password.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AddressError(String);

/// Functions whose only error is the driver's, such as those of tests, use this.
impl From<AddressError> for sqlx::Error {
    fn from(error: AddressError) -> Self {
        Self::Configuration(error.into())
    }
}

/// Connect options for this address, with TLS as libpq's `sslmode` says. Without one: `require`
/// for another machine (`verify-full` where `sslrootcert` is given), and plain text for this one.
///
/// `sslmode=verify-ca` and `verify-full` trust the authority of `sslrootcert` and those of the
/// system; libpq trusts the former alone.
pub(crate) fn parse(address: &str) -> Result<PgConnectOptions, AddressError> {
    if hosts(address).contains(',') {
        return Err(several_hosts());
    }
    let mut url = Url::parse(address).map_err(malformed)?;
    if !["postgres", "postgresql"].contains(&url.scheme()) {
        return Err(malformed(format!("it begins with {}:", url.scheme())));
    }
    let mut parameters: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    for (name, value) in &parameters {
        check_parameter(name, value)?;
    }
    let last = |name: &str| {
        let found = parameters.iter().rev().find(|(parameter, _)| parameter == name);
        found.map(|(_, value)| value.clone())
    };
    if last("sslcert").is_some() != last("sslkey").is_some() {
        let both = "a client's certificate needs both, in PEM form";
        return Err(AddressError(format!("DATABASE_URL names one of sslcert and sslkey: {both}.")));
    }
    let authority = last("sslrootcert");
    let mode = last("sslmode").or_else(|| std::env::var("PGSSLMODE").ok());
    let mode = mode.map(|mode| named_mode(&mode, authority.as_deref())).transpose()?;
    parameters.retain(|(name, value)| {
        name != "target_session_attrs" && (name != "sslrootcert" || value != SYSTEM)
    });
    url.query_pairs_mut().clear().extend_pairs(parameters);
    let options = PgConnectOptions::from_str(url.as_str()).map_err(|error| match error {
        sqlx::Error::Configuration(cause) => malformed(cause),
        other => malformed(other),
    })?;
    let mode = match mode {
        // libpq ignores it for a Unix socket too.
        _ if options.get_socket().is_some() || options.get_host().starts_with('/') => {
            PgSslMode::Disable
        }
        Some(named) => named,
        None if authority.is_some() => PgSslMode::VerifyFull,
        None if is_loopback(options.get_host()) => PgSslMode::Disable,
        None => PgSslMode::Require,
    };
    Ok(options.ssl_mode(mode))
}

fn malformed(why: impl ToString) -> AddressError {
    AddressError(format!(
        "DATABASE_URL is no address of a PostgreSQL database: {}\n\
         Write it as postgres://ROLE:PASSWORD@HOST:PORT/DATABASE.",
        why.to_string()
    ))
}

/// The driver tries the first host alone, and could not tell a primary from a standby.
fn several_hosts() -> AddressError {
    let remedy = "put a proxy that follows the primary in front, and name that \
                  (server/OPERATIONS.md, \"High availability\")";
    AddressError(format!(
        "DATABASE_URL names several hosts, and the server connects to one: {remedy}."
    ))
}

fn unsupported(parameter: &str, value: &str, remedy: &str) -> AddressError {
    AddressError(format!("DATABASE_URL says {parameter}={value}, which cannot be kept: {remedy}."))
}

/// Hosts and ports of an address that `Url` need not be able to parse.
fn hosts(address: &str) -> &str {
    let rest = address.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

fn check_parameter(name: &str, value: &str) -> Result<(), AddressError> {
    match name {
        "host" | "hostaddr" | "port" if value.contains(',') => Err(several_hosts()),
        // The server itself requires a primary: see `session`.
        "target_session_attrs" if ["any", "primary", "read-write"].contains(&value) => Ok(()),
        "target_session_attrs" => {
            Err(unsupported(name, value, "the server writes, so it needs the primary"))
        }
        "sslcert" | "sslkey" | "sslrootcert" if value != SYSTEM => check_file(name, value),
        known if PARAMETERS.contains(&known) => Ok(()),
        _ => Err(AddressError(format!(
            "DATABASE_URL has the parameter {name}, which the server does not know: remove it. It \
             knows {}.",
            PARAMETERS.join(", ")
        ))),
    }
}

/// A file that is missing would look like a database that is away.
fn check_file(parameter: &str, path: &str) -> Result<(), AddressError> {
    // The driver takes the text of a certificate in place of its file's name.
    if path.starts_with("-----BEGIN") {
        return Ok(());
    }
    File::open(path).map(drop).map_err(|error| {
        AddressError(format!(
            "the file {path} of {parameter} in DATABASE_URL cannot be read: {error}"
        ))
    })
}

/// The mode of this name, for `sslrootcert` as given.
fn named_mode(name: &str, authority: Option<&str>) -> Result<PgSslMode, AddressError> {
    let unsupported = |remedy| Err(unsupported("sslmode", name, remedy));
    match (name, authority) {
        ("verify-full", _) => Ok(PgSslMode::VerifyFull),
        ("disable", None) => Ok(PgSslMode::Disable),
        ("prefer", None) => Ok(PgSslMode::Prefer),
        ("require", None) => Ok(PgSslMode::Require),
        ("disable" | "prefer" | "require" | "verify-ca", Some(SYSTEM)) => {
            unsupported("sslrootcert=system is safe with sslmode=verify-full alone")
        }
        // libpq checks the authority too where one is given.
        ("require" | "verify-ca", Some(_)) => Ok(PgSslMode::VerifyCa),
        ("disable" | "prefer", Some(_)) => {
            unsupported("sslrootcert needs sslmode=verify-full, verify-ca or require")
        }
        ("verify-ca", None) => unsupported(
            "name the file of the authority's certificate in sslrootcert, or use verify-full",
        ),
        ("allow", _) => unsupported("use sslmode=prefer or require"),
        _ => unsupported("sslmode is one of disable, prefer, require, verify-ca and verify-full"),
    }
}

/// Returns true if the host is this machine, so that nothing crosses a network.
fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || IpAddr::from_str(address).is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A snapshot has the mode of TLS, or why the address is rejected.
    #[test]
    fn addresses_are_encrypted_or_rejected_and_no_password_is_shown() {
        let rows = include_str!("address/addresses.txt").lines().map(|address| {
            let outcome = match parse(address) {
                Ok(options) => format!("{:?}", options.get_ssl_mode()),
                Err(error) => error.to_string().replace('\n', " "),
            };
            assert!(!outcome.contains("hunter2"), "{outcome}");
            format!("{address}\n    {outcome}\n")
        });
        insta::assert_snapshot!(rows.collect::<String>());
    }
}
