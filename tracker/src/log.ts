import type { Svc } from "../svc.d.ts";
import { attempt } from "./attempt.ts";

export const log = (...said: unknown[]): undefined => {
  if (attempt(() => (window.svc as Svc).debug)) console.log("[svc]", ...said);
};
