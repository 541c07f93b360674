import { describe, expect, test } from "vitest";
import type { World } from "../../harness/world.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}
interface Page {
  readonly data: Entry[];
  readonly meta: { readonly nextCursor: string | null };
}

const path = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}`;
const audit = async (world: Pick<World, "programId">, query = "") =>
  (await people.admin.get<Page>(`${path(world)}/audit${query}`)).body;

describe("the audit trail", () => {
  test("the audit trail lists the author of each change, with the values before and after, newest first", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const { owner, admin } = people;
    const shop = salesFixture(programFixture(world, sharedApi()));
    await shop.refer("c1");
    const { commission_id } = (await shop.sell({ transaction_id: "order-1" })).body;

    await admin.patch(path(world), { name: "Renamed", attributionWindowDays: 30, status: "active" });
    await owner.post(`${path(world)}/api-token/rotate`, { graceHours: 0 });
    const made = await admin.post<{ data: { id: number } }>(`${path(world)}/partners`, { name: "Anna", code: "anna" });
    await admin.patch(`${path(world)}/partners/${made.body.data.id}`, { status: "paused" });
    await owner.put(`${path(world)}/commission-policy`, { type: "percent", rateBps: 500, scope: "lifetime" });
    await owner.put(`${path(world)}/commission-policy`, { type: "none", partnerId: made.body.data.id });
    await admin.post(`${path(world)}/commissions/${commission_id}/approve`, {});
    await owner.post(`${path(world)}/commissions/${commission_id}/reject`, { reason: "self-referral" });

    const { data, meta } = await audit(world);
    expect(meta).toEqual({ nextCursor: null });
    const of = (user: { userId: string; name: string }) => ({ actor: user.userId, actorName: user.name });
    const entry = {
      id: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      partnerName: null,
      currency: null,
      via: null,
    };
    expect(data).toEqual([
      {
        ...{
          ...entry,
          ...of(owner),
          action: "commission.rejected",
          subject: `commission ${commission_id}`,
          currency: "EUR",
          subjectName: "order-1",
        },
        before: { status: "approved", amountCents: 200 },
        after: { status: "rejected", amountCents: 0, reason: "self-referral" },
      },
      {
        ...{
          ...entry,
          ...of(admin),
          action: "commission.approved",
          subject: `commission ${commission_id}`,
          currency: "EUR",
          subjectName: "order-1",
        },
        before: { status: "pending", amountCents: 200 },
        after: { status: "approved", amountCents: 200 },
      },
      {
        ...{
          ...entry,
          ...of(owner),
          action: "policy.set",
          subject: `partner ${made.body.data.id}`,
          subjectName: "Anna",
          before: null,
        },
        after: expect.objectContaining({ version: 3, type: "none" }),
      },
      {
        ...{ ...entry, ...of(owner), action: "policy.set", subject: `program ${world.programId}`, subjectName: null },
        before: expect.objectContaining({ version: 1, rateBps: 2_000, effectiveFrom: expect.stringMatching(/Z$/) }),
        after: expect.objectContaining({ version: 2, rateBps: 500, effectiveFrom: expect.stringMatching(/Z$/) }),
      },
      {
        ...{
          ...entry,
          ...of(admin),
          action: "partner.updated",
          subject: `partner ${made.body.data.id}`,
          subjectName: "Anna",
        },
        before: { status: "active" },
        after: { status: "paused" },
      },
      {
        ...{
          ...entry,
          ...of(admin),
          action: "partner.created",
          subject: `partner ${made.body.data.id}`,
          subjectName: "Anna",
          before: null,
        },
        after: { partnerId: made.body.data.id, name: "Anna", code: "anna" },
      },
      {
        ...{
          ...entry,
          ...of(owner),
          action: "key.rotated",
          subject: expect.stringMatching(/^key svc_.*••••/),
          subjectName: null,
        },
        before: null,
        after: {
          keyId: expect.any(Number),
          originId: expect.any(Number),
          apiTokenMasked: expect.any(String),
          previousRetiresAt: expect.stringMatching(/Z$/),
        },
      },
      {
        ...{
          ...entry,
          ...of(admin),
          action: "program.updated",
          subject: `program ${world.programId}`,
          subjectName: null,
        },
        before: { name: "Test program", attributionWindowDays: 60 },
        after: { name: "Renamed", attributionWindowDays: 30 },
      },
    ]);
  });

  test("the audit trail begins with the program's creation, and contains no key or email address", async () => {
    const { workspaceId, rows } = await people.world();
    const made = await people.owner.post<{ data: { id: number; apiToken: string } }>("/api/programs", {
      workspaceId,
      name: "Bakery",
    });
    const { id: programId, apiToken } = made.body.data;
    await people.admin.post(`${path({ programId })}/partners`, {
      name: "Anna",
      code: "anna",
      email: "anna@secret.example",
    });
    const rotated = await people.owner.post<{ data: { apiToken: string } }>(
      `${path({ programId })}/api-token/rotate`,
      {},
    );
    const { data } = await audit({ programId });
    expect(data.at(-1)).toMatchObject({
      action: "program.created",
      before: null,
      after: { name: "Bakery", workspaceId },
    });
    const kept = JSON.stringify(await rows("select * from audit_entries where program_id = ?", programId));
    for (const secret of [apiToken, rotated.body.data.apiToken, "secret.example"]) expect(kept).not.toContain(secret);
  });

  test("the audit trail has no entry for a call that changed nothing or was refused", async () => {
    const world = await people.world();
    await people.admin.patch(path(world), {});
    await people.admin.patch(path(world), { name: "Test program", status: "active" });
    await people.admin.patch(path(world), { name: "" });
    await people.viewer.patch(path(world), { name: "Mine" });
    await people.admin.patch(`${path(world)}/partners/${world.partner.id}`, { status: "active" });
    await people.admin.post(`${path(world)}/partners`, { name: "Eve", code: world.partner.code });
    await people.admin.put(`${path(world)}/commission-policy`, { type: "none", partnerId: 1 });
    expect(await audit(world)).toEqual({ data: [], meta: { nextCursor: null } });
  });

  test("the audit trail is paged, and contains only this program's entries", { tags: "soak" }, async () => {
    const [world, other] = [await people.world(), await people.world()];
    await people.admin.patch(path(other), { name: "Other" });
    const names = Array.from({ length: 55 }, (_, i) => `Name ${i}`);
    for (const name of names) await people.admin.patch(path(world), { name });
    const first = await audit(world);
    const second = await audit(world, `?cursor=${first.meta.nextCursor}`);
    expect([first.data.length, second.data.length, second.meta.nextCursor]).toEqual([50, 5, null]);
    expect([...first.data, ...second.data].map(({ after }) => after?.name)).toEqual(names.toReversed());
  });

  test("the audit trail can be filtered by user, kind of change, and days in the program's time zone", async () => {
    const world = await people.world({ program: { timezone: "Pacific/Auckland" }, partners: [{ name: "Anna" }, {}] });
    const { owner, admin } = people;
    await admin.patch(path(world), { name: "Renamed" });
    await owner.patch(`${path(world)}/partners/${world.partner.id}`, { status: "paused" });
    await owner.put(`${path(world)}/commission-policy`, { type: "percent", rateBps: 500, scope: "lifetime" });
    const actions = async (query: string) => (await audit(world, query)).data.map(({ action }) => action);
    expect(await actions(`?actor=${owner.userId}`)).toEqual(["policy.set", "partner.updated"]);
    expect(await actions("?kind=partner")).toEqual(["partner.updated"]);
    expect(await actions(`?kind=partner&actor=${admin.userId}`)).toEqual([]);
    for (const kind of ["application", "join_page", "terms", "partner_access", "partner_invitation"]) {
      expect(await actions(`?kind=${kind}`)).toEqual([]);
    }
    expect((await owner.post(`${path(world)}/terms`, { text: "Be kind." })).status).toBe(201);
    expect((await owner.post(`${path(world)}/partners/${world.partner.id}/invitations`, {})).status).toBe(201);
    expect(await actions("?kind=terms")).toEqual(["terms.created"]);
    expect(await actions("?kind=partner_invitation")).toEqual(["partner_invitation.created"]);
    expect(await actions("?kind=partner")).toEqual(["partner.updated"]);
    const day = (from: number) =>
      new Intl.DateTimeFormat("en-CA", { timeZone: "Pacific/Auckland" }).format(Date.now() + from * 86_400_000);
    expect(await actions(`?dateFrom=${day(-1)}&dateTo=${day(1)}`)).toHaveLength(5);
    expect(await actions(`?dateTo=${day(-1)}`)).toEqual([]);
    expect(await actions(`?dateFrom=${day(1)}`)).toEqual([]);
    for (const query of ["?kind=money", `?dateFrom=${day(1)}&dateTo=${day(0)}`, "?dateFrom=2026-02-30"]) {
      expect((await admin.get(`${path(world)}/audit${query}`)).status, query).toBe(400);
    }
  });

  test("a page of the audit trail ends after a limited number of entries, even if none matches the filter, and the next page continues after them", async () => {
    const world = await people.world();
    const first = 2 ** 47 + world.programId;
    await world.write({
      sql: `with recursive n(i) as (select 0 union all select i + 1 from n where i < 10000)
        insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, created_at)
        select ? + i, ?, 'many ' || (? + i), ?, iif(i = 0, 'program.updated', 'key.rotated'), 'key', ? + i from n`,
      args: [first, world.programId, first, people.owner.userId, Date.now()],
    });
    const page = await audit(world, "?kind=program");
    expect(page.data).toEqual([]);
    const next = await audit(world, `?kind=program&cursor=${page.meta.nextCursor}`);
    expect([next.data.length, next.meta.nextCursor]).toEqual([1, null]);
    const csv = await people.admin.get(`${path(world)}/audit?kind=program&format=csv`, { checked: false });
    expect(csv.text.split("\r\n")).toHaveLength(3);
  });

  test("the audit trail can be downloaded as CSV by admins and owners, with formulas escaped", async () => {
    const world = await people.world();
    for (const name of ["=1+1", "Two"]) await people.admin.patch(path(world), { name });
    const { status, headers, text } = await people.admin.get(`${path(world)}/audit?format=csv`, { checked: false });
    expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(headers.get("content-disposition")).toBe('attachment; filename="tributary-two-audit.csv"');
    const [head, ...rows] = parseCsv(text);
    expect(head).toEqual([
      "id",
      "at",
      "actor",
      "actorName",
      "action",
      "subject",
      "subjectName",
      "partnerName",
      "before",
      "after",
      "via",
    ]);
    expect(rows.map((row) => row.at(-2))).toEqual(['{"name":"Two"}', '{"name":"=1+1"}']);
    expect((await people.viewer.get(`${path(world)}/audit?format=csv`, { checked: false })).status).toBe(403);
  });
});
