//! Reads of single resources by their ids, in batches over all tenants: one statement for whatever has gathered.
//!
//! It refuses to hand a row to anybody but a caller of the row's organisation, whatever the statement returned.

use std::{sync::Arc, time::Duration};

use crate::{
    batcher::{Batcher, Lane},
    failure::{Failure, is_unavailable},
    id::OrganizationId,
    tenant::{BatchConnection, BatchReader, Tenants},
};

/// Batcher of one kind of resource that are under way at once.
const LANES: usize = 2;
/// A batch that takes longer has lost the database: Postgres itself ends a statement after 5 s.
const ANSWER_LIMIT: Duration = Duration::from_secs(6);

/// One resource that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Whose it is.
    pub organization: OrganizationId,
    /// Its id, or another name that the resource goes by.
    pub id: String,
}

impl Reference {
    /// Organisations and ids, as the arrays that a statement takes.
    #[must_use]
    pub fn columns(asked: &[Self]) -> (Vec<&str>, Vec<&str>) {
        let rows = asked.iter();
        rows.map(|row| (row.organization.as_str(), row.id.as_str()))
            .unzip()
    }
}

/// A kind of resource that is read in batches.
pub trait PointRead: Send + 'static {
    /// The resource.
    type Row: Send + 'static;

    /// What is asked for and exists, in the order of asking, by one statement, which names the organisations to row-level
    /// security itself.
    ///
    /// # Errors
    /// The database refused or is away.
    fn read(
        connection: &mut BatchConnection,
        asked: &[Reference],
    ) -> impl Future<Output = Result<Vec<Self::Row>, sqlx::Error>> + Send;

    /// Whether the row is what was asked for, and of the organisation that asked.
    fn is(row: &Self::Row, asked: &Reference) -> bool;
}

/// Resources of one kind, read in batches.
#[derive(Debug)]
pub struct BatchLoader<P: PointRead>(Batcher<Reference, Result<Option<P::Row>, Arc<sqlx::Error>>>);

impl<P: PointRead> BatchLoader<P> {
    /// Starts its lanes; each makes its connection within `connect_limit`.
    #[must_use]
    pub fn start(tenants: &Tenants, batch_size: usize, connect_limit: Duration) -> Self {
        let lane = || Reading::<P> {
            reader: tenants.batch_reader(connect_limit),
            kind: std::marker::PhantomData,
        };
        Self(Batcher::start((0..LANES).map(|_| lane()), batch_size))
    }

    /// The organisation's resource with this id.
    ///
    /// # Errors
    /// The database refused or is away.
    pub async fn get(
        &self,
        organization: OrganizationId,
        id: &str,
    ) -> Result<Option<P::Row>, Failure> {
        let reference = Reference {
            organization,
            id: id.to_owned(),
        };
        let row = self.0.ask(reference).await;
        Ok(row.map_err(|lost| Failure::Internal(lost.to_string()))??)
    }
}

/// A lane.
struct Reading<P> {
    reader: BatchReader,
    kind: std::marker::PhantomData<fn() -> P>,
}

impl<P: PointRead> Lane for Reading<P> {
    type Ask = Reference;
    type Answer = Result<Option<P::Row>, Arc<sqlx::Error>>;

    async fn answer(&mut self, asked: Vec<Reference>) -> Vec<Self::Answer> {
        let mut rows = self.read(&asked).await;
        // The connection had ended since its last use. To read again changes nothing.
        if matches!(rows, Err(sqlx::Error::Io(_))) {
            rows = self.read(&asked).await;
        }
        match rows {
            Ok(rows) => rows.into_iter().map(Ok).collect(),
            // A statement that one reference breaks must not fail for the others.
            Err(error) if asked.len() > 1 && !is_unavailable(&error) => {
                let mut answers = Vec::new();
                for reference in &asked {
                    let row = self.read(std::slice::from_ref(reference)).await;
                    answers.push(row.map(|mut rows| rows.remove(0)).map_err(Arc::new));
                }
                answers
            }
            Err(error) => {
                let error = Arc::new(error);
                asked.iter().map(|_| Err(Arc::clone(&error))).collect()
            }
        }
    }
}

impl<P: PointRead> Reading<P> {
    /// For each that is asked for, its row.
    async fn read(&mut self, asked: &[Reference]) -> Result<Vec<Option<P::Row>>, sqlx::Error> {
        let read = async {
            let mut connection = self.reader.take().await?;
            let rows = P::read(&mut connection, asked).await?;
            self.reader.put_back(connection);
            Ok::<_, sqlx::Error>(rows)
        };
        let rows = tokio::time::timeout(ANSWER_LIMIT, read).await;
        let late = |_| Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into());
        handed_out::<P>(rows.unwrap_or_else(late)?, asked)
    }
}

/// Rows come in the order of asking, without those that do not exist. One that is nobody's is a defect, and fails the batch:
/// who knows what else is wrong with it.
fn handed_out<P: PointRead>(
    rows: Vec<P::Row>,
    asked: &[Reference],
) -> Result<Vec<Option<P::Row>>, sqlx::Error> {
    let mut rows = rows.into_iter().peekable();
    let handed_out = asked
        .iter()
        .map(|reference| rows.next_if(|row| P::is(row, reference)));
    let handed_out = handed_out.collect();
    match rows.count() {
        0 => Ok(handed_out),
        left => Err(sqlx::Error::Decode(
            format!("{left} rows of a batch are nobody's").into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Names;

    impl PointRead for Names {
        type Row = (String, &'static str);

        async fn read(
            _: &mut BatchConnection,
            _: &[Reference],
        ) -> Result<Vec<Self::Row>, sqlx::Error> {
            unreachable!("these tests hand out what they made")
        }

        fn is(row: &Self::Row, asked: &Reference) -> bool {
            row.0 == asked.organization.as_str() && row.1 == asked.id
        }
    }

    fn reference(organization: u32, id: &str) -> Reference {
        let organization = OrganizationId::parse(&organization_id(organization)).unwrap();
        Reference {
            organization,
            id: id.to_owned(),
        }
    }

    fn organization_id(number: u32) -> String {
        format!("org_{number:026}")
    }

    #[test]
    fn each_row_goes_to_whoever_asked_for_it() {
        let asked = [
            reference(1, "a"),
            reference(2, "a"),
            reference(1, "b"),
            reference(1, "a"),
        ];
        let rows = vec![
            (organization_id(1), "a"),
            (organization_id(1), "b"),
            (organization_id(1), "a"),
        ];
        let got = handed_out::<Names>(rows, &asked).unwrap();
        let got: Vec<_> = got
            .iter()
            .map(|row| row.as_ref().map(|row| row.1))
            .collect();
        assert_eq!(got, [Some("a"), None, Some("b"), Some("a")]);
    }

    #[test]
    fn row_of_another_organisation_is_handed_to_nobody() {
        let asked = [reference(1, "a"), reference(1, "b")];
        let rows = vec![(organization_id(2), "a"), (organization_id(1), "b")];
        assert!(handed_out::<Names>(rows, &asked).is_err());
    }
}
