import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { type Group, groupQueryKeys, useGroups } from "../../../api/groups.ts";
import { useAction } from "../../../api/use-action.ts";
import { Card } from "../../../components/card.tsx";
import { Form, TextField } from "../../../components/form.tsx";
import { Count } from "../../../components/numbers.tsx";
import { Empty, Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { describePolicy } from "../../../forms/policy-text.tsx";
import { nameInText } from "../../../named-by-code.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import { addressWith, programAddress, useFilters } from "../../../url.ts";
import { Sections } from "../sections.tsx";
import { OneGroup } from "./one-group.tsx";

export default function Groups(): JSX.Element {
  const [{ group: wanted }] = useFilters();
  const groups = useGroups();
  return (
    <>
      <header class="page-head">
        <h1>Partners</h1>
      </header>
      <Sections current="groups" />
      <Loaded query={groups} skeleton={<TableSkeleton rows={4} />}>
        {(all) => {
          const group = all.find(({ id }) => String(id) === wanted);
          return group === undefined ? <List groups={all} /> : <OneGroup key={group.id} group={group} />;
        }}
      </Loaded>
    </>
  );
}

function List({ groups }: { readonly groups: readonly Group[] }): JSX.Element {
  const { program, mayChange } = useProgram();
  const address = (id: number) => addressWith(programAddress(program.id, "partners/groups"), { group: String(id) });
  return (
    <div class="stack">
      {groups.length === 0 ? (
        <Empty title="No groups yet">
          Partners in a group earn the group's commission instead of the program's. Groups appear here with the number
          of their partners.
        </Empty>
      ) : (
        <Table
          caption="Groups, newest first"
          columns={[
            {
              head: "Name",
              cell: ({ id, name }) => (
                <a class="row-link" href={address(id)}>
                  <bdi>{name}</bdi>
                </a>
              ),
            },
            { head: "Partners", cell: ({ partners }) => <Count of={partners} />, isNumber: true },
            {
              head: "Commission",
              cell: ({ policy }) => (policy === null ? "The program's" : describePolicy(policy)),
            },
          ]}
          rows={groups}
          rowKey={({ id }) => id}
        />
      )}
      {mayChange("admin") && <NewGroup />}
    </div>
  );
}

function NewGroup(): JSX.Element {
  const { program } = useProgram();
  const create = useAction(
    ({ name = "" }: { readonly name?: string }) =>
      take(api.programs[":programId"].groups.$post({ param: paramOf(program), json: { name } })),
    { failsIn: "form", done: ({ data }) => `${nameInText(data.name)} created.`, refreshes: groupQueryKeys(program.id) },
  );
  return (
    <Card title="New group">
      <Form action={create} submit="Create group">
        <TextField name="name" label="Name" />
      </Form>
    </Card>
  );
}
