import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The maximum numbers of waiting calls: for one connection, and for all connections together. If either is exceeded, a
 * connection with waiting calls is closed. A waiting call takes about 4 kB.
 */
const maxWaiting = { ofConnection: 50, inAll: 5_000 } as const;

/**
 * The connections of a server. Calls of one connection run one after the other, in order of arrival. So a client that
 * sends many calls at once has only one in progress, as with workerd.
 */
export class Connections {
  /** For each connection, the calls that wait for earlier ones. Undefined if no call is in progress. */
  readonly #calls = new Map<Socket, (() => void)[] | undefined>();
  #waiting = 0;

  constructor(server: Server) {
    server.on("connection", (socket) => {
      this.#calls.set(socket, undefined);
      socket.once("close", () => {
        this.#waiting -= this.#calls.get(socket)?.length ?? 0;
        this.#calls.delete(socket);
      });
    });
  }

  /** Runs a call now, or once all earlier calls of its connection are answered. */
  take(socket: Socket, outgoing: ServerResponse, run: () => void): void {
    if (socket.destroyed) return;
    outgoing.once("close", () => this.#next(socket));
    const waiting = this.#calls.get(socket);
    if (waiting === undefined) {
      this.#calls.set(socket, []);
      run();
    } else {
      this.#waiting += 1;
      if (waiting.push(run) > maxWaiting.ofConnection || this.#waiting > maxWaiting.inAll) socket.destroy();
    }
  }

  #next(socket: Socket): void {
    if (!this.#calls.has(socket) || socket.destroyed) return;
    const next = this.#calls.get(socket)?.shift();
    if (next === undefined) this.#calls.set(socket, undefined);
    else {
      this.#waiting -= 1;
      next();
    }
  }

  /** Closes connections that have no call in progress. */
  closeWaiting(): void {
    for (const [socket, waiting] of this.#calls) if (waiting === undefined) socket.destroy();
  }
}
