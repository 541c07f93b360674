/** Replaces the module `cloudflare:workers`. */
class Entrypoint<Context, Env> {
  readonly ctx: Context;
  readonly env: Env;

  constructor(ctx: Context, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

export class DurableObject<Env = unknown, Context = unknown> extends Entrypoint<Context, Env> {}

export class WorkerEntrypoint<Env = unknown, Context = unknown> extends Entrypoint<Context, Env> {}

export const env: Record<string, unknown> = {};
