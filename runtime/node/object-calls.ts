import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { deserialize, serialize } from "node:v8";
import type { Batches } from "#store/database.ts";
import type { Stub } from "./objects.ts";
import { tokenHeader } from "./peer.ts";
import { messageOf, resetError } from "./reset-error.ts";

/** A namespace of objects. The desk process addresses an object in it by name. */
export interface Objects {
  idFromName(name: string): unknown;
  get(id: never, options?: object): Stub;
}

export interface Call {
  readonly binding: string;
  /** The object's name. If it is undefined, the binding itself is called. */
  readonly name?: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Answer = { readonly value: unknown } | { readonly fault: Fault };

interface Fault {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Properties of errors that callers read: the runtime's flags, and the reason of a database's refusal. */
const detailNames = ["retryable", "overloaded", "durableObjectReset", "code", "statementIndex"] as const;
/** The maximum size of a call. The largest call is a page of an import, and is smaller. */
const maxBytes = 64 * 1_024 * 1_024;
/** The time for which an idle connection is kept. A caller with a busy thread may reuse it after a long pause. */
const keepAliveMs = 600_000;
/** The time limit for silence on a connection. By then, every caller has given up. */
const silentMs = 120_000;

export type Perform = (call: Call) => Promise<unknown>;

/** Serves the calls of a process that has the token. */
export function serveCalls(perform: Perform, token: string) {
  return createServer({ keepAliveTimeout: keepAliveMs }, (incoming, outgoing) => {
    void answer(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.headers[tokenHeader] !== token || Number(incoming.headers["content-length"]) > maxBytes) {
      outgoing.writeHead(403).end();
      return;
    }
    const call = deserialize(await buffer(incoming)) as Call;
    const body = serialize(await outcomeOf(perform(call)));
    outgoing.writeHead(200, { "content-length": body.length }).end(body);
  }
}

const outcomeOf = (pending: Promise<unknown>): Promise<Answer> =>
  pending.then(
    (value) => ({ value }),
    (error: unknown) => ({ fault: faultOf(error) }),
  );

const faultOf = (error: unknown): Fault => ({
  message: messageOf(error),
  details: Object.fromEntries(
    detailNames.flatMap((name) =>
      typeof error === "object" && error !== null && name in error ? [[name, Reflect.get(error, name)]] : [],
    ),
  ),
});

/**
 * Runs calls on the objects of `namespaces`, and on `others` (limits and databases). Inherited methods can't be called.
 */
export function performOn(
  namespaces: Readonly<Record<string, Objects>>,
  others: Readonly<Record<string, object>>,
): Perform {
  const targetOf = (binding: string, name: string | undefined): object | undefined => {
    if (name === undefined) return Object.hasOwn(others, binding) ? others[binding] : undefined;
    const objects = Object.hasOwn(namespaces, binding) ? namespaces[binding] : undefined;
    return objects?.get(objects.idFromName(name) as never);
  };
  return async ({ binding, name, method, args }) => {
    const target = targetOf(binding, name);
    const perform: unknown = target !== undefined && Object.hasOwn(target, method) && Reflect.get(target, method);
    if (typeof perform !== "function") throw new Error(`${binding} has no ${method}`);
    return Reflect.apply(perform, target, args);
  };
}

/** Sends calls to the process that serves them with `serveCalls` at `socketPath`. */
export function callsTo(socketPath: string, token: string): Perform {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 32 });
  return async (call) => {
    const body = serialize(call);
    const answered = await sent({ agent, socketPath, method: "POST", timeout: silentMs }, token, body).catch(
      (error) => {
        // Callers may repeat the call, whatever the lost call did, because each call takes effect only once.
        throw resetError(messageOf(error));
      },
    );
    const answer = deserialize(answered) as Answer;
    if ("value" in answer) return answer.value;
    throw Object.assign(new Error(answer.fault.message), answer.fault.details, { remote: true });
  };
}

const sent = (options: RequestOptions, token: string, body: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const headers = { [tokenHeader]: token, "content-length": body.length };
    const onward = request({ ...options, headers }, (answer) => {
      if (answer.statusCode === 200) buffer(answer).then(resolve, reject);
      else {
        answer.resume();
        reject(new Error(`the call was answered with ${answer.statusCode}`));
      }
    });
    onward.once("timeout", () => onward.destroy(new Error("the call was not answered in time")));
    onward.on("error", reject);
    onward.end(body);
  });

export const remoteObjects = (binding: string, perform: Perform) => ({
  idFromName: (name: string) => name,
  get: (name: string, _options?: object): Stub =>
    new Proxy<Stub>(
      {},
      {
        get: (_, method) =>
          typeof method !== "string" || method === "then"
            ? undefined
            : (...args: readonly unknown[]) => perform({ binding, name, method, args }),
      },
    ),
});

export const remoteLimit = (binding: string, perform: Perform) => ({
  limit: ({ key }: { readonly key: string }) => perform({ binding, method: "limit", args: [{ key }] }),
});

/** A binding that reads in this process, and writes in the other one. */
export const readingHere = (binding: string, reader: Batches, perform: Perform): Batches => ({
  batch: async (statements, mode, timeoutMs) => {
    if (mode === "read") return reader.batch(statements, mode, timeoutMs);
    const sent = statements.map(({ sql, args }) => ({ sql, args }));
    return (await perform({ binding, method: "batch", args: [sent, mode, timeoutMs] })) as Awaited<
      ReturnType<Batches["batch"]>
    >;
  },
});
