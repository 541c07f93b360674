import { describe, expect, test } from "vitest";
import type { World } from "../../harness/world.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { signUpUsers } from "../support/users-fixture.ts";

const people = signUpUsers();

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
  test("says who changed what, from what to what, the newest first", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const { owner, admin } = people;
    const till = salesFixture(programFixture(world, sharedApi()));
    await till.refer("c1");
    const { commission_id } = (await till.sell()).body;

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
    const entry = { id: expect.any(Number), at: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(data).toEqual([
      {
        ...{ ...entry, ...of(owner), action: "commission.rejected", subject: `commission ${commission_id}` },
        before: { status: "approved", amountCents: 200 },
        after: { status: "rejected", amountCents: 0, reason: "self-referral" },
      },
      {
        ...{ ...entry, ...of(admin), action: "commission.approved", subject: `commission ${commission_id}` },
        before: { status: "pending", amountCents: 200 },
        after: { status: "approved", amountCents: 200 },
      },
      {
        ...{ ...entry, ...of(owner), action: "policy.set", subject: `partner ${made.body.data.id}`, before: null },
        after: expect.objectContaining({ version: 3, type: "none" }),
      },
      {
        ...{ ...entry, ...of(owner), action: "policy.set", subject: `program ${world.programId}` },
        before: expect.objectContaining({ version: 1, rateBps: 2_000, effectiveFrom: expect.stringMatching(/Z$/) }),
        after: expect.objectContaining({ version: 2, rateBps: 500, effectiveFrom: expect.stringMatching(/Z$/) }),
      },
      {
        ...{ ...entry, ...of(admin), action: "partner.updated", subject: `partner ${made.body.data.id}` },
        before: { status: "active" },
        after: { status: "paused" },
      },
      {
        ...{ ...entry, ...of(admin), action: "partner.created", subject: `partner ${made.body.data.id}`, before: null },
        after: { partnerId: made.body.data.id, name: "Anna", code: "anna" },
      },
      {
        ...{ ...entry, ...of(owner), action: "key.rotated", subject: expect.stringMatching(/^key svc_.*••••/) },
        before: null,
        after: { apiTokenMasked: expect.any(String), previousRetiresAt: expect.stringMatching(/Z$/) },
      },
      {
        ...{ ...entry, ...of(admin), action: "program.updated", subject: `program ${world.programId}` },
        before: { name: "Test program", attributionWindowDays: 60 },
        after: { name: "Renamed", attributionWindowDays: 30 },
      },
    ]);
  });

  test("begins with the making of the program, and holds no key and no address", async () => {
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

  test("has nothing of what changed nothing, or was refused", async () => {
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

  test("goes page by page, and is of this program alone", async () => {
    const [world, other] = [await people.world(), await people.world()];
    await people.admin.patch(path(other), { name: "Other" });
    const names = Array.from({ length: 55 }, (_, i) => `Name ${i}`);
    for (const name of names) await people.admin.patch(path(world), { name });
    const first = await audit(world);
    const second = await audit(world, `?cursor=${first.meta.nextCursor}`);
    expect([first.data.length, second.data.length, second.meta.nextCursor]).toEqual([50, 5, null]);
    expect([...first.data, ...second.data].map(({ after }) => after?.name)).toEqual(names.toReversed());
  });
});
