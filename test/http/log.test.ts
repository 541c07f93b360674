import { expect, test } from "vitest";
import { hashProgramKey } from "#domain/program-key.ts";
import { key, programId, recordedBefore, service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const requestId = "request-0001";
const headers = { "X-Request-Id": requestId };

test.each([
  ["ok", {}, sale, 200],
  ["invalid_input", {}, {}, 400],
  ["duplicate_transaction", { sale: recordedBefore }, sale, 409],
  ["unavailable", { sale: { code: "unavailable", retryAfterSeconds: 1 } as const }, sale, 503],
])("a request adds one line to the log, with its outcome: %s", async (outcome, script, body, status) => {
  const { sale: send, lines, calls } = service(script);
  await send(body, { headers });
  expect(lines()).toHaveLength(1);
  expect(JSON.parse(lines()[0] ?? "")).toEqual({
    level: status >= 500 ? "error" : "info",
    request_id: requestId,
    operation_id: calls[0]?.operationId,
    method: "POST",
    route: "/api/v1/track/sale",
    status,
    outcome,
    program_id: programId,
    duration_ms: expect.any(Number),
    database_round_trips: 2,
  });
});

test("a call that fails in the Ledger adds one line to the log, with the error and its causes", async () => {
  const cause = new Error("the disk is on fire");
  const { sale: send, lines } = service({ throws: [new Error("write failed", { cause })] });
  await send(sale, { headers });
  expect(lines().map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      request_id: requestId,
      status: 503,
      error: "Error: write failed, caused by Error: the disk is on fire",
    }),
  ]);
});

test("the log contains no API key, customer_key, transaction_id, email, address or query string that a caller sent", async () => {
  const { send, click: clicked, lead, sale: sold, lines } = service({ throws: [new Error("x")] });
  const secrets = [
    "me@example.com",
    key,
    hashProgramKey(key),
    "203.0.113.9",
    "SecretAgent",
    "hush",
    "user-17",
    "in_1042",
  ];
  const told = {
    headers: { "CF-Connecting-IP": "203.0.113.9", "User-Agent": "SecretAgent", "Sec-Fetch-Site": "cross-site" },
  };
  await clicked({ ...click, page_url: "https://shop.example/?token=hush", user_agent: "SecretAgent" }, told);
  await lead({ customer_key: "user-17", email: "me@example.com" }, { key, ...told });
  await lead({ customer_key: 5, email: "me@example.com" }, { key, ...told });
  await sold({ transaction_id: "in_1042", amount_cents: 1, customer_key: "user-17" }, told);
  await send({ method: "GET", path: `/api/v1/programs/me/readiness?token=hush&key=${key}`, key });
  await send({ method: "GET", path: "/api/v1/hush?token=hush" });
  for (const secret of secrets) expect(lines().join("\n")).not.toContain(secret);
});
