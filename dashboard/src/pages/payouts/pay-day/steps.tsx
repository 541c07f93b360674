import "./pay-day.css";
import type { JSX } from "preact";
import { hasNoWay } from "../no-way-to-pay.tsx";
import type { PayoutWithLines } from "../queries.ts";
import { statementsOf } from "./statements-of.ts";

const titles = ["Check", "Addresses", "Finalize", "Pay", "Send"] as const;

type Step = (typeof titles)[number];

/** The first unfinished step. Undefined if all are done. */
function stepOf(payout: PayoutWithLines): Step | undefined {
  if (payout.status === "draft") return "Check";
  if (payout.status === "final") return "Pay";
  return statementsOf(payout).every(({ statementMailedAt }) => statementMailedAt !== null) ? undefined : "Send";
}

const hints: Readonly<Partial<Record<Step, string>>> = {
  Check: "Check the lines, the changes and each partner's payment details. Then finalize.",
  Send: "The money is sent. Mail or print the statements.",
};

/** The steps of a payout, from the draft to the statements. */
export default function Steps({ payout }: { readonly payout: PayoutWithLines }): JSX.Element {
  // Finalizing copies the addresses, so one that is missing then can't be added to this payout any more.
  const canNotAdd = payout.status !== "draft" && payout.lines.some(hasNoWay);
  const steps = titles.filter((title) => title !== "Addresses" || !canNotAdd);
  const step = stepOf(payout);
  const current = step === undefined ? steps.length : steps.indexOf(step);
  return (
    <nav class="pay-steps" aria-label="Pay day">
      <ol>
        {steps.map((title, i) => (
          <li key={title} class={i < current ? "done" : undefined} aria-current={i === current ? "step" : undefined}>
            {title}
            {i < current && <span class="unseen"> (done)</span>}
          </li>
        ))}
      </ol>
      {step !== undefined && hints[step] !== undefined && <p class="soft">{hints[step]}</p>}
    </nav>
  );
}
