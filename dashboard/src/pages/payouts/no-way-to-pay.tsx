import { Fragment, type JSX } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api, take } from "../../api/client.ts";
import { fieldError } from "../../api/failure.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, TextField, type Values } from "../../components/form.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Notice } from "../../components/notice.tsx";
import { Money } from "../../components/numbers.tsx";
import { pluralize } from "../../format.ts";
import { namedByCode } from "../../named-by-code.ts";
import { todayIn } from "../../sale-period.ts";
import { paramOf, useProgram, useSignUpMode } from "../../session.tsx";
import { partnerAddress, payoutAddress, programAddress } from "../../url.ts";
import { affected, type Line, type PayoutWithLines, usePayouts } from "./queries.ts";
import { nextReference } from "./references.ts";

const AskByMail = lazy(async () => ({ default: (await import("../../forms/ask-for-details.tsx")).AskByMail }), null);

export const hasNoWay = ({ paymentMethod, email }: Line): boolean => paymentMethod == null && !email;

/** Maximum number of partners in the request for a payout. */
const maxNamed = 1_000;

interface NoWayToPayProps {
  readonly payout: PayoutWithLines;
}

export const wiseNeedsName = "Wise needs the holder's first and last name in Latin letters, of 35 characters at most";

/** Names partners whom a file for Wise would leave out, while their details can still be changed. */
export function RefusedByWise({ payout }: NoWayToPayProps): JSX.Element | null {
  const lines = payout.lines.filter(({ isNameRefused }) => isNameRefused);
  if (lines.length === 0) return null;
  return (
    <Notice look="warn">
      <p>
        <strong>
          Wise refuses the name: <Counted lines={lines} payout={payout} />
        </strong>
      </p>
      <p>
        <Named lines={lines} />: {wiseNeedsName}. Have the names corrected before you finalize. Otherwise no payment
        file contains these partners.
      </p>
    </Notice>
  );
}

/** Warns about partners with neither payment details nor an email address, before the money is sent. */
export const NoWayToPay = ({ payout }: NoWayToPayProps): JSX.Element | null =>
  payout.lines.some(hasNoWay) ? <Unpayable payout={payout} /> : null;

const Counted = ({ lines, payout }: NoWayToPayProps & { readonly lines: readonly Line[] }): JSX.Element => (
  <>
    {pluralize(lines.length, "partner")},{" "}
    <Money amountCents={lines.reduce((sum, { amountCents }) => sum + amountCents, 0)} currency={payout.currency} />
  </>
);

/** Partners by name, with links to their pages. */
export function Named({ lines }: { readonly lines: readonly Line[] }): JSX.Element {
  const { program } = useProgram();
  return (
    <>
      {lines.map((line, i) => (
        <Fragment key={line.partnerId}>
          {i > 0 && ", "}
          <a href={partnerAddress(program.id, line.partnerId)}>
            <bdi>{namedByCode(line)}</bdi>
          </a>
        </Fragment>
      ))}
    </>
  );
}

function Unpayable({ payout }: NoWayToPayProps): JSX.Element {
  const { data: mode } = useSignUpMode();
  const lines = payout.lines.filter(hasNoWay);
  const others = payout.lines.filter((line) => !hasNoWay(line));
  const sendsMail = mode?.sendsMail === true;
  const isUnreachable = ({ isMailable }: Line): boolean => sendsMail && isMailable !== true;
  const unreachable = lines.filter(isUnreachable);
  const askable = lines.filter((line) => !isUnreachable(line));
  const isDraft = payout.status === "draft";
  return (
    <Notice look="bad">
      <p>
        <strong>
          No way to pay: <Counted lines={lines} payout={payout} />
        </strong>
      </p>
      <p>
        Neither payment details nor an email address: <Named lines={lines} />. {askable.length > 0 ? "Ask" : "Invite"}{" "}
        them
        {isDraft
          ? ", or leave them out: what they earned remains payable."
          : ". What they enter now is used from the next payout on."}
      </p>
      {unreachable.length > 0 && <Unreachable lines={unreachable} />}
      {sendsMail && askable.length > 0 && (
        <AskByMail label="Ask for them" partnerIds={askable.map(({ partnerId }) => partnerId)} />
      )}
      {isDraft && others.length > 0 && others.length <= maxNamed && <LeaveOut draft={payout} others={others} />}
    </Notice>
  );
}

/** Partners who get no mail, because no account with a verified address has access to their pages. */
function Unreachable({ lines }: { readonly lines: readonly Line[] }): JSX.Element {
  const { program } = useProgram();
  const [first, ...more] = lines;
  const address =
    first !== undefined && more.length === 0
      ? partnerAddress(program.id, first.partnerId)
      : programAddress(program.id, "partners");
  return (
    <p>
      {pluralize(lines.length, "partner")} can't be asked by mail: no one with a verified address has access to their
      pages yet. <a href={address}>Invite {more.length === 0 ? "the partner" : "these partners"}</a>
    </p>
  );
}

interface LeaveOutProps {
  readonly draft: PayoutWithLines;
  readonly others: readonly Line[];
}

/**
 * Leaves partners out of a payout. A draft's partners can't be changed, so a new draft for the other partners replaces
 * this one. Asks for the new draft's reference, because the canceled draft's can't be used again.
 */
function LeaveOut(props: LeaveOutProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Leave out…</Button>
      {isOpen && <LeaveOutDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function LeaveOutDialog({ draft, others, onClose }: LeaveOutProps & { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const { route } = useLocation();
  const taken = new Set(usePayouts(undefined).data?.data.map(({ reference }) => reference));
  const { id, currency, until, minimumCents, settledBy } = draft;
  const otherCurrency = currency === program.currency ? undefined : currency;
  const replace = useAction(
    async (values: Values) => {
      const reference = values.reference?.trim() ?? "";
      if (reference === draft.reference || taken.has(reference))
        throw fieldError("reference", "Another payout has this reference. Enter a new one.");
      const param = paramOf(program);
      const { payouts } = api.programs[":programId"];
      await take(
        payouts[":payoutId"].cancel.$post({
          param: { ...param, payoutId: String(id) },
          query: { expectedStatus: "draft" },
        }),
      );
      const partnerIds = others.map(({ partnerId }) => partnerId);
      const json = { currency, until, minimumCents, settledBy, reference, partnerIds };
      return (await take(payouts.$post({ param, json }))).data;
    },
    {
      failsIn: "form",
      done: "Created a new draft without them. The old draft is canceled.",
      refreshes: affected(program),
      onDone: (made) => route(payoutAddress(program.id, made.id)),
    },
  );
  return (
    <Dialog title="Leave them out?" onClose={onClose}>
      <p class="soft breakable">
        Cancels the draft {draft.reference} and creates a new one for the other {pluralize(others.length, "partner")}.
        The reference of a canceled payout can't be used again.
      </p>
      <Form action={replace} submit="Create new draft" onCancel={onClose}>
        <TextField
          name="reference"
          label="Reference"
          value={nextReference(draft.reference, todayIn(program.timezone), taken, otherCurrency)}
          hint="Appears in the payment list, in mails and on statements."
        />
      </Form>
    </Dialog>
  );
}
