//! The life of a commission: from a new partner to the PDF of a payout that is paid.
//!
//! Its period lies before those of the data set, so that its batch takes no other pending line.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Guide, LINE_FIELDS, PARTNER_FIELDS, PAYOUT_FIELDS, Tour};
use crate::Error;

const PERIOD_START: &str = "2025-12-01T00:00:00.000Z";
const PERIOD_END: &str = "2025-12-31T23:59:59.999Z";

impl Tour<'_> {
    /// Sends the requests of one commission's life; returns where its statement was saved.
    pub(super) async fn life(&self, guide: &mut Guide) -> Result<Option<PathBuf>, Error> {
        let text = "From a new partner to the statement of a payout that is paid.";
        guide.chapter("The life of a commission", text);
        let partner = json!({ "name": "Aurora Handel AS", "domain": "aurora.example" });
        let create = self.request("Create a partner", "createPartner", "/api/v1/partners");
        let create = create.body(partner).expect(201).shows(PARTNER_FIELDS);
        let partner = guide.send(create).await?;
        let partner = id(&partner["data"]);
        let (order, mistake) = self.lines(guide, partner).await?;
        let payout = self.batch(guide).await?;
        self.stages(guide, &payout, &order, &mistake).await
    }

    /// Creates two lines; returns the id of the right one and of the wrong one.
    async fn lines(&self, guide: &mut Guide, partner: &str) -> Result<(String, String), Error> {
        let create = |title, key, amount: &str, description: &str| {
            let request = self
                .request(title, "createCommissionLine", "/api/v1/commission-lines")
                .body(json!({
                    "partnerId": partner, "amount": amount, "currency": "EUR",
                    "description": description, "periodEnd": PERIOD_END,
                }));
            request.idempotency_key(key).expect(201).shows(LINE_FIELDS)
        };
        let order = |title| create(title, "order-5001", "1500.00", "Commission on order 5001");
        let title = "Create a commission line: it waits in the pending pool";
        let first = guide.send(order(title)).await?;
        let title =
            "Send the same again, as after a lost response: the first response, no new line";
        guide.send(order(title).replays(&first)).await?;
        let title = "Create another line, by mistake";
        let mistake = create(title, "order-5002", "99.90", "Commission on order 5002");
        let mistake = guide.send(mistake).await?;
        Ok((id(&first["data"]).to_owned(), id(&mistake["data"]).to_owned()))
    }

    /// Creates the batch of the period; returns the id of its payout.
    async fn batch(&self, guide: &mut Guide) -> Result<String, Error> {
        let title = "Create a batch: a payout for each partner and currency with pending lines";
        let create = self.request(title, "createPayoutBatch", "/api/v1/payout-batches");
        let period = json!({ "periodStart": PERIOD_START, "periodEnd": PERIOD_END });
        let create = create.body(period).idempotency_key("batch-2025-12").expect(201);
        let create = create.shows(&["id", "payoutCount", "lineCount"]);
        let batch = guide.send(create).await?;
        let path = format!("/api/v1/payouts?batchId={}", id(&batch["data"]));
        let list = self.request("List its payouts", "listPayouts", path).shows(PAYOUT_FIELDS);
        let payouts = guide.send(list).await?;
        Ok(id(&payouts["data"][0]).to_owned())
    }

    /// Moves the payout from its draft to its payment; returns where its statement was saved.
    async fn stages(
        &self,
        guide: &mut Guide,
        payout: &str,
        order: &str,
        mistake: &str,
    ) -> Result<Option<PathBuf>, Error> {
        let path = format!("/api/v1/commission-lines/{mistake}/decline");
        let title = "Decline the line that was a mistake: it is voided";
        let decline = self.request(title, "declineCommissionLine", path).shows(LINE_FIELDS);
        let reason = json!({ "reason": "CUSTOM", "note": "The order was cancelled." });
        guide.send(decline.body(reason).idempotency_key("decline-5002")).await?;

        let path = format!("/api/v1/payouts/{payout}");
        let update = |title, change| {
            let request = self.request(title, "updatePayout", path.as_str());
            request.body(change).shows(PAYOUT_FIELDS)
        };
        let title = "Approve the payout: its amount is that of the remaining line";
        let approval = json!({ "stage": "APPROVED", "poNumber": "PO-2025-12" });
        guide.send(update(title, approval)).await?;
        let title = "Move it back to a draft: 422, with the stages that may follow";
        guide.send(update(title, json!({ "stage": "DRAFT" })).expect(422)).await?;

        let title = "Generate its statement";
        let generate = self.request(title, "generateStatement", format!("{path}/statement"));
        let statement = guide.send(generate).await?;
        let saved = self.save(guide, &statement).await?;

        guide.send(update("Note that it is paid", json!({ "stage": "PAID" }))).await?;
        let title = "Change a line of a payout that is paid: 422, it is locked";
        let line = format!("/api/v1/commission-lines/{order}");
        let change = self.request(title, "updateCommissionLine", line);
        guide.send(change.body(json!({ "amount": "1.00" })).expect(422)).await?;
        Ok(saved)
    }
}

/// The id in a response; a wrong response is counted, and the next request gets a 404.
fn id(data: &Value) -> &str {
    data["id"].as_str().unwrap_or("none")
}
