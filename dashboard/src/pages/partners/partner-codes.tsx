import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { type PartnerWithBalances, partnerQueryKeys } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, TextField, type Values } from "../../components/form.tsx";
import { Table } from "../../components/table.tsx";
import { Instant } from "../../components/time.tsx";
import { nameInText } from "../../named-by-code.ts";
import { paramOf, useProgram } from "../../session.tsx";

type Code = PartnerWithBalances["links"][number];

const makers = { owner: "Your team", import: "An import", partner: "The partner" } as const satisfies Record<
  Code["madeBy"],
  string
>;

export function PartnerCodes({ partner }: { readonly partner: PartnerWithBalances }): JSX.Element {
  const { program, mayChange } = useProgram();
  const [isAdding, setIsAdding] = useState(false);
  const set = useAction(
    ({ code, status }: Pick<Code, "code" | "status">) => {
      const param = { ...paramOf(program), code };
      return take(api.programs[":programId"].links[":code"].$patch({ param, json: { status } }));
    },
    {
      done: ({ data: { code, status } }) => (status === "paused" ? `${code} is paused.` : `${code} is active again.`),
      refreshes: partnerQueryKeys(program.id),
      undo: ({ data }) => void toggle(data),
    },
  );
  const toggle = ({ code, status }: Pick<Code, "code" | "status">) =>
    set.run({ code, status: status === "paused" ? "active" : "paused" });
  return (
    <Card
      title="Codes"
      lead="Every code credits this partner. Clicks on a paused code aren't counted."
      actions={mayChange("admin") && <Button onClick={() => setIsAdding(true)}>Add a code…</Button>}
    >
      <Table
        caption="Codes, oldest first"
        columns={[
          { head: "Code", cell: ({ code }) => <code>{code}</code> },
          {
            head: "Status",
            cell: ({ status }) =>
              status === "paused" ? <Badge tone="warn">Paused</Badge> : <Badge tone="good">Active</Badge>,
          },
          { head: "Made by", cell: ({ madeBy }) => makers[madeBy] },
          { head: "Added", cell: ({ createdAt }) => <Instant at={createdAt} /> },
          {
            head: "Actions",
            cell: (row: Code) => (
              <div class="row">
                {row.link !== null && <CopyButton text={row.link} what={`link of ${row.code}`} look="quiet" />}
                {mayChange("admin") && (
                  <Button
                    look="quiet"
                    label={`${row.status === "paused" ? "Resume" : "Pause"} ${row.code}`}
                    isPending={set.isPending}
                    onClick={() => toggle(row)}
                  >
                    {row.status === "paused" ? "Resume" : "Pause"}
                  </Button>
                )}
              </div>
            ),
          },
        ]}
        rows={partner.links}
        rowKey={({ code }) => code}
      />
      {isAdding && <NewCode partner={partner} onClose={() => setIsAdding(false)} />}
    </Card>
  );
}

interface NewCodeProps {
  readonly partner: PartnerWithBalances;
  readonly onClose: () => void;
}

function NewCode({ partner, onClose }: NewCodeProps): JSX.Element {
  const { program } = useProgram();
  const add = useAction(
    ({ code = "" }: Values) => {
      const param = { ...paramOf(program), partnerId: String(partner.id) };
      return take(api.programs[":programId"].partners[":partnerId"].links.$post({ param, json: { code } }));
    },
    {
      failsIn: "form",
      done: ({ data }) => `${data.code} was added.`,
      refreshes: partnerQueryKeys(program.id),
      onDone: onClose,
    },
  );
  return (
    <Dialog title={`Add a code for ${nameInText(partner.name)}`} onClose={onClose}>
      <Form action={add} submit="Add code" onCancel={onClose}>
        <TextField
          name="code"
          label="Code"
          hint="2 to 64 letters, digits, hyphens or underscores, with a letter or digit at each end. Its link leads where the others do."
        />
      </Form>
    </Dialog>
  );
}
