//! Syncs of partners with the organisation's CRM.

use std::time::Duration;

use payout_client::{Client, types::CrmSync};

use super::{Arguments, Outcome, exactly};

/// A sync has usually ended by then; a CRM that is away is tried for minutes.
const READS: u32 = 30;
const BETWEEN_READS: Duration = Duration::from_secs(1);

/// Syncs an object of the CRM, and waits for its end: `sync_crm_object <PARTNER|COMPANY> <id>`.
///
/// A program that is told of each change in the CRM, such as by its webhook, need not wait: it may
/// ask for a sync as often as it likes.
pub(crate) async fn sync_crm_object(client: Client, arguments: Arguments) -> Outcome {
    let usage = "sync_crm_object <PARTNER|COMPANY> <id>";
    let [kind, object] = exactly(arguments, usage)?;
    let queued = client.sync_crm_object(kind, object).send().await?.into_inner().data;
    let sync = ended(&client, queued).await?;
    let object = format!("{} {}", sync.object_type, sync.object_id);
    match (&sync.failure, &sync.partner_id) {
        (Some(failure), _) => Err(format!("{object}: {}", failure.message).into()),
        (None, Some(partner)) if sync.changed => {
            println!("{object} changed {partner}");
            Ok(())
        }
        (None, Some(partner)) => {
            println!("{object} changed nothing of {partner}");
            Ok(())
        }
        (None, None) => {
            println!("{object} is {} still: {}", sync.status, sync.id);
            Ok(())
        }
    }
}

/// Reads a sync until it has ended, or for half a minute.
async fn ended(client: &Client, mut sync: CrmSync) -> Result<CrmSync, payout_client::Error> {
    for _ in 0..READS {
        sync = client.get_crm_sync(sync.id.clone()).send().await?.into_inner().data;
        if sync.finished_at.is_some() {
            break;
        }
        tokio::time::sleep(BETWEEN_READS).await;
    }
    Ok(sync)
}
