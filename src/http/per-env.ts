import type { Env } from "#env.ts";

/** State of a process that requests share. It is kept by `Env`, because tests run several services in one process. */
export function perEnv<State>(make: () => State): (c: { readonly env: Env }) => State {
  const known = new WeakMap<Env, State>();
  return ({ env }) => {
    const found = known.get(env) ?? make();
    known.set(env, found);
    return found;
  };
}
