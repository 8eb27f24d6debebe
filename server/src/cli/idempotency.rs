//! `idempotency sweep`: removes the responses that idempotency keys no longer repeat.

use clap::Subcommand;

use super::{database::DatabaseOptions, error::CliError, organizations};
use crate::{
    gate::idempotency::store::{self, KEPT_HOURS},
    postgres::Tenants,
};

/// The responses to idempotency keys: sweep those that are no longer repeated
#[derive(Debug, Subcommand)]
pub(crate) enum IdempotencyCommand {
    /// Remove the responses that are older than 24 hours; run it daily
    ///
    /// They are not repeated any more, whether they are removed or not. The command can be stopped
    /// at any time, and may run beside servers.
    Sweep,
}

pub(crate) async fn run(
    options: &DatabaseOptions,
    command: IdempotencyCommand,
) -> Result<(), CliError> {
    let IdempotencyCommand::Sweep = command;
    let database = options.open().await?;
    let pool = database.pool().await?;
    let tenants = Tenants::from(&pool);
    let mut removed = 0;
    for id in organizations::list_ids(&pool).await? {
        loop {
            let mut transaction = tenants.write(&id).await?;
            let some = store::sweep(&mut transaction).await?;
            transaction.commit().await?;
            removed += some;
            if some == 0 {
                break;
            }
        }
    }
    anstream::println!("{removed} responses older than {KEPT_HOURS} hours removed");
    database.close().await
}
