import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { formatMoney } from "../../format.ts";

interface Assignment {
  readonly customerKey: string | undefined;
  readonly partnerCode: string | undefined;
  /** The instant from which the partner is paid. */
  readonly since: string | undefined;
}

/**
 * The amount that an assignment would pay at once, from a dry run of an import of the same assignment. Undefined if it
 * isn't known.
 */
export function useWouldPay({ customerKey, partnerCode, since }: Assignment) {
  const asked =
    customerKey === undefined || partnerCode === undefined || since === undefined
      ? null
      : { customerKey, partnerCode, since };
  const { data, isStale } = useProgramQuery("what an assignment pays", { asked }, async ({ param }, init) => {
    if (asked === null) return null;
    const row = {
      line: 1,
      customer_key: asked.customerKey,
      partner_code: asked.partnerCode,
      since: asked.since,
      pay_past: "true",
    };
    const json = { kind: "customers" as const, source: "dashboard", dryRun: true, rows: [row] };
    const { data: checked } = await take(api.programs[":programId"].imports.rows.$post({ param, json }, init));
    return checked.rows[0] ?? null;
  });
  return isStale ? undefined : (data ?? undefined);
}

interface Effects {
  readonly sales: number;
  readonly amounts: readonly { readonly currency: string; readonly cents: number }[];
}

export const amountsText = ({ amounts }: Effects): string =>
  amounts.map(({ currency, cents }) => formatMoney(cents, currency)).join(" and ");
