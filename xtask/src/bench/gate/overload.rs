//! Three times as many who ask as at the peak, again and again, whatever they are answered.
//!
//! It refuses to count a 503 as an answer, or to stop at one.

use super::contest::{all_calls, load};
use crate::bench::{
    deployment::Deployment,
    figure::Figure,
    rounds::{Contender, MeasureError, Plan, Sample, Summary, interleaved, ratio},
};

/// Peak and overload, in turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overload {
    pub(crate) peak_connections: usize,
    pub(crate) connections: usize,
    pub(crate) peak: Summary,
    pub(crate) overload: Summary,
    /// Answers with 200 a second, in those of the peak.
    pub(crate) goodput: Figure,
}

/// How many times the peak's connections ask at once in an overload.
const OVERLOAD: usize = 3;

impl Overload {
    /// Measures peak and overload in turn, over all organisations.
    ///
    /// # Errors
    /// An answer other than 200 or, in the overload, 503.
    pub(crate) async fn measure(
        deployment: &Deployment,
        peak_connections: usize,
        plan: Plan,
    ) -> Result<Self, MeasureError> {
        let connections = OVERLOAD * peak_connections;
        let contenders = [
            Contender::Http(load(peak_connections, all_calls(deployment), false)),
            Contender::Http(load(connections, all_calls(deployment), true)),
        ];
        let samples = interleaved(deployment, &contenders, plan).await?;
        let summary = |samples: &[Sample]| Summary::of(samples).expect("there is a round");
        Ok(Self {
            peak_connections,
            connections,
            peak: summary(&samples[0]),
            overload: summary(&samples[1]),
            goodput: ratio(&samples[1], &samples[0]).expect("there is a round"),
        })
    }
}
