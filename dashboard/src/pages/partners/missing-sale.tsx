import { Fragment, type JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Form, TextField, type Values } from "../../components/form.tsx";
import { explainAddress } from "../../explain-address.ts";
import { formatDate, formatMoney } from "../../format.ts";
import { parseMoney } from "../../forms/parse-numbers.ts";
import { paramOf, useProgram } from "../../session.tsx";

const missing = api.programs[":programId"].partners[":partnerId"]["missing-sale"];
const search = (...call: Parameters<typeof missing.$get>) => take(missing.$get(...call));
type Found = Awaited<ReturnType<typeof search>>["data"];

interface MissingSaleProps {
  readonly partnerId: string;
  readonly onClose: () => void;
}

/** Looks for the sale of a partner who says "my sale is missing". */
export default function MissingSale({ partnerId, onClose }: MissingSaleProps): JSX.Element {
  const { program } = useProgram();
  const find = useAction(
    ({ day = "", amount = "", currency = "" }: Values) => {
      const code = currency.trim().toUpperCase();
      const amountCents = amount.trim() === "" ? undefined : String(parseMoney(amount, code, "amount"));
      const param = { ...paramOf(program), partnerId };
      const query = { day, ...(amountCents !== undefined && { amountCents, currency: code }) };
      return search({ param, query });
    },
    { failsIn: "form" },
  );
  const sales = find.result?.data;
  return (
    <Dialog title="Find a missing sale" onClose={onClose}>
      <Form action={find} submit="Find" onCancel={onClose}>
        <Field
          name="day"
          label="Day of the sale"
          hint="The two days before and after are searched too."
          control={(wiring) => <input {...wiring} type="date" class="control" required />}
        />
        <TextField name="amount" label="Amount" inputMode="decimal" isOptional />
        <TextField name="currency" label="Currency" value={program.currency} />
      </Form>
      {sales?.length === 0 && <p>No sale was recorded around that day.</p>}
      {sales !== undefined && sales.length > 0 && <Nearby sales={sales} partnerId={partnerId} />}
    </Dialog>
  );
}

interface NearbyProps {
  readonly sales: Found;
  readonly partnerId: string;
}

function Nearby({ sales, partnerId }: NearbyProps): JSX.Element {
  const { program, mayChange } = useProgram();
  return (
    <dl class="facts" aria-label="Sales around that day">
      {sales.map(({ saleId, transactionId, saleDate, amountCents, currency, partner, reason }) => (
        <Fragment key={saleId}>
          <dt>
            <a href={explainAddress(program.id, { saleId: String(saleId) })}>
              <bdi>{transactionId}</bdi>
            </a>
          </dt>
          <dd>
            {formatMoney(amountCents, currency)} on {formatDate(saleDate)}.{" "}
            {partner === null ? (
              <>
                No partner has it. {reason?.message}{" "}
                {mayChange("admin") && (
                  <a href={explainAddress(program.id, { saleId: String(saleId), assignTo: partnerId })}>
                    Assign its customer…
                  </a>
                )}
              </>
            ) : (
              <>
                It belongs to <bdi>{partner.name}</bdi>. {reason?.message}
              </>
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
