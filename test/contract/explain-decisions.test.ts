import { describe, expect, it } from "vitest";
import { explained } from "../support/explain.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { signUpUsers } from "../support/users-fixture.ts";

const people = signUpUsers();

describe("an explanation of a commission that a member decided", () => {
  it("names the member who approved it, and no one once its hold is over", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const till = salesFixture(programFixture(world, sharedApi()));
    await till.refer("c1", { clickAt: daysAgo(31) });
    const { body: held } = await till.sell();
    const { body: ended } = await till.sell({ occurred_at: at(daysAgo(30)) });
    const path = `/api/programs/${world.programId}/commissions/${held.commission_id}/approve`;
    expect((await people.admin.post(path)).status).toBe(200);
    const approved = await explained(till, { sale_id: held.sale_id });
    expect(approved.commission?.decision).toEqual({
      ...{ status: "approved", at: expect.any(String), by: { type: "member", name: "admin" }, reason: null },
    });
    expect(approved.verdict.message).toMatch(/; it was approved by admin on \d+ \w+ \d{4} and can be paid out\.$/);
    const { verdict, commission } = await explained(till, { sale_id: ended.sale_id });
    expect(verdict.message).toMatch(/; it was approved and can be paid out\.$/);
    expect(commission?.decision).toBeNull();
  });

  it("names the member who rejected it", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const till = salesFixture(programFixture(world, sharedApi()));
    await till.refer("c1");
    const { body: sale } = await till.sell();
    const path = `/api/programs/${world.programId}/commissions/${sale.commission_id}/reject`;
    expect((await people.admin.post(path, { reason: "self-referral" })).status).toBe(200);
    const { verdict, commission } = await explained(till, { sale_id: sale.sale_id });
    expect(verdict).toMatchObject({ status: "rejected", commission_cents: 0 });
    expect(verdict.message).toMatch(/ on this sale was rejected by admin on \d+ \w+ \d{4}: "self-referral"\.$/);
    const decision = { status: "rejected", at: expect.any(String), by: { type: "member", name: "admin" } };
    expect(commission?.decision).toEqual({ ...decision, reason: "self-referral" });
    expect(commission?.calculation.at(-1)).toEqual({
      step: "rejected",
      text: '€2.00 rejected by admin: "self-referral"',
      cents: 0,
    });
    expect(commission?.entries.at(-1)).toMatchObject({
      stands_for: { type: "rejection" },
      by: { type: "member", name: "admin" },
    });
  });
});
