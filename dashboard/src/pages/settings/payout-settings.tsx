import type { JSX } from "preact";
import { writeDecimal } from "#domain/currency.ts";
import { mayPay, useMembers } from "../../api/members.ts";
import { useUpdateProgram } from "../../api/update-program.ts";
import { Card } from "../../components/card.tsx";
import { Form, SelectField, TextArea, TextField } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { formatMoney, moneyDigits } from "../../format.ts";
import { parseMoney } from "../../forms/parse-numbers.ts";
import { type Program, useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";
import { Issuer } from "./issuer.tsx";
import { Payer } from "./payer.tsx";
import { ReadOnlyFacts } from "./read-only-facts.tsx";

const approvals: readonly (readonly [Program["payoutApproval"], string])[] = [
  ["one_person", "One person"],
  ["two_people", "Two people"],
];

const detailsNeeded = [
  ["no", "No: pay by email address"],
  ["yes", "Yes: leave them out"],
] as const;

export function PayoutSettings(): JSX.Element {
  const { program, mayChange } = useProgram();
  const { minimumPayoutCents, payoutTerms, payoutApproval, requireDetails, currency } = program;
  return (
    <div class="settings">
      <Card title="Payouts" lead="A payout keeps the minimum that it was created with.">
        {mayChange("admin") ? (
          <Rules />
        ) : (
          <ReadOnlyFacts
            facts={[
              ["Minimum payout", minimumPayoutCents === null ? "None" : formatMoney(minimumPayoutCents, currency)],
              ["Terms", payoutTerms ?? "None"],
              ["Payment details", requireDetails ? "Needed" : "Not needed"],
              ["Approval", approvals.find(([value]) => value === payoutApproval)?.[1]],
            ]}
          />
        )}
      </Card>
      <Payer />
      <Issuer />
    </div>
  );
}

const readMinimum = (text: string, currency: string): number | null =>
  text.trim() === "" ? null : parseMoney(text, currency, "minimumPayoutCents");

function Rules(): JSX.Element {
  const { program } = useProgram();
  const { minimumPayoutCents, payoutTerms, payoutApproval, requireDetails, currency } = program;
  const draft = useDraft(`program ${program.id} payouts`, {
    minimumPayoutCents: minimumPayoutCents === null ? "" : writeDecimal(minimumPayoutCents, moneyDigits(currency)),
    payoutTerms: payoutTerms ?? "",
    payoutApproval,
    requireDetails: requireDetails ? "yes" : "no",
  });
  const read = () => {
    const {
      minimumPayoutCents: minimum,
      payoutTerms: terms,
      payoutApproval: approval,
      requireDetails: needed,
    } = draft.changes;
    return {
      minimumPayoutCents: minimum === undefined ? undefined : readMinimum(minimum, currency),
      payoutTerms: terms,
      payoutApproval: approvals.find(([value]) => value === approval)?.[0],
      requireDetails: needed === undefined ? undefined : needed === "yes",
    };
  };
  const save = useUpdateProgram(read, { failsIn: "form", done: "Saved.", onDone: draft.markSaved });
  return (
    <Form action={save} submit="Save" draft={draft}>
      <div class="columns">
        <TextField
          name="minimumPayoutCents"
          label="Minimum payout"
          unit={currency}
          inputMode="decimal"
          hint={`Smaller balances in ${currency} aren't paid until they reach it.`}
          isOptional
        />
        <SelectField
          name="payoutApproval"
          label="Approval"
          options={approvals}
          hint="With two people, the person who finalizes a payout can't mark it as paid. Only owners can switch this off."
        />
        <SelectField
          name="requireDetails"
          label="Partners need payment details"
          options={detailsNeeded}
          hint="Partners enter these details on their Profile page, owners on the partner's page."
        />
      </div>
      {draft.values.payoutApproval === "two_people" && <MissingApprover />}
      <TextArea
        name="payoutTerms"
        label="Terms"
        hint="Shown on partners' statements, such as “Paid monthly, within 14 days of the month's end.”"
        isOptional
      />
    </Form>
  );
}

/** Warns before a change that would let a single person finalize payouts that no one could mark as paid. */
function MissingApprover(): JSX.Element | null {
  const { data } = useMembers();
  if (data === undefined || data.filter(mayPay).length > 1) return null;
  return (
    <Notice look="warn">
      Only one member can finalize payouts and mark them as paid. With two people, no payout can be paid until an owner
      invites another owner or admin.
    </Notice>
  );
}
