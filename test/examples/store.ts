import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import Stripe from "stripe";
import { Tributary } from "tributary-sdk";
import { expect, onTestFinished } from "vitest";
import { createApp as createExpressApp } from "../../examples/express/app.ts";
import { createApp as createHonoApp, type Shop as ExampleOptions } from "../../examples/hono/app.ts";
import { createProgramFixture, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import type { StripeEventJson } from "./stripe-events.ts";
import { type StripeServer, startStripe, webhookSecret } from "./stripe-server.ts";

export const examples = ["hono", "express"] as const;
export type Example = (typeof examples)[number];

/** A running example with its own program and a fake Stripe. */
export interface Store {
  readonly url: string;
  readonly shop: ProgramFixture;
  readonly stripe: StripeServer;
  /** While true, the example can't connect to the service. */
  isCutOff: boolean;
  /** Submits the sign-up form. Returns the visitor's cookie. */
  signUp(clickId: string): Promise<string>;
  page(cookie: string): Promise<string>;
  /** Presses the button for a plan. Returns the metadata of the session and of the subscription. */
  checkOut(cookie: string, plan: "once" | "monthly"): Promise<Checkout>;
  /** Delivers a signed event once. Returns the status. */
  deliver(event: StripeEventJson, options?: { secret?: string; spoil?: (body: string) => string }): Promise<number>;
  /**
   * Delivers each event twice, in order. Repeats deliveries without a 2xx response after all others, as Stripe does.
   * Returns the first statuses.
   */
  deliverAll(events: readonly StripeEventJson[]): Promise<number[]>;
  /** Returns the program's sales and commissions, ordered by Stripe's ids. */
  books(): Promise<Book[]>;
}

export interface Checkout {
  readonly metadata: Record<string, string>;
  readonly subscriptionMetadata: Record<string, string>;
  readonly params: Record<string, string>;
}

export interface Book {
  readonly sale: string;
  readonly amount: number;
  readonly type: string;
  readonly renewal: number;
  readonly refunded: number;
  readonly commission: number;
  readonly status: string;
}

export async function openStore(example: Example, apiKey?: string): Promise<Store> {
  const shop = await createProgramFixture();
  const stripe = await startStripe();
  const tributary = new Tributary({
    apiKey: apiKey ?? shop.world.key,
    baseUrl: sharedService.url,
    retries: 0,
    fetch: (url, init) => (store.isCutOff ? Promise.reject(new TypeError("fetch failed")) : fetch(url, init)),
  });
  const programId = String(shop.world.programId);
  const options = {
    stripe: stripe.stripe,
    webhookSecret,
    tributary,
    tributaryUrl: sharedService.url,
    programId,
    staging: false,
  };
  const url = await listen(example, options);
  const post = (path: string, form: Record<string, string>, cookie = "") =>
    fetch(url + path, { method: "POST", body: new URLSearchParams(form), headers: { cookie }, redirect: "manual" });

  const store: Store = {
    url,
    shop,
    stripe,
    isCutOff: false,
    signUp: async (clickId) => {
      const answer = await post("/sign-up", { email: "buyer@shop.example", click_id: clickId });
      expect(answer.status).toBe(303);
      return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    },
    page: async (cookie) => (await fetch(url, { headers: { cookie } })).text(),
    checkOut: async (cookie, plan) => {
      const answer = await post("/checkout", { plan }, cookie);
      expect(answer.headers.get("location")).toMatch(/^https:\/\/checkout\.stripe\.example\//);
      const params = stripe.sessions.at(-1) ?? {};
      return {
        params,
        metadata: within(params, "metadata"),
        subscriptionMetadata: within(params, "subscription_data[metadata]"),
      };
    },
    deliver: async (event, { secret = webhookSecret, spoil = (body: string) => body } = {}) => {
      // White space in the payload would not survive parsing and printing.
      const payload = JSON.stringify(event, null, 2);
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
      const headers = { "content-type": "application/json; charset=utf-8", "stripe-signature": signature };
      return (await fetch(`${url}/stripe`, { method: "POST", headers, body: spoil(payload) })).status;
    },
    deliverAll: async (events) => {
      const first: number[] = [];
      let left = [...events, ...events];
      for (let round = 0; left.length > 0; round += 1) {
        expect(round, "rounds of delivery").toBeLessThan(4);
        const again: StripeEventJson[] = [];
        for (const event of left) {
          const status = await store.deliver(event);
          if (round === 0) first.push(status);
          if (status >= 300) again.push(event);
        }
        left = again;
      }
      return first;
    },
    books: async () => {
      const rows = await shop.world.rows(
        `select transaction_id as sale, s.amount_cents as amount, sale_type as type, is_recurring as renewal,
           refunded_cents as refunded, c.amount_cents as commission, c.status
         from sales s join commissions c on c.sale_id = s.id where s.program_id = ? order by transaction_id`,
        shop.world.programId,
      );
      return rows.map(({ sale, amount, type, renewal, refunded, commission, status }) => ({
        sale: String(sale),
        amount: Number(amount),
        type: String(type),
        renewal: Number(renewal),
        refunded: Number(refunded),
        commission: Number(commission),
        status: String(status),
      }));
    },
  };
  return store;
}

async function listen(example: Example, options: ExampleOptions): Promise<string> {
  const server =
    example === "express"
      ? createExpressApp(options).listen(0, "127.0.0.1")
      : createAdaptorServer({ fetch: createHonoApp(options).fetch }).listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const within = (params: Record<string, string>, place: string) =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) =>
      name.startsWith(`${place}[`) ? [[name.slice(place.length + 1, -1), value]] : [],
    ),
  );
