import type { JSX } from "preact";
import { useGroups } from "../../../api/groups.ts";
import { useAction } from "../../../api/use-action.ts";
import { useMany } from "../../../api/use-many.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, SelectField, type Values } from "../../../components/form.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { pluralize } from "../../../format.ts";
import { useProgram } from "../../../session.tsx";
import { programAddress } from "../../../url.ts";
import { moveToGroup, withGroups } from "./move.ts";
import { Running } from "./running.tsx";
import type { VerbProps } from "./verb.ts";

const none = "";

interface GroupDialogProps extends VerbProps {
  /** The group that is chosen first. Default: the first one. */
  readonly groupId?: number | null;
}

export function GroupDialog({ partners, groupId, onDone, onClose }: GroupDialogProps): JSX.Element {
  const { program } = useProgram();
  const groups = useGroups();
  const many = useMany();
  const move = useAction(
    async ({ groupId: wanted = none }: Values) => {
      const chosen = groups.data?.find(({ id }) => String(id) === wanted);
      const group = chosen ?? { id: null, name: "" };
      return moveToGroup(many, program, await withGroups(program, partners), group);
    },
    { failsIn: "form", onDone },
  );
  return (
    <Dialog title={`Move ${pluralize(partners.length, "partner")} to a group`} onClose={onClose}>
      <Loaded query={groups} skeleton={<Skeleton lines={2} />}>
        {(all) =>
          all.length === 0 ? (
            <p>
              There are no groups yet. <a href={programAddress(program.id, "partners/groups")}>Create one</a>
            </p>
          ) : (
            <Form action={move} submit="Move partners" {...(many.progress === undefined && { onCancel: onClose })}>
              <SelectField
                name="groupId"
                label="Group"
                hint="Each partner leaves their earlier group. The group decides the commission of sales from now on, unless the partner has a custom one."
                options={[...all.map(({ id, name }) => [String(id), name] as const), [none, "No group"] as const]}
                value={String((groupId === undefined ? all[0]?.id : groupId) ?? none)}
              />
              <Running many={many} label="Moved" />
            </Form>
          )
        }
      </Loaded>
    </Dialog>
  );
}
