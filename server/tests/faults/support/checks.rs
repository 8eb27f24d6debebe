//! Checks all invariants of a scenario and reports every violation: of its responses, of its
//! accounts, in SQL, and of open transactions.

use std::time::{Duration, Instant};

use super::{
    accounts::{self, Faults, Meter},
    deployment::Deployment,
    journal::Record,
    scale::{report_max, report_sum},
};
use crate::state_invariants;

/// How long a transaction may stay open after the load.
const SETTLING: Duration = Duration::from_secs(15);
/// Every request may break an invariant: this many violations are shown.
const SHOWN: usize = 12;

/// Counts lines that were not attached once, by the import, and detached at most once, with a row
/// of history.
const WRONG_LINES: &str = "
    SELECT count(*) FROM payout.commission_lines AS l WHERE (l.payout_id IS NOT NULL)::int <> 1 -
       (SELECT count(*) FROM payout.history AS h
         WHERE h.organization_id = l.organization_id AND h.resource_id = l.id
           AND h.action = 'detach_commission_line')";

impl Deployment {
    /// Checks every invariant; the records are all requests since the start, in one minute of one
    /// month.
    pub async fn check_all(&self, records: &[Record], faults: Faults) {
        let mut broken = accounts::responses(records, faults);
        for (index, organization) in self.target.organizations.iter().enumerate() {
            let own: Vec<&Record> =
                records.iter().filter(|record| record.organization == index).collect();
            let meter = Meter::read(&self.superuser_pool, &organization.id).await;
            broken.extend(accounts::charges(&own, meter, faults));
            broken.extend(accounts::minute(&own, meter, faults));
            broken.extend(accounts::places(&own, meter, faults));
        }
        broken.extend(self.state(records, faults).await);
        self.report_violations(records, broken);
    }

    /// The invariants that hold whatever the clock did: mutations, SQL, and no open transaction.
    pub async fn state(&self, records: &[Record], faults: Faults) -> Vec<String> {
        let mut broken = self.open_transactions().await;
        broken.extend(
            accounts::mutations(&self.superuser_pool, &self.target.organizations, records, faults)
                .await,
        );
        broken.extend(state_invariants::broken(&self.superuser_pool).await);
        let lines: i64 =
            sqlx::query_scalar(WRONG_LINES).fetch_one(&self.superuser_pool).await.unwrap();
        if lines > 0 {
            broken.push(format!("{lines} lines were detached twice, or without history"));
        }
        broken
    }

    /// Prints the figures, and panics with the violations if there are any.
    pub fn report_violations(&self, records: &[Record], broken: Vec<String>) {
        let count = |is: fn(&Record) -> bool| records.iter().filter(|record| is(record)).count();
        report_sum("requests", records.len());
        report_sum("charged", count(|record| record.charge().is_some()));
        report_sum("answered 5xx", count(Record::is_failed));
        report_sum("unanswered", count(|record| record.response.is_none()));
        report_max("milliseconds of the scenario", self.age().as_millis());
        let shown: Vec<&str> = broken.iter().take(SHOWN).map(String::as_str).collect();
        assert!(
            broken.is_empty(),
            "{} violations with seed {}:\n{}",
            broken.len(),
            super::scale::seed(),
            shown.join("\n")
        );
    }

    /// No transaction of a server is open [`SETTLING`] after the load.
    async fn open_transactions(&self) -> Vec<String> {
        let begun = Instant::now();
        loop {
            let open: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM pg_stat_activity
                  WHERE datname = current_database() AND application_name = 'payout-server'
                    AND xact_start IS NOT NULL",
            )
            .fetch_one(&self.superuser_pool)
            .await
            .unwrap();
            if open == 0 {
                report_max(
                    "milliseconds until no transaction was open",
                    begun.elapsed().as_millis(),
                );
                return Vec::new();
            }
            if begun.elapsed() > SETTLING {
                return vec![format!("{open} transactions are open {SETTLING:?} after the load")];
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
