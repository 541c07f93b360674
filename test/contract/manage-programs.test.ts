import { describe, expect, test } from "vitest";
import { hashProgramKey } from "#domain/program-key.ts";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { daysAgo, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const api = sharedApi();

interface ApiKey {
  readonly masked: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly retiresAt: string | null;
}
interface Program extends JsonObject {
  readonly id: number;
  readonly apiToken: string;
}
interface Rotated {
  readonly apiToken: string;
  readonly apiTokenMasked: string;
  readonly previousRetiresAt: string;
}

const path = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}`;
const make = (user: User, body: Json) => user.post<{ data: Program }>("/api/programs", body);
const patch = (world: World, body: Json, user: User = people.admin) => user.patch<{ data: Program }>(path(world), body);
const keysOf = async (world: World) =>
  (await people.owner.get<{ data: { apiKeys: ApiKey[] } }>(path(world))).body.data.apiKeys;
const rotate = async (world: World, graceHours?: number) => {
  const reply = await people.owner.post<{ data: Rotated }>(`${path(world)}/api-token/rotate`, { graceHours });
  expect(reply.status, reply.text).toBe(200);
  return reply.body.data;
};
const sell = (key: string, transaction_id: string) =>
  api.sale({ transaction_id, amount_cents: 1_000, customer_key: "c1" }, { key });

describe("a program", () => {
  test("a program is created with the documented default settings, and shows its key once", async () => {
    const { workspaceId, rows } = await people.world();
    const made = await make(people.owner, { workspaceId, name: "Bakery" });
    expect(made.status).toBe(201);
    const { apiToken, ...settings } = made.body.data;
    expect(settings).toEqual({
      id: expect.any(Number),
      workspaceId,
      name: "Bakery",
      websiteUrl: null,
      currency: "USD",
      timezone: "UTC",
      leadAuth: "browser_allowed",
      attributionModel: "last_click",
      attributionWindowDays: 60,
      windowUntil: "lead",
      cookieWindowDays: null,
      payoutMode: "manual",
      minimumPayoutCents: null,
      payoutTerms: null,
      payoutApproval: "one_person",
      ...{ requireDetails: false, partnersSeeRevenue: false, payer: null, issuer: null },
      status: "active",
      archivedAt: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(apiToken).toMatch(new RegExp(`^svc_${settings.id.toString(36)}_[\\w-]{43}$`));
    expect(JSON.stringify(await rows("select * from program_keys where program_id = ?", settings.id))).not.toContain(
      apiToken,
    );

    const shown = await people.owner.get<{ data: Program }>(`/api/programs/${settings.id}`);
    expect(shown.body.data).toEqual({
      ...settings,
      apiKeys: [
        {
          id: expect.any(Number),
          ...{ name: "First key", scopes: ["track", "read", "manage"], book: "both" },
          originId: expect.any(Number),
          masked: `svc_${settings.id.toString(36)}_••••${apiToken.slice(-4)}`,
          createdAt: settings.createdAt,
          lastUsedAt: null,
          retiresAt: null,
        },
      ],
    });
    expect(shown.text).not.toContain(apiToken);
    const list = await people.owner.get<{ data: Program[] }>(`/api/programs?workspaceId=${workspaceId}`);
    expect(list.body.data.find(({ id }) => id === settings.id)).toEqual(settings);
    expect(list.body.data).toHaveLength(2);
  });

  test("a new program can be used immediately", async () => {
    const { workspaceId } = await people.world();
    const { apiToken, id } = (await make(people.owner, { workspaceId, name: "Bakery", currency: "jpy" })).body.data;
    const sold = await api.sale({ transaction_id: "t", amount_cents: 500, customer_key: "c1" }, { key: apiToken });
    expect([sold.status, sold.body.commission.currency]).toEqual([200, "JPY"]);
    const readiness = await api.readiness({ key: apiToken });
    expect(readiness.body).toMatchObject({ program_id: id, state: "draft", blocker: "profile" });
  });

  test("a program doesn't show its key if an admin creates it", async () => {
    const { workspaceId } = await people.world();
    const { status, body } = await make(people.admin, { workspaceId, name: "Bakery" });
    expect([status, body.data.apiToken]).toEqual([201, undefined]);
  });

  test.each<[Json, string[]]>([
    [{}, ["name"]],
    [{ name: " " }, ["name"]],
    [{ name: "x", websiteUrl: "ftp://shop.example" }, ["websiteUrl"]],
    [{ name: "x", websiteUrl: "https://user:password@shop.example" }, ["websiteUrl"]],
    [{ name: "x", currency: "EURO" }, ["currency"]],
    [{ name: "x", currency: "XXX" }, ["currency"]],
    [{ name: "x", timezone: "+02:00" }, ["timezone"]],
    [{ name: "x", timezone: "Mars/Olympus" }, ["timezone"]],
    [{ name: 1, websiteUrl: 2, currency: 3, timezone: 4 }, ["name", "websiteUrl", "currency", "timezone"]],
  ])("a program can't be created from %j", async (body, fields) => {
    const { workspaceId } = await people.world();
    const reply = await make(people.admin, { workspaceId, ...(body as JsonObject) });
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });

  test("a program requires an existing workspace", async () => {
    const reply = await make(people.owner, { name: 1 });
    expect([reply.status, invalidFields(reply)]).toEqual([400, ["workspaceId", "name"]]);
    expect(refusalOf(await make(people.owner, { workspaceId: "nowhere", name: "x" }))).toBe("404 Workspace not found");
    const list = await people.owner.get("/api/programs");
    expect([list.status, invalidFields(list)]).toEqual([400, ["workspaceId"]]);
  });
});

describe("a program's settings", () => {
  test.each<[JsonObject, JsonObject?]>([
    [{ name: "Renamed" }],
    [{ websiteUrl: "https://new.example/shop" }],
    [{ websiteUrl: "" }, { websiteUrl: null }],
    [{ websiteUrl: null }],
    [{ currency: "kwd" }, { currency: "KWD" }],
    [{ timezone: "Europe/Amsterdam" }],
    [{ leadAuth: "server_required" }],
    [{ attributionModel: "first_click" }],
    [{ attributionWindowDays: 1 }],
    [{ attributionWindowDays: 365, cookieWindowDays: 365 }],
    [{ windowUntil: "first_sale" }],
    [{ windowUntil: "lead" }],
    [{ cookieWindowDays: null }],
    [{ payoutMode: "manual" }],
    [{ status: "paused" }],
    [{ name: null, status: null, payoutMode: null, windowUntil: null }, {}],
    [{}],
  ])("a program's settings accept %j", async (body, expected = body) => {
    const world = await people.world({ program: { cookieWindowDays: 7 } });
    const before = (await people.admin.get<{ data: Program }>(path(world))).body.data;
    const { status, body: answer } = await patch(world, body);
    expect([status, answer.data]).toEqual([200, { ...before, ...expected }]);
    expect((await people.admin.get(path(world))).body).toEqual(answer);
  });

  test.each<[Json, string[]]>([
    [{ name: "" }, ["name"]],
    [{ currency: "ABC" }, ["currency"]],
    [{ timezone: "UTC+1" }, ["timezone"]],
    [{ attributionWindowDays: 0 }, ["attributionWindowDays"]],
    [{ attributionWindowDays: 366, cookieWindowDays: 1.5 }, ["attributionWindowDays", "cookieWindowDays"]],
    [{ cookieWindowDays: 0 }, ["cookieWindowDays"]],
    [{ cookieWindowDays: 366 }, ["cookieWindowDays"]],
    [{ leadAuth: "none", attributionModel: "linear" }, ["leadAuth", "attributionModel"]],
    [{ payoutMode: "automatic", status: "deleted" }, ["payoutMode", "status"]],
    [{ windowUntil: "sale" }, ["windowUntil"]],
    [{ windowUntil: "LEAD" }, ["windowUntil"]],
    [{ windowUntil: "" }, ["windowUntil"]],
    [{ windowUntil: true }, ["windowUntil"]],
    [{ websiteUrl: "javascript:alert(1)" }, ["websiteUrl"]],
  ])("a program's settings refuse %j", async (body, fields) => {
    const world = await people.world();
    const before = (await people.admin.get(path(world))).text;
    const reply = await patch(world, body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
    expect((await people.admin.get(path(world))).text).toBe(before);
  });

  test("a program's setting windowUntil is lead by default, and changing it creates an audit entry", async () => {
    const world = await people.world();
    const windowUntil = async () => (await people.viewer.get<{ data: Program }>(path(world))).body.data.windowUntil;
    expect(await windowUntil()).toBe("lead");
    expect(refusalOf(await patch(world, { windowUntil: "sale" }))).toBe("400 windowUntil must be lead or first_sale");
    expect((await patch(world, { windowUntil: "first_sale" }, people.viewer)).status).toBe(403);
    await patch(world, { windowUntil: "lead" });
    await patch(world, { windowUntil: "first_sale", name: "Bakery" });
    await patch(world, { attributionWindowDays: 30 });
    expect(await windowUntil()).toBe("first_sale");

    const audit = await people.admin.get<{ data: JsonObject[] }>(`${path(world)}/audit`);
    expect(audit.body.data).toMatchObject([
      { action: "program.updated", after: { attributionWindowDays: 30 } },
      {
        action: "program.updated",
        before: { windowUntil: "lead", name: "Test program" },
        after: { windowUntil: "first_sale", name: "Bakery" },
      },
    ]);
  });

  test("a call that changes a program's settings can't change the workspace, the id or the creation time", async () => {
    const world = await people.world();
    const before = (await people.admin.get(path(world))).body;
    await patch(world, { id: 1, workspaceId: "x", createdAt: 1, apiKeys: [] });
    expect((await people.admin.get(path(world))).body).toEqual(before);
  });

  test("changed settings of a program apply from the next call", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const { alice, click, browserLead, sale } = programFixture(world, api);
    const landing = { affiliate_url: alice.landingUrl, program_id: world.programId };
    expect((await api.click(landing)).body.cookie_window_days).toBe(60);
    await patch(world, { attributionWindowDays: 10 });
    expect((await api.click(landing)).body.cookie_window_days).toBe(10);
    await patch(world, { cookieWindowDays: 3 });
    expect((await api.click(landing)).body.cookie_window_days).toBe(3);

    await patch(world, { leadAuth: "server_required" });
    expect((await browserLead({ click_id: click(alice), customer_key: "c1" })).provisional).toBe(true);
    await patch(world, { leadAuth: "browser_allowed" });
    expect((await browserLead({ click_id: click(alice), customer_key: "c1" })).attributed).toBe(true);

    await patch(world, { status: "paused" });
    expect((await api.click(landing)).body).toMatchObject({ success: false, message: "Referral link is inactive" });
    expect((await sale({ customer_key: "c1" })).commission).toMatchObject({
      status: "void",
      reason: "program_inactive",
    });
    await patch(world, { status: "active", currency: "CHF" });
    expect((await api.click(landing)).body.success).toBe(true);
    expect((await sale({ customer_key: "c1" })).commission).toMatchObject({ status: "pending", currency: "CHF" });
    await patch(world, { attributionModel: "first_click", attributionWindowDays: 60 });
    const clicks = { click_ids: [click(alice, daysAgo(5)), click(programFixture(world, api).bob)] };
    expect((await api.lead({ customer_key: "c2", ...clicks }, { key: world.key })).body.partner_code).toBe(alice.code);
  });
});

describe("a program's keys", () => {
  test("a program's keys are shown only to owners, and masked", async () => {
    const world = await people.world();
    for (const user of [people.viewer, people.admin]) {
      expect((await user.get(path(world))).text).not.toContain("svc_");
      expect((await patch(world, { name: "x" })).text).not.toContain("svc_");
    }
    expect((await patch(world, { name: "y" }, people.owner)).text).toContain("••••");
  });

  test("after a rotation of a program's key, the old key works for a day, and another rotation ends the older of the two keys immediately", async () => {
    const world = await people.world();
    const began = Date.now();
    const second = await rotate(world);
    expect(Date.parse(second.previousRetiresAt) - began).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(Date.parse(second.previousRetiresAt) - began).toBeLessThan(24 * 3_600_000 + 30_000);
    expect(second.apiTokenMasked).toBe(`svc_${world.programId.toString(36)}_••••${second.apiToken.slice(-4)}`);

    const old = await sell(world.key, "t1");
    expect([old.status, old.body.warnings[0]?.rotate_by]).toEqual([200, second.previousRetiresAt]);
    expect((await sell(second.apiToken, "t2")).body.warnings).toBeUndefined();

    const third = await rotate(world, 1);
    expect((await sell(world.key, "t3")).body.error.code).toBe("api_key_rotation_required");
    expect((await sell(second.apiToken, "t4")).body.warnings[0]?.rotate_by).toBe(third.previousRetiresAt);
    expect((await sell(third.apiToken, "t5")).status).toBe(200);
    expect((await keysOf(world)).map(({ masked, retiresAt }) => [masked.slice(-4), retiresAt])).toEqual([
      [third.apiToken.slice(-4), null],
      [second.apiToken.slice(-4), third.previousRetiresAt],
      [world.key.slice(-4), expect.any(String)],
    ]);
  });

  test("a program's keys stop working immediately if they are rotated without a grace period", async () => {
    const world = await people.world();
    expect((await sell(world.key, "t1")).status).toBe(200);
    const { apiToken } = await rotate(world, 0);
    const refused = await sell(world.key, "t2");
    expect([refused.status, refused.body.error.code]).toEqual([401, "api_key_rotation_required"]);
    expect((await sell(apiToken, "t2")).status).toBe(200);
    const stored = await world.rows("select hash from program_keys where program_id = ?", world.programId);
    expect(stored.map(({ hash }) => hash)).toContain(hashProgramKey(apiToken));
  });

  test("a program has at most two keys after parallel rotations", async () => {
    const world = await people.world();
    const made = await Promise.all(Array.from({ length: 6 }, () => rotate(world)));
    const statuses = await Promise.all(made.map(({ apiToken }, i) => sell(apiToken, `t${i}`)));
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(2);
    const live = (await keysOf(world)).filter(
      ({ retiresAt }) => retiresAt === null || Date.parse(retiresAt) > Date.now(),
    );
    expect(live.map(({ retiresAt }) => retiresAt === null)).toEqual([true, false]);
  });

  test.each([-1, 721, 1.5, "1"])("rotating a program's key refuses a grace period of %j hours", async (graceHours) => {
    const world = await people.world();
    const reply = await people.owner.post(`${path(world)}/api-token/rotate`, { graceHours });
    expect([reply.status, invalidFields(reply)]).toEqual([400, ["graceHours"]]);
    expect(await keysOf(world)).toHaveLength(1);
  });

  test("rotating a program's key accepts a grace period of 30 days", async () => {
    const world = await people.world();
    const { previousRetiresAt } = await rotate(world, 720);
    expect(Date.parse(previousRetiresAt)).toBeGreaterThan(Date.now() + 29.9 * 24 * 3_600_000);
  });

  /** Records a sale in another program: the last use of a key is written with the next commit of any program. */
  const commit = ({ partner, programId }: World) =>
    api.click({ affiliate_url: partner.landingUrl, program_id: programId });
  const thisHour = () => new Date(Date.now() - (Date.now() % 3_600_000)).toISOString();

  test("a program's keys show the hour of their last use, also while they are retiring, and a refused call with a retired key doesn't count as a use", async () => {
    const world = await people.world({
      keys: [
        { createdAt: daysAgo(3), retiresAt: daysAgo(1) },
        { createdAt: daysAgo(2), retiresAt: daysAgo(-1) },
        { createdAt: daysAgo(1) },
      ],
    });
    const [retired = "", retiring = "", newest = ""] = world.keys;
    const lastUses = async () => (await keysOf(world)).map(({ lastUsedAt }) => lastUsedAt);
    const hours = [thisHour()];
    expect((await sell(retired, "t1")).status).toBe(401);
    expect((await sell(retiring, "t2")).status).toBe(200);
    hours.push(thisHour());
    expect(await lastUses()).toEqual([null, expect.toBeOneOf(hours), null]);

    expect((await sell(newest, "t2")).status).toBe(409);
    hours.push(thisHour());
    await commit(world);
    expect(await lastUses()).toEqual([expect.toBeOneOf(hours), expect.toBeOneOf(hours), null]);
  });

  test.each<[string, (key: string) => Promise<unknown>]>([
    ["readiness", (key) => api.readiness({ key })],
    ["verification", (key) => api.verification({ key })],
  ])("a call for %s counts as a use of the program's key", async (_, call) => {
    const world = await people.world();
    const hours = [thisHour()];
    await call(world.key);
    hours.push(thisHour());
    await commit(world);
    expect((await keysOf(world))[0]?.lastUsedAt).toBeOneOf(hours);
  });
});
