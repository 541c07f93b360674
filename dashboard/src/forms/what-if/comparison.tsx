import { Fragment, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { recalculatedText } from "#domain/explain/change-text.ts";
import { Failure } from "../../api/failure.ts";
import { errorMessage, useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { formatCount, pluralize } from "../../format.ts";
import { useProgram } from "../../session.tsx";
import type { PolicyOwner } from "../policy-form.tsx";
import { ChangedRows } from "./changed-rows.tsx";
import { comparedDays, type Simulated, type SimulationResult, simulate } from "./simulate.ts";
import { type Cost, changeSentences, costSentences, totalsOf } from "./summary.ts";

interface ComparisonProps {
  /** Reads the policy from the form. Throws a `Failure` if a field is invalid. */
  readonly read: () => Simulated["policy"];
  /** A text that changes when a field does. */
  readonly version: string;
}

interface Compared extends Pick<SimulationResult, "rows" | "recalculatedSales" | "unsoldProducts" | "soldProducts"> {
  readonly totals: readonly Cost[];
  readonly owner: PolicyOwner;
  /** Number of all sales of the period. */
  readonly sales: number;
  readonly version: string;
}

/**
 * Compares what past sales cost with what they would have cost under the entered policy. The computation starts as soon
 * as this component is shown.
 */
export function Comparison({ read, version }: ComparisonProps): JSX.Element {
  const { program } = useProgram();
  const [sales, setSales] = useState(0);
  const [begun, setBegun] = useState(version);
  const [leaving] = useState(() => new AbortController());
  const compare = useAction(
    async (): Promise<Compared> => {
      setSales(0);
      setBegun(version);
      const policy = read();
      let all = 0;
      const onProgress = (count: number) => {
        all = count;
        setSales(count);
      };
      const following = { signal: leaving.signal, onProgress };
      const { totals, ...found } = await simulate({ program, policy }, following).catch((error: unknown) => {
        throw leaving.signal.aborted ? Failure.ofNetwork() : error;
      });
      const { partnerId } = policy;
      const shown = partnerId === undefined ? totals : totalsOf(partnerId, found.rows);
      return { ...found, totals: shown, owner: policy, sales: all, version };
    },
    { failsIn: "form" },
  );
  useEffect(() => {
    void compare.run(undefined);
    return () => leaving.abort();
  }, []);
  const { result: compared, failure, isPending } = compare;
  const isOutdated = compared !== undefined && compared.version !== version;
  return (
    <section class="stack" aria-label={`Compared with the last ${comparedDays} days`}>
      {isPending && (
        <Notice look="plain">
          Comparing with the last {comparedDays} days…{sales > 0 && ` ${formatCount(sales)} sales so far.`}
        </Notice>
      )}
      {failure !== undefined && begun === version && <Notice look="bad">{errorMessage(failure)}</Notice>}
      {!isPending && compared !== undefined && (
        <>
          {isOutdated && <Notice look="warn">You've changed the commission since this comparison.</Notice>}
          <Result {...compared} />
        </>
      )}
      {!isPending && (isOutdated || failure !== undefined) && (
        <div class="row">
          <Button onClick={() => compare.run(undefined)}>Compare again</Button>
        </div>
      )}
    </section>
  );
}

const Result = ({
  rows,
  totals,
  owner,
  sales,
  recalculatedSales,
  unsoldProducts,
  soldProducts,
}: Omit<Compared, "version">): JSX.Element => (
  <>
    {unsoldProducts.length > 0 && (
      <Notice look="warn">
        No sale of the last {comparedDays} days has <Products ids={unsoldProducts} />.
        {soldProducts.length > 0 && (
          <>
            {" "}
            Most sold: <Products ids={soldProducts} />.
          </>
        )}
      </Notice>
    )}
    <output class="notice plain example">
      {changeSentences(totals, recalculatedSales).map((sentence) => (
        <strong key={sentence}>{sentence}</strong>
      ))}
      {recalculatedSales > 0 && (
        <>
          {costSentences(totals).map((sentence) => (
            <span key={sentence}>{sentence}</span>
          ))}
          <span>
            Amounts are after refunds, and compared with what each sale earned when it was made. Commissions already
            earned don't change.
          </span>
        </>
      )}
      {totals.length > 0 && (
        <span>{recalculatedText(owner, `${formatCount(recalculatedSales)} of ${pluralize(sales, "sale")}`)}</span>
      )}
    </output>
    <ChangedRows rows={rows} />
  </>
);

const Products = ({ ids }: { readonly ids: readonly string[] }): JSX.Element => (
  <>
    {ids.map((id, i) => (
      <Fragment key={id}>
        {i > 0 && ", "}
        <code class="breakable">{id}</code>
      </Fragment>
    ))}
  </>
);
