import type { TributaryClient } from "./client.ts";
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
  TrackingProblem,
  Verification,
  VerificationResult,
  Warning,
} from "./results.ts";
import { isSecure } from "./secure.ts";
import { type Call, type FetchLike, hasMember, send } from "./transport.ts";

export interface TributaryOptions {
  /** The program API key (`api_token`). Keep it on the server. Default: the environment's `TRIBUTARY_API_KEY`. */
  readonly apiKey?: string | undefined;
  /**
   * Where the service is: `https://tributary.example`, with a path in front of `/api` if it has one. Plain http is taken
   * for loopback addresses alone. Default: the environment's `TRIBUTARY_URL`.
   */
  readonly baseUrl?: string | undefined;
  /** Default: the runtime's own. */
  readonly fetch?: FetchLike | undefined;
  /** For each attempt, until its answer is read whole, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts beyond the first, 0 to 10. Default: 2. */
  readonly retries?: number | undefined;
  /** Hears each message once. Default: `console.warn`. What it throws is ignored. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Hears each call that failed, once, after its retries. Default: `console.error`. What it throws is ignored. */
  readonly onError?: ((problem: TrackingProblem) => void) | undefined;
}

const skipped: Skipped = { ok: true, status: 0, error: null, data: null, requestId: null, skipped: true };
const maxWarned = 1_000;

/**
 * Reports leads, sales, refunds and clicks to Tributary, from a server.
 *
 * Wrong arguments throw a `TypeError` at once. Everything else, an outage included, comes as the result's `ok: false`:
 * the promises never reject. A call is sent again after a lost connection, 429 and 5xx, which is safe: whatever is
 * sent twice counts once. It takes at most (retries + 1) × timeoutMs + retries × 5 s: 25 s by default.
 */
export class Tributary implements TributaryClient {
  readonly programId: number;
  readonly #client: Omit<Call<unknown>, "body" | "member">;
  readonly #onError: (problem: TrackingProblem) => void;

