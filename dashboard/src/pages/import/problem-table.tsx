import type { JSX } from "preact";
import type { Problem } from "../../../../importer/index.ts";
import { Card } from "../../components/card.tsx";
import { Table } from "../../components/table.tsx";
import { pluralize } from "../../format.ts";
import { columnTitles } from "./choices.ts";

const shown = 20;

/** Lists cells of the file that can't be read. */
export const ProblemTable = ({ problems }: { readonly problems: readonly Problem[] }): JSX.Element => (
  <Card
    title={`${pluralize(new Set(problems.map(({ line }) => line)).size, "row")} to correct`}
    lead="These rows are left out. Correct them in the file and choose it again, or import the other rows first."
  >
    <Table
      caption="Rows to correct"
      columns={[
        { head: "Line", cell: ({ line }) => line },
        { head: "Column", cell: ({ column }) => columnTitles[column] ?? column },
        { head: "In the file", cell: ({ read }) => (read === "" ? "–" : read) },
        {
          head: "Expected",
          cell: ({ expected, otherLine }) =>
            otherLine === undefined ? expected : `a different value from line ${otherLine}`,
        },
      ]}
      rows={problems.slice(0, shown).map((problem, n) => ({ ...problem, n }))}
      rowKey={({ n }) => n}
    />
    {problems.length > shown && <p class="soft">And {pluralize(problems.length - shown, "more problem")}.</p>}
  </Card>
);
