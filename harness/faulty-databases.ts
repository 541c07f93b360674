import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { Batches } from "#store/database.ts";
import { HranaClient } from "#store/hrana.ts";
import { FileDatabase as OwnDatabase, FileReader as OwnReader } from "../runtime/node/databases.ts";
import { DatabaseTimeout } from "../runtime/node/threads.ts";
import { type Announced, portsVariable, type Verdict } from "./proxy-messages.ts";

const portOf = (file: string): number | undefined =>
  (JSON.parse(process.env[portsVariable] ?? "{}") as Record<string, number>)[file];

/** A database file for which a test decides what happens to each batch, by harness/file-database-proxy.ts. */
export class FileDatabase extends OwnDatabase {
  constructor(file: string) {
    super(file);
    const port = portOf(file);
    if (port === undefined) return;
    const way = new Way(port);
    Object.assign(this, { ofLedger: way.to(this.ofLedger), ofOthers: way.to(this.ofOthers) });
  }
}

export class FileReader extends OwnReader {
  constructor(file: string) {
    super(file);
    const port = portOf(file);
    if (port === undefined) return;
    const batch = this.batch.bind(this);
    Object.assign(this, new Way(port).to({ batch }));
  }
}

interface Connection {
  ask(announced: Omit<Announced, "id">): Promise<Verdict>;
  /** A promise that never resolves, and rejects once the connection is lost. */
  readonly lost: Promise<never>;
}

class Way {
  readonly #port: number;
  #connection: Connection | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  to(database: Batches): Batches {
    return {
      batch: (statements, mode, timeoutMs) => {
        const connection = this.#connected();
        const announced = { isWrite: mode === "write", statements: statements.length };
        const carryOut = () => database.batch(statements, mode, timeoutMs);
        const treated = connection
          .ask(announced)
          .then(({ fault }) =>
            fault?.kind === "answer"
              ? clientThatGets(fault.status, fault.body).batch(statements, mode).then(rowsOf)
              : treat(fault, carryOut),
          );
        return within(timeoutMs, Promise.race([treated, connection.lost]));
      },
    };
  }

  #connected(): Connection {
    if (this.#connection !== undefined) return this.#connection;
    const connection = connectTo(this.#port);
    this.#connection = connection;
    connection.lost.catch(() => {
      this.#connection = undefined;
    });
    return connection;
  }
}

function connectTo(port: number): Connection {
  const waiting = new Map<number, (verdict: Verdict) => void>();
  let lastId = 0;
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  createInterface({ input: socket })
    .on("line", (line) => {
      const verdict = JSON.parse(line) as Verdict;
      waiting.get(verdict.id)?.(verdict);
      waiting.delete(verdict.id);
    })
    .on("error", () => {});
  const lost = new Promise<never>((_, reject) => {
    socket.on("error", () => {});
    socket.once("close", () => reject(new Error("the way to the database was cut")));
  });
  lost.catch(() => {});
  return {
    lost,
    ask: (announced) =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        socket.write(`${JSON.stringify({ id: lastId, ...announced })}\n`);
      }),
  };
}

async function treat<T>(fault: Exclude<Verdict["fault"], { kind: "answer" }>, carryOut: () => Promise<T>): Promise<T> {
  switch (fault?.kind) {
    case undefined:
      return carryOut();
    case "late":
      return carryOut().finally(() => delay(fault.ms));
    case "cut":
      await carryOut().catch(() => {});
      throw new Error("the answer was cut off");
    case "refuse":
      throw new Error("the connection was refused");
  }
}

/** A client whose server responds with this status, for faults that a database file can't have. */
const clientThatGets = (status: number, text = "a fault was asked for") =>
  new HranaClient({ url: "http://127.0.0.1", authToken: undefined }, async () => ({ status, text }), undefined);

const rowsOf = (answers: Awaited<ReturnType<HranaClient["batch"]>>) => answers.map(({ rows }) => rows);

function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new DatabaseTimeout()), timeoutMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
