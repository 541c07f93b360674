declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export type Configuration = Readonly<Record<string, unknown>> & {
    readonly findAccount: (
      ctx: unknown,
      sub: string,
    ) => { readonly accountId: string; claims(): Readonly<Record<string, unknown>> } | undefined;
  };

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
  }
}
