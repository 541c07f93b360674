import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { signedHeaders } from "#deliver/signature.ts";
import { feedEvent, type StoredEvent } from "#domain/event.ts";
import { type EventType, eventTypes } from "#domain/event-type.ts";
import {
  verifyWebhook,
  type WebhookEvent,
  type WebhookEventType,
  type WebhookHeaders,
} from "../../sdk/src/webhooks.ts";

const secretOf = (character: string): string => `whsec_${Buffer.from(character.repeat(32)).toString("base64")}`;
const secret = secretOf("s");
const stored: StoredEvent = {
  ...{ seq: 7, at: Date.UTC(2026, 10, 27), type: "commission.updated" as const, subject: 74 },
  ...{ before: [3, "pending", 980, 0, 0, null], after: [3, "approved", 980, 0, 0, null] },
  object: { commission_id: 74, sale_id: 73, transaction_id: 'in_1 "x_y": ü', customer_key: "u1", currency: "EUR" },
  partnerCode: "anna",
};
const body = JSON.stringify(feedEvent({ programId: 1, isTest: false }, stored));
const bad = { ok: false, reason: "bad_signature" };

async function delivery({ text = body, secrets = [secret], at = Date.now() } = {}) {
  const headers = await signedHeaders({ id: "evt_1_7", body: text }, secrets, at);
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signature = "" } = headers;
  return { headers, id, timestamp, signature };
}

describe("a webhook delivery", () => {
  test("a webhook delivery is verified, and its event has names in camelCase and unchanged values", async () => {
    const { headers } = await delivery();
    expect(await verifyWebhook(body, headers, secret)).toEqual({
      ok: true,
      event: {
        ...{ id: "evt_1_7", type: "commission.updated", timestamp: "2026-11-27T00:00:00.000Z", seq: 7 },
        ...{ programId: 1, testMode: false },
        data: {
          object: {
            ...{ commissionId: 74, saleId: 73, transactionId: 'in_1 "x_y": ü', customerKey: "u1", currency: "EUR" },
            ...{ partnerId: 3, partnerCode: "anna", status: "approved", amountCents: 980 },
            ...{ unconfirmed: false, held: false, holdUntil: null },
          },
          previous: { status: "pending" },
        },
      },
    });
  });

  test("a webhook delivery is verified with any kind of headers and body", async () => {
    const { headers } = await delivery();
    const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const all: WebhookHeaders[] = [headers, new Headers(headers), upperCase, lists, { ...headers, host: undefined }];
    const bytes = new TextEncoder().encode(body);
    const within = new Uint8Array([1, ...bytes, 1]).subarray(1, -1);
    for (const each of all) expect(await verifyWebhook(body, each, secret)).toMatchObject({ ok: true });
    for (const each of [bytes, within, Buffer.from(body), bytes.buffer]) {
      expect(await verifyWebhook(each, headers, secret)).toMatchObject({ ok: true, event: { seq: 7 } });
    }
  });

  test("a webhook delivery is verified by either secret while one secret replaces the other", async () => {
    const [next, other] = [secretOf("n"), secretOf("o")];
    const both = await delivery({ secrets: [next, secret] });
    for (const known of [next, secret, [other, secret], [other, next]]) {
      expect(await verifyWebhook(body, both.headers, known)).toMatchObject({ ok: true });
    }
    const { headers } = await delivery();
    expect(await verifyWebhook(body, headers, [next, secret])).toMatchObject({ ok: true });
    expect(await verifyWebhook(body, headers, [next, other])).toEqual(bad);
    expect(await verifyWebhook(body, both.headers, other)).toEqual(bad);
  });

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("a webhook delivery needs a %s", async (name) => {
    const { [name]: _, ...headers } = (await delivery()).headers;
    expect(await verifyWebhook(body, headers, secret)).toEqual({ ok: false, reason: "missing_header" });
    expect(await verifyWebhook(body, { ...headers, [name]: "" }, secret)).toEqual({
      ok: false,
      reason: "missing_header",
    });
  });

  test("a webhook delivery is refused with another body, id, time or signature", async () => {
    const { headers, timestamp, signature } = await delivery();
    const [, sum = ""] = signature.split(",");
    const wrong = [
      { "webhook-id": "evt_1_8" },
      { "webhook-timestamp": String(Number(timestamp) + 1) },
      { "webhook-timestamp": `${timestamp}.` },
      ...[
        "v1,",
        "v1",
        sum,
        `v1a,${sum}`,
        `v2,${sum}`,
        `v1,${sum.slice(1)}`,
        `v1,${sum}=`,
        `v1,${sum.toLowerCase()}`,
      ].map((each) => ({ "webhook-signature": each })),
    ];
    for (const each of wrong) {
      expect(await verifyWebhook(body, { ...headers, ...each }, secret), JSON.stringify(each)).toEqual(bad);
    }
    for (const each of [`${body} `, body.slice(1), "", body.replace("980", "981")]) {
      expect(await verifyWebhook(each, headers, secret)).toEqual(bad);
    }
    const between = { ...headers, "webhook-signature": `v2,x v1,${"A".repeat(44)} ${signature} v1,y` };
    expect(await verifyWebhook(body, between, secret)).toMatchObject({ ok: true });
  });

  test("a webhook delivery is refused if its time differs from this machine's by more than the caller's tolerance", async () => {
    const tooOld = { ok: false, reason: "too_old" };
    const verified = async (agoSeconds: number, toleranceSeconds?: number) => {
      const { headers } = await delivery({ at: Date.now() - agoSeconds * 1_000 });
      return verifyWebhook(body, headers, secret, { toleranceSeconds });
    };
    for (const ago of [0, 200, -200]) expect(await verified(ago)).toMatchObject({ ok: true });
    for (const ago of [400, -400]) expect(await verified(ago)).toEqual(tooOld);
    expect(await verified(400, 1_000)).toMatchObject({ ok: true });
    expect(await verified(200, 60)).toEqual(tooOld);
    expect(await verified(0, Number.NaN)).toEqual(tooOld);
    const { headers } = await delivery({ at: 0 });
    expect(await verifyWebhook(body, headers, secretOf("o"))).toEqual(bad);
  });

  test.each(["", "no", "null", "[]", "{}", '{"type":1,"data":{}}', '{"type":"sale.recorded"}', '{"a":"\ud800'])(
    "a webhook delivery is refused if it is signed but isn't an event: %j",
    async (text) => {
      const { headers } = await delivery({ text });
      expect(await verifyWebhook(text, headers, secret)).toEqual({ ok: false, reason: "not_json" });
    },
  );
});

