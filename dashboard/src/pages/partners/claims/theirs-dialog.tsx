import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { useExplanation } from "../../../api/explain.ts";
import { usePartner } from "../../../api/partners.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, filled, SelectField, TextArea, type Values } from "../../../components/form.tsx";
import { formatDate, formatMoney, pluralize } from "../../../format.ts";
import { nameInText } from "../../../named-by-code.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import { amountsText, useWouldPay } from "../../explain/would-pay.ts";
import { type Claim, isInTheirList, type NearbySale } from "./queries.ts";

interface TheirsDialogProps {
  readonly claim: Claim;
  readonly sale: NearbySale;
  /** Gets the outcome as a sentence. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const starts = [
  ["sale", "This sale on"],
  ["now", "Now on, not for this sale"],
] as const;

/** Credits a sale to the partner who says that it is missing. */
export function TheirsDialog({ claim, sale, onDone, onClose }: TheirsDialogProps): JSX.Element {
  const { program, may } = useProgram();
  const [start, setStart] = useState<string>("sale");
  const { partner } = claim;
  const hasSale = sale.partner?.isThis === true;
  const isFinal = isInTheirList(sale);
  const paysPast = !isFinal && may("owner") && start === "sale";
  const credit = useAction(
    async ({ partnerNote }: Values) => {
      const json = {
        outcome: "theirs" as const,
        saleId: sale.saleId,
        ...(paysPast && { payPast: true }),
        partnerNote: filled(partnerNote),
      };
      const param = { ...paramOf(program), claimId: String(claim.id) };
      return (await take(api.programs[":programId"].claims[":claimId"].resolve.$post({ param, json }))).data;
    },
    {
      failsIn: "form",
      refreshes: [`program ${program.id} `],
      onDone: ({ effects }) => onDone(isFinal ? answeredText(claim) : doneText(claim, effects)),
    },
  );
  return (
    <Dialog title={isFinal ? "Already theirs?" : `Credit this sale to ${nameInText(partner.name)}?`} onClose={onClose}>
      <p class="breakable">
        <bdi>{sale.transactionId}</bdi>: {formatMoney(sale.amountCents, sale.currency)} on {formatDate(sale.saleDate)}
      </p>
      <Form action={credit} submit={isFinal ? "Answer claim" : "Credit sale"} onCancel={onClose}>
        {isFinal ? (
          <p>
            <bdi>{partner.name}</bdi> has this sale already. Answering the claim changes nothing else.
          </p>
        ) : (
          <>
            {hasSale && (
              <p>
                <bdi>{partner.name}</bdi> has this sale already, but the customer could still move to another partner.
                Now the customer stays with <bdi>{partner.name}</bdi>.
              </p>
            )}
            {may("owner") ? (
              <SelectField
                name="start"
                label="The customer's sales earn for the partner from"
                options={starts}
                value={start}
                onInput={setStart}
              />
            ) : (
              <p>
                From now on, the customer's sales earn for <bdi>{partner.name}</bdi>. This sale stays as it is: only an
                owner can pay for it too.
              </p>
            )}
            {paysPast && <WouldPay claim={claim} sale={sale} />}
            <p class="soft">You can't undo this.</p>
          </>
        )}
        <TextArea
          name="partnerNote"
          label="Note to the partner"
          hint="Shown with their claim. Up to 500 characters."
          isOptional
        />
      </Form>
    </Dialog>
  );
}

/** Says what the partner gets at once. */
function WouldPay({ claim: { partner }, sale }: Pick<TheirsDialogProps, "claim" | "sale">): JSX.Element {
  const { customer } = useExplanation({ saleId: String(sale.saleId) }).data ?? {};
  const customerKey = customer?.customerKey ?? undefined;
  const partnerCode = usePartner(String(partner.id)).data?.code;
  const pays = useWouldPay({ customerKey, partnerCode, since: sale.soldAt });
  return (
    <p class="breakable" aria-live="polite">
      {pays && wouldPayText(nameInText(partner.name), sale, pays)}
    </p>
  );
}

type Check = NonNullable<ReturnType<typeof useWouldPay>>;

function wouldPayText(partner: string, sale: NearbySale, { effects, code }: Check): string | undefined {
  if (code === "other_partner") {
    return `The customer has another partner, which can't change. Correct the sale in its explanation, or adjust the balance of ${partner}.`;
  }
  if (effects === undefined) return undefined;
  const money = amountsText(effects);
  if (money === "" && sale.partner?.isThis === true) return undefined;
  if (money === "") return `${partner} gets nothing for this sale: the commission is 0 by your rules.`;
  return `${partner} gets ${money} for ${pluralize(effects.sales, "sale")}, on hold as usual.`;
}

const answeredText = ({ partner }: Claim): string =>
  `The claim of ${nameInText(partner.name)} was answered: the sale is already theirs.`;

const doneText = ({ partner }: Claim, effects: Parameters<typeof amountsText>[0]): string => {
  const money = amountsText(effects);
  const earned = money === "" ? "" : ` They earned ${money} for ${pluralize(effects.sales, "sale")}.`;
  return `The claim of ${nameInText(partner.name)} was credited.${earned}`;
};
