//! Compares the table of `LIMITS.md` with the flags, both ways.

use std::{collections::BTreeMap, thread};

use clap::{Args, Command, CommandFactory, Parser};

use openapi_runtime::json::JSON_DEPTH_LIMIT;

use super::ServeOptions;
use crate::{
    config::BODY_SIZE_BYTES,
    gate::in_flight::QUEUE_LIMIT,
    http::limits::{HEAD_SIZE_BYTES, HTTP2_STREAMS, URI_SIZE_BYTES, WRITE_PROGRESS_BYTES},
    telemetry::LINES_LIMIT,
};

const LIMITS: &str = include_str!("../../LIMITS.md");
/// Numbers that are no limits, or are documented in another section.
const ELSEWHERE: [&str; 2] = ["concurrent-renders", "link-lifetime-seconds"];

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    options: ServeOptions,
}

/// Flag and default of each row that names a flag.
fn documented() -> BTreeMap<String, String> {
    let rows = LIMITS.lines().filter(|line| line.starts_with("| "));
    rows.filter_map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let flag = cells.get(2)?.strip_prefix("`--")?.strip_suffix('`')?;
        // A default of the machine, such as its cores, is a word.
        let default = cells[3].split(' ').next().unwrap();
        default.parse::<u64>().ok()?;
        Some((flag.to_owned(), default.to_owned()))
    })
    .collect()
}

/// Flag and default of each flag whose value is a number.
fn flags() -> BTreeMap<String, String> {
    let command = ServeOptions::augment_args(Command::new("serve"));
    let numbers = command.get_arguments().filter_map(|argument| {
        let flag = argument.get_long()?.to_owned();
        let default = argument.get_default_values().first()?;
        let default = default.to_str()?.to_owned();
        default.parse::<u64>().ok()?;
        Some((flag, default))
    });
    numbers.filter(|(flag, _)| !ELSEWHERE.contains(&flag.as_str())).collect()
}

#[test]
fn every_limit_is_listed_with_its_default() {
    assert_eq!(documented(), flags());
}

#[test]
fn fixed_limits_are_listed() {
    for row in [
        format!("| size of a head; headers in it | | {} KiB; 100 |", HEAD_SIZE_BYTES / 1024),
        format!("| size of a URL | | {} KiB |", URI_SIZE_BYTES / 1024),
        format!("| a request's body: size | | {} KiB |", BODY_SIZE_BYTES / 1024),
        format!("| depth of JSON | | {JSON_DEPTH_LIMIT} |"),
        format!(
            "| time in which a client reads {} KiB of a response,",
            WRITE_PROGRESS_BYTES / 1024
        ),
        "| lines of the request log that wait to be written | | 16,384 |".to_owned(),
        format!("| HTTP/2: concurrent requests over one connection | | {HTTP2_STREAMS} |"),
    ] {
        assert!(LIMITS.contains(&row), "{row}");
    }
    assert_eq!((QUEUE_LIMIT, LINES_LIMIT), (1_024, 16_384));
}

#[test]
fn value_at_its_bound_is_accepted_and_one_beyond_is_rejected() {
    let read =
        |flag: &str, value: u64| Line::try_parse_from(["serve", flag, &value.to_string()]).is_ok();
    let rows = include_str!("bounds.txt").lines().filter(|row| !row.starts_with('#'));
    for row in rows {
        let [flag, min, max] = row.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let (min, max): (u64, u64) = (min.parse().unwrap(), max.parse().unwrap());
        assert!(read(flag, min) && read(flag, max), "{flag}");
        assert!(!read(flag, max + 1), "{flag} {}", max + 1);
        assert!(min == 0 || !read(flag, min - 1), "{flag} {}", min - 1);
    }
}

#[test]
fn every_flag_has_a_variable_of_its_name() {
    for argument in Line::command().get_arguments() {
        let Some(flag) = argument.get_long().filter(|flag| !["help", "version"].contains(flag))
        else {
            continue;
        };
        let variable = format!("PAYOUT_{}", flag.to_uppercase().replace('-', "_"));
        let env = argument.get_env().map(|name| name.to_string_lossy());
        assert_eq!(env.as_deref(), Some(&*variable), "--{flag}");
    }
}

#[test]
fn half_of_the_cores_and_at_least_two_serve_requests_unless_set_otherwise() {
    let threads =
        |flags: &[&str]| Line::parse_from([&["serve"], flags].concat()).options.worker_threads();
    let cores = thread::available_parallelism().unwrap().get();
    assert_eq!(threads(&[]), cores.div_ceil(2).max(2));
    assert_eq!(threads(&["--worker-threads", "7"]), 7);
}

#[test]
fn one_organization_renders_half_of_all_unless_set_otherwise() {
    for (flags, per_organization) in [
        (&["--concurrent-renders=1"][..], 1),
        (&["--concurrent-renders=9"], 4),
        (&["--concurrent-renders=9", "--concurrent-renders-per-organization=9"], 9),
    ] {
        let options = Line::parse_from([&["serve"], flags].concat()).options;
        let limits = options.statements.render_limits();
        assert_eq!(limits.per_organization, per_organization, "{flags:?}");
    }
}