test.each([
  undefined,
  null,
  "",
  "whsec_",
  "whsec_!",
  "whsec_ ",
  "null",
  "undefined",
  "whsec_undefined",
  " ",
  "\n",
  "whsec",
  `v1,${secret}`,
  `WHSEC_${secret.slice(6)}`,
  5,
  [],
  [""],
  ["", " "],
])("the webhook secret %j verifies no delivery, and is reported", { tags: "finding" }, async (none) => {
  const keys = [secret, "whsec_", ...(typeof none === "string" && none !== "" ? [none] : [])];
  for (const key of keys) {
    const { headers } = await delivery({ secrets: [key] }).catch(() => delivery());
    expect(await verifyWebhook(body, headers, none as never)).toEqual({ ok: false, reason: "no_secret" });
  }
});

test("a webhook secret is accepted without its prefix, and in a list with empty secrets", {
  tags: "finding",
}, async () => {
  const { headers } = await delivery();
  for (const given of [secret.slice(6), ["", secret, " "]]) {
    expect(await verifyWebhook(body, headers, given)).toMatchObject({ ok: true });
  }
  const { headers: forged } = await delivery({ secrets: ["whsec_"] }).catch(() =>
    delivery({ secrets: [secretOf("o")] }),
  );
  expect(await verifyWebhook(body, forged, ["", secret, " "])).toEqual(bad);
});

test("the verification of a webhook never throws, whatever its arguments", async () => {
  const { headers } = await delivery();
  const hostile = {
    get type() {
      throw new Error("no");
    },
  };
  const odd = fc.oneof(fc.anything(), fc.constantFrom(hostile, new Proxy({}, { get: () => expect.unreachable() })));
  await fc.assert(
    fc.asyncProperty(odd, odd, odd, odd, async (one, two, three, four) => {
      const results = await Promise.all([
        verifyWebhook(one as never, two as never, three as never, four as never),
        verifyWebhook(one as never, headers, secret),
        verifyWebhook(body, two as never, secret),
        verifyWebhook(body, headers, three as never),
      ]);
      expect(results.map(({ ok }) => ok)).toEqual([false, false, false, false]);
      expect(await verifyWebhook(body, headers, secret, four as never)).toMatchObject({ ok: expect.any(Boolean) });
    }),
  );
});

describe("another implementation of Standard Webhooks", () => {
  test("another implementation of Standard Webhooks accepts what the service signs, with each of the service's secrets", async () => {
    const [next, other] = [secretOf("n"), secretOf("o")];
    const { headers } = await delivery({ secrets: [next, secret] });
    for (const known of [next, secret]) expect(new Webhook(known).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(other).verify(body, headers)).toThrow("No matching signature found");
  });

  test("another implementation of Standard Webhooks signs what the SDK accepts", async () => {
    const at = new Date();
    const signature = new Webhook(secret).sign("evt_1_7", at, body);
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    const headers = { "webhook-id": "evt_1_7", "webhook-timestamp": timestamp, "webhook-signature": signature };
    expect(await verifyWebhook(body, headers, secret)).toMatchObject({ ok: true, event: { id: "evt_1_7" } });
  });
});

test("the SDK's types list exactly the existing types of events", () => {
  const known = (type: EventType): WebhookEventType => type;
  const served = (type: WebhookEventType): EventType => type;
  expect(eventTypes.map(known).map(served)).toEqual(eventTypes);
  const amountOf = (event: WebhookEvent): number | undefined =>
    event.type === "commission.updated" ? event.data.previous.amountCents : undefined;
  expect(amountOf({ type: "sale.recorded" } as WebhookEvent)).toBeUndefined();
});
