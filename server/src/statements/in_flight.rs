//! One at a time for each payout within this process: who comes second finds what the first has made.
//!
//! It refuses to be the fence: over all servers, one asset for one fingerprint is the database's to hold (S7).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::id::OrganizationId;

type Key = (OrganizationId, String);

/// The payouts whose statement is being made.
#[derive(Debug, Default)]
pub struct InFlight {
    turns: Mutex<HashMap<Key, Weak<Turn<()>>>>,
}

impl InFlight {
    /// Waits for the turn of this payout; it ends with what is returned.
    pub async fn turn(
        &self,
        organization: &OrganizationId,
        payout_id: &str,
    ) -> OwnedMutexGuard<()> {
        let key = (organization.clone(), payout_id.to_owned());
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            // Turns that nobody holds or awaits are dropped here, so the map is no larger than what is in flight.
            turns.retain(|_, turn| turn.strong_count() > 0);
            match turns.get(&key).and_then(Weak::upgrade) {
                Some(turn) => turn,
                None => {
                    let turn = Arc::new(Turn::new(()));
                    turns.insert(key, Arc::downgrade(&turn));
                    turn
                }
            }
        };
        turn.lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, poll};

    use super::*;

    fn organization(last: char) -> OrganizationId {
        OrganizationId::parse(&format!("org_01JV3N8Q5RHWXK2M4P6S7T9V0{last}")).unwrap()
    }

    #[tokio::test]
    async fn the_second_waits_for_the_first_of_the_same_payout_alone() {
        let in_flight = InFlight::default();
        let ours = organization('A');
        let first = in_flight.turn(&ours, "pay_1").await;
        let mut second = Box::pin(in_flight.turn(&ours, "pay_1"));
        assert!(poll!(&mut second).is_pending());
        assert!(in_flight.turn(&ours, "pay_2").now_or_never().is_some());
        assert!(
            in_flight
                .turn(&organization('B'), "pay_1")
                .now_or_never()
                .is_some()
        );
        drop(first);
        assert!(poll!(&mut second).is_ready());
    }

    #[tokio::test]
    async fn turns_that_ended_leave_nothing_behind() {
        let in_flight = InFlight::default();
        for payout in 0..100 {
            drop(
                in_flight
                    .turn(&organization('A'), &format!("pay_{payout}"))
                    .await,
            );
        }
        let _last = in_flight.turn(&organization('A'), "pay_last").await;
        assert_eq!(in_flight.turns.lock().unwrap().len(), 1);
    }
}
