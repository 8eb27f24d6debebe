//! Runs a function once for each answer that the server can give, and records what it does.

use std::{any::Any, fmt, panic::AssertUnwindSafe, time::Duration};

use futures_util::{FutureExt, StreamExt, stream};

use super::{Answer, Report, Server, Surprise, Verdict, report::Entry};
use crate::{Client, Operation};

/// How long the function may run for one answer, unless [`Walk::limit`] says otherwise.
const DEFAULT_LIMIT: Duration = Duration::from_secs(10);
/// How long one call may take in a walk, far above what an answer takes.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(2);
/// Runs at the same time, each with a server of its own. They wait more than they work.
const CONCURRENT_RUNS: usize = 16;

/// Runs `function` for every documented answer of each operation that it calls; see
/// [`Walk::every_documented_answer`].
pub async fn every_documented_answer<T, E: fmt::Display>(
    function: impl AsyncFn(Client) -> Result<T, E>,
) -> Report {
    Walk::new().every_documented_answer(function).await
}

/// Runs `function` for every surprise of each operation that it calls; see
/// [`Walk::every_surprise`].
pub async fn every_surprise<T, E: fmt::Display>(
    function: impl AsyncFn(Client) -> Result<T, E>,
) -> Report {
    Walk::new().every_surprise(function).await
}

/// Runs a function once for each answer that the server can give.
pub struct Walk {
    limit: Duration,
    client: Box<dyn Fn(&Server) -> Client>,
}

impl Default for Walk {
    fn default() -> Self {
        Self::new()
    }
}

impl Walk {
    /// A walk whose clients are [`Server::client`]s, with a deadline below the limit.
    #[must_use]
    pub fn new() -> Self {
        let client = |server: &Server| server.client().with_deadline(DEFAULT_DEADLINE);
        Self { limit: DEFAULT_LIMIT, client: Box::new(client) }
    }

    /// How long the function may run for one answer; longer is [`Verdict::Hung`].
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Makes the clients that the function gets, such as without retries. Their deadline must be
    /// below the limit, or the function hangs where no answer comes.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use payout_client::{RetryPolicy, testkit::Walk};
    ///
    /// let walk = Walk::new().client(|server| {
    ///     server.client().with_retries(RetryPolicy::none()).with_deadline(Duration::from_secs(1))
    /// });
    /// # let _ = walk;
    /// ```
    #[must_use]
    pub fn client(mut self, client: impl Fn(&Server) -> Client + 'static) -> Self {
        self.client = Box::new(client);
        self
    }

    /// Runs `function` once for each documented answer of each operation: the operation always
    /// gives this answer, and all others succeed.
    ///
    /// An operation that the function does not call where everything succeeds is not walked.
    ///
    /// # Panics
    /// The function fails already where everything succeeds.
    pub async fn every_documented_answer<T, E: fmt::Display>(
        &self,
        function: impl AsyncFn(Client) -> Result<T, E>,
    ) -> Report {
        let answers = Operation::ALL.iter().flat_map(|operation| {
            let answers = Answer::documented(*operation);
            answers.map(|answer| (*operation, Case::Answer(Box::new(answer))))
        });
        self.walk(answers.collect(), &function).await
    }

    /// Runs `function` once for each [`Surprise`] that applies to each operation: the surprise
    /// happens to this operation, and all others succeed.
    ///
    /// An operation that the function does not call where everything succeeds is not walked.
    ///
    /// # Panics
    /// The function fails already where everything succeeds.
    pub async fn every_surprise<T, E: fmt::Display>(
        &self,
        function: impl AsyncFn(Client) -> Result<T, E>,
    ) -> Report {
        let surprises = Operation::ALL.iter().flat_map(|operation| {
            let applying = Surprise::ALL.iter().filter(|known| known.applies_to(*operation));
            applying.map(|surprise| (*operation, Case::Surprise(*surprise)))
        });
        self.walk(surprises.collect(), &function).await
    }

    async fn walk<T, E: fmt::Display>(
        &self,
        cases: Vec<(Operation, Case)>,
        function: &impl AsyncFn(Client) -> Result<T, E>,
    ) -> Report {
        let baseline = Server::start().await;
        let verdict = self.run(&baseline, function).await;
        assert!(
            verdict == Verdict::Handled,
            "the function must succeed where every answer is a documented success, but: {verdict}"
        );
        let entries = stream::iter(cases).enumerate().map(async |(number, (operation, case))| {
            let verdict = if case.is_met(&baseline, operation) {
                self.of_case(operation, &case, function).await
            } else {
                Verdict::NeverAskedFor
            };
            (number, case.entry(operation, verdict))
        });
        let mut entries: Vec<_> = entries.buffer_unordered(CONCURRENT_RUNS).collect().await;
        entries.sort_by_key(|(number, _)| *number);
        Report::new(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    async fn of_case<T, E: fmt::Display>(
        &self,
        operation: Operation,
        case: &Case,
        function: &impl AsyncFn(Client) -> Result<T, E>,
    ) -> Verdict {
        let server = Server::start().await;
        match case {
            Case::Answer(answer) => server.always(operation, (**answer).clone()),
            Case::Surprise(surprise) => server.surprise(operation, *surprise),
        }
        match self.run(&server, function).await {
            Verdict::Handled if !case.is_met(&server, operation) => Verdict::NeverAskedFor,
            verdict => verdict,
        }
    }

    async fn run<T, E: fmt::Display>(
        &self,
        server: &Server,
        function: &impl AsyncFn(Client) -> Result<T, E>,
    ) -> Verdict {
        let client = (self.client)(server);
        let run = AssertUnwindSafe(async { function(client).await }).catch_unwind();
        match tokio::time::timeout(self.limit, run).await {
            Ok(Ok(Ok(_))) => Verdict::Handled,
            // The alternate form of some errors has their causes.
            Ok(Ok(Err(error))) => Verdict::ReturnedError(format!("{error:#}")),
            Ok(Err(panic)) => Verdict::Panicked(message(&*panic)),
            Err(_) => Verdict::Hung,
        }
    }
}

impl fmt::Debug for Walk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Walk").field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// What happens to an operation in one run.
enum Case {
    Answer(Box<Answer>),
    Surprise(Surprise),
}

impl Case {
    /// Whether a request came that it is about.
    fn is_met(&self, server: &Server, operation: Operation) -> bool {
        match self {
            Self::Surprise(surprise) if surprise.is_of_links() => server.was_asked_for_link(),
            _ => server.was_asked_for(operation),
        }
    }

    fn entry(self, operation: Operation, verdict: Verdict) -> Entry {
        let (answer, surprise) = match self {
            Self::Answer(answer) => (Some(*answer), None),
            Self::Surprise(surprise) => (None, Some(surprise)),
        };
        Entry { operation, answer, surprise, verdict }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}
