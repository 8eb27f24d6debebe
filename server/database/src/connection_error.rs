//! One connection outside a pool, and why there is none: what the database or its certificate
//! lacks, and how to mend it. A pool reports only that it waited for too long.

use std::{error::Error as _, fmt, io, time::Duration};

use rustls::CertificateError;
use sqlx::{Connection as _, PgConnection, error::DatabaseError, postgres::PgConnectOptions};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct ConnectionError {
    /// Host and port.
    target: String,
    host: String,
    cause: sqlx::Error,
}

/// Opens a connection.
pub async fn connect(options: &PgConnectOptions) -> Result<PgConnection, ConnectionError> {
    let connection = tokio::time::timeout(CONNECT_LIMIT, PgConnection::connect_with(options)).await;
    connection.unwrap_or_else(|_| Err(timed_out())).map_err(|cause| {
        let host = options.get_host().to_owned();
        let target = format!("{host}:{}", options.get_port());
        ConnectionError { target, host, cause }
    })
}

fn timed_out() -> sqlx::Error {
    let message = format!("no answer within {} s", CONNECT_LIMIT.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, message).into()
}

/// The database's message, without the line of PostgreSQL's source code that the driver adds.
pub fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => match remedy_of_right(error.as_ref()) {
            Some(remedy) => format!("{}\n{remedy}", error.message()),
            None => error.message().to_owned(),
        },
        other => other.to_string(),
    }
}

/// The remedy if the role lacks the right to run a statement.
fn remedy_of_right(error: &dyn DatabaseError) -> Option<&'static str> {
    (error.code()? == "42501").then_some(
        "The role of DATABASE_URL lacks a right: `payout-server migrate --app-role ROLE` grants \
         all that the server needs; it connects as the schema's owner (DATABASE_OWNER_URL).",
    )
}

impl std::error::Error for ConnectionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

impl fmt::Display for ConnectionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = &self.target;
        if let Some(error) = tls_error(&self.cause) {
            let (reason, remedy) = self.of_tls(error);
            return write!(formatter, "the database at {target} {reason}\n{remedy}");
        }
        match &self.cause {
            sqlx::Error::Database(error) => {
                let remedy = of_server(error.as_ref());
                write!(
                    formatter,
                    "the database at {target} rejected the connection: {}\n{remedy}",
                    error.message()
                )
            }
            sqlx::Error::Tls(error) if error.to_string().contains("does not support TLS") => {
                write!(
                    formatter,
                    "the database at {target} offers no TLS, and sslmode asks for it.\n\
                     Switch it on there (ssl = on, with a certificate), or name plain text with \
                     sslmode=disable in DATABASE_URL if nobody else can read this network."
                )
            }
            sqlx::Error::Tls(_) | sqlx::Error::Configuration(_) => write!(
                formatter,
                "the certificate files of DATABASE_URL cannot be used: {}\nsslrootcert and \
                 sslcert are certificates in PEM form, and sslkey is a private key in PEM form \
                 without a password.",
                self.cause.source().map_or_else(|| self.cause.to_string(), ToString::to_string)
            ),
            other => {
                let reason = other.source().map_or_else(|| other.to_string(), ToString::to_string);
                write!(
                    formatter,
                    "the database at {target} does not answer: {reason}\nCheck DATABASE_URL, and \
                     that the server it names is running."
                )
            }
        }
    }
}

impl ConnectionError {
    /// The fault of the TLS connection, and its remedy.
    fn of_tls(&self, error: &rustls::Error) -> (String, String) {
        let (reason, remedy) = match error {
            rustls::Error::InvalidCertificate(error) => return self.of_certificate(error),
            rustls::Error::AlertReceived(alert) => (
                format!("rejected the client's certificate: {alert:?}."),
                "Name a certificate that it trusts, and its key, with sslcert and sslkey in \
                 DATABASE_URL.",
            ),
            other => (
                format!("speaks no TLS that is accepted here: {other}."),
                "The server accepts TLS 1.2 and 1.3.",
            ),
        };
        (reason, remedy.to_owned())
    }

    fn of_certificate(&self, error: &CertificateError) -> (String, String) {
        let host = &self.host;
        let (reason, remedy) = match error {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                let remedy = format!(
                    "Name the host in DATABASE_URL as the certificate does, or have one issued for \
                     {host}. sslmode=verify-ca with sslrootcert checks the authority alone."
                );
                (format!("is not for the name {host}"), remedy)
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
                "has expired".to_owned(),
                "Renew the database's certificate, and check this machine's clock.".to_owned(),
            ),
            // A bad signature: the authority has the name of a trusted one, and another key.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => (
                "is of an authority that is not trusted".to_owned(),
                "Name the file of the authority's certificate with sslrootcert in DATABASE_URL, or \
                 let this system trust it."
                    .to_owned(),
            ),
            other => (
                format!("cannot be checked ({other})"),
                "Have a certificate issued for the database by an authority, and name the file of \
                 the authority's certificate with sslrootcert in DATABASE_URL."
                    .to_owned(),
            ),
        };
        (format!("has a certificate that {reason}."), remedy)
    }
}

/// The remedy for what the server itself said.
fn of_server(error: &dyn DatabaseError) -> &'static str {
    let (code, message) = (error.code().unwrap_or_default(), error.message());
    match &*code {
        "28000" if message.contains("no encryption") => {
            "Add sslmode=require to DATABASE_URL, or better verify-full."
        }
        "28000" if message.contains("certificate") => {
            "Name a certificate for the role, and its key, with sslcert and sslkey in DATABASE_URL."
        }
        "28000" | "28P01" => "Check role and password in DATABASE_URL.",
        "3D000" => {
            "Check the database's name in DATABASE_URL, or create it: CREATE DATABASE … OWNER …."
        }
        "42501" => "Let the role connect: GRANT CONNECT ON DATABASE … TO ….",
        "53300" => {
            "Raise max_connections there, or lower --database-connections of the servers: each \
             takes twice as many, and a few more."
        }
        "57P03" => "It is starting or stopping. Try again in a moment.",
        _ if message.contains("startup parameter") => POOLER,
        _ => "Check DATABASE_URL, and that a server may connect there.",
    }
}

pub(crate) const POOLER: &str = "\
    Where a pooler answers: PgBouncer needs pool_mode = session and ignore_startup_parameters = \
    extra_float_digits,options, and the role its settings: ALTER ROLE … IN DATABASE … SET \
    search_path = payout, and likewise TimeZone, statement_timeout, lock_timeout and \
    idle_in_transaction_session_timeout (server/OPERATIONS.md, \"Connections\").";

/// Finds the error of TLS, which the driver wraps in two ways.
fn tls_error(error: &sqlx::Error) -> Option<&rustls::Error> {
    match error {
        sqlx::Error::Io(error) => error.get_ref()?.downcast_ref(),
        sqlx::Error::Tls(error) => error.downcast_ref(),
        _ => None,
    }
}
