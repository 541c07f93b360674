import type { TributaryClient } from "./client.ts";
import { bodyOf, webUrl } from "./fields.ts";
import type { CallOptions, ClickInput, LeadInput, OfferInput, RefundInput, SaleInput } from "./inputs.ts";
import type { Readiness, Verification } from "./readiness.ts";
import type {
  Click,
  ClickResult,
  Failure,
  Lead,
  LeadResult,
  OfferAnswer,
  OfferResult,
  ReadinessResult,
  Refund,
  RefundResult,
  RepeatedSale,
  Sale,
  SaleResult,
  Skipped,
  Success,
  TrackingProblem,
  VerificationResult,
  Warning,
} from "./results.ts";
import { isSecure } from "./secure.ts";
import { type Answered, type Call, type FetchLike, send } from "./transport.ts";

export interface TributaryOptions {
  /** The program's API key. Keep it on the server. Default: `TRIBUTARY_API_KEY` from the environment. */
  readonly apiKey?: string | undefined;
  /**
   * The service's address: `https://tributary.example`, including a path before `/api` if there is one. Plain http is
   * allowed only for loopback addresses. Default: `TRIBUTARY_URL` from the environment.
   */
  readonly baseUrl?: string | undefined;
  /** Default: the runtime's `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** Time limit for each attempt, until its response is completely read, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts beyond the first, 0 to 10. Default: 2. */
  readonly retries?: number | undefined;
  /** Called once for each different message. Default: `console.warn`. Exceptions are ignored. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Called once for each failed call, after its retries. Default: `console.error`. Exceptions are ignored. */
  readonly onError?: ((problem: TrackingProblem) => void) | undefined;
}

const skipped: Promise<Skipped> = Promise.resolve({
  ok: true,
  status: 0,
  error: null,
  data: null,
  requestId: null,
  skipped: true,
});

/**
 * Reports leads, sales, refunds and clicks to Tributary, from a server.
 *
 * Invalid arguments throw a `TypeError` immediately. Any other failure, even an outage, is a result with `ok: false`:
 * the promises never reject. Calls are retried after a lost connection, 429 and 5xx, which is safe: an event that is
 * sent twice counts once. A call takes at most (retries + 1) × timeoutMs + retries × 5 s: 25 s by default.
 */
export class Tributary implements TributaryClient {
  readonly programId: number;
  readonly #client: Omit<Call<Answered>, "body" | "member"> & Required<Pick<CallOptions, "onError">>;

