import type { WebhookEvent } from "./events.ts";
import type { CallOptions } from "./inputs.ts";
import { isPlaceholder, noPlaceholder } from "./placeholder.ts";
import { idOf, present, wireOf } from "./program/arguments.ts";
import type { ProgramClient } from "./program/client.ts";
import { type Coupon, type CouponFilter, type Coupons, couponTerms } from "./program/coupons.ts";
import type { EmbedToken, EmbedTokenInput, EmbedTokenResult } from "./program/embed.ts";
import { type EventFilter, type EventPageResult, type Events, feedQuery } from "./program/events.ts";
import type {
  Balance,
  BalanceFilter,
  CommissionFilter,
  Customer,
  CustomerFilter,
  List,
  ListedCommission,
  PageFilter,
  PageResult,
  Payouts,
} from "./program/lists.ts";
import type { Partner, PartnerFilter, Partners } from "./program/partners.ts";
import { lookupBody, type SaleFigures, type SaleFilter, type Sales, type SalesFound } from "./program/sales.ts";
import {
  type PayoutLineFilter,
  type PayoutLines,
  type SettledPayout,
  type SettleLine,
  settleEach,
} from "./program/settlement.ts";
import type { Failure, PayoutLine, Success } from "./results.ts";
import { Tributary } from "./tributary.ts";

export type { WebhookEvent, WebhookEventType } from "./events.ts";
export type { ProgramClient } from "./program/client.ts";
export type {
  Coupon,
  CouponChanges,
  CouponFilter,
  CouponInput,
  CouponResult,
  Coupons,
} from "./program/coupons.ts";
export type { EmbedToken, EmbedTokenInput, EmbedTokenResult } from "./program/embed.ts";
export type { EventFilter, EventFilterType, EventPage, EventPageResult, Events } from "./program/events.ts";
export type {
  Balance,
  BalanceFilter,
  CommissionFilter,
  Customer,
  CustomerFilter,
  List,
  ListedCommission,
  Page,
  PageFilter,
  PageResult,
  Payout,
  Payouts,
} from "./program/lists.ts";
export type {
  Partner,
  PartnerChanges,
  PartnerFilter,
  PartnerInput,
  PartnerResult,
  Partners,
} from "./program/partners.ts";
export type {
  LookupOptions,
  SaleFigures,
  SaleFilter,
  Sales,
  SalesFound,
  SalesFoundResult,
} from "./program/sales.ts";

export type {
  LineFailure,
  PayoutLineFilter,
  PayoutLines,
  SettledLine,
  SettledPayout,
  SettleLine,
  Settlement,
} from "./program/settlement.ts";
export type { PayoutLine } from "./results.ts";

type Source = "partners" | "coupons" | "customers" | "sales" | "commissions" | "balances" | "payouts";

interface ListReply<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly nextCursor: string | null };
}

interface FeedReply {
  readonly events: readonly WebhookEvent[];
  readonly nextAfter: number;
  readonly hasMore: boolean;
  readonly newestSeq: number;
}

type Query = Readonly<Record<string, string>>;
type ReadOptions = (CallOptions & { readonly maxLength?: number }) | undefined;

/** Limit on a response: a page of 500 events of 64 KiB. */
const maxFeedLength = 2 ** 25;
/** Limit on a response: a page of 500 sales, whose ids have up to 255 characters. */
const maxSalesLength = 2 ** 20;

const pathWith = (path: string, query: Query) => `${path}?${new URLSearchParams(query)}`;

const termsOf = (terms: object) => wireOf("coupon", couponTerms, terms);

const settable = "name email externalId destinationUrl";

/**
 * `Tributary` with all other calls of a program key: create and update partners and coupons, read lists and events,
 * settle payouts, and create tokens for the referral page. Invalid arguments throw, and any other failure is a result
 * with `ok: false`.
 */
