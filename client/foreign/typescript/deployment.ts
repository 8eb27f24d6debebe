// The server that the programs call, and a connection to a server of a later version.

import { env } from "node:process";

function required(name: string): string {
  const value = env[name];
  if (!value) {
    throw new Error(`${name} is not set; \`cargo xtask test --only clients\` sets it`);
  }
  return value;
}

export const baseUrl = required("PAYOUT_BASE_URL");
export const key = required("PAYOUT_KEY_SANDBOX_ALL");

/** Like `fetch`, but statuses and stages have values that no document names yet. */
export async function laterFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  const later = (name: string, value: unknown) =>
    name === "status" || name === "stage" ? `LATER_${value}` : value;
  const body = JSON.stringify(JSON.parse(await response.text(), later));
  return new Response(body, { status: response.status, headers: response.headers });
}
