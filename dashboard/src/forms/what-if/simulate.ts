import type { InferResponseType } from "hono/client";
import { daysEnding } from "#domain/performance.ts";
import { api } from "../../api/client.ts";
import { Failure } from "../../api/failure.ts";
import { takeLines } from "../../api/take-lines.ts";
import { todayIn } from "../../sale-period.ts";
import { paramOf } from "../../session.tsx";
import type { PolicyOwner } from "../policy-form.tsx";
import type { readPolicy } from "../policy-values.ts";

export const comparedDays = 90;

const { $post } = api.programs[":programId"]["commission-policy"].simulate;
type Line = InferResponseType<typeof $post, 200>;
export type SimulationResult = Extract<Line, { readonly result: unknown }>["result"];
export type SimulatedRow = SimulationResult["rows"][number];

export interface Simulated {
  readonly program: Parameters<typeof paramOf>[0] & { readonly timezone: string };
  readonly policy: ReturnType<typeof readPolicy> & PolicyOwner;
}

interface Following {
  readonly signal: AbortSignal;
  readonly onProgress: (sales: number) => void;
}

/** Runs a simulation. Throws a `Failure` if the service refuses it, or gives up before the end. */
export async function simulate(
  { program, policy }: Simulated,
  { signal, onProgress }: Following,
): Promise<SimulationResult> {
  const json = { policy, ...daysEnding(todayIn(program.timezone), comparedDays) };
  const call = $post({ param: paramOf(program), json }, { init: { signal } });
  for await (const line of takeLines(call)) {
    const { progress, result, error } = line as Partial<
      Readonly<{
        progress: { readonly sales: number };
        result: SimulationResult;
        error: { readonly code: string; readonly message: string };
      }>
    >;
    if (progress !== undefined) onProgress(progress.sales);
    if (result !== undefined) return result;
    if (error !== undefined) throw new Failure(error.code === "unavailable" ? 503 : 500, error);
  }
  throw Failure.ofNetwork();
}
