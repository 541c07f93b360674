import "../../../styles/statement.css";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { Failure } from "../../../api/failure.ts";
import type { Statement } from "../../../api/types.ts";
import { Button } from "../../../components/button.tsx";
import { Notice } from "../../../components/notice.tsx";
import { StatementSheet } from "../../../components/statement/sheet.tsx";
import { paramOf, useProgram } from "../../../session.tsx";
import { payoutAddress, useFilters } from "../../../url.ts";
import type { PayoutWithLines } from "../queries.ts";
import { type PaidLine, statementsOf } from "./statements-of.ts";

/** Maximum number of statements in a print run, since a browser lays out all its pages at once. */
const maxInRun = 200;
const readsAtOnce = 4;

/** Prints all statements of a payout, in several runs if there are many. */
export default function PrintRun({ payout }: { readonly payout: PayoutWithLines }): JSX.Element {
  const { program } = useProgram();
  const [{ part = "1" }, setFilters] = useFilters();
  const all = statementsOf(payout);
  const parts = Math.max(1, Math.ceil(all.length / maxInRun));
  const first = (Math.min(parts, Math.max(1, Number(part) || 1)) - 1) * maxInRun;
  const lines = all.slice(first, first + maxInRun);
  const { statements, failure, retry } = useStatements(lines);
  const isWhole = statements.length === lines.length;
  useEffect(() => {
    if (isWhole && lines.length > 0) window.print();
  }, [isWhole, first]);
  return (
    <>
      <div class="stack on-screen">
        <header class="page-head">
          <h1>Statements of {payout.reference}</h1>
        </header>
        <a href={payoutAddress(program.id, payout.id)}>Back to the payout</a>
        <p role="status">
          {isWhole ? `${statements.length} statements` : `Loading statements: ${statements.length} of ${lines.length}`}
          {parts > 1 && `, ${first + 1} to ${first + lines.length} of ${all.length}`}
        </p>
        {failure !== undefined && <Notice look="bad">{failure.message}</Notice>}
        <div class="row">
          {failure !== undefined && <Button onClick={retry}>Try again</Button>}
          <Button look="primary" isDisabled={!isWhole} onClick={() => window.print()}>
            Print
          </Button>
          {first + maxInRun < all.length && (
            <Button onClick={() => setFilters({ part: String(first / maxInRun + 2) })}>Next {maxInRun}</Button>
          )}
        </div>
      </div>
      {isWhole &&
        statements.map((statement) => (
          <StatementSheet key={statement.data.partnerId} statement={statement} isOneOfMany />
        ))}
    </>
  );
}

interface Loading {
  readonly statements: readonly Statement[];
  readonly failure: Failure | undefined;
  readonly retry: () => void;
}

/** Reads the statements, a few at a time. After a failure, those that were already read are kept. */
function useStatements(lines: readonly PaidLine[]): Loading {
  const { program } = useProgram();
  const [found, setFound] = useState<ReadonlyMap<number, Statement>>(new Map());
  const [failure, setFailure] = useState<Failure>();
  const [attempt, setAttempt] = useState(0);
  const wanted = lines.map(({ partnerId }) => partnerId).join(" ");
  useEffect(() => {
    const abort = new AbortController();
    const left = lines.filter(({ partnerId }) => !found.has(partnerId)).values();
    setFailure(undefined);
    const readEach = async () => {
      for (const { partnerId, statementNumber } of left) {
        const call = {
          param: { ...paramOf(program), partnerId: String(partnerId) },
          query: { number: String(statementNumber) },
        };
        const { statement } = api.programs[":programId"].partners[":partnerId"];
        const read = await take(statement.$get(call, { init: { signal: abort.signal } }));
        setFound((before) => new Map([...before, [partnerId, read]]));
      }
    };
    Promise.all(Array.from({ length: readsAtOnce }, readEach)).catch((error: unknown) => {
      if (!abort.signal.aborted) setFailure(Failure.of(error));
    });
    return () => abort.abort();
  }, [wanted, attempt]);
  return {
    statements: lines.flatMap(({ partnerId }) => found.get(partnerId) ?? []),
    failure,
    retry: () => setAttempt(attempt + 1),
  };
}
