import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Table } from "../../../components/table.tsx";
import { Instant } from "../../../components/time.tsx";
import type { Key } from "../../../key-grants.ts";
import { createdColumn, lastUsedColumn, nameColumn } from "./key-table.tsx";

/** Lists keys that no longer work. The rows are rendered only while the list is open. */
export function RetiredKeys({ keys }: { readonly keys: readonly Key[] }): JSX.Element | null {
  const [isOpen, setIsOpen] = useState(false);
  if (keys.length === 0) return null;
  return (
    <details class="retired-keys" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Retired keys ({keys.length})</summary>
      {isOpen && (
        <div class="keys row-cards soft">
          <Table
            caption="Retired keys, newest first"
            columns={[
              nameColumn,
              createdColumn,
              lastUsedColumn,
              {
                head: "Retired",
                isNumber: true,
                cell: ({ retiresAt }) => retiresAt !== null && <Instant at={retiresAt} />,
              },
            ]}
            rows={keys}
            rowKey={({ id }) => id}
          />
        </div>
      )}
    </details>
  );
}
