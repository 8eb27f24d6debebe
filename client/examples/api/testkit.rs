//! Tests a program's use of the API without a server: `testkit`.
//!
//! `announce` stands for the program's code, and `testkit` for two tests.

use payout_client::{
    Client, Error, ErrorCode, Operation,
    testkit::{self, Answer, Server},
};

/// Describes a payout: its amount, and whether the statement can be sent.
async fn announce(client: Client) -> Result<String, Error> {
    let payout = match client.get_payout("pay_01JV3N8Q5RHWXK2M4P6S7T9V0A").send().await {
        Ok(payout) => payout.into_inner().data,
        Err(Error::NotFound { .. }) => return Ok("no such payout".to_owned()),
        Err(error) => return Err(error),
    };
    let amount = format!("{} {}", payout.amount.value, payout.amount.currency);
    match client.generate_statement(&payout.id).send().await {
        Ok(statement) => Ok(format!("{amount}, {}", statement.data.filename)),
        // Nothing to print is no failure.
        Err(Error::State { code: ErrorCode::NoCommissionLines, .. }) => Ok(amount),
        Err(error) => Err(error),
    }
}

pub(crate) async fn testkit() -> super::Outcome {
    // One answer, and what the program sends.
    let server = Server::start().await;
    let empty = Answer::error(Operation::GenerateStatement, 422, ErrorCode::NoCommissionLines);
    server.script(Operation::GenerateStatement, [empty]);
    assert_eq!(announce(server.client()).await?, "1234.50 EUR");
    let sent: Vec<_> = server.requests().iter().map(|request| request.operation).collect();
    assert_eq!(sent, [Some(Operation::GetPayout), Some(Operation::GenerateStatement)]);

    // Every answer that the document has, and those that it does not have.
    for report in
        [testkit::every_documented_answer(announce).await, testkit::every_surprise(announce).await]
    {
        println!("{report}\n");
        report.assert_walked(&[Operation::GetPayout, Operation::GenerateStatement]);
        report.assert_no_panics().assert_no_hangs();
        // Errors that the program leaves to its caller.
        report.assert_handled_unless(|entry| match &entry.answer {
            Some(answer) => answer.status() != 404 || entry.operation != Operation::GetPayout,
            None => true,
        });
    }
    Ok(())
}
