import { endOfDay, startOfDay } from "#domain/calendar.ts";
import { api, take } from "../../../api/client.ts";
import type { Customer } from "../../../api/types.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import { isDay } from "../../../is-day.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import type { Filters } from "../../../url.ts";

/**
 * The service may send pages that aren't full. The client joins pages until it has this many customers, or has made
 * this many calls.
 */
const most = { rows: 50, calls: 8 };

const instantText = (at: number): string => new Date(at).toISOString();

const sources = ["click", "coupon", "import", "person"] as const satisfies readonly Customer["source"][];
const flags = ["true", "false"] as const;

/**
 * The parameters of the call, without the partner: the address has the partner's id, but the call needs the code.
 * Values that the service doesn't know are ignored.
 */
const customerQuery = ({ q, source, attributed, hasSale, test, from, to }: Filters, timezone: string) => ({
  ...(q && { q }),
  ...(source && { source: sources.find((each) => each === source) }),
  ...(attributed && { attributed: flags.find((each) => each === attributed) }),
  ...(hasSale && { hasSale: flags.find((each) => each === hasSale) }),
  ...(test === "only" && { testMode: "true" as const }),
  ...(from && isDay(from) && { from: instantText(startOfDay(timezone, from)) }),
  ...(to && isDay(to) && { to: instantText(endOfDay(timezone, to) - 1) }),
});

type CustomerQuery = ReturnType<typeof customerQuery> & { readonly partnerCode?: string };
type Param = ReturnType<typeof paramOf>;
type Init = { readonly init: { readonly signal: AbortSignal } };

async function withPartner(query: CustomerQuery, param: Param, partnerId: string, init?: Init): Promise<CustomerQuery> {
  if (partnerId === "") return query;
  const one = api.programs[":programId"].partners[":partnerId"];
  const { data } = await take(one.$get({ param: { ...param, partnerId } }, init));
  return { ...query, partnerCode: data.code };
}

/** Reads customers, and joins pages that aren't full. */
export function useCustomers(filters: Filters) {
  const { program } = useProgram();
  const { partnerId = "", cursor } = filters;
  const wanted = { ...customerQuery(filters, program.timezone), partnerId, cursor };
  return useProgramQuery("customers", wanted, async ({ param, query: { partnerId, cursor, ...query } }, init) => {
    const asked = await withPartner(query, param, partnerId, init);
    const customers: Customer[] = [];
    let after = cursor;
    for (let calls = 0; calls < most.calls && customers.length < most.rows; calls += 1) {
      const page = await listed(param, { ...asked, ...(after && { cursor: after }) }, init);
      customers.push(...page.data);
      after = page.meta.nextCursor ?? undefined;
      if (after === undefined) break;
    }
    return { data: customers, meta: { nextCursor: after ?? null } };
  });
}

const listed = (param: Param, query: CustomerQuery & { readonly cursor?: string }, init: Init) =>
  take(api.programs[":programId"].customers.$get({ param, query }, init));

/** The call that returns a file with the same customers. */
export function useCustomerFile(filters: Filters) {
  const { program } = useProgram();
  const param = paramOf(program);
  return async () => {
    const query = await withPartner(customerQuery(filters, program.timezone), param, filters.partnerId ?? "");
    return api.programs[":programId"].customers.$get({ param, query: { ...query, format: "csv" } });
  };
}
