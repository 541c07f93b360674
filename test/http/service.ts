import { vi } from "vitest";
import { app } from "#app.ts";
import { mintProgramKey } from "#domain/program-key.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { Env, LedgerNamespace, RequestLogNamespace } from "#env.ts";
import type { LedgerRpc } from "#ledger/rpc.ts";
import type { KeyCall } from "#operations/check-key.ts";
import type { Outcome, OutcomeMeta } from "#operations/operation.ts";
import type { LineSettled, SettleLineCall } from "#operations/payouts/settle-line.ts";
import type { AnswerTo, AnyCall } from "#operations/table.ts";
import type { LeadAnswer, LeadCall } from "#operations/track/lead.ts";
import type { ClickAnswer, ClickCall } from "#operations/track/record-click.ts";
import type { RefundAnswer, RefundCall } from "#operations/track/refund.ts";
import type { SaleAnswer, SaleCall } from "#operations/track/sale.ts";
import type { RequestLogRpc } from "#requests/rpc.ts";
import { documentTexts } from "../../scripts/build/documents.ts";
import { checkAgainstDocument } from "./document.ts";

export const programId = 7;
export const key = mintProgramKey(programId, new Uint8Array(32).fill(1));
export const clickKeys = `1:${Buffer.alloc(32, 3).toString("base64url")}`;

const commission = {
  amountCents: 980,
  currency: "USD",
  status: "pending",
  holdUntil: Date.UTC(2026, 2, 16),
  unconfirmed: false,
  held: false,
  reason: undefined,
} as const;

export const answers = {
  click: { recorded: true, eventId: 3, programId, clickId: "c1", partnerCode: "anna", cookieWindowDays: 60 },
  lead: { programId, leadId: 12, status: "attributed", partnerCode: "anna", repeat: undefined, attributedSales: [] },
  sale: {
    ...{ programId, saleId: 71, commissionId: 72, attributed: true, partnerCode: "anna", source: "click", commission },
    ...{ isRecurring: false, reason: undefined, clickAgeDays: undefined, windowDays: undefined },
  },
  refund: {
    ...{
      programId,
      eventId: 5,
      saleId: 71,
      commissionId: 72,
      status: "reversed",
      reason: undefined,
      isUnknown: false,
      refundId: "re_1",
    },
    ...{ refundedCents: 4900, refundedTotalCents: 4900, commissionReversedCents: 980, commissionAmountCents: 0 },
  },
} satisfies { click: ClickAnswer; lead: LeadAnswer; sale: SaleAnswer; refund: RefundAnswer };

const { saleId, commissionId, isRecurring, attributed, partnerCode, source } = answers.sale;
/** The refusal of a sale that was recorded before. */
export const recordedBefore = {
  code: "duplicate_transaction",
  sale: { saleId, commissionId, isRecurring, attributed, partnerCode, source, commission },
  differences: [],
} as const satisfies Refusal;

export interface Script {
  readonly click?: ClickAnswer | Refusal;
  readonly lead?: LeadAnswer | Refusal;
  readonly sale?: SaleAnswer | Refusal;
  readonly refund?: RefundAnswer | Refusal;
  readonly "settle-line"?: LineSettled | Refusal;
  readonly key?: Refusal;
  readonly meta?: Partial<OutcomeMeta>;
  /** Errors that the first calls throw, in order. If an element is a promise, the call returns it instead. */
  readonly throws?: readonly unknown[];
  /** Names of rate limits that refuse every call. */
  readonly pastLimit?: readonly string[];
  readonly env?: Partial<Env>;
}

type LedgerCall = ClickCall | LeadCall | SaleCall | RefundCall | KeyCall | SettleLineCall;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** The body, sent as JSON unless it is a string. */
  readonly body?: unknown;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cf?: Readonly<Record<string, unknown>>;
  /** The origin of the URL, by default `https://api.example`. */
  readonly origin?: string;
}

const limitNames = [
  "CLICK_LIMIT",
  "CLICK_KEY_LIMIT",
  "CLICK_PROGRAM_LIMIT",
  "LEAD_LIMIT",
  "LEAD_KEY_LIMIT",
  "LEAD_PROGRAM_LIMIT",
  "OFFER_LIMIT",
  "OFFER_KEY_LIMIT",
  "OFFER_PROGRAM_LIMIT",
  "SALE_LIMIT",
  "READINESS_LIMIT",
  "EXPLAIN_LIMIT",
  "FEED_LIMIT",
  "LIST_LIMIT",
  "MANAGE_LIMIT",
  "EMBED_TOKEN_LIMIT",
  "EMBED_LIMIT",
  "IMPORT_LIMIT",
  "IMPORT_CHECK_LIMIT",
  "FAILED_KEY_LIMIT",
  "USER_WRITE_LIMIT",
  "USER_READ_LIMIT",
  "CLICK_SITE_LIMIT",
  "LEAD_SITE_LIMIT",
  "OFFER_SITE_LIMIT",
  "FAILED_KEY_SITE_LIMIT",
  "USER_WRITE_SITE_LIMIT",
  "USER_READ_SITE_LIMIT",
  "ACCESS_LIMIT",
  "ACCESS_SITE_LIMIT",
  "INVITATION_LIMIT",
  "INVITATION_SITE_LIMIT",
] as const;

let texts: Promise<ReadonlyMap<string, string>> | undefined;

/** Serves the build's documents, generated on the first request. */
const documents = {
  fetch: async (url: RequestInfo | URL) => {
    texts ??= documentTexts("sdk/newest.tgz");
    const text = (await texts).get(new URL(String(url)).pathname);
    return new Response(text, { status: text === undefined ? 404 : 200 });
  },
};

