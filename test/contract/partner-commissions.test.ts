import { expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

interface Entry {
  readonly kind: string;
  readonly amountCents: number;
}
interface Commission {
  readonly ref: string;
  readonly date: string;
  readonly status: string;
  readonly underReview: boolean;
  readonly underReviewSince: string | null;
  readonly amountCents: number;
  readonly currency: string;
  readonly holdUntil: string;
  readonly sub: string | null;
  readonly changes: readonly (Entry & { readonly date: string })[];
  readonly partnerNote: string | null;
}
interface Listed<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly nextCursor: string | null };
}

const read = async <Row>(user: User, path: string) => {
  const { status, text, body } = await user.get<Listed<Row>>(path);
  expect(status, text).toBe(200);
  return body;
};
const list = (user: User, path: string, query = "") => read<Commission>(user, `${path}/commissions${query}`);

const newShop = async (holdDays = 10) => {
  const shop = await payoutsFixture(people, { policies: [{ holdDays }] });
  return { ...shop, side: await partnerSide(shop.world, people.stranger, shop.alice.id) };
};
const today = () => new Date().toISOString().slice(0, 10);

test("a partner sees a commission's status and each change of its amount, without internal fields", async () => {
  const shop = await newShop();
  const refunded = await shop.earn(1_000);
  await shop.giveBack(refunded.transaction_id, { refund_id: "r", refund_amount_cents: 1_000 });
  await shop.giveBack(refunded.transaction_id, { refund_id: "r", cancel: true });
  await shop.giveBack(refunded.transaction_id, { refund_id: "s", refund_amount_cents: 500 });
  const rejected = await shop.earn(300);
  const note = { reason: "cheated, see chat", partnerNote: "You can't refer yourself" };
  await people.admin.post(`/api/programs/${shop.world.programId}/commissions/${rejected.commissionId}/reject`, note);
  const corrected = await shop.earn(70);
  const { saleId } = (
    await people.admin.get<{ data: { saleId: number } }>(
      `/api/programs/${shop.world.programId}/commissions/${corrected.commissionId}`,
    )
  ).body.data;
  const correction = { amountCents: 600, reason: "typo" };
  const reply = await people.admin.post(`/api/programs/${shop.world.programId}/sales/${saleId}/correct`, correction);
  expect(reply.status, reply.text).toBe(200);
  await shop.earn(9_999, { partner: shop.bob });
  await shop.sale({ customer_key: "nobody's" });

  const { data, meta } = await list(people.stranger, shop.side);
  expect(meta).toEqual({ nextCursor: null });
  const { entries } = (
    await people.stranger.get<{ data: { entries: (Entry & { corrected: boolean })[] } }>(`${shop.side}/statement`)
  ).body.data;
  expect(entries.filter((entry) => entry.corrected)).toMatchObject([{ kind: "reversed", amountCents: -70 }]);
  const plain = {
    ...{ ref: expect.stringMatching(/^[A-Z2-7]{10}$/), date: today(), underReview: false, underReviewSince: null },
    inPayout: false,
    ...{ corrected: false, currency: "EUR", holdUntil: expect.stringMatching(/Z$/), sub: null, partnerNote: null },
  };
  const change = (kind: string, amountCents: number) => ({ kind, amountCents, date: today() });
  expect(data).toEqual([
    { ...plain, status: "pending", amountCents: 120, changes: [change("earned", 120)] },
    {
      ...{ ...plain, status: "reversed", corrected: true, amountCents: 0 },
      changes: [change("earned", 70), change("corrected", -70)],
    },
    {
      ...{ ...plain, status: "rejected", amountCents: 0, partnerNote: note.partnerNote },
      changes: [change("earned", 300), change("rejected", -300)],
    },
    {
      ...{ ...plain, status: "pending", amountCents: 900 },
      changes: [
        change("earned", 1_000),
        change("refunded", -200),
        change("refund_restored", 200),
        change("refunded", -100),
      ],
    },
  ]);
  expect((await list(people.stranger, shop.side)).data.map(({ ref }) => ref)).toEqual(data.map(({ ref }) => ref));
  expect(new Set(data.map(({ ref }) => ref)).size).toBe(4);

  const { text } = await people.stranger.get(`${shop.side}/commissions?format=csv&status=rejected`);
  const [head = [], line = []] = parseCsv(text.replace("\uFEFF", ""));
  expect(Object.fromEntries(head.map((name, i) => [name, line[i]]))).toMatchObject({
    ...{ ref: data[2]?.ref, status: "rejected", amount: "0.00", currency: "EUR", note: note.partnerNote },
  });
});

