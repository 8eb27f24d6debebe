// hey-api's client, against a server; times are dates.

import assert from "node:assert/strict";
import { test } from "node:test";

import { baseUrl, key, laterFetch } from "./deployment";
import * as api from "./generated/hey";
import { createClient } from "./generated/hey/client";

const client = createClient({ baseUrl, auth: key });

const PERIOD = {
  periodStart: new Date(Date.UTC(2026, 4, 1)),
  periodEnd: new Date(Date.UTC(2026, 5, 1)),
};

async function createPartner(name: string) {
  const { data, error } = await api.createPartner({ client, body: { name } });
  assert(data, JSON.stringify(error));
  return data.data;
}

async function createPayout(partnerId: string) {
  const body = { partnerId, currency: "EUR", ...PERIOD };
  const { data, error } = await api.createPayout({ client, body });
  assert(data, JSON.stringify(error));
  return data.data;
}

test("cursors lead through all partners, up to the one that is null", async () => {
  const created = [await createPartner("Hey 1"), await createPartner("Hey 2")];
  const page = async (cursor?: string) => {
    const query = { limit: 1, cursor };
    const { data, error } = await api.listPartners({ client, query });
    assert(data, JSON.stringify(error));
    read.push(...data.data.map((partner) => partner.id));
    return data.pagination.nextCursor;
  };
  const read: string[] = [];
  let cursor = await page();
  while (cursor !== null) {
    cursor = await page(cursor);
  }
  assert.equal(new Set(read).size, read.length);
  assert(created.every((partner) => read.includes(partner.id)));
});

test("a partner without owner has null", async () => {
  const { id, owner } = await createPartner("Hey without owner");
  assert.equal(owner, null);
  const { data } = await api.listPartners({ client });
  const listed = data?.data.find((partner) => partner.id === id);
  assert.equal(listed?.owner, null);
});

test("null clears a field", async () => {
  const { id } = await createPartner("Hey with domain");
  const patch = async (domain: string | null) => {
    const { data, error } = await api.updatePartner({ client, path: { id }, body: { domain } });
    assert(data, JSON.stringify(error));
    return data.data.domain;
  };
  assert.equal(await patch("hey.example"), "hey.example");
  assert.equal(await patch(null), null);
});

test("a date is the start of a payout and of a batch", async () => {
  const payout = await createPayout((await createPartner("Hey with payout")).id);
  assert.deepEqual(payout.periodStart, PERIOD.periodStart);
  const { data, error } = await api.createPayoutBatch({ client, body: PERIOD });
  assert.deepEqual(data?.data.periodStart, PERIOD.periodStart, JSON.stringify(error));
});

test("an error's code says which details it has", async () => {
  const { id } = await createPayout((await createPartner("Hey unpaid")).id);
  const request = { client, path: { id }, body: { stage: "PAID" } };
  const { error, response } = await api.updatePayout(request);
  assert.equal(response?.status, 422);
  assert.equal(error?.error.code, "INVALID_STAGE_TRANSITION");
  const details = error.error.details as api.StageTransitionDetails;
  assert.equal(details.stage, "DRAFT");
  assert(details.allowed.includes("APPROVED"));
});

test("values of a later version are read", async () => {
  const later = createClient({ baseUrl, auth: key, fetch: laterFetch });
  const { id } = await createPartner("Hey later");
  const partner = await api.getPartner({ client: later, path: { id } });
  assert.equal(partner.data?.data.status === "LATER_pending", true);
  const path = { id: (await createPayout(id)).id };
  const payout = await api.getPayout({ client: later, path });
  assert.equal(payout.data?.data.stage === "LATER_DRAFT", true);
});
