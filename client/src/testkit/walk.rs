//! Runs a function once for each answer that the server can give, and records what it does.

use std::{any::Any, fmt, panic::AssertUnwindSafe, time::Duration};

use futures_util::{FutureExt, StreamExt, stream};

use super::{Answer, Entry, Report, Server, Surprise, Verdict};
use crate::{Client, Operation};

/// Runs at the same time: few, so that none meets its limit because of the work of others.
const CONCURRENT_RUNS: usize = 4;

/// [`Walk::every_documented_answer`] with the default settings.
pub async fn every_documented_answer<T, E: fmt::Display>(
    function: impl AsyncFn(Client) -> Result<T, E>,
) -> Report {
    Walk::new().every_documented_answer(function).await
}

/// [`Walk::every_surprise`] with the default settings.
pub async fn every_surprise<T, E: fmt::Display>(
    function: impl AsyncFn(Client) -> Result<T, E>,
) -> Report {
    Walk::new().every_surprise(function).await
}

/// Runs a function once for each answer that the server can give.
///
/// # Limits
/// - Each run changes the answers of one operation, which the function must call where everything
///   succeeds; [`Report::assert_walked`] requires it.
/// - Successes have the document's data, or those [`given`](Self::given).
/// - No clock decides between verdicts: a request that gets no answer times out when the server has
///   it. Only a function that never returns meets the [`limit`](Self::limit). But a deadline of the
///   function or its client is a clock.
/// - A function that blocks its thread cannot be stopped; what it spawns is not awaited.
pub struct Walk {
    limit: Duration,
    given: Vec<(Operation, Answer)>,
    client: Box<dyn Fn(&Server) -> Client>,
}

impl Default for Walk {
    fn default() -> Self {
        Self::new()
    }
}

impl Walk {
    /// A walk whose clients are [`Server::client`]s.
    #[must_use]
    pub fn new() -> Self {
        let limit = Duration::from_secs(120);
        Self { limit, given: Vec::new(), client: Box::new(Server::client) }
    }

    /// Limits the time of the function for one answer. Beyond it, two minutes by default, it hangs.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// The operation gives this answer, not the document's first success, unless a run is about the
    /// operation: for what the function does with some data only.
    ///
    /// ```
    /// use payout_client::{Operation, testkit::{Answer, Walk}};
    ///
    /// let drafts = Answer::success(Operation::ListPayouts).with_value("/data/0/stage", "DRAFT");
    /// let walk = Walk::new().given(Operation::ListPayouts, drafts);
    /// # let _ = walk;
    /// ```
    #[must_use]
    pub fn given(mut self, operation: Operation, answer: Answer) -> Self {
        self.given.push((operation, answer));
        self
    }

    /// Makes the clients that the function gets, from [`Server::client`]: another client does not
    /// know that no answer comes, and needs a deadline. Scripts of the server are answered first;
    /// where they leave no request for a run's own answer, the verdict is [`Verdict::NeverSent`].
    ///
    /// ```
    /// use payout_client::{RetryPolicy, testkit::Walk};
    ///
    /// let walk = Walk::new().client(|server| server.client().with_retries(RetryPolicy::none()));
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
    /// # Panics
    /// The function fails already where everything succeeds.
    pub async fn every_documented_answer<T, E: fmt::Display>(
        &self,
        function: impl AsyncFn(Client) -> Result<T, E>,
    ) -> Report {
        let cases = Operation::ALL.iter().flat_map(|operation| {
            Answer::documented(*operation).map(|answer| (*operation, Some(answer), None))
        });
        self.walk(cases, &function).await
    }

    /// Runs `function` once for each [`Surprise`] that applies to each operation: the surprise
    /// happens to this operation, and all others succeed.
    ///
    /// # Panics
    /// The function fails already where everything succeeds.
    pub async fn every_surprise<T, E: fmt::Display>(
        &self,
        function: impl AsyncFn(Client) -> Result<T, E>,
    ) -> Report {
        let cases = Operation::ALL.iter().flat_map(|operation| {
            let applying = Surprise::ALL.iter().filter(|known| known.applies_to(*operation));
            applying.map(|surprise| (*operation, None, Some(*surprise)))
        });
        self.walk(cases, &function).await
    }

    async fn walk<T, E: fmt::Display>(
        &self,
        cases: impl Iterator<Item = (Operation, Option<Answer>, Option<Surprise>)>,
        function: &impl AsyncFn(Client) -> Result<T, E>,
    ) -> Report {
        let baseline = Server::start().await;
        let verdict = self.run(&baseline, function).await;
        assert!(
            verdict == Verdict::Handled,
            "the function must succeed where every answer is a documented success, but: {verdict}"
        );
        let entries = stream::iter(cases).map(async |(operation, answer, surprise)| {
            let mut entry = Entry { operation, answer, surprise, verdict: Verdict::NeverSent };
            if baseline.was_asked_for(operation) {
                entry.verdict = self.verdict(&entry, function).await;
            }
            entry
        });
        Report { entries: entries.buffered(CONCURRENT_RUNS).collect().await }
    }

    async fn verdict<T, E: fmt::Display>(
        &self,
        entry: &Entry,
        function: &impl AsyncFn(Client) -> Result<T, E>,
    ) -> Verdict {
        let server = Server::start().await;
        if let Some(answer) = &entry.answer {
            server.always(entry.operation, answer.clone());
        }
        if let Some(surprise) = entry.surprise {
            server.surprise(entry.operation, surprise);
        }
        server.observe();
        match self.run(&server, function).await {
            Verdict::Handled | Verdict::ReturnedError(_) if !server.was_observed_answer_sent() => {
                Verdict::NeverSent
            }
            verdict => verdict,
        }
    }

    async fn run<T, E: fmt::Display>(
        &self,
        server: &Server,
        function: &impl AsyncFn(Client) -> Result<T, E>,
    ) -> Verdict {
        let client = (self.client)(server);
        for (operation, answer) in &self.given {
            server.otherwise(*operation, answer.clone());
        }
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

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}
