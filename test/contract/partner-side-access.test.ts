import { beforeAll, describe, expect, test } from "vitest";
import type { Reply } from "../../harness/client.ts";
import { createSession, type User } from "../../harness/session.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { giveAccess, partnerPath } from "../support/partner-side.ts";
import { partnerOperations, type Scope } from "../support/session-operations.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";

const { url, databaseUrl } = sharedService;

const operations = await partnerOperations(url);
/** The other operations concern the account, whether or not it is a partner's. */
const ofPartner = operations.filter(({ name }) => name.includes("/partners/{partnerId}"));
const reads = ofPartner.filter(({ isWrite }) => !isWrite);
const writes = ofPartner.filter(({ isWrite }) => isWrite);

const names = ["manager", "viewer", "owner", "elsewhere", "other", "removed", "paused"] as const;
let people: Readonly<Record<(typeof names)[number], User>>;
let world: World;
let mine: Scope;
let paused: Scope;

beforeAll(async () => {
  const found = await Promise.all(names.map((name) => sharedUser(name)));
  people = Object.fromEntries(names.map((name, i) => [name, found[i]])) as typeof people;
  world = await createWorld(databaseUrl, {
    members: [{ user: people.owner, role: "owner" }],
    partners: [{}, {}, { status: "paused" }],
  });
  const [own, second, third] = world.partners;
  if (own === undefined || second === undefined || third === undefined) throw new Error("there are three partners");
  const foreign = await createWorld(databaseUrl);
  mine = { ...world, partnerId: own.id };
  paused = { ...world, partnerId: third.id };
  await giveAccess(world, { user: people.manager, partnerId: own.id });
  await giveAccess(world, { user: people.viewer, partnerId: own.id, role: "view" });
  await giveAccess(world, { user: people.other, partnerId: second.id });
  await giveAccess(world, { user: people.removed, partnerId: own.id });
  await giveAccess(world, { user: people.paused, partnerId: third.id });
  await giveAccess(foreign, { user: people.elsewhere, partnerId: foreign.partner.id });
  const ended = await people.owner.delete(
    `/api/programs/${world.programId}/partners/${own.id}/access/${people.removed.userId}`,
  );
  expect(ended.status, ended.text).toBe(200);
});

const told = ({ status, body: { error } }: Reply<unknown>) => `${status} ${error?.details?.code ?? error?.message}`;
const noSession = "401 Sign in first.";
const noPartner = "404 Partner not found";
const foreignOrigin = "403 Write requests need Content-Type: application/json and this service's Origin";
const otherSite = { headers: { origin: "https://evil.example" } };

test("every operation for partners documents the required role", () => {
  expect([reads.length >= 6, writes.length >= 1]).toEqual([true, true]);
  expect(ofPartner.filter(({ isWrite, role }) => role !== (isWrite ? "manage" : "view"))).toEqual([]);
});

describe.each(operations)("$name", ({ call }) => {
  test("each operation for partners requires a session, and doesn't accept an API key instead", async () => {
    const forged = createSession(url);
    forged.cookies.set("tributary.session_token", "forged.forged");
    const replies = [
      await call(createSession(url), mine),
      await call(forged, mine, otherSite),
      await call(createSession(url), mine, { key: world.key }),
      await call(people.manager, mine, { key: world.key }),
    ];
    expect(replies.map(told)).toEqual(replies.map(() => noSession));
  });
});

test.each(operations.filter(({ isWrite }) => isWrite))("$name refuses a call from another site", async ({ call }) => {
  expect(told(await call(people.manager, mine, otherSite))).toBe(foreignOrigin);
});

describe.each(ofPartner)("$name", ({ call }) => {
  test("each operation for partners returns 404 to accounts without access to the partner", async () => {
    const strangers = [people.owner, people.other, people.elsewhere, people.removed];
    const replies = await Promise.all(strangers.map((user) => call(user, mine)));
    const nowhere = [
      { ...mine, programId: 999_999_999_999 },
      { ...mine, partnerId: 999_999_999_999 },
    ];
    replies.push(...(await Promise.all(nowhere.map((scope) => call(people.manager, scope)))));
    expect(replies.map(told)).toEqual(replies.map(() => noPartner));
  });
});

test.each(writes)("$name is refused to the role view, before its body is checked", async ({ call }) => {
  expect(told(await call(people.viewer, mine, { body: {} }))).toBe("403 view_only");
});

describe.each(reads)("$name", ({ call }) => {
  test("each read for partners is available to both roles, even while the partner is paused", async () => {
    const replies = [
      await call(people.manager, mine),
      await call(people.viewer, mine),
      await call(people.paused, paused),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

test("an owner can read what a partner sees, which adds one audit entry, but can't change anything for the partner", async () => {
  const path = partnerPath(world, mine.partnerId ?? 0);
  for (const read of ["overview", "links", "coupons", "commissions", "payouts", "statement"]) {
    const [asOwner, asPartner] = await Promise.all([
      people.owner.get(`${path}/${read}?as=owner`),
      people.manager.get(`${path}/${read}`),
    ]);
    expect([asOwner.status, asOwner.body]).toEqual([200, asPartner.body]);
  }
  expect(told(await people.manager.get(`${path}/overview?as=owner`))).toBe(noPartner);
  expect(told(await people.owner.post(`${path}/links?as=owner`, { code: "mine" }))).toBe(noPartner);
  const trail = await world.rows(
    "select actor_id from audit_entries where program_id = ? and action = 'partner.viewed'",
    world.programId,
  );
  expect(trail.map(({ actor_id }) => actor_id)).toEqual([people.owner.userId]);
});
