import type { Svc } from "../svc.d.ts";
import { attempt } from "./attempt.ts";

/** Says a step, where the page asked for that. */
export function log(...said: unknown[]): undefined {
  if (attempt(() => (window.svc as Svc).debug)) console.log("[svc]", ...said);
}
