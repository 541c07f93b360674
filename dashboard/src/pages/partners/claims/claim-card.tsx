import { Fragment, type JSX } from "preact";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { PartnerLink } from "../../../components/partner-link.tsx";
import { Ago } from "../../../components/time.tsx";
import { explainAddress } from "../../../explain-address.ts";
import { formatDate, formatMoney } from "../../../format.ts";
import { nameInText } from "../../../named-by-code.ts";
import { useProgram } from "../../../session.tsx";
import { type Claim, type NearbySale, type Status, statuses } from "./queries.ts";
import { SalesAround } from "./sales-around.tsx";

const tones: Readonly<Record<Status, Tone>> = { open: "accent", theirs: "good", declined: "bad" };
const titles: Readonly<Record<string, string>> = Object.fromEntries(statuses);

/** For example "A sale of €49.00 on 14 Nov 2026". */
export const claimText = ({ day, amountCents, currency }: Claim): string =>
  `A sale${amountCents === null || currency === null ? "" : ` of ${formatMoney(amountCents, currency)}`} on ${formatDate(day)}`;

interface ClaimCardProps {
  readonly claim: Claim;
  /**
   * Asks to confirm that the sale is credited or, without a sale, that the claim is declined. Undefined if the claim
   * can't be decided now.
   */
  readonly onDecide: ((sale?: NearbySale) => void) | undefined;
}

export function ClaimCard({ claim, onDecide }: ClaimCardProps): JSX.Element {
  const { mayChange } = useProgram();
  const { partner, status, createdAt, decidedAt } = claim;
  const decide = status === "open" && mayChange("admin") ? onDecide : undefined;
  return (
    <li class="card claim" aria-label={`${nameInText(partner.name)}: ${claimText(claim)}`}>
      <header class="row spread">
        <h2>
          <PartnerLink id={partner.id} name={partner.name} />
        </h2>
        <Badge tone={tones[status]}>{titles[status]}</Badge>
      </header>
      <p>{claimText(claim)}</p>
      <Texts claim={claim} />
      {status === "open" && <SalesAround claim={claim} onCredit={decide} />}
      <footer class="row spread">
        <span class="soft">
          Reported <Ago at={createdAt} />
          {decidedAt !== null && (
            <>
              , {titles[status]?.toLowerCase()} <Ago at={decidedAt} />
            </>
          )}
        </span>
        {decide && (
          <Button look="danger" label={`Decline the claim of ${nameInText(partner.name)}`} onClick={() => decide()}>
            Decline…
          </Button>
        )}
      </footer>
    </li>
  );
}

/** The partner's texts, and the answer. */
function Texts({ claim }: { readonly claim: Claim }): JSX.Element | null {
  const { program } = useProgram();
  const { reference, note, partnerNote, saleId, transactionId, payPast } = claim;
  const texts = [
    ["Reference", reference],
    ["Partner's note", note],
    ["Your note", partnerNote],
  ] as const;
  const shown = texts.filter(([, text]) => text !== null);
  if (shown.length === 0 && saleId === null) return null;
  return (
    <dl class="facts">
      {saleId !== null && (
        <>
          <dt>Sale</dt>
          <dd>
            <a href={explainAddress(program.id, { saleId: String(saleId) })}>
              <bdi>{transactionId ?? saleId}</bdi>
            </a>
            {payPast && ", paid with the customer's later sales"}
          </dd>
        </>
      )}
      {shown.map(([title, text]) => (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd class="claim-text">{text}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
