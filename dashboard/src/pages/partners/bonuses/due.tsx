import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { SelectField } from "../../../components/form.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Money } from "../../../components/numbers.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { PartnerLink } from "../../../components/partner-link.tsx";
import { Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { toast } from "../../../components/toast.tsx";
import { formatCount, formatList, formatMoney, pluralize } from "../../../format.ts";
import { nameInText } from "../../../named-by-code.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import { useFilters } from "../../../url.ts";
import { sumByCurrency } from "../../commissions/totals.tsx";
import { bonusQueryKeys, type DueBonus, useDueBonuses } from "./queries.ts";
import { periodTitle, salesText } from "./words.ts";

interface DueBonusesProps extends Pick<RowsProps, "onAwarded"> {
  /** Not empty. */
  readonly periods: readonly { readonly period: string; readonly count: number }[];
  readonly hasMore: boolean;
}

/** The partners to whom bonuses of a past period are due, with buttons to award them. */
export function DueBonuses({ periods, hasMore, onAwarded }: DueBonusesProps): JSX.Element {
  const [{ period: chosen, dueCursor }, setFilters] = useFilters();
  const period = periods.find((each) => each.period === chosen)?.period ?? periods[0]?.period ?? "";
  const due = useDueBonuses(period, dueCursor);
  return (
    <Card
      title="Bonuses to award"
      lead="An award is included in the partner's next payout. It can't be undone, only corrected with an adjustment."
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
            <Rows period={period} rows={data} isStale={due.isBusy} onAwarded={onAwarded} />
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
  readonly onAwarded: () => void;
}

const keyOf = ({ bonusId, partnerId }: Pick<DueBonus, "bonusId" | "partnerId">): string => `${bonusId} ${partnerId}`;

function Rows({ period, rows, isStale, onAwarded }: RowsProps): JSX.Element {
  const { mayChange } = useProgram();
  const [asked, setAsked] = useState<readonly DueBonus[]>();
  const [refused, setRefused] = useState<readonly string[]>([]);
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
            cell: ({ partnerId, partnerName }) => <PartnerLink id={partnerId} name={partnerName} />,
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
                      label={`Award the bonus to ${nameInText(row.partnerName)}`}
                      onClick={() => setAsked([row])}
                    >
                      Award…
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
          <Button look="primary" onClick={() => setAsked(rows)}>
            {`Award these ${formatCount(rows.length)} bonuses…`}
          </Button>
        </div>
      )}
      {asked && (
        <AwardDialog
          period={period}
          rows={asked}
          onClose={() => setAsked(undefined)}
          onAwarded={(texts) => {
            setAsked(undefined);
            setRefused(texts);
            onAwarded();
          }}
        />
      )}
    </>
  );
}

interface AwardDialogProps extends Pick<RowsProps, "period" | "rows"> {
  readonly onClose: () => void;
  /** Gets a sentence for each bonus that was refused. */
  readonly onAwarded: (refused: readonly string[]) => void;
}

/** Says what is paid to whom, and awards the bonuses once confirmed. */
function AwardDialog({ period, rows, onClose, onAwarded }: AwardDialogProps): JSX.Element {
  const { program } = useProgram();
  const award = useAction(
    (_: undefined) => {
      const json = { period, rows: rows.map(({ bonusId, partnerId }) => ({ bonusId, partnerId })) };
      return take(api.programs[":programId"].bonuses.award.$post({ param: paramOf(program), json }));
    },
    {
      refreshes: bonusQueryKeys(program.id),
      onDone: ({ data }) => {
        const awarded = new Set(data.flatMap((row) => (row.result === "awarded" ? keyOf(row) : [])));
        const paid = rows.filter((row) => awarded.has(keyOf(row)));
        if (paid.length > 0) toast(`${sumsText(paid)} awarded to ${partnersText(paid)}.`);
        const names = new Map(rows.map((row) => [keyOf(row), nameInText(row.partnerName)]));
        onAwarded(
          data.flatMap((row) => (row.message === undefined ? [] : [`${names.get(keyOf(row))}: ${row.message}`])),
        );
      },
    },
  );
  const [first] = rows;
  const title =
    rows.length === 1 && first !== undefined
      ? `Award the bonus to ${nameInText(first.partnerName)}?`
      : `Award ${formatCount(rows.length)} bonuses?`;
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="breakable">
        {sumsText(rows)} to {partnersText(rows)} for {periodTitle(period)}, included in the next payout. You can't undo
        this, only correct it with an adjustment.
      </p>
      <div class="row">
        <Button look="primary" isPending={award.isPending} onClick={() => void award.run(undefined)}>
          Award
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}

const sumsText = (rows: readonly DueBonus[]): string =>
  formatList(sumByCurrency(rows).map(({ amountCents, currency }) => formatMoney(amountCents, currency)));

/** One partner's name, or the number of partners. */
function partnersText(rows: readonly DueBonus[]): string {
  const names = new Map(rows.map(({ partnerId, partnerName }) => [partnerId, partnerName]));
  const [first = ""] = names.values();
  return names.size === 1 ? nameInText(first) : pluralize(names.size, "partner");
}