export class TributaryProgram extends Tributary implements ProgramClient {
  readonly partners: Partners = {
    ...this.#listOf<Partner, PartnerFilter>("partners", "externalId"),
    create: (partner, options) => {
      const body = present(wireOf("partner", `${settable} code`, partner));
      for (const name of ["name", "code"]) {
        if (!body[name]?.trim()) throw new TypeError(`partner.${name} must be text`);
      }
      for (const [name, id = ""] of Object.entries({ code: body.code, externalId: body.external_id })) {
        if (isPlaceholder(id.trim())) throw new TypeError(`partner.${name} ${noPlaceholder}`);
      }
      // Without an external id, the call isn't retried: after a lost response, the service would refuse the repeat,
      // because the first attempt created the partner.
      const once = body.external_id ? {} : { retries: 0 };
      return this.#change("partners", "", body, { ...options, ...once, method: "POST" });
    },
    update: (partnerId, changes, options) => {
      const body = wireOf("partner", `${settable} status`, changes);
      return this.#change("partners", `/${idOf("partnerId", partnerId)}`, body, { ...options, method: "PATCH" });
    },
  };
  readonly coupons: Coupons = {
    ...this.#listOf<Coupon, CouponFilter>("coupons", "partnerId code"),
    create: (coupon, options) => {
      const { codes, partnerId, ...terms } = coupon;
      if (!Array.isArray(codes)) throw new TypeError("coupon.codes must be an array");
      const owner = Number(idOf("coupon.partnerId", partnerId));
      const body = { codes, partner_id: owner, ...termsOf(terms) };
      // Not retried: after a lost response, the service would refuse the repeat, because the first attempt created the
      // coupon.
      return this.#change("coupons", "", body, { ...options, retries: 0, method: "POST" });
    },
    update: (couponId, changes, options) => {
      const path = `/${idOf("couponId", couponId)}`;
      return this.#change("coupons", path, termsOf(changes), { ...options, method: "PATCH" });
    },
  };
  readonly customers: List<Customer, CustomerFilter> = this.#listOf(
    "customers",
    "customerKey partnerCode source attributed from to hasSale q testMode",
  );
  readonly sales: Sales = {
    ...this.#listOf<SaleFigures, SaleFilter>("sales", "from to testMode", "sales", maxSalesLength),
    lookup: (invoiceIds, { testMode, ...options } = {}) => {
      const asked = { ...options, method: "POST", maxLength: maxSalesLength };
      const body = lookupBody(invoiceIds, testMode);
      return this.send<Success<SalesFound>>("sales", body, "found", asked, "programs/me/sales/lookup");
    },
  };
  readonly commissions: List<ListedCommission, CommissionFilter> = this.#listOf(
    "commissions",
    "status partnerId currency dateFrom dateTo reason",
  );
  readonly balances: List<Balance, BalanceFilter> = this.#listOf("balances", "currency");
  readonly payouts: Payouts = {
    ...this.#listOf("payouts"),
    commissions: (payoutId) => this.#listOf("payouts", "", `payouts/${idOf("payoutId", payoutId)}/commissions`),
    lines: (payoutId) => this.#linesOf(`${idOf("payoutId", payoutId)}/lines`),
  };
  readonly events: Events = listBy<EventPageResult, EventFilter>(
    feedQuery,
    (query, options) =>
      this.#read<FeedReply>("events", pathWith("events", query), "events", {
        ...options,
        maxLength: maxFeedLength,
      }).then((result) => {
        if (!result.ok) return result;
        const { events, ...ends } = result.data;
        return { ...result, data: events, ...ends };
      }),
    (page) => (page.ok && page.hasMore ? { after: String(page.nextAfter) } : null),
  );

  /**
   * Creates a token for the referral page inside your product (`tributary-sdk/embed`). The service stores nothing, so a
   * retry is safe.
   */
  createEmbedToken(person: EmbedTokenInput, options?: CallOptions): Promise<EmbedTokenResult> {
    const body = present(wireOf("person", "externalId name email group code", person));
    const externalId = body.external_id?.trim();
    if (!externalId) throw new TypeError("person.externalId must be text");
    if (isPlaceholder(externalId)) throw new TypeError(`person.externalId ${noPlaceholder}`);
    return this.#change<EmbedToken>("embed", "/tokens", body, { ...options, method: "POST" });
  }

  settlePayout(payoutId: number, settleLine: SettleLine): Promise<SettledPayout> {
    return settleEach(this.payouts.lines(payoutId), settleLine);
  }

  #linesOf(path: string): PayoutLines {
    const change = <Changed>(lineId: number, what: "settle" | "fail", body: object, options?: CallOptions) =>
      this.#change<Changed>("payouts", `/${path}/${idOf("lineId", lineId)}/${what}`, body, {
        ...options,
        method: "POST",
      });
    return {
      ...this.#listOf<PayoutLine, PayoutLineFilter>("payouts", "state", `payouts/${path}`),
      settle: (lineId, settlement, options) => {
        const body = present(wireOf("settlement", "settlementId settledAt", settlement));
        if (isPlaceholder(body.settlement_id?.trim() ?? "")) {
          throw new TypeError(`settlement.settlementId ${noPlaceholder}`);
        }
        return change(lineId, "settle", body, options);
      },
      fail: (lineId, failure, options) =>
        change(lineId, "fail", present(wireOf("failure", "reason partnerNote expectedState", failure)), options),
    };
  }

  #change<Changed>(
    source: "partners" | "coupons" | "embed" | "payouts",
    path: string,
    body: object,
    options: CallOptions & { method: string },
  ): Promise<Success<Changed> | Failure> {
    const asked = `programs/me/${source}${path}`;
    const sent = this.send<Success<{ readonly data: Changed }>>(source, body, "data", options, asked);
    return sent.then((result) => (result.ok ? { ...result, data: result.data.data } : result));
  }

  #read<Reply extends object>(
    source: Source | "events",
    path: string,
    member: keyof Reply & string,
    options: ReadOptions,
  ): Promise<Success<Reply> | Failure> {
    // Sets the method although GET is the default: without it, a 404 would count as temporary, as for a refund.
    return this.send<Success<Reply>>(source, null, member, { ...options, method: "GET" }, `programs/me/${path}`);
  }

  #listOf<Row, Filter extends PageFilter>(
    source: Source,
    filters = "",
    path: string = source,
    maxLength?: number,
  ): List<Row, Filter> {
    const own = maxLength === undefined ? {} : { maxLength };
    return listBy<PageResult<Row>, Filter>(
      (filter) => present(wireOf(source, `${filters} cursor`, filter)),
      (query, options) =>
        this.#read<ListReply<Row>>(source, pathWith(path, query), "meta", { ...options, ...own }).then((result) => {
          if (!result.ok) return result;
          const { data, meta } = result.data;
          return { ...result, data, nextCursor: meta.nextCursor };
        }),
      (page) => (page.ok && page.nextCursor !== null ? { cursor: page.nextCursor } : null),
    );
  }
}

/** `next` returns the change of the query that leads to the next page, or null after the last page. */
function listBy<Page, Filter extends object>(
  queryOf: (filter: Filter) => Query,
  read: (query: Query, options: CallOptions | undefined) => Promise<Page>,
  next: (page: Page) => Query | null,
) {
  async function* pagesOf(query: Query, options: CallOptions | undefined) {
    for (let changes: Query | null = {}; changes !== null; ) {
      const page: Page = await read({ ...query, ...changes }, options);
      yield page;
      changes = next(page);
    }
  }
  return {
    list: (filter = {} as Filter, options?: CallOptions) => read(queryOf(filter), options),
    pages: (filter = {} as Filter, options?: CallOptions) => pagesOf(queryOf(filter), options),
  };
}
