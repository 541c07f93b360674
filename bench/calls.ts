import { randomBytes } from "node:crypto";
import { mintClickId } from "../src/domain/click-id.ts";
import { browserHeaders } from "../test/support/client.ts";
import { testClickKeys } from "../test/support/service.ts";
import type { World } from "../test/support/world.ts";
import { customerKey, type Stock, transactionId } from "./load.ts";

export const kinds = ["click", "lead", "sale", "refund", "readiness"] as const;
export type Kind = (typeof kinds)[number];

/** Calls of one kind, each with a body that no other has, and each of which does all that its kind can ask for. */
export interface Calls {
  readonly kind: Kind;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The next one's body; empty for a GET. */
  body(): string;
  isDone(answer: string): boolean;
}

/** The table that gains one row by each call. */
export const tableOf: Readonly<Record<Kind, string | undefined>> = {
  click: "clicks",
  lead: "leads",
  sale: "sales",
  refund: "refunds",
  readiness: undefined,
};

export interface Shop {
  readonly world: World;
  readonly stock: Stock;
  /** Set if another program's readiness is asked for. */
  readonly asked?: World;
}

/**
 * For one database with that shop in it. A sale is a loaded customer's first, and a refund takes a loaded sale back
 * whole; `isBare` begins again where the stock ends, for a Worker that stores nothing.
 */
export function callsOf({ world, stock, asked = world }: Shop, isBare = false): Readonly<Record<Kind, Calls>> {
  const { programId, partners, key } = world;
  // Told apart from those of any other set of calls to the same database.
  const run = randomBytes(4).toString("hex");
  const json = { "content-type": "application/json" };
  const keyed = { ...json, authorization: `Bearer ${key}` };
  const track = { method: "POST" as const, headers: keyed };
  const made: Record<string, number> = {};
  const next = (what: string): number => {
    made[what] = (made[what] ?? 0) + 1;
    return made[what];
  };
  const nextOfStock = (what: string, from: number, to: number): number => {
    const i = next(what);
    if (i > to - from && !isBare) throw new Error(`all ${to - from} loaded for ${what}s are used up: load more`);
    return from + 1 + ((i - 1) % Math.max(to - from, 1));
  };
  const partnerOf = (i: number) => {
    const partner = partners[i % partners.length];
    if (partner === undefined) throw new Error("the world has no partner");
    return partner;
  };
  const signedClick = (i: number) => {
    const token = { programId, isTest: false, linkId: partnerOf(i).linkId, at: Date.now() - 60_000 };
    return mintClickId(testClickKeys, token, randomBytes(8).toString("hex"));
  };
  return {
    click: {
      ...track,
      kind: "click",
      path: "/api/v1/track/click",
      headers: { ...json, ...browserHeaders },
      body: () => {
        const i = next("click");
        return JSON.stringify({
          affiliate_url: partnerOf(i).landingUrl,
          program_id: programId,
          event_id: randomBytes(16).toString("hex"),
          session_id: `${run}-${i}`,
          page_url: "https://shop.example/pricing",
          referrer_url: "https://blog.example/post",
          language: "en-GB",
        });
      },
      isDone: (answer) => answer.includes('"success":true,"click_id":"'),
    },
    lead: {
      ...track,
      kind: "lead",
      path: "/api/v1/track/lead",
      body: () => {
        const i = next("lead");
        return JSON.stringify({ click_id: signedClick(i), customer_key: `new-${run}-${i}` });
      },
      isDone: (answer) => answer.includes('"attributed":true,"lead_id":') && !answer.includes('"duplicate"'),
    },
    sale: {
      ...track,
      kind: "sale",
      path: "/api/v1/track/sale",
      body: () => {
        const i = nextOfStock("sale", stock.sales, stock.customers);
        const order = `order-${run}-${i}-${randomBytes(4).toString("hex")}`;
        return JSON.stringify({
          transaction_id: order,
          amount_cents: 4900,
          currency: "EUR",
          customer_key: customerKey(stock, i),
        });
      },
      isDone: (answer) => answer.includes('"attributed":true') && answer.includes('"amount_cents":980'),
    },
    refund: {
      ...track,
      kind: "refund",
      path: "/api/v1/track/refund",
      body: () => {
        const i = nextOfStock("refund", 0, stock.sales);
        return JSON.stringify({ transaction_id: transactionId(stock, i), refund_id: `refund-${run}-${i}` });
      },
      isDone: (answer) => answer.includes('"status":"reversed"'),
    },
    readiness: {
      kind: "readiness",
      method: "GET",
      headers: { authorization: `Bearer ${asked.key}` },
      path: "/api/v1/programs/me/readiness",
      body: () => "",
      isDone: (answer) => answer.includes('"gates":'),
    },
  };
}

/** The same, for the Worker that stores nothing. */
export const bareCalls = (calls: Calls): Calls => ({ ...calls, isDone: (answer) => answer.includes('"success":true') });

/** The same, for the routes of that Worker which also ask an object and log. */
export const askingCalls = (calls: Calls): Calls => ({
  ...bareCalls(calls),
  path: calls.path.replace("/api/v1", "/asks"),
});
