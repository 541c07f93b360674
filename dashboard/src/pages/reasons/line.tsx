import type { JSX } from "preact";
import { PartnerLink } from "../../components/partner-link.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { pluralize } from "../../format.ts";
import { type Equation, termsOf } from "../../reasons/equation.ts";
import { NoReasons } from "../../reasons/host.tsx";
import { partnerText } from "../../reasons/partner-text.ts";
import { Sum, usePages } from "../../reasons/parts.tsx";
import { useProgram } from "../../session.tsx";
import { payoutAddress } from "../../url.ts";
import { type Line, type PayoutWithLines, usePayout } from "../payouts/queries.ts";
import {
  CommissionPages,
  ExportCommissions,
  type Narrowed,
  partnerRowOf,
  useReasonCommissions,
} from "./commission-rows.tsx";

export const lineEquation = (line: Line, { currency, reference }: PayoutWithLines): Equation => ({
  what: `in payout ${reference}`,
  amountCents: line.amountCents,
  currency,
  terms: termsOf(
    [pluralize(line.commissions, "commission"), line.commissionsCents],
    ["bonuses and deductions", line.adjustmentsCents],
    ["from earlier payouts", line.broughtForwardCents],
  ),
});

/** The line's commissions; in a draft, those that could be paid now. Undefined if the line has none. */
function commissionsOf({ partnerId, failedAt }: Line, { id, currency, status }: PayoutWithLines): Narrowed | undefined {
  const ofPartner = { partnerId: String(partnerId), currency };
  if (status === "draft") return { ...ofPartner, status: "approved" };
  return status === "canceled" || failedAt !== null ? undefined : { ...ofPartner, payoutId: String(id) };
}

function noteOf({ failedAt }: Line, { status }: PayoutWithLines): string {
  if (status === "canceled") return "The payout was canceled, so the amount is payable again.";
  if (failedAt !== null) return "The payment failed or was returned, so the amount is payable again.";
  if (status === "draft") return "This is a draft. The amount is computed again when the payout is finalized.";
  return "The amount when the payout was finalized. Later refunds lower the commissions below and the next payout.";
}

interface OfLineProps {
  readonly payoutId: string;
  readonly partnerId: string;
}

/** Explains a partner's line of a payout. */
export function OfLine({ payoutId, partnerId }: OfLineProps): JSX.Element {
  const { program } = useProgram();
  const { cursor, pagination } = usePages();
  const read = usePayout(payoutId);
  const payout = read.data;
  const line = payout?.lines.find((each) => String(each.partnerId) === partnerId);
  const narrowed = payout && line && commissionsOf(line, payout);
  const commissions = useReasonCommissions(narrowed, cursor);
  if (read.failure?.status === 404) return <NoReasons />;
  return (
    <Loaded query={read} skeleton={<Skeleton lines={6} />}>
      {(found) => {
        if (line === undefined) return <NoReasons />;
        const equation = lineEquation(line, found);
        const note = noteOf(line, found);
        const rows = commissions.data?.data ?? [];
        return (
          <>
            <p class="breakable">
              <PartnerLink id={line.partnerId} name={line.name} /> in{" "}
              <a href={payoutAddress(program.id, found.id)}>
                <bdi>{found.reference}</bdi>
              </a>
            </p>
            <Sum
              equation={equation}
              note={note}
              copied={partnerText({
                programName: program.name,
                equation,
                note,
                rows: rows.map((row) => partnerRowOf(row, program)),
                hasMore: commissions.data?.meta.nextCursor != null || cursor !== undefined,
              })}
            >
              {narrowed !== undefined && <ExportCommissions narrowed={narrowed} />}
            </Sum>
            {narrowed !== undefined && <CommissionPages query={commissions} pagination={pagination} />}
          </>
        );
      }}
    </Loaded>
  );
}
