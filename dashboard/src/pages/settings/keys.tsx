import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, SelectField, type Values } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Table } from "../../components/table.tsx";
import { Hour, Instant } from "../../components/time.tsx";
import { formatAgo } from "../../format-time.ts";
import { parseWhole } from "../../forms/parse-numbers.ts";
import { keepOneTimeKey } from "../../one-time-key.ts";
import { type Program, paramOf, useProgram } from "../../session.tsx";

type Key = NonNullable<Program["apiKeys"]>[number];

export function Keys(): JSX.Element {
  const { program, isArchived, mayChange } = useProgram();
  const [isRotating, setIsRotating] = useState(false);
  const [ending, setEnding] = useState<Key>();
  const keys = program.apiKeys ?? [];
  return (
    <div class="settings wide">
      <Card
        title="API key"
        lead="Your server sends it with every call: Authorization: Bearer <key>."
        actions={
          mayChange("owner") && (
            <Button look="primary" onClick={() => setIsRotating(true)}>
              Create new key
            </Button>
          )
        }
      >
        <Table
          caption="Keys, newest first"
          columns={[
            { head: "Key", cell: ({ masked }) => <code>{masked}</code> },
            { head: "Status", cell: (key) => <KeyState retiresAt={isArchived ? program.archivedAt : key.retiresAt} /> },
            { head: "Created", cell: ({ createdAt }) => <Instant at={createdAt} /> },
            { head: "Last used", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "–" : <Hour at={lastUsedAt} />) },
            { head: "Expires", cell: ({ retiresAt }) => (retiresAt === null ? "–" : <Instant at={retiresAt} />) },
            ...(mayChange("owner") && keys.some(isBeingReplaced)
              ? [
                  {
                    head: "Actions",
                    cell: (key: Key) =>
                      isBeingReplaced(key) && (
                        <Button look="danger" onClick={() => setEnding(key)}>
                          End now…
                        </Button>
                      ),
                  },
                ]
              : []),
          ]}
          rows={keys}
          rowKey={({ id }) => id}
        />
      </Card>
      {mayChange("owner") && (
        <Card title="Rotate without downtime">
          <ol class="steps">
            <li>Create a new key here. The current key keeps working for as long as you choose.</li>
            <li>Replace the key in your servers' secrets, and restart them.</li>
            <li>
              Until it expires, replies to calls with the old key carry a warning. When the warning no longer appears in
              your logs, you're done.
            </li>
          </ol>
        </Card>
      )}
      {ending && <End of={ending} onClose={() => setEnding(undefined)} />}
      {isRotating && (
        <Rotate
          live={keys.filter(isLive)}
          onClose={() => setIsRotating(false)}
          onKey={(key) => keepOneTimeKey(program.id, key)}
        />
      )}
    </div>
  );
}

const isLive = ({ retiresAt }: Pick<Key, "retiresAt">): boolean =>
  retiresAt === null || Date.parse(retiresAt) > Date.now();

const isBeingReplaced = (key: Key): boolean => key.retiresAt !== null && isLive(key);

function End({ of: { id, masked }, onClose }: { readonly of: Key; readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const end = useAction(
    async () => {
      const param = { ...paramOf(program), keyId: String(id) };
      return take(api.programs[":programId"]["api-keys"][":keyId"].$delete({ param }));
    },
    {
      done: `${masked} no longer works.`,
      failsIn: "form",
      refreshes: [`program ${program.id} settings`, `program ${program.id} audit`],
      onDone: onClose,
    },
  );
  return (
    <Dialog title="End this key now?" onClose={onClose}>
      <p>
        Calls that use <code>{masked}</code> are refused from now on. You can't undo this.
      </p>
      <Form action={end} submit="End key now" submitLook="destructive" onCancel={onClose}>
        {null}
      </Form>
    </Dialog>
  );
}

function KeyState({ retiresAt }: Pick<Key, "retiresAt">): JSX.Element {
  if (!isLive({ retiresAt })) return <Badge>Retired</Badge>;
  if (retiresAt === null) return <Badge tone="good">Active</Badge>;
  return <Badge tone="warn">Active, expires {formatAgo(retiresAt, Date.now())}</Badge>;
}

interface RotateProps {
  readonly live: readonly Key[];
  readonly onKey: (key: string) => void;
  readonly onClose: () => void;
}

function Rotate({ live, onKey, onClose }: RotateProps): JSX.Element {
  const { program } = useProgram();
  const rotate = useAction(
    async ({ graceHours = "" }: Values) => {
      const param = paramOf(program);
      const json = { graceHours: parseWhole(graceHours, "graceHours") };
      return take(api.programs[":programId"]["api-token"].rotate.$post({ param, json }));
    },
    {
      failsIn: "form",
      refreshes: [`program ${program.id} settings`, `program ${program.id} audit`],
      onDone: ({ data }) => onKey(data.apiToken),
    },
  );
  const [, older] = live;
  return (
    <Dialog title="Create a new key?" onClose={onClose}>
      {older !== undefined && (
        <Notice look="warn">
          Two keys are active. <code>{older.masked}</code> stops working as soon as you create a third.
        </Notice>
      )}
      <Form action={rotate} submit="Create key" onCancel={onClose}>
        <SelectField
          name="graceHours"
          label="Why do you need a new key?"
          value="24"
          options={[
            ["24", "I'm rotating: keep the current key for 24 hours"],
            ["0", "It leaked: end the current key now"],
          ]}
        />
      </Form>
    </Dialog>
  );
}
