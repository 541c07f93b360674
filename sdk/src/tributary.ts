import { bodyOf, webUrl } from "./fields.ts";
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
  Warning,
} from "./results.ts";
import { isSecure } from "./secure.ts";
import { type Call, type FetchLike, hasMember, send } from "./transport.ts";

export interface TributaryOptions {
  /** The program API key (`api_token`). Keep it on the server. */
  readonly apiKey: string;
  /**
   * Where the service is: `https://tributary.example`, with a path in front of `/api` if it has one. Plain http is taken
   * for loopback addresses alone.
   */
  readonly baseUrl: string;
  /** Default: the runtime's own. */
  readonly fetch?: FetchLike | undefined;
  /** For each attempt, until its answer is read whole, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts beyond the first, 0 to 10. Default: 2. */
  readonly retries?: number | undefined;
  /** Hears each message once. Default: `console.warn`. What it throws is ignored. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

const skipped: Skipped = { ok: true, status: 0, error: null, data: null, skipped: true };

/**
 * Reports leads, sales, refunds and clicks to Tributary, from a server.
 *
 * Wrong arguments throw a `TypeError` at once. Everything else, an outage included, comes as the result's `ok: false`:
 * the promises never reject. A call is sent again after a lost connection, 429 and 5xx, which is safe: whatever is
 * sent twice counts once. It takes at most (retries + 1) × timeoutMs + retries × 5 s: 25 s by default.
 */
export class Tributary {
  readonly #client: Omit<Call<unknown>, "body" | "member">;
  readonly #programId: number;

  /** Throws a `TypeError` where an option is no good; it never shows the key. */
  constructor({ apiKey, baseUrl, fetch, timeoutMs = 5_000, retries = 2, onWarning }: TributaryOptions) {
    if (!/^svc_[\w-]+$/.test(apiKey)) throw new TypeError("apiKey must be the program's key, without white space");
    const url = webUrl(baseUrl);
    if (!url || !isSecure(url) || /[?#]/.test(url.href)) {
      throw new TypeError("baseUrl must be https (http: localhost only), without credentials, ? and #");
    }
    // Keys are `svc_<program id in base 36>_…`.
    this.#programId = Number.parseInt(apiKey.slice(4), 36);
    const told = new Set<string>();
    this.#client = checked({
      url: url.href.replace(/\/*$/, "/api/v1/"),
      apiKey,
      fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
      retries,
      timeoutMs,
      warn: (code, message) => {
        if (told.has(message)) return;
        told.add(message);
        // Whatever the listener does, now or later, is not the call's concern.
        const tell = onWarning ?? (() => console.warn(`tributary: ${message}`));
        Promise.resolve({ code, message })
          .then(tell)
          .catch(() => {});
      },
    });
  }

  /** Records a sign-up. Send it for every customer, also without a click. The same customer again changes nothing. */
  trackLead(lead: LeadInput, options?: CallOptions): Promise<LeadResult> {
    return this.#track<Lead>("lead", lead, ["customerExternalId"], "leadId", options);
  }

  /**
   * Records a payment. Send every one, also of customers without a partner.
   *
   * A renewal may name its `subscriptionId` alone. If no earlier sale named it, the sale is refused with 400, and
   * `error.details.unknownSubscriptionId` is true: send it with the customer.
   *
   * An amount of 0 is `skipped`. A repeated `invoiceId` is `ok` and a `duplicate`, with the first call's sale and
   * commission; where it says something else than the first, it is a `conflict` too, and a warning tells.
   */
  trackSale(sale: SaleInput, options?: CallOptions): Promise<SaleResult> {
    if (sale.amount === 0) return Promise.resolve(skipped);
    const required = [...(sale.subscriptionId ? [] : ["customerExternalId"]), "amount", "invoiceId"];
    return this.#track<Sale>("sale", sale, required, "saleId", options).then((result) => {
      const data = result.error?.details ?? {};
      if (result.status !== 409 || !hasMember<RepeatedSale["data"]>(data, "saleId")) return result;
      const repeat = { ok: true, status: 409, error: null, data, duplicate: true } as const;
      if (data.sameRequest) return repeat;
      const { invoiceId } = sale;
      this.#client.warn("sale_conflict", `sale ${invoiceId} was recorded with another ${data.differences}`);
      return { ...repeat, conflict: true };
    });
  }

  /**
   * Records a refund of a sale, and reverses its share of the commission; with `cancel`, takes an earlier refund back.
   *
   * A refund ahead of its sale is `retryable`, status 404: let your processor deliver its event again. A `refundId` that
   * was used for another amount is refused with 409, and `error.details.differences` names what differs.
   */
  trackRefund(refund: RefundInput, options?: CallOptions): Promise<RefundResult> {
    const { amount, refundedTotal, refundId, cancel } = refund;
    if (amount != null && (refundedTotal != null || cancel || !refundId)) {
      throw new TypeError("refund.amount needs a refundId, and neither refundedTotal nor cancel");
    }
    if (cancel && !refundId) throw new TypeError("refund.cancel needs a refundId");
    if (amount === 0 || (refundedTotal === 0 && !cancel)) return Promise.resolve(skipped);
    return this.#track<Refund>("refund", refund, ["invoiceId"], "saleId", options).then((result) =>
      result.error?.name === "NotFoundError" ? { ...result, retryable: true } : result,
    );
  }

  /**
   * Records a visit by a partner's link. The browser script does so by itself: this is for sites without it. The
   * service counts all visitors of one caller against one limit: 300 a minute, 6,000 with `occurredAt`. A click with
   * `occurredAt` isn't kept while the service's database is away: the result is `retryable`, status 503.
   */
  trackClick(click: ClickInput, options?: CallOptions): Promise<ClickResult> {
    const { programId, eventId } = click;
    const own = { programId: programId ?? this.#programId, eventId: eventId ?? `${Date.now()}-${Math.random()}` };
    return this.#track<Click>("click", { ...click, ...own }, ["affiliateUrl", "programId"], "clickId", options);
  }

  /** How far the key's program is from paying its partners. */
  readiness(options?: CallOptions): Promise<ReadinessResult> {
    return this.#send<Readiness>("programs/me/readiness", null, "gates", options);
  }

  /** Runs a click, a lead and a sale through the test book. Ten times an hour at most, and never sent again by itself. */
  runVerification(options?: CallOptions): Promise<VerificationResult> {
    return this.#send<Verification>("programs/me/verification", {}, "data", { ...options, retries: 0 });
  }

  #track<Data>(
    kind: string,
    input: object,
    required: readonly string[],
    member: keyof Data & string,
    options?: CallOptions,
  ): Promise<Success<Data> | Failure> {
    return this.#send(`track/${kind}`, bodyOf(kind, input, required, this.#client.warn), member, options);
  }

  #send<Data>(
    path: string,
    body: object | null,
    member: keyof Data & string,
    options?: CallOptions,
  ): Promise<Success<Data> | Failure> {
    const call = checked({ ...this.#client, ...options });
    return send({ ...call, url: call.url + path, member, body: body && JSON.stringify(body) });
  }
}

function checked<Limits extends Required<CallOptions>>(limits: Limits): Limits {
  if (limits.retries >= 0 && limits.retries <= 10 && limits.timeoutMs > 0 && limits.timeoutMs < 2 ** 31) return limits;
  throw new TypeError("retries must be 0 to 10, timeoutMs positive");
}
