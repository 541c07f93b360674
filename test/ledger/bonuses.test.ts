import { expect, it } from "vitest";
import type { AwardOutcome } from "#operations/bonuses/award-bonuses.ts";
import type { BonusCreated } from "#operations/bonuses/create-bonus.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { lastMonth, period, thisMonth } from "../support/last-month.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, clara, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

const longAgo = { effectiveFrom: daysAgo(500), createdAt: daysAgo(500) };

interface Terms {
  readonly metric: "sales" | "revenue";
  readonly period: "month" | "quarter" | "year";
  readonly threshold: number;
}

async function openBonusShop(policy: object = { holdDays: 0 }) {
  const shop = await openShop(own.server.url, { policies: [{ ...longAgo, rateBps: 2_000, ...policy }] });
  await shop.refer(ben, 60);
  const answerOf = async <T>(call: Parameters<typeof shop.attempt>[0]): Promise<T> => {
    const outcome = (await shop.attempt(call)) as { ok: boolean; answer: T };
    expect(outcome).toMatchObject({ ok: true });
    return outcome.answer;
  };
  const create = async (terms: Terms, from: string | null = null, more = {}) =>
    (
      await answerOf<BonusCreated>({
        kind: "create-bonus",
        terms: { amountCents: 5_000, currency: "EUR", ...terms, ...more },
        from,
      } as never)
    ).bonusId;
  const sell = (transactionId: string, at = lastMonth, more = {}) =>
    shop.sale(transactionId, at, { amountCents: 4_900, ...more });
  const settle = async () => {
    for (let runs = 0; runs < 3; runs += 1) await shop.maintain();
  };
  const due = async () => {
    await settle();
    const rows = await shop.world.rows(
      "select last_month, bonus_id, partner_id from due_bonuses where program_id = ? order by 1, 2, 3",
      shop.world.programId,
    );
    const codes = new Map(shop.world.partners.map(({ id }, i) => [id, ["anna", "ben", "clara"][i]]));
    return rows.map((row) => [row.last_month, row.bonus_id, codes.get(Number(row.partner_id))]);
  };
  const award = (bonusId: number, partner: number, of = period) =>
    answerOf<readonly AwardOutcome[]>({
      kind: "award-bonuses",
      period: of,
      rows: [{ bonusId, partnerId: shop.world.partners[partner]?.id ?? 0 }],
    } as never).then(([row]) => (row && "refusal" in row ? row.refusal.code : row?.result));
  const adjusted = async () =>
    (
      await shop.world.rows(
        `select a.reference, a.amount_cents, a.currency, n.text, p.text as note from adjustments a
         join notes n on n.id = a.reason_id left join notes p on p.id = a.partner_note_id
         where a.program_id = ? order by a.id`,
        shop.world.programId,
      )
    ).map(Object.values);
  return { ...shop, create, sell, settle, due, award, adjusted };
}

it("a bonus is due once the approved sales of a past month reach it, and is paid once", async () => {
  const { create, sell, due, award, adjusted, consistent } = await openBonusShop();
  await sell("t1");
  const id = await create({ metric: "sales", period: "month", threshold: 3 }, period);
  await sell("t2");
  expect(await due()).toEqual([]);
  expect(await award(id, ben)).toBe("not_reached");
  await sell("t3");
  expect(await due()).toEqual([[period, id, "ben"]]);
  expect(await award(id, ben)).toBe("awarded");
  expect(await award(id, ben)).toBe("unchanged");
  await sell("t4");
  expect(await due()).toEqual([]);
  const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" }).format(lastMonth);
  const text = `Bonus: 3 sales in ${month}`;
  expect(await adjusted()).toEqual([[`bonus:${id}:${period}`, 5_000, "EUR", text, text]]);
  await consistent();
});

