import type { ComponentChildren, JSX } from "preact";
import type { Explanation } from "../../api/types.ts";
import { Card } from "../../components/card.tsx";
import { Notice } from "../../components/notice.tsx";
import { Money } from "../../components/numbers.tsx";
import { Instant } from "../../components/time.tsx";
import { useProgram } from "../../session.tsx";
import { AssignLink } from "./assign-link.tsx";
import { ExplainLink } from "./explain-link.tsx";
import { consideredText, NextStep } from "./next-step.tsx";
import { PartnerOfCode, WithNames } from "./partner-of-code.tsx";
import {
  type Candidate,
  correctionsOf,
  couponText,
  type Entry,
  earlierText,
  entryAuthor,
  entryPayout,
  entryTitle,
  moreEntriesText,
  outcomeText,
  settingsOf,
  stepsOf,
} from "./words.ts";

interface SectionProps {
  readonly explanation: Explanation;
}

export const Corrections = ({ explanation }: SectionProps): JSX.Element => (
  <>
    {correctionsOf(explanation).map(({ sale, text }) => (
      <Notice key={sale.saleId} look="plain">
        {text}{" "}
        <ExplainLink to={{ saleId: String(sale.saleId) }}>
          <bdi class="breakable">{sale.transactionId}</bdi>
        </ExplainLink>
      </Notice>
    ))}
  </>
);

export const Missing = ({ explanation }: SectionProps): JSX.Element => (
  <>
    {explanation.missing.map((shortfall) => (
      <section key={shortfall.code} class="notice warn missing" aria-label="What is missing">
        {!isToldBy(explanation.verdict, shortfall) && (
          <strong>
            <WithNames text={shortfall.message} of={explanation} />
          </strong>
        )}
        <p>
          <WithNames text={consideredText(explanation)} of={explanation} /> {shortfall.remedy}{" "}
          <NextStep shortfall={shortfall} partnerCode={explanation.verdict.partnerCode} />
          <AssignLink explanation={explanation} />
        </p>
      </section>
    ))}
  </>
);

/** True if the verdict's sentence already says why the sale earned less. */
const isToldBy = ({ message }: Explanation["verdict"], shortfall: Explanation["missing"][number]): boolean =>
  message.toLowerCase().includes(shortfall.message.slice(0, -1).toLowerCase());

export function Calculation({ explanation }: SectionProps): JSX.Element | null {
  const { commission } = explanation;
  if (commission === null || commission.calculation.length === 0) return null;
  return (
    <Card title="Calculation">
      <ol class="steps">
        {stepsOf(commission.calculation).map(({ text, cents, currency }, i) => (
          <li key={`${text} ${i}`}>
            <span class="breakable">
              <WithNames text={text} of={explanation} />
            </span>
            {cents !== null && <Money amountCents={cents} currency={currency} />}
          </li>
        ))}
      </ol>
    </Card>
  );
}

export function Entries({ explanation }: SectionProps): JSX.Element | null {
  const { commission, events } = explanation;
  if (commission === null || commission.entries.length === 0) return null;
  const sale = events.find((event) => event.type === "sale");
  return (
    <Card title="Ledger entries">
      <ul class="entries">
        {commission.entries.map((entry) => (
          <li key={entry.id}>
            <span class="breakable">
              <EntryTitle entry={entry} explanation={explanation} transactionId={sale?.transactionId} />
              <small>
                <Instant at={entry.postedAt} />, by {entryAuthor(entry)}
                {entry.partnerCode !== null && (
                  <>
                    , <PartnerOfCode code={entry.partnerCode} meanwhile={`partner ${entry.partnerCode}`} />
                  </>
                )}
                {entry.payout !== null && `, ${entryPayout(entry)}`}
              </small>
            </span>
            <Money amountCents={entry.amountCents} currency={entry.currency} />
          </li>
        ))}
      </ul>
      {commission.moreEntries > 0 && <p class="soft">{moreEntriesText(commission.moreEntries)}</p>}
    </Card>
  );
}

interface EntryTitleProps extends SectionProps {
  readonly entry: Entry;
  readonly transactionId: string | undefined;
}

function EntryTitle({ entry, explanation, transactionId }: EntryTitleProps): JSX.Element {
  const { type, id } = entry.standsFor;
  const title = entryTitle(entry, explanation);
  return type === "refund" && id !== null && transactionId !== undefined ? (
    <ExplainLink to={{ transactionId, refundId: id }}>{title}</ExplainLink>
  ) : (
    <span>{title}</span>
  );
}

export function Candidates({ explanation }: SectionProps): JSX.Element | null {
  const { program } = useProgram();
  const { candidates, earlierClicks, events } = explanation;
  if (candidates.length === 0 && earlierClicks === 0) return null;
  return (
    <Card title="Clicks considered">
      <ul class="candidates">
        {candidates.map((candidate) => (
          <li key={candidate.clickId}>
            <strong class="breakable">
              {candidate.partnerCode === null ? "Click" : <PartnerOfCode code={candidate.partnerCode} />}
            </strong>
            <p>{outcomeText(candidate, events, program.timezone)}</p>
            <ClickLink candidate={candidate} />
          </li>
        ))}
      </ul>
      {earlierClicks > 0 && <p class="soft">{earlierText(earlierClicks)}</p>}
    </Card>
  );
}

export function Coupons({ explanation: { coupons } }: SectionProps): JSX.Element | null {
  if (coupons.length === 0) return null;
  return (
    <Card title="Coupons">
      <ul class="candidates">
        {coupons.map((coupon, index) => (
          <li key={index}>
            <strong class="breakable">{coupon.code}</strong>
            <p>{couponText(coupon)}</p>
            {coupon.partnerCode !== null && (
              <small class="breakable">
                <PartnerOfCode code={coupon.partnerCode} />
              </small>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ClickLink({ candidate: { clickId, at } }: { readonly candidate: Candidate }): JSX.Element {
  const code = <code class="breakable">{clickId}</code>;
  return (
    <small>
      {at === null ? (
        code
      ) : (
        <>
          <Instant at={at} /> <ExplainLink to={{ clickId }}>{code}</ExplainLink>
        </>
      )}
    </small>
  );
}

export const Fact = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </>
);

export function Settings({ explanation }: SectionProps): JSX.Element | null {
  const settings = settingsOf(explanation);
  if (settings.length === 0) return null;
  const hasChanged = settings.some(({ now }) => now !== undefined);
  return (
    <Card title="Settings at the time">
      <dl class="facts">
        {settings.map(({ name, atDecision, now }) => (
          <Fact key={name} title={name}>
            {atDecision}
            {now !== undefined && <span class="soft"> (now: {now})</span>}
          </Fact>
        ))}
      </dl>
      {hasChanged && <p class="soft">Later changes of settings don't affect this decision.</p>}
    </Card>
  );
}
