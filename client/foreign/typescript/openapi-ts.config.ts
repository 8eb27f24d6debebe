import { defineConfig } from "@hey-api/openapi-ts";

export default defineConfig({
  input: process.env.DOCUMENT!,
  output: "generated/hey",
  plugins: [
    "@hey-api/client-fetch",
    // Times are dates, in requests and responses.
    { name: "@hey-api/transformers", dates: true },
    { name: "@hey-api/sdk", transformer: true },
  ],
});
