import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Beyond it, a client that sends calls in one go loses its connection. */
const maxWaiting = 100;

/**
 * The connections of a server. A connection's calls are carried out one after the other, in the order of their answers: a client that
 * sends many in one go has no more than one under way, as with workerd.
 */
export class Connections {
  /** By connection, the calls that wait for those before them. Undefined: none is under way. */
  readonly #calls = new Map<Socket, (() => void)[] | undefined>();

  constructor(server: Server) {
    server.on("connection", (socket) => {
      this.#calls.set(socket, undefined);
      socket.once("close", () => this.#calls.delete(socket));
    });
  }

  /** Runs it now, or once the connection's calls before it have their answers. */
  take(socket: Socket, outgoing: ServerResponse, run: () => void): void {
    outgoing.once("close", () => this.#next(socket));
    const waiting = this.#calls.get(socket);
    if (waiting === undefined) {
      this.#calls.set(socket, []);
      run();
    } else if (waiting.push(run) > maxWaiting) socket.destroy();
  }

  #next(socket: Socket): void {
    if (!this.#calls.has(socket) || socket.destroyed) return;
    const next = this.#calls.get(socket)?.shift();
    if (next === undefined) this.#calls.set(socket, undefined);
    else next();
  }

  /** Those without a call under way. */
  closeWaiting(): void {
    for (const [socket, waiting] of this.#calls) if (waiting === undefined) socket.destroy();
  }
}
