import { setTimeout as delay } from "node:timers/promises";
import { type IsolatedService, isolatedService } from "../support/isolated-service.ts";

export const killService = async ({ service }: IsolatedService): Promise<void> => {
  await service.kill();
  await service.restart();
};

/** Services with processes that a test can kill. Call it at the top of the file. */
export function killable() {
  const ofDefault = isolatedService();
  /** Uses a separate database server, because a database inside the service's process can't be killed alone. */
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
