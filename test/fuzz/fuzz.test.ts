import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createApi } from "../../harness/client.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";

import { auditLedger } from "../../scripts/audit/ledger.ts";
import { isWhole, sampled } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { giveAccess } from "../support/partner-side.ts";
import { clickOf, daysAgo, programFixture } from "../support/program-fixture.ts";
import { callsOf, type Known, send } from "./calls.ts";

const own = isolatedService();

/**
 * Sends several calls concurrently until every expected status was returned. `npm test` expects only the first two,
 * which are returned soon. A failure is shrunk to the relevant calls, and printed with its seed.
 */
async function fuzz(documentPath: string, known: Known, expected: readonly number[], leftOut?: readonly string[]) {
  const api = createApi(own.service.url);
  const calls = await callsOf(api, documentPath, known, leftOut);
  const statuses = new Set<number>();
  const property = fc.asyncProperty(fc.array(calls, { minLength: 4, maxLength: 12 }), async (burst) => {
    const answers = await Promise.all(burst.map((call) => send(api, call)));
    for (const status of answers) statuses.add(status);
  });
  const missing = () => sampled(expected, 2).filter((status) => !statuses.has(status));
  for (let rounds = 0; rounds === 0 || (rounds < 40 && missing().length > 0); rounds += 1) {
    const few = { numRuns: 4, seed: rounds };
    await fc.assert(property, isWhole ? { numRuns: 10_000, interruptAfterTimeLimit: 4_000 } : few);
  }
  expect(missing()).toEqual([]);
}

let known: Known;

/** Each test has its own program and user, because calls of another test may archive, erase or remove them. */
beforeEach(async () => {
  const user = await own.user();
  const world = await own.world({ partners: [{}, {}], members: [{ user, role: "owner" }] });
  const other = await own.world();
  const { click, visit, alice, bob } = programFixture(world, own.api());
  const clicks = [click(alice), click(bob, daysAgo(3)), click(alice, daysAgo(90)), (await visit()).click_id];
  const foreign = [click(alice, daysAgo(1), true), clickOf(other.programId, other.partner, daysAgo(1))];
  const programs = [world.programId, String(world.programId), other.programId];
  const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const [ownPartner] = world.partners;
  if (ownPartner === undefined) throw new Error("the program has two partners");
  await giveAccess(world, { user, partnerId: ownPartner.id });
  known = {
    affiliate_url: [alice.landingUrl, bob.landingUrl, other.partner.landingUrl, `${alice.landingUrl}&utm_source=x`],
    program_id: programs,
    programId: programs,
    workspaceId: [world.workspaceId, other.workspaceId],
    partnerId: [alice.id, other.partner.id],
    commissionId: [1, 2, 3],
    click_id: [...clicks, ...foreign],
    existing_click_id: clicks,
    click_ids: [clicks, [...foreign, ...clicks], []],
    customer_key: ["u1", "u2", "u3"],
    transaction_id: ["t1", "t2", "t3", "t4"],
    refund_id: ["r1", "r2", null],
    event_id: ["e1", "e2"],
    amount_cents: [1, 999, 10 ** 11],
    refund_amount_cents: [1, 333, null],
    currency: ["EUR", "usd", "JPY", "XXX"],
    test_mode: [true, false],
    email: ["ada@people.example", user.email],
    eventType: ["click", "lead", "sale", "refund"],
    timezone: ["UTC", "Asia/Tokyo", "Mars/Olympus"],
    "header authorization": [`Bearer ${world.key}`],
    "header cookie": [cookie],
    "header origin": [own.service.url],
  };
});

afterEach(async () => {
  expect(await auditLedger(openDatabaseClient(own.database.url)), "what the audit finds").toEqual([]);
});

const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(known).filter(([name]) => !names.includes(name)));

test("each fuzzed call of a backend or a browser gets a documented response, and leaves the ledger consistent", async () => {
  // Calls without these headers pass the rate limits and reach every refusal.
  await fuzz("/api/v1/openapi.json", without("header cookie"), [200, 400, 404, 401, 409, 415]);
});

test("each fuzzed call of a signed-in member gets a documented response, and leaves the ledger consistent", async () => {
  // Excludes sign-out, after which all other calls would be refused.
  const statuses = [200, 400, 403, 201, 401, 404];
  await fuzz("/api/openapi.json", without("header authorization"), statuses, ["/api/auth/sign-out"]);
});

test("each fuzzed call of a partner gets a documented response, and leaves the ledger consistent", async () => {
  await fuzz("/api/partner/openapi.json", without("header authorization"), [200, 400, 401, 403, 404, 409]);
});
