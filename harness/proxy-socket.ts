import type { Server, Socket } from "node:net";
import { freePort } from "../scripts/service/ports.ts";

/** A server on 127.0.0.1 that can be stopped and then listens on the same port again. */
export interface ProxySocket {
  readonly port: number;
  readonly isListening: boolean;
  connect(): Promise<void>;
  /** Cuts all connections. */
  disconnect(): Promise<void>;
}

export async function listenOn(server: Server): Promise<ProxySocket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const listenAt = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", reject);
        resolve();
      });
    });
  // A port that the system chooses could be given to another process while this server doesn't listen.
  const port = await freePort();
  await listenAt(port);
  return {
    port,
    get isListening() {
      return server.listening;
    },
    connect: () => listenAt(port),
    disconnect: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
