import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Derivation } from "#domain/password-hash.ts";
import { deriveKey } from "#http/derive-key.ts";
import type { HashingCaller } from "#http/hashing.ts";
import { isBearer } from "../../runtime/is-bearer.ts";

// Hashes passwords for the Worker, in threads of this process, because the Worker handles all its calls in one thread.

export interface HasherServer {
  readonly port: number;
  /** The token that authenticates the Worker's calls. */
  readonly token: string;
  close(): void;
}

const atOnce = 2;
const maxWaiting = 64;

/** Runs two tasks at a time, and refuses more if too many are waiting. */
export class Room {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#running < atOnce) this.#running += 1;
    else if (this.#waiting.length < maxWaiting) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else return undefined;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Starts the hasher on a free port of 127.0.0.1. Doesn't keep the process running. */
export async function startHasher(derive = deriveKey): Promise<HasherServer> {
  const token = randomBytes(32).toString("base64url");
  const rooms: Readonly<Record<HashingCaller, Room>> = { known: new Room(), stranger: new Room() };
  const server = createServer((request, response) => {
    void answer(request, response, { rooms, token, derive }).catch(() => response.destroy());
  });
  // Idle connections stay open, because the Worker may send its next call on one exactly when it is closed.
  server.keepAliveTimeout = 0;
  await listening(server);
  return {
    port: (server.address() as AddressInfo).port,
    token,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve());
    server.unref();
  });

interface Hashers {
  readonly rooms: Readonly<Record<HashingCaller, Room>>;
  readonly token: string;
  readonly derive: typeof deriveKey;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { rooms, token, derive }: Hashers,
): Promise<void> {
  const end = (status: number, body = "") => response.writeHead(status).end(body);
  if (!isBearer(request.headers.authorization, token)) return void end(401);
  const room = request.url === "/known" ? rooms.known : rooms.stranger;
  const derivation = JSON.parse(await text(request)) as Derivation;
  const key = await room.run(() => derive(derivation));
  end(key === undefined ? 429 : 200, key);
}
