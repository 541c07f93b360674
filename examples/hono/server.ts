import { serve } from "@hono/node-server";
import Stripe from "stripe";
import { Tributary } from "tributary-sdk";
import { createApp } from "./app.ts";

const {
  PORT = "3000",
  TRIBUTARY_URL = "http://127.0.0.1:8787",
  TRIBUTARY_API_KEY = "",
  TRIBUTARY_PROGRAM_ID = "1",
  TRIBUTARY_STAGING = "",
  STRIPE_SECRET_KEY = "",
  STRIPE_WEBHOOK_SECRET = "",
} = process.env;

const missing = Object.entries({ TRIBUTARY_API_KEY, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }).filter(
  ([, value]) => value === "",
);
if (missing.length > 0) {
  console.error(`Set ${missing.map(([name]) => name).join(", ")}: see README.md`);
  process.exit(1);
}

const app = createApp({
  stripe: new Stripe(STRIPE_SECRET_KEY),
  webhookSecret: STRIPE_WEBHOOK_SECRET,
  tributary: new Tributary({ apiKey: TRIBUTARY_API_KEY, baseUrl: TRIBUTARY_URL }),
  tributaryUrl: TRIBUTARY_URL,
  programId: TRIBUTARY_PROGRAM_ID,
  staging: TRIBUTARY_STAGING === "1",
});
serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`http://localhost:${port}/?aff=DEMO`));
