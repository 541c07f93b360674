import { expect, test } from "vitest";
import { inOrderOfMoney, maxCounted, noToDo } from "#domain/to-do.ts";
import { shown } from "../support/dashboard.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface ToDo {
  readonly kind: string;
  readonly count: number;
  readonly hasMore: boolean;
  readonly amounts: readonly { readonly currency: string; readonly cents: number }[];
  readonly names: readonly string[];
  readonly onlyId: number | null;
  readonly withoutDetails: number;
  readonly heldToo: number;
}

async function open() {
  const shop = await payoutsFixture(people);
  const program = `/api/programs/${shop.world.programId}`;
  const toDo = async () => (await shown(people.viewer.get<{ data: readonly ToDo[] }>(`${program}/to-do`))).data;
  const read = async <Body>(path: string) => shown(people.viewer.get<Body>(`${program}/${path}`));
  return { ...shop, program, toDo, read };
}

interface Commissions {
  readonly data: readonly { readonly id: number; readonly amountCents: number }[];
}

test("the to-do list is empty in a new program", async () => {
  const { toDo } = await open();
  expect(await toDo()).toEqual([]);
});

test("the to-do list has the count and sum of each kind of open work, largest amount first", async () => {
  const { toDo, read, earn, alice, bob, world, program, browserLead, click, sell, setEmail, write } = await open();
  for (const name of ["alice", "alice.b"]) await setEmail(alice.id, `${name}@partner.example`);
  await earn(900);
  await earn(70, { partner: bob });
  await earn(40, { currency: "USD" });
  const held = await earn(300);
  await people.admin.post(`${program}/commissions/${held.commissionId}/hold`, { reason: "looks odd" });
  for (const [customer_key, amount_cents] of [
    ["b1", 1_000],
    ["b2", 2_000],
  ] as const) {
    await browserLead({ click_id: click(bob, daysAgo(1)), customer_key });
    await sell({ customer_key, amount_cents });
  }
  await people.admin.put(`${program}/join`, {
    mode: "approval",
    slug: `shop-${world.programId}`,
    headline: "Earn",
    description: "",
    questions: [],
  });
  for (const name of ["Tent Talk", "Fjord & Fell"]) {
    const user = await sharedUser();
    const { status, text } = await user.post(`/api/join/shop-${world.programId}`, { name, answers: {} });
    expect(status, text).toBe(201);
  }
  const hook = await people.admin.post<{ data: { id: number } }>(`${program}/webhooks`, {
    url: "https://hooks.shop.example/in",
  });
  await write("update webhooks set failing_since = ?, failures = 3 where program_id = ?", Date.now(), world.programId);

  const found = await toDo();
  expect(found.map(({ kind }) => kind)).toEqual([
    "payable",
    "unconfirmed",
    "held",
    "applications",
    "details",
    "webhooks",
  ]);
  const of = (kind: string) => found.find((each) => each.kind === kind) ?? { ...noToDo, kind };

  const listed = async (query: string) => (await read<Commissions>(`commissions?${query}`)).data;
  for (const [kind, query] of [
    ["held", "held=true"],
    ["unconfirmed", "status=pending&unconfirmed=true"],
  ] as const) {
    const rows = await listed(query);
    const cents = rows.reduce((sum, { amountCents }) => sum + amountCents, 0);
    expect(of(kind)).toMatchObject({ count: rows.length, hasMore: false, amounts: [{ currency: "EUR", cents }] });
  }
  expect(of("held").onlyId).toBe(held.commissionId);
  const { data: applications } = await read<{ data: readonly { name: string }[] }>("applications?status=pending");
  expect(of("applications")).toMatchObject({ count: applications.length, names: ["Tent Talk", "Fjord & Fell"] });
  expect(of("webhooks")).toMatchObject({ count: 1, names: ["hooks.shop.example"], onlyId: hook.body.data.id });
  expect(of("payable")).toMatchObject({ count: 2, withoutDetails: 1 });
  expect(of("payable").amounts).toEqual([
    { currency: "EUR", cents: 970 },
    { currency: "USD", cents: 40 },
  ]);
  // Alice's email address was replaced.
  expect(of("details")).toMatchObject({ count: 1, onlyId: alice.id });
});

