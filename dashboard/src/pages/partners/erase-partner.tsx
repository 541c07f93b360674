import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { type PartnerWithBalances, partnerQueryKeys } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { formatMoney } from "../../format.ts";
import { nameInText } from "../../named-by-code.ts";
import { paramOf, useProgram } from "../../session.tsx";

type Balance = PartnerWithBalances["balances"][number];

type WayOut = readonly [amount: keyof Omit<Balance, "currency">, what: string];

const waysOut = ({ currency }: Balance): readonly WayOut[] => [
  ["pendingCents", "pending: approve or reject these commissions"],
  ["payableCents", `payable: create a payout with a minimum of ${formatMoney(1, currency)}`],
  ["inPayoutCents", "in a payout: mark it as paid, or cancel it"],
];

interface ErasePartnerProps {
  readonly partner: PartnerWithBalances;
  readonly onClose: () => void;
}

export default function ErasePartner({ partner, onClose }: ErasePartnerProps): JSX.Element {
  const { program } = useProgram();
  const { id, name, balances } = partner;
  const open = balances.flatMap((balance) =>
    waysOut(balance).flatMap(([amount, what]) =>
      balance[amount] === 0 ? [] : [`${formatMoney(balance[amount], balance.currency)} ${what}`],
    ),
  );
  const debts = balances.flatMap(({ carriedCents, currency }) =>
    carriedCents === 0 ? [] : [formatMoney(carriedCents, currency)],
  );
  const erase = useAction(
    ({ writeOff }: Values) => {
      const param = { ...paramOf(program), partnerId: String(id) };
      const json = { confirm: true as const, ...(writeOff && { writeOff: true as const }) };
      return take(api.programs[":programId"].partners[":partnerId"].erase.$post({ param, json }));
    },
    {
      failsIn: "form",
      done: ({ data: { receiptId } }) => `The partner is erased. Receipt: ${receiptId}`,
      refreshes: partnerQueryKeys(program.id),
      onDone: onClose,
    },
  );
  return (
    <Dialog title={`Erase ${nameInText(name)}?`} onClose={onClose}>
      {open.length > 0 ? (
        <>
          <p class="soft">Money is still open with this partner. Close it first:</p>
          <ul>
            {open.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <div class="row">
            <Button onClick={onClose}>Close</Button>
          </div>
        </>
      ) : (
        <Form action={erase} submit="Erase partner" submitLook="destructive" onCancel={onClose}>
          <p class="soft">
            Name, email address, payment details, notes, application and access are deleted. Amounts, codes and coupons
            stay. Paid payouts keep the name. The partner stays paused. You can't undo this.
          </p>
          {debts.length > 0 && (
            <label class="check-line">
              <input type="checkbox" name="writeOff" value="true" required />
              Write off the negative balance of {debts.join(", ")}
            </label>
          )}
        </Form>
      )}
    </Dialog>
  );
}
