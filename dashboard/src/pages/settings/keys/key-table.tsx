import type { JSX } from "preact";
import { Badge } from "../../../components/badge.tsx";
import { MoreIcon } from "../../../components/icons.tsx";
import { Menu } from "../../../components/menu.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { DayOf, Hour, Instant } from "../../../components/time.tsx";
import { bookTitles, type Key, listScopes } from "../../../key-grants.ts";
import { nameInText } from "../../../named-by-code.ts";
import { useProgram } from "../../../session.tsx";
import { isIdle, isReplaced } from "./key.ts";

export type KeyChoice = "edit" | "rotate" | "end";

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly onChoose: (choice: KeyChoice, of: Key) => void;
}

export const nameColumn: Column<Key> = {
  head: "Name",
  cell: ({ name, masked }) => (
    <span class="two-lines key-name">
      <strong title={name}>
        <bdi>{name}</bdi>
      </strong>
      <code>{masked}</code>
    </span>
  ),
};
export const createdColumn: Column<Key> = {
  head: "Created",
  isNumber: true,
  cell: ({ createdAt }) => <DayOf at={createdAt} />,
};
export const lastUsedColumn: Column<Key> = {
  head: "Last used",
  isNumber: true,
  cell: (key) => <LastUsed of={key} />,
};

export function KeyTable({ keys, onChoose }: KeyTableProps): JSX.Element {
  const { mayChange } = useProgram();
  const menu: Column<Key> = {
    head: "Actions",
    isNumber: true,
    control: <span class="unseen">Actions</span>,
    cell: (key) => <KeyMenu of={key} onChoose={(choice) => onChoose(choice, key)} />,
  };
  return (
    <div class="keys row-cards">
      <Table
        caption="Keys, newest first"
        columns={[
          nameColumn,
          { head: "Scopes", cell: ({ scopes }) => <span class="scope-list">{listScopes(scopes)}</span> },
          { head: "Data", cell: ({ book }) => bookTitles[book] },
          { head: "Status", cell: (key) => <KeyStatus of={key} /> },
          createdColumn,
          lastUsedColumn,
          ...(mayChange("owner") ? [menu] : []),
        ]}
        rows={keys}
        rowKey={({ id }) => id}
      />
    </div>
  );
}

function KeyStatus({ of: { retiresAt } }: { readonly of: Key }): JSX.Element {
  const { isArchived } = useProgram();
  if (isArchived) return <Badge>Off while archived</Badge>;
  if (retiresAt === null) return <Badge tone="good">Active</Badge>;
  return (
    <span class="two-lines">
      <Badge tone="warn">Expires</Badge>{" "}
      <small>
        <Instant at={retiresAt} />
      </small>
    </span>
  );
}

function LastUsed({ of }: { readonly of: Key }): JSX.Element {
  const { lastUsedAt } = of;
  return (
    <span class={`two-lines ${lastUsedAt === null ? "never" : ""}`}>
      {lastUsedAt === null ? "Never used" : <Hour at={lastUsedAt} />}
      {isIdle(of) && <small>{lastUsedAt === null ? "in more than 90 days" : "Not used for 90 days"}</small>}
    </span>
  );
}

interface KeyMenuProps {
  readonly of: Key;
  readonly onChoose: (choice: KeyChoice) => void;
}

function KeyMenu({ of, onChoose }: KeyMenuProps): JSX.Element {
  const { program } = useProgram();
  const item = (choice: KeyChoice, title: string) => (
    <button type="button" class="menu-item" onClick={() => onChoose(choice)}>
      {title}
    </button>
  );
  return (
    <Menu label={`Actions for ${nameInText(of.name)} ${of.masked}`} isFloating button={<MoreIcon />}>
      {item("edit", "Edit…")}
      {!isReplaced(program, of) && item("rotate", "Rotate…")}
      {item("end", "End now…")}
    </Menu>
  );
}
