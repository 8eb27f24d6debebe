//! Other stacks beside the server: getPayout as a team would write it that begins today, one
//! durable statement per request. Each peer is a program of its own on the deployment's database.

use std::{
    ffi::OsStr,
    path::Path,
    process::{Command, Stdio},
    str::FromStr as _,
};

use sqlx::postgres::PgConnectOptions;

use super::{
    comparison::Id,
    cpu::Meter,
    data::payout_id,
    deployment::Deployment,
    http::{HttpLoad, request},
};
use crate::{
    Result,
    deployment::Server,
    program::{RELEASE, build},
};

/// Connections of each peer's pool: as many as pgbench is fastest with.
const CONNECTIONS: &str = "32";
/// What differs between the statement for pgbench and that of a peer.
const PARAMETERS: [(&str, &str); 2] = [
    ("sha256(('bench' || :organization::text)::bytea)", "$1"),
    ("'pay_01BE' || lpad(:organization::text, 22, '0')", "$2"),
];

/// A stack that may not be installed: a program and how it checks its packages, and the peer.
struct Script {
    name: &'static str,
    program: &'static str,
    check: [&'static str; 2],
    flag: &'static str,
    text: &'static str,
}

pub(crate) const AXUM: &str = "axum + sqlx";
pub(crate) const FASTIFY: &str = "Fastify";
pub(crate) const FASTAPI: &str = "FastAPI";

const SCRIPTS: [Script; 2] = [
    Script {
        name: FASTIFY,
        program: "node",
        check: ["-e", "require('fastify'), require('pg')"],
        flag: "-e",
        text: include_str!("fastify.cjs"),
    },
    Script {
        name: FASTAPI,
        program: "python3",
        check: ["-c", "import asyncpg, fastapi, uvicorn"],
        flag: "-c",
        text: include_str!("fastapi.py"),
    },
];

#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    server: Server,
    supervisor: u32,
}

/// Starts axum, and each other stack that is installed.
pub(crate) fn start(root: &Path, deployment: &Deployment, statement: &str) -> Result<Vec<Peer>> {
    let statement = PARAMETERS.iter().fold(statement.to_owned(), |statement, (literal, number)| {
        statement.replace(literal, number)
    });
    let database = PgConnectOptions::from_str(&deployment.pgbench.url)?;
    let peer = |name, program: &OsStr, arguments: &[&str]| -> Result<Peer> {
        let mut command = Server::command(program);
        command.args(arguments).env("STATEMENT", &statement).env("CONNECTIONS", CONNECTIONS);
        // What the drivers of all stacks read; not all of them know a socket in a URL.
        command.env("PGUSER", database.get_username()).env("PGSSLMODE", "disable");
        command.env("PGDATABASE", database.get_database().unwrap_or_default());
        command.envs(database.get_socket().map(|folder| ("PGHOST", folder)));
        let server = Server::start(command, &deployment.folder().join(format!("{name}.log")))?;
        Ok(Peer { name, server, supervisor: deployment.meter.supervisor })
    };
    let axum = build(root, &RELEASE, "--example", "bench-axum")?;
    let mut peers = vec![peer(AXUM, axum.as_os_str(), &[])?];
    for Script { name, program, flag, text, .. } in SCRIPTS.iter().filter(|it| it.is_installed()) {
        peers.push(peer(name, program.as_ref(), &[flag, text])?);
    }
    Ok(peers)
}

impl Script {
    fn is_installed(&self) -> bool {
        let mut command = Command::new(self.program);
        command.args(self.check).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

impl Peer {
    pub(crate) fn id(&self, data: &'static str) -> Id {
        Id::new(self.name, data)
    }

    /// Requests for the payout of each of these organisations, with the keys of pgbench.
    pub(crate) fn load(&self, organizations: usize) -> HttpLoad {
        let address = self.server.address();
        let request = |number| {
            let path = format!("/api/v1/payouts/{}", payout_id(number));
            request(address, "GET", &path, Some(&format!("bench{number}")))
        };
        HttpLoad {
            address,
            meter: Meter { keeper: self.server.keeper(), supervisor: self.supervisor },
            requests: (0..organizations).map(request).collect(),
            is_random: true,
            counts_503: false,
        }
    }
}
