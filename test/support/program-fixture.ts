import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { mintClickId } from "#domain/click-id.ts";
import type { Api, CallOptions, ClickBody, JsonObject, Reply } from "../../harness/client.ts";
import { testClickKeys } from "../../harness/service.ts";
import { createWorld, type Partner, type World, type WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "./expect-ledger-consistent.ts";
import { sharedApi, sharedService } from "./shared-service.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The same instant for the whole file, so that intervals between times are exact. */
let now = Date.now();
export const beginFile = (): void => {
  now = Date.now();
};
/** Returns an instant in milliseconds. `daysAgo(1, minute)` is a minute later than one day ago. */
export const daysAgo = (days: number, laterMs = 0): number => now - days * day + laterMs;
export const at = (instant: number): string => new Date(instant).toISOString();

export const inTestMode = { additional_data: { test_mode: true } } as const;

/** Returns a valid click id. No such click is stored, and no behavior may depend on whether it is. */
export function clickOf(
  programId: number,
  { linkId }: Pick<Partner, "linkId">,
  instant: number,
  isTest = false,
): string {
  return mintClickId(testClickKeys, { programId, isTest, linkId, at: instant }, randomBytes(8).toString("hex"));
}

/** A program with two partners, and API calls that fail the test if they don't succeed. */
export interface ProgramFixture {
  readonly world: World;
  readonly api: Api;
  readonly alice: Partner;
  readonly bob: Partner;
  /** `instant` is in milliseconds. The default is a day ago. */
  click(partner: Partner, instant?: number, isTest?: boolean): string;
  visit(body?: JsonObject, options?: CallOptions): Promise<ClickBody>;
  lead(body: JsonObject): Promise<Awaited<ReturnType<Api["lead"]>>["body"]>;
  browserLead(body: JsonObject): Promise<Awaited<ReturnType<Api["lead"]>>["body"]>;
  sale(body: JsonObject): Promise<Awaited<ReturnType<Api["sale"]>>["body"]>;
  refund(body: JsonObject): Promise<Awaited<ReturnType<Api["refund"]>>["body"]>;
  all(
    table: "clicks" | "customers" | "leads" | "sales" | "refunds" | "commissions" | "ledger_entries",
  ): ReturnType<World["rows"]>;
  /** The number of the partner's live leads in `daily_counts`. */
  countedLeads(partner: Partner): Promise<number>;
}

const taken = async <Body>(call: Promise<Reply<Body>>) => {
  const { status, text, body } = await call;
  expect(status, text).toBe(200);
  return body;
};

/** Checks the ledger at the end of the test. */
export async function createProgramFixture(settings: WorldSettings = {}): Promise<ProgramFixture> {
  const world = await createWorld(sharedService.databaseUrl, { partners: [{}, {}], ...settings });
  expectConsistentInTheEnd(world);
  return programFixture(world, sharedApi());
}

export function programFixture(world: World, api: Api): ProgramFixture {
  const { programId, key, rows } = world;
  const [alice, bob] = world.partners;
  if (alice === undefined || bob === undefined) throw new Error("a shop has two partners");
  let sales = 0;
  return {
    world,
    api,
    alice,
    bob,
    click: (partner, instant = daysAgo(1), isTest = false) => clickOf(programId, partner, instant, isTest),
    visit: (body, options) =>
      taken(api.click({ affiliate_url: alice.landingUrl, program_id: programId, ...body }, options)),
    lead: (body) => taken(api.lead(body, { key })),
    browserLead: (body) => taken(api.lead(body, { browser: true })),
    sale: (body) => {
      sales += 1;
      return taken(api.sale({ transaction_id: `order-${sales}`, amount_cents: 10_000, ...body }, { key }));
    },
    refund: (body) => taken(api.refund(body, { key })),
    all: (table) => rows(`select * from ${table} where program_id = ? order by id`, programId),
    countedLeads: async (partner) => {
      const sql = "select sum(leads) as n from daily_counts where program_id = ? and partner_id = ? and is_test = 0";
      return Number((await rows(sql, programId, partner.id))[0]?.n ?? 0);
    },
  };
}

export const stateOf = ({ world }: Pick<ProgramFixture, "world">) =>
  world.allRows({
    ...Object.fromEntries(
      ["customers", "leads", "sales", "refunds", "commissions", "ledger_entries"].map((table) => [
        table,
        `select * from ${table} where program_id = ? order by id`,
      ]),
    ),
    clicks: "select * from customer_clicks where customer_id in (select id from customers where program_id = ?)",
    counts: "select * from daily_counts where program_id = ?",
  });
