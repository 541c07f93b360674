import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { filled, type Values } from "../../../components/form.tsx";
import { paramOf, useProgram } from "../../../session.tsx";
import { type Application, decisionKeys } from "./queries.ts";

export interface Decision {
  readonly verb: "approve" | "decline";
  /** At least one. */
  readonly applications: readonly Pick<Application, "id" | "name">[];
  /** Values that the fields start with. */
  readonly values?: Values;
}

interface Outcome {
  readonly name: string;
  /** Undefined if the application was decided. */
  readonly refusal: string | undefined;
}

export interface Decided {
  readonly verb: Decision["verb"];
  readonly outcomes: readonly Outcome[];
}

/** The value for "no group". If the group is omitted, the join page's group is used. */
export const noGroup = "0";

/**
 * Decides applications. A single application is sent in a call of its own, so that its code can be chosen and a refusal
 * is shown in the form.
 */
export function useDecide({ verb, applications }: Decision, onDone: (decided: Decided) => void) {
  const { program } = useProgram();
  const send = async ({ code, groupId, partnerNote }: Values): Promise<Decided> => {
    const route = api.programs[":programId"].applications;
    const ids = applications.map(({ id }) => id);
    const note = { partnerNote: filled(partnerNote) };
    const [first] = applications;
    if (first !== undefined && applications.length === 1) {
      const param = { ...paramOf(program), applicationId: String(first.id) };
      const one = route[":applicationId"];
      const chosen = { code: filled(code), groupId: groupId ? Number(groupId) || null : undefined };
      if (verb === "approve") await take(one.approve.$post({ param, json: chosen }));
      else await take(one.decline.$post({ param, json: note }));
      return { verb, outcomes: [{ name: first.name, refusal: undefined }] };
    }
    const param = paramOf(program);
    const { data } =
      verb === "approve"
        ? await take(route.approve.$post({ param, json: { ids } }))
        : await take(route.decline.$post({ param, json: { ids, ...note } }));
    const names = new Map(applications.map(({ id, name }) => [id, name]));
    const outcomes = data.map(({ id, result, message }) => ({
      name: names.get(id) ?? `application ${id}`,
      refusal: result === "refused" ? (message ?? "Refused.") : undefined,
    }));
    return { verb, outcomes };
  };
  return useAction(send, { failsIn: "form", refreshes: decisionKeys(program.id), onDone });
}
