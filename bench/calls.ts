import { randomBytes, randomInt } from "node:crypto";
import { mintClickId } from "#domain/click-id.ts";
import { browserHeaders } from "../harness/client.ts";
import { testClickKeys } from "../harness/service.ts";
import type { Partner, World } from "../harness/world.ts";
import { customerKey, type Stock, transactionId } from "./load.ts";

export const kinds = ["click", "lead", "sale", "refund", "readiness"] as const;
export type Kind = (typeof kinds)[number];

/** Calls of one kind. Every body is unique and takes the most expensive path of its kind. */
export interface Calls {
  readonly kind: Kind;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  body(): string;
  isDone(answer: string): boolean;
}

export const tableOf: Readonly<Record<Kind, string | undefined>> = {
  click: "clicks",
  lead: "leads",
  sale: "sales",
  refund: "refunds",
  readiness: undefined,
};

export interface Workload {
  readonly world: Callee;
  readonly stock: Stock;
  /** The program whose readiness is requested. The default is `world`. */
  readonly asked?: Callee;
}

/** The program that is called. */
type Callee = Pick<World, "programId" | "key" | "partners">;

/**
 * Returns calls for a database that contains this workload. Each sale is the first of a loaded customer, and each
 * refund refunds a loaded sale in full. With `isBare`, customers and sales are reused once all are used up, for a
 * Worker that stores nothing.
 */
export function callsOf({ world, stock, asked = world }: Workload, isBare = false): Readonly<Record<Kind, Calls>> {
  const { programId, key } = world;
  const run = randomBytes(4).toString("hex");
  const json = { "content-type": "application/json" };
  const keyed = { ...json, authorization: `Bearer ${key}` };
  const track = { method: "POST" as const, headers: keyed };
  const { next, nextOfStock } = counters(isBare);
  return {
    click: {
      ...track,
      kind: "click",
      path: "/api/v1/track/click",
      headers: { ...json, ...browserHeaders },
      body: () => {
        const i = next("click");
        return JSON.stringify({
          affiliate_url: partnerOf(world, i).landingUrl,
          program_id: programId,
          event_id: eventId(i),
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
        return JSON.stringify({ click_id: signedClick(world, i), customer_key: `new-${run}-${i}` });
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

const startedAt = Date.now();

/**
 * Returns an id in the tracker's format. `i` makes ids differ, because thousands of bodies are generated in advance
 * within a few milliseconds.
 */
const eventId = (i: number): string => `${startedAt + i}.${randomInt(2 ** 47)}`;

function partnerOf({ partners }: Callee, i: number): Partner {
  const partner = partners[i % partners.length];
  if (partner === undefined) throw new Error("the world has no partner");
  return partner;
}

function signedClick(world: Callee, i: number): string {
  const { linkId } = partnerOf(world, i);
  const token = { programId: world.programId, isTest: false, linkId, at: Date.now() - 60_000 };
  return mintClickId(testClickKeys, token, randomBytes(8).toString("hex"));
}

function counters(isBare: boolean) {
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
  return { next, nextOfStock };
}

export const bareCalls = (calls: Calls): Calls => ({ ...calls, isDone: (answer) => answer.includes('"success":true') });

export const askingCalls = (calls: Calls): Calls => ({
  ...bareCalls(calls),
  path: calls.path.replace("/api/v1", "/asks"),
});
