// openapi-typescript's types with openapi-fetch, against a server.

import assert from "node:assert/strict";
import { test } from "node:test";

import createClient from "openapi-fetch";

import { baseUrl, key, laterFetch } from "./deployment";
import type { components, paths } from "./generated/fetch";

type StageTransition = components["schemas"]["StageTransitionDetails"];

const headers = { "x-api-key": key };
const api = createClient<paths>({ baseUrl, headers });

const PERIOD = {
  periodStart: new Date(Date.UTC(2026, 4, 1)).toISOString(),
  periodEnd: new Date(Date.UTC(2026, 5, 1)).toISOString(),
};

async function createPartner(name: string) {
  const { data, error } = await api.POST("/api/v1/partners", { body: { name } });
  assert(data, JSON.stringify(error));
  return data.data;
}

async function createPayout(partnerId: string) {
  // This generator requires properties that have a default.
  const body = { partnerId, currency: "EUR", attachPendingLines: true, ...PERIOD };
  const { data, error } = await api.POST("/api/v1/payouts", { body });
  assert(data, JSON.stringify(error));
  return data.data;
}

test("cursors lead through all partners, up to the one that is null", async () => {
  const created = [await createPartner("Fetch 1"), await createPartner("Fetch 2")];
  const page = async (cursor?: string) => {
    const query = { limit: 1, cursor };
    const { data, error } = await api.GET("/api/v1/partners", { params: { query } });
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
  const { id, owner } = await createPartner("Fetch without owner");
  assert.equal(owner, null);
  const { data } = await api.GET("/api/v1/partners", { params: { query: {} } });
  const listed = data?.data.find((partner) => partner.id === id);
  assert.equal(listed?.owner, null);
});

test("null clears a field", async () => {
  const { id } = await createPartner("Fetch with domain");
  const patch = async (domain: string | null) => {
    const request = { params: { path: { id } }, body: { domain } };
    const { data, error } = await api.PATCH("/api/v1/partners/{id}", request);
    assert(data, JSON.stringify(error));
    return data.data.domain;
  };
  assert.equal(await patch("fetch.example"), "fetch.example");
  assert.equal(await patch(null), null);
});

test("a date is the start of a payout and of a batch", async () => {
  const payout = await createPayout((await createPartner("Fetch with payout")).id);
  assert.equal(payout.periodStart, PERIOD.periodStart);
  const body = { attachPendingLines: true, ...PERIOD };
  const { data, error } = await api.POST("/api/v1/payout-batches", { body });
  assert.equal(data?.data.periodStart, PERIOD.periodStart, JSON.stringify(error));
});

test("an error's code says which details it has", async () => {
  const { id } = await createPayout((await createPartner("Fetch unpaid")).id);
  const request = { params: { path: { id } }, body: { stage: "PAID" } };
  const { error, response } = await api.PATCH("/api/v1/payouts/{id}", request);
  assert.equal(response.status, 422);
  assert.equal(error?.error.code, "INVALID_STAGE_TRANSITION");
  const details = error.error.details as StageTransition;
  assert.equal(details.stage, "DRAFT");
  assert(details.allowed.includes("APPROVED"));
});

test("values of a later version are read", async () => {
  const later = createClient<paths>({ baseUrl, headers, fetch: laterFetch });
  const { id } = await createPartner("Fetch later");
  const partner = await later.GET("/api/v1/partners/{id}", { params: { path: { id } } });
  assert.equal(partner.data?.data.status === "LATER_pending", true);
  const path = { id: (await createPayout(id)).id };
  const payout = await later.GET("/api/v1/payouts/{id}", { params: { path } });
  assert.equal(payout.data?.data.stage === "LATER_DRAFT", true);
});
