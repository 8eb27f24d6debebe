//! The reference server of the Partner and Commission Payout API.
//!
//! [`http`] reads a request, [`contract`] finds its operation and checks its form, [`gate`] admits
//! it, and [`contract`] routes it to the handlers of [`partners`], [`commission_lines`],
//! [`payouts`], [`statements`], [`comments`], [`forms`], [`portal`], [`affiliate`] or [`crm`],
//! which reach their tables through [`postgres`]. See also `README.md`.

// A closed output, as after `| head`, must not end a program with a panic: `anstream` prints.
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod affiliate;
pub mod assembly;
pub mod cli;
pub mod comments;
pub mod commission_lines;
pub mod config;
pub mod contract;
#[cfg(test)]
mod contract_tests;
pub mod crm;
mod forecast;
pub mod forms;
pub mod gate;
pub mod history;
pub mod http;
pub mod id;
pub mod keyring;
pub mod keys;
pub mod moves;
pub mod organizations;
#[cfg(test)]
mod outcomes;
pub mod page;
pub mod partners;
pub mod payouts;
pub(crate) mod permits;
pub mod portal;
pub mod postgres;
pub mod problem;
mod state;
pub mod statements;
pub mod telemetry;
mod tls;

/// Items for the package `payout-devdata`.
pub mod tools {
    pub use crate::{
        assembly::{CheckedDatabase, service},
        cli::{
            database::{Database, DatabaseOptions, read_text},
            output::table,
            serve::{listen_error, stop_signal},
            values::organization_id,
        },
        commission_lines::maturity::store::mature_all,
        config::ServeOptions,
        contract::{types, value_sets},
        forms::definition::Definition,
        gate::{ApiKey, Cell, Environment, KeyPrefix, versions::newest as newest_version},
        history,
        http::{docs::DOCUMENT, listener::Bound},
        id::{AssetId, IdKind, OrganizationId},
        keys::{
            NewKey,
            model::{KeyState, LONGEST_LIFE_DAYS, Lifetime},
            store::create_key,
        },
        organizations::{
            Billing, CreditAllowance, Limits,
            store::{create_organization, set_billing},
        },
        postgres::{TenantTransaction, Tenants},
        statements::{
            storage::{AssetKey, AssetLocation, AssetOptions, Storage},
            template::{Template, store::set_template},
            upload::{Pdf, upload},
        },
        telemetry::Telemetry,
    };

    pub use openapi_runtime::{MoneyError, reading::FromText};
    pub use payout_statement::Logo;
}
