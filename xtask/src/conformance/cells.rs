//! The suite on two cells behind one haproxy, with the configuration that operators get: through
//! one address, with the keys of one cell and then with those of the other.

use std::{fs, net::Ipv4Addr, path::Path};

use super::{
    options::Options,
    suite_run::run_suite,
    test_bed::{Front, TestBed},
};
use crate::{
    Result,
    deployment::failed,
    haproxy::{Haproxy, ProxiedCell, ProxiedServer},
};

/// The cells of the configuration, and the addresses in place of their hosts.
const CELLS: [(&str, Ipv4Addr); 2] =
    [("aa", Ipv4Addr::new(127, 0, 0, 2)), ("bb", Ipv4Addr::new(127, 0, 0, 3))];

/// Requests without a key go to the first cell, so with the keys of the second one two servers take
/// part in this case. Each server counts the requests of an address for itself.
const OF_ONE_SERVER: &str = "meters.address-counts-down";

/// Runs the suite once with the keys of each cell; `false` if a run failed.
pub(super) fn run(root: &Path, options: &Options, reports: &Path) -> Result<bool> {
    if !Haproxy::is_installed() {
        anstream::eprintln!("SKIPPED: haproxy is not installed; apt-get install haproxy");
        return Ok(true);
    }
    let open = |cell| TestBed::open_with(root, "cells", 1, &["seed", "--cell", cell]);
    let beds = [open(CELLS[0].0)?, open(CELLS[1].0)?];
    let port = Haproxy::free_port().map_err(failed("find a free port"))?;
    let mut servers = Vec::new();
    for (bed, (cell, host)) in beds.iter().zip(CELLS) {
        let front = Front {
            base_url: format!("http://127.0.0.1:{port}"),
            public_url: format!("http://{host}:{port}"),
            cell: cell.to_owned(),
        };
        servers.push(bed.start_behind("server_1", &options.target_flags(), Some(front))?);
    }
    let cells: Vec<ProxiedCell> = servers
        .iter()
        .zip(CELLS)
        .map(|(server, (name, host))| {
            let server = ProxiedServer { address: server.address(), health: server.health() };
            ProxiedCell { name, host, servers: [server; 2] }
        })
        .collect();
    let _proxy = Haproxy::start(beds[0].folder(), port, &cells)
        .map_err(failed("start haproxy in front of the cells"))?;
    let mut holds = true;
    for (server, (cell, _)) in servers.iter().zip(CELLS) {
        anstream::eprintln!("conformance: through the proxy, with the keys of the cell {cell}");
        let reports = reports.join(format!("cell-{cell}"));
        fs::create_dir_all(&reports).map_err(failed("make the folder of a run's reports"))?;
        let run = run_suite(server, &options.arguments, &reports, false)?;
        for case in run.cases.iter().filter(|case| !case.is_expected) {
            if case.id == OF_ONE_SERVER {
                anstream::eprintln!("conformance: {} is about one server alone", case.id);
            } else {
                holds = false;
            }
        }
    }
    Ok(holds)
}
