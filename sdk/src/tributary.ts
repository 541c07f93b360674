import { type Body, bodyOf, clickFields, type Fields, leadFields, refundFields, saleFields } from "./fields.ts";
import type { CallOptions, ClickInput, LeadInput, RefundInput, SaleInput } from "./inputs.ts";
import type {
  Click,
  ClickResult,
  Failure,
  Lead,
  LeadResult,
  Readiness,
  ReadinessResult,
  Refund,
  RefundResult,
  RepeatedSale,
  Sale,
  SaleResult,
  Skipped,
  Success,
  Verification,
  VerificationResult,
} from "./results.ts";
import { type Abortable, type Answer, type Call, type FetchLike, send, type Transport, within } from "./transport.ts";

/** Something to look into, though the call was answered. */
export interface Warning {
  readonly code: "api_key_rotation_required" | "sale_conflict" | "argument_left_out";
  /** Never holds the key. */
  readonly message: string;
}

export interface TributaryOptions {
  /** The program API key (`api_token`). Keep it on the server. */
  readonly apiKey: string;
  /** Where the service is: `https://tributary.example`, with a path in front of `/api` if it has one. */
  readonly baseUrl: string;
  /** Default: the runtime's own. */
  readonly fetch?: FetchLike | undefined;
  /** For each attempt, until its answer is read whole, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts beyond the first, 0 to 10. Default: 2. */
  readonly retries?: number | undefined;
  /** Default: `console.warn`. What it throws is ignored. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** @internal Waits between attempts. */
  readonly pause?: (ms: number, signal: Abortable | undefined) => Promise<unknown>;
}

const skipped: Skipped = { ok: true, status: 0, error: null, data: null, skipped: true };

/**
 * Reports leads, sales, refunds and clicks to Tributary, from a server.
 *
 * Wrong arguments throw a `TypeError` at once. Everything else, an outage included, comes as the result's `ok: false`:
 * the promises never reject. A call is sent again after a lost connection, 408, 429 and 5xx, which is safe: whatever is
 * sent twice counts once. It takes at most (retries + 1) × timeoutMs + retries × 5 s: 25 s by default.
 */
export class Tributary {
  readonly #transport: Transport;
  readonly #programId: number | undefined;
  readonly #retries: number;
  readonly #timeoutMs: number;
  readonly #onWarning: (warning: Warning) => void;
  readonly #said = new Set<string>();

