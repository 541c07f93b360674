import { connect } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { browserHeaders, type Reply } from "../../harness/client.ts";
import { chosenRuntime } from "../../harness/runtimes.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import type { ProgramFixture } from "../support/program-fixture.ts";
import { programFixture } from "../support/program-fixture.ts";

const own = isolatedService();

let shop: ProgramFixture;
let requestId: string;
beforeEach(async () => {
  requestId = crypto.randomUUID();
  shop = programFixture(await own.world({ partners: [{}, {}] }), own.api());
  own.service.clearLogs();
});

type Line = Readonly<Record<string, unknown>>;
const linesOf = (): Line[] => own.service.logs.map((line) => JSON.parse(line) as Line);
const lineOf = async (id: string) => {
  const lines = await eventually(
    async () => linesOf().filter((line) => line.request_id === id && "status" in line),
    (found) => found.length > 0,
  );
  expect(lines).toHaveLength(1);
  return lines[0] ?? {};
};
const asked = () => ({ key: shop.world.key, headers: { "x-request-id": requestId } });

const sale = { transaction_id: "t", amount_cents: 100, customer_key: "u" };
type Send = () => Promise<Reply<unknown>>;

describe("the log", () => {
  it.each<[route: string, status: number, outcome: string, send: Send, method?: string]>([
    ["/api/v1/track/click", 200, "ok", () => shop.api.click({ affiliate_url: shop.alice.landingUrl }, asked())],
    ["/api/v1/track/lead", 200, "ok", () => shop.api.lead({ customer_key: "u" }, asked())],
    ["/api/v1/track/sale", 200, "ok", () => shop.api.sale(sale, asked())],
    ["/api/v1/track/sale", 400, "invalid_input", () => shop.api.sale({}, asked())],
    ["/api/v1/track/refund", 404, "sale_not_found", () => shop.api.refund({ transaction_id: "t" }, asked())],
    ["/api/v1/programs/me/readiness", 200, "ok", () => shop.api.readiness(asked()), "GET"],
  ])(
    "the log has one line for each request, with its outcome: %s %i %s",
    async (route, status, outcome, send, method = "POST") => {
      expect((await send()).status).toBe(status);
      expect(await lineOf(requestId)).toEqual({
        level: "info",
        request_id: requestId,
        operation_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        method,
        route,
        status,
        outcome,
        program_id: shop.world.programId,
        duration_ms: expect.any(Number),
        database_round_trips: expect.any(Number),
      });
    },
  );

  it("the log has each request's number of database requests", async () => {
    await shop.api.sale({ ...sale, transaction_id: "before" }, { key: shop.world.key });
    await shop.api.sale(sale, asked());
    expect(await lineOf(requestId)).toMatchObject({ database_round_trips: 2 });
  });

  it("the log also has requests to unknown paths", async () => {
    const headers = { "x-request-id": requestId };
    await shop.api.request("GET", "/api/v1/secret?token=hush", { headers, checked: false });
    const line = await lineOf(requestId);
    expect(line).toMatchObject({ level: "info", status: 404, outcome: "route_not_found" });
    expect(line).not.toHaveProperty("program_id");
  });
});

it("the log contains no personal data and no secrets", async () => {
  const { api, world, alice, visit, lead } = shop;
  const agent = "SecretAgent/7.1";
  const ip = "203.0.113.77";
  const from = { ip, browser: true, headers: { "user-agent": agent, "x-request-id": requestId } };
  const { click_id } = await visit({ page_url: "https://shop.example/?token=hush-hush", session_id: "s-4711" }, from);
  await lead({ click_id, customer_key: "user-17", email: "me@mail.example", session_id: "s-4711" });
  await api.sale({ ...sale, transaction_id: "in_1042" }, { key: world.key, ip });
  await api.lead({ email: "me@mail.example", customer_key: 5 }, { key: world.key });
  await api.readiness({ key: "svc_guess_hush-hush" });
  await api.request("GET", `/api/v1/nothing?key=${world.key}`, { key: world.key, checked: false });
  await lineOf(requestId);
  await eventually(
    async () => linesOf().length,
    (count) => count >= 6,
  );
  const log = own.service.logs.join("\n");
  const told = [world.key, world.key.slice(-43), alice.code, click_id, agent, ip, "hush", "s-4711", "user-17"];
  const sent = [...told, "in_1042", "mail.example", browserHeaders.origin];
  for (const secret of sent) expect(log.includes(secret), secret).toBe(false);
});

