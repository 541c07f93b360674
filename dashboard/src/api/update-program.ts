import { type Program, paramOf, useProgram } from "../session.tsx";
import { api, take } from "./client.ts";
import { useAction } from "./use-action.ts";

type EditableField =
  | "name"
  | "websiteUrl"
  | "currency"
  | "timezone"
  | "status"
  | "leadAuth"
  | "attributionModel"
  | "attributionWindowDays"
  | "windowUntil"
  | "cookieWindowDays"
  | "payoutMode"
  | "minimumPayoutCents"
  | "payoutTerms"
  | "payoutApproval"
  | "partnersSeeRevenue"
  | "payer"
  | "issuer";

type Changes = { readonly [Name in EditableField]?: Program[Name] | undefined };

export function useUpdateProgram<Input>(
  read: (input: Input) => Changes,
  options: {
    readonly done: string;
    readonly failsIn: "form" | "toast";
    readonly onDone: () => void;
    readonly undo?: () => void;
  },
) {
  const { program } = useProgram();
  const param = paramOf(program);
  return useAction(async (input: Input) => take(api.programs[":programId"].$patch({ param, json: read(input) })), {
    ...options,
    refreshes: [`program ${program.id} `, "programs of "],
  });
}
