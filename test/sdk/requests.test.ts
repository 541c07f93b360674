import { expect, test } from "vitest";
import { blocksOf, readDocument } from "../support/documents.ts";
import { eventually } from "../support/isolated-service.ts";
import { inTestMode } from "../support/program-fixture.ts";
import { command } from "./command.ts";
import { json, openShop } from "./command-at-shop.ts";
import { answer, serverThat } from "./server-that.ts";

const cli = command();
const key = `svc_1_${"k".repeat(43)}`;

test("requests prints the calls that arrived, and their responses", async () => {
  const { shop, run } = await openShop(cli, { keys: [{ name: "Shop" }] });
  const { api, world } = shop;
  const options = { key: world.key, headers: { "x-request-id": "request-of-mine" } };
  await api.sale({ transaction_id: "t1", amount_cents: 100, customer_key: "u1" }, options);
  await api.sale({ transaction_id: "t1", amount_cents: 200, customer_key: "u1" }, options);
  await api.refund({ ...inTestMode, transaction_id: "t2" }, options);
  const { out } = await eventually(
    () => run("requests"),
    ({ out }) => out.trim().split("\n").length === 3,
  );
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
  expect(out.trim().split("\n")).toEqual([
    expect.stringMatching(`^✗ ${time}  refund  404  refused +test, t2, sale_not_found, Shop +request-of-mine$`),
    expect.stringMatching(`^✗ ${time}  sale    409  conflict +t1, duplicate_transaction, Shop +request-of-mine$`),
    expect.stringMatching(`^! ${time}  sale    200  unattributed  t1, customer_not_found, Shop +request-of-mine$`),
  ]);
  const narrowed = [
    "--transaction",
    "t1",
    "--customer",
    "u1",
    "--event",
    "sale",
    "--outcome",
    "conflict",
    "--since",
    "1h",
  ];
  expect(json(await run("requests", "--json", "--request", "request-of-mine", ...narrowed))).toMatchObject({
    data: [{ outcome: "conflict", status: 409 }],
    meta: { dropped: 0 },
  });
  expect(await run("requests", "--transaction", "t9")).toMatchObject({
    code: 1,
    out: "No such call arrived in the last seven days.\n",
  });
});

test("requests explains what it doesn't show, and which flag is wrong", async () => {
  const call = { request_id: "r", at: "2026-11-01T00:00:00.000Z", route: "/api/v1/track/lead", test_mode: false };
  const data = [{ ...call, status: 401, code: "invalid_key", outcome: "refused" }];
  const server = await serverThat(answer(200, { data, meta: { next_cursor: "more", dropped: 3 } }));
  const run = (...args: string[]) => cli.run(["requests", "--url", server.url, ...args], { TRIBUTARY_API_KEY: key });
  expect(await run()).toEqual({
    code: 0,
    out: "✗ 2026-11-01 00:00:00  lead  401  refused  invalid_key, no key  r\n",
    err: "Only the newest 1 are shown. Filter for fewer.\n3 calls of the last seven days could not be kept.\n",
  });
  expect(await run("--event", "order")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--event must be one of"),
  });
  expect(await run("--since", "soon")).toMatchObject({ code: 2, err: expect.stringContaining("--since must be") });
});

test("the printed lines in the guide match the guide's calls", async () => {
  const call = { route: "/api/v1/track/sale", key_name: "Shop", transaction_id: "in_1042", test_mode: false };
  const repeated = { status: 409, code: "duplicate_transaction", outcome: "duplicate" };
  const data = [
    { ...call, ...repeated, request_id: "9f0c4e1b7a2d5c6e8f1a3b4c", at: "2026-05-07T10:15:31.204Z" },
    {
      ...{ ...call, status: 200, code: null, outcome: "recorded" },
      ...{ request_id: "1b7a2d5c6e8f1a3b4c9f0c4e", at: "2026-05-07T10:15:30.117Z" },
    },
  ];
  const server = await serverThat(answer(200, { data, meta: { next_cursor: null, dropped: 0 } }));
  const { out } = await cli.run(["requests", "--url", server.url], { TRIBUTARY_API_KEY: key });
  const guide = blocksOf(readDocument("docs/cli.md")).find(({ text }) => text.includes("duplicate_transaction"));
  expect(guide?.text.trim()).toBe(out.trim());
});
