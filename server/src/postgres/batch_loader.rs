//! Reads single resources by id in batches: one statement serves the concurrent requests of all
//! tenants. A row is returned only to a caller of its organisation, whatever the statement
//! returned.

use std::{collections::HashMap, marker::PhantomData, sync::Arc, time::Duration};

use sqlx::PgConnection;

use super::{
    batcher::{Batcher, Worker},
    connections::Connections,
    error::{BatchReadError, RESPONSE_TIME_LIMIT, again_if_lost, in_time, is_unavailable},
    tenant::Tenants,
};
use crate::id::OrganizationId;

/// Concurrent batches of one kind of resource.
const WORKERS: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lookup {
    pub organization: OrganizationId,
    /// Its id, or another unique name of it.
    pub id: String,
}

impl Lookup {
    /// Returns organisations and ids, the arrays that a statement takes.
    pub(crate) fn columns<'a>(lookups: &[&'a Self]) -> (Vec<&'a str>, Vec<&'a str>) {
        let rows = lookups.iter();
        rows.map(|row| (row.organization.as_str(), row.id.as_str())).unzip()
    }
}

/// A kind of resource that is read in batches.
///
/// A statement sets its organisations for row-level security itself, by
/// `set_config('app.organization_ids', …, true)`: one round trip in place of three. Its rows are
/// read by a LATERAL sub-select of that setting, so never before it.
pub trait PointRead: Send + 'static {
    type Row: Clone + Send + 'static;

    /// Reads the rows that exist, in the order of `lookups`.
    fn read(
        connection: &mut PgConnection,
        lookups: &[&Lookup],
    ) -> impl Future<Output = Result<Vec<Self::Row>, sqlx::Error>> + Send;

    fn matches(row: &Self::Row, lookup: &Lookup) -> bool;
}

/// Selects the rows of lookups by the `select_…!` of a resource and the end of its statement. It
/// names the organisations to row-level security and keeps the order of the lookups.
macro_rules! select_lookups {
    ($select:ident, $($end:tt)*) => {
        $select!(
            r#"WITH lookups AS MATERIALIZED (
                SELECT lookups.organization_id, lookups.id, lookups.position
                  FROM (SELECT set_config('app.organization_ids',
                                          array_to_string($1::text[], ','), true) AS ids) AS scope,
                       LATERAL unnest(string_to_array(scope.ids, ','), $2::text[]) WITH ORDINALITY
                       AS lookups (organization_id, id, position)
            )
            SELECT found.* FROM lookups CROSS JOIN LATERAL ("#,
            $($end)*
        )
    };
}
pub(crate) use select_lookups;

pub struct BatchLoader<P: PointRead>(Batcher<LoadWorker<P>>);

impl<P: PointRead> BatchLoader<P> {
    /// Starts the workers; each connects within `connect_limit`.
    pub fn start(tenants: &Tenants, batch_size: usize, connect_limit: Duration) -> Self {
        let worker = || LoadWorker {
            connection: tenants.batch_connection(connect_limit),
            kind: PhantomData,
        };
        Self(Batcher::start(WORKERS, batch_size, worker))
    }

    /// The organisation's resource with this id.
    pub async fn get(
        &self,
        organization: OrganizationId,
        id: &str,
    ) -> Result<Option<P::Row>, BatchReadError> {
        let id = id.to_owned();
        Ok(self.0.submit(Lookup { organization, id }).await??)
    }
}

struct LoadWorker<P> {
    connection: Connections,
    kind: PhantomData<fn() -> P>,
}

impl<P: PointRead> Worker for LoadWorker<P> {
    type Item = Lookup;
    type Output = Result<Option<P::Row>, Arc<sqlx::Error>>;

    async fn process(&mut self, lookups: Vec<Lookup>) -> Vec<Self::Output> {
        // The admission of the same requests takes longer, so it is sent first. That of a lone
        // request was.
        if lookups.len() > 1 {
            tokio::task::yield_now().await;
        }
        match again_if_lost(|| self.read(&lookups)).await {
            Ok(rows) => rows.into_iter().map(Ok).collect(),
            // A lookup that breaks the statement must not fail the others.
            Err(error) if lookups.len() > 1 && !is_unavailable(&error) => {
                let mut results = Vec::with_capacity(lookups.len());
                for lookup in &lookups {
                    let row = self.read(std::slice::from_ref(lookup)).await;
                    results.push(row.map(|mut rows| rows.remove(0)).map_err(Arc::new));
                }
                results
            }
            Err(error) => {
                let error = Arc::new(error);
                lookups.iter().map(|_| Err(Arc::clone(&error))).collect()
            }
        }
    }
}

