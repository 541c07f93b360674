import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { Empty, Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { paramOf, useProgram } from "../../../session.tsx";
import { useFilters } from "../../../url.ts";
import { Sections } from "../sections.tsx";
import { DueBonuses } from "./due.tsx";
import { NewBonus } from "./new-bonus.tsx";
import { type Bonus, bonusQueryKeys, useBonuses } from "./queries.ts";
import { periodTitle, termsText } from "./words.ts";

export default function Bonuses(): JSX.Element {
  const { mayChange } = useProgram();
  const [{ cursor }] = useFilters();
  const bonuses = useBonuses(cursor);
  const [awards, setAwards] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  // Moves focus to the list, because the focused button is removed together with the awarded rows.
  useEffect(() => {
    if (awards > 0) list.current?.focus();
  }, [awards]);
  return (
    <>
      <header class="page-head">
        <h1>Partners</h1>
      </header>
      <Sections current="bonuses" />
      <Loaded query={bonuses} skeleton={<TableSkeleton rows={4} />}>
        {({ data, meta }) => (
          <div ref={list} tabIndex={-1} class="stack">
            {meta.due.length > 0 && (
              <DueBonuses
                periods={meta.due}
                hasMore={meta.hasMoreDue}
                onAwarded={() => setAwards((count) => count + 1)}
              />
            )}
            {data.length === 0 ? (
              <Empty title="No bonuses yet">
                Bonuses that you create appear here. Partners get a bonus for reaching a number of sales or a revenue in
                a month, a quarter or a year, once you award it.
              </Empty>
            ) : (
              <>
                <Listed bonuses={data} isStale={bonuses.isStale} />
                <Pagination nextCursor={meta.nextCursor} />
              </>
            )}
            {mayChange("admin") && <NewBonus />}
          </div>
        )}
      </Loaded>
    </>
  );
}

function Listed({ bonuses, isStale }: { readonly bonuses: readonly Bonus[]; readonly isStale: boolean }): JSX.Element {
  const { mayChange } = useProgram();
  const [closing, setClosing] = useState<Bonus>();
  return (
    <Card title="Bonuses" lead="Only approved and paid sales count. A bonus can't be changed, only ended.">
      <Table
        caption="Bonuses, newest first"
        isStale={isStale}
        columns={[
          { head: "Bonus", cell: (bonus) => <bdi>{termsText(bonus)}</bdi> },
          { head: "From", cell: ({ fromPeriod }) => periodTitle(fromPeriod) },
          {
            head: "Until",
            cell: ({ untilPeriod, dismissedAt }) =>
              dismissedAt !== null
                ? "Dismissed"
                : untilPeriod === null
                  ? "No end"
                  : `End of ${periodTitle(untilPeriod)}`,
          },
          ...(mayChange("admin")
            ? [
                {
                  head: "Actions",
                  cell: (bonus: Bonus) =>
                    bonus.dismissedAt === null && (
                      <Button
                        look="quiet"
                        label={`${verbFor(bonus)} ${termsText(bonus)}`}
                        onClick={() => setClosing(bonus)}
                      >
                        {verbFor(bonus)}…
                      </Button>
                    ),
                  isNumber: true,
                },
              ]
            : []),
        ]}
        rows={bonuses}
        rowKey={({ id }) => id}
      />
      {closing && <CloseBonus bonus={closing} onClose={() => setClosing(undefined)} />}
    </Card>
  );
}

/** A bonus is dismissed only after it was ended. */
const verbFor = ({ untilPeriod }: Bonus) => (untilPeriod === null ? "End" : "Dismiss");

/** Asks before a bonus is ended or dismissed. */
function CloseBonus({ bonus, onClose }: { readonly bonus: Bonus; readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const verb = verbFor(bonus);
  const close = useAction(
    () => {
      const param = { ...paramOf(program), bonusId: String(bonus.id) };
      const one = api.programs[":programId"].bonuses[":bonusId"];
      return take(verb === "End" ? one.$delete({ param }) : one.dismiss.$post({ param }));
    },
    {
      done: ({ data: { untilPeriod } }) =>
        verb === "End" ? `The bonus ends with ${periodTitle(untilPeriod ?? "")}.` : "Bonus dismissed.",
      refreshes: bonusQueryKeys(program.id),
      onDone: onClose,
    },
  );
  return (
    <Dialog title={`${verb} the bonus of ${termsText(bonus)}?`} onClose={onClose}>
      {verb === "End" ? (
        <>
          <p class="soft">
            The current {bonus.period} is its last one. You can still award it for this {bonus.period} and earlier ones.
            It can't be resumed.
          </p>
          <p class="soft">
            If its terms are wrong, dismiss it afterwards, and create another bonus. Correct what you have already
            awarded with a negative adjustment of the partner's balance.
          </p>
        </>
      ) : (
        <p class="soft">
          It can't be awarded to anyone any more, and is no longer listed as due. What you have awarded stays. You can't
          undo this.
        </p>
      )}
      <div class="row">
        <Button look="destructive" isPending={close.isPending} onClick={() => void close.run(undefined)}>
          {verb} bonus
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