/** The app with a stub Ledger, which records its calls. */
export function service(script: Script = {}) {
  const calls: LedgerCall[] = [];
  const counted: { readonly limit: string; readonly who: string }[] = [];
  const waited: Promise<unknown>[] = [];
  const log = [vi.spyOn(console, "log"), vi.spyOn(console, "error")].map((spy) => spy.mockClear().mockReturnValue());
  const env = {
    ...{
      ...bindings(counted, script),
      ASSETS: documents,
      LEDGER: ledgerNamespace(calls, script),
      REQUEST_LOG: requestLogNamespace,
    },
    ...script.env,
  };

  async function send({ method = "POST", path = "/", body, key: shown, headers, cf, origin }: Sent): Promise<Reply> {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const request = new Request(`${origin ?? "https://api.example"}${path}`, {
      method,
      headers: {
        ...(text === undefined ? {} : { "Content-Type": "application/json" }),
        ...(shown === undefined ? {} : { Authorization: `Bearer ${shown}` }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    Object.assign(request, { cf });
    return replyOf(request, await app.fetch(request, env, executionContext(waited)));
  }

  const track = (event: string, body: unknown, sent: Sent = {}) =>
    send({ path: `/api/v1/track/${event}`, body, ...sent });
  return {
    app,
    calls,
    counted,
    waited,
    env,
    context: executionContext(waited),
    send,
    click: (body: unknown, sent?: Sent) => track("click", body, sent),
    lead: (body: unknown, sent?: Sent) => track("lead", body, sent),
    sale: (body: unknown, sent?: Sent) => track("sale", body, { key, ...sent }),
    refund: (body: unknown, sent?: Sent) => track("refund", body, { key, ...sent }),
    readiness: (sent?: Sent) => send({ method: "GET", path: "/api/v1/programs/me/readiness", key, ...sent }),
    lines: () => log.flatMap((spy) => spy.mock.calls.map(([line]) => String(line))),
  };
}

async function replyOf(request: Request, response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  const body: unknown = isJson && text !== "" ? JSON.parse(text) : text;
  if (request.method !== "HEAD")
    checkAgainstDocument(request.method, new URL(request.url).pathname, response.status, body);
  return { status: response.status, headers: response.headers, body };
}

function executionContext(waited: Promise<unknown>[]): ExecutionContext {
  const context = {
    waitUntil: (promise: Promise<unknown>) => void waited.push(promise),
    passThroughOnException() {},
    props: {},
  };
  return context as unknown as ExecutionContext;
}

function bindings(counted: { limit: string; who: string }[], { pastLimit = [] }: Script) {
  const limit = (name: string): RateLimit => ({
    limit: async ({ key: who = "" }) => {
      counted.push({ limit: name, who });
      return { success: !pastLimit.includes(name) };
    },
  });
  return {
    ...Object.fromEntries(
      limitNames.flatMap((name) => [
        [name, limit(name)],
        [`${name}_PER_MINUTE`, "60"],
      ]),
    ),
    LEDGER_NAME: "ledger-test",
    SIGN_UP: "open",
    WORKER_NAME: "tributary",
    HASHES_PER_SECOND: "4",
    UNSIGNED_EVENTS_PER_DAY: "200000",
    CLICK_RETENTION_DAYS: "400",
    DATABASE_URL: "http://127.0.0.1:9",
    ADDRESS_FROM: "cloudflare",
    CLICK_KEYS: clickKeys,
    HASH_SECRET: "a secret of the tests, 32 characters and more",
    DATA_KEYS: clickKeys,
    AUTH_SECRET: "another secret of the tests, as long as that one",
  };
}

function ledgerNamespace(calls: LedgerCall[], script: Script): LedgerNamespace {
  const thrown = [...(script.throws ?? [])];
  const meta: OutcomeMeta = { programId, keyRetiresAt: undefined, roundTrips: 2, ...script.meta };
  const said: Readonly<Record<string, object>> = { key: { programId }, ...answers, ...script };
  const ledger: LedgerRpc = {
    run: async <Call extends AnyCall>(call: Call): Promise<Outcome<AnswerTo<Call>>> => {
      const answer = said[call.kind];
      if (answer === undefined) throw new Error("nobody with a key changes settings");
      calls.push(call as LedgerCall);
      if (thrown.length > 0) await thrownOrPending(thrown.shift());
      return "code" in answer
        ? { ok: false, refusal: answer as Refusal, meta }
        : { ok: true, answer: answer as AnswerTo<Call>, meta };
    },
    listSpilled: () => Promise.reject(new Error("only the operator asks for what is spilled")),
    retrySpilled: () => Promise.reject(new Error("only the operator has clicks tried again")),
    takeClicks: () => Promise.reject(new Error("only another shard gives clicks")),
    admitLongRead: () => Promise.reject(new Error("no test simulates or reads figures by group here")),
    figures: () => Promise.reject(new Error("only the runtime asks for figures")),
    discardSpilled: () => Promise.reject(new Error("only the operator discards clicks")),
  };
  return { idFromName: (name) => name as unknown as DurableObjectId, get: () => ledger };
}

const requestLog: RequestLogRpc = {
  add: async () => {},
  list: async () => ({ calls: [], dropped: 0 }),
  listPerson: async () => [],
  erase: async () => {},
};
const requestLogNamespace: RequestLogNamespace = {
  idFromName: (name) => name as unknown as DurableObjectId,
  get: () => requestLog,
};

const thrownOrPending = (fault: unknown): Promise<unknown> =>
  fault instanceof Promise ? fault : Promise.reject(fault);
