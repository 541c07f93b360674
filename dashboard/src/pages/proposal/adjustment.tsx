import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { writeDecimal } from "#domain/currency.ts";
import { moneyDigits } from "../../format.ts";
import { Adjustment } from "../payouts/adjustment.tsx";
import { type ChangeProps, notesIn, textIn } from "./change-props.ts";

export default function ProposedAdjustment({ of, isOpen, onClose, onDone }: ChangeProps): JSX.Element | null {
  const [partner] = of.partners;
  const [references] = useState(() => new Map([[partner?.id ?? 0, textIn(of, "reference")]]));
  if (!isOpen || partner === undefined) return null;
  const { id: partnerId, code: partnerCode, name } = partner;
  const cents = Number(of.body.amountCents);
  const currency = textIn(of, "currency");
  const { reason, partnerNote = "" } = notesIn(of);
  const values = {
    kind: cents < 0 ? "write-off" : "bonus",
    amountCents: writeDecimal(Math.abs(cents), moneyDigits(currency)),
    reason,
    partnerNote,
  };
  return (
    <Adjustment
      partner={{ partnerId, partnerCode, name, currency }}
      references={references}
      values={values}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
