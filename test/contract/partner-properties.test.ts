import fc from "fast-check";
import { expect, test } from "vitest";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import type { Statement, StatementEntry } from "../support/statements-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const runs = Number(process.env.PARTNER_HISTORIES ?? 2);

const currencies = ["EUR", "USD"] as const;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant("sale" as const),
      isBobs: fc.boolean(),
      currency: fc.constantFrom(...currencies),
      cents: fc.integer({ min: 1, max: 9_999 }),
    }),
  },
  fc.record({ is: fc.constant("visit" as const), isBobs: fc.boolean() }),
  fc.record({
    is: fc.constantFrom("refund" as const, "cancel" as const, "approve" as const, "reject" as const),
    of: fc.nat(7),
  }),
  fc.record({ is: fc.constant("adjust" as const), cents: fc.integer({ min: -5_000, max: 5_000 }).filter(Boolean) }),
  fc.record({ is: fc.constantFrom("pay" as const, "finalize" as const), currency: fc.constantFrom(...currencies) }),
  fc.record({ is: fc.constant("fail" as const), isBobs: fc.boolean() }),
);
const history = fc.record({
  holdDays: fc.constantFrom(0, 10),
  steps: fc.array(step, { minLength: 8, maxLength: 16 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** Runs the steps. Steps that are refused, such as a payout with nothing payable, change nothing. */
async function shopAfter({ holdDays, steps }: History) {
  const shop = await payoutsFixture(people, { policies: [{ holdDays }] });
  const { alice, bob } = shop;
  const earned: { readonly transaction_id: string; readonly commissionId: number }[] = [];
  let paid = 0;
  for (const each of steps) {
    const who = "isBobs" in each && each.isBobs ? bob : alice;
    if (each.is === "sale") {
      earned.push(await shop.earn(each.cents, { partner: who, currency: each.currency }));
    } else if (each.is === "visit") await shop.visit({ affiliate_url: who.landingUrl });
    else if (each.is === "adjust") await shop.adjust(each.cents);
    else if ("currency" in each) {
      const { body } = await shop.create({ currency: each.currency });
      if (each.is === "finalize") await shop.finalize(body.data?.id ?? 0);
      else if ((await shop.confirm(body.data?.id ?? 0)).status === 200) paid = body.data.id;
    } else if (each.is === "fail") await shop.fail(paid, who.id);
    else if ("of" in each) await decide(shop, each.is, earned[each.of]);
  }
  return shop;
}

type Shop = Awaited<ReturnType<typeof payoutsFixture>>;
type Decision = "refund" | "cancel" | "approve" | "reject";

async function decide(
  shop: Shop,
  decision: Decision,
  earned: { readonly transaction_id: string; readonly commissionId: number } | undefined,
): Promise<void> {
  if (earned === undefined) return;
  const { transaction_id, commissionId } = earned;
  const refund_id = `r-${transaction_id}`;
  if (decision === "refund") await shop.giveBack(transaction_id, { refund_id });
  else if (decision === "cancel") await shop.giveBack(transaction_id, { refund_id, cancel: true });
  else await shop[decision](commissionId);
}

async function read<T>(path: string, user = people.stranger): Promise<T> {
  const { status, text, body } = await user.get<T>(path);
  expect(status, text).toBe(200);
  return body;
}

type Amounts = Readonly<Record<string, number>>;
interface Overview {
  readonly data: { readonly days: readonly Amounts[]; readonly totals: Amounts; readonly balances: readonly Amounts[] };
}
interface Performance {
  readonly data: readonly Amounts[];
}
interface Commissions {
  readonly data: readonly { ref: string; status: string; amountCents: number; currency: string }[];
}
type OwnStatement = Omit<Statement, "data"> & {
  readonly data: Omit<Statement["data"], "entries"> & {
    readonly entries: readonly (Omit<StatementEntry, "id"> & { readonly ref: string | null })[];
  };
};

const sum = (amounts: readonly number[]) => amounts.reduce((total, each) => total + each, 0);
const figures = ["clicks", "uniqueClicks", "leads", "sales", "commissionCents"];
const only = (row: Amounts) => Object.fromEntries(["date", ...figures].map((name) => [name, row[name]]));

async function expectSameFigures(
  { world }: Shop,
  side: string,
  partnerId: number,
  currency: string,
): Promise<Overview> {
  const query = `period=30d&currency=${currency}`;
  const overview = await read<Overview>(`${side}/overview?${query}`);
  const asked = `/api/tracking/performance/${world.programId}?partnerId=${partnerId}&${query}`;
  const { data } = await read<Performance>(asked, people.viewer);
  expect(overview.data.days).toEqual(data.map(only));
  const totals = figures.map((name) => [name, sum(data.map((row) => row[name] ?? 0))]);
  expect(overview.data.totals).toEqual(Object.fromEntries(totals));
  return overview;
}

async function expectFiguresOfLinks(side: string): Promise<void> {
  const { totals } = (await read<Overview>(`${side}/overview?period=30d`)).data;
  const { data } = await read<{ data: readonly Amounts[] }>(`${side}/links`);
  for (const name of ["clicks", "leads", "sales", "commissionCents"]) {
    expect(sum(data.map((row) => row[name] ?? 0))).toBe(totals[name]);
  }
}

/** Expects the partner and a member to receive the same statement. */
async function expectSameStatement({ world }: Shop, side: string, partnerId: number, currency: string) {
  const query = `statement?currency=${currency}`;
  const own = await read<OwnStatement>(`${side}/${query}`);
  const path = `/api/programs/${world.programId}/partners/${partnerId}`;
  expect(await read<OwnStatement>(`${path}/${query}`, people.viewer)).toEqual(own);
  return own.data;
}

test("a partner sees the same numbers, amounts and statement as the owner", async () => {
  const property = fc.asyncProperty(history, async (given) => {
    await people.renew();
    const shop = await shopAfter(given);
    for (const { id } of [shop.alice, shop.bob]) {
      const side = await partnerSide(shop.world, people.stranger, id);
      const { data: commissions } = await read<Commissions>(`${side}/commissions`);
      await expectFiguresOfLinks(side);
      for (const currency of currencies) {
        const { data } = await expectSameFigures(shop, side, id, currency);
        const { entries } = await expectSameStatement(shop, side, id, currency);
        const own = commissions.filter((each) => each.currency === currency);
        expect(own.filter(({ ref }) => !entries.some((entry) => entry.ref === ref))).toEqual([]);
        const balance = data.balances.find((each) => `${each.currency}` === currency) ?? {};
        const { pendingCents = 0, payableCents = 0, inPayoutCents = 0, carriedCents = 0, paidCents = 0 } = balance;
        const adjusted = entries.filter(({ kind }) => kind === "adjusted").map(({ amountCents }) => amountCents);
        const earned = sum(own.map(({ amountCents }) => amountCents));
        expect(earned + sum(adjusted)).toBe(pendingCents + payableCents + inPayoutCents + carriedCents + paidCents);
        expect(sum(own.filter(({ status }) => status === "pending").map(({ amountCents }) => amountCents))).toBe(
          pendingCents,
        );
      }
    }
  });
  await fc.assert(property, { numRuns: runs });
});
