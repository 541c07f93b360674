import { describe, expect, test } from "vitest";
import { idsPerRange } from "#domain/shard.ts";
import type { Json, JsonObject, Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import {
  at,
  day,
  daysAgo,
  inTestMode,
  type ProgramFixture,
  programFixture,
  stateOf,
} from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { uniqueWord } from "../support/unique-word.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const api = sharedApi();

interface Program extends JsonObject {
  readonly id: number;
  readonly status: string;
  readonly archivedAt: string | null;
}
interface AuditEntry {
  readonly action: string;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

const path = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}`;
const patch = (world: World, body: Json, user: User = people.owner) => user.patch<{ data: Program }>(path(world), body);
const audit = async (world: World) =>
  (await people.admin.get<{ data: AuditEntry[] }>(`${path(world)}/audit`)).body.data.map(
    ({ action, before, after }) => ({ action, before, after }),
  );
const actionsOf = async (world: World) => (await audit(world)).map(({ action }) => action);

/** Archives the program. Returns the instant. */
async function archive(world: World): Promise<string> {
  const { status, text, body } = await patch(world, { status: "archived" });
  expect([status, body.data?.status], text).toEqual([200, "archived"]);
  return body.data.archivedAt ?? "";
}
const restore = async (world: World, status = "active") =>
  expect((await patch(world, { status })).body.data).toMatchObject({ status, archivedAt: null });

/** Creates a world with members on the shared service. The ledger is checked when the test ends. */
async function openShop(settings: WorldSettings = {}): Promise<ProgramFixture> {
  const world = await people.world({ partners: [{}, {}], ...settings });
  expectConsistentInTheEnd(world);
  return programFixture(world, api);
}

describe("archiving and restoring", () => {
  test("only an owner can archive or restore a program, even in a call that also changes other settings", async () => {
    const { world } = await openShop();
    const refused = "403 Your role in this workspace does not allow this";
    for (const body of [{ status: "archived" }, { status: "archived", name: "x" }]) {
      const reply = await patch(world, body, people.admin);
      expect([refusalOf(reply), reply.body.error.details]).toEqual([refused, { needed: "owner" }]);
    }
    await archive(world);
    for (const status of ["active", "paused", "archived"]) {
      expect(refusalOf(await patch(world, { status }, people.admin))).toBe(refused);
    }
    expect(refusalOf(await patch(world, { status: "active" }, people.viewer))).toBe(refused);
    expect((await people.admin.get<{ data: Program }>(path(world))).body.data.status).toBe("archived");
    expect(await actionsOf(world)).toEqual(["program.archived"]);
  });

  test.each(["active", "paused"] as const)(
    "a program that was %s when it was archived can be restored to active or paused",
    async (before) => {
      const { world } = await openShop({ program: { status: before } });
      await archive(world);
      expect(await world.rows("select status from programs where id = ?", world.programId)).toEqual([
        { status: before },
      ]);
      await restore(world, "paused");
      await archive(world);
      await restore(world, "active");
      expect(await audit(world)).toEqual([
        { action: "program.restored", before: { status: "archived" }, after: { status: "active" } },
        { action: "program.archived", before: { status: "paused" }, after: { status: "archived" } },
        { action: "program.restored", before: { status: "archived" }, after: { status: "paused" } },
        { action: "program.archived", before: { status: before }, after: { status: "archived" } },
      ]);
    },
  );

  test("archiving an archived program or restoring a restored one changes nothing, even in parallel calls", async () => {
    const { world } = await openShop();
    const replies = await Promise.all(Array.from({ length: 5 }, () => patch(world, { status: "archived" })));
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(replies.map(({ body }) => body.data.archivedAt)).size).toBe(1);
    await restore(world);
    await restore(world);
    expect(await actionsOf(world)).toEqual(["program.restored", "program.archived"]);
  });

  test("a call that archives or restores a program can change other settings too, but any other change of an archived program's settings is refused", async () => {
    const { world } = await openShop();
    const both = await patch(world, { status: "archived", name: "Old shop" });
    expect(both.body.data).toMatchObject({ status: "archived", name: "Old shop" });
    for (const body of [{ name: "New shop" }, { name: "New shop", status: "archived" }, { websiteUrl: null }]) {
      expect(refusalOf(await patch(world, body))).toBe("409 This program is archived. Restore it first.");
    }
    expect((await patch(world, { name: "Old shop" }, people.admin)).status).toBe(200);
    const back = await patch(world, { name: "New shop", status: "active" });
    expect(back.body.data).toMatchObject({ status: "active", name: "New shop" });
    expect(await audit(world)).toEqual([
      {
        action: "program.restored",
        before: { name: "Old shop", status: "archived" },
        after: { name: "New shop", status: "active" },
      },
      {
        action: "program.archived",
        before: { name: "Test program", status: "active" },
        after: { name: "Old shop", status: "archived" },
      },
    ]);
  });
});

describe("an archived program", () => {
  test("an archived program is listed only if archived programs are requested", async () => {
    const { world } = await openShop();
    const list = async (query = "") => {
      const reply = await people.viewer.get<{ data: Program[] }>(
        `/api/programs?workspaceId=${world.workspaceId}${query}`,
      );
      return reply.status === 200 ? reply.body.data.map(({ id, status }) => [id, status]) : invalidFields(reply);
    };
    const body = { workspaceId: world.workspaceId, name: "Other" };
    const other = [(await people.owner.post<{ data: Program }>("/api/programs", body)).body.data.id, "active"];
    const archivedAt = await archive(world);
    expect(await list()).toEqual([other]);
    expect(await list("&archived=false")).toEqual([other]);
    const inOrder = ([id]: readonly unknown[]) => Number(id) % idsPerRange;
    expect(await list("&archived=true")).toEqual(
      [[world.programId, "archived"], other].sort((a, b) => inOrder(a) - inOrder(b)),
    );
    expect(await list("&archived=1")).toEqual(["archived"]);
    const shown = await people.viewer.get<{ data: Program }>(path(world));
    expect(shown.body.data).toMatchObject({ id: world.programId, status: "archived", archivedAt });
    expect(Date.parse(archivedAt)).toBeGreaterThan(Date.now() - 60_000);
    await restore(world);
    expect(await list()).toHaveLength(2);
  });

  test("an archived program can be read in full", async () => {
    const { world, lead, sale, click, alice } = await openShop();
    await lead({ customer_key: "c1", click_id: click(alice) });
    const { sale_id } = await sale({ customer_key: "c1" });
    await archive(world);
    const { programId } = world;
    const read = async (address: string, user = people.viewer) => {
      const reply = await user.get<{ data: JsonObject[] }>(address);
      expect(reply.status, address + reply.text).toBe(200);
      return reply;
    };
    const events = await read(`/api/tracking/events/${programId}`);
    expect(events.body.data.map(({ event_type }) => event_type)).toEqual(["sale", "lead"]);
    expect((await read(`${path(world)}/commissions`)).body.data).toMatchObject([{ saleId: sale_id }]);
    expect((await read(`${path(world)}/commissions?format=csv`)).text).toContain(alice.code);
    expect((await read(`${path(world)}/partners`)).body.data).toHaveLength(2);
    expect((await read(`${path(world)}/commission-policy`)).body.data).toHaveLength(1);
    for (const page of ["status", "performance", "readiness"]) await read(`/api/tracking/${page}/${programId}`);
    await read(`${path(world)}/audit`, people.admin);
    expect((await read(path(world), people.owner)).body.data).toMatchObject({ apiKeys: [{ retiresAt: null }] });
  });

  const keyedCalls: [what: string, send: (shop: ProgramFixture, key: string) => Promise<Reply<unknown>>][] = [
    ["a sale", ({ api }, key) => api.sale({ transaction_id: "new", amount_cents: 1, customer_key: "c1" }, { key })],
    ["a repeated sale", ({ api }, key) => api.sale({ transaction_id: "order-1", amount_cents: 1 }, { key })],
    ["a lead", ({ api }, key) => api.lead({ customer_key: "c9" }, { key })],
    ["a refund", ({ api }, key) => api.refund({ transaction_id: "order-1" }, { key })],
    [
      "a past click",
      ({ api, alice }, key) => api.click({ affiliate_url: alice.landingUrl, occurred_at: at(daysAgo(1)) }, { key }),
    ],
    ["a test sale", ({ api }, key) => api.sale({ transaction_id: "t", ...inTestMode }, { key })],
    ["a test refund", ({ api }, key) => api.refund({ transaction_id: "order-1", ...inTestMode }, { key })],
    ["a test lead", ({ api }, key) => api.lead(inTestMode, { key })],
    ["a faulty lead", ({ api }, key) => api.lead({}, { key })],
    ["a malformed sale", ({ api }, key) => api.sale("{", { key })],
    ["readiness", ({ api }, key) => api.readiness({ key })],
    ["verification", ({ api }, key) => api.verification({ key })],
  ];

  test("an archived program refuses its keys as retired, records nothing, and accepts the keys again once it is restored", async () => {
    const shop = await openShop();
    const { world } = shop;
    await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice) });
    await shop.sale({ customer_key: "c1" });
    const before = await stateOf(shop);
    const archivedAt = await archive(world);
    for (const [what, send] of keyedCalls) {
      const reply = await send(shop, world.key);
      expect([reply.status, reply.body], what).toEqual([
        401,
        {
          error: {
            code: "api_key_rotation_required",
            message: `This API key was retired on ${archivedAt.slice(0, 10)}.`,
            status: 401,
            hint: "The program is archived. Its keys work again as soon as an owner restores it.",
            docs_url: expect.stringMatching(/\/docs#key-rotation$/),
          },
        },
      ]);
      expect(reply.headers.get("sunset"), what).toBe(new Date(archivedAt).toUTCString());
    }
    expect(await stateOf(shop)).toEqual(before);

    await restore(world);
    expect((await shop.sale({ customer_key: "c1" })).attributed).toBe(true);
    expect((await shop.refund({ transaction_id: "order-1" })).status).toBe("reversed");
    expect((await api.readiness({ key: world.key })).body).not.toHaveProperty("warnings");
  });

  test("an archived program's keys count as retired on the day of archiving or earlier, and their own retirement dates apply again once it is restored", async () => {
    const [retired, retiring] = [daysAgo(400), Date.now() + 2 * day];
    const { world } = await openShop({ keys: [{ retiresAt: retired }, { retiresAt: retiring }, {}] });
    const archivedAt = await archive(world);
    const days = await Promise.all(
      world.keys.map(async (key) => (await api.readiness({ key })).body.error.message.slice(-11, -1)),
    );
    expect(days).toEqual([at(retired).slice(0, 10), archivedAt.slice(0, 10), archivedAt.slice(0, 10)]);
    await restore(world);
    const [first, second, third] = await Promise.all(world.keys.map((key) => api.readiness({ key })));
    expect([first?.status, second?.status, third?.status]).toEqual([401, 200, 200]);
    expect(second?.body.warnings).toMatchObject([{ rotate_by: at(retiring) }]);
  });

  test("an archived program accepts no codes and no click ids until it is restored", async () => {
    const shop = await openShop();
    const { world, alice, click } = shop;
    const { programId } = world;
    await shop.visit();
    const before = await stateOf(shop);
    const [live, tested] = [click(alice), click(alice, daysAgo(1), true)];
    const landing = { affiliate_url: alice.landingUrl };
    await archive(world);

    const noLink = "400 Referral link not found";
    const noProgram = "400 Program not found";
    const noCustomer = "400 Customer not found. Provide a valid click_id or customer_key.";
    const byBrowser = { browser: true };
    expect(refusalOf(await api.click({ ...landing, program_id: programId }, byBrowser))).toBe(noLink);
    expect(refusalOf(await api.click(landing, byBrowser))).toBe(noLink);
    expect(refusalOf(await api.click({ ...landing, program_id: programId, ...inTestMode }))).toBe(noLink);
    expect(refusalOf(await api.click({ program_id: programId, ...inTestMode }))).toBe(noProgram);
    expect(refusalOf(await api.lead({ click_id: live, customer_key: "c1" }, byBrowser))).toBe(noCustomer);
    expect(refusalOf(await api.lead({ click_id: live, program_id: programId }, byBrowser))).toBe(noCustomer);
    expect(refusalOf(await api.lead({ click_id: tested, ...inTestMode }, byBrowser))).toBe(noProgram);
    expect(refusalOf(await api.lead({ program_id: programId, ...inTestMode }, byBrowser))).toBe(noProgram);
    expect(await stateOf(shop)).toEqual(before);
    expect(await shop.all("clicks")).toHaveLength(1);

    await restore(world);
    expect((await api.click(landing, byBrowser)).body).toMatchObject({ success: true, partner_code: alice.code });
    expect((await shop.browserLead({ click_id: live, customer_key: "c1" })).attributed).toBe(true);
  });

  test("if a code exists in an archived program and in another, a click without program_id counts for the other program", async () => {
    const code = uniqueWord("Code-");
    const archived = await openShop({ partners: [{ code }, {}] });
    const other = await createWorld(sharedService.databaseUrl, { partners: [{ code }] });
    const land = () => api.click({ affiliate_url: `https://elsewhere.example/?aff=${code}` });
    const programsClicked = async () =>
      Promise.all(
        [archived.world, other].map(async ({ rows, programId }) => {
          return (await rows("select id from clicks where program_id = ?", programId)).length;
        }),
      );
    expect(refusalOf(await land())).toBe("400 program_id is required");
    await archive(archived.world);
    expect((await land()).body).toMatchObject({ success: true, partner_code: code });
    expect(await programsClicked()).toEqual([0, 1]);
    // A click id of the archived program is invalid in the other program.
    const stale = { click_id: archived.click(archived.alice), customer_key: "c1" };
    const reply = await api.lead(stale, { key: other.key });
    expect(reply.body).toMatchObject({ attributed: false, reason: "invalid_click_id" });
    await restore(archived.world);
    expect(refusalOf(await land())).toBe("400 program_id is required");
  });

  test("an archived program refuses new keys, partners, policies, test events and verification runs, and writes nothing", async () => {
    const { world } = await openShop();
    const { programId } = world;
    await archive(world);
    const everything = async () =>
      Promise.all(
        ["program_keys", "partners", "commission_policies", "verification_runs", "clicks", "leads", "sales"].map(
          (table) => world.rows(`select * from ${table} where program_id = ?`, programId),
        ),
      );
    const before = await everything();
    const { owner } = people;
    const replies = [
      await owner.post(`${path(world)}/api-token/rotate`, {}),
      await owner.post(`${path(world)}/partners`, { name: "Anna", code: "anna" }),
      await owner.put(`${path(world)}/commission-policy`, { type: "percent", rateBps: 1, scope: "lifetime" }),
      await owner.post(`/api/tracking/run-verification/${programId}`, {}),
      await owner.post("/api/tracking/test", { program_id: programId }),
      await owner.post("/api/tracking/test", { program_id: programId, event_type: "lead" }),
      await owner.post("/api/tracking/test", { program_id: programId, event_type: "sale" }),
    ];
    expect(new Set(replies.map(refusalOf))).toEqual(new Set(["409 This program is archived. Restore it first."]));
    expect(await everything()).toEqual(before);
    expect(await actionsOf(world)).toEqual(["program.archived"]);
    await restore(world);
    expect((await owner.post("/api/tracking/test", { program_id: programId })).status).toBe(200);
  });

  test("an archived program still accepts approvals and rejections of commissions and changes to partners, so that its partners can be paid", async () => {
    const shop = salesFixture(await openShop());
    const { world } = shop;
    await shop.refer("c1");
    const [kept, taken] = [(await shop.sell()).body.commission_id, (await shop.sell()).body.commission_id];
    await archive(world);
    const decide = (id: number, how: string, body: Json = {}) =>
      people.admin.post<{ data: JsonObject }>(`${path(world)}/commissions/${id}/${how}`, body);
    expect((await decide(kept, "approve")).body.data).toMatchObject({ status: "approved" });
    expect((await decide(taken, "reject", { reason: "self-referral" })).body.data).toMatchObject({
      status: "rejected",
    });
    const renamed = await people.admin.patch(`${path(world)}/partners/${shop.alice.id}`, { name: "Alice" });
    expect(renamed.status).toBe(200);
    expect(await actionsOf(world)).toEqual([
      "partner.updated",
      "commission.rejected",
      "commission.approved",
      "program.archived",
    ]);
  });
});
