import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import type { Partner } from "../../api/partners.ts";
import { type Action, useAction } from "../../api/use-action.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { useProgram } from "../../session.tsx";
import { partnerQueryKeys } from "./queries.ts";

export const PartnerBadge = ({ status }: Pick<Partner, "status">): JSX.Element =>
  status === "active" ? <Badge tone="good">Active</Badge> : <Badge tone="warn">Paused</Badge>;

interface StatusButtonProps {
  readonly partner: Partner;
  readonly look?: "quiet" | "secondary";
}

export function StatusButton({ partner: { id, name, status }, look = "secondary" }: StatusButtonProps): JSX.Element {
  const { program } = useProgram();
  const next = status === "active" ? "paused" : "active";
  const set: Action<Partner["status"], unknown> = useAction(
    (to: Partner["status"]) => {
      const param = { programId: String(program.id), partnerId: String(id) };
      return take(api.programs[":programId"].partners[":partnerId"].$patch({ param, json: { status: to } }));
    },
    {
      done: ({ data }) =>
        data.status === "paused"
          ? `${name} is paused. Their link records no clicks, and their sales earn nothing.`
          : `${name} is active again.`,
      refreshes: partnerQueryKeys(program.id),
      undo: (_, to) => void set.run(to === "paused" ? "active" : "paused"),
    },
  );
  return (
    <Button
      look={look}
      isPending={set.isPending}
      label={`${next === "paused" ? "Pause" : "Resume"} ${name}`}
      onClick={() => set.run(next)}
    >
      {next === "paused" ? "Pause" : "Resume"}
    </Button>
  );
}