it("a bonus counts a sale once it is approved, and no longer counts a sale that is fully refunded or rejected", async () => {
  const { create, sell, due, award, decide, refund, commissions, consistent } = await openBonusShop({
    holdDays: 90,
  });
  const id = await create({ metric: "sales", period: "month", threshold: 2 }, period);
  for (const t of ["t1", "t2", "t3"]) await sell(t);
  expect(await due()).toEqual([]);
  const ids = (await commissions()).map((row) => Number(row.id));
  for (const commission of ids) await decide(commission, "approved");
  expect(await due()).toEqual([[period, id, "ben"]]);
  await refund("t1", "rest", { refundId: "r" });
  await decide(ids[1] ?? 0, "rejected");
  expect(await due()).toEqual([]);
  expect(await award(id, ben)).toBe("not_reached");
  await refund("t1", "cancel", { refundId: "r" });
  expect(await due()).toEqual([[period, id, "ben"]]);
  expect(await award(id, ben)).toBe("awarded");
  await refund("t1", "rest");
  expect(await due()).toEqual([]);
  await consistent();
});

it("a bonus for a quarter or a year counts revenue before refunds, and only sales in the program's currency", async () => {
  const { create, sell, due, refund, award, consistent } = await openBonusShop();
  const year = String(new Date(lastMonth).getUTCFullYear());
  const inQuarter = await create({ metric: "revenue", period: "quarter", threshold: 9_800 });
  const inYear = await create({ metric: "revenue", period: "year", threshold: 9_801 }, year);
  await sell("t1", daysAgo(0));
  await sell("dollars", daysAgo(0), { currency: "USD" });
  expect(await due()).toEqual([]);
  await sell("t2", daysAgo(0));
  await refund("t1", "amount", { cents: 1_000, refundId: "r" });
  const [[month, found, partner] = []] = await due();
  expect([found, partner]).toEqual([inQuarter, "ben"]);
  expect(month).toMatch(/^\d{4}-(03|06|09|12)$/);
  expect(await award(inQuarter, ben, `${String(month).slice(0, 4)}-Q${Number(String(month).slice(5)) / 3}`)).toBe(
    "period_running",
  );
  expect(await award(inYear, ben, period)).toBe("not_in_period");
  await consistent();
});

it("an ended bonus is due for its last period, but not for later ones, and after that period doesn't count toward the limit of bonuses", async () => {
  const { create, sell, due, attempt, change, world, consistent } = await openBonusShop();
  const terms = { metric: "sales", period: "month", threshold: 1 } as const;
  const id = await create(terms, period);
  await sell("t1");
  await change({ kind: "end-bonus", bonusId: id } as never);
  await change({ kind: "end-bonus", bonusId: id } as never);
  expect(await world.rows("select until_period from bonuses where id = ?", id)).toEqual([{ until_period: thisMonth }]);
  for (let n = 0; n < 4; n += 1) await create({ ...terms, threshold: 2 + n });
  const sixth = { terms: { ...terms, amountCents: 1, currency: "EUR" }, from: null };
  expect(await attempt({ kind: "create-bonus", ...sixth } as never)).toMatchObject({
    refusal: { code: "bonuses_full" },
  });
  expect(await due()).toEqual([[period, id, "ben"]]);
  const next = new Date(daysAgo(0));
  const later = Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 2, 12);
  expect(await attempt({ kind: "create-bonus", ...sixth, at: later } as never)).toMatchObject({ ok: true });
  expect(await attempt({ kind: "create-bonus", ...sixth, from: "2020-01" } as never)).toMatchObject({
    refusal: { code: "invalid_input" },
  });
  await consistent();
});

it("a bonus with wrong terms that was ended is due until it is dismissed, and then never again", async () => {
  const { create, sell, due, award, attempt, change, adjusted, consistent } = await openBonusShop();
  const terms = { metric: "sales", period: "month", threshold: 1 } as const;
  const wrong = await create(terms, period);
  const right = await create({ ...terms, threshold: 2 }, period);
  await sell("t1");
  const dismiss = { kind: "dismiss-bonus", bonusId: wrong } as never;
  expect(await attempt(dismiss)).toMatchObject({ refusal: { code: "not_ended" } });
  await change({ kind: "end-bonus", bonusId: wrong } as never);
  expect(await due()).toEqual([[period, wrong, "ben"]]);
  await change(dismiss);
  await change(dismiss);
  await sell("t2");
  expect(await due()).toEqual([[period, right, "ben"]]);
  expect([await award(wrong, ben), await award(right, ben)]).toEqual(["bonus_dismissed", "awarded"]);
  expect(await adjusted()).toHaveLength(1);
  await consistent();
});

