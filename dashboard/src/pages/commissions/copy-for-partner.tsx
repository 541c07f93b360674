import type { JSX } from "preact";
import { CopyButton } from "../../components/copy.tsx";
import { partnerText } from "../../reasons/partner-text.ts";
import { useProgram } from "../../session.tsx";
import { partnerRowOf } from "../reasons/commission-rows.tsx";
import type { Commission } from "./queries.ts";

/** Copies a commission's verdict, rule and dates, with the partner's reference, for a reply to the partner. */
export default function CopyForPartner({ commission }: { readonly commission: Commission }): JSX.Element | null {
  const { program } = useProgram();
  if (commission.partnerId === null) return null;
  const { amountCents, currency, ref } = commission;
  const equation = { what: `for commission ${ref}`, amountCents, currency, terms: [] };
  const rows = [partnerRowOf(commission, program)];
  return (
    <CopyButton
      text={partnerText({ programName: program.name, equation, rows, hasMore: false })}
      what="text for the partner"
      title="Copy for the partner"
    />
  );
}
