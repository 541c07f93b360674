import type { JSX } from "preact";
import { Card } from "../../../components/card.tsx";
import { Money } from "../../../components/numbers.tsx";
import { PartnerName } from "../../../components/partner-name.tsx";
import { Table } from "../../../components/table.tsx";
import { useProgram } from "../../../session.tsx";
import { statementAddress } from "../../../url.ts";
import { type Line, type PayoutWithLines, usePayout, usePayouts } from "../queries.ts";
import { statementsOf } from "./statements-of.ts";

const maxShown = 5;

interface BiggestChangesProps {
  readonly draft: PayoutWithLines;
}

/** Compares a draft's lines with the last payout in its currency. */
export default function BiggestChanges({ draft }: BiggestChangesProps): JSX.Element | null {
  const payouts = usePayouts(undefined);
  const last = payouts.data?.data.find(
    ({ id, currency, status }) => id < draft.id && currency === draft.currency && status === "paid",
  );
  return last === undefined ? null : <Compared draft={draft} lastId={String(last.id)} />;
}

interface Change {
  readonly line: Line;
  readonly beforeCents: number;
  /** True if the last payout's payment to the partner came back. */
  readonly hasFailed: boolean;
}

function changesSince({ lines }: PayoutWithLines, before: PayoutWithLines): readonly Change[] {
  const paid = new Map(statementsOf(before).map(({ partnerId, amountCents }) => [partnerId, amountCents]));
  const failed = new Set(before.lines.filter(({ failedAt }) => failedAt !== null).map(({ partnerId }) => partnerId));
  const by = ({ line, beforeCents }: Change) => Math.abs(line.amountCents - beforeCents);
  return lines
    .map((line) => ({
      line,
      beforeCents: paid.get(line.partnerId) ?? 0,
      hasFailed: failed.has(line.partnerId),
    }))
    .filter((change) => by(change) > 0)
    .toSorted((one, other) => by(other) - by(one))
    .slice(0, maxShown);
}

function Compared({ draft, lastId }: BiggestChangesProps & { readonly lastId: string }): JSX.Element | null {
  const { program } = useProgram();
  const last = usePayout(lastId);
  if (last.data === undefined) return null;
  const { currency } = draft;
  const changes = changesSince(draft, last.data);
  if (changes.length === 0) return null;
  const money = (amountCents: number) => <Money amountCents={amountCents} currency={currency} />;
  return (
    <Card title="Changed most" lead={`Compared with the last payout, ${last.data.reference}.`}>
      <div class="row-cards">
        <Table<Change>
          caption="Partners whose amount changed most"
          columns={[
            {
              head: "Partner",
              cell: ({ line: { partnerId, partnerCode, name } }) => (
                <PartnerName name={name} code={partnerCode} href={statementAddress(program.id, partnerId, currency)} />
              ),
            },
            {
              head: "Last payout",
              isNumber: true,
              cell: ({ beforeCents, hasFailed }) =>
                beforeCents === 0 ? (
                  <span class="soft">{hasFailed ? "Came back" : "Not included"}</span>
                ) : (
                  money(beforeCents)
                ),
            },
            { head: "This payout", isNumber: true, cell: ({ line }) => money(line.amountCents) },
            {
              head: "Difference",
              isNumber: true,
              cell: ({ line, beforeCents }) => (
                <>
                  {line.amountCents > beforeCents && "+"}
                  {money(line.amountCents - beforeCents)}
                </>
              ),
            },
          ]}
          rows={changes}
          rowKey={({ line }) => line.partnerId}
        />
      </div>
    </Card>
  );
}