it("a bonus is paid to each partner once, even in parallel calls, and an award is refused if the bonus doesn't exist or wasn't reached", async () => {
  const { create, sell, refer, due, attempt, adjusted, world, consistent } = await openBonusShop();
  const id = await create({ metric: "sales", period: "month", threshold: 1 }, period);
  await refer(anna, 59, 59, "c2");
  await sell("t1");
  await sell("t2", lastMonth, { customerKey: "c2" });
  expect(await due()).toHaveLength(2);
  const partners = world.partners.map((partner) => partner.id);
  const rows = [...partners, 0, partners[0] ?? 0].map((partnerId) => ({ bonusId: id, partnerId }));
  rows.push({ bonusId: id + 1_000, partnerId: partners[0] ?? 0 });
  const call = { kind: "award-bonuses", period, rows } as never;
  const outcomes = await Promise.all([attempt(call), attempt(call)]);
  const results = outcomes.map((outcome) =>
    (outcome as { answer: readonly AwardOutcome[] }).answer.map((row) =>
      "refusal" in row ? row.refusal.code : row.result,
    ),
  );
  expect(results).toContainEqual(["awarded", "awarded", "not_reached", "not_found", "unchanged", "not_found"]);
  expect(results).toContainEqual(["unchanged", "unchanged", "not_reached", "not_found", "unchanged", "not_found"]);
  expect(await adjusted()).toHaveLength(2);

  const sent = {
    kind: "award-bonuses",
    operationId: "0123456789abcdef",
    period,
    rows: [{ bonusId: id, partnerId: partners[2] }],
  };
  await refer(clara, 59, 59, "c3");
  await sell("t3", lastMonth, { customerKey: "c3" });
  expect(await attempt(sent as never)).toMatchObject({ answer: [{ result: "awarded" }] });
  expect(await attempt(sent as never)).toMatchObject({ answer: [{ result: "awarded" }] });
  expect(await adjusted()).toHaveLength(3);
  await consistent();
});

it("an erased partner's bonus is neither due nor awarded", async () => {
  const { create, sell, due, award, change, world, consistent } = await openBonusShop({ holdDays: 90 });
  const id = await create({ metric: "sales", period: "month", threshold: 1 }, period);
  await sell("t1");
  const [commission] = await world.rows("select id from commissions where program_id = ?", world.programId);
  await change({
    ...{ kind: "decide-commissions", commissionIds: [Number(commission?.id)], decision: "approved" },
    ...{ reason: null, partnerNote: null },
  } as never);
  expect(await due()).toHaveLength(1);
  const partnerId = world.partners[ben]?.id ?? 0;
  await change({ kind: "erase-partner", partnerId, writesOff: false, isRepeated: true } as never);
  expect(await due()).toEqual([]);
  expect(await award(id, ben)).toBe("partner_erased");
  await consistent();
});

it("an adjustment can have the reference of a bonus's award only if it is that award", async () => {
  const { create, attempt, world, consistent } = await openBonusShop();
  const id = await create({ metric: "sales", period: "month", threshold: 1 }, period);
  const [partner] = world.partners;
  const by = { partnerId: partner?.id ?? 0, amountCents: 5_000, currency: "EUR", reason: "r", partnerNote: null };
  for (const reference of [`bonus:${id}:${period}`, " bonus:x"]) {
    const sent = { kind: "create-adjustment", ...by, reference } as never;
    expect(await attempt(sent)).toMatchObject({
      refusal: { code: "invalid_input", errors: [{ path: ["reference"] }] },
    });
  }
  const row = (reference: string, amount = 5_000) =>
    `insert into adjustments (id, program_id, partner_id, amount_cents, currency, reason_id, reference, created_by, created_at)
     values (999999, ${world.programId}, ${by.partnerId}, ${amount}, 'EUR', 1, '${reference}', 'x', 1)`;
  for (const sql of [
    row(`bonus:${id}:${period}`, 4_999),
    row(`bonus:${id}:2020-01`),
    row(`bonus:${id}:2099`),
    row(`bonus:0${id}:${period}`),
    row(`bonus:${id}:${period}x`),
    row(`bonus:${id + 1}:${period}`),
  ]) {
    await expect(world.write({ sql, args: [] })).rejects.toThrow("not the award of a bonus");
  }
  await consistent();
});
