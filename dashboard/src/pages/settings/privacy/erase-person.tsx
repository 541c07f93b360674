import "./privacy.css";
import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, type Values } from "../../../components/form.tsx";
import { useProgram } from "../../../session.tsx";
import { AfterNotFound } from "./after-not-found.tsx";
import { erasePerson, type Person, privacyAddress, textOf } from "./queries.ts";

export interface ErasePersonProps {
  readonly person: Person;
  readonly onClose: () => void;
}

export default function ErasePerson({ person, onClose }: ErasePersonProps): JSX.Element {
  const { program } = useProgram();
  const { route } = useLocation();
  const erase = useAction((_: Values) => erasePerson(program, person), {
    failsIn: "form",
    refreshes: [`program ${program.id} `],
    onDone: (receiptId) => {
      onClose();
      route(privacyAddress(program, receiptId));
    },
  });
  return (
    <Dialog title="Erase this customer?" onClose={onClose}>
      <Form action={erase} submit="Erase customer" submitLook="destructive" onCancel={onClose}>
        <p>
          <strong class="breakable">
            <bdi>{textOf(person)}</bdi>
          </strong>{" "}
          is erased from live and test data. You can't undo this.
        </p>
        <div class="effects">
          <section>
            <h3>What goes</h3>
            <ul>
              <li>Customer key, email address and click IDs: random ones take their place</li>
              <li>Pages, titles, referrers, location, device and sub-IDs</li>
              <li>Line items, coupon codes, event names and refund reasons</li>
              <li>What your team wrote about the customer</li>
            </ul>
          </section>
          <section>
            <h3>What stays</h3>
            <ul>
              <li>Sales, refunds and commissions: amounts, days, product IDs and partners</li>
              <li>Balances, payouts and statistics, to the cent</li>
              <li>Transaction, refund and subscription IDs, unless they contain the key or an email address</li>
            </ul>
          </section>
        </div>
      </Form>
      <AfterNotFound failure={erase.failure} />
    </Dialog>
  );
}
