import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { SelectField } from "../../../components/form.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Money } from "../../../components/numbers.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { formatCount, pluralize } from "../../../format.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import { partnerAddress, useFilters } from "../../../url.ts";
import { bonusQueryKeys, type DueBonus, useDueBonuses } from "./queries.ts";
import { periodTitle, salesText } from "./words.ts";

interface DueBonusesProps {
  /** Not empty. */
  readonly periods: readonly { readonly period: string; readonly count: number }[];
  readonly hasMore: boolean;
}

/** The partners to whom bonuses of a past period are due, with buttons to award them. */
export function DueBonuses({ periods, hasMore }: DueBonusesProps): JSX.Element {
  const [{ period: chosen, dueCursor }, setFilters] = useFilters();
  const period = periods.find((each) => each.period === chosen)?.period ?? periods[0]?.period ?? "";
  const due = useDueBonuses(period, dueCursor);
  return (
    <Card
      title="Bonuses to award"
      lead="An award is included in the partner's next payout. It can't be undone, only corrected by an adjustment."
    >
      <div class="columns">
        <SelectField
          name="period"
          label="Period"
          value={period}
          options={periods.map((each) => [each.period, `${periodTitle(each.period)} (${formatCount(each.count)})`])}
          onInput={(next) => setFilters({ period: next, dueCursor: undefined })}
        />
      </div>
      {hasMore && <p class="soft">Bonuses of later periods are shown once these are awarded.</p>}
      <Loaded query={due} skeleton={<TableSkeleton rows={4} />}>
        {({ data, meta }) => (
          <div class="stack">
            <Rows period={period} rows={data} isStale={due.isBusy} />
            <Pagination nextCursor={meta.nextCursor} first="First" next="Next" of="dueCursor" />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

interface RowsProps {
  readonly period: string;
  readonly rows: readonly DueBonus[];
  readonly isStale: boolean;
}

const keyOf = ({ bonusId, partnerId }: Pick<DueBonus, "bonusId" | "partnerId">): string => `${bonusId} ${partnerId}`;

function Rows({ period, rows, isStale }: RowsProps): JSX.Element {
  const { program, mayChange } = useProgram();
  const [refused, setRefused] = useState<readonly string[]>([]);
  const award = useAction(
    (awarded: readonly DueBonus[]) => {
      const json = { period, rows: awarded.map(({ bonusId, partnerId }) => ({ bonusId, partnerId })) };
      return take(api.programs[":programId"].bonuses.award.$post({ param: paramOf(program), json }));
    },
    {
      done: ({ data }) => `${pluralize(data.filter(({ result }) => result === "awarded").length, "bonus")} awarded.`,
      refreshes: bonusQueryKeys(program.id),
      onDone: ({ data }, awarded) => {
        const names = new Map(awarded.map((row) => [keyOf(row), row.partnerName]));
        setRefused(
          data.flatMap((row) => (row.message === undefined ? [] : [`${names.get(keyOf(row))}: ${row.message}`])),
        );
      },
    },
  );
  return (
    <>
      {refused.length > 0 && (
        <Notice look="warn">
          Not awarded:
          <ul>
            {refused.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Table
        caption={`Bonuses to award for ${periodTitle(period)}`}
        isStale={isStale}
        columns={[
          {
            head: "Partner",
            cell: ({ partnerId, partnerName }) => (
              <a href={partnerAddress(program.id, partnerId)}>
                <bdi>{partnerName}</bdi>
              </a>
            ),
          },
          { head: "Reached", cell: (row) => salesText(row.count, row), isNumber: true },
          {
            head: "Bonus",
            cell: ({ amountCents, currency }) => <Money amountCents={amountCents} currency={currency} />,
            isNumber: true,
          },
          ...(mayChange("admin")
            ? [
                {
                  head: "Actions",
                  cell: (row: DueBonus) => (
                    <Button
                      look="quiet"
                      label={`Award the bonus to ${row.partnerName}`}
                      isDisabled={award.isPending}
                      onClick={() => void award.run([row])}
                    >
                      Award
                    </Button>
                  ),
                  isNumber: true,
                },
              ]
            : []),
        ]}
        rows={rows}
        rowKey={keyOf}
      />
      {mayChange("admin") && rows.length > 1 && (
        <div class="row">
          <Button look="primary" isPending={award.isPending} onClick={() => void award.run(rows)}>
            {`Award these ${formatCount(rows.length)} bonuses`}
          </Button>
        </div>
      )}
    </>
  );
}
