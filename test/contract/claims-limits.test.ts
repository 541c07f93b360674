import { expect, test } from "vitest";
import { dateUtc, dayMs } from "#domain/calendar.ts";
import type { JsonObject } from "../../harness/client.ts";
import { type Claim, type OwnClaim, openClaims, soldOn } from "../support/claims-fixture.ts";
import { embedded } from "../support/embedded.ts";
import { sharedApi } from "../support/shared-service.ts";
import { refusedWith, usersOfFile } from "../support/users-fixture.ts";
import { withinWindow } from "../support/within-window.ts";

const people = usersOfFile("stranger");
const openShop = () => openClaims(people);

test("a partner can report five missing sales a day, in the portal and in the embedded page together", async () => {
  await withinWindow(dayMs, 20_000);
  const shop = await openShop();
  const { world, alice, path } = shop;
  await people.owner.put(`/api/programs/${world.programId}/embed`, {
    origins: [],
    show: { claims: true, commissions: false },
  });
  await world.write({ sql: "update partners set external_id = 'user-7' where id = ?", args: [alice.id] });
  const frame = await embedded(sharedApi(), world);
  const inFrame = (body: JsonObject) =>
    sharedApi().request<{ data: OwnClaim }>("POST", "/api/embed/claims", { body, key: frame.token });
  // Identical calls open one claim and count once, even if they are sent concurrently.
  const same = await Promise.all(Array.from({ length: 8 }, () => shop.open({ note: "the same" })));
  expect(same.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
  const replies = await Promise.all(
    Array.from({ length: 9 }, (_, i) =>
      i % 2 === 0 ? shop.open({ note: `portal ${i}` }) : inFrame({ day: dateUtc(soldOn), note: `frame ${i}` }),
    ),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill(201), ...Array(5).fill(429)]);
  const limited = replies.find(({ status }) => status === 429);
  expect(Number(limited?.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(limited?.headers.get("RateLimit-Policy")).toBe('"claim";q=5;w=86400');
  const ofFrame = replies.filter(({ status, body }, i) => i % 2 === 1 && status === 201 && body.data.own === null);
  expect(ofFrame).toHaveLength(replies.filter(({ status }, i) => i % 2 === 1 && status === 201).length);
  expect((await frame.get<{ data: OwnClaim[] }>("claims")).body.data).toEqual(await shop.list());
  expect(await shop.list()).toHaveLength(5);

  // A repeat of an open claim is answered at the limit too. A decided claim still counts.
  const [first] = await shop.claims();
  expect((await shop.open({ note: first?.note as string })).status).toBe(200);
  await shop.resolve(first?.id ?? 0, { outcome: "declined" });
  expect((await shop.open({ note: "another" })).status).toBe(429);
  await people.owner.put(`/api/programs/${world.programId}/embed`, { origins: [], show: {} });
  expect([(await frame.get("claims")).status, (await inFrame({ day: dateUtc(soldOn) })).status]).toEqual([404, 404]);
  const newcomer = await embedded(sharedApi(), world, { external_id: "user-8" });
  expect(path).toContain(String(alice.id));
  await people.owner.put(`/api/programs/${world.programId}/embed`, { origins: [], show: { claims: true } });
  expect((await newcomer.get("claims")).body).toEqual({ data: [], meta: { nextCursor: null } });
  const early = await sharedApi().request("POST", "/api/embed/claims", {
    body: { day: dateUtc(soldOn) },
    key: newcomer.token,
  });
  expect(refusedWith(early)).toEqual([409, { code: "inactive" }]);
});

test("a partner can have 20 open claims about missing sales, and a program 1,000", async () => {
  const shop = await openShop();
  const { world, alice, bob, open, claims, resolve } = shop;
  // The next id to insert. It is above the ids that the Ledger assigns.
  let base = 2 ** 47 + (world.programId % 100_000) * 10_000;
  const fill = async (partnerId: number, count: number) => {
    await world.write({
      sql: `insert into claims (id, program_id, partner_id, day, status, pays_past, has_texts, created_at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
        select ${base} + n, ?, ?, '2026-01-01', 'open', 0, 0, 1 from numbers`,
      args: [world.programId, partnerId],
    });
    base += count;
  };
  world.forged.add("claims that differ from the audit trail");
  await fill(alice.id, 19);
  expect((await open({ note: "the 20th" })).status).toBe(201);
  const full = await open({ note: "the 21st" });
  expect(refusedWith(full)).toEqual([409, { code: "claims_full", limit: 20 }]);
  const [claim] = await claims("status=open");
  await resolve(claim?.id ?? 0, { outcome: "declined" });
  await fill(bob.id, 981);
  const others = await open({ note: "the 21st" });
  expect(refusedWith(others)).toEqual([409, { code: "claims_full", limit: 1_000 }]);
  // Refused claims don't count towards the five of a day.
  expect((await claims(`partnerId=${alice.id}`)).filter(({ status }) => status === "declined")).toHaveLength(1);
  const more = await people.viewer.get<{ data: Claim[]; meta: { nextCursor: string } }>(
    `/api/programs/${world.programId}/claims?status=open`,
  );
  const rest = await claims(`status=open&cursor=${more.body.meta.nextCursor}`);
  expect(new Set([...more.body.data, ...rest].map(({ id }) => id)).size).toBe(100);
});

test("a claim of an erased partner about a missing sale can be declined only without a note to the partner", async () => {
  const { open, claims, resolve, world, alice } = await openShop();
  await open({ note: "By phone" });
  const erased = await people.owner.post(`/api/programs/${world.programId}/partners/${alice.id}/erase`, {
    confirm: true,
  });
  expect(erased.status, erased.text).toBe(200);
  expect(await world.rows("select digest from claims where partner_id = ?", alice.id)).toEqual([{ digest: null }]);
  const [claim] = await claims();
  const noted = await resolve(claim?.id ?? 0, { outcome: "declined", partnerNote: "Not hers" });
  expect(refusedWith(noted)).toEqual([409, { code: "partner_erased" }]);
  const declined = await resolve(claim?.id ?? 0, { outcome: "declined" });
  expect(declined.body.data.claim).toMatchObject({ status: "declined", partnerNote: null });
});
