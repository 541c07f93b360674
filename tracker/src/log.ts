/** Says a step, where the page asked for that. */
export function log(...said: unknown[]): void {
  const { svc } = window;
  // biome-ignore lint/complexity/useOptionalChain: esbuild makes more of it for ES2019
  if (svc && svc.debug) console.log("[svc]", ...said);
}