test("an unconfirmed commission is shown to the partner as pending, and as under review after its hold period", async () => {
  const sell = async (holdDays: number) => {
    const shop = await newShop(holdDays);
    const { click_id } = await shop.visit();
    await shop.browserLead({ customer_key: "u", click_id });
    await shop.sale({ customer_key: "u" });
    return { side: shop.side, commission: (await list(people.stranger, shop.side)).data[0] };
  };
  const { commission: held } = await sell(10);
  expect(held).toMatchObject({ status: "pending", underReview: false, underReviewSince: null });
  const { side, commission } = await sell(0);
  const since = commission?.holdUntil;
  expect(commission).toMatchObject({ status: "pending", underReview: true, underReviewSince: since });
  const { body } = await people.stranger.get<{ data: { entries: object[] } }>(`${side}/statement`);
  expect(body.data.entries).toMatchObject([{ kind: "earned", underReview: true, underReviewSince: since }]);
});

test("a partner sees the note on a manually held commission only after its hold period, and not after a refund", async () => {
  for (const [holdDays, partnerNote] of [
    [10, null],
    [0, "We have a question"],
  ] as const) {
    const shop = await newShop(holdDays);
    const { commissionId, transaction_id } = await shop.earn(1_000);
    const note = { reason: "odd", partnerNote: "We have a question" };
    await people.admin.post(`/api/programs/${shop.world.programId}/commissions/${commissionId}/hold`, note);
    expect((await list(people.stranger, shop.side)).data).toMatchObject([{ status: "pending", partnerNote }]);
    await shop.giveBack(transaction_id);
    expect((await list(people.stranger, shop.side)).data).toMatchObject([{ status: "reversed", partnerNote: null }]);
  }
});

test("a partner's commissions show the link's sub-id, and can be filtered by it", { tags: "soak" }, async () => {
  const shop = await newShop();
  for (const sub of ["blog", "mail"]) {
    const { click_id } = await shop.visit({ affiliate_url: `${shop.alice.landingUrl}&aff_sub=${sub}` });
    await shop.lead({ customer_key: sub, click_id });
    await shop.sale({ customer_key: sub });
  }
  await shop.earn(1);
  expect((await list(people.stranger, shop.side)).data.map(({ sub }) => sub)).toEqual([null, "mail", "blog"]);
  expect((await list(people.stranger, shop.side, "?sub=blog")).data.map(({ sub }) => sub)).toEqual(["blog"]);
  expect((await list(people.stranger, shop.side, "?sub=none")).data).toEqual([]);
  expect(invalidFields(await people.stranger.get(`${shop.side}/commissions?sub=a%20b`))).toEqual(["sub"]);
});

test("a partner's commissions can be filtered and paged", { tags: "soak" }, async () => {
  const shop = await newShop(0);
  await shop.refer("c1");
  await Promise.all(Array.from({ length: 52 }, () => shop.sell()));
  const first = await list(people.stranger, shop.side);
  const second = await list(people.stranger, shop.side, `?cursor=${first.meta.nextCursor}`);
  expect([first.data.length, second.data.length, second.meta.nextCursor]).toEqual([50, 2, null]);
  const refs = [...first.data, ...second.data].map(({ ref }) => ref);
  expect(new Set(refs).size).toBe(52);
  // The cursor is encrypted, because it contains an id.
  expect(first.meta.nextCursor).toMatch(/^\d+\.[\w-]{16}\.[\w-]+$/);

  const bobs = await partnerSide(shop.world, people.stranger, shop.bob.id);
  for (const [path, query, field] of [
    [bobs, `cursor=${first.meta.nextCursor}`, "cursor"],
    [shop.side, "cursor=52", "cursor"],
    [shop.side, "status=void", "status"],
    [shop.side, "from=2026-02-01&to=2026-01-01", "from"],
  ]) {
    const reply = await people.stranger.get(`${path}/commissions?${query}`);
    expect([reply.status, invalidFields(reply)]).toEqual([400, [field]]);
  }
  expect((await list(people.stranger, shop.side, "?status=approved")).data).toHaveLength(50);
  expect((await list(people.stranger, shop.side, "?status=pending")).data).toEqual([]);
  expect((await list(people.stranger, shop.side, `?from=${today()}`)).data).toHaveLength(50);
  expect((await list(people.stranger, shop.side, "?to=2026-01-01")).data).toEqual([]);
  const { text } = await people.stranger.get(`${shop.side}/commissions?format=csv`);
  expect(parseCsv(text)).toHaveLength(53);
  expect((await list(people.stranger, bobs)).data).toEqual([]);
});

