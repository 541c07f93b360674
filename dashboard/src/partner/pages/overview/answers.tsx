import type { JSX } from "preact";
import { ShortMoney } from "../../../components/numbers.tsx";
import { Skeleton } from "../../../components/states.tsx";
import { formatMoney, pluralize } from "../../../format.ts";
import { dateLocale } from "../../../locale.ts";
import { nextStepText } from "../../../next-step.ts";
import { reasonsOf } from "../../../reasons/reasons-address.ts";
import { WhyMoney } from "../../../reasons/why-money.tsx";
import { usePartner } from "../../access.tsx";
import { comesWhen, deduction } from "./comes-when.ts";
import { OwnLink } from "./own-link.tsx";
import type { Overview } from "./queries.ts";

interface AnswersProps {
  readonly overview: Overview;
  /** False if the partner has no payment details. */
  readonly hasDetails: boolean;
}

/** The figures that partners open the app for. On a phone, all of them fit on the first screen. */
export const Answers = ({ overview, hasDetails }: AnswersProps): JSX.Element => (
  <div class="answers">
    <Earned overview={overview} />
    <NextPayout overview={overview} hasDetails={hasDetails} />
    <OwnLink />
  </div>
);

export const AnswersSkeleton = (): JSX.Element => (
  <div class="answers">
    {["earned", "payout", "link"].map((name) => (
      <div key={name} class="card answer">
        <Skeleton lines={3} />
      </div>
    ))}
  </div>
);

const monthName = new Intl.DateTimeFormat(dateLocale, { month: "long", timeZone: "UTC" });

function Earned({ overview: { data, meta } }: { readonly overview: Overview }): JSX.Element {
  const { partner } = usePartner();
  const month = data.days.filter(({ date }) => date.slice(0, 7) === meta.dateTo.slice(0, 7));
  const sum = (name: "commissionCents" | "sales" | "clicks") => month.reduce((all, day) => all + day[name], 0);
  return (
    <section class="card answer" aria-label="Earned this month">
      <h2>Earned in {monthName.format(Date.parse(meta.dateTo))}</h2>
      <p class="answer-value">
        <WhyMoney
          amountCents={sum("commissionCents")}
          currency={meta.currency}
          of={reasonsOf("month")}
          what="earned this month"
          isShort
        />
      </p>
      <p class="soft">
        {pluralize(sum("sales"), "sale")} from {pluralize(sum("clicks"), "click")} this month
        {meta.otherCurrencies.length > 0 && " in all currencies"}.
      </p>
      {partner.status === "active" && (
        <p class="soft breakable">
          {data.commission === null ? "New sales currently earn nothing." : `You earn ${data.commission}.`}
        </p>
      )}
      {data.reached !== null && <p class="soft">Your tier now: {data.reached}, for the next sale.</p>}
      {data.next !== null && <p class="soft">{nextStepText(data.next, data.nextPayout.currency)}</p>}
    </section>
  );
}

function MissingDetails(): JSX.Element | null {
  const { mayWrite, address } = usePartner();
  if (!mayWrite) return null;
  return (
    <p>
      You have no payment details here yet. <a href={address("profile")}>Add them</a>.
    </p>
  );
}

function NextPayout({ overview: { data, meta }, hasDetails }: AnswersProps): JSX.Element {
  const isPaused = usePartner().partner.isPaused;
  const { nextPayout, balances } = data;
  const { currency, payableCents, terms } = nextPayout;
  const balance = balances.find((each) => each.currency === currency);
  const debt = deduction(balance);
  const others = balances.filter((each) => each.currency !== currency && each.payableCents > 0);
  return (
    <section class="card answer" aria-label="Next payout">
      <h2>To be paid</h2>
      <p class="answer-value">
        {debt === undefined ? (
          <WhyMoney
            amountCents={payableCents}
            currency={currency}
            of={reasonsOf("balance", "payable", currency)}
            what="to be paid"
            isShort
          />
        ) : (
          <ShortMoney amountCents={payableCents} currency={currency} />
        )}
      </p>
      {others.length > 0 && <p>and {others.map((each) => formatMoney(each.payableCents, each.currency)).join(", ")}</p>}
      {debt !== undefined && <p>{debt}</p>}
      <p class="soft">{comesWhen({ next: nextPayout, balance, today: meta.dateTo, isPaused })}</p>
      {!hasDetails && <MissingDetails />}
      {terms !== null && (
        <p class="soft answer-terms" title={terms}>
          {terms}
        </p>
      )}
      {(balance?.inPayoutCents ?? 0) > 0 && (
        <p class="soft">{formatMoney(balance?.inPayoutCents ?? 0, currency)} is being paid.</p>
      )}
    </section>
  );
}
