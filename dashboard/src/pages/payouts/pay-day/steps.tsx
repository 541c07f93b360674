import "./pay-day.css";
import type { JSX } from "preact";
import { hasNoWay } from "../no-way-to-pay.tsx";
import type { PayoutWithLines } from "../queries.ts";
import { statementsOf } from "./statements-of.ts";

const titles = ["Check", "Addresses", "Finalize", "Pay", "Send"] as const;

/** Index of the first unfinished step. An index after the last step means that all are done. */
function stepOf(payout: PayoutWithLines): number {
  if (payout.status === "draft") return 0;
  if (payout.status === "final") return 3;
  return statementsOf(payout).every(({ statementMailedAt }) => statementMailedAt !== null) ? 5 : 4;
}

const hints: Readonly<Record<number, string>> = {
  0: "Check the lines, the changes and each partner's payment details. Then finalize.",
  4: "The money is sent. Mail or print the statements.",
};

/** The steps of a payout, from the draft to the statements. */
export default function Steps({ payout }: { readonly payout: PayoutWithLines }): JSX.Element {
  const current = stepOf(payout);
  const lacksAddresses = payout.status === "final" && payout.lines.some(hasNoWay);
  const isDone = (title: (typeof titles)[number], i: number) =>
    i < current && !(title === "Addresses" && lacksAddresses);
  return (
    <nav class="pay-steps" aria-label="Pay day">
      <ol>
        {titles.map((title, i) => (
          <li
            key={title}
            class={isDone(title, i) ? "done" : undefined}
            aria-current={i === current ? "step" : undefined}
          >
            {title}
            {isDone(title, i) && <span class="unseen"> (done)</span>}
          </li>
        ))}
      </ol>
      {hints[current] !== undefined && <p class="soft">{hints[current]}</p>}
    </nav>
  );
}
