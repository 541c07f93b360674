import { setTimeout as delay } from "node:timers/promises";
import { type IsolatedService, isolatedService } from "../support/isolated-service.ts";

export const killService = async ({ service }: IsolatedService): Promise<void> => {
  await service.kill();
  await service.restart();
};

/** Processes that can be killed, each in a service that survives it. Call it at the top of the file. */
export function killable() {
  const ofDefault = isolatedService();
  /** A database can't be killed by itself inside the service's process. */
  const onServer = isolatedService({ runtime: "workerd" });
  return {
    database: {
      own: onServer,
      kill: async () => {
        await onServer.database.kill();
        await delay(100);
        await onServer.database.start();
      },
    },
    runtime: { own: ofDefault, kill: () => killService(ofDefault) },
  };
}
