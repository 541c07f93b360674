import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Faults } from "./faults.ts";
import type { Announced, Verdict } from "./proxy-messages.ts";
import { listenOn } from "./proxy-socket.ts";
import { type AnswerCounts, noRequests, type RequestCounts, withRequest } from "./request-counts.ts";

/** The counts of a file's batches. Reading a count that only a server reports throws an error. */
class FileCounts implements RequestCounts, AnswerCounts {
  readonly reads: number;
  readonly writes: number;
  readonly total: number;
  readonly statements: number;

  constructor(counts: RequestCounts) {
    this.reads = counts.reads;
    this.writes = counts.writes;
    this.total = counts.total;
    this.statements = counts.statements;
  }

  get rows(): number {
    return needsServer("rows");
  }

  get rowsWritten(): number {
    return needsServer("rows");
  }

  get bytes(): number {
    return needsServer("bytes");
  }
}

function needsServer(what: string): never {
  throw new Error(`a database file reports no ${what}: a test that counts them needs a server (runtime: "workerd")`);
}

/**
 * Starts the proxy of a database file inside a service. `./faulty-databases.ts` asks the proxy before each batch, and
 * does what the reply states.
 */
export async function startFileProxy(url: string) {
  const faults = new Faults();
  let counts = noRequests;

  async function verdictOf({ id, isWrite, statements }: Announced): Promise<Verdict> {
    counts = withRequest(counts, isWrite, statements);
    const fault = faults.take(isWrite);
    if (fault === undefined) return { id };
    switch (fault.kind) {
      case "delay":
        await delay(fault.ms);
        return { id };
      case "hold":
        await fault.until;
        return { id };
      case "hang":
        return new Promise(() => {});
      default:
        return { id, fault };
    }
  }

  const server = createServer((connection) => {
    const lines = createInterface({ input: connection });
    lines.on("line", async (line) => {
      const verdict = await verdictOf(JSON.parse(line) as Announced);
      if (connection.writable) connection.write(`${JSON.stringify(verdict)}\n`);
    });
    // A service that is killed resets its connection.
    for (const each of [connection, lines]) each.on("error", () => {});
  });
  const socket = await listenOn(server);

  return {
    url,
    get inProcess() {
      return { file: fileURLToPath(url), port: socket.port };
    },
    get counts() {
      return new FileCounts(counts);
    },
    resetCounts: () => {
      counts = noRequests;
    },
    inject: faults.inject,
    heal: faults.heal,
    disconnect: socket.disconnect,
    connect: socket.connect,
    close: async () => {
      if (socket.isListening) await socket.disconnect();
    },
  };
}
