import { eventually, type IsolatedService } from "./isolated-service.ts";

type Own = Pick<IsolatedService, "api" | "world">;

const callUnknownCode = (own: Own) => own.api().click({ affiliate_url: "https://shop.example/?aff=nobody" });

/**
 * Starts the Ledger and waits for its first maintenance, which sends requests to the database one second after the
 * start. The maintenance ends with retention, which handles the programs that are due and then postpones them by a day.
 */
export async function firstMaintenance(own: Own, start: (own: Own) => Promise<unknown> = callUnknownCode) {
  const { programId, rows, write } = await own.world();
  await write({ sql: "update program_retention set due_at = 0 where program_id = ?", args: [programId] });
  await start(own);
  await eventually(
    () => rows("select due_at from program_retention where program_id = ?", programId),
    ([retention]) => Number(retention?.due_at) > 0,
  );
}