  /** Throws a `TypeError` if an option is invalid. The message never contains the key. */
  constructor({
    apiKey = environment("TRIBUTARY_API_KEY"),
    baseUrl = environment("TRIBUTARY_URL"),
    fetch = (url, init) => globalThis.fetch(url, init),
    timeoutMs = 5_000,
    retries = 2,
    onWarning = (warning) => console.warn(`tributary: ${warning.message}`),
    onError = (problem) => console.error(`tributary: ${problem.source}: ${problem.message}`),
  }: TributaryOptions = {}) {
    if (!/^svc_[\w-]+$/.test(apiKey)) throw new TypeError("apiKey (TRIBUTARY_API_KEY) must be a program key");
    const url = webUrl(baseUrl);
    if (!url || !isSecure(url) || /[?#]/.test(url.href)) {
      throw new TypeError("baseUrl (TRIBUTARY_URL) must be https without credentials or query");
    }
    // Keys are `svc_<program id in base 36>_…`.
    this.programId = Number.parseInt(apiKey.slice(4), 36);
    const warned = new Set<string>();
    this.#client = checked({
      url: url.href.replace(/\/*$/, "/api/v1/"),
      apiKey,
      fetch,
      retries,
      timeoutMs,
      onError,
      warn: (code, message) => {
        if (warned.has(message)) return;
        if (warned.size >= 1_000) warned.clear();
        warned.add(message);
        tell(onWarning, { code, message });
      },
    });
  }

  /**
   * Records a sign-up. Send it for every customer, even without a click. A repeat for the same customer records no
   * second lead, but a newer click can move the customer to another partner.
   */
  trackLead(lead: LeadInput, options?: CallOptions): Promise<LeadResult> {
    const body = bodyOf("lead", { customerExternalId: null }, lead, this.#client.warn);
    return this.send<Success<Lead>>("lead", body, "leadId", options);
  }

  /**
   * Records a payment. Send every payment, even from customers without a partner.
   *
   * A renewal may name only its `subscriptionId`. If no earlier sale named it, the sale is refused with 400, and
   * `error.details.unknownSubscriptionId` is true: send it with the customer.
   *
   * An amount of 0 is `skipped`. A repeated `invoiceId` is `ok` and a `duplicate`, with the recorded sale and its
   * commission as they are now. If its data differs from the first call, it is also a `conflict`, with a warning.
   */
  trackSale(sale: SaleInput, options?: CallOptions): Promise<SaleResult> {
    return this.#trackSale("sale", sale, options);
  }

  /** Records a sale in the program's test book, without effect on real data. */
  trackTestSale(sale: SaleInput, options?: CallOptions): Promise<SaleResult> {
    return this.#trackSale("testSale", { ...sale, testMode: true }, options);
  }

  /**
   * Records a refund of a sale, and reverses its share of the commission. With `cancel`, it cancels an earlier refund.
   *
   * A refund that arrives before its sale is `retryable`, status 404: let your processor deliver its event again. A
   * `refundId` that was used for another amount is refused with 409, and `error.details.differences` lists what differs.
   */
  trackRefund(refund: RefundInput, options?: CallOptions): Promise<RefundResult> {
    const { amount, refundedTotal, cancel } = refund;
    if ((amount ?? refundedTotal) === 0 && !refundedTotal && !cancel) return skipped;
    const required = { invoiceId: null, ...((amount || cancel) && { refundId: null }) };
    const body = bodyOf("refund", required, refund, this.#client.warn);
    return this.send<Success<Refund>>("refund", body, "refundedCents", options);
  }

  /**
   * Records a visit through a partner's link, for sites without the browser script, which does this automatically. The
   * service counts all visitors of one caller against one limit: 300 a minute, 6,000 with `occurredAt`. A click with
   * `occurredAt` isn't kept while the service's database is unreachable: the result is `retryable`, status 503.
   */
  trackClick(click: ClickInput, options?: CallOptions): Promise<ClickResult> {
    const body = {
      program_id: this.programId,
      event_id: `${Date.now()}-${Math.random()}`,
      ...bodyOf("click", { affiliateUrl: null }, click, this.#client.warn),
    };
    return this.send<Success<Click>>("click", body, "clickId", options);
  }

  /**
   * Returns what a customer gets at their first purchase because they came through a partner. Call it when you create
   * the checkout. The customer gets the offer if a first sale reported now would be attributed to a partner and earn a
   * commission. Otherwise `offer` is null. Stores nothing, so the result may be different later. Needs a key with the
   * scope `read`.
   */
  getOffer(customer: OfferInput, options?: CallOptions): Promise<OfferResult> {
    const { customer_key, click_id, additional_data } = bodyOf(
      "offer",
      { customerExternalId: null },
      customer,
      this.#client.warn,
    );
    const query = JSON.parse(JSON.stringify({ customer_key, click_id, ...Object(additional_data) }));
    const path = `programs/me/offer?${new URLSearchParams(query)}`;
    return this.send<Success<OfferAnswer>>("offer", null, "offer", { ...options, method: "GET" }, path);
  }

  /** Returns which gates of the key's program pass: the setup steps that are needed before partners are paid. */
  readiness(options?: CallOptions): Promise<ReadinessResult> {
    return this.send<Success<Readiness>>("readiness", null, "gates", options, "programs/me/readiness");
  }

  /** Runs a click, a lead and a sale through the test book. At most ten times an hour; never retried automatically. */
  runVerification(options?: CallOptions): Promise<VerificationResult> {
    return this.send<Success<Verification>>(
      "verification",
      {},
      "data",
      { ...options, retries: 0 },
      "programs/me/verification",
    );
  }

  /** Passes a problem to the client's `onError`. */
  report(problem: TrackingProblem): void {
    tell(this.#client.onError, problem);
  }

  #trackSale(
    kind: string,
    sale: SaleInput & { testMode?: true },
    options: CallOptions | undefined,
  ): Promise<SaleResult> {
    const { amount, subscriptionId, clickId, invoiceId } = sale;
    if (amount === 0) return skipped;
    const required = {
      amount: null,
      invoiceId: null,
      ...(!subscriptionId && !clickId && { customerExternalId: null }),
    };
    const body = bodyOf(kind, required, sale, this.#client.warn);
    const sent = this.send<Success<Sale> | RepeatedSale>("sale", body, "saleId", options);
    return sent.then((result) => {
      if (!result.duplicate) return result;
      // Two events of one payment have different times, and an id or key may be missing from the later one.
      const differences = result.data.differences.filter(
        (field) => field !== "occurred_at" && (body[field] || !/_(id|key)$/.test(field)),
      );
      if (!differences[0]) return result;
      this.#client.warn("sale_conflict", `sale ${invoiceId} was recorded with another ${differences}`);
      return { ...result, conflict: true };
    });
  }

  /** @internal `TributaryProgram` calls it. */
  protected send<Known extends Answered>(
    source: TrackingProblem["source"],
    body: object | null,
    member: keyof Known["data"] & string,
    options: (CallOptions & Pick<Call<Known>, "method" | "maxLength">) | undefined,
    path = `track/${source}`,
  ): Promise<Known | Failure> {
    const { retries = this.#client.retries, timeoutMs = this.#client.timeoutMs } = options ?? {};
    const call = checked({ ...this.#client, ...options, retries, timeoutMs });
    return send<Known>({ ...call, url: call.url + path, member, body: body && JSON.stringify(body) }).then((result) => {
      if (!result.ok) {
        tell(call.onError ?? this.#client.onError, { source, message: result.error.message, failure: result });
      }
      return result;
    });
  }
}

/** Errors that the listener throws, at once or later, never affect the call. */
function tell<Heard>(listener: (heard: Heard) => void, heard: Heard): void {
  Promise.resolve(heard)
    .then(listener)
    .catch(() => {});
}

type Runtime = typeof globalThis & { process?: { env?: Readonly<Record<string, string | undefined>> } };

const environment = (name: string): string => (globalThis as Runtime).process?.env?.[name] ?? "";

function checked<Limits extends Pick<Call<Answered>, "retries" | "timeoutMs">>(limits: Limits): Limits {
  if (limits.retries >= 0 && limits.retries <= 10 && limits.timeoutMs > 0 && limits.timeoutMs < 2e9) return limits;
  throw new TypeError("retries must be 0 to 10, timeoutMs positive");
}
