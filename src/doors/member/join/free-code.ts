import { callWithDirectory, type PlacedProgram } from "#api/directory.ts";
import { codeFromName } from "#domain/join-page.ts";
import type { Ctx } from "#http/context.ts";
import { randomSecret } from "#http/secret.ts";
import type { Outcome } from "#operations/operation.ts";
import type { AnswerTo, AnyCall } from "#operations/table.ts";

/** One made from the name, counted ones, and then one that nobody has. */
export const codesFromName = (name: string): readonly [string, ...string[]] => {
  const unique = randomSecret()
    .replaceAll(/[^a-zA-Z0-9]/g, "")
    .slice(0, 8);
  return [codeFromName(name, ""), ...["2", "3", unique].map((ending) => codeFromName(name, ending))];
};

type CodedCall = Extract<AnyCall, { readonly kind: "apply" | "decide-application" }>;

/** Calls the Ledger with one code after the other, until nobody has it. */
export async function callWithFreeCode<Call extends CodedCall>(
  c: Ctx,
  program: PlacedProgram,
  codes: readonly [string, ...string[]],
  { call, corrects }: { readonly call: (code: string) => Call; corrects?(answer: AnswerTo<Call>): boolean },
): Promise<Outcome<AnswerTo<Call>>> {
  const [code, ...others] = codes;
  const outcome = await callWithDirectory(c, program, call(code), {
    adds: { changes: {}, codes: [{ codeKey: code.toLowerCase(), destinationUrl: null, is: "new" }] },
    ...(corrects && { corrects }),
  });
  const [next, ...rest] = others;
  return outcome.ok || outcome.refusal.code !== "code_taken" || next === undefined
    ? outcome
    : callWithFreeCode(c, program, [next, ...rest], { call, ...(corrects && { corrects }) });
}
