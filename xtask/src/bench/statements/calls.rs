//! The API: a statement that is known already beside getPayout, statements that are made, and their downloads.
//!
//! It refuses to call one payout a first call twice: each is a payout of its own.

use std::sync::Arc;

use serde_json::Value;

use super::data::{Data, ORGANIZATIONS, key_name};
use crate::bench::{
    call::{Call, Order},
    deployment::Deployment,
    figure::Figure,
    load::{Caller, Load, LoadError, Until},
    rounds::{Contender, MeasureError, Plan, Sample, Summary, interleaved, measure, ratio},
    run::progress,
};

/// First calls of each round; with 5 rounds of two kinds, 1,000 documents are made.
pub(crate) const FIRST_CALLS: usize = 100;
/// Connections of downloads and of concurrent first calls.
pub(crate) const MANY: usize = 8;

/// The repeated call beside getPayout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeated {
    pub(crate) connections: usize,
    pub(crate) organizations: usize,
    pub(crate) get_payout: Summary,
    pub(crate) statement: Summary,
    /// The statement's requests per second in getPayout's.
    pub(crate) ratio: Figure,
}

/// What has nothing beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    pub(crate) name: &'static str,
    pub(crate) connections: usize,
    pub(crate) summary: Summary,
}

/// How many payouts of 25 lines, and of 2,000, are called for once.
pub(crate) fn first_calls(plan: Plan) -> (usize, usize) {
    let rounds = plan.rounds as usize;
    (2 * rounds * FIRST_CALLS, rounds)
}

/// Repeated calls and getPayout in turn, for one payout, and for one payout of each of 64 organisations.
///
/// # Errors
/// An answer other than 200.
pub(crate) async fn repeated(
    deployment: &Deployment,
    data: &Data,
    connections: usize,
    plan: Plan,
) -> Result<Vec<Repeated>, MeasureError> {
    let mut measured = Vec::new();
    for organizations in [1, ORGANIZATIONS] {
        progress(&format!(
            "repeated call and getPayout, connections: {connections}, organisations: {organizations}, rounds: {}",
            plan.rounds
        ));
        let of_each = |make: fn(&str, String) -> Call| -> Arc<[Call]> {
            let payouts = data.repeated.iter().take(organizations).enumerate();
            let call = |(index, payout): (usize, &String)| {
                make(payout, deployment.key(&key_name(index)).to_owned())
            };
            payouts.map(call).collect()
        };
        let contenders = [of_each(get_payout), of_each(generate_statement)]
            .map(|calls| Contender::Http(load(connections, calls)));
        let samples = interleaved(deployment, &contenders, plan).await?;
        let summary = |samples: &[Sample]| Summary::of(samples).expect("there is a round");
        let ratio = ratio(&samples[1], &samples[0]).expect("there is a round");
        progress(&format!(
            "  the repeated call is {} of getPayout",
            ratio.text(2)
        ));
        measured.push(Repeated {
            connections,
            organizations,
            get_payout: summary(&samples[0]),
            statement: summary(&samples[1]),
            ratio,
        });
    }
    Ok(measured)
}

/// First calls one after the other, and several at a time; long ones; downloads of what they made.
///
/// # Errors
/// An answer other than 200.
pub(crate) async fn singles(
    deployment: &Deployment,
    data: &Data,
    plan: Plan,
) -> Result<Vec<Single>, MeasureError> {
    let key = deployment.key(&key_name(0)).to_owned();
    let firsts = |payouts: &[String]| -> Arc<[Call]> {
        payouts
            .iter()
            .map(|payout| generate_statement(payout, key.clone()))
            .collect()
    };
    let (alone, together) = data.usual.split_at(data.usual.len() / 2);
    let kinds = [
        ("first call, 25 lines", 1, alone, FIRST_CALLS),
        ("first call, 25 lines", MANY, together, FIRST_CALLS),
        ("first call, 2,000 lines", 1, data.long.as_slice(), 1),
    ];
    let mut singles = Vec::new();
    for (name, connections, payouts, in_a_round) in kinds {
        progress(&format!(
            "{name}, connections: {connections}, documents: {}",
            payouts.len()
        ));
        let mut samples = Vec::new();
        for round in payouts.chunks(in_a_round) {
            samples.push(
                measure(
                    deployment,
                    &load(connections, firsts(round)),
                    Until::AllMade,
                )
                .await?,
            );
        }
        let summary = Summary::of(&samples).expect("there is a round");
        singles.push(Single {
            name,
            connections,
            summary,
        });
    }
    progress(&format!(
        "download, connections: {MANY}, rounds: {}",
        plan.rounds
    ));
    let link = link(deployment, &firsts(&data.usual[..1])[0]).await?;
    let contender = Contender::Http(load(MANY, Arc::from([link])));
    let samples = interleaved(deployment, &[contender], plan).await?;
    let summary = Summary::of(&samples[0]).expect("there is a round");
    singles.push(Single {
        name: "download, 25 lines",
        connections: MANY,
        summary,
    });
    Ok(singles)
}

fn load(connections: usize, calls: Arc<[Call]>) -> Load {
    Load {
        connections,
        calls,
        order: Order::InTurn,
        is_overload: false,
    }
}

fn get_payout(payout: &str, key: String) -> Call {
    Call {
        method: "GET",
        path: format!("/api/v1/payouts/{payout}"),
        key: Some(key),
    }
}

fn generate_statement(payout: &str, key: String) -> Call {
    Call {
        method: "POST",
        path: format!("/api/v1/payouts/{payout}/statement"),
        key: Some(key),
    }
}

/// The link that a call is answered with, as a call.
async fn link(deployment: &Deployment, call: &Call) -> Result<Call, LoadError> {
    let mut caller = Caller::connect(deployment.address()).await?;
    let path = download_path(caller.call(call).await?)
        .ok_or_else(|| LoadError::NoLink(call.path.clone()))?;
    Ok(Call {
        method: "GET",
        path,
        key: None,
    })
}

/// Path and query of `downloadUrl`.
fn download_path(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let (_, rest) = body["data"]["downloadUrl"].as_str()?.split_once("://")?;
    rest.find('/').map(|path| rest[path..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_is_called_where_it_points() {
        let body = br#"{"data":{"downloadUrl":"http://127.0.0.1:8080/assets/a?s=b"}}"#;
        assert_eq!(download_path(body).unwrap(), "/assets/a?s=b");
        assert_eq!(download_path(b"{}"), None);
    }

    #[test]
    fn there_are_payouts_for_every_round() {
        let plan = Plan {
            rounds: 5,
            time: std::time::Duration::from_secs(1),
        };
        assert_eq!(first_calls(plan), (1_000, 5));
    }
}
