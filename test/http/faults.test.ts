import { afterEach, describe, expect, test, vi } from "vitest";
import { programId, service } from "./service.ts";

const bodies = {
  click: { affiliate_url: "https://shop.example/?aff=anna", program_id: 7 },
  lead: { customer_key: "u1", program_id: 7 },
  sale: { transaction_id: "t1", amount_cents: 100, customer_key: "u1" },
  refund: { transaction_id: "t1" },
};
const events = ["click", "lead", "sale", "refund"] as const;
const fault = (flags: object) => Object.assign(new Error("SQLITE: secret detail"), flags);

afterEach(() => vi.useRealTimers());

describe.each(events)("a call to the Ledger for a %s", (event) => {
  const send = (throws: readonly unknown[]) => {
    const { [event]: call, calls, lines } = service({ throws });
    return { reply: call(bodies[event]), calls, lines };
  };

  test.each([{ retryable: true }, { durableObjectReset: true }, { retryable: true, remote: true }])(
    "a call to the Ledger is retried once, with the same operation id, after %j",
    async (flags) => {
      const { reply, calls } = send([fault(flags)]);
      expect((await reply).status).toBe(200);
      expect(calls).toHaveLength(2);
      expect(calls[1]).toEqual(calls[0]);
    },
  );

  test("a call to the Ledger isn't retried a second time", async () => {
    const { reply, calls } = send([fault({ retryable: true }), fault({ durableObjectReset: true })]);
    expect((await reply).status).toBe(503);
    expect(calls).toHaveLength(2);
  });

  test.each([{ overloaded: true }, { overloaded: true, retryable: true }])(
    "a call to the Ledger isn't retried after %j",
    async (flags) => {
      const { reply, calls } = send([fault(flags)]);
      const { status, headers, body } = await reply;
      expect(status).toBe(503);
      expect(headers.get("Retry-After")).toBe("5");
      expect(body).toMatchObject({ data: null, error: { name: "ServiceUnavailableError", details: {} } });
      expect(calls).toHaveLength(1);
    },
  );

  test.each([fault({}), fault({ remote: true }), "a string", undefined, { name: "x" }])(
    "a call to the Ledger isn't retried after the unexpected error %s, and the response reveals no details",
    async (thrown) => {
      const { reply, calls, lines } = send([thrown]);
      const { status, headers, body } = await reply;
      expect(status).toBe(503);
      expect(headers.get("Retry-After")).toBe("5");
      expect(JSON.stringify(body)).not.toContain("secret detail");
      expect(calls).toHaveLength(1);
      expect(lines()).toHaveLength(1);
      if (thrown instanceof Error) expect(lines().join()).toContain("secret detail");
    },
  );

  test("a call waits up to ten seconds for the Ledger, even if the caller disconnects", async () => {
    vi.useFakeTimers();
    const { [event]: call, waited } = service({ throws: [new Promise(() => {})] });
    const reply = call(bodies[event]);
    await vi.advanceTimersByTimeAsync(9_900);
    expect(waited).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect((await reply).status).toBe(503);
  });

  test("a call to the Ledger returns 503 with the Ledger's Retry-After while the Ledger reports an outage", async () => {
    const { [event]: call } = service({ [event]: { code: "unavailable", retryAfterSeconds: 9 } });
    const { status, headers } = await call(bodies[event]);
    expect(status).toBe(503);
    expect(headers.get("Retry-After")).toBe("9");
  });

  test(`a call for a program in shard migration gets 503, and the Ledger is called ${event === "click" ? "each time" : "once in five seconds"}`, async () => {
    vi.useFakeTimers();
    const { [event]: call, calls } = service({ [event]: { code: "program_moving", programId } });
    const expectRefused = async () => {
      const { status, headers } = await call(bodies[event]);
      expect([status, headers.get("Retry-After")]).toEqual([503, "5"]);
    };
    await expectRefused();
    await expectRefused();
    expect(calls).toHaveLength(event === "click" ? 2 : 1);
    vi.advanceTimersByTime(5_000);
    await expectRefused();
    expect(calls).toHaveLength(event === "click" ? 3 : 2);
  });
});

describe("readiness", () => {
  test("readiness returns 503 with Retry-After while the database is unreachable", async () => {
    const { status, headers, body } = await service().readiness();
    expect(status).toBe(503);
    expect(headers.get("Retry-After")).toBe("5");
    expect(body).toMatchObject({ error: { code: "service_unavailable", status: 503, retry_after_seconds: 5 } });
  });

  test("readiness reveals no details of a Ledger failure", async () => {
    const { status, body } = await service({ throws: [fault({})] }).readiness();
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain("secret detail");
  });
});

describe("a misconfigured Worker", () => {
  test.each([
    ["CLICK_KEYS", ""],
    ["CLICK_KEYS", "1:short"],
    ["HASH_SECRET", "short"],
    ["AUTH_SECRET", "short"],
    ["DATA_KEYS", ""],
    ["DATA_KEYS", "1:short"],
    ["SIGN_UP", undefined],
    ["SIGN_UP", "closed"],
    ["DATABASE_URL", ""],
    ["LEDGER_NAME", undefined],
    ["SALE_LIMIT", undefined],
    ["SALE_LIMIT_PER_MINUTE", "many"],
  ])("an invalid setting %s (%j) is logged by name, and not revealed in the response", async (name, value) => {
    const { sale, lines } = service({ env: { [name]: value } });
    const { status, body } = await sale(bodies.sale);
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain(name);
    expect(lines().join()).toContain(name);
  });
});
