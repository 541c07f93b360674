import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Adjustment {
  readonly id: number;
  readonly partnerId: number;
  readonly amountCents: number;
  readonly currency: string;
  readonly reason: string;
  readonly reference: string;
  readonly createdAt: string;
}

const open = async (settings: WorldSettings = {}): Promise<SalesFixture> =>
  salesFixture(programFixture(await people.world({ partners: [{}, {}], ...settings }), sharedApi()));

const bonus = { amountCents: 5_000, currency: "eur", reason: "Launch bonus", reference: "launch" };

const adjust = (shop: SalesFixture, body: JsonObject = {}, partnerId: number | string = shop.alice.id) =>
  people.admin.post<{ data: Adjustment }>(`/api/programs/${shop.world.programId}/partners/${partnerId}/adjustments`, {
    ...bonus,
    ...body,
  });

const balances = async (shop: SalesFixture) => {
  const { body } = await people.viewer.get<{ data: Record<string, number>[] }>(
    `/api/programs/${shop.world.programId}/balances`,
  );
  return body.data.map(({ currency, payableCents, carriedCents }) => [currency, payableCents, carriedCents]);
};

describe("an adjustment", () => {
  test("an adjustment is approved and payable when it is created, and has an audit entry", async () => {
    const shop = await open({ program: { timezone: "Pacific/Kiritimati" } });
    const { status, body } = await adjust(shop);
    expect(status).toBe(201);
    expect(body.data).toEqual({
      ...bonus,
      id: expect.any(Number),
      partnerId: shop.alice.id,
      currency: "EUR",
      partnerNote: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(await balances(shop)).toEqual([["EUR", 5_000, 0]]);
    const entry = await shop.row("select * from ledger_entries where program_id = ?", shop.world.programId);
    const createdAt = Date.parse(body.data.createdAt);
    expect(entry).toMatchObject({
      kind: "adjusted",
      amount_cents: 5_000,
      partner_id: shop.alice.id,
      commission_id: null,
    });
    expect(entry.occurred_at).toBe(createdAt);
    expect(entry.day).toBe(new Date(createdAt + 14 * 3_600_000).toISOString().slice(0, 10));
    const { body: audit } = await people.admin.get<{ data: JsonObject[] }>(
      `/api/programs/${shop.world.programId}/audit`,
    );
    expect(audit.data).toEqual([
      expect.objectContaining({
        action: "adjustment.created",
        subject: `partner ${shop.alice.id}`,
        before: null,
        after: { ...bonus, currency: "EUR", adjustmentId: body.data.id },
      }),
    ]);
    await expectLedgerConsistent(shop.world);
  });

  test.each([
    ["JPY", 10 ** 11],
    ["KWD", -(10 ** 11)],
    ["EUR", -1],
  ])("an adjustment can have any currency and sign, and is never converted: %s %i", async (currency, amountCents) => {
    const shop = await open();
    expect((await adjust(shop, { currency, amountCents })).status).toBe(201);
    expect(await balances(shop)).toEqual([[currency, Math.max(amountCents, 0), Math.min(amountCents, 0)]]);
    await expectLedgerConsistent(shop.world);
  });

  test("an adjustment counts in the balance, which is reported as 2^53 − 1 if it is larger", async () => {
    const shop = await open();
    await shop.write(
      `insert into partner_balances (program_id, currency, partner_id, payable_cents) values (?, 'EUR', ?, ${2 ** 53})`,
      ...[shop.world.programId, shop.alice.id],
    );
    await adjust(shop, { amountCents: 2 });
    expect(await balances(shop)).toEqual([["EUR", 2 ** 53 - 1, 0]]);
  });

  test("an adjustment is recorded once per reference, even if sent several times", async () => {
    const shop = await open();
    const replies = await Promise.all(Array.from({ length: 12 }, () => adjust(shop)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(11).fill(200), 201]);
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await balances(shop)).toEqual([["EUR", 5_000, 0]]);
    const { n } = await shop.row("select count(*) as n from audit_entries where program_id = ?", shop.world.programId);
    expect(n).toBe(1);
    await expectLedgerConsistent(shop.world);
  });

  test("an adjustment is refused if its reference was used with other values, and the refusal lists the values that differ", async () => {
    const shop = await open();
    await adjust(shop);
    const other = await adjust(shop, { amountCents: -5_000, currency: "USD", reason: "Chargeback" });
    expect(refusalOf(other)).toBe(
      "409 Duplicate reference. This partner already has an adjustment with it that was recorded differently.",
    );
    expect(other.body.error.details).toEqual({ differences: ["amountCents", "currency", "reason"] });
    expect((await adjust(shop, { reason: "Chargeback" })).body.error.details).toEqual({ differences: ["reason"] });
    expect((await adjust(shop, { partnerNote: "Hi" })).body.error.details).toEqual({ differences: ["partnerNote"] });
    expect(await balances(shop)).toEqual([["EUR", 5_000, 0]]);
  });

  test("an adjustment is deduplicated by its reference, whatever white space surrounds the reference", {
    tags: "finding",
  }, async () => {
    const shop = await open();
    const statuses = [201, 200, 200];
    for (const [i, reference] of [" launch ", "launch", "\u00a0launch\t"].entries()) {
      expect((await adjust(shop, { reference })).status).toBe(statuses[i]);
    }
    expect(await shop.row("select reference from adjustments where program_id = ?", shop.world.programId)).toEqual({
      reference: "launch",
    });
    expect((await adjust(shop, { reference: " null " })).body.error.details).toMatchObject({ code: "placeholder_id" });
  });

  test("an adjustment whose reference was stored with outer white space, by an earlier version of the service, is found by the same reference", async () => {
    const shop = await open();
    await adjust(shop, { reference: "launch" });
    const ofEarlierVersion = { reference: " launch ", amountCents: 700 };
    await shop.world.rows(
      `insert into adjustments select id + 1000000000000, program_id, partner_id, 700, currency, reason_id, partner_note_id, ' launch ',
        created_by, created_at from adjustments where program_id = ?`,
      shop.world.programId,
    );
    expect((await adjust(shop, ofEarlierVersion)).status).toBe(200);
  });

  test("an adjustment may share its reference with another partner's adjustment", async () => {
    const shop = await open();
    expect([(await adjust(shop)).status, (await adjust(shop, {}, shop.bob.id)).status]).toEqual([201, 201]);
  });

  test("an adjustment can be made for a paused partner and in an archived program", async () => {
    const shop = await open({ partners: [{ status: "paused" }, {}] });
    const archived = await people.owner.patch(`/api/programs/${shop.world.programId}`, { status: "archived" });
    expect(archived.status, archived.text).toBe(200);
    expect((await adjust(shop)).status).toBe(201);
  });

  test.each([
    [{ amountCents: 0 }, ["amountCents"]],
    [{ amountCents: 1.5 }, ["amountCents"]],
    [{ partnerNote: "x".repeat(501) }, ["partnerNote"]],
    [{ partnerNote: " " }, ["partnerNote"]],
    [{ amountCents: "5" }, ["amountCents"]],
    [{ amountCents: 10 ** 11 + 1 }, ["amountCents"]],
    [{ amountCents: -(10 ** 11) - 1 }, ["amountCents"]],
    [{ currency: "EU", reason: " ", reference: "" }, ["currency", "reason", "reference"]],
    [{ currency: null, reason: "x".repeat(256), reference: "a\tb" }, ["currency", "reason", "reference"]],
    [{ amountCents: null, reference: "x".repeat(256) }, ["amountCents", "reference"]],
  ])("an adjustment is refused with the body %j", async (body, fields) => {
    const shop = await open();
    const reply = await adjust(shop, body);
    expect(reply.status).toBe(400);
    expect(invalidFields(reply)).toEqual(fields);
    expect(await balances(shop)).toEqual([]);
  });

  test.each(["0", "x", "1.5", "987654321"])("an adjustment of an unknown partner is refused: %s", async (partnerId) => {
    expect(refusalOf(await adjust(await open(), {}, partnerId))).toBe("404 Partner not found");
  });

  test("an adjustment of the partner that verification runs use is refused", async () => {
    const shop = await open();
    await shop.api.verification({ key: shop.world.key });
    const { id } = await shop.row(
      "select id from partners where is_synthetic and program_id = ?",
      shop.world.programId,
    );
    expect(refusalOf(await adjust(shop, { reference: randomUUID() }, Number(id)))).toBe("404 Partner not found");
  });
});
