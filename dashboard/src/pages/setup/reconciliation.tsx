import type { JSX } from "preact";
import type { Readiness } from "../../api/readiness.ts";
import { Card } from "../../components/card.tsx";
import { Code } from "../../components/copy.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { Notice } from "../../components/notice.tsx";
import { Ago } from "../../components/time.tsx";
import { formatDay, pluralize } from "../../format.ts";
import { formatDays } from "../../period.ts";

interface ReconciliationProps {
  readonly last: Readiness["last_reconciliation"];
}

/** Names of the processors that `tributary-sdk reconcile` supports. Other processors are shown as reported. */
const titles: Readonly<Record<string, string>> = {
  stripe: "Stripe",
  paddle: "Paddle",
  "lemon-squeezy": "Lemon Squeezy",
  polar: "Polar",
};

/** The last reported comparison of the program's sales with the payment processor's payments. */
export default function Reconciliation({ last }: ReconciliationProps): JSX.Element {
  const processor = last !== null && last.processor in titles ? last.processor : "stripe";
  return (
    <Card
      title="Compare with your payments"
      lead="Check that every payment at your payment processor is recorded. The command runs on your machine, with an API key of your processor."
    >
      <div class="stack">
        {last !== null && <Last last={last} />}
        <Code text={`npx --no-install tributary-sdk reconcile ${processor} --since 30d`} what="command" />
        <p>
          <GuideLink to="reconcile" about="comparing payments" />
        </p>
      </div>
    </Card>
  );
}

function Last({ last }: { readonly last: NonNullable<ReconciliationProps["last"]> }): JSX.Element {
  const { processor, matched, missing, unexpected, differs } = last;
  const wrong = [
    missing > 0 && pluralize(missing, "missing payment"),
    unexpected > 0 && pluralize(unexpected, "unexpected sale"),
    differs > 0 && `${pluralize(differs, "sale")} with other figures`,
  ].filter((part) => part !== false);
  const found = (
    <>
      <p>
        {titles[processor] ?? processor}, {formatDays(last.from.slice(0, 10), last.to.slice(0, 10), formatDay)}:{" "}
        {pluralize(matched, "payment")} matched
        {wrong.length === 0 ? ", and nothing is missing." : `, ${wrong.join(", ")}.`}
      </p>
      <p class="soft">
        Reported <Ago at={last.reported_at} />
        {wrong.length > 0 && ". Run the command again to see which, and with --apply to send what is missing."}
      </p>
    </>
  );
  return wrong.length === 0 ? found : <Notice look="warn">{found}</Notice>;
}
