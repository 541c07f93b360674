import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { groupQueryKeys, type useGroups } from "../../api/groups.ts";
import type { Partner } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Card } from "../../components/card.tsx";
import { Form, SelectField, type Values } from "../../components/form.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { programAddress } from "../../url.ts";

const none = "";

interface PartnerGroupProps {
  readonly partner: Partner;
  readonly groups: ReturnType<typeof useGroups>;
}

/** Shows and changes the partner's group, whose policy decides what later sales earn. */
export default function PartnerGroup({ partner, groups }: PartnerGroupProps): JSX.Element {
  const { program, mayChange } = useProgram();
  const { id, groupId } = partner;
  const save = useAction(
    ({ groupId: chosen = none }: Values) => {
      const param = { ...paramOf(program), partnerId: String(id) };
      const json = { groupId: chosen === none ? null : Number(chosen) };
      return take(api.programs[":programId"].partners[":partnerId"].$patch({ param, json }));
    },
    { failsIn: "form", done: "Group saved.", refreshes: groupQueryKeys(program.id) },
  );
  return (
    <Card title="Group">
      <Loaded query={groups} skeleton={<Skeleton lines={2} />}>
        {(all) =>
          all.length > 0 && mayChange("admin") ? (
            <Form action={save} submit="Save group">
              <SelectField
                name="groupId"
                label="Group"
                hint="Decides the commission of sales from now on, unless the partner has a custom one."
                options={[[none, "None"], ...all.map((group) => [String(group.id), group.name] as const)]}
                value={String(groupId ?? none)}
              />
            </Form>
          ) : (
            <p>
              {all.find((group) => group.id === groupId)?.name ?? "None"}.{" "}
              <a href={programAddress(program.id, "partners/groups")}>All groups</a>
            </p>
          )
        }
      </Loaded>
    </Card>
  );
}