test("changed payment details stay in the to-do list until a payout with the partner is finalized", async () => {
  const { toDo, earn, create, finalize, alice, setEmail } = await open();
  for (const name of ["alice", "alice.b"]) await setEmail(alice.id, `${name}@partner.example`);
  await earn(900);
  const kinds = async () => (await toDo()).map(({ kind, count }) => [kind, count]);
  expect(await kinds()).toEqual([
    ["payable", 1],
    ["details", 1],
  ]);
  const draft = (await create()).body.data;
  expect(await kinds()).toEqual([
    ["draft", 1],
    ["details", 1],
  ]);
  const [line] = draft.lines;
  await finalize(draft.id, { includeChanged: true, changedUntil: line?.detailsChangedAt ?? "" });
  expect(await kinds()).toEqual([["unpaid", 1]]);
});

test("payable amounts that a draft doesn't include stay in the to-do list", async () => {
  const { toDo, earn, create, alice, bob } = await open();
  await earn(900);
  await earn(70, { partner: bob });
  await earn(50, { currency: "USD" });
  await create({ partnerIds: [alice.id] });
  const amounts = async () =>
    (await toDo()).map(({ kind, count, amounts }) => [kind, count, ...amounts.map((each) => each.cents)]);
  expect(await amounts()).toEqual([
    ["draft", 1, 900],
    ["payable", 2, 70, 50],
  ]);
  await earn(30);
  expect(await amounts()).toEqual([
    ["draft", 1, 900],
    ["payable", 2, 100, 50],
  ]);
});

test("an amount is listed in the to-do list as payable, then as a draft, then as an unpaid payout", async () => {
  const { toDo, earn, create, finalize, confirm, bob, program } = await open();
  await earn(900);
  await earn(70, { partner: bob });
  await people.admin.patch(program, { minimumPayoutCents: 100 });
  const [payable] = await toDo();
  const draft = (await create()).body.data;
  expect(payable).toMatchObject({
    ...{ kind: "payable", count: draft.lineCount, amounts: [{ currency: "EUR", cents: draft.totalCents }] },
  });
  expect(await toDo()).toMatchObject([{ kind: "draft", count: 1, onlyId: draft.id, names: [draft.reference] }]);
  await finalize(draft.id);
  expect(await toDo()).toMatchObject([
    { kind: "unpaid", count: 1, onlyId: draft.id, amounts: [{ currency: "EUR", cents: 900 }] },
  ]);
  await confirm(draft.id);
  expect(await toDo()).toEqual([]);
});

test("the to-do list counts at most a thousand of each kind", async () => {
  const { toDo, world, write } = await open();
  await write(
    `insert into applications (id, program_id, account_id, name, answers, status, created_at)
      select ?1 + value, ?1, 'account ' || value, 'Blog ' || value, '{}', 'pending', value
      from generate_series(1, ${maxCounted + 5})`,
    world.programId,
  );
  expect(await toDo()).toMatchObject([
    { kind: "applications", count: maxCounted, hasMore: true, names: ["Blog 1", "Blog 2", "Blog 3"] },
  ]);
});

test("the to-do list is ordered by amounts in the program's currency, then in others, then by kind", () => {
  const of = (kind: "held" | "webhooks" | "applications" | "payable", amounts: readonly [string, bigint][]) => ({
    ...{ ...noToDo, kind, count: 1, amounts: amounts.map(([currency, cents]) => ({ currency, cents })) },
  });
  const all = [
    of("webhooks", []),
    of("applications", []),
    of("held", [["USD", 900n]]),
    of("payable", [["EUR", 5n]]),
    { ...of("held", [["EUR", 700n]]), count: 0 },
  ];
  expect(inOrderOfMoney(all, "EUR").map(({ kind }) => kind)).toEqual(["payable", "held", "applications", "webhooks"]);
});

test("a held commission that is also unconfirmed is counted as both, and the to-do list says how many commissions are both", async () => {
  const { toDo, bob, program, browserLead, click, sell } = await open();
  const sales: number[] = [];
  for (const customer_key of ["b1", "b2"]) {
    await browserLead({ click_id: click(bob, daysAgo(1)), customer_key });
    sales.push(Number((await sell({ customer_key, amount_cents: 1_000 })).body.commission_id));
  }
  await people.admin.post(`${program}/commissions/${sales[0]}/hold`, { reason: "looks odd" });
  const counts = (await toDo()).map(({ kind, count, heldToo }) => [kind, count, heldToo]);
  expect(Object.fromEntries(counts.map(([kind, ...rest]) => [kind, rest]))).toEqual({
    held: [1, 0],
    unconfirmed: [2, 1],
  });
});
