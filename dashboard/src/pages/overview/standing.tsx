import type { ComponentChildren, JSX } from "preact";
import { ShortMoney } from "../../components/numbers.tsx";
import { Instant } from "../../components/time.tsx";
import { pluralize } from "../../format.ts";
import { sumLabels } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress, useFilters } from "../../url.ts";
import type { Overview } from "./queries.ts";

type Commissions = Overview["data"]["commissions"];

const statuses = [
  ["pending", (sums: Commissions[number]) => sums.pendingCents],
  ["approved", (sums: Commissions[number]) => sums.approvedCents],
  ["paid", (sums: Commissions[number]) => sums.paidCents],
] as const;

/** Each status leads to its commissions. */
export function Standing({ commissions }: { readonly commissions: Commissions }): JSX.Element {
  const { program } = useProgram();
  const [{ partnerId }] = useFilters();
  return (
    <nav class="card standing" aria-label="Commissions by status">
      <span class="standing-title">Commissions, all time</span>
      {statuses.map(([status, centsOf]) => (
        <a key={status} href={addressWith(programAddress(program.id, "commissions"), { status, partnerId })}>
          <span class="soft">{sumLabels[status]}</span>
          <strong>
            <Sums of={commissions.map((sums) => [sums.currency, centsOf(sums)])} />
          </strong>
        </a>
      ))}
    </nav>
  );
}

/** Amounts in different currencies are never added. Currencies with nothing are left out. */
function Sums({ of: sums }: { readonly of: readonly (readonly [currency: string, cents: number])[] }): JSX.Element {
  const { program } = useProgram();
  const some = sums.filter(([, cents]) => cents !== 0);
  if (some.length === 0) return <ShortMoney amountCents={0} currency={program.currency} />;
  return (
    <>
      {some.map(([currency, cents], i) => (
        <span key={currency}>
          {i > 0 && <span class="soft"> · </span>}
          <ShortMoney amountCents={cents} currency={currency} />
        </span>
      ))}
    </>
  );
}

/** Nothing, unless there is something to do. */
export function Attention({ data }: Pick<Overview, "data">): JSX.Element | null {
  const { program, isArchived, may } = useProgram();
  const { commissions, integrationVerified, lastClickAt, clicksStopped } = data;
  const unconfirmed = commissions.reduce((sum, each) => sum + each.unconfirmed, 0);
  const address = (page: string) => programAddress(program.id, page);
  const tasks: ComponentChildren[] = [];
  if (!integrationVerified && may("admin"))
    tasks.push(
      <>
        Not verified yet. <a href={address("setup")}>Continue setup</a>
      </>,
    );
  if (unconfirmed > 0)
    tasks.push(
      <>
        {pluralize(unconfirmed, "commission")} {unconfirmed === 1 ? "needs" : "need"} your confirmation.{" "}
        <a href={addressWith(address("commissions"), { status: "pending", unconfirmed: "true" })}>View them</a>
      </>,
    );
  if (lastClickAt !== null && clicksStopped)
    tasks.push(
      <>
        No clicks since <Instant at={lastClickAt} />. <a href={address("setup")}>Check the script</a>
      </>,
    );
  if (isArchived || tasks.length === 0) return null;
  return (
    <section class="notice warn attention" aria-label="Needs attention">
      <ul>
        {tasks.map((task, i) => (
          <li key={i}>{task}</li>
        ))}
      </ul>
    </section>
  );
}