impl<P: PointRead> LoadWorker<P> {
    /// Returns a row or `None` for each lookup. Equal lookups read one row.
    async fn read(&self, lookups: &[Lookup]) -> Result<Vec<Option<P::Row>>, sqlx::Error> {
        let (distinct, indexes) = distinct(lookups);
        let mut rows = self.read_distinct(&distinct).await?;
        let mut uses = vec![0; rows.len()];
        indexes.iter().for_each(|index| uses[*index] += 1);
        // Only a row that another lookup still needs is copied.
        let row = |index: usize| {
            uses[index] -= 1;
            if uses[index] == 0 { rows[index].take() } else { rows[index].clone() }
        };
        Ok(indexes.into_iter().map(row).collect())
    }

    async fn read_distinct(&self, lookups: &[&Lookup]) -> Result<Vec<Option<P::Row>>, sqlx::Error> {
        let read = async {
            let mut connection = self.connection.get().await?;
            let rows = P::read(&mut connection, lookups).await?;
            connection.put_back();
            Ok(rows)
        };
        distribute::<P>(in_time(RESPONSE_TIME_LIMIT, read).await?, lookups)
    }
}

/// Returns the lookups without repetitions, and the index of each lookup among them.
fn distinct(lookups: &[Lookup]) -> (Vec<&Lookup>, Vec<usize>) {
    let mut index_of = HashMap::with_capacity(lookups.len());
    let mut distinct = Vec::with_capacity(lookups.len());
    let indexes = lookups.iter().map(|lookup| {
        *index_of.entry(lookup).or_insert_with(|| {
            distinct.push(lookup);
            distinct.len() - 1
        })
    });
    let indexes = indexes.collect();
    (distinct, indexes)
}

/// Assigns each lookup its row. The rows are in the order of the lookups; some lookups have none. A
/// row that matches no lookup is a defect and fails the whole batch.
fn distribute<P: PointRead>(
    rows: Vec<P::Row>,
    lookups: &[&Lookup],
) -> Result<Vec<Option<P::Row>>, sqlx::Error> {
    let mut rows = rows.into_iter().peekable();
    let distributed = lookups.iter().map(|lookup| rows.next_if(|row| P::matches(row, lookup)));
    let distributed = distributed.collect();
    match rows.count() {
        0 => Ok(distributed),
        left => Err(sqlx::Error::Decode(format!("{left} rows of a batch match no lookup").into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Names;

    impl PointRead for Names {
        type Row = (String, &'static str);

        async fn read(_: &mut PgConnection, _: &[&Lookup]) -> Result<Vec<Self::Row>, sqlx::Error> {
            unreachable!("these tests distribute rows of their own")
        }

        fn matches(row: &Self::Row, lookup: &Lookup) -> bool {
            row.0 == lookup.organization.as_str() && row.1 == lookup.id
        }
    }

    fn lookup(organization: u32, id: &str) -> Lookup {
        let organization = OrganizationId::parse(&organization_id(organization)).unwrap();
        Lookup { organization, id: id.to_owned() }
    }

    fn organization_id(number: u32) -> String {
        format!("org_{number:026}")
    }

    #[test]
    fn equal_lookups_are_read_once() {
        let lookups = [lookup(1, "a"), lookup(2, "a"), lookup(1, "a"), lookup(1, "b")];
        let (distinct, indexes) = distinct(&lookups);
        assert_eq!(distinct, [&lookups[0], &lookups[1], &lookups[3]]);
        assert_eq!(indexes, [0, 1, 0, 2]);
    }

    #[test]
    fn row_of_another_organisation_fails_the_batch() {
        let lookups = [lookup(1, "a"), lookup(1, "b")];
        let rows = vec![(organization_id(2), "a"), (organization_id(1), "b")];
        assert!(distribute::<Names>(rows, &lookups.each_ref()).is_err());
    }
}
