import { describe, expect, it } from "vitest";
import { dashboardOf, openDashboard, shown } from "../support/dashboard.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const open = (settings?: Parameters<typeof openDashboard>[1]) => openDashboard(people, settings);

const allAttributed = { click: "attributed", lead: "attributed", sale: "attributed" };
const gates = { tracking: { status: "fail" }, live: { status: "fail", test_chain: { sale: "pending" } } };

describe("a verification run", () => {
  it("the events of a successful verification run are attributed, and readiness shows the run", async () => {
    const { runVerification, readiness, events, world } = await open();
    expect((await readiness()).body).toMatchObject({ gates });
    const { status, headers, body } = await runVerification();
    expect(status).toBe(200);
    const step = { status: "pass", http_status: 200, duration_ms: expect.any(Number) };
    expect(body).toEqual({
      data: {
        type: "chain",
        short_code: `~verification-${world.programId}`,
        customer_key: expect.stringMatching(/^verification_[0-9a-f]{16}$/),
        verdict: allAttributed,
        attributed: true,
        steps: [
          { name: "click", ...step, message: "Click recorded for the partner" },
          { name: "lead", ...step, message: "Lead attributed to the partner" },
          { name: "sale", ...step, message: "Sale attributed to the partner, and a commission earned" },
        ],
      },
    });
    expect([headers.get("RateLimit-Policy"), headers.get("X-RateLimit-Limit")]).toEqual([
      '"verification";q=10;w=3600',
      "10",
    ]);
    expect((await readiness()).body).toMatchObject({ gates: { live: { status: "pass", test_chain: allAttributed } } });

    const { short_code, customer_key } = body.data;
    const made = (await shown(events({ test: "only" }))).data;
    expect(made.map(({ event_type, partnerCode }) => [event_type, partnerCode])).toEqual([
      ["sale", short_code],
      ["lead", short_code],
      ["click", short_code],
    ]);
    expect(made[0]).toMatchObject({ customer_key, attributed: true, reason: null });
    expect((await shown(events())).data).toEqual([]);
  });

  it("a verification run records new events each time, with the same hidden partner", async () => {
    const { runVerification, world, performance } = await open();
    const [first, second] = [await shown(runVerification()), await shown(runVerification())];
    expect(second.data.short_code).toBe(first.data.short_code);
    expect(second.data.customer_key).not.toBe(first.data.customer_key);
    expect(second.data.verdict).toEqual(allAttributed);
    const { programId } = world;
    const listed = await people.viewer.get<{ data: { code: string }[] }>(`/api/programs/${programId}/partners`);
    expect(listed.body.data.map(({ code }) => code).toSorted()).toEqual(
      world.partners.map(({ code }) => code).toSorted(),
    );
    expect((await shown(performance({ period: "all" }))).metrics).toMatchObject({ activePartners: 0, totalClicks: 0 });
  });

  it("a verification run uses a partner whose code real clicks can't use", async () => {
    const { runVerification, world, api } = await open();
    const { short_code } = (await shown(runVerification())).data;
    const click = { affiliate_url: `https://shop.example/?aff=${short_code}` };
    for (const body of [click, { ...click, program_id: world.programId }]) {
      expect(refusalOf(await api.click(body))).toBe("400 No aff parameter found in affiliate_url");
    }
    expect(await world.rows("select 1 from clicks where program_id = ? and is_test = 0", world.programId)).toEqual([]);
  });

  it("a verification run earns nothing without a commission policy, and reports that reason", async () => {
    const { runVerification, readiness } = await open({ policies: [] });
    const { data } = await shown(runVerification());
    expect(data).toMatchObject({
      verdict: { click: "attributed", lead: "attributed", sale: "unattributed" },
      attributed: false,
      steps: [
        { status: "pass" },
        { status: "pass" },
        { name: "sale", status: "fail", http_status: 200, message: "no_commission_policy" },
      ],
    });
    expect((await readiness()).body).toMatchObject({
      blocker: "economics",
      gates: { live: { status: "fail", next_action: "run_synthetic_sale_chain", test_chain: data.verdict } },
    });
  });

  it.each([
    ["below_minimum", { currency: "EUR", minSaleCents: 10_000 }],
    ["currency_mismatch", { type: "flat" as const, amountCents: 100, currency: "USD", rateBps: null }],
  ])("a verification run reports %s as the reason for no commission", async (message, policy) => {
    const { runVerification } = await open({ policies: [policy] });
    expect((await shown(runVerification())).data).toMatchObject({
      verdict: { sale: "unattributed" },
      steps: [{}, {}, { status: "fail", message }],
    });
  });

  it("a verification run succeeds if the program accepts leads only from a server", async () => {
    const { runVerification } = await open({ program: { leadAuth: "server_required" } });
    expect((await shown(runVerification())).data.attributed).toBe(true);
  });

  it("a verification run stops after the click if the program is paused, and its verdict stays until the next run", async () => {
    const { runVerification, readiness, world } = await open();
    await shown(runVerification());
    const change = (status: string) => people.admin.patch(`/api/programs/${world.programId}`, { status });
    await change("paused");
    const { data } = await shown(runVerification());
    const skipped = { status: "skipped", http_status: null, duration_ms: 0, message: "Rests on a step that failed" };
    expect(data).toMatchObject({
      verdict: { click: "unattributed", lead: "pending", sale: "pending" },
      attributed: false,
      steps: [
        { name: "click", status: "fail", http_status: 200, message: "Referral link is inactive" },
        { name: "lead", ...skipped },
        { name: "sale", ...skipped },
      ],
    });
    expect((await readiness()).body).toMatchObject({
      gates: { live: { status: "unknown", test_chain: data.verdict } },
    });
    await change("active");
    await shown(runVerification());
    expect((await readiness()).body).toMatchObject({ gates: { live: { status: "pass" } } });
  });
});

