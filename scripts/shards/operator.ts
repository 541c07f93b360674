import type { Database } from "../database/migrate.ts";
import { OperatorRefusal, type Send } from "../service/operator-api.ts";
import { type MovePlaces, StepRefused } from "./mover.ts";

/** Gives an operator's command access to a service's Ledgers and databases. */
export const placesOf = (send: Send, databaseOf: (shard: number) => Database): MovePlaces => ({
  databaseOf,
  async step(step, { programId, moveId, from, to }, frozenForMs) {
    try {
      await send("POST", "/moves", { step, programId, moveId, shard: from, to, frozenForMs });
    } catch (error) {
      const { reason } = error instanceof OperatorRefusal ? error.details : {};
      throw typeof reason === "string" ? new StepRefused(step, reason) : error;
    }
  },
});
