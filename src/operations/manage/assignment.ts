import type { ProgramId } from "#domain/ids.ts";
import { effectsOf, type ImportEffects } from "#domain/import.ts";
import { type CustomerRow, insertCustomer, type KnownCustomer, updateCustomer } from "#store/customers.ts";
import type { LinkRow } from "#store/partners.ts";
import type { Write } from "#store/statement.ts";
import { bindDirectly, mostFollowingAtOnce } from "../attribution/bind-directly.ts";
import { type FoundSales, type MoreSales, readEarlierSales } from "../attribution/earlier-sales.ts";
import { type FoundPolicies, type MorePolicies, readPoliciesThen } from "../attribution/policies.ts";
import { type Deciding, type Decision, retryWith } from "../operation.ts";

export type MoreOfCustomer = MoreSales & MorePolicies;

export const readOfCustomer = (programId: ProgramId, { salesOf, policiesThen }: Partial<MoreOfCustomer>) => ({
  ...(salesOf && readEarlierSales(salesOf)),
  ...(policiesThen && readPoliciesThen(programId, policiesThen)),
});

export interface Assignable extends FoundSales, FoundPolicies {
  /** The stored customer. Undefined if the customer is new. */
  readonly known: KnownCustomer | undefined;
  readonly customer: CustomerRow;
  readonly firstLink: LinkRow;
  readonly since: number;
}

export interface Assignment {
  readonly partnerCode: string;
  readonly effects: ImportEffects;
  readonly hasMore: boolean;
  readonly writes: readonly Write[];
  readonly holdUntil: number | undefined;
}

export type Effects = Pick<Assignment, "effects" | "hasMore">;

/** The effects as stored in an audit entry. */
export const storedEffects = ({ effects, hasMore }: Effects) => ({ ...effects, ...(hasMore && { hasMore }) });

/** The effects stored in the audit entry of an earlier run of the call. No effects if there is no entry. */
export function effectsIn(entry: string | null | undefined): Effects {
  const stored = JSON.parse(entry ?? "{}") as Partial<ImportEffects> & { readonly hasMore?: true };
  const { sales = 0, amounts = [], hasMore = false } = stored;
  return { effects: { sales, amounts }, hasMore };
}

/**
 * Attributes a customer to a partner by a member's decision. The caller has checked that the attribution may change,
 * and writes the audit entry.
 */
export function assignment(
  { known, customer, firstLink, since, ...found }: Assignable,
  deciding: Deciding,
): Assignment | Decision<never, MoreOfCustomer> {
  const { context, at } = deciding;
  const link = context.settings.link(firstLink.id);
  if (!link) return retryWith({ needs: [{ kind: "link", linkId: firstLink.id }] });
  const attribution = { source: "person", link, since, at } as const;
  const bound = bindDirectly({ known, customer, attribution, most: mostFollowingAtOnce }, found, deciding);
  if ("kind" in bound) return bound;
  return {
    partnerCode: link.code,
    effects: effectsOf(bound.owed),
    hasMore: bound.hasMore,
    writes: [known === undefined ? insertCustomer(bound.customer) : updateCustomer(bound.customer), ...bound.writes],
    holdUntil: bound.holdUntil,
  };
}
