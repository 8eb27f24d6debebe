// getPayout as a service written with Fastify and pg answers it. peers/mod.rs starts it.
const { createHash } = require("node:crypto");
const fastify = require("fastify")();
const { Pool } = require("pg");

const { STATEMENT, CONNECTIONS } = process.env;
const pool = new Pool({ max: Number(CONNECTIONS) });

fastify.get("/api/v1/payouts/:id", async (request, reply) => {
  const hash = createHash("sha256").update(request.headers["x-api-key"]).digest();
  const values = [hash, request.params.id];
  const query = { name: "getPayout", text: STATEMENT, values, rowMode: "array" };
  const row = (await pool.query(query)).rows[0];
  const [limit, credits, used, spent] = [row[23], row[24], row[25], row[27]];
  reply.header("x-ratelimit-limit-minute", limit);
  reply.header("x-ratelimit-remaining-minute", limit - used);
  reply.header("x-service-credits-limit-month", credits);
  reply.header("x-service-credits-remaining-month", credits - spent);
  return {
    data: {
      id: row[0], partner: { id: row[1], name: row[2] }, batchId: row[3], periodStart: row[4],
      periodEnd: row[5], amount: row[6], currency: row[7], stage: row[8], poNumber: row[9],
      metadata: row[10], createdAt: row[11], updatedAt: row[12],
    },
  };
});

fastify.listen({ host: "127.0.0.1", port: 0 }).then((address) => console.log(address));