describe("details of an error are only in the log", () => {
  it("a 500 is logged with its cause and the request's id, and the response has no details", async () => {
    const { api, world, alice, visit } = shop;
    const landing = { affiliate_url: alice.landingUrl, program_id: world.programId };
    await visit();
    // The Ledger still has the link in its cache, so the insert violates a foreign key.
    for (const table of ["clicks", "referral_links"]) {
      await world.rows(`delete from ${table} where program_id = ?`, world.programId);
    }
    const reply = await api.click(landing, { headers: { "x-request-id": requestId } });
    const error = { status: 500, name: "InternalServerError", message: "Click tracking failed", details: {} };
    expect(reply).toMatchObject({ status: 500, body: { data: null, error } });
    expect(reply.text).not.toMatch(/sql|constraint|foreign|at \w+ \(|operation/i);
    expect(reply.headers.get("x-request-id")).toBe(requestId);

    const line = await lineOf(requestId);
    expect(line).toMatchObject({ level: "error", status: 500, outcome: "internal" });
    const [cause] = linesOf().filter((other) => other.operation_id === line.operation_id && "error" in other);
    expect(cause).toMatchObject({ event: "ledger.statement_refused", error: expect.stringMatching(/FOREIGN KEY/) });
  });

  it("a 503 is logged with its cause, and the response is readable cross-origin and has Retry-After", async () => {
    await own.proxy.disconnect();
    const landing = { affiliate_url: shop.alice.landingUrl, program_id: shop.world.programId };
    const reply = await shop.api.click(landing, { browser: true, headers: { "x-request-id": requestId } });
    const readiness = await shop.api.readiness({ key: shop.world.key });
    await own.proxy.connect();
    expect(reply).toMatchObject({ status: 503, body: { data: null, error: { name: "ServiceUnavailableError" } } });
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(reply.headers.get("access-control-expose-headers")).toContain("Retry-After");
    expect(readiness).toMatchObject({ status: 503, body: { error: { code: "service_unavailable" } } });
    expect(reply.text + readiness.text).not.toMatch(/127\.0\.0\.1|fetch|connect|sql/i);
    expect(await lineOf(requestId)).toMatchObject({ level: "error", status: 503, outcome: "unavailable" });
    expect(linesOf()).toContainEqual(expect.objectContaining({ event: "ledger.database_lost" }));
    const isOfReadiness = ({ route, status }: Line) => route === "/api/v1/programs/me/readiness" && status === 503;
    await expect.poll(() => linesOf().filter(isOfReadiness)).toHaveLength(1);
    const sell = async () => (await shop.api.sale({ ...sale, transaction_id: "later" }, asked())).status;
    await expect.poll(sell).toBeOneOf([200, 409]);
    await expect.poll(linesOf).toContainEqual({ level: "info", event: "ledger.database_recovered" });
  });
});

describe("malformed HTTP is refused, and not logged as an error", () => {
  const json = "Content-Type: application/json";
  const post = (...headers: string[]) => ["POST /api/v1/track/click HTTP/1.1", json, ...headers, "", ""].join("\r\n");
  const host = () => `Host: ${new URL(own.service.url).host}`;

  const statusOf = (text: string) =>
    new Promise<number>((resolve, reject) => {
      let answer = "";
      const { hostname, port } = new URL(own.service.url);
      const socket = connect(Number(port), hostname, () => socket.write(text));
      const finish = () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0));
      socket.on("error", reject).on("close", finish);
      socket.on("data", (data) => {
        answer += data;
        if (answer.includes("\r\n\r\n")) socket.destroy();
      });
    });

  it.each<[string, () => string]>([
    ["a chunk without a length", () => `${post(host(), "Transfer-Encoding: chunked")}zz\r\n{}\r\n0\r\n\r\n`],
    ["a chunk that is shorter than its length", () => `${post(host(), "Transfer-Encoding: chunked")}2\r\n{}{}\r\n`],
    ["no host", () => `${post("Content-Length: 2")}{}`],
    ["an invalid host", () => "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n"],
    ["an invalid port", () => "GET /healthz HTTP/1.1\r\nHost: tributary.example:99999\r\n\r\n"],
    ["two hosts", () => `GET /healthz HTTP/1.1\r\n${host()}\r\n${host()}\r\n\r\n`],
    ["OPTIONS *, with a port", () => `OPTIONS * HTTP/1.1\r\n${host()}\r\n\r\n`],
    ["OPTIONS *, without a port", () => "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ])(
    "malformed HTTP is refused and not logged as an error: a request with %s",
    { tags: ["finding"] },
    async (_, text) => {
      expect(await statusOf(text())).toBe(400);
      expect(own.service.logs.filter((line) => /error/.test(line))).toEqual([]);
    },
  );

  it("an HTTP CONNECT request is refused", { tags: ["finding"] }, async () => {
    const isNode = chosenRuntime(process.env) === "node";
    const status = await statusOf("CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n");
    // workerd returns 500 and logs an error, because the Worker has no handler for CONNECT.
    expect(status).toBe(isNode ? 405 : 500);
    if (isNode) expect(own.service.logs.filter((line) => /error/.test(line))).toEqual([]);
  });
});
