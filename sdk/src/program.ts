import type { CallOptions } from "./inputs.ts";
import { idOf, present, wireOf } from "./program/arguments.ts";
import type { ProgramClient } from "./program/client.ts";
import type { Coupon, CouponFilter, Coupons } from "./program/coupons.ts";
import type {
  Balance,
  BalanceFilter,
  CommissionFilter,
  List,
  ListedCommission,
  PageFilter,
  PageResult,
  Payouts,
} from "./program/lists.ts";
import type { Partner, PartnerFilter, Partners } from "./program/partners.ts";
import type { Failure, Success } from "./results.ts";
import { Tributary } from "./tributary.ts";

export type { ProgramClient } from "./program/client.ts";
export type {
  Coupon,
  CouponChanges,
  CouponFilter,
  CouponInput,
  CouponResult,
  Coupons,
} from "./program/coupons.ts";
export type {
  Balance,
  BalanceFilter,
  CommissionFilter,
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

type Source = "partners" | "coupons" | "commissions" | "balances" | "payouts";

interface ListReply<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly nextCursor: string | null };
}

const termsOf = (terms: object) => wireOf("coupon", "status validFrom validUntil", terms);

const settable = "name email externalId destinationUrl";

/**
 * `Tributary` with the rest of what a program key can do: create and update partners and their coupons, and read lists. Its methods behave
 * like those of `Tributary`: invalid arguments throw, and any other failure is a result with `ok: false`.
 */
export class TributaryProgram extends Tributary implements ProgramClient {
  readonly partners: Partners = {
    ...this.#listOf<Partner, PartnerFilter>("partners", "externalId"),
    create: (partner, options) => {
      const body = present(wireOf("partner", `${settable} code`, partner));
      for (const name of ["name", "code"]) {
        if (!body[name]?.trim()) throw new TypeError(`partner.${name} must be text`);
      }
      // After a lost response, a repeat would be refused because of the partner that the call itself created.
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
      // A repeat would be refused, as above.
      return this.#change("coupons", "", body, { ...options, retries: 0, method: "POST" });
    },
    update: (couponId, changes, options) => {
      const path = `/${idOf("couponId", couponId)}`;
      return this.#change("coupons", path, termsOf(changes), { ...options, method: "PATCH" });
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
  };

  #change<Changed>(
    source: "partners" | "coupons",
    path: string,
    body: object,
    options: CallOptions & { method: string },
  ): Promise<Success<Changed> | Failure> {
    const asked = `programs/me/${source}${path}`;
    const sent = this.send<Success<{ readonly data: Changed }>>(source, body, "data", options, asked);
    return sent.then((result) => (result.ok ? { ...result, data: result.data.data } : result));
  }

  #listOf<Row, Filter extends PageFilter>(source: Source, filters = "", path: string = source): List<Row, Filter> {
    const queryOf = (filter: object = {}) => present(wireOf(source, `${filters} cursor`, filter));
    const read = (query: Record<string, string>, options: CallOptions | undefined): Promise<PageResult<Row>> => {
      const asked = `programs/me/${path}?${new URLSearchParams(query)}`;
      // The method is named because a 404 isn't that of an event, which may succeed later.
      const sent = this.send<Success<ListReply<Row>>>(source, null, "meta", { ...options, method: "GET" }, asked);
      return sent.then((result) => {
        if (!result.ok) return result;
        const { data, meta } = result.data;
        return { ...result, data, nextCursor: meta.nextCursor };
      });
    };
    async function* pagesOf(query: Record<string, string>, options: CallOptions | undefined) {
      let cursor: string | null = query.cursor ?? "";
      while (cursor !== null) {
        const page: PageResult<Row> = await read(cursor ? { ...query, cursor } : query, options);
        yield page;
        cursor = page.ok ? page.nextCursor : null;
      }
    }
    return {
      list: (filter, options) => read(queryOf(filter), options),
      pages: (filter, options) => pagesOf(queryOf(filter), options),
    };
  }
}