  /** Throws a `TypeError` where an option is no good; it never shows the key. */
  constructor(options: TributaryOptions) {
    const { apiKey, baseUrl, fetch: ownFetch, timeoutMs = 5_000, retries = 2, onWarning, pause } = options;
    if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new TypeError("apiKey must be the program's key, without spaces or line breaks around it");
    }
    if (!Number.isInteger(retries) || retries < 0 || retries > 10) throw new TypeError("retries must be 0 to 10");
    for (const [name, value] of Object.entries({ fetch: ownFetch, onWarning })) {
      if (value !== undefined && typeof value !== "function") throw new TypeError(`${name} must be a function`);
    }
    const base = baseOf(baseUrl);
    this.#programId = programOf(apiKey);
    this.#retries = retries;
    this.#timeoutMs = checkedTimeout(timeoutMs);
    this.#transport = {
      base,
      apiKey,
      fetch: ownFetch ?? ((url, init) => globalThis.fetch(url, init)),
      pause: pause ?? ((ms, signal) => within(new Promise<never>(() => {}), ms, signal)),
      onNotice: (message) => this.#warnOnce("api_key_rotation_required", message),
    };
    this.#onWarning = onWarning ?? (({ message }) => console.warn(`tributary: ${message}`));
  }

  /** Records a sign-up. Send it for every customer, also without a click. The same customer again changes nothing. */
  trackLead(lead: LeadInput, options?: CallOptions): Promise<LeadResult> {
    const body = this.#body("trackLead", leadFields, lead);
    return this.#send("/api/v1/track/lead", promises<Lead>("leadId"), options, { body });
  }

  /**
   * Records a payment. Send every one, also of customers without a partner.
   *
   * An amount of 0 is `skipped`. A repeated `invoiceId` is `ok` and a `duplicate`, with the first call's sale and
   * commission; where it says something else than the first, it is a `conflict` too, and a warning tells.
   */
  trackSale(sale: SaleInput, options?: CallOptions): Promise<SaleResult> {
    const body = this.#body("trackSale", saleFields, sale);
    if (sale.amount === 0) return Promise.resolve(skipped);
    return this.#send("/api/v1/track/sale", promises<Sale>("saleId", "commissionId"), options, { body }).then(
      (result) => this.#repeatOf(sale.invoiceId, result),
    );
  }

  /**
   * Records a refund of a sale, and reverses its share of the commission. A refund ahead of its sale is `retryable`,
   * status 404: let your processor deliver its event again. A `refundId` that was used for another amount is refused, 409.
   */
  trackRefund(refund: RefundInput, options?: CallOptions): Promise<RefundResult> {
    const body = this.#body("trackRefund", refundFields, refund);
    const { amount, refundedTotal, refundId } = refund;
    if (amount != null && refundedTotal != null) {
      throw new TypeError("trackRefund: give amount or refundedTotal, not both");
    }
    if (amount != null && refundId == null) {
      throw new TypeError("trackRefund: an amount needs a refundId, or a repeat would count again");
    }
    if (amount === 0 || refundedTotal === 0) return Promise.resolve(skipped);
    return this.#send("/api/v1/track/refund", promises<Refund>("saleId", "commissionId"), options, { body }).then(
      (result) =>
        !result.ok && result.status === 404 && result.error.name === "NotFoundError"
          ? { ...result, retryable: true }
          : result,
    );
  }

  /**
   * Records a visit by a partner's link. The browser script does so by itself: this is for sites without it. The
   * service counts all visitors of one caller against one limit (300 a minute).
   */
  trackClick(click: ClickInput, options?: CallOptions): Promise<ClickResult> {
    const { programId, eventId } = click;
    const input = { ...click, programId: programId ?? this.#programId, eventId: eventId ?? randomId() };
    const body = this.#body("trackClick", clickFields, input);
    const isKeyed = click.occurredAt != null;
    return this.#send("/api/v1/track/click", promises<Click>("clickId"), options, { body, isKeyed });
  }

  /** How far the key's program is from paying its partners. */
  readiness(options?: CallOptions): Promise<ReadinessResult> {
    return this.#send("/api/v1/programs/me/readiness", promises<Readiness>("gates"), options);
  }

  /** Runs a click, a lead and a sale through the test book. Ten times an hour at most, and never sent again by itself. */
  runVerification(options?: CallOptions): Promise<VerificationResult> {
    const once = { body: {}, retries: 0 };
    return this.#send("/api/v1/programs/me/verification", promises<Verification>("data"), options, once);
  }

  #body(method: string, fields: Fields, input: unknown): Body {
    return bodyOf(method, fields, input, (message) => this.#warnOnce("argument_left_out", message));
  }

  #send<Data>(
    path: string,
    isAnswer: Call<Data>["isAnswer"],
    { signal, timeoutMs = this.#timeoutMs }: CallOptions = {},
    { body, isKeyed = true, retries = this.#retries }: { body?: Body; isKeyed?: boolean; retries?: number } = {},
  ): Promise<Success<Data> | Failure> {
    const sent = body && { body: JSON.stringify(body) };
    return send(this.#transport, {
      path,
      ...sent,
      isKeyed,
      isAnswer,
      retries,
      timeoutMs: checkedTimeout(timeoutMs),
      signal,
    });
  }

  #repeatOf(invoiceId: string, result: Success<Sale> | Failure): SaleResult {
    if (result.ok || result.status !== 409 || !isRepeat(result.error.details)) return result;
    const { details } = result.error;
    const repeat = { ok: true, status: 409, error: null, data: details, duplicate: true } as const;
    if (details.sameRequest) return repeat;
    const differing = `trackSale: ${invoiceId} was recorded before with another ${details.differences.join(", ")}`;
    this.#warn("sale_conflict", `${differing}. The first call stands.`);
    return { ...repeat, conflict: true };
  }

  #warnOnce(code: Warning["code"], message: string): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.#warn(code, message);
  }

  /** Whatever the listener does, now or later, is not the call's concern. */
  #warn(code: Warning["code"], message: string): void {
    Promise.resolve({ code, message })
      .then(this.#onWarning)
      .catch(() => {});
  }
}

const promises =
  <Data>(...names: (keyof Data & string)[]) =>
  (answer: Answer): answer is Answer & Data =>
    names.every((name) => answer[name] != null);

const isRepeat = (details: Readonly<Record<string, unknown>>): details is Answer & RepeatedSale["data"] =>
  Number.isInteger(details.saleId) && Number.isInteger(details.commissionId) && Array.isArray(details.differences);

/** The origin and path of the service. */
function baseOf(baseUrl: string): string {
  let url: URL | undefined;
  try {
    url = new URL(baseUrl);
  } catch {}
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== "") {
    throw new TypeError("baseUrl must be the service's http or https URL, without credentials, ? and #");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

function checkedTimeout(timeoutMs: number): number {
  if (Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs < 2 ** 31) return timeoutMs;
  throw new TypeError("timeoutMs must be a positive number of milliseconds");
}

/** Keys are `svc_<program id in base 36>_…`. */
function programOf(apiKey: string): number | undefined {
  const digits = /^svc_([0-9a-z]{1,11})_/.exec(apiKey)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 36);
}

/** Tells calls apart, and is no secret: Node 18 has no `crypto` without an import. */
const randomId = (): string =>
  [Date.now(), Math.random(), Math.random()].map((number) => number.toString(36).replace("0.", "")).join("-");