  /** Throws a `TypeError` where an option is no good; it never shows the key. */
  constructor({
    apiKey,
    baseUrl,
    fetch = (url, init) => globalThis.fetch(url, init),
    timeoutMs = 5_000,
    retries = 2,
    onWarning = ({ message }) => console.warn(`tributary: ${message}`),
    onError = ({ source, message }) => console.error(`tributary: ${source}: ${message}`),
  }: TributaryOptions = {}) {
    const key = fromEnvironment("apiKey", apiKey, "TRIBUTARY_API_KEY");
    if (!/^svc_[\w-]+$/.test(key)) throw new TypeError("apiKey must be the program's key, without white space");
    const url = webUrl(fromEnvironment("baseUrl", baseUrl, "TRIBUTARY_URL"));
    if (!url || !isSecure(url) || /[?#]/.test(url.href)) {
      throw new TypeError("baseUrl must be https (http: localhost only), without credentials, ? and #");
    }
    // Keys are `svc_<program id in base 36>_…`.
    this.programId = Number.parseInt(key.slice(4), 36);
    this.#onError = onError;
    const warned = new Set<string>();
    this.#client = checked({
      url: url.href.replace(/\/*$/, "/api/v1/"),
      apiKey: key,
      fetch,
      retries,
      timeoutMs,
      warn: (code, message) => {
        if (warned.has(message)) return;
        if (warned.size >= maxWarned) warned.clear();
        warned.add(message);
        tell(onWarning, { code, message });
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
    return this.#trackSale("sale", sale, options);
  }

  /** Records a sale in the program's test book, which touches nothing real. */
  trackTestSale(sale: SaleInput, options?: CallOptions): Promise<SaleResult> {
    return this.#trackSale("testSale", { ...sale, testMode: true }, options);
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
    return this.#track<Refund>("refund", refund, ["invoiceId"], "saleId", options);
  }

  /**
   * Records a visit by a partner's link. The browser script does so by itself: this is for sites without it. The
   * service counts all visitors of one caller against one limit: 300 a minute, 6,000 with `occurredAt`. A click with
   * `occurredAt` isn't kept while the service's database is away: the result is `retryable`, status 503.
   */
  trackClick(click: ClickInput, options?: CallOptions): Promise<ClickResult> {
    const { programId, eventId } = click;
    const own = { programId: programId ?? this.programId, eventId: eventId ?? `${Date.now()}-${Math.random()}` };
    return this.#track<Click>("click", { ...click, ...own }, ["affiliateUrl", "programId"], "clickId", options);
  }

  /** How far the key's program is from paying its partners. */
  readiness(options?: CallOptions): Promise<ReadinessResult> {
    return this.#send<Readiness>("readiness", "programs/me/readiness", null, "gates", options);
  }

  /** Runs a click, a lead and a sale through the test book. Ten times an hour at most, and never sent again by itself. */
  runVerification(options?: CallOptions): Promise<VerificationResult> {
    const once = { ...options, retries: 0 };
    return this.#send<Verification>("verification", "programs/me/verification", {}, "data", once);
  }

  /** Passes a problem to `onError`. */
  report(problem: TrackingProblem): void {
    tell(this.#onError, problem);
  }

  #trackSale(
    kind: string,
    sale: SaleInput & { testMode?: true },
    options: CallOptions | undefined,
  ): Promise<SaleResult> {
    const { amount, subscriptionId, clickId, invoiceId } = sale;
    if (amount === 0) return Promise.resolve(skipped);
    const required = [...(subscriptionId || clickId ? [] : ["customerExternalId"]), "amount", "invoiceId"];
    const body = bodyOf(kind, sale, required, this.#client.warn);
    return this.#send<Sale, RepeatedSale>("sale", "track/sale", body, "saleId", options, (failure) => {
      const { details: data } = failure.error;
      if (failure.status !== 409 || !hasMember<RepeatedSale["data"]>(data, "saleId")) return undefined;
      const { requestId } = failure;
      const repeat = { ok: true, status: 409, error: null, data, requestId, duplicate: true } as const;
      // Two events of one payment have instants of their own, and one of them may leave something out.
      const differences = data.differences.filter(
        (field) => field !== "occurred_at" && (body[field] || !/_(id|key)$/.test(field)),
      );
      if (differences.length === 0) return repeat;
      this.#client.warn("sale_conflict", `sale ${invoiceId} was recorded with another ${differences}`);
      return { ...repeat, conflict: true };
    });
  }

  #track<Data>(
    kind: "lead" | "refund" | "click",
    input: object,
    required: readonly string[],
    member: keyof Data & string,
    options: CallOptions | undefined,
  ): Promise<Success<Data> | Failure> {
    const body = bodyOf(kind, input, required, this.#client.warn);
    return this.#send<Data>(kind, `track/${kind}`, body, member, options);
  }

  #send<Data, Repeat = never>(
    source: TrackingProblem["source"],
    path: string,
    body: object | null,
    member: keyof Data & string,
    options: CallOptions | undefined,
    repeatOf: (failure: Failure) => Repeat | undefined = () => undefined,
  ): Promise<Success<Data> | NonNullable<Repeat> | Failure> {
    const call = checked({ ...this.#client, ...options });
    const sent = send<Data>({ ...call, url: call.url + path, member, body: body && JSON.stringify(body) });
    return sent.then((result) => {
      if (result.ok) return result;
      const repeat = repeatOf(result);
      if (repeat) return repeat;
      tell(options?.onError ?? this.#onError, { source, message: result.error.message, failure: result });
      return result;
    });
  }
}

/** Whatever the listener does, now or later, is not the call's concern. */
function tell<Heard>(listener: (heard: Heard) => void, heard: Heard): void {
  Promise.resolve(heard)
    .then(listener)
    .catch(() => {});
}

type Runtime = typeof globalThis & { process?: { env?: Readonly<Record<string, string | undefined>> } };

function fromEnvironment(name: string, given: string | undefined, variable: string): string {
  const value = given ?? (globalThis as Runtime).process?.env?.[variable];
  if (!value) throw new TypeError(`${name} is empty: set ${variable} or pass it`);
  return value;
}

function checked<Limits extends Pick<Call<unknown>, "retries" | "timeoutMs">>(limits: Limits): Limits {
  if (limits.retries >= 0 && limits.retries <= 10 && limits.timeoutMs > 0 && limits.timeoutMs < 2 ** 31) return limits;
  throw new TypeError("retries must be 0 to 10, timeoutMs positive");
}
