import type { Env } from "#env.ts";

/**
 * State that all requests of a process share. Each `Env` has its own state, because tests run several services in one
 * process.
 */
export function perEnv<State>(make: () => State): (c: { readonly env: Env }) => State {
  const known = new WeakMap<Env, State>();
  return ({ env }) => {
    const found = known.get(env) ?? make();
    known.set(env, found);
    return found;
  };
}