test("a rejected commission of 0 cents shows the note to the partner", { tags: "soak" }, async () => {
  const shop = await newShop();
  const { commissionId } = await shop.earn(1);
  await shop.earn(100);
  const { transaction_id } = await shop.earn(40);
  await shop.giveBack(transaction_id, { refund_id: "r", refund_amount_cents: 1 });
  await shop.refer("small");
  const { body } = await shop.sell({ transaction_id: "small", customer_key: "small", amount_cents: 1 });
  const reject = (id: number, partnerNote?: string) =>
    people.admin.post(`/api/programs/${shop.world.programId}/commissions/${id}/reject`, {
      reason: "a test",
      partnerNote,
    });
  expect((await reject(Number(body.commission_id), "Too small")).status).toBe(200);
  expect((await reject(commissionId)).status).toBe(200);
  const { data } = await list(people.stranger, shop.side, "?status=rejected");
  expect(data.map(({ changes, partnerNote }) => [changes.map(({ kind }) => kind), partnerNote])).toEqual([
    [["earned"], "Too small"],
    [["earned", "rejected"], null],
  ]);
});

test("a member finds a commission by the ref that the partner sees, and sees the same ref", async () => {
  const [shop, other] = [await newShop(), await newShop()];
  const { commissionId } = await shop.earn(1_000);
  await shop.earn(500);
  const [, { ref } = expect.unreachable()] = (await list(people.stranger, shop.side)).data;
  const found = async (q: string, { programId } = shop.world) => {
    const { body } = await people.viewer.get<{ data: { query: object }[] }>(`/api/tracking/search/${programId}?q=${q}`);
    return body.data.map(({ query }) => query);
  };
  for (const text of [ref, ref.toLowerCase()]) {
    expect(await found(text)).toEqual([{ commissionId: String(commissionId) }]);
  }
  expect(await found(ref, other.world)).toEqual([]);
  expect(await found("AAAAAAAAAA")).toEqual([]);
  const commissions = `/api/programs/${shop.world.programId}/commissions`;
  const own = (await people.viewer.get<{ data: { ref: string } }>(`${commissions}/${commissionId}`)).body.data.ref;
  const listed = (await people.viewer.get<{ data: { ref: string }[] }>(commissions)).body.data.map((each) => each.ref);
  const filed = parseCsv((await people.viewer.get(`${commissions}?format=csv`, { checked: false })).text);
  expect([own, listed[1]]).toEqual([ref, ref]);
  expect(JSON.stringify(filed[2])).toContain(ref);
  const decided = await people.admin.post<{ data: { ref: string } }>(`${commissions}/${commissionId}/approve`, {});
  expect(decided.body.data.ref).toBe(ref);
});

interface Payout {
  readonly reference: string;
  readonly status: string;
}

test("a partner sees their own part of a payout once it is final, including payments that failed", async () => {
  const shop = await newShop(0);
  const payouts = () => read<Payout>(people.stranger, `${shop.side}/payouts`);
  const pay = async (reference: string, cents: number) => {
    await shop.earn(cents);
    await shop.earn(cents + 5, { partner: shop.bob });
    return (await shop.create({ reference })).body.data.id;
  };
  const paid = await pay("2026-01", 100);
  expect((await payouts()).data).toEqual([]);
  await shop.confirm(paid);
  const failed = await pay("2026-02", 200);
  await shop.confirm(failed);
  const noted = { reason: "account closed", partnerNote: "Your bank refused it." };
  await shop.post("admin", `/${failed}/lines/${shop.alice.id}/fail`, noted);
  const canceled = await pay("2026-03", 300);
  await shop.finalize(canceled);
  await shop.cancel(canceled);
  await shop.finalize(await pay("2026-04", 400));
  const line = { currency: "EUR", paidAt: null, failedAt: null, partnerNote: null, statementNumber: null };
  const { data, meta } = await payouts();
  expect(data).toEqual([
    { ...line, reference: "2026-04", status: "final", amountCents: 900 },
    {
      ...line,
      reference: "2026-02",
      status: "failed",
      failedAt: expect.stringMatching(/Z$/),
      amountCents: 200,
      partnerNote: "Your bank refused it.",
      statementNumber: 2,
    },
    {
      ...line,
      reference: "2026-01",
      status: "paid",
      amountCents: 100,
      paidAt: expect.stringMatching(/Z$/),
      statementNumber: 1,
    },
  ]);
  expect(meta).toEqual({ nextCursor: null });
  expect((await shop.get(failed)).lines).toHaveLength(2);
});

test("a cursor of a partner's list of payouts contains a payout's reference, and the next page continues after that payout", async () => {
  const shop = await newShop(0);
  await shop.earn(100);
  await shop.confirm((await shop.create({ reference: "real" })).body.data.id);
  await shop.earn(50);
  await shop.confirm((await shop.create({ reference: "newer" })).body.data.id);
  const after = async (reference: string) => {
    const cursor = Buffer.from(JSON.stringify(["own-payouts", reference])).toString("base64url");
    const { data } = await read<Payout>(people.stranger, `${shop.side}/payouts?cursor=${cursor}`);
    return data.map((payout) => payout.reference);
  };
  expect([await after("newer"), await after("real"), await after("unknown")]).toEqual([["real"], [], []]);
});
