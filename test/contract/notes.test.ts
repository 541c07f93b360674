import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { type Statement, statementPath } from "../support/statements-fixture.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface AuditPage {
  readonly data: readonly {
    readonly action: string;
    readonly before: JsonObject | null;
    readonly after: JsonObject | null;
  }[];
}

/** Creates a program with a text in every field that can contain text about a person. */
async function openWithTexts() {
  const shop = await payoutsFixture(people);
  const { alice, bob } = shop;
  const path = `/api/programs/${shop.world.programId}`;
  const send = async (to: string, body: JsonObject) => {
    const reply = await people.admin.post(`${path}/${to}`, body);
    expect(reply.status, reply.text).toBeLessThan(300);
  };
  const { commissionId } = await shop.earn(700, { partner: bob });
  await send(`commissions/${commissionId}/reject`, { reason: "text 1", partnerNote: "text 2" });
  await shop.earn(1_000);
  await send(`partners/${alice.id}/adjustments`, {
    ...{ amountCents: 300, currency: "EUR", reason: "text 3", partnerNote: "text 4", reference: "a" },
  });
  const { id } = (await shop.create({ reference: "2026-03" })).body.data;
  await shop.confirm(id, { note: "text 5" });
  await send(`payouts/${id}/lines/${alice.id}/fail`, { reason: "text 6", partnerNote: "text 7" });
  await people.admin.patch(`${path}/partners/${alice.id}`, { name: "text 8", email: "t9@text.example" });
  await people.admin.patch(`${path}/partners/${alice.id}`, { name: "text 10", email: null });
  await send("partners", { name: "text 11", code: "anna" });
  const trail = async () => (await people.admin.get<AuditPage>(`${path}/audit`)).body.data;
  return { ...shop, path, payoutId: id, trail };
}

describe("text about a person", () => {
  test("text about a person is shown with audit entries, but stored outside them", async () => {
    const shop = await openWithTexts();
    const stored = JSON.stringify(
      await shop.world.rows("select * from audit_entries where program_id = ?", shop.world.programId),
    );
    for (const part of ["text", "t•••@t•••.example"]) expect(stored).not.toContain(part);

    const after = Object.fromEntries((await shop.trail()).map((entry) => [entry.action, entry]));
    expect(after["commission.rejected"]?.after).toMatchObject({ reason: "text 1", partnerNote: "text 2" });
    expect(after["adjustment.created"]?.after).toMatchObject({ reason: "text 3", partnerNote: "text 4" });
    expect(after["payout.confirmed"]?.after).toMatchObject({ note: "text 5" });
    expect(after["payout.line_failed"]).toMatchObject({
      ...{ subjectName: "2026-03", partnerName: "text 10" },
      after: { reason: "text 6", partnerNote: "text 7" },
    });
    expect(after["partner.created"]?.after).toMatchObject({ name: "text 11", code: "anna" });
    expect((await shop.trail()).filter(({ action }) => action === "partner.updated")).toMatchObject([
      { before: { name: "text 8", email: "t•••@t•••.example" }, after: { name: "text 10", email: null } },
      { before: { email: null }, after: { name: "text 8", email: "t•••@t•••.example" } },
    ]);
    const { text: csv } = await people.admin.get(`${shop.path}/audit?format=csv`, { checked: false });
    for (const text of [1, 2, 3, 4, 5, 6, 7, 8, 10, 11]) expect(csv).toContain(`text ${text}`);
    expect(await shop.get(shop.payoutId)).toMatchObject({
      note: "text 5",
      lines: [{ failureReason: "text 6", partnerNote: "text 7", partnerCode: shop.alice.code }],
    });
    await expectLedgerConsistent(shop.world);
  });

  test("text about a person isn't shown anywhere once it is erased, and its audit entries remain", async () => {
    const shop = await openWithTexts();
    await shop.write("update notes set text = null where program_id = ? and kind <> 'name'", shop.world.programId);
    const { text: statement } = await people.viewer.get(statementPath(shop));
    expect(JSON.parse(statement).data.entries).toMatchObject([
      { kind: "earned" },
      { kind: "adjusted", amountCents: 300, partnerNote: null },
      { kind: "paid" },
      { kind: "returned", partnerNote: null },
    ]);
    const shown = [...(await shop.trail()).map(({ after }) => after), await shop.get(shop.payoutId)];
    expect(JSON.stringify(shown)).not.toMatch(/text [1-7]\b/);
    expect(shown).toContainEqual(expect.objectContaining({ amountCents: 300, reason: null, partnerNote: null }));
    await expectLedgerConsistent(shop.world);
  });

  test("the texts of a bulk rejection are stored as notes on each commission", async () => {
    const shop = await payoutsFixture(people);
    const ids = [(await shop.earn(700)).commissionId, (await shop.earn(800, { partner: shop.bob })).commissionId];
    const reject = `/api/programs/${shop.world.programId}/commissions/reject`;
    expect((await people.admin.post(reject, { ids, reason: "text 1", partnerNote: "text 2" })).status).toBe(200);
    const stored = await shop.world.rows(
      "select kind, subject, text from notes where program_id = ? order by subject, kind desc",
      shop.world.programId,
    );
    expect(stored).toEqual(
      ids.toSorted().flatMap((id) => [
        { kind: "reason", subject: `commission ${id}`, text: "text 1" },
        { kind: "partner_note", subject: `commission ${id}`, text: "text 2" },
      ]),
    );
    for (const { id } of [shop.alice, shop.bob]) {
      const { body } = await people.viewer.get<Statement>(statementPath(shop, id));
      expect(body.data.entries).toMatchObject([{ partnerNote: null }, { kind: "rejected", partnerNote: "text 2" }]);
    }
    await expectLedgerConsistent(shop.world);
  });

  test("a note to a partner has at most 500 characters on one line, and isn't blank", async () => {
    const shop = await payoutsFixture(people);
    const { commissionId } = await shop.earn(700);
    const reject = (partnerNote: string) =>
      people.admin.post(`/api/programs/${shop.world.programId}/commissions/${commissionId}/reject`, {
        ...{ reason: "r", partnerNote },
      });
    for (const wrong of ["x".repeat(501), "", " ", "\u200b\u2800\u3164", "a\nb"]) {
      expect(invalidFields(await reject(wrong)), wrong).toEqual(["partnerNote"]);
    }
    expect((await reject("x".repeat(500))).status).toBe(200);
  });
});
