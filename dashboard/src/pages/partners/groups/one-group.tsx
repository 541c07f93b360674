import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { type Group, groupQueryKeys } from "../../../api/groups.ts";
import { useAction } from "../../../api/use-action.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Form, TextField } from "../../../components/form.tsx";
import { lazy } from "../../../components/lazy.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { PartnerFilter } from "../../../components/partner-filter.tsx";
import { PartnerLink } from "../../../components/partner-link.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { Table } from "../../../components/table.tsx";
import { inForce, usePolicies } from "../../../forms/policy.ts";
import { nameInText } from "../../../named-by-code.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import { programAddress, useFilters } from "../../../url.ts";
import { useDraft } from "../../../use-draft.ts";
import { OwnPolicy } from "../own-policy.tsx";

const Offer = lazy(
  async () => ({ default: (await import("../../../forms/offer-form.tsx")).OfferSetting }),
  <Skeleton lines={6} />,
);

export function OneGroup({ group }: { readonly group: Group }): JSX.Element {
  const { program, mayChange } = useProgram();
  const policies = usePolicies({ limit: "1" });
  return (
    <div class="stack">
      <p>
        <a href={programAddress(program.id, "partners/groups")}>All groups</a>
      </p>
      <h2>
        <bdi>{group.name}</bdi>
      </h2>
      <Members group={group} />
      <Card title="Commission">
        <Loaded query={policies} skeleton={<Skeleton lines={2} />}>
          {({ meta }) => (
            <OwnPolicy
              owner={{ groupId: group.id }}
              name={`partners in ${nameInText(group.name)} without a custom commission`}
              own={inForce(group.policy)}
              common={inForce(meta.current)}
            />
          )}
        </Loaded>
      </Card>
      <Offer groupId={group.id} />
      {mayChange("admin") && <Rename group={group} />}
    </div>
  );
}

function Members({ group: { id, name } }: { readonly group: Group }): JSX.Element {
  const { program, mayChange } = useProgram();
  const [{ cursor }] = useFilters();
  const query = { groupId: String(id), limit: "50", ...(cursor && { cursor }) };
  const members = useProgramQuery("partners in group", query, (call, init) =>
    take(api.programs[":programId"].partners.$get(call, init)),
  );
  const remove = useAction(
    (partner: { readonly id: number; readonly name: string }) => {
      const param = { ...paramOf(program), partnerId: String(partner.id) };
      return take(api.programs[":programId"].partners[":partnerId"].$patch({ param, json: { groupId: null } }));
    },
    {
      done: ({ data }) => `${nameInText(data.name)} removed from ${nameInText(name)}.`,
      refreshes: groupQueryKeys(program.id),
    },
  );
  return (
    <Card title="Partners" lead="Each sale counts for the partner's group at the time of the sale.">
      <Loaded query={members} skeleton={<Skeleton lines={3} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <p class="soft">No partners are in this group.</p>
          ) : (
            <>
              <Table
                caption="Partners in this group"
                columns={[
                  {
                    head: "Name",
                    cell: ({ id, name, hasOwnPolicy }) => (
                      <>
                        <PartnerLink class="row-link" id={id} name={name} />{" "}
                        {hasOwnPolicy && <Badge>Custom commission</Badge>}
                      </>
                    ),
                  },
                  { head: "Code", cell: ({ code }) => <code>{code}</code> },
                  ...(mayChange("admin")
                    ? [
                        {
                          head: "Actions",
                          cell: (partner: (typeof data)[number]) => (
                            <Button isPending={remove.isPending} onClick={() => remove.run(partner)}>
                              Remove
                            </Button>
                          ),
                          isNumber: true,
                        },
                      ]
                    : []),
                ]}
                rows={data}
                rowKey={(partner) => partner.id}
                isStale={members.isBusy}
              />
              <Pagination nextCursor={meta.nextCursor} />
            </>
          )
        }
      </Loaded>
      {mayChange("admin") && <AddPartner groupId={id} />}
    </Card>
  );
}

function AddPartner({ groupId }: { readonly groupId: number }): JSX.Element {
  const { program } = useProgram();
  const [chosen, setChosen] = useState("");
  const add = useAction(
    (partnerId: string) => {
      const param = { ...paramOf(program), groupId: String(groupId) };
      const json = { partnerIds: [Number(partnerId)] };
      return take(api.programs[":programId"].groups[":groupId"].partners.$post({ param, json }));
    },
    {
      done: ({ data }) => `Partner added to ${nameInText(data.name)}.`,
      refreshes: groupQueryKeys(program.id),
      onDone: () => setChosen(""),
    },
  );
  return (
    <div class="row">
      <PartnerFilter value={chosen} onChoose={setChosen} none="Choose a partner" />
      <Button isDisabled={chosen === ""} isPending={add.isPending} onClick={() => add.run(chosen)}>
        Add to group
      </Button>
    </div>
  );
}

function Rename({ group: { id, name } }: { readonly group: Group }): JSX.Element {
  const { program } = useProgram();
  const draft = useDraft(`program ${program.id} group ${id}`, { name });
  const rename = useAction(
    () => {
      const param = { ...paramOf(program), groupId: String(id) };
      const json = { name: draft.values.name ?? "" };
      return take(api.programs[":programId"].groups[":groupId"].$patch({ param, json }));
    },
    { failsIn: "form", done: "Group renamed.", refreshes: groupQueryKeys(program.id), onDone: draft.markSaved },
  );
  return (
    <Card title="Name">
      <Form action={rename} submit="Rename group" draft={draft} isUnchanged={!draft.isDirty}>
        <TextField name="name" label="Name" />
      </Form>
    </Card>
  );
}
