import { serve } from "@hono/node-server";
import { TributaryProgram } from "tributary-sdk/program";
import { createApp } from "./app.ts";

const {
  PORT = "3000",
  TRIBUTARY_URL = "http://127.0.0.1:8787",
  TRIBUTARY_API_KEY = "",
  TRIBUTARY_EMBED_ID = "",
} = process.env;

const missing = Object.entries({ TRIBUTARY_API_KEY, TRIBUTARY_EMBED_ID }).filter(([, value]) => value === "");
if (missing.length > 0) {
  console.error(`Set ${missing.map(([name]) => name).join(", ")}: see README.md`);
  process.exit(1);
}

const app = createApp({
  tributary: new TributaryProgram({ apiKey: TRIBUTARY_API_KEY, baseUrl: TRIBUTARY_URL }),
  tributaryUrl: TRIBUTARY_URL,
  embedId: TRIBUTARY_EMBED_ID,
});
serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`http://localhost:${port}/`));