describe("a verification run with the program's key", () => {
  it("a verification run with the program's key does the same as a member's", async () => {
    const { api, world, readiness } = await open();
    const { status, body, headers } = await api.verification({ key: world.key });
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { type: "chain", verdict: allAttributed, attributed: true } });
    expect(headers.get("RateLimit-Policy")).toBe('"verification";q=10;w=3600');
    expect((await readiness()).body).toMatchObject({ gates: { live: { status: "pass" } } });
  });

  it("a verification run with the program's key needs no body", async () => {
    const { api, world } = await open();
    const path = "/api/v1/programs/me/verification";
    expect((await api.request("POST", path, { key: world.key })).status).toBe(200);
  });

  it("a verification run with the program's key needs a valid key, and ignores a session", async () => {
    const { api, world } = await open({
      keys: [{}, { retiresAt: Date.now() - 1_000 }, { retiresAt: Date.now() + 60_000 }],
    });
    const [, retired = "", retiring = ""] = world.keys;
    const missing = "Missing API key. Send it as Authorization: Bearer <key>.";
    expect(refusalOf(await api.verification())).toBe(`401 ${missing}`);
    const path = "/api/v1/programs/me/verification";
    expect(refusalOf(await people.owner.post(path, {}))).toBe(`401 ${missing}`);
    const wrong = `${world.key.slice(0, -6)}AAAAAA`;
    expect(refusalOf(await api.verification({ key: wrong }))).toBe("401 Invalid API token");
    expect((await api.verification({ key: retired })).body.error.code).toBe("api_key_rotation_required");
    const reply = await api.verification({ key: retiring });
    expect([reply.status, reply.headers.has("Sunset")]).toEqual([200, true]);
    expect(reply.body.warnings).toMatchObject([{ code: "api_key_rotation_required" }]);
    expect(
      await world.rows("select runs_in_hour from verification_runs where program_id = ?", world.programId),
    ).toEqual([expect.objectContaining({ runs_in_hour: 1 })]);
  });
});

describe("the limit on verification runs", () => {
  it("the limit on verification runs is ten per hour for keys and sessions together, even under concurrent calls", async () => {
    const { api, runVerification, world } = await open();
    const runs = Array.from({ length: 14 }, (_, i) =>
      i % 2 ? runVerification() : api.verification({ key: world.key }),
    );
    const replies = await Promise.all(runs);
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(4).fill(429)]);
    for (const refused of replies.filter(({ status }) => status === 429)) {
      const seconds = Number(refused.headers.get("Retry-After"));
      expect(seconds).toBeGreaterThan(3_500);
      expect(seconds).toBeLessThanOrEqual(3_600);
      expect(refused.headers.get("RateLimit-Policy")).toBe('"verification";q=10;w=3600');
      expect(refused.body.error).toEqual({
        status: 429,
        name: "TooManyRequestsError",
        code: "rate_limited",
        message: "Too many requests.",
        retry_after_seconds: seconds,
        details: { retry_after_seconds: seconds },
      });
    }
    const sales = "select count(*) as n from sales where program_id = ? and is_test = 1";
    expect(await world.rows(sales, world.programId)).toMatchObject([{ n: 10 }]);

    const aged = "update verification_runs set hour_at = hour_at - 3600000 where program_id = ?";
    await world.write({ sql: aged, args: [world.programId] });
    expect((await runVerification()).status).toBe(200);
  });

  it("the limit on verification runs applies to each program separately", async () => {
    const [one, other] = [await open(), await open()];
    await Promise.all(Array.from({ length: 10 }, () => one.runVerification()));
    expect((await one.runVerification()).status).toBe(429);
    expect((await other.runVerification()).status).toBe(200);
  });
});

it("a viewer can't start a verification run", async () => {
  const { world } = await open();
  const { runVerification } = dashboardOf(people.viewer, world.programId);
  expect(refusalOf(await runVerification())).toBe("403 Your role in this workspace does not allow this");
});
