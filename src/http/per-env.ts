import type { Env } from "#env.ts";

/** State of one process that requests share. Tests run several services, each with an `Env`, in one process. */
export function perEnv<State>(make: () => State): (c: { readonly env: Env }) => State {
  const known = new WeakMap<Env, State>();
  return ({ env }) => {
    const found = known.get(env) ?? make();
    known.set(env, found);
    return found;
  };
}
